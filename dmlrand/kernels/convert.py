"""Words converted to uniform reals and integers, by the rules of specs/distributions.md.

A converter draws words to a scratch array, which stays in a core's L1 cache. A rule then converts them: a plain loop,
which the compiler vectorises. (If the words and the numbers shared memory, it would not.) Uniform
float32 and float64 need no scratch array: philox_simd.py converts words while they are in registers.

numba widens integer results to 64 bits, so each expression that must stay a 32-bit word is cast as a whole.
"""

import numpy as np
from numba import float32, int32, njit, uint32, uint64

from . import philox
from .compiling import kernel
from .philox import WORD_BITS, load
from .words import NON_TEMPORAL_MIN_ROW_WORDS, NON_TEMPORAL_MIN_WORDS, fill_words

SCRATCH_WORDS = 3840  # words drawn at a time: a multiple of the words that the vector code has in flight

LOW = np.uint64(0xFFFFFFFF)
FRACTION23 = np.uint32(0x7FFFFF)
FRACTION20 = np.uint32(0xFFFFF)
STEP23 = np.float32(2.0**-23)
ONE_BITS = np.uint64(1023 << 52)  # of 1.0 as a float64


def named_after(rule):
    """Compile a function that is defined once for each rule, with the rule's name in its own.

    numba names machine code by a function's qualified name, its types, and a number that each process counts from 0.
    If all these functions had one name, kernels cached by different processes could hold different code under the same
    name. In a process that loads both, the linker would use one of the two for both.
    """

    def decorate(function):
        function.__qualname__ = f"{function.__name__}_{rule.__name__}"
        return njit(function)

    return decorate


def converter(rule, words_per_number, group=1):
    """The function that fills `out` with rows of numbers of one length, each row from its own position on.

    Position 0 is the number whose first word is lane `lane` of the state's block. rule(words, numbers, *arguments)
    converts `words_per_number` words to each number. It makes `group` numbers together, and a row may begin or end
    inside a group. Each rule needs a function of its own, because numba cannot cache a kernel that takes a rule as an
    argument.
    """

    @named_after(rule)
    def convert_row(state, lane, position, words, out, *arguments):
        low, high, k0, k1 = load(state)
        step = SCRATCH_WORDS // words_per_number
        first = position // group * group
        lead = position - first
        needed = (lead + out.size + group - 1) // group * group
        for start in range(0, needed, step):
            drawn = words[: min(step, needed - start) * words_per_number]
            fill_words(low, high, k0, k1, lane + (first + start) * words_per_number, drawn)
            begin, end = start - lead, start - lead + drawn.size // words_per_number
            inside = begin >= 0 and end <= out.size
            numbers = out[begin:end] if inside else np.empty(end - begin, out.dtype)
            rule(drawn, numbers, *arguments)
            if not inside:
                for i in range(max(begin, 0), min(end, out.size)):
                    out[i] = numbers[i - begin]

    @named_after(rule)
    def convert(state, lane, positions, out, *arguments):
        length = out.size // positions.size
        # A row that begins and ends inside a group needs up to two more groups than its length holds.
        words = np.empty(min(SCRATCH_WORDS, (length + 2 * group) * words_per_number), np.uint32)
        for row in range(positions.size):
            convert_row(state, lane, positions[row], words, out[row * length : (row + 1) * length], *arguments)

    return convert


def uniform_converter(rule, words_per_number):
    """As converter, for uniform float32 and float64. The vector code of words, where it runs, makes the numbers too."""
    convert = converter(rule, words_per_number)
    if fill_words is philox.fill_words:
        return convert

    @named_after(rule)
    def fill_uniform(state, lane, positions, out, low, width):
        if words_per_number == 2 and lane & 1:  # a number's words lie in two different elements of a vector
            convert(state, lane, positions, out, low, width)
            return
        counter_low, counter_high, k0, k1 = load(state)
        length = out.size // positions.size
        out_words, row_words = out.size * words_per_number, length * words_per_number
        non_temporal = out_words >= NON_TEMPORAL_MIN_WORDS and row_words >= NON_TEMPORAL_MIN_ROW_WORDS
        for row in range(positions.size):
            numbers = out[row * length : (row + 1) * length].view(np.uint32)
            offset = lane + positions[row] * words_per_number
            fill_words(counter_low, counter_high, k0, k1, offset, numbers, non_temporal, (low, width))

    return fill_uniform


@njit(inline="always")
def fraction64(high, low):
    """The float64 of [0, 1) whose 52 fraction bits are the low 20 bits of word `high` and all bits of word `low`."""
    # np.uint64, not uint64: numba allows `view` only on a scalar that a call of numpy's type returned.
    bits = np.uint64(ONE_BITS | uint64(high & FRACTION20) << WORD_BITS | uint64(low))
    return bits.view(np.float64) - 1.0


