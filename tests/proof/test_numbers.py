"""The words of numbers that are not consecutive (fill.py): the place of each, for all positions, steps and groups.

As in test_fill_words.py, one iteration of the loop stands for all. The product of two unknown numbers, i * step, is an
unknown number itself here: the code and the claim must have the same product.
"""

import pytest
from symbolic import Fault, Int64, claim, code_of, loop_of, paths, prove, to_uint64, z3

pytest.importorskip("numba")

from dmlrand.kernels import fill, philox

LOW, HIGH, LANE, POSITION, ITERATION, SIZE = z3.Ints("low high lane position i size")
NAMES = dict(uint64=to_uint64, WORD_BITS=32)
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


class Block:
    """The words of a block, by lane: pairs of the block's counter and the lane."""

    def __init__(self, low, high, k0, k1):
        self.counter = low.value + high.value * (1 << 64)

    def __getitem__(self, lane):
        return self.counter, Int64(0).like(lane).value

    def __iter__(self):
        return iter([self[lane] for lane in range(4)])


class Index(Int64):
    """i, whose product with step is the number `product`."""

    def __mul__(self, other):
        return Int64(z3.Int("product")) if other == "step" else super().__mul__(other)

    __rmul__ = __mul__


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
    Fault("draw_apart", "k1, offset + j", "k1, offset"),
    Fault("word_at", "[offset & 3]", "[offset & 1]"),
    kinds=[(*kind, in_one_block) for kind in KINDS for in_one_block in (True, False)],
)
def test_draw_apart(fault, group, group_words, in_one_block):
    """Group i of the scratch holds the words of the group of number position + i * step."""
    add_blocks = code_of(philox.add_blocks, fault, **NAMES)
    word_at = code_of(philox.word_at, fault, **NAMES, add_blocks=add_blocks, block_at=Block)
    names = NAMES | dict(add_blocks=add_blocks, block_at=Block, word_at=word_at)
    body = loop_of(fill.draw_apart, fault=fault, **names)

    def run():
        scratch = Scratch(None)
        body(
            low=Int64(LOW, True), high=Int64(HIGH, True), k0=None, k1=None, lane=Int64(LANE), position=Int64(POSITION),
            step="step", group=group, group_words=group_words, words=scratch, i=Index(ITERATION),
            in_one_block=in_one_block,
        )  # fmt: skip
        return scratch.stores

    product = z3.Int("product")
    bounds = [*BOUNDS, 0 <= product, product < 1 << 60]
    if in_one_block:
        bounds.append(LANE % group_words == 0)
    for conditions, stores in paths(run, *bounds):
        assert len(stores) == group_words
        for j, (index, (block, lane)) in enumerate(stores):
            place = right_word(POSITION + product, group, group_words, j)
            counter = (LOW + HIGH * (1 << 64) + place / 4) % (1 << 128)
            prove(z3.And(index == ITERATION * group_words + j, lane == place % 4), *conditions)
            prove(block == counter, *conditions)
