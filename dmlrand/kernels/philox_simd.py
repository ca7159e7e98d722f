"""Philox4x32-10 as explicit vector code: groups of eight blocks, with enough groups in flight to hide the latency.

A round is a chain of dependent multiplications. A processor that computes one vector at a time is therefore mostly
idle, and numba's own vectoriser computes one vector at a time. Here the rounds of dmlrand.philox are applied to
objects that build LLVM vector instructions. Each word has a 64-bit element, where a multiplication of the low halves
(pmuludq, umull) gives both halves of the product. The high half of an element is never cleared and never read.
Clearing it would cost an instruction. And where LLVM knows that a half is zero, it chooses slower multiplications.

LLVM splits a group into the vectors of the target: one of 512 bits (AVX-512), two of 256 (AVX2) or four of 128 (SSE2,
NEON). With vectors of 256 and 128 bits, one group keeps the processor busy, and more would not fit in its registers.

numba inlines the helpers (inline="always"): otherwise it would compile each one to machine code of its own as well,
which takes time.
"""

import sys
from functools import partial

from llvmlite import ir
from numba import int64, njit, types, uint32, uint64
from numba.core import cgutils

from .. import philox
from . import philox as loops
from .philox import add_blocks
from .simd import (
    CODEGEN,
    I32,
    I64,
    LINE_BYTES,
    constant,
    emits,
    fence,
    register_bits,
    shuffle,
    splat,
    store_vectors,
    vectors_at,
)
from .uniform_simd import uniform_vector

if sys.byteorder != "little":
    raise ImportError("the vector code stores words as little-endian machines do")

GROUP = 8  # blocks
GROUP_WORDS = 4 * GROUP
# In flight, by the bits of the vectors: fewer wait for multiplications, more do not fit in the registers. Measured with
# AVX-512, AVX2 and SSE2: these numbers were the fastest, by a tenth of one group with AVX2.
GROUPS = {512: 6, 256: 3, 128: 2}
REGISTER_BITS = register_bits(CODEGEN)  # here and not in simd.py, which plain loops need too
GROUPS_IN_FLIGHT = GROUPS[REGISTER_BITS]
WORDS_IN_FLIGHT = GROUP_WORDS * GROUPS_IN_FLIGHT

ELEMENTS = ir.VectorType(I64, GROUP)
HALVES = ir.VectorType(I32, 2 * GROUP)  # the same bits: the low and the high half of each element in turn

# The number, within its group, of the block that each element belongs to. The final shuffle interleaves pairs of words
# within 128 bits, which is cheap. In this order it puts blocks 0-3 in one vector and blocks 4-7 in the next.
BLOCK_OF = [0, 4, 1, 5, 2, 6, 3, 7]


class Words:
    """One word of each block of a group, as a vector of eight elements, with the operators that dmlrand.philox uses."""

    def __init__(self, builder, elements):
        self.builder, self.elements = builder, elements

    def __mul__(self, multiplier):
        return Words(self.builder, self.builder.mul(self.low_halves().elements, constant(ELEMENTS, multiplier)))

    def __rshift__(self, half):  # always 32: the halves change places
        assert half == 32
        halves = self.builder.bitcast(self.elements, HALVES)
        swapped = shuffle(self.builder, halves, halves, [i ^ 1 for i in range(2 * GROUP)])
        return Words(self.builder, self.builder.bitcast(swapped, ELEMENTS))

    def __xor__(self, other):
        return Words(self.builder, self.builder.xor(self.elements, other.elements))

    def __add__(self, number):
        return Words(self.builder, self.builder.add(self.elements, constant(ELEMENTS, number)))

    def __and__(self, mask):  # always the low half; the high half is ignored anyway
        assert mask == philox.MASK32
        return self

    def low_halves(self):
        """These words with cleared high halves."""
        return Words(self.builder, self.builder.and_(self.elements, constant(ELEMENTS, philox.MASK32)))


