"""Fills of every rule: any strided region of a stream, in numpy and compiled. specs/kernels.md, clause 7."""

from itertools import product

import numpy as np
import oracle
import pytest
from rule_cases import CASES, each_rule, forms_of, numbers_at, parameters_of

from dmlrand.kernels import of_rule
from dmlrand.kernels.numpy_only.words import CHUNK_WORDS
from dmlrand.kernels.rules import RULES

COUNTER, KEY = 2**64 - 4, 0x0123456789ABCDEF  # the counter carries in the first blocks
FILLS = each_rule("word", "uniform_f32", "normal_f32")  # in registers, and pairs made by way of a scratch array
REGIONS_OF = each_rule("word", "normal_f32")
SCRATCH_WORDS = 3840  # of the compiled fills

# Of a region: its first number, the step in a row, and the size and the stride of each outer axis. The size of a row.
REGIONS = [
    *(([offset, step], 9) for offset, step in product((0, 5), (1, 2, 3, 30))),
    *(([offset, 1], size) for offset, size in product((0, 1, 7), (0, 1, 2, 3))),  # groups cut at both ends
    ([3, 1, 4, 10], 5),
    ([1, 1, 3, 2], 1),
    ([1, 1, 4, 2], 2),  # short rows, which are made together: of cut groups, of complete ones
    ([0, 1, 3, 4], 2),
    ([0, 1, 4, 5], 2),  # groups cut by the stride of rows, by their size, by the step in a row
    ([0, 1, 2, 4], 3),
    ([0, 2, 2, 100], 4),
    ([3, 30, 3, 7], 2),
    ([2, 3, 5, 31], 3),
    ([0, 2, 2, 100, 3, 7], 4),
    ([7, 30, 2, 5000, 2, 91, 3, 9], 2),
    ([2**40 + 3, 1, 2, 2**59 + 1], 4),
    ([2**40 + 3, 30, 2, 2**59 + 1, 2, 1], 3),
]


def positions_of(region, row):
    """The positions of a region, in row-major order."""
    offset, step, *outer = region
    sizes, strides = [*outer[::2], row], [*outer[1::2], step]
    return [offset + sum(map(int.__mul__, index, strides)) for index in np.ndindex(*sizes)]


def state_of(counter=COUNTER):
    return np.array(oracle.state_words(counter, KEY), np.uint32)


def made_by(name, size, fill):
    """`size` numbers that fill(out) makes, and nothing beside them."""
    dtype = np.dtype(CASES[name].dtype)
    guarded = np.full((size + 8) * dtype.itemsize, 0xA5, np.uint8).view(dtype)
    out = guarded[4 : 4 + size]
    fill(out)
    made = out.copy()
    out.view(f"u{dtype.itemsize}")[:] = 0xA5A5A5A5A5A5A5A5 >> 64 - 8 * dtype.itemsize
    assert (guarded.view(np.uint8) == 0xA5).all(), "it wrote beside its output"
    return made.tobytes()


def region_of(kernel, name, lane, region, row, size, start=0):
    """`size` elements of a region from element `start` on."""
    offset, step, *outer = region
    given = np.array([offset, *outer, row, step], np.int64)
    return made_by(name, size, lambda out: kernel(state_of(), lane, given, start, parameters_of(name), out))


LONG = [  # that pass the size of a scratch array, with groups cut at both ends
    ([1, 1], SCRATCH_WORDS + 3),
    ([SCRATCH_WORDS - 1, 3], SCRATCH_WORDS + 1),
    ([5, 30], SCRATCH_WORDS // 2 + 1),
    ([3, 1, 3, 2 * SCRATCH_WORDS + 1], SCRATCH_WORDS + 2),
    ([1, 2, 3, 7], SCRATCH_WORDS // 2 + 3),
    ([1, 1], CHUNK_WORDS + 3),
    ([2, 3], CHUNK_WORDS // 2 + 1),
    ([4, 1, 5, CHUNK_WORDS], CHUNK_WORDS // 4 - 1),
    ([1, 1, 3000, 5], 3),
    ([0, 1, 3000, 4], 2),
    ([1, 3, 2000, 11], 2),
    *(([1, 1, 50, 301], row) for row in (127, 128)),
]


@pytest.mark.parametrize("name", REGIONS_OF)
def test_any_region_from_any_lane(name):
    """kernels 7; distributions 1.4 and 6.1: complete regions, and parts that begin within a row. The oracle is too slow
    for long regions, which both forms make alike."""
    for lane, (region, row) in product(range(4), REGIONS):
        positions = positions_of(region, row)
        numbers = numbers_at(name, COUNTER, KEY, lane, positions)
        size = len(positions)
        parts = {(0, size), (0, size - 1), (1, size), (size // 3, size)}
        for (start, end), fill in product(parts, forms_of(of_rule(name).fill_region)):
            expected = numbers[start:end]
            made = region_of(fill, name, lane, region, row, expected.size, start)
            assert made == expected.tobytes(), (fill, lane, region, start, end)
    for lane, (region, row) in product((0, 3), LONG):
        size = row * int(np.prod(region[2::2]))
        made = {region_of(fill, name, lane, region, row, size) for fill in forms_of(of_rule(name).fill_region)}
        assert len(made) == 1, (lane, region)


@pytest.mark.parametrize("name", FILLS)
def test_consecutive_numbers_from_any_number_and_lane(name):
    """kernels 7: some that pass the size of a scratch array."""
    for lane, first, size in product(range(4), (0, 1, 2, 7, SCRATCH_WORDS - 1), (0, 1, 2, 9, SCRATCH_WORDS + 3)):
        expected = numbers_at(name, COUNTER, KEY, lane, range(first, first + min(size, 9))).tobytes()
        for choice in range(len(CASES[name].choices)):
            given = 3, lane, size, first, parameters_of(name, choice)
            made = {
                made_by(name, size, lambda out: fill(state_of(), *given, out)) for fill in forms_of(of_rule(name).fill)
            }
            assert len(made) == 1 and (choice or made.pop().startswith(expected)), (lane, first, size, choice)


@pytest.mark.parametrize("name", FILLS)
def test_the_state_advances_past_the_words_of_the_whole_output(name):
    """distributions 1.3: with carries out of each word of the counter."""
    out = np.empty(5, CASES[name].dtype)
    for fill, boundary, before in product(forms_of(of_rule(name).fill), (32, 64, 96, 128), (0, 1, 3)):
        counter = (1 << boundary) - before & 2**128 - 1
        for lane, padding, total in product(range(4), (0, 3), (0, 1, 5, 8, 2**34 + 3, 2**60 - 1)):
            words = -(-total // RULES[name].numbers) * RULES[name].words
            after = (counter + (lane + words + padding) // 4) % 2**128
            state = state_of(counter)
            fill(state, padding, lane, total, 0, parameters_of(name), out)
            assert state.tolist() == oracle.state_words(after, KEY), (boundary, before)
