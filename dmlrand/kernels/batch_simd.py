"""Philox4x32-10 of many states as explicit vector code: one state in each element of a vector.

As in philox_simd.py, the rounds of dmlrand.philox are applied to vectors of eight 64-bit elements. There, the elements
of a vector belong to eight blocks of one state. Here, they belong to one block of each of eight states.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .. import philox
from .philox_simd import ELEMENTS, GROUP, Words, last_round
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
