"""LLVM's operations on real numbers that numba does not offer: fused multiply-add, division by zero, views as bits.

LLVM's fused multiply-add is exact on every machine. It is an instruction where the processor has one, and a call of the
C library's function elsewhere.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

# The LLVM types of float32 and float64, and the integer types of the same size.
_REALS = {types.float32: (ir.FloatType(), types.int32), types.float64: (ir.DoubleType(), types.int64)}


@intrinsic
def fma(typingctx, x, y, z):
    """x * y + z, rounded once. All three have one type."""

    def codegen(context, builder, signature, args):
        return builder.fma(*args)

    return x(x, x, x), codegen


@intrinsic
def divide(typingctx, x, y):
    """x / y. Division by zero raises nothing."""

    def codegen(context, builder, signature, args):
        return builder.fdiv(*args)

    return x(x, x), codegen


@intrinsic
def to_real(typingctx, word, like):
    """An unsigned word converted to a real of the type of `like`."""

    def codegen(context, builder, signature, args):
        return builder.uitofp(args[0], _REALS[signature.return_type][0])

    return like(word, like), codegen


@intrinsic
def bits_of(typingctx, x):
    """The bits of a real as a signed integer of the same size."""
    integer = _REALS[x][1]

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(integer.bitwidth))

    return integer(x), codegen


@intrinsic
def float32_of(typingctx, bits):
    """The float32 that has the bits of an int32."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.FloatType())

    return types.float32(types.int32), codegen


@intrinsic
def float64_of(typingctx, bits):
    """The float64 that has the bits of an int64."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), codegen


def horner(*rows):
    """A function of (row, x): the polynomial with coefficients rows[row], highest degree first.

    Each step is one fused multiply-add. Rows may differ in length. All rows are evaluated and one is selected, so that
    the compiler can make vector code.
    """
    length = max(len(row) for row in rows)

    def chosen(builder, row, values):
        result = values[-1]
        for i in range(len(values) - 2, -1, -1):
            result = builder.select(builder.icmp_signed("==", row, ir.Constant(row.type, i)), values[i], result)
        return result

    @intrinsic
    def polynomial(typingctx, row, x):
        def codegen(context, builder, signature, args):
            row, x = args
            kind = x.type
            values = [None] * len(rows)
            for step in range(length):
                for i, coefficients in enumerate(rows):
                    if step < len(coefficients):
                        coefficient = ir.Constant(kind, coefficients[step])
                        values[i] = coefficient if step == 0 else builder.fma(values[i], x, coefficient)
            return chosen(builder, row, values)

        return x(types.int64, x), codegen

    return polynomial