def same(builder, word):
    """One word in all elements. Both halves hold it, so that LLVM does not know a half as zero (see the module)."""
    return Words(builder, builder.bitcast(splat(builder, word, 2 * GROUP), ELEMENTS))


def first_rounds(builder, groups, counter, key, growing):
    """The counters of each group after round 1. The products of the word `growing` differ by constants.

    LLVM moves what is the same for all blocks out of the loop.
    """
    multiplier = philox.M0 if growing == 0 else philox.M1
    product = splat(builder, builder.mul(builder.zext(counter[growing], I64), ir.Constant(I64, multiplier)), GROUP)
    c0, c1, c2, c3 = (same(builder, word) for word in counter)
    product0, product1 = c0 * philox.M0, c2 * philox.M1
    for group in range(groups):
        steps = ir.Constant(ELEMENTS, [multiplier * (GROUP * group + block) for block in BLOCK_OF])
        grown = Words(builder, builder.add(product, steps))
        product0, product1 = (grown, product1) if growing == 0 else (product0, grown)
        yield (product1 >> 32) ^ c1 ^ key[0], product1, (product0 >> 32) ^ c3 ^ key[1], product0


def last_round(counter, key):
    """As philox.apply_round, but with words 0 and 1 in one element, word 0 low, and words 2 and 3 in another."""
    c0, c1, c2, c3 = counter
    product0, product1 = c0 * philox.M0, c2 * philox.M1
    return (product1 >> 32) ^ (c1 ^ key[0]).low_halves(), (product0 >> 32) ^ (c3 ^ key[1]).low_halves()


def block_vectors(builder, groups, c0, c1, c2, c3, k0, k1, growing=0):
    """The blocks from counter (c0, c1, c2, c3) on, as vectors in memory order: two for each group.

    Word 0 or word 2 of the counter, which `growing` says, grows from block to block and does not wrap.
    """
    key = same(builder, k0), same(builder, k1)
    counters = list(first_rounds(builder, groups, (c0, c1, c2, c3), key, growing))
    for _ in range(philox.ROUNDS - 2):  # one round of every group at a time, so that the groups interleave
        key = philox.bump_key(key)
        counters = [philox.apply_round(counter, key) for counter in counters]
    key = philox.bump_key(key)
    for counter in counters:
        words01, words23 = (pair.elements for pair in last_round(counter, key))
        for element in 0, 1:
            picks = [pair + element + side for pair in range(0, GROUP, 2) for side in (0, GROUP)]
            yield builder.bitcast(shuffle(builder, words01, words23, picks), HALVES)


def output_vectors(builder, groups, block_arguments, bounds):
    """The vectors to store: words if `bounds` is an empty tuple, else the uniform numbers of bounds (low, width)."""
    bounds = cgutils.unpack_tuple(builder, bounds)
    for words in block_vectors(builder, groups, *block_arguments):
        yield builder.bitcast(uniform_vector(builder, words, *bounds), HALVES) if bounds else words


def store_of(growing, groups=GROUPS_IN_FLIGHT):
    """The function that stores so many groups at out[word] and on. See block_vectors for `growing`.

    For non-temporal stores out[word] begins a cache line.
    """

    @emits(types.void)
    def store(context, builder, given, c0, c1, c2, c3, k0, k1, bounds, out, word, non_temporal):
        vectors = partial(output_vectors, builder, groups, (c0, c1, c2, c3, k0, k1, growing), bounds)
        # Code before the branch is compiled once. But smaller registers cannot hold all vectors until then.
        made = list(vectors()) if REGISTER_BITS == 512 else None
        with builder.if_else(non_temporal) as branches:
            for branch, bypass_caches in zip(branches, (True, False)):
                with branch:
                    store_vectors(context, builder, made or vectors(), given[7], out, word, bypass_caches)

    return store


store_groups, store_subsequences = store_of(growing=0), store_of(growing=2)


