"""Threefry2x32-20 as explicit vector code: groups of 16 blocks, with several groups in flight.

As in philox_simd.py, the rounds of dmlrand.threefry build LLVM vector instructions instead of numbers. A round is a
chain of an addition, a rotation and an exclusive or, and each needs the result of the one before. A single group would
leave most of the processor idle. LLVM splits a group into vectors of the size that the target has.
"""

from llvmlite import ir
from numba import njit, types, uint64

from ... import threefry
from ..simd import I32, I64, emits, register_bits, shuffle, splat, store_vectors
from . import threefry as loops

GROUP = 16  # blocks
# Groups in flight, by bits of a vector register. With fewer groups the processor waits for rotations. With more, the
# registers do not suffice.
GROUPS = {512: 6, 256: 3, 128: 2}
GROUP_WORDS = ir.VectorType(I32, GROUP)


class Words:
    """One word of each block of a group, with the operators that the rounds use."""

    def __init__(self, builder, vector):
        self.builder, self.vector = builder, vector

    def __add__(self, other):
        return self._with(self.builder.add, other)

    def __xor__(self, other):
        return self._with(self.builder.xor, other)

    def __or__(self, other):
        return self._with(self.builder.or_, other)

    def __lshift__(self, distance):
        return self._with(self.builder.shl, distance)

    def __rshift__(self, distance):
        return self._with(self.builder.lshr, distance)

    def __and__(self, mask):  # elements have 32 bits already
        assert mask == threefry.MASK32
        return self

    def _with(self, operation, other):
        right = other.vector if isinstance(other, Words) else ir.Constant(GROUP_WORDS, [other] * GROUP)
        return Words(self.builder, operation(self.vector, right))


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


def _bits(builder, pair):
    yield (pair[0] ^ pair[1]).vector


def _pairs(builder, pair):
    """Words 0 and 1 of each block side by side, in the order of memory."""
    for start in 0, GROUP // 2:
        picks = [start + i + side for i in range(GROUP // 2) for side in (0, GROUP)]
        yield shuffle(builder, pair[0].vector, pair[1].vector, picks)


def groups_in_flight(codegen):
    return GROUPS[register_bits(codegen)]


@emits(types.int64)
def blocks_in_flight(context, builder, given):
    """How many blocks one call of a store function makes."""
    return context.get_constant(types.int64, GROUP * groups_in_flight(context.codegen()))


def blocks_store(outputs):
    """A function that stores what `outputs` makes of the blocks of each group in flight."""

    @emits(types.void)
    def store_blocks(context, builder, given, k0, k1, first, out, place):
        """Store the blocks from element `first`, a multiple of GROUP, at out[place] and on."""
        blocks = block_pairs(builder, groups_in_flight(context.codegen()), k0, k1, first)
        vectors = [vector for pair in blocks for vector in outputs(builder, pair)]
        store_vectors(context, builder, vectors, given[3], out, place)

    return store_blocks


store_bits, store_pairs = blocks_store(_bits), blocks_store(_pairs)


@njit(inline="always")
def fill_bits(k0, k1, first, out):
    """As threefry.fill_bits. `first` is a multiple of GROUP."""
    step = blocks_in_flight()
    done = 0
    while done + step <= out.size:
        store_bits(k0, k1, uint64(first + done), out, done)
        done += step
    loops.fill_bits(k0, k1, first + done, out[done:])


@njit(inline="always")
def fill_pairs(k0, k1, first, out):
    """As threefry.fill_pairs. `first` is a multiple of GROUP."""
    step = blocks_in_flight()
    done = 0
    while 2 * (done + step) <= out.size:
        store_pairs(k0, k1, uint64(first + done), out, 2 * done)
        done += step
    loops.fill_pairs(k0, k1, first + done, out[2 * done :])
