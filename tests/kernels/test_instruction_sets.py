"""With older instruction sets than this machine's, the words and numbers are the same. Each set runs in a process."""

import os
import platform
import subprocess
import sys

import pytest
from llvmlite import binding
from paths import PACKAGE_PARENT, SUPPORT, TESTS
from waiting import LIMIT

FOLDERS = SUPPORT, TESTS, TESTS / "kernels", TESTS / "distributions", TESTS / "compat" / "jax"
PATHS = os.pathsep.join(map(str, [PACKAGE_PARENT, *FOLDERS]))
REGISTERS = {"haswell": "ymm", "x86-64": "xmm"}  # AVX2; SSE2

PHILOX = """
import test_batch, test_philox_simd, test_subsequences
test_batch.check_words((1, 6, 31, 33, 191, *test_batch.LONG))
test_philox_simd.check_lengths_and_offsets(); test_philox_simd.check_carries()
test_philox_simd.check_non_temporal_stores()
test_subsequences.check_lengths()
"""
REPORTS = """
import test_threefry
test_threefry.check_lengths(); test_threefry.check_wraps_of_the_low_word()
test_philox_simd.report(); test_threefry.report()
"""
# LLVM splits a vector of 512 bits for any processor, so the code for such vectors can run on all.
AS_WITH_512_BITS = f"""
import dmlrand.kernels.simd
dmlrand.kernels.simd.register_bits = lambda codegen: 512
{PHILOX}
from dmlrand.kernels.compiling import fallbacks
print(fallbacks, test_philox_simd.philox_simd.groups_in_flight(None))
"""
NUMBERS = """
import test_jax_laws, test_released_bits
test_released_bits.digest(); test_jax_laws.digest()
"""


@pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"), reason="not x86-64: the processors named here are"
)
# SSE2 alone is slow to compile for, and no processor of the last ten years needs it.
@pytest.mark.parametrize(
    "processor",
    [pytest.param("haswell", marks=pytest.mark.costly), pytest.param("x86-64", marks=pytest.mark.slow)],
)
def test_lower_instruction_sets(processor, capsys, monkeypatch):
    """kernels 1; batch 1.1; jax 10; distributions 5.6; promises 1 and 2"""
    if processor == "haswell" and not binding.get_host_cpu_features().get("avx512f"):
        pytest.skip("without AVX-512, AVX2 is what all other tests use on this machine")
    # NUMBA_CPU_FEATURES too: with the name alone, numba would pass LLVM the features of this machine.
    environment = os.environ | {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": "", "PYTHONPATH": PATHS}
    environment["DMLRAND_KERNELS"] = "numba"
    command = [sys.executable, "-c", PHILOX + REPORTS + NUMBERS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=2 * LIMIT)
    assert done.returncode == 0, done.stderr
    words, threefry, *numbers = done.stdout.splitlines()
    assert [words, threefry] == [REGISTERS[processor]] * 2  # the widest registers that each multiplies or adds in
    for folder in FOLDERS:
        monkeypatch.syspath_prepend(folder)
    exec(NUMBERS, {})
    assert numbers == capsys.readouterr().out.splitlines()
    assert len(numbers) == 2


@pytest.mark.costly
def test_as_many_groups_in_flight_as_with_512_bits(tmp_path):
    """kernels 1; batch 1.1: on every machine, also on one without AVX-512."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": PATHS, "DMLRAND_KERNELS": "numba"}
    command = [sys.executable, "-c", AS_WITH_512_BITS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=2 * LIMIT)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[] 6\n"


@pytest.mark.costly
def test_numbers_are_made_in_vectors_of_512_bits_on_intels_servers(tmp_path):
    """kernels 1"""
    if not binding.get_host_cpu_features().get("avx512vbmi2"):
        pytest.skip("this machine cannot run code for an Ice Lake")
    code = """
import re
import numpy as np
from numba import njit, typeof
from dmlrand.kernels.fill import conversion_loop
loop = njit(conversion_loop("normal_f32").py_func)
loop.compile((typeof(np.zeros(4, np.uint32)), typeof(np.zeros(4, np.float32)), typeof((np.float32(0), np.float32(1)))))
(assembly,) = loop.inspect_asm().values()
widths = re.findall(r"vmulps.*%([xyz]mm)", assembly)
print(max("yz", key=lambda width: widths.count(f"{width}mm")))
"""
    environment = os.environ | {"NUMBA_CPU_NAME": "icelake-server", "NUMBA_CPU_FEATURES": "", "PYTHONPATH": PATHS}
    environment |= {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=2 * LIMIT
    )
    assert (done.returncode, done.stdout) == (0, "z\n"), done.stderr