@emits(types.void)
def store_edge(context, builder, given, c0, c1, c2, c3, k0, k1, bounds, out, word, first, last):
    """Store words first to last - 1 of one group at out[word + first] and on."""
    buffer = cgutils.alloca_once(builder, ir.ArrayType(HALVES, 2))
    for i, vector in enumerate(output_vectors(builder, 1, (c0, c1, c2, c3, k0, k1), bounds)):
        builder.store(vector, builder.gep(buffer, [ir.Constant(I32, 0), ir.Constant(I32, i)]))
    source = builder.gep(builder.bitcast(buffer, I32.as_pointer()), [first])
    target = vectors_at(HALVES, context, builder, given[7], out, builder.add(word, first))
    size = builder.mul(builder.sub(last, first), ir.Constant(I64, 4))
    cgutils.raw_memcpy(builder, target, source, size, 1)


@njit(inline="always")
def fill_run(c0, c1, c2, c3, k0, k1, bounds, word, stop, out, non_temporal):
    """Fill out[word:stop]. Lane 0 of counter (c0, c1, c2, c3) belongs at out[word]. c0 must not wrap before `stop`.

    `word` may be -3 to -1: then the words before out[0] are not stored.
    """
    here = int64(out.ctypes.data) + 4 * word
    # The last condition: lead ends before stop.
    non_temporal = non_temporal and here % 16 == 0 and stop - word >= WORDS_IN_FLIGHT
    lead = (-here % LINE_BYTES) >> 2 if non_temporal else 0  # words before the first complete cache line
    while word < stop:
        if lead == 0 and word >= 0 and word + WORDS_IN_FLIGHT <= stop:
            store_groups(c0, c1, c2, c3, k0, k1, bounds, out, word, non_temporal)
            done = WORDS_IN_FLIGHT
        else:
            done = lead if lead > 0 else min(int64(GROUP_WORDS), stop - word)
            store_edge(c0, c1, c2, c3, k0, k1, bounds, out, word, max(-word, 0), done)
            lead = 0
        word += done
        c0 = uint32(c0 + uint32(done >> 2))
    if non_temporal:
        fence()


@njit(inline="always")
def fill_words(low, high, k0, k1, offset, out, non_temporal=False, bounds=()):
    """Words offset, offset + 1, ... of the stream that starts at counter (low, high).

    With `non_temporal`, and if `out` is aligned to 16 bytes, the stores bypass the caches. With `bounds` (low, width),
    two float32 or two float64, the memory of `out` takes the uniform numbers of [low, low + width) that the words make.
    For float64 `offset` and `out.size` are even.
    """
    low, high = add_blocks(low, high, uint64(offset >> 2))
    word = -int64(offset & 3)
    while word < out.size:
        c0 = uint32(low)
        # A run ends where c0 wraps, every 64 GiB, so that the vector code needs no carries.
        blocks = min((out.size - word + 3) >> 2, (1 << 32) - int64(c0))
        stop = min(out.size, word + 4 * blocks)
        c1, c2, c3 = uint32(low >> 32), uint32(high), uint32(high >> 32)
        fill_run(c0, c1, c2, c3, k0, k1, bounds, word, stop, out, non_temporal)
        low, high = add_blocks(low, high, uint64(blocks))
        word += 4 * blocks


@njit(inline="always")
def fill_subsequences(low, high, k0, k1, out):
    """As philox.fill_subsequences, which also fills the last blocks: fewer than this code makes at a time."""
    c0, c1, c3 = uint32(low), uint32(low >> 32), uint32(high >> 32)
    word = 0
    while word + WORDS_IN_FLIGHT <= out.size:
        store_subsequences(c0, c1, uint32(high), c3, k0, k1, (), out, word, False)
        word += WORDS_IN_FLIGHT
        high = uint64(high + uint64(WORDS_IN_FLIGHT >> 2))
    loops.fill_subsequences(low, high, k0, k1, out[word:])
