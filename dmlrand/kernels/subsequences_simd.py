"""Blocks of consecutive subsequences as explicit vector code: word 2 of the counter grows from block to block.

philox_simd.py explains the vectors. There word 0 grows.
"""

from llvmlite import ir
from numba import njit, types, uint32, uint64
from numba.extending import intrinsic

from .. import philox
from . import subsequences
from .philox_simd import HALVES, first_products, groups_in_flight, later_rounds, same, words_in_flight
from .simd import I64, vectors_at


def block_vectors(builder, groups, c0, c1, c2, c3, k0, k1):
    """The blocks from counter (c0, c1, c2, c3) on, with c2 growing, as vectors in memory order."""
    c0, c1, c3, *key = (same(builder, word) for word in (c0, c1, c3, k0, k1))
    product0 = c0 * philox.M0
    counters = [
        ((product1 >> 32) ^ c1 ^ key[0], product1, (product0 >> 32) ^ c3 ^ key[1], product0)
        for product1 in first_products(builder, philox.M1, c2, groups)
    ]
    return later_rounds(builder, counters, key)


@intrinsic
def store_groups(typingctx, c0, c1, c2, c3, k0, k1, out, word):
    """Store all groups in flight at out[word] and on."""

    def codegen(context, builder, signature, args):
        target = vectors_at(HALVES, context, builder, signature.args[6], *args[6:])
        vectors = block_vectors(builder, groups_in_flight(context.codegen()), *args[:6])
        for i, vector in enumerate(vectors):
            builder.store(vector, builder.gep(target, [ir.Constant(I64, i)])).align = 4
        return context.get_dummy_value()

    return types.void(c0, c1, c2, c3, k0, k1, out, word), codegen


@njit(inline="always")
def fill_blocks(low, high, k0, k1, out):
    """As subsequences.fill_blocks, which also fills the last blocks: fewer than this code makes at a time."""
    c0, c1, c2, c3 = uint32(low), uint32(low >> 32), uint32(high), uint32(high >> 32)
    step = words_in_flight()
    word = 0
    while word + step <= out.size:
        store_groups(c0, c1, c2, c3, k0, k1, out, word)
        word += step
        c2 = uint32(c2 + uint32(step >> 2))
    subsequences.fill_blocks(low, uint64(high + uint64(word >> 2)), k0, k1, out[word:])
