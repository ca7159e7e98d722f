"""The machine language that kernels of CUDA become, without a device. ptx.py runs it. specs/cuda.md, clause 1.3"""

import os
import re
import subprocess
import sys

import pytest
from paths import PACKAGE_PARENT
from ptx import Kernel
from waiting import LIMIT

import dmlrand
from dmlrand import make_state
from dmlrand.drawing.number_rules import integers_rule, normal_rule, uniform_rule

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
architecture = tuple(map(int, sys.argv[1:]))
dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=architecture)
for name in "word", "uniform_f32", "uniform_f64", "integers_32", "integers_64", "normal_f32", "normal_f64":
    rule = RULES[name]
    number = from_dtype(np.dtype(rule.parameters))  # the numbers of these rules have the type of the parameters
    arguments = types.UniTuple(number, rule.parameter_count) if rule.parameter_count else types.Tuple(())
    signature = 2 * (types.uint64,) + 2 * (types.uint32,) + (types.int64, arguments, types.Array(number, 1, "C"))
    print("KERNEL", name)
    print(cuda.compile_ptx(source(name, np.dtype(rule.parameters)), signature, cc=architecture)[0])
"""


# NVVM has a newer LLVM for architectures from 10.0 on.
@pytest.fixture(
    scope="module",
    params=["8.0", pytest.param("7.5", marks=pytest.mark.slow), pytest.param("12.0", marks=pytest.mark.slow)],
)
def instructions(request):
    """For each kernel, its instructions with their operands."""
    environment = os.environ | {"PYTHONPATH": PACKAGE_PARENT, "NUMBA_ENABLE_CUDASIM": "0"}
    command = [sys.executable, "-c", COMPILE, *request.param.split(".")]
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


DRAWS = {  # of each kernel: the function of dmlrand, its rule, and arguments
    "word": (dmlrand.random_generator, None, {}),
    "uniform_f32": (dmlrand.uniform, uniform_rule, {"low": -1.5, "high": 3.7, "dtype": "float32"}),
    "uniform_f64": (dmlrand.uniform, uniform_rule, {"low": 0.1, "high": 2.3, "dtype": "float64"}),
    "integers_32": (dmlrand.integers, integers_rule, {"low": -7, "high": 999_999, "dtype": "int32"}),
    "integers_64": (dmlrand.integers, integers_rule, {"low": -5, "high": 10**12, "dtype": "int64"}),
    "normal_f32": (dmlrand.normal, normal_rule, {"mean": 1.25, "stddev": 3.3, "dtype": "float32"}),
    "normal_f64": (dmlrand.normal, normal_rule, {"mean": 1.25, "stddev": 3.3, "dtype": "float64"}),
}


@pytest.mark.parametrize("name", DRAWS)
def test_the_machine_language_makes_the_numbers_of_the_cpu(instructions, name):
    """cuda 1.1, 1.3 and 1.4: two CUDA blocks make three tiles, and the first number is skipped"""
    draw, make_rule, arguments = DRAWS[name]
    count, state = 299, make_state(counter=2**64 - 9, key=2**64 - 7)
    if name.endswith("64"):
        count //= 2
    expected = draw(state, count + 1, **arguments).values[1:].tobytes()
    rule = make_rule(**arguments) if make_rule else None
    numbers = list(rule.parameters) if rule else []
    if rule and rule.kernel_dtype.kind == "u":
        numbers = rule.parameters.tolist()
    out = bytearray(b"\xa5" * len(expected))
    low, high, key0, key1 = 2**64 - 9, 0, 2**32 - 7, 2**32 - 1
    Kernel(instructions[name]).run(2, 32, [low, high, key0, key1, 1, *numbers, count], out)
    assert bytes(out) == expected
