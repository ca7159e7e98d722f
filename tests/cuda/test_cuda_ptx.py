"""The machine language that kernels of CUDA become, without a device. specs/cuda.md, section 3"""

import os
import re
import subprocess
import sys

import pytest
from paths import PACKAGE_PARENT
from waiting import LIMIT

pytest.importorskip("numba_cuda", reason="numba-cuda is not installed (extra `cuda`): its kernels are not compiled")

# Prints the PTX of all kernels. numba asks the device for its architecture, also where it is given.
COMPILE = """
import sys
from types import SimpleNamespace
from numba import cuda, from_dtype, types
from numba.cuda import dispatcher
from numba.cuda.cudadrv import nvvm
import numpy as np
from dmlrand.kernels.cuda import source
from dmlrand.kernels.rules import RULES

if not nvvm.is_available():
    sys.exit(3)
architecture = (8, 0)
dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=architecture)
for name in "word", "uniform_f32", "uniform_f64", "integers_32", "integers_64", "normal_f32", "normal_f64":
    rule = RULES[name]
    number = from_dtype(np.dtype(rule.parameters))  # the numbers of these rules have the type of the parameters
    arguments = types.UniTuple(number, rule.parameter_count) if rule.parameter_count else types.Tuple(())
    signature = 2 * (types.uint64,) + 2 * (types.uint32,) + (types.int64, arguments, types.Array(number, 1, "C"))
    print("KERNEL", name)
    print(cuda.compile_ptx(source(name, np.dtype(rule.parameters)), signature, cc=architecture)[0])
"""


@pytest.fixture(scope="module")
def instructions():
    """For each kernel, its instructions for architecture 8.0 with their operands."""
    environment = os.environ | {"PYTHONPATH": PACKAGE_PARENT, "NUMBA_ENABLE_CUDASIM": "0"}
    command = [sys.executable, "-c", COMPILE]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, timeout=LIMIT)
    if done.returncode == 3:
        pytest.skip("NVVM is not installed (pip install numba-cuda[cu13]): kernels are not compiled")
    assert done.returncode == 0, done.stderr
    parts = re.split(r"^KERNEL (\w+)$", done.stdout, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def operations(ptx, pattern):
    return re.findall(rf"^\t(?:@\S+ )?({pattern})\s", ptx, flags=re.MULTILINE)


def test_operations_are_rounded_and_never_fused(instructions):
    """cuda 1.3: the patterns match some instructions, so the test does not pass for want of any"""
    for name, ptx in instructions.items():
        found = set(operations(ptx, r"[a-z]\S*\.f(?:32|64)"))
        arithmetic = {each for each in found if not re.match(r"mov|ld|st|selp|setp|neg|max|abs|cvt\.rn\.", each)}
        bits = name[-2:]
        exact = {f"{each}.f{bits}" for each in ("add", "sub", "mul.rn", "div.rn", "sqrt.rn")}
        assert arithmetic <= exact | ({"mul.rn.f64"} if name == "normal_f32" else set()), name
        assert (f"mul.rn.f{bits}" in arithmetic) == name.startswith(("uniform", "normal")), name
        assert (f"sqrt.rn.f{bits}" in arithmetic) == name.startswith("normal"), name
        assert "fma" not in ptx and ".ftz" not in ptx


def test_kernels_use_registers_and_no_local_memory(instructions):
    """A kernel keeps its numbers in registers."""
    for name, ptx in instructions.items():
        assert not operations(ptx, r"call\S*") and ".local" not in ptx, name
        assert len(operations(ptx, r"st\.global\S*")) == (2 if name.endswith("64") else 4), name
