"""Philox4x32-10 of many states as explicit vector code: one state in each element of a vector.

Rows that are long enough are drawn one after the other, by the fill of philox_simd.py.

As in philox_simd.py, the rounds of dmlrand.philox are applied to vectors of eight 64-bit elements. There, the elements
of a vector belong to eight blocks of one state. Here, they belong to one block of each of eight states.
"""

from llvmlite import ir
from numba import int64, njit, types, uint32, uint64
from numba.extending import intrinsic

from .. import philox
from .philox_simd import ELEMENTS, GROUP, GROUP_WORDS, Words, fill_row, groups_store, last_round, words_in_flight
from .simd import I32, I64, register_bits, shuffle, splat, vectors_at

GROUPS = 4  # of states: batch.STATES. 512-bit vectors keep all in flight, smaller ones only one (see philox_simd.py)
BLOCK = ir.VectorType(I32, 4)


@intrinsic
def store_blocks(typingctx, low, high, key, number, out):
    """As batch.store_blocks."""

    def codegen(context, builder, signature, args):
        def vectors_of(position):
            return vectors_at(ELEMENTS, context, builder, signature.args[position], args[position], ir.Constant(I64, 0))

        *columns, target = map(vectors_of, (0, 1, 2, 4))
        number = splat(builder, args[3], GROUP)
        in_flight = GROUPS if register_bits(context.codegen()) == 512 else 1
        for first in range(0, GROUPS, in_flight):
            groups = range(first, first + in_flight)
            inputs = [_counter_and_key(builder, columns, group, number) for group in groups]
            for _ in range(philox.ROUNDS - 1):
                inputs = [(philox.apply_round(*each), philox.bump_key(each[1])) for each in inputs]
            for group, each in zip(groups, inputs):
                words01, words23 = (pair.elements for pair in last_round(*each))
                for half in 0, 1:
                    picks = [state + pair for state in range(4 * half, 4 * half + 4) for pair in (0, GROUP)]
                    vector = shuffle(builder, words01, words23, picks)
                    builder.store(vector, builder.gep(target, [ir.Constant(I64, 2 * group + half)]), align=4)
        return context.get_dummy_value()

    return types.void(low, high, key, number, out), codegen


def _counter_and_key(builder, columns, group, number):
    """The words of the counters, `number` blocks further, and of the keys of a group of states."""
    low, high, key = (builder.load(builder.gep(each, [ir.Constant(I64, group)]), align=8) for each in columns)
    low = builder.add(low, number)
    high = builder.add(high, builder.zext(builder.icmp_unsigned("<", low, number), ELEMENTS))  # the carry
    low, high, key = (Words(builder, each) for each in (low, high, key))
    return (low, low >> 32, high, high >> 32), (key, key >> 32)


@intrinsic
def copy_block(typingctx, source, start, out, place):
    """As batch.copy_block: one load and one store of a vector."""

    def codegen(context, builder, signature, args):
        source = vectors_at(BLOCK, context, builder, signature.args[0], *args[:2])
        target = vectors_at(BLOCK, context, builder, signature.args[2], *args[2:])
        builder.store(builder.load(source, align=4), target, align=4)
        return context.get_dummy_value()

    return types.void(source, start, out, place), codegen


store_four_groups = groups_store(4)


@njit(inline="always")
def fill_long_row(low, high, k0, k1, out, non_temporal):
    """As batch.fill_long_row.

    With 512-bit vectors the fill of philox_simd.py stores six groups at a time, and then the groups that are left over
    one by one, in which the processor mostly waits. So if two groups or more would be left over, steps of four groups
    come first: 8 groups are 4 + 4 and not 6 + 1 + 1. Smaller vectors hold one group in flight: nothing is left over.
    """
    left_over = out.size // GROUP_WORDS % (words_in_flight() // GROUP_WORDS)
    fours = -(left_over // 2) % 3  # 0 or 1 left over: none; 2 or 3: two instead of a six; 4 or 5: one
    word = 4 * GROUP_WORDS * fours
    if int64(uint32(low)) + (word >> 2) < 1 << 32:  # else c0 wraps, and the vector code has no carries
        for start in range(0, word, 4 * GROUP_WORDS):
            c0, c1, c2, c3 = uint32(low), uint32(low >> 32), uint32(high), uint32(high >> 32)
            store_four_groups(c0, c1, c2, c3, k0, k1, (), out, start)
            low += uint64(4 * GROUP)
    else:
        word = 0
    fill_row(low, high, k0, k1, 0, out[word:], non_temporal)
