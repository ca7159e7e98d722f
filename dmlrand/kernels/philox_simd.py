"""Philox4x32-10 as explicit vector code: groups of eight blocks, as many groups in flight as hide the latency.

A round is a chain of dependent multiplies, so one vector at a time leaves most of a processor idle; and numba's
own vectoriser makes one vector at a time. Here the rounds of dmlrand.philox build LLVM vector instructions instead
of numbers. Words travel one to a 64-bit element, where a multiply of low halves (pmuludq, umull) gives both halves
of a product. The high half of an element is never cleared and never read: clearing it would cost an instruction,
and a half known to be zero tempts LLVM into slower multiplies once loop-invariant code has left the loop.

LLVM splits a group into the vectors that the target has: one of 512 bits, two of 256 (AVX2), four of 128 (SSE2,
NEON). The last two need no more groups to be busy, and run out of registers with more.

Helpers are inlined by numba, not called: it would compile each one to machine code of its own before inlining it.
"""

from llvmlite import ir
from numba import int64, njit, types, uint32, uint64
from numba.core import cgutils
from numba.extending import intrinsic

from .. import philox
from .philox import add_blocks
from .simd import I32, I64, address, fence, register_bits, shuffle, splat, vectors_at
from .uniform_simd import uniform_vector

GROUP = 8  # blocks
GROUP_WORDS = 4 * GROUP
WIDE_GROUPS = 6  # in flight with 512-bit vectors; fewer wait for multiplies, more spill registers
LINE = 64  # bytes

ELEMENTS = ir.VectorType(I64, GROUP)
HALVES = ir.VectorType(I32, 2 * GROUP)  # the same bits: low and high half of each element in turn
LOW_HALVES = ir.Constant(HALVES, [philox.MASK32, 0] * GROUP)

# Which block of its group an element holds. Interleaving pairs of words within 128 bits, the cheap shuffle, then
# puts blocks 0-3 in one vector and 4-7 in the next.
BLOCK_OF = [0, 4, 1, 5, 2, 6, 3, 7]


class Words:
    """A group's word: eight elements under construction, with the operators that the rounds are written in."""

    def __init__(self, builder, elements):
        self.builder, self.elements = builder, elements

    def __mul__(self, multiplier):
        low = self.builder.and_(self.elements, _constant([philox.MASK32] * GROUP))
        return Words(self.builder, self.builder.mul(low, _constant([multiplier] * GROUP)))

    def __rshift__(self, half):  # only ever 32: the halves change places
        assert half == 32
        return self._from_halves(shuffle(self.builder, self.halves, self.halves, [i ^ 1 for i in range(2 * GROUP)]))

    def __xor__(self, other):
        return Words(self.builder, self.builder.xor(self.elements, other.elements))

    def __add__(self, number):
        return Words(self.builder, self.builder.add(self.elements, _constant([number] * GROUP)))

    def __and__(self, mask):  # only ever the low half, and the high half does not count
        assert mask == philox.MASK32
        return self

    def low_halves(self):
        """These words with cleared high halves."""
        return self._from_halves(self.builder.and_(self.halves, LOW_HALVES))

    @property
    def halves(self):
        return self.builder.bitcast(self.elements, HALVES)

    def _from_halves(self, halves):
        return Words(self.builder, self.builder.bitcast(halves, ELEMENTS))


def _constant(values):
    return ir.Constant(ir.VectorType(I64, len(values)), values)


def _same(builder, word):
    """One word in all elements. Both halves hold it: see the module's text on halves known to be zero."""
    return Words(builder, builder.bitcast(splat(builder, word, 2 * GROUP), ELEMENTS))


def _first_products(builder, c0, groups):
    """Round 1's M0 * (c0 + block) for each group: one scalar multiply, then additions, since c0 does not wrap."""
    product = builder.mul(builder.zext(c0, I64), ir.Constant(I64, philox.M0))
    base = splat(builder, product, GROUP)
    for group in range(groups):
        yield Words(builder, builder.add(base, _constant([philox.M0 * (GROUP * group + block) for block in BLOCK_OF])))


def _first_round(product0, counter, key):
    """As philox.apply_round, from word 0's product. What depends on words 1-3 alone, LLVM takes out of the loop."""
    c1, c2, c3 = counter
    product1 = c2 * philox.M1
    return (product1 >> 32) ^ c1 ^ key[0], product1, (product0 >> 32) ^ c3 ^ key[1], product0


def _last_round(counter, key):
    """As philox.apply_round, with words 0 and 1, and 2 and 3, left together in one element, the first one low."""
    c0, c1, c2, c3 = counter
    product0, product1 = c0 * philox.M0, c2 * philox.M1
    return (product1 >> 32) ^ (c1 ^ key[0]).low_halves(), (product0 >> 32) ^ (c3 ^ key[1]).low_halves()


def block_vectors(builder, groups, c0, c1, c2, c3, k0, k1):
    """The blocks from counter (c0, c1, c2, c3) on, as vectors in the order of memory: two a group."""
    c1, c2, c3, *key = (_same(builder, word) for word in (c1, c2, c3, k0, k1))
    counters = [_first_round(product, (c1, c2, c3), key) for product in _first_products(builder, c0, groups)]
    for _ in range(philox.ROUNDS - 2):
        key = philox.bump_key(key)
        counters = [philox.apply_round(counter, key) for counter in counters]  # by turns: groups interleave
    key = philox.bump_key(key)
    for counter in counters:
        words01, words23 = (pair.elements for pair in _last_round(counter, key))
        for element in 0, 1:
            picks = [pair + element + side for pair in range(0, GROUP, 2) for side in (0, GROUP)]
            yield builder.bitcast(shuffle(builder, words01, words23, picks), HALVES)


