"""The kernels of numbers (fill.py): the index arithmetic of each loop, for all sizes, positions, steps and groups.

As in test_fill_words.py, one iteration of each loop stands for all. Products of two unknown numbers, i * step, are
unknown numbers themselves here: the code and the claim must have the same product.
"""

from types import SimpleNamespace

import pytest
from symbolic import (
    Fault,
    Int64,
    Part,
    claim,
    code_of,
    larger,
    loop_of,
    paths,
    prove,
    smaller,
    to_int64,
    to_uint64,
    z3,
)  # fmt: skip

pytest.importorskip("numba")

from dmlrand.kernels import fill, philox

LOW, HIGH, LANE, POSITION, STEP, ITERATION, SIZE, START, SCRATCH = z3.Ints(
    "low high lane position step i size start scratch"
)
NAMES = dict(uint64=to_uint64, int64=to_int64, WORD_BITS=32, min=smaller, max=larger)
BOUNDS = [
    0 <= LOW, LOW < 1 << 64, 0 <= HIGH, HIGH < 1 << 64, 0 <= LANE, LANE < 4, 0 <= POSITION, POSITION < 1 << 60,
    0 <= SIZE, SIZE < 1 << 58, 0 <= ITERATION, ITERATION < SIZE,
]  # fmt: skip
KINDS = [(1, 1), (1, 2), (2, 2), (2, 4)]  # numbers and words of a group, as in rules.RULES


@pytest.mark.proof
def test_the_kinds_are_those_of_the_rules():
    from dmlrand.kernels.rules import RULES

    assert {(rule.numbers, rule.words) for rule in RULES.values()} == set(KINDS)


def right_word(number, group, group_words, j):
    """The position in the stream, from the block at (LOW, HIGH) on, of word j of the group of a number."""
    return LANE + number / group * group_words + j


class Token:
    """A word: the counter of its block, and its lane."""

    def __init__(self, counter, lane):
        self.counter, self.lane = counter, lane


class Scratch:
    """The array of words: what is stored at each index."""

    def __init__(self, size):
        self.size, self.stores = size, []

    def __setitem__(self, index, value):
        self.stores.append((Int64(0).like(index).value, value))


@claim(
    Fault("draw_apart", "offset & 3 < 2", "offset & 3 < 3"),
    Fault("draw_apart", "first, second = (w0, w1)", "first, second = (w0, w2)"),
    Fault("draw_apart", "uint64(offset >> 2)", "uint64(offset >> 3)"),
    Fault("draw_apart", "4 * i + 3] = w0, w1, w2, w3", "4 * i + 3] = w0, w1, w2, w2"),
    Fault("draw_apart", "// group * group_words", "// group"),
    kinds=KINDS,
)
def test_draw_apart(fault, group, group_words):
    """Group i of the scratch holds the words of the group of number position + i * step.

    For a lane that is a multiple of group_words, which draw_groups asks for.
    """
    product = z3.Int("product")  # i * step
    blocks = lambda low, high, k0, k1: tuple(  # noqa: E731
        Token(low.value + high.value * (1 << 64), lane) for lane in range(4)
    )
    names = NAMES | dict(add_blocks=code_of(philox.add_blocks, fault, **NAMES), block_at=blocks)
    body = loop_of(fill.draw_apart, fault=fault, **names)

    class Index(Int64):
        """i, whose product with step is the number `product`."""

        def __mul__(self, other):
            return Int64(product) if other == "step" else super().__mul__(other)

        __rmul__ = __mul__

    def run():
        scratch = Scratch(None)
        body(
            low=Int64(LOW, True), high=Int64(HIGH, True), k0=None, k1=None, lane=Int64(LANE), position=Int64(POSITION),
            step="step", group=group, group_words=group_words, words=scratch, i=Index(ITERATION),
        )  # fmt: skip
        return scratch.stores

    bounds = [*BOUNDS, 0 <= product, product < 1 << 60, LANE % group_words == 0]
    for conditions, stores in paths(run, *bounds):
        assert len(stores) == group_words
        for j, (index, token) in enumerate(stores):
            place = right_word(POSITION + product, group, group_words, j)
            counter = (LOW + HIGH * (1 << 64) + place / 4) % (1 << 128)
            prove(z3.And(index == ITERATION * group_words + j, token.lane == place % 4), *conditions)
            prove(token.counter == counter, *conditions)


@claim(
    Fault("draw_groups", "// group * group_words", "// group * group_words + 1"),
    Fault("draw_groups", "group_words * (i + 1)", "group_words * i"),
    kinds=KINDS,
)
def test_draw_groups_over_two_blocks(fault, group, group_words):
    """Iteration i asks fill_words, which is proved, for the words of its group, at the group's place."""
    product = z3.Int("product")

    class Index(Int64):
        def __mul__(self, other):
            return Int64(product) if other == "step" else super().__mul__(other)

        __rmul__ = __mul__

    def run():
        calls = []
        body = loop_of(
            fill.draw_groups,
            fault=fault,
            fill_words=lambda low, high, k0, k1, offset, out: calls.append((offset, out)),
        )
        body(
            low=None, high=None, k0=None, k1=None, lane=Int64(LANE), position=Int64(POSITION), step="step",
            group=group, group_words=group_words, words=Part(0, Int64(SIZE) * group_words), i=Index(ITERATION),
        )  # fmt: skip
        return calls

    for conditions, calls in paths(run, *BOUNDS, 0 <= product, product < 1 << 60):
        ((offset, out),) = calls
        prove(offset.value == right_word(POSITION + product, group, group_words, 0), *conditions)
        prove(z3.And(out.start.value == ITERATION * group_words, out.size.value == group_words), *conditions)


