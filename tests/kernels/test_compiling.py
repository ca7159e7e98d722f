"""The cache of machine code: it is never stale, and it is no error if it cannot be written.

Each costly case is a process of its own, on a copy of the package to which the smallest kernel is added.
"""

import json
import os
import platform
import runpy
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numba
import numpy as np
import oracle
import pytest
from paths import PACKAGE
from systems import posix
from waiting import LIMIT

from dmlrand import kernels, philox
from dmlrand.kernels import compiling
from dmlrand.kernels.machine_code_cache import settings

SMALLEST = """
from dmlrand import philox
from dmlrand.kernels.compiling import kernel
ANSWER = philox.ROUNDS

@kernel
def answer(out):
    out[0] = ANSWER
"""

# A limit on the size of files acts as a full disk does, also for root.
LIMITED = """
import sys
limit, package_parent = sys.argv[1:]
if limit != "none":
    import resource
    sys.dont_write_bytecode = True  # a truncated file would break later imports
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
import dmlrand
import dmlrand.compat.threefry
assert dmlrand.__file__.startswith(package_parent), dmlrand.__file__
"""
ASK = """
import numpy
from dmlrand.kernels.smallest import answer
out = numpy.zeros(1, numpy.int64)
answer(out)
print(out[0], "loaded" if sum(answer.stats.cache_hits.values()) else "compiled")
"""
DRAW = """
from dmlrand import make_state, random_generator, random_window
state = make_state(counter=2**64 - 1, key=7)
print(random_generator(state, 9).values.tolist() + random_window(state, 100, slice(3, 30, 5)).tolist())
"""
WORDS = oracle.words(2**64 - 1, 7, 0, 9) + oracle.words(2**64 - 1, 7, 0, 30)[3::5]


