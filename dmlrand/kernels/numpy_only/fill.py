"""numpy's side of rules.py: the rules run on arrays. Fills, and numbers of given words, as in kernels/fill.py."""

from functools import partial
from math import prod

import numpy as np

from .. import rules
from .words import CHUNK_WORDS, advance, fill_row, words_at


def fill_kernel(name, contiguous=True):
    """The kernel fill(state, padding, lane, total, region, parameters, out) of a rule, for outputs of any strides."""
    return partial(fill, rules.RULES[name])


def convert_kernel(name):
    """The kernel convert(words, parameters, out) of a rule."""
    return partial(convert, rules.RULES[name])


def convert(rule, words, parameters, out):
    """The numbers of given words, of complete groups."""
    with np.errstate(all="ignore"):  # results beyond a type's largest number are infinite, without a warning
        numbers = rule.function(*(words[i :: rule.words] for i in range(rule.words)), *parameters)
    if rule.numbers == 1:
        out[:] = numbers
        return
    for i, each in enumerate(numbers):
        out[i :: rule.numbers] = each


def fill(rule, state, padding, lane, total, region, parameters, out):
    draw = draw_consecutive if region.tolist()[1:] == [1] else draw_apart
    step = CHUNK_WORDS // rule.words * rule.numbers
    for start in range(0, out.size, step):
        piece = out[start : start + step]
        words, chosen = draw(rule, state, lane, region, out.size, start, piece.size)
        numbers = np.empty(words.size // rule.words * rule.numbers, out.dtype)
        convert(rule, words, parameters, numbers)
        piece[:] = numbers[chosen]
    advance(state, (lane + -(-total // rule.numbers) * rule.words + padding) >> 2)


def draw_consecutive(rule, state, lane, region, size, start, count):
    """The words of `count` numbers from number `start` of an output on, and where these numbers are among those of the
    words."""
    first, lead = divmod(int(region[0]) + start, rule.numbers)
    words = np.empty(-(-(lead + count) // rule.numbers) * rule.words, np.uint32)
    fill_row(state, lane + first * rule.words, words)
    return words, slice(lead, lead + count)


def draw_apart(rule, state, lane, region, size, start, count):
    """As draw_consecutive, for the region of an output of `size` numbers."""
    offset, step, *axes = region.tolist()
    rows, index = np.divmod(np.arange(start, start + count, dtype=np.int64), size // prod(axes[::2]))
    positions = offset + step * index
    for length, stride in zip(axes[-2::-2], axes[-1::-2]):
        rows, index = np.divmod(rows, length)
        positions += stride * index
    groups, members = np.divmod(positions, rule.numbers)
    places = (lane + groups * rule.words)[:, None] + np.arange(rule.words, dtype=np.int64)
    words = words_at(state, places.view(np.uint64)).reshape(-1)
    return words, np.arange(count, dtype=np.int64) * rule.numbers + members
