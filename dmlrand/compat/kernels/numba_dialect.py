"""numba's side of dialect.py, on scalars."""

from llvmlite import ir
from numba import njit
from numba.extending import intrinsic


@njit(inline="always")
def remainder(number, divisor):
    return number % divisor if divisor else number


@intrinsic
def fma(typingctx, x, y, z):
    """x * y + z, rounded once. All three have one type. An exact instruction, or an exact function of the C library."""

    def codegen(context, builder, signature, args):
        return builder.fma(*args)

    return x(x, x, x), codegen


def polynomial(*coefficients):
    """As dialect.Polynomial, of float32 or float64."""

    @intrinsic
    def value_at(typingctx, x):
        def codegen(context, builder, signature, args):
            first, *others = (ir.Constant(args[0].type, coefficient) for coefficient in coefficients)
            value = first
            for coefficient in others:
                value = builder.fma(value, args[0], coefficient)
            return value

        return x(x), codegen

    return value_at
