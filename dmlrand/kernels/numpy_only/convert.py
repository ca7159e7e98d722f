"""Words read as uniform reals and integers. The rules are those of specs/distributions.md."""

import numpy as np

from .words import CHUNK_WORDS, fill_row, words_at

FRACTION23 = np.uint32(0x7FFFFF)
FRACTION20 = np.uint32(0xFFFFF)
STEP23 = np.float32(2.0**-23)
ONE_BITS = np.uint64(1023 << 52)  # of 1.0 as a float64
HALF = np.uint64(32)


def fill_rows(state, lane, positions, out, rule, words_per_number, group=1):
    """Fill equal rows of numbers, each from its own position on, `rule` making `group` numbers of a row of words."""
    length = out.size // positions.size
    chunk = CHUNK_WORDS // (words_per_number * group)
    width = words_per_number * group  # words of a group
    with np.errstate(all="ignore"):  # results beyond a type's largest number are infinite, without a warning
        if positions.size == 1:
            _fill_row(state, lane, int(positions[0]), out, rule, width, group, chunk)
            return
        for start in range(0, out.size, chunk):
            part = out[start : start + chunk]
            row, index = np.divmod(np.arange(start, start + part.size), length)
            groups, member = np.divmod(positions[row] + index, group)
            places = (lane + groups * width)[:, None] + np.arange(width)
            numbers = rule(words_at(state, places.view(np.uint64)).reshape(-1)).reshape(part.size, group)
            part[:] = numbers[np.arange(part.size), member]


def _fill_row(state, lane, position, out, rule, width, group, chunk):
    """One row, whose first and last number may lie inside a group."""
    words = np.empty(0, np.uint32)
    for start in range(0, out.size, chunk):
        part = out[start : start + chunk]
        first, lead = divmod(position + start, group)
        count = (lead + part.size + group - 1) // group * width
        if words.size != count:
            words = np.empty(count, np.uint32)
        fill_row(state, lane + first * width, words)
        part[:] = rule(words)[lead : lead + part.size]


def fraction64(high, low):
    """The float64 of [0, 1) whose 52 fraction bits are the low 20 of one word and all of another."""
    bits = ONE_BITS | (high & FRACTION20).astype(np.uint64) << HALF | low
    return bits.view(np.float64) - 1.0


def uniform_32(state, lane, positions, low, width, out):
    def rule(words):
        return (words & FRACTION23).astype(np.float32) * STEP23 * width + low

    fill_rows(state, lane, positions, out, rule, 1)


def uniform_64(state, lane, positions, low, width, out):
    fill_rows(state, lane, positions, out, lambda words: fraction64(words[::2], words[1::2]) * width + low, 2)


def integers_32(state, lane, positions, division, out):
    low, divisor, _ = division
    fill_rows(state, lane, positions, out, lambda words: (words % divisor if divisor else words) + low, 1)


def integers_64(state, lane, positions, division, out):
    low, divisor, _ = division

    def rule(words):
        wide = words[::2] | words[1::2].astype(np.uint64) << HALF
        return (wide % divisor if divisor else wide) + low

    fill_rows(state, lane, positions, out, rule, 2)
