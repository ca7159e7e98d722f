"""With older instruction sets than this machine's, the words and numbers are the same. Each set runs in a process."""

import os
import platform
import re

import numpy as np
import pytest
from commands import python
from llvmlite import binding
from numba import njit, uint64
from paths import PACKAGE_PARENT, SUPPORT, TESTS
from waiting import LIMIT

from dmlrand.compat.kernels import threefry_simd
from dmlrand.kernels import philox, philox_simd

FOLDERS = SUPPORT, TESTS, TESTS / "kernels", TESTS / "distributions", TESTS / "compat" / "jax"
PATHS = os.pathsep.join(map(str, [PACKAGE_PARENT, *FOLDERS]))
REGISTERS = {"haswell": "ymm", "x86-64": "xmm"}  # AVX2; SSE2

PHILOX = """
import test_batch, test_numpy_kernels, test_philox
test_batch.check_words((1, 6, 31, 33, 191, *test_batch.LONG))
test_philox.check_lengths("word"); test_philox.check_carries("word"); test_philox.check_non_temporal_stores("word")
test_numpy_kernels.check_blocks_of_curand()
"""
REPORTS = """
import test_instruction_sets
test_numpy_kernels.check_words_of_jax_s_keys()
print(*test_instruction_sets.widest_registers())
from dmlrand.kernels.compiling import fallbacks
print(fallbacks)
"""
# LLVM splits a vector of 512 bits for any processor, so the code for such vectors can run on all.
AS_WITH_512_BITS = f"""
import dmlrand.kernels.simd
dmlrand.kernels.simd.register_bits = lambda codegen: 512
{PHILOX}
from dmlrand.kernels.compiling import fallbacks
from dmlrand.kernels.philox_simd import GROUPS_IN_FLIGHT
print(fallbacks, GROUPS_IN_FLIGHT)
"""
NUMBERS = """
import test_jax_laws, test_released_bits
test_released_bits.digest(); test_jax_laws.digest()
"""


x86 = pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"), reason="not x86-64: the instructions named here are its"
)


def assembly_of_philox():
    @njit  # not the kernel of words: numba shows no assembly of code from its cache
    def words(state, out, non_temporal):
        low, high, k0, k1 = philox.load(state)
        philox_simd.fill_words(low, high, k0, k1, 0, out, non_temporal)

    words(np.zeros(6, np.uint32), np.zeros(1, np.uint32), False)
    return words.inspect_asm(words.signatures[0])


def assembly_of_threefry():
    @njit
    def bits(key, out):
        threefry_simd.fill_bits(key[0], key[1], uint64(0), out)

    bits(np.zeros(2, np.uint32), np.zeros(1, np.uint32))
    return bits.inspect_asm(bits.signatures[0])


def widest_registers():
    """The widest registers in which Philox multiplies, and in which Threefry adds."""
    multiplied = re.findall(r"pmuludq\s.*%([xyz]mm)\d+", assembly_of_philox())
    return max(multiplied), max(re.findall(r"paddd\s.*%([xyz]mm)\d+", assembly_of_threefry()))


@pytest.mark.costly
@x86
def test_the_instructions_of_the_vector_code():
    """kernels 1"""
    assembly = assembly_of_philox()
    assert re.search(r"v?movnt(ps|pd|dq)", assembly) and "pmuludq" in assembly
    # Multiplications of 64-bit elements are several times slower and give the same words: no other test would fail.
    assert not re.search(r"pmullq|pmulld", assembly)
    assembly = assembly_of_threefry()
    rotation = r"vprold\s.*%zmm" if "zmm" in assembly else r"pslld\s.*%[xy]mm"  # with AVX-512, in one step
    assert len(re.findall(rotation, assembly)) >= 20


def run(code, **settings):
    return python(code, 2 * LIMIT, PYTHONPATH=PATHS, DMLRAND_KERNELS="numba", **settings).splitlines()


def code_for(processor):
    # Both: with the name alone, numba would pass LLVM the features of this machine.
    return {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""}


@x86
# SSE2 alone is slow to compile for, and no processor of the last ten years needs it.
@pytest.mark.parametrize(
    "processor",
    [pytest.param("haswell", marks=pytest.mark.costly), pytest.param("x86-64", marks=pytest.mark.slow)],
)
def test_lower_instruction_sets(processor, capsys, monkeypatch):
    """kernels 1; batch 1.1; jax 10; distributions 5.6; promises 1 and 2"""
    if processor == "haswell" and not binding.get_host_cpu_features().get("avx512f"):
        pytest.skip("without AVX-512, AVX2 is what all other tests use on this machine")
    registers, fallbacks, *numbers = run(PHILOX + REPORTS + NUMBERS, **code_for(processor))
    assert registers.split() == [REGISTERS[processor]] * 2 and fallbacks == "[]"
    for folder in FOLDERS:
        monkeypatch.syspath_prepend(folder)
    exec(NUMBERS, {})
    assert numbers == capsys.readouterr().out.splitlines()
    assert len(numbers) == 2


@pytest.mark.costly
def test_as_many_groups_in_flight_as_with_512_bits(tmp_path):
    """kernels 1; batch 1.1: on every machine, also on one without AVX-512."""
    assert run(AS_WITH_512_BITS, NUMBA_CACHE_DIR=str(tmp_path)) == ["[] 6"]


@pytest.mark.costly
def test_numbers_are_made_in_vectors_of_512_bits_on_intels_servers():
    """kernels 1"""
    if not binding.get_host_cpu_features().get("avx512vbmi2"):
        pytest.skip("this machine cannot run code for an Ice Lake")
    code = """
import numpy as np
from numba import njit
from dmlrand.kernels.fill import convert_kernel
loop = njit(convert_kernel("normal_f32").py_func)
loop(np.zeros(4, np.uint32), (np.float32(0), np.float32(1)), np.zeros(4, np.float32))
(assembly,) = loop.inspect_asm().values()
print(assembly)
"""
    widths = re.findall(r"vmulps.*%([xyz]mm)", "\n".join(run(code, **code_for("icelake-server"))))
    assert widths.count("zmm") > widths.count("ymm")
