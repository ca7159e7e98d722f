"""float32 rounded to float16 and bfloat16 in kernels, by an instruction of the processor or by integer operations."""

from types import SimpleNamespace

import numpy as np
import pytest
from llvmlite import binding
from numba import njit
from numba.core.registry import cpu_target
from numbers_at import dtype_of

from dmlrand.kernels import dialect, fill, float16_arithmetic, rules
from dmlrand.kernels.simd import register_bits, rounds_to_float16

F = np.float32
BY_INTEGERS = {
    "nearest": njit(float16_arithmetic.nearest_f16_by_integers),
    "bits": njit(float16_arithmetic.bits_f16_by_integers),
}
AS_CHOSEN = {
    "nearest": njit(lambda x: float16_arithmetic.nearest_f16(x)),
    "bits": njit(lambda x: float16_arithmetic.bits_f16(x)),
}
BFLOAT16 = {"nearest": fill.FUNCTIONS["nearest_bf16"], "bits": fill.FUNCTIONS["bits_bf16"]}


def edge_numbers(kind):
    """Each finite number of the type, each middle of two neighbours, the float32 numbers beside those, infinities."""
    with np.errstate(invalid="ignore"):
        numbers = np.arange(1 << 16, dtype=np.uint16).view(kind).astype(np.float64)
    sizes = numbers[np.isfinite(numbers) & ~np.signbit(numbers)]
    beyond = 2 * sizes[-1] - sizes[-2]
    middles = ((sizes + [*sizes[1:], beyond]) / 2).astype(F)
    exact = sizes.astype(F)
    near = [np.nextafter(each, F(to)) for each in (exact, middles) for to in (0, np.inf)]
    sizes = np.concatenate([exact, middles, *near, [F(1e38), F(np.inf)]])
    return np.concatenate([sizes, -sizes])


@pytest.mark.parametrize(
    "functions, name",
    [(AS_CHOSEN, "float16"), (BY_INTEGERS, "float16"), (BFLOAT16, "bfloat16")],
    ids=["float16 as chosen", "float16 by integers", "bfloat16"],
)
def test_rounded_as_numpy_rounds(functions, name):
    """kernels 7; distributions 3.2, 3.4 and 6.3: to nearest, ties to even; also subnormal numbers and infinities."""
    kind = dtype_of(name)
    nearest, bits = functions["nearest"], functions["bits"]

    @njit
    def convert(numbers, rounded, halves):
        for i in range(numbers.size):
            rounded[i] = nearest(numbers[i])
            halves[i] = bits(rounded[i])

    numbers = edge_numbers(kind)
    rounded, halves = np.empty_like(numbers), np.empty(numbers.size, np.uint16)
    convert(numbers, rounded, halves)
    with np.errstate(all="ignore"):
        expected = numbers.astype(kind)
    assert np.array_equal(halves, expected.view(np.uint16))
    assert np.array_equal(rounded.view(np.uint32), expected.astype(F).view(np.uint32))


@pytest.mark.parametrize(
    "nearest, bits, name",
    [(dialect.nearest_f16, dialect.bits_f16, "float16"), (rules.nearest_bf16, rules.bits_bf16, "bfloat16")],
)
def test_rounded_alike_in_numpy(nearest, bits, name):
    """kernels 7; distributions 3.2, 3.4 and 6.3"""
    numbers = edge_numbers(dtype_of(name))
    with np.errstate(all="ignore"):
        rounded, expected = nearest(numbers), numbers.astype(dtype_of(name))
        halves = bits(rounded)
    assert (rounded.dtype, halves.dtype) == (F, np.uint16)
    assert np.array_equal(halves, expected.view(np.uint16))
    assert np.array_equal(rounded.view(np.uint32), expected.astype(F).view(np.uint32))


# Processors that need not be present, for which LLVM assembles: whether they round to float16 by an instruction, and
# how wide their vector registers are.
PROCESSORS = [
    ("x86_64-pc-linux-gnu", "nehalem", False, 128),
    ("x86_64-pc-linux-gnu", "haswell", True, 256),
    ("x86_64-pc-linux-gnu", "znver4", True, 512),
    ("aarch64-apple-darwin", "apple-m1", True, 128),
    ("aarch64-unknown-linux-gnu", "neoverse-v1", True, 128),
]


@pytest.mark.parametrize("triple, processor, by_instruction, bits", PROCESSORS, ids=[row[1] for row in PROCESSORS])
def test_the_instructions_of_other_processors(triple, processor, by_instruction, bits):
    """kernels 7"""
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    codegen = SimpleNamespace(magic_tuple=lambda: (triple, processor, ""))
    assert rounds_to_float16.__wrapped__(codegen) == by_instruction
    assert register_bits.__wrapped__(codegen) == bits


def test_the_loop_calls_no_library_function():
    """kernels 7"""
    codegen = cpu_target.target_context.codegen()
    again = njit(fill.conversion_loop("uniform_f16").py_func)
    again(np.zeros(4, np.uint32), np.zeros(4, np.uint16), (F(0), F(1)))
    (code,) = again.inspect_asm().values()
    assert "truncsfhf2" not in code
    assert rounds_to_float16(codegen) == any(name in code for name in ("cvtps2ph", "vcvtss2sh", "fcvt"))


def test_without_numba_s_internals_integer_operations_round():
    """kernels 6"""
    assert not rounds_to_float16(object())
