"""float32 rounded to float16 and bfloat16 in kernels, by an instruction of the processor or without."""

from types import SimpleNamespace

import numpy as np
import pytest
from llvmlite import binding
from numba import njit
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target
from numbers_at import dtype_of
from thinning import with_costly

from dmlrand.kernels import dialect, float16_arithmetic as arithmetic, rules
from dmlrand.kernels.numba_dialect import compile_functions
from dmlrand.kernels.simd import register_bits, rounds_to_float16

F = np.float32


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


COMPILED = compile_functions(rules, rules.RULES)
FORMS = {  # the type, and the functions that round a number and that give its bits
    "float16 in numpy": ("float16", dialect.nearest_f16, dialect.bits_f16),
    "bfloat16 in numpy": ("bfloat16", rules.nearest_bf16, rules.bits_bf16),
    "float16 as chosen": ("float16", njit(lambda x: arithmetic.nearest_f16(x)), njit(lambda x: arithmetic.bits_f16(x))),
    "float16 without instructions": (
        "float16", njit(arithmetic.nearest_f16_by_addition), njit(arithmetic.bits_f16_by_integers)
    ),
    "bfloat16": ("bfloat16", COMPILED["nearest_bf16"], COMPILED["bits_bf16"]),
}  # fmt: skip


def rounded_by(nearest, bits, numbers):
    """The rounded numbers and their bits. Compiled functions take single numbers."""
    if not isinstance(nearest, Dispatcher):
        rounded = nearest(numbers)
        return rounded, bits(rounded)

    @njit
    def convert(numbers, rounded, halves):
        for i in range(numbers.size):
            rounded[i] = nearest(numbers[i])
            halves[i] = bits(rounded[i])

    rounded, halves = np.empty_like(numbers), np.empty(numbers.size, np.uint16)
    convert(numbers, rounded, halves)
    return rounded, halves


@pytest.mark.parametrize("form", with_costly([*FORMS][:2], [*FORMS][2:]))
def test_rounded_as_numpy_rounds(form):
    """kernels 7; distributions 3.2, 3.4 and 6.3: to nearest, ties to even; also subnormal numbers and infinities."""
    name, nearest, bits = FORMS[form]
    numbers = edge_numbers(dtype_of(name))
    with np.errstate(all="ignore"):
        rounded, halves = rounded_by(nearest, bits, numbers)
        expected = numbers.astype(dtype_of(name))
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
    assert rounds_to_float16(codegen) == by_instruction
    assert register_bits(codegen) == bits


@pytest.mark.costly
def test_the_loop_calls_no_library_function():
    """kernels 7"""
    from dmlrand.kernels.fill import convert_kernel

    codegen = cpu_target.target_context.codegen()
    again = njit(convert_kernel("uniform_f16").py_func)
    again(np.zeros(4, np.uint32), (F(0), F(1)), np.zeros(4, np.uint16))
    (code,) = again.inspect_asm().values()
    assert "truncsfhf2" not in code
    assert rounds_to_float16(codegen) == any(name in code for name in ("cvtps2ph", "vcvtss2sh", "fcvt"))
