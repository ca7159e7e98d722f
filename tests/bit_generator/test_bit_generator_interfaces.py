"""What NumPy, and code in other languages, asks of a bit generator. specs/bit_generator.md"""

import ctypes
import multiprocessing
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import oracle
import pytest
from bit_generators import as_double, at, joined
from numpy.random import Generator, SeedSequence
from paths import PACKAGE_PARENT
from systems import POSIX
from waiting import LIMIT, join

import dmlrand
from dmlrand import PhiloxBitGenerator

try:
    from numpy.random.tests.test_smoke import RNG, RNGData
except ImportError:  # before NumPy 2.4 they were written otherwise, and some packagers leave them out
    RNG, RNGData = object, None


@pytest.mark.skipif(RNGData is None, reason="this NumPy comes without its smoke tests")
class TestSmoke(RNG):
    """NumPy's own smoke tests of bit generators."""

    @classmethod
    def _create_rng(cls):
        def make(*seed):
            return PhiloxBitGenerator(SeedSequence(*seed))

        return RNGData(make, 2**63 + 2**31 + 2**15 + 1, [12345], Generator(make(12345)), 64)


def test_the_ctypes_interface_draws_from_the_same_place():
    """bit_generator 9"""
    bits = at(2**32 - 1)
    interface = bits.ctypes
    words = oracle.words(2**32 - 1, 7, 0, 9)
    assert interface.next_uint32(interface.state) == words[0]
    assert interface.next_uint64(interface.state) == joined(words[1], words[2])
    assert interface.next_double(interface.state) == as_double(words[3], words[4])
    assert bits.random_raw() == words[5]
    pointers = (ctypes.c_void_p * 5).from_address(interface.bit_generator.value)
    raw = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)(pointers[4])
    assert raw(pointers[0]) == words[6] and bits.random_raw() == words[7]


@pytest.mark.costly
def test_numba_code_draws_from_a_generator_over_it():
    """bit_generator 9"""
    from numba import njit

    @njit
    def draw(rng):
        return rng.random(), rng.standard_normal()

    rng, same = Generator(at(9)), Generator(at(9))
    assert draw(rng) == (same.random(), same.standard_normal())
    assert repr(rng.bit_generator) == repr(same.bit_generator)


def test_threads_that_share_one_get_each_word_once():
    """bit_generator 10"""
    bits = at(2**64 - 1000)
    rng = Generator(bits)

    def draw(thread):
        parts = []
        for i in range(300):
            parts.append(rng.integers(2**32, size=1 + (31 * thread + i) % 13, dtype=np.uint32))
            assert 0 <= bits.state["lane"] < 4
        return np.concatenate(parts)

    with ThreadPoolExecutor(8) as pool:
        drawn = np.concatenate(list(pool.map(draw, range(8))))
    whole = at(2**64 - 1000).random_raw(drawn.size).astype(np.uint32)
    assert np.array_equal(np.sort(drawn), np.sort(whole))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_repeats_its_parents_words():
    """bit_generator 11"""
    bits = at(9, 3)
    bits.random_raw(5)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=lambda: queue.put(bits.random_raw(9).tolist()))
    child.start()
    theirs = queue.get(timeout=LIMIT)
    join(child)
    assert theirs == bits.random_raw(9).tolist() == oracle.words(9, 3, 5, 9)


# Compiled code

SCRIPT = """
import sys
if sys.argv[1] == "full":
    import resource
    sys.dont_write_bytecode = True  # a truncated file would break later imports
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
import dmlrand
from dmlrand import PhiloxBitGenerator
print(PhiloxBitGenerator([5, 0, 0, 0, 7, 0]).random_raw(3).tolist())
from dmlrand.kernels import bitgen
print([f.cache_hits for f in (bitgen.refill, bitgen.next_word, bitgen.next_uint64, bitgen.next_double)])
"""


@pytest.mark.costly
def test_the_c_functions_are_cached_and_a_full_disk_is_no_error(tmp_path):
    """promises 7"""

    def run(disk):
        environment = os.environ | {"PYTHONPATH": PACKAGE_PARENT, "NUMBA_CACHE_DIR": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, disk], capture_output=True, text=True, env=environment, timeout=LIMIT
        )
        assert done.returncode == 0, done.stderr
        words, hits = done.stdout.splitlines()
        assert words == str(oracle.words(5, 7, 0, 3))
        return hits

    if POSIX:  # Windows has no limit on the size of files, which stands for a full disk
        assert run("full") == "[0, 0, 0, 0]"
    assert [run("room"), run("room")] == ["[0, 0, 0, 0]", "[1, 1, 1, 1]"]


@pytest.mark.costly
def test_naming_it_loads_no_numba_and_importing_the_package_no_numpy_random():
    script = (
        "import sys, numpy; before = 'numpy.random' in sys.modules; import dmlrand; "
        "assert ('numpy.random' in sys.modules) == before; dmlrand.Stream; dmlrand.PhiloxBitGenerator; "
        "assert 'numba' not in sys.modules"
    )
    environment = os.environ | {"PYTHONPATH": PACKAGE_PARENT}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment, timeout=LIMIT)


@pytest.mark.costly
def test_dask_s_own_random_module_is_refused_with_a_remedy():
    """bit_generator 12"""
    random = pytest.importorskip("dask.array.random", reason="dask is not installed")
    generator = random.Generator(PhiloxBitGenerator(seed=7))
    remedy = (
        "module 'dmlrand' has no attribute 'random'. Dask looks here for NumPy's default_rng, so dask.array.random "
        "takes "
        "only NumPy's own bit generators. Draw with dmlrand.dask, for example "
    )
    with pytest.raises(AttributeError, match=re.escape(remedy)) as caught:
        generator.normal(size=(4, 4), chunks=2)
    example = str(caught.value).rpartition("for example ")[2].removesuffix(".")
    assert eval(example, {"dmlrand": dmlrand}).values.compute(scheduler="synchronous").shape == (4, 4)
