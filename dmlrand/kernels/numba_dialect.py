"""numba's side of the dialect, on scalars, and how the functions of a module are compiled with it."""

from math import sqrt
from types import FunctionType

from numba import njit, uint64

from .float16_arithmetic import bits_f16, nearest_f16
from .philox import LOW_HALF, WORD_BITS


@njit(inline="always")
def where(condition, yes, no):
    return yes if condition else no


@njit(inline="always")
def high_product(a, b):
    """The upper 64 bits of a product of two uint64."""
    a0, a1, b0, b1 = uint64(a & LOW_HALF), uint64(a >> WORD_BITS), uint64(b & LOW_HALF), uint64(b >> WORD_BITS)
    middle = uint64(a1 * b0 + uint64(a0 * b0 >> WORD_BITS))
    other = uint64(a0 * b1 + uint64(middle & LOW_HALF))
    return uint64(a1 * b1 + uint64(middle >> WORD_BITS) + uint64(other >> WORD_BITS))


@njit(inline="always")
def remainder_64(number, divisor, reciprocal):
    """A uint64 modulo `divisor`, by the method of rules.integers_32."""
    rest = uint64(number - uint64(high_product(number, reciprocal) * divisor))
    reduced = uint64(rest - divisor)
    return reduced if reduced < rest else rest


DIALECT = {
    "where": where,
    "sqrt": sqrt,
    "nearest_f16": nearest_f16,
    "bits_f16": bits_f16,
    "remainder_64": remainder_64,
}


def compile_functions(module, kept, others=None):
    """The names of a module with its functions compiled. Those not in `kept` are inlined where they are called.

    `others` are numba's side of further names of the module.
    """
    given = DIALECT | (others or {})
    names = vars(module) | given
    for name, value in vars(module).items():
        if isinstance(value, FunctionType) and name not in given:
            scope = names if value.__globals__ is vars(module) else value.__globals__
            options = {"forceinline": True} if name in kept else {"inline": "always"}
            copy = FunctionType(value.__code__, scope, name)
            # The default error model checks divisors, and prevents vectors.
            names[name] = njit(copy, error_model="numpy", **options)
    return names
