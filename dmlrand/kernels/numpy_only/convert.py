"""Words converted to uniform reals and integers, by the rules of specs/distributions.md."""

import numpy as np

from .words import CHUNK_WORDS, fill_row, words_at

FRACTION23 = np.uint32(0x7FFFFF)
FRACTION20 = np.uint32(0xFFFFF)
STEP23 = np.float32(2.0**-23)
ONE_BITS = np.uint64(1023 << 52)  # of 1.0 as a float64
WORD_BITS = np.uint64(32)


def fill_rows(state, lane, positions, out, rule, words_per_number, group=1):
    """Fill rows of one length with numbers, each row from its own position on.

    rule(words) returns the numbers that an array of words makes. It makes `group` numbers together.
    """
    length = out.size // positions.size
    group_words = words_per_number * group
    chunk = CHUNK_WORDS // group_words
    with np.errstate(all="ignore"):  # results beyond a type's largest number are infinite, without a warning
        if positions.size == 1:
            _fill_row(state, lane, int(positions[0]), out, rule, group_words, group, chunk)
            return
        for start in range(0, out.size, chunk):
            piece = out[start : start + chunk]
            row, index = np.divmod(np.arange(start, start + piece.size, dtype=np.int64), length)
            groups, member = np.divmod(positions[row] + index, group)
            places = (lane + groups * group_words)[:, None] + np.arange(group_words, dtype=np.int64)
            numbers = rule(words_at(state, places.view(np.uint64)).reshape(-1)).reshape(piece.size, group)
            piece[:] = np.take_along_axis(numbers, member[:, None], axis=1)[:, 0]


def _fill_row(state, lane, position, out, rule, group_words, group, chunk):
    """Fill one row, which may begin or end inside a group."""
    words = np.empty(0, np.uint32)
    for start in range(0, out.size, chunk):
        piece = out[start : start + chunk]
        first, lead = divmod(position + start, group)
        count = (lead + piece.size + group - 1) // group * group_words
        if words.size != count:
            words = np.empty(count, np.uint32)
        fill_row(state, lane + first * group_words, words)
        piece[:] = rule(words)[lead : lead + piece.size]


def fill_of_words(words, out, rule):
    """The numbers that given words make."""
    with np.errstate(all="ignore"):
        out[:] = rule(words)


def fraction64(high, low):
    """The float64 of [0, 1) whose 52 fraction bits are the low 20 bits of word `high` and all bits of word `low`."""
    bits = ONE_BITS | (high & FRACTION20).astype(np.uint64) << WORD_BITS | low
    return bits.view(np.float64) - 1.0


# The rules: each returns a function of words that returns the numbers.


def read_f32(low, width):
    return lambda words: (words & FRACTION23).astype(np.float32) * STEP23 * width + low


def read_f64(low, width):
    return lambda words: fraction64(words[::2], words[1::2]) * width + low


def read_u32(division):
    low, divisor, _ = division
    return lambda words: (words % divisor if divisor else words) + low


def read_u64(division):
    low, divisor, _ = division

    def rule(words):
        wide = words[::2] | words[1::2].astype(np.uint64) << WORD_BITS
        return (wide % divisor if divisor else wide) + low

    return rule


def read_bool(threshold):
    return lambda words: words < np.uint64(threshold)


def uniform_32(state, lane, positions, low, width, out):
    fill_rows(state, lane, positions, out, read_f32(low, width), 1)


def uniform_64(state, lane, positions, low, width, out):
    fill_rows(state, lane, positions, out, read_f64(low, width), 2)


def integers_32(state, lane, positions, division, out):
    fill_rows(state, lane, positions, out, read_u32(division), 1)


def integers_64(state, lane, positions, division, out):
    fill_rows(state, lane, positions, out, read_u64(division), 2)


def bernoulli(state, lane, positions, threshold, out):
    fill_rows(state, lane, positions, out, read_bool(threshold), 1)


def bernoulli_of_words(words, threshold, out):
    fill_of_words(words, out, read_bool(threshold))


def uniform_of_words_32(words, low, width, out):
    fill_of_words(words, out, read_f32(low, width))


def uniform_of_words_64(words, low, width, out):
    fill_of_words(words, out, read_f64(low, width))


def integers_of_words_32(words, division, out):
    fill_of_words(words, out, read_u32(division))


def integers_of_words_64(words, division, out):
    fill_of_words(words, out, read_u64(division))
