"""What numba lacks for real numbers: sums of products rounded once, divisions that never raise, views as bits.

LLVM's fma is exact on every machine: an instruction where there is one, a call of the C library's where there is not.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

# float32 and float64 as LLVM has them, and as integers of the same bits.
_REALS = {types.float32: (ir.FloatType(), types.int32), types.float64: (ir.DoubleType(), types.int64)}


@intrinsic
def fma(typingctx, x, y, z):
    """x * y + z, rounded once; all of one type."""

    def codegen(context, builder, signature, args):
        return builder.fma(*args)

    return x(x, x, x), codegen


@intrinsic
def divide(typingctx, x, y):
    """x / y, by zero too."""

    def codegen(context, builder, signature, args):
        return builder.fdiv(*args)

    return x(x, x), codegen


@intrinsic
def to_real(typingctx, word, like):
    """An unsigned word as a real of the type of `like`."""

    def codegen(context, builder, signature, args):
        return builder.uitofp(args[0], _REALS[signature.return_type][0])

    return like(word, like), codegen


@intrinsic
def bits_of(typingctx, x):
    """The bits of a real, as a signed integer of its size."""
    integer = _REALS[x][1]

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(integer.bitwidth))

    return integer(x), codegen


@intrinsic
def float32_of(typingctx, bits):
    """The float32 of an int32's bits."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.FloatType())

    return types.float32(types.int32), codegen


def horner(*rows):
    """A function of (row, x): the polynomial of coefficients rows[row], highest degree first, each step an fma.

    Rows may differ in length: the steps of the longer ones leave the others as they are.
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
