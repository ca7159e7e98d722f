"""numpy's side of rules.py: the rules run on arrays. Fills, and numbers of given words, as in kernels/fill.py."""

from functools import partial

import numpy as np

from .. import rules
from .words import CHUNK_WORDS, advance, fill_row, words_at


def fill_kernel(name):
    """The kernel fill(state, padding, lane, total, first, parameters, out) of a rule."""
    return partial(fill, rules.RULES[name])


def fill_region_kernel(name):
    """The kernel fill_region(state, lane, region, start, parameters, out) of a rule."""
    return partial(fill_region, rules.RULES[name])


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


def fill(rule, state, padding, lane, total, first, parameters, out):
    step = CHUNK_WORDS // rule.words * rule.numbers
    for done in range(0, out.size, step):
        piece = out[done : done + step]
        group, lead = divmod(first + done, rule.numbers)
        words = np.empty(-(-(lead + piece.size) // rule.numbers) * rule.words, np.uint32)
        fill_row(state, lane + group * rule.words, words)
        piece[:] = numbers_of(rule, words, parameters, out.dtype)[lead : lead + piece.size]
    advance(state, (lane + -(-total // rule.numbers) * rule.words + padding) >> 2)


def fill_region(rule, state, lane, region, start, parameters, out):
    offset, *axes = region.tolist()
    step = CHUNK_WORDS // rule.words
    for done in range(0, out.size, step):
        piece = out[done : done + step]
        index, positions = np.arange(start + done, start + done + piece.size, dtype=np.int64), offset
        for size, stride in zip(axes[-2::-2], axes[::-2]):
            index, inner = np.divmod(index, size)
            positions = positions + inner * stride
        groups, members = np.divmod(positions, rule.numbers)
        places = (lane + groups * rule.words)[:, None] + np.arange(rule.words, dtype=np.int64)
        numbers = numbers_of(rule, words_at(state, places.view(np.uint64)).reshape(-1), parameters, out.dtype)
        piece[:] = numbers[np.arange(piece.size, dtype=np.int64) * rule.numbers + members]


def numbers_of(rule, words, parameters, dtype):
    """All numbers of complete groups of words."""
    numbers = np.empty(words.size // rule.words * rule.numbers, dtype)
    convert(rule, words, parameters, numbers)
    return numbers