def output_vectors(builder, groups, block_arguments, bounds):
    """The vectors to be stored: words where `bounds` is an empty tuple, else uniform numbers of (low, width)."""
    bounds = cgutils.unpack_tuple(builder, bounds)
    for words in block_vectors(builder, groups, *block_arguments):
        yield builder.bitcast(uniform_vector(builder, words, *bounds), HALVES) if bounds else words


def groups_in_flight(codegen):
    return WIDE_GROUPS if register_bits(codegen) == 512 else 1


@intrinsic
def words_in_flight(typingctx):
    """Words that store_groups writes."""

    def codegen(context, builder, signature, args):
        return context.get_constant(types.int64, GROUP_WORDS * groups_in_flight(context.codegen()))

    return types.int64(), codegen


def _store_groups(streaming):
    @intrinsic
    def store_groups(typingctx, c0, c1, c2, c3, k0, k1, bounds, out, word):
        """All groups in flight, to out[word] and on; streaming needs a whole line's alignment there."""

        def codegen(context, builder, signature, args):
            target = vectors_at(HALVES, context, builder, signature.args[7], *args[7:])
            groups = groups_in_flight(context.codegen())
            for i, vector in enumerate(output_vectors(builder, groups, args[:6], args[6])):
                store = builder.store(vector, builder.gep(target, [ir.Constant(I64, i)]))
                store.align = LINE if streaming else 4
                if streaming:
                    store.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(I32, 1)]))
            return context.get_dummy_value()

        return types.void(c0, c1, c2, c3, k0, k1, bounds, out, word), codegen

    return store_groups


store_groups, stream_groups = _store_groups(False), _store_groups(True)


@intrinsic
def store_edge(typingctx, c0, c1, c2, c3, k0, k1, bounds, out, word, first, last):
    """Words first..last-1 of one group, to out[word + first] and on."""

    def codegen(context, builder, signature, args):
        array, word, first, last = args[7:]
        buffer = cgutils.alloca_once(builder, ir.ArrayType(HALVES, 2))
        for i, vector in enumerate(output_vectors(builder, 1, args[:6], args[6])):
            builder.store(vector, builder.gep(buffer, [ir.Constant(I32, 0), ir.Constant(I32, i)]))
        words = builder.bitcast(buffer, I32.as_pointer())
        target = vectors_at(HALVES, context, builder, signature.args[7], array, builder.add(word, first))
        source = builder.gep(words, [first])
        size = builder.mul(builder.sub(last, first), ir.Constant(I64, 4))
        cgutils.raw_memcpy(builder, target, source, size, 1)
        return context.get_dummy_value()

    return types.void(c0, c1, c2, c3, k0, k1, bounds, out, word, first, last), codegen


@njit(inline="always")
def fill_run(c0, c1, c2, c3, k0, k1, bounds, word, stop, out, non_temporal):
    """out[:stop] from `word` on, -3 at least, where lane 0 of counter (c0, c1, c2, c3) belongs; c0 must not wrap."""
    step = words_in_flight()
    here = address(out) + 4 * word
    streaming = non_temporal and here % 16 == 0 and stop - word >= step  # so that lead ends before stop
    lead = (-here % LINE) >> 2 if streaming else 0  # words in front of the first whole line
    while word < stop:
        if lead == 0 and word >= 0 and word + step <= stop:
            if streaming:
                stream_groups(c0, c1, c2, c3, k0, k1, bounds, out, word)
            else:
                store_groups(c0, c1, c2, c3, k0, k1, bounds, out, word)
            done = step
        else:
            done = lead if lead > 0 else min(int64(GROUP_WORDS), stop - word)
            store_edge(c0, c1, c2, c3, k0, k1, bounds, out, word, max(-word, 0), done)
            lead = 0
        word += done
        c0 = uint32(c0 + uint32(done >> 2))
    if streaming:
        fence()


@njit(inline="always")
def fill_row(low, high, k0, k1, offset, out, non_temporal=False, bounds=()):
    """Words offset, offset + 1, ... of the stream that starts at counter (low, high).

    With `non_temporal` the stores bypass the caches, where `out` is aligned to 16 bytes. With `bounds`, two float32 or
    two float64, `out` takes the uniform numbers that the words make instead: the least one, and the width of their range.
    For float64 `offset` is even.
    """
    low, high = add_blocks(low, high, uint64(offset >> 2))
    word = -int64(offset & 3)
    while word < out.size:
        c0 = uint32(low)
        # Runs end where c0 wraps, every 64 GiB, so that carries stay out of the vectors.
        blocks = min((out.size - word + 3) >> 2, (1 << 32) - int64(c0))
        stop = min(out.size, word + 4 * blocks)
        c1, c2, c3 = uint32(low >> 32), uint32(high), uint32(high >> 32)
        fill_run(c0, c1, c2, c3, k0, k1, bounds, word, stop, out, non_temporal)
        low, high = add_blocks(low, high, uint64(blocks))
        word += 4 * blocks