class Numbers(Part):
    """An output, or numbers that `make` made: slices that reach beyond the end are clipped, as numpy does."""

    dtype = None

    def __getitem__(self, part):
        if not isinstance(part, slice):
            return Reading(self, Int64(0).like(part))
        begin = Int64(0).like(0 if part.start is None else part.start)
        end = self.size if part.stop is None else smaller(part.stop, self.size)
        return type(self)(self.start + begin, end - begin, self.stores)


class Reading(tuple):
    def __new__(cls, array, index):
        return super().__new__(cls, (array, index))


@claim(
    Fault("fill_consecutive", "position // group * group_words", "position // group"),
    Fault("fill_consecutive", "first + start * group_words", "first + start * group"),
    Fault("fill_consecutive", "begin = start * group - lead", "begin = start * group"),
    Fault("fill_consecutive", "end <= out.size", "end <= out.size + 1"),
    Fault("fill_consecutive", "lead + out.size + group - 1", "lead + out.size - 1"),
    Fault("fill_consecutive", "numbers[i - begin]", "numbers[i]"),
    kinds=KINDS,
)
def test_a_long_row(fault, group, group_words):
    """Each pass of fill_consecutive makes numbers [begin, end) of the row of complete groups, and stores those within.

    The passes follow each other without a gap, and reach the end of the row: for a scratch array of any size.
    """
    # The code before the loop, then one pass of the loop with `start` an unknown multiple of its step.
    j = z3.Int("j")
    passes = []

    def one(first, stop, step):
        passes.append((stop, step))
        return [Int64(START)]

    def run():
        passes.clear()
        out, record = Numbers(0, Int64(SIZE)), {"copies": []}

        def ranged(*bounds):
            if len(bounds) == 3:
                return one(*bounds)
            record["copies"].append(bounds)
            return [Int64(ITERATION)]

        def fill_words(low, high, k0, k1, offset, drawn):
            record.update(offset=offset, drawn=drawn)

        def make(drawn, numbers, arguments):
            record.update(numbers=numbers)

        empty = lambda size, kind: Temporary(0, size)  # noqa: E731
        code = code_of(
            fill.consecutive_filler(RULE_OF[group, group_words]),
            fault,
            **NAMES,
            group=group,
            group_words=group_words,
            make=make,
            fill_words=fill_words,
            range=ranged,
            np=SimpleNamespace(empty=empty),
        )
        words = Part(0, Int64(SCRATCH))
        code(None, None, None, None, Int64(LANE), Int64(POSITION), out, words, ())
        return record, out.stores

    step = SCRATCH / group_words
    groups = (POSITION % group + SIZE + group - 1) / group
    bounds = [
        *BOUNDS[:-2], SIZE > 128, 0 <= START, START < groups,
        group_words <= SCRATCH, SCRATCH < 1 << 20,
        ITERATION >= 0, ITERATION < SIZE, 0 <= j, j < SIZE,
    ]  # fmt: skip
    # The copy reads i of range(max(begin, 0), min(end, out.size)): its bounds are proved, then i is assumed within.
    begin = START * group - POSITION % group
    count = z3.If(groups - START < step, groups - START, step)
    end = begin + count * group
    bounds += [ITERATION >= begin, ITERATION < end]
    for conditions, (record, stores) in paths(run, *bounds):
        ((stop, by),) = passes
        prove(z3.And(Int64(0).like(stop).value == groups, by.value == step), *conditions)
        drawn, numbers = record["drawn"], record["numbers"]
        first = right_word(POSITION - POSITION % group, group, group_words, 0) + START * group_words
        prove(record["offset"].value == first, *conditions)
        prove(z3.And(drawn.start.value == 0, drawn.size.value == count * group_words), *conditions)
        prove(numbers.size.value == count * group, *conditions)
        if isinstance(numbers, Temporary):
            ((copy_begin, copy_end),) = record["copies"]
            prove(copy_begin.value == z3.If(begin > 0, begin, z3.IntVal(0)), *conditions)
            prove(copy_end.value == z3.If(end < SIZE, end, SIZE), *conditions)
            ((index, (_, source)),) = stores
            prove(z3.And(index.value == ITERATION, source.value == ITERATION - begin), *conditions)
        else:
            prove(z3.And(numbers.start.value == begin, begin >= 0, end <= SIZE), *conditions)
    # Number j of the row is in one pass: that of group (position % group + j) // group.
    at = (POSITION % group + j) / group
    prove(z3.And(0 <= at, at < groups), *bounds)


class Temporary(Numbers):
    """Numbers of which only some are copied to the output."""


RULE_OF = {(1, 1): "uniform_f32", (1, 2): "uniform_f64", (2, 2): "normal_f32", (2, 4): "normal_f64"}
