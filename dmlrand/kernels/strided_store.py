"""Words stored to every second place of memory, and not a byte between them, by vector code."""

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from .simd import I32, I64, register_bits, shuffle, vectors_at

EVERY_SECOND = 8  # bytes from one element of such an output to the next


@intrinsic
def stores_masked(typingctx):
    """Whether to store vectors of which only some elements are written: without AVX-512 it is slow or missing."""

    def codegen(context, builder, signature, args):
        return context.get_constant(types.boolean, register_bits(context.codegen()) == 512)

    return types.boolean(), codegen


@intrinsic
def store_every_second(typingctx, words, out, place):
    """Eight words, from words[place] on, to the same places of `out`, whose elements lie eight bytes apart."""

    def codegen(context, builder, signature, args):
        words, out, place = args
        source = vectors_at(ir.VectorType(I32, 8), context, builder, signature.args[0], words, place)
        eight = builder.load(source)
        eight.align = 4
        pairs = shuffle(builder, eight, eight, [i // 2 for i in range(16)])
        data = builder.bitcast(context.make_array(signature.args[1])(context, builder, out).data, I64.as_pointer())
        target = builder.bitcast(builder.gep(data, [place]), pairs.type.as_pointer())
        first_of_each = ir.Constant(ir.VectorType(ir.IntType(1), 16), [1, 0] * 8)
        kind = ir.FunctionType(ir.VoidType(), [pairs.type, target.type, I32, first_of_each.type])
        store = cgutils.get_or_insert_function(builder.module, kind, "llvm.masked.store.v16i32.p0")
        builder.call(store, [pairs, target, ir.Constant(I32, 4), first_of_each])
        return context.get_dummy_value()

    return types.void(words, out, place), codegen


@njit(inline="always")
def store_strided(words, out):
    """As words.copy_words."""
    begin = 0
    if out.strides[0] == EVERY_SECOND and stores_masked():
        begin = words.size // 8 * 8
        for place in range(0, begin, 8):
            store_every_second(words, out, place)
    for i in range(begin, words.size):
        out[i] = words[i]
