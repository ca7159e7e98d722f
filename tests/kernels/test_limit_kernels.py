"""The kernels of the benchmark's limits: they do all the work of a fill, without its stores."""

import platform
import re

import limit_kernels as limits
import numpy as np
import pytest
from llvmlite import ir
from numba import njit

import dmlrand
from dmlrand import kernels, make_state
from dmlrand.kernels.simd import I64

pytestmark = pytest.mark.costly  # each compiles kernels of its own
X86 = pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"), reason="not x86-64: its instructions' names are unknown"
)
VECTORS = {"zmm": 1, "ymm": 2, "xmm": 4}  # that LLVM makes of one of 512 bits
ZERO = ir.Constant(I64, 0)
STORE = re.compile(r"v?mov\S*\s+%\w+, \S*\(")


def loop_of(kernel, instruction, *arguments):
    """The block of a kernel's assembly that has most of one instruction, and the kind of its registers."""
    compiled = njit(kernel.py_func)
    compiled(*arguments)
    (assembly,) = compiled.inspect_asm().values()
    blocks = [[line.strip() for line in block.splitlines()] for block in re.split(r"\n\S+:", assembly)]
    loop = max(blocks, key=lambda block: sum(bool(re.match(instruction, line)) for line in block))
    assert re.match(r"j[a-z]+\s", [line for line in loop if re.match(r"[a-z]", line)][-1])  # it ends with a jump
    return loop, max(re.findall(r"%([xyz]mm)\d", "\n".join(loop)))


def counted(instruction, loop):
    return sum(bool(re.match(instruction, line)) for line in loop)


def check_rounds():
    """All multiplications of Philox and rotations of Threefry are in one loop, which stores only spilled registers."""
    state = make_state(key=7)
    loop, kind = loop_of(limits.philox_rounds, r"v?pmuludq", state, 1000, ())
    groups = 6 if kind == "zmm" else 1
    # Two for each round and group, but in the first round one is an addition and one is outside of the loop.
    assert counted(r"v?pmuludq", loop) >= (2 * 9 - 1) * groups * VECTORS[kind]
    assert all("(%rsp)" in line or "(%rbp)" in line for line in loop if STORE.match(line))
    rotation = r"vprold" if kind == "zmm" else r"v?pslld"
    loop, kind = loop_of(limits.threefry_rounds, rotation, state[4:], 1000)
    groups = {"zmm": 6, "ymm": 3, "xmm": 2}[kind]
    rotations = counted(rotation, loop) + counted(r"v?pshuf(b|lw|d)", loop)  # those by 16 and 24 bits may be shuffles
    assert rotations >= 20 * groups * VECTORS[kind]
    assert all("(%rsp)" in line or "(%rbp)" in line for line in loop if STORE.match(line))
    print(kind)


@X86
def test_rounds_are_all_there_and_nothing_is_stored(capsys):
    check_rounds()
    if capsys.readouterr().out == "zmm\n":
        loop, _ = loop_of(limits.philox_rounds, r"v?pmuludq", make_state(), 1000, ())
        assert counted(STORE, loop) <= 4 and counted("#APP", loop) == 12  # a fill stores 12 vectors here


@pytest.mark.parametrize(
    "limit, rule, dtype, arguments",
    [
        (limits.normal_32, "normal_f32", np.float32, (np.float32(1.25), np.float32(3.3))),
        (limits.normal_64, "normal_f64", np.float64, (1.25, 3.3)),
    ],
)
def test_conversions_make_the_numbers_of_the_rule(limit, rule, dtype, arguments):
    words = dmlrand.random_generator(make_state(key=3), 3840).values
    expected, out = words.copy(), np.empty(4 * words.size // np.dtype(dtype).itemsize, dtype)
    for _ in range(3):
        kernels.of_rule(rule).convert.compiled(expected, np.array(arguments, dtype), out)
        total = int(np.bitwise_xor.reduce(out.view(f"u{out.itemsize}")))
        expected[0] = (total ^ total >> 32) & 0xFFFFFFFF
    limit(words, 3, *arguments)
    assert words.tolist() == expected.tolist()
