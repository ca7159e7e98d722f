"""Philox4x32-10 of many states as explicit vector code: one state in each element of a vector.

Rows that are long enough are drawn one after the other, by the vector code of philox_simd.py.

As in philox_simd.py, rounds are applied to vectors of eight 64-bit elements. There, the elements of a vector belong to
eight blocks of one state. Here, they belong to one block of each of eight states. So a round also bumps eight keys.
"""

from llvmlite import ir
from numba import int64, njit, types, uint32, uint64

from .. import philox
from .philox_simd import (
    ELEMENTS,
    GROUP,
    GROUP_WORDS,
    GROUPS_IN_FLIGHT,
    REGISTER_BITS,
    WORDS_IN_FLIGHT as WORDS_IN_FLIGHT,
    Words,
    last_round,
    store_of,
)
from .simd import I32, I64, emits, shuffle, splat, vectors_at
from .words import fill_words

GROUPS = 4  # of states: batch.STATES. 512-bit vectors keep all in flight, smaller ones only one (see philox_simd.py)
COLUMNS = 3  # the elements of a state: the low and the high half of its counter, and its key
ROWS = ir.VectorType(I64, COLUMNS * GROUP)  # the states of a group, one after the other
FIRST = ir.Constant(I64, 0)


@emits(types.void)
def load_columns(context, builder, given, states, columns):
    """Write 32 states to `columns`, uint64 of shape (3, 32): the halves of the counters, low first, and the keys."""
    states = vectors_at(I64, context, builder, given[0], states, FIRST)
    columns = vectors_at(ELEMENTS, context, builder, given[1], columns, FIRST)
    for group in range(GROUPS):
        here = builder.gep(states, [ir.Constant(I64, COLUMNS * GROUP * group)])
        rows = builder.load(builder.bitcast(here, ROWS.as_pointer()), align=4)
        for column in range(COLUMNS):
            vector = shuffle(builder, rows, rows, [*range(column, COLUMNS * GROUP, COLUMNS)])
            builder.store(vector, builder.gep(columns, [ir.Constant(I64, GROUPS * column + group)]), align=8)


@emits(types.void)
def store_blocks(context, builder, given, columns, number, out, place, stride):
    """Store block `number`, a uint64, of each of the 32 states of `columns`: of state i at out[place + i * stride]."""
    columns = vectors_at(ELEMENTS, context, builder, given[0], columns, FIRST)
    number = splat(builder, number, GROUP)
    out = vectors_at(I32, context, builder, given[2], out, place)
    in_flight = GROUPS if REGISTER_BITS == 512 else 1
    for first in range(0, GROUPS, in_flight):
        groups = range(first, first + in_flight)
        inputs = [_counter_and_key(builder, columns, group, number) for group in groups]
        for _ in range(philox.ROUNDS - 1):
            inputs = [(philox.apply_round(counter, key), philox.bump_key(key)) for counter, key in inputs]
        for group, (counter, key) in zip(groups, inputs):
            words01, words23 = (pair.elements for pair in last_round(counter, key))
            for i in range(GROUP):
                block = shuffle(builder, words01, words23, [i, GROUP + i])
                here = builder.gep(out, [builder.mul(stride, ir.Constant(I64, GROUP * group + i))])
                builder.store(block, builder.bitcast(here, block.type.as_pointer()), align=4)


def _counter_and_key(builder, columns, group, number):
    """The words of the counters, `number` blocks further, and the keys of a group of states."""
    places = (builder.gep(columns, [ir.Constant(I64, GROUPS * column + group)]) for column in range(COLUMNS))
    low, high, key = (builder.load(place, align=8) for place in places)
    low = builder.add(low, number)
    high = builder.add(high, builder.zext(builder.icmp_unsigned("<", low, number), ELEMENTS))  # the carry
    low, high, key = (Words(builder, each) for each in (low, high, key))
    return (low, low >> 32, high, high >> 32), (key, key >> 32)


store_four_groups = store_of(growing=0, groups=4)


@njit(inline="always")
def fill_long_row(low, high, k0, k1, out, non_temporal):
    """Fill `out`, which has WORDS_IN_FLIGHT words or more, from the block at counter (low, high) on.

    With 512-bit vectors the fill of philox_simd.py stores six groups at a time, and then the groups that are left over
    one by one, in which the processor mostly waits. So if two groups or more would be left over, steps of four groups
    come first: 8 groups are 4 + 4 and not 6 + 1 + 1. Rows of 256 words gain a fifth.
    """
    left_over = out.size // GROUP_WORDS % GROUPS_IN_FLIGHT
    # With six groups in flight, and 0 or 1 left over: none; 2 or 3: two instead of a six; 4 or 5: one.
    word = 4 * GROUP_WORDS * (-(left_over // 2) % 3) if GROUPS_IN_FLIGHT == 6 else 0
    if int64(uint32(low)) + (word >> 2) < 1 << 32:  # else c0 wraps, and the vector code has no carries
        for start in range(0, word, 4 * GROUP_WORDS):
            c0, c1, c2, c3 = uint32(low), uint32(low >> 32), uint32(high), uint32(high >> 32)
            store_four_groups(c0, c1, c2, c3, k0, k1, (), out, start, False)
            low += uint64(4 * GROUP)
    else:
        word = 0
    fill_words(low, high, k0, k1, 0, out[word:].ctypes, out.size - word, non_temporal)