def run(script, package_parent, cache, home, limit="none", **settings):
    """The output of a script in a new process, which caches in `cache`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment |= {"PYTHONPATH": str(package_parent), "HOME": str(home), "XDG_CACHE_HOME": str(home)}
    environment |= {"DMLRAND_KERNELS": "numba", "NUMBA_CACHE_DIR": str(cache), **settings}
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", LIMITED + script, str(limit), str(package_parent)],
        capture_output=True, text=True, env=environment, cwd=package_parent, timeout=LIMIT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def cached(directory):
    return sorted(path for path in directory.rglob("*") if ".nb" in path.name)


@pytest.fixture
def copy(tmp_path):
    """A copy of the package with a small kernel, so that no test depends on the cache of this checkout."""
    folder = tmp_path / "site" / "dmlrand"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("*.nb*"))
    (folder / "kernels" / "smallest.py").write_text(SMALLEST)
    return folder.parent


@pytest.fixture
def ask(tmp_path, copy):
    """The answer of the smallest kernel in a new process, and whether its code was loaded or compiled."""

    def ask(cache=tmp_path / "cache", home=tmp_path, **options):
        return run(ASK, copy, cache, home, **options)

    return ask


@pytest.mark.costly
def test_words_are_right_with_and_without_cached_code(tmp_path, copy):
    """kernels 2"""
    assert run(DRAW, copy, tmp_path / "cache", tmp_path) == str(WORDS)
    made = [(path, path.stat().st_mtime_ns) for path in cached(tmp_path / "cache")]
    names = [path.name.partition("-")[0] for path, _ in made]
    names_of_fill = ["fill.convert_word", "fill.fill_region_word", "fill.fill_word"]
    assert names == [*names_of_fill, "groups.draw_groups_1_1", "words.fill_by.locals.fill"]
    assert run(DRAW, copy, tmp_path / "cache", tmp_path) == str(WORDS)
    assert made == [(path, path.stat().st_mtime_ns) for path in cached(tmp_path / "cache")]


def test_a_kernel_is_compiled_once_and_again_if_its_file_is_damaged(tmp_path, monkeypatch):
    """kernels 2; promises 7"""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "smallest.py").write_text(SMALLEST)

    def is_loaded():
        answer, out = runpy.run_path(tmp_path / "smallest.py")["answer"], np.zeros(1, np.int64)
        answer(out)
        assert out[0] == philox.ROUNDS
        return sum(answer.stats.cache_hits.values()) == 1

    assert not is_loaded() and is_loaded()
    (path,) = cached(tmp_path / "cache")
    right = path.read_bytes()
    for damaged in (b"", right[:100], bytes([right[0] ^ 1]) + right[1:]):  # the last has another checksum
        path.write_bytes(damaged)
        assert not is_loaded() and is_loaded()


@pytest.mark.costly
@posix("an environment variable that names the folder of a user's caches")
def test_no_directory_to_cache_in(tmp_path, copy, ask):
    """promises 7"""
    # A directory under a regular file cannot be made, not even by root, whom permissions do not stop.
    # All of numba's choices are closed: the one asked for, the package's own, the user's.
    blocker = tmp_path / "blocker"
    blocker.write_text("a file")
    for directory in (copy / "dmlrand", copy / "dmlrand" / "kernels"):
        shutil.rmtree(directory / "__pycache__")
        (directory / "__pycache__").write_text("a file")
    settings = {"cache": blocker / "cache", "home": blocker / "home"}
    assert ask(**settings) == ask(**settings) == "10 compiled"
    assert cached(tmp_path) == []


@pytest.mark.costly
@posix("a limit on the size of files, which stands for a full disk")
def test_a_full_disk_and_then_an_empty_one(tmp_path, ask):
    """promises 7"""
    for limit in (0, 4096):
        assert ask(limit=limit) == "10 compiled"
    assert ask() == "10 compiled"
    assert ask() == "10 loaded"


@pytest.mark.costly
def test_sources_of_the_same_times_and_sizes(copy, ask):
    """kernels 5: a release of the same size whose definition, in another file than the kernel, has 11 rounds."""
    assert ask() == "10 compiled"
    path = copy / "dmlrand" / "philox.py"
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"ROUNDS = 10\n", b"ROUNDS = 11\n"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    shutil.rmtree(path.parent / "__pycache__")  # Python's own cache goes by times and sizes
    assert ask() == "11 compiled"
    assert ask() == "11 loaded"


@pytest.mark.costly
@pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"), reason="not x86-64: these processors' names are x86-64's"
)
def test_two_kinds_of_processor_that_share_an_empty_cache(tmp_path, ask):
    """kernels 5"""
    kinds = [{"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": ""} for name in ("x86-64", "haswell")]
    with ThreadPoolExecutor() as pool:
        at_once = list(pool.map(lambda kind: ask(**kind), kinds))
    assert at_once == ["10 compiled", "10 compiled"] and len(cached(tmp_path / "cache")) == 2
    assert [ask(**kind) for kind in kinds] == ["10 loaded", "10 loaded"]


@pytest.mark.costly
def test_a_package_that_is_replaced_after_its_import_is_not_cached(tmp_path, copy, ask):
    """kernels 5: the old text was once compiled, and saved under the name of the new text."""
    replace = """
import dmlrand.operator  # any draw imports it
from pathlib import Path
path = Path(dmlrand.philox.__file__)
path.write_bytes(path.read_bytes().replace(b"ROUNDS = 10", b"ROUNDS = 11"))
"""
    assert run(replace + ASK, copy, tmp_path / "cache", tmp_path) == "10 compiled"
    assert not [path for path in cached(tmp_path / "cache") if path.name.startswith("smallest")]
    assert ask() == "11 compiled"
    assert ask() == "11 loaded"


@pytest.mark.parametrize("name", ["OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "ENABLE_AVX"])
def test_settings_of_numba_that_change_code(monkeypatch, name):
    """kernels 5"""
    before = settings()
    monkeypatch.setattr(numba.config, name, "another value")
    assert settings() != before


# An internal of numba that is missing, or vector code that is wrong, and the loops that replace what uses it.
WITHOUT = {
    "import numba.core.cgutils as m; del m.raw_memcpy": ["plain Philox"],
    "import dmlrand.kernels.philox_simd as m; m.BLOCK_OF.reverse()": ["plain Philox"],
    "import dmlrand.kernels.batch_simd as m; right = m.last_round; m.last_round = lambda c, key: right(c[::-1], key)": [
        "rows one by one"
    ],
    # What tells the size of the registers. numba itself needs it for its first code.
    "numba.njit(lambda: 1)(); from llvmlite.binding import Target as m; del m.from_triple": [
        "plain Philox", "rows one by one"
    ],
    "import numba.core.caching as m; del m.CompileResultCacheImpl": [],
}
LONG = oracle.words(2**64 - 1, 7, 0, 100)
IN_WINDOW = LONG[7:20] + LONG[57:70]


@pytest.mark.costly
@pytest.mark.parametrize("change", WITHOUT)
def test_without_an_internal_of_numba(tmp_path, copy, change):
    """kernels 6; batch 1.1"""
    script = f"""