@njit
def read_f32(words, out, low, width):
    # The product of a 23-bit integer and 2**-23 is exact. The integer is an int32, because before AVX-512 no
    # instruction converts uint32 to float32.
    for i in range(out.size):
        out[i] = float32(float32(int32(words[i] & FRACTION23)) * STEP23) * width + low


@njit
def read_f64(words, out, low, width):
    for i in range(out.size):
        out[i] = fraction64(words[2 * i], words[2 * i + 1]) * width + low


# Remainders without division. For a divisor d of N bits let m = min(floor(2**N / d), 2**N - 1). Then the quotient q =
# floor(n * m / 2**N) is floor(n / d) or one less. It is not more, since m <= 2**N / d. For d > 1 it is not less, since
# n * m / 2**N > n * (1 / d - 2**-N) > n / d - 1. For d = 1, n * m / 2**N > n - 1. So r = n - q * d is the remainder,
# or the remainder plus d. The remainder is the smaller one of r and r - d modulo 2**N. The divisor 2**N is passed as
# 0, with m = 1; the result is then n.


@njit
def read_u32(words, out, low, divisor, reciprocal):
    for i in range(out.size):
        word = words[i]
        quotient = uint32(uint64(word) * uint64(reciprocal) >> WORD_BITS)
        rest = uint32(word - uint32(quotient * divisor))
        reduced = uint32(rest - divisor)
        out[i] = uint32((reduced if reduced < rest else rest) + low)


@njit(inline="always")
def high_product(a, b):
    """The upper 64 bits of a product of two uint64."""
    a0, a1, b0, b1 = uint64(a & LOW), uint64(a >> WORD_BITS), uint64(b & LOW), uint64(b >> WORD_BITS)
    middle = uint64(a1 * b0 + uint64(a0 * b0 >> WORD_BITS))
    other = uint64(a0 * b1 + uint64(middle & LOW))
    return uint64(a1 * b1 + uint64(middle >> WORD_BITS) + uint64(other >> WORD_BITS))


@njit
def read_u64(words, out, low, divisor, reciprocal):
    for i in range(out.size):
        word = uint64(uint64(words[2 * i]) | uint64(words[2 * i + 1]) << WORD_BITS)
        rest = uint64(word - uint64(high_product(word, reciprocal) * divisor))
        reduced = uint64(rest - divisor)
        out[i] = uint64((reduced if reduced < rest else rest) + low)


@njit
def read_bool(words, out, threshold):
    for i in range(out.size):
        out[i] = uint64(words[i]) < threshold


convert_f32 = uniform_converter(read_f32, words_per_number=1)
convert_f64 = uniform_converter(read_f64, words_per_number=2)
convert_u32 = converter(read_u32, words_per_number=1)
convert_u64 = converter(read_u64, words_per_number=2)
convert_bool = converter(read_bool, words_per_number=1)

# The kernels that Python calls. `positions` is an int64 array: the position of the first number of each row of `out`,
# which is flat. `low` and `width` are Python floats, which numba accepts faster than numpy's scalars. Their values are
# numbers of the type that is drawn.


@kernel
def uniform_32(state, lane, positions, low, width, out):
    convert_f32(state, lane, positions, out, float32(low), float32(width))


@kernel
def uniform_64(state, lane, positions, low, width, out):
    convert_f64(state, lane, positions, out, low, width)


@kernel
def integers_32(state, lane, positions, division, out):
    """The bits of int32 or uint32, as uint32. `division` holds the least number, the divisor and its reciprocal."""
    convert_u32(state, lane, positions, out, division[0], division[1], division[2])


@kernel
def integers_64(state, lane, positions, division, out):
    """As integers_32, for int64 and uint64."""
    convert_u64(state, lane, positions, out, division[0], division[1], division[2])


@kernel
def bernoulli(state, lane, positions, threshold, out):
    """The bits of bools, as uint8: 1 for each word below `threshold`, an int in [0, 2**32]."""
    convert_bool(state, lane, positions, out, uint64(threshold))


@kernel
def bernoulli_of_words(words, threshold, out):
    """As bernoulli, of out.size given words."""
    read_bool(words, out, uint64(threshold))


@kernel
def uniform_of_words_32(words, low, width, out):
    """As uniform_32, of out.size given words."""
    read_f32(words, out, float32(low), float32(width))


@kernel
def uniform_of_words_64(words, low, width, out):
    """As uniform_64, of 2 * out.size given words."""
    read_f64(words, out, low, width)


@kernel
def integers_of_words_32(words, division, out):
    """As integers_32, of out.size given words."""
    read_u32(words, out, division[0], division[1], division[2])


@kernel
def integers_of_words_64(words, division, out):
    """As integers_64, of 2 * out.size given words."""
    read_u64(words, out, division[0], division[1], division[2])
