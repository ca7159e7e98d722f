"""Words read as uniform reals and integers. The rules are those of specs/distributions.md.

Two passes through a scratch that stays in a core's L1 cache: words, then an ordinary loop over them that the compiler
turns into vector code. Reading and writing the same memory would keep it from that. numba widens integer results
to 64 bits, so each expression that must stay a 32-bit word is cast as a whole.
"""

import numpy as np
from numba import float32, int32, njit, uint32, uint64

from . import philox
from .compiling import kernel
from .philox import load
from .words import NON_TEMPORAL_MIN_ROW_WORDS, NON_TEMPORAL_MIN_WORDS, fill_row

SCRATCH_WORDS = 3840  # words made at a time: a multiple of what the vector code of words makes at once

HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
FRACTION23 = np.uint32(0x7FFFFF)
FRACTION20 = np.uint32(0xFFFFF)
STEP23 = np.float32(2.0**-23)
ONE_BITS = np.uint64(1023 << 52)  # of 1.0 as a float64


def named_after(rule):
    """Compile a function that is made anew for each rule, under a name of its own for each.

    Numba names machine code by a function's qualified name, its types, and a number that starts anew in each process.
    Kernels that different processes cached may so hold different code of one name, and where one process loads both,
    the linker keeps one for the two.
    """

    def decorate(function):
        function.__qualname__ = f"{function.__name__}_{rule.__name__}"
        return njit(function)

    return decorate


def converter(rule, per, group=1):
    """The function that fills `out` with rows of numbers, each from its own position on, all of one length.

    The words begin at a lane of the state's first block. Numbers are made by rule(words, numbers, *arguments), `per`
    words each. The rule makes `group` numbers together; the first and the last of a row may lie inside such a group.
    Made for each rule, since numba can not cache a kernel that is given one as an argument.
    """

    @named_after(rule)
    def convert_row(state, lane, position, words, out, *arguments):
        low, high, k0, k1 = load(state)
        step = SCRATCH_WORDS // per
        first = position // group * group
        lead = position - first
        needed = (lead + out.size + group - 1) // group * group
        for start in range(0, needed, step):
            drawn = words[: min(step, needed - start) * per]
            fill_row(low, high, k0, k1, lane + (first + start) * per, drawn)
            begin, end = start - lead, start - lead + drawn.size // per
            inside = begin >= 0 and end <= out.size
            numbers = out[begin:end] if inside else np.empty(end - begin, out.dtype)
            rule(drawn, numbers, *arguments)
            if not inside:
                for i in range(max(begin, 0), min(end, out.size)):
                    out[i] = numbers[i - begin]

    @named_after(rule)
    def convert(state, lane, positions, out, *arguments):
        length = out.size // positions.size
        # A row may begin and end inside a group: it needs up to two groups more than fit in its length.
        words = np.empty(min(SCRATCH_WORDS, (length + 2 * group) * per), np.uint32)
        for row in range(positions.size):
            convert_row(state, lane, positions[row], words, out[row * length : (row + 1) * length], *arguments)

    return convert


def uniform_converter(rule, per):
    """As converter, for uniform reals. Where the vector code of words runs, it makes the numbers as well."""
    convert = converter(rule, per)
    if fill_row is philox.fill_row:
        return convert

    @named_after(rule)
    def fill_uniform(state, lane, positions, out, low, width):
        if per == 2 and lane & 1:  # the two words of a number do not lie in one element of a vector
            convert(state, lane, positions, out, low, width)
            return
        counter_low, counter_high, k0, k1 = load(state)
        length = out.size // positions.size
        non_temporal = out.size * per >= NON_TEMPORAL_MIN_WORDS and length * per >= NON_TEMPORAL_MIN_ROW_WORDS
        for row in range(positions.size):
            numbers = out[row * length : (row + 1) * length].view(np.uint32)
            offset = lane + positions[row] * per
            fill_row(counter_low, counter_high, k0, k1, offset, numbers, non_temporal, (low, width))

    return fill_uniform


