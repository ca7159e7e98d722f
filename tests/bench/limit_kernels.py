"""The kernels of limits.py: the work of a fill without its stores to memory.

Rounds: the vector code of philox_simd.py and threefry_simd.py computes the same vectors as a fill, with as many groups
in flight, and leaves each one in a register where a fill stores it. Uniform numbers and integers are made of these
registers. Normals: the arithmetic of normal_series.py on words that stay in a core's L1 cache. Each number is combined
with one register by exclusive or.

The bound of the ports: as many vector instructions as the rounds have, none of which waits for another.
"""

import re

import numpy as np
from llvmlite import ir
from numba import njit, types, uint32, uint64
from numba.core import cgutils

from dmlrand.compat.kernels import threefry_simd
from dmlrand.compat.kernels.threefry_simd import BLOCKS_IN_FLIGHT, GROUP_WORDS
from dmlrand.kernels.compiling import named_after
from dmlrand.kernels.fill import FUNCTIONS, TAKE
from dmlrand.kernels.philox import WORD_BITS, load
from dmlrand.kernels.philox_simd import (
    ELEMENTS,
    GROUPS_IN_FLIGHT,
    HALVES,
    REGISTER_BITS,
    WORDS_IN_FLIGHT,
    block_vectors,
)
from dmlrand.kernels.rules import RULES
from dmlrand.kernels.simd import CODEGEN, I64, emits, shuffle, splat
from dmlrand.kernels.uniform_simd import uniform_vector

CHAINS, CHAIN_LENGTH = 10, 40  # so many chains fit in 16 registers, and hide the latency of an instruction
VECTOR_REGISTER = {"x86_64": "v", "aarch64": "w", "arm64": "w"}  # LLVM's letter for one, as an operand of assembly


def leave_in_registers(context, builder, vectors):
    """Use each vector in an assembly instruction without text, so that the compiler must compute it.

    A sum of all vectors would not do: the compiler then computes one vector after the other, to need fewer registers.
    """
    letter = VECTOR_REGISTER[CODEGEN.magic_tuple()[0].partition("-")[0]]
    for vector in vectors:
        count = REGISTER_BITS // (64 if vector.type.element in (I64, ir.DoubleType()) else 32)
        for start in range(0, vector.type.count, count):
            part = shuffle(builder, vector, vector, list(range(start, start + count)))
            builder.asm(ir.FunctionType(ir.VoidType(), [part.type]), "", letter, [part], side_effect=True)


def integer_vector(builder, words, low, divisor, reciprocal):
    """The integers that rules.integers_32 makes of a vector of words."""
    halves = builder.bitcast(words, ELEMENTS)
    half, high = splat(builder, ir.Constant(I64, 32), 8), ir.Constant(HALVES, [0, 0xFFFFFFFF] * 8)
    factor = splat(builder, builder.zext(reciprocal, I64), 8)
    low_product = builder.mul(builder.and_(halves, ir.Constant(ELEMENTS, [0xFFFFFFFF] * 8)), factor)
    high_product = builder.mul(builder.lshr(halves, half), factor)
    low_quotient = builder.bitcast(builder.lshr(low_product, half), HALVES)
    quotient = builder.or_(low_quotient, builder.and_(builder.bitcast(high_product, HALVES), high))
    low, divisor = splat(builder, low, 16), splat(builder, divisor, 16)
    rest = builder.sub(words, builder.mul(quotient, divisor))
    reduced = builder.sub(rest, divisor)
    return builder.add(builder.select(builder.icmp_unsigned("<", reduced, rest), reduced, rest), low)


CONVERSIONS = {0: lambda builder, words: words, 2: uniform_vector, 3: integer_vector}  # by the number of arguments


@emits(types.void)
def make_philox_groups(context, builder, given, c0, c1, c2, c3, k0, k1, arguments):
    """All groups in flight from counter (c0, c1, c2, c3) on: words, or the numbers of a conversion's arguments."""
    arguments = cgutils.unpack_tuple(builder, arguments)
    vectors = block_vectors(builder, GROUPS_IN_FLIGHT, c0, c1, c2, c3, k0, k1)
    convert = CONVERSIONS[len(arguments)]
    leave_in_registers(context, builder, [convert(builder, words, *arguments) for words in vectors])