import numba
import numpy as np
{change}
import warnings
warnings.simplefilter("error", RuntimeWarning)  # of a kernel that cannot be compiled
{DRAW}
from dmlrand import PhiloxBitGenerator, batch, uniform
print(batch.random_generator([state] * 2, 9).values[1].tolist() + PhiloxBitGenerator(state).random_raw(9).tolist())
shape, window = (2, 50), (slice(None), slice(7, 20))  # where vector code runs, these are made in registers
numbers = uniform(state, shape, window=window).values.ravel()
print(random_window(state, shape, window).ravel().tolist() + (numbers * 2**23).astype(int).tolist())
from dmlrand.compat.curand import Generator
print(Generator(7).generate(400).tolist())
from dmlrand.kernels.compiling import fallbacks
print(fallbacks)
"""
    *printed, curand, fallbacks = run(script, copy, tmp_path / "cache", tmp_path).splitlines()
    expected = [*WORDS, *LONG[:9], *LONG[:9], *IN_WINDOW, *(word % 2**23 for word in IN_WINDOW)]
    assert sum(map(json.loads, printed), []) == expected
    blocks = [philox.block((0, 0, thread, 0), (7, 0)) for thread in range(100)]
    assert json.loads(curand) == [word for block in blocks for word in block]
    assert fallbacks == str(WITHOUT[change])


@pytest.mark.costly
def test_vector_code_replaces_nothing_on_a_supported_processor():
    """kernels 6"""
    if platform.machine().lower() not in ("x86_64", "amd64", "aarch64", "arm64"):
        pytest.skip("another kind of processor")
    assert kernels.replaced() == []


def write_by(module):
    """A "kernel" that adds the module's `error` to each word."""

    def write(out):
        out[:] = [word + module.error for word in (1, 2, 3)]

    return write


def words_of(write):
    yield write, write_by(SimpleNamespace(error=0)), (np.zeros(3, np.uint32),)


@pytest.mark.parametrize("vector", ["right", "wrong", "missing", "broken"])
def test_plain_loops_replace_vector_code_that_does_not_work(monkeypatch, vector):
    """kernels 6"""
    code, plain = SimpleNamespace(error=int(vector == "wrong")), SimpleNamespace(error=0)
    if vector == "broken":
        del code.error
    monkeypatch.setattr(compiling, "fallbacks", [])
    monkeypatch.setitem(sys.modules, "dmlrand.kernels.some_simd", None if vector == "missing" else code)
    module, write = compiling.choose("plain loop", write_by, "dmlrand.kernels.some_simd", plain, words_of)
    assert module is (code if vector == "right" else plain)
    assert compiling.fallbacks == ([] if vector == "right" else ["plain loop"])
    assert compiling.give_right_words(words_of(write))


def test_plain_loops_that_give_wrong_words_are_refused(monkeypatch):
    """kernels 6 and 9"""
    monkeypatch.setattr(compiling, "fallbacks", [])
    monkeypatch.setitem(sys.modules, "dmlrand.kernels.some_simd", None)
    with pytest.raises(ImportError, match="this version of numba compiles the loops of plain loop to wrong words"):
        compiling.choose("plain loop", write_by, "dmlrand.kernels.some_simd", SimpleNamespace(error=1), words_of)