@njit(inline="always")
def fraction64(high, low):
    """The float64 of [0, 1) whose 52 fraction bits are the low 20 of one word and all of another."""
    # np.uint64, not uint64: numba allows `view` on a scalar only where the variable was visibly made by numpy's type.
    bits = np.uint64(ONE_BITS | uint64(high & FRACTION20) << HALF | uint64(low))
    return bits.view(np.float64) - 1.0


@njit
def read_f32(words, out, low, width):
    # A 23-bit integer times 2**-23 is exact, so this is the fraction itself. Through int32: uint32 to float32 is no
    # instruction before AVX-512.
    for i in range(out.size):
        out[i] = float32(float32(int32(words[i] & FRACTION23)) * STEP23) * width + low


@njit
def read_f64(words, out, low, width):
    for i in range(out.size):
        out[i] = fraction64(words[2 * i], words[2 * i + 1]) * width + low


# Remainders without division. For a divisor d of N bits let m = min(floor(2**N / d), 2**N - 1). Then the quotient
# q = floor(n * m / 2**N) is floor(n / d) or one less: it is no more since m <= 2**N / d, and for d > 1 no less than
# that since n * m / 2**N > n * (1 / d - 2**-N) > n / d - 1; for d = 1, n * m / 2**N > n - 1. So n - q * d is the
# remainder or d more, and of it and itself less d, wrapping, the remainder is the smaller. Divisor 2**N comes as 0
# with m = 1, and leaves n as it is.


@njit
def read_u32(words, out, low, divisor, reciprocal):
    for i in range(out.size):
        word = words[i]
        quotient = uint32(uint64(word) * uint64(reciprocal) >> HALF)
        more = uint32(word - uint32(quotient * divisor))
        less = uint32(more - divisor)
        out[i] = uint32((less if less < more else more) + low)


@njit(inline="always")
def high_product(a, b):
    """The upper 64 bits of a product of two uint64."""
    a0, a1, b0, b1 = uint64(a & LOW), uint64(a >> HALF), uint64(b & LOW), uint64(b >> HALF)
    middle = uint64(a1 * b0 + uint64(a0 * b0 >> HALF))
    other = uint64(a0 * b1 + uint64(middle & LOW))
    return uint64(a1 * b1 + uint64(middle >> HALF) + uint64(other >> HALF))


@njit
def read_u64(words, out, low, divisor, reciprocal):
    for i in range(out.size):
        word = uint64(uint64(words[2 * i]) | uint64(words[2 * i + 1]) << HALF)
        more = uint64(word - uint64(high_product(word, reciprocal) * divisor))
        less = uint64(more - divisor)
        out[i] = uint64((less if less < more else more) + low)


convert_f32 = uniform_converter(read_f32, per=1)
convert_f64 = uniform_converter(read_f64, per=2)
convert_u32 = converter(read_u32, per=1)
convert_u64 = converter(read_u64, per=2)

# What Python calls. `positions`, an int64 array, says where each row of `out` starts, in numbers from `lane` of
# the state's first block; `out` is flat. Real numbers come as Python floats, which numba takes faster than numpy's scalars;
# they are numbers of the type that is drawn.


@kernel
def uniform_32(state, lane, positions, low, width, out):
    convert_f32(state, lane, positions, out, float32(low), float32(width))


@kernel
def uniform_64(state, lane, positions, low, width, out):
    convert_f64(state, lane, positions, out, low, width)


@kernel
def integers_32(state, lane, positions, division, out):
    """The bits of int32 as uint32; so are those of `division`: the least number, the divisor and its reciprocal."""
    convert_u32(state, lane, positions, out, division[0], division[1], division[2])


@kernel
def integers_64(state, lane, positions, division, out):
    """As integers_32, for int64 and uint64."""
    convert_u64(state, lane, positions, out, division[0], division[1], division[2])