@emits(types.void)
def make_threefry_groups(context, builder, given, k0, k1, first):
    """The bits of all groups in flight from element `first` on."""
    pairs = threefry_simd.block_pairs(builder, GROUPS_IN_FLIGHT, k0, k1, first)
    leave_in_registers(context, builder, [(x0 ^ x1).elements for x0, x1 in pairs])


@emits(types.void)
def align_stack(context, builder, given):
    """Make the compiler align its stack to cache lines, as it does in a fill because of the fill's own buffer.

    Without alignment, each vector that has no register would lie across two lines, and loading it would take longer.
    """
    buffer = cgutils.alloca_once(builder, GROUP_WORDS)
    builder.asm(ir.FunctionType(ir.VoidType(), [buffer.type]), "", "r", [buffer], side_effect=True)


@njit(nogil=True)
def philox_rounds(state, words, arguments):
    """Compute `words` words, rounded up to whole groups in flight, or the numbers that they make.

    `arguments` is empty for words, holds bounds as in philox_simd.fill_words for uniform numbers, or the three uint32
    of rules.integers_32 for integers. Word 0 of the state's counter must not wrap.
    """
    low, high, k0, k1 = load(state)
    c0, c1, c2, c3 = uint32(low), uint32(low >> WORD_BITS), uint32(high), uint32(high >> WORD_BITS)
    align_stack()
    for _ in range(0, words, WORDS_IN_FLIGHT):
        make_philox_groups(c0, c1, c2, c3, k0, k1, arguments)
        c0 = uint32(c0 + (WORDS_IN_FLIGHT >> 2))


@emits(types.void)
def run_independent_instructions(context, builder, given, number):
    """CHAINS * CHAIN_LENGTH additions and exclusive ors, alternating so that the compiler cannot combine them."""
    count = REGISTER_BITS // 64
    other = splat(builder, number, count)
    chains = [builder.add(other, ir.Constant(other.type, [i] * count)) for i in range(CHAINS)]
    for step in range(CHAIN_LENGTH):
        chains = [(builder.xor if step % 2 else builder.add)(each, other) for each in chains]
    leave_in_registers(context, builder, chains)


@njit(nogil=True)
def vector_instructions(count):
    """Run `count` independent vector instructions, rounded up."""
    for first in range(0, count, CHAINS * CHAIN_LENGTH):
        run_independent_instructions(first)


def instructions_per_word():
    """How many vector instructions philox_rounds has for a word: those of its loop, without copies and loads."""
    signature = philox_rounds.nopython_signatures[0]
    labels = re.split(r"^\.LBB\w+:", philox_rounds.inspect_asm(signature.args), flags=re.MULTILINE)
    loop = max(labels, key=lambda text: len(re.findall("pmuludq|umull", text)))
    instructions = re.findall(r"^\s+(\w+)\s.*(?:[xyz]mm|\bv\d)", loop, re.MULTILINE)
    return sum("mov" not in each and "broadcast" not in each for each in instructions) / WORDS_IN_FLIGHT


@njit(nogil=True)
def threefry_rounds(key, words):
    """Compute `words` words of JAX's bits, rounded up to whole groups in flight."""
    align_stack()
    for first in range(0, words, BLOCKS_IN_FLIGHT):
        make_threefry_groups(key[0], key[1], uint64(first))


def normals_by(name, integer):
    """The kernel that makes normals of the same words, several times.

    Each pass stores its result in word 0: if all passes were alike, the compiler would do only one.
    """
    rule, function = RULES[name], FUNCTIONS[name]
    take, group_words, real = TAKE[rule.words], rule.words, rule.parameters

    @njit(error_model="numpy")
    @named_after(name)
    def combine(words, mean, stddev):
        total = integer(0)
        for i in range(words.size // group_words):
            x, y = function(*(take(words, group_words * i) + (mean, stddev)))
            total = integer(total ^ integer(real(x).view(integer) ^ real(y).view(integer)))
        return total

    @njit(nogil=True)
    @named_after(name)
    def normals(words, passes, mean, stddev):
        for _ in range(passes):
            total = uint64(combine(words, mean, stddev))
            words[0] = uint32(total ^ total >> WORD_BITS)

    return normals


normal_32, normal_64 = normals_by("normal_f32", np.uint32), normals_by("normal_f64", np.uint64)
