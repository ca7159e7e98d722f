"""The rules of rules.py run on arrays: the kernels of kernels/fill.py, which take the name of a rule first."""

import numpy as np

from .. import rules
from .words import CHUNK_WORDS, advance, fill_row, words_at


def numbers_of(rule, words, parameters):
    """The numbers that a rule makes of words, which are complete groups."""
    with np.errstate(all="ignore"):  # results beyond a type's largest number are infinite, without a warning
        numbers = rule.function(*(words[i :: rule.words] for i in range(rule.words)), *parameters)
    return numbers if rule.numbers == 1 else np.stack(numbers, axis=1).reshape(-1)


def convert_kernel(name, words, parameters, out):
    out[:] = numbers_of(rules.RULES[name], words, parameters)


def fill_kernel(name, state, padding, lane, total, first, parameters, out):
    rule = rules.RULES[name]
    step = CHUNK_WORDS // rule.words * rule.numbers
    for done in range(0, out.size, step):
        piece = out[done : done + step]
        group, lead = divmod(first + done, rule.numbers)
        words = np.empty(-(-(lead + piece.size) // rule.numbers) * rule.words, np.uint32)
        fill_row(state, lane + group * rule.words, words)
        piece[:] = numbers_of(rule, words, parameters)[lead : lead + piece.size]
    advance(state, (lane + -(-total // rule.numbers) * rule.words + padding) >> 2)


def fill_region_kernel(name, state, lane, region, start, parameters, out):
    rule = rules.RULES[name]
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
        numbers = numbers_of(rule, words_at(state, places.view(np.uint64)).reshape(-1), parameters)
        piece[:] = numbers[np.arange(piece.size, dtype=np.int64) * rule.numbers + members]
