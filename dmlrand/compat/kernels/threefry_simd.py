"""Threefry2x32-20 as explicit vector code: groups of 16 blocks, with several groups in flight.

A round is a chain of an addition, a rotation and an exclusive or, and each needs the result of the one before. A single
group would leave most of the processor idle. LLVM splits a group into vectors of the size that the target has.
"""

from llvmlite import ir
from numba import njit, types, uint64

from ...kernels.philox_simd import GROUPS_IN_FLIGHT
from ...kernels.simd import I32, I64, emits, shuffle, splat, store_vectors
from .. import threefry
from . import threefry as loops
from .threefry import Words

GROUP = 16  # blocks. As many groups are in flight as in philox_simd.py.
BLOCKS_IN_FLIGHT = GROUP * GROUPS_IN_FLIGHT
GROUP_WORDS = ir.VectorType(I32, GROUP)


def _same(builder, word):
    return Words(builder, splat(builder, word, GROUP))


def _counters(builder, first):
    """Both words of the counters of a group whose first element is `first`.

    All counters of a group have the same high word, because `first` is a multiple of the group's size.
    """
    high = builder.trunc(builder.lshr(first, ir.Constant(I64, 32)), I32)
    places = Words(builder, ir.Constant(GROUP_WORDS, list(range(GROUP))))
    return _same(builder, high), _same(builder, builder.trunc(first, I32)) + places


def block_pairs(builder, groups, k0, k1, first):
    """The blocks of elements first, first + 1, ...: for each group a vector of words 0 and a vector of words 1."""
    k0, k1 = _same(builder, k0), _same(builder, k1)
    firsts = [builder.add(first, ir.Constant(I64, GROUP * group)) for group in range(groups)]
    pairs = [threefry.add(_counters(builder, number), (k0, k1)) for number in firsts]
    for rotations, words in threefry.schedule((k0, k1)):
        for rotation in rotations:  # one round of every group at a time, so that the groups interleave
            pairs = [threefry.apply_round(pair, rotation) for pair in pairs]
        pairs = [threefry.add(pair, words) for pair in pairs]
    return pairs


def output_vectors(builder, pairs, words):
    """The vectors to store for each group's vectors of words 0 and words 1: bits of 1 word, or pairs of 2."""
    for x0, x1 in pairs:
        if words == 1:
            yield (x0 ^ x1).elements
        else:
            for start in 0, GROUP // 2:
                picks = [start + i + side for i in range(GROUP // 2) for side in (0, GROUP)]
                yield shuffle(builder, x0.elements, x1.elements, picks)


def filler(words, fill_rest):
    """As threefry.filler. `first` is a multiple of GROUP."""

    @emits(types.void)
    def store_elements(context, builder, given, k0, k1, first, out, place):
        """Store the elements of all groups in flight, from element `first` on, at out[place] and on."""
        pairs = block_pairs(builder, GROUPS_IN_FLIGHT, k0, k1, first)
        store_vectors(context, builder, output_vectors(builder, pairs, words), given[3], out, place)

    @njit(inline="always")
    def fill(k0, k1, first, out):
        done = 0
        while words * (done + BLOCKS_IN_FLIGHT) <= out.size:
            store_elements(k0, k1, uint64(first + done), out, words * done)
            done += BLOCKS_IN_FLIGHT
        fill_rest(k0, k1, first + done, out[words * done :])

    return fill


fill_bits, fill_pairs = filler(1, loops.fill_bits), filler(2, loops.fill_pairs)
