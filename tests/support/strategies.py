"""Strategies for hypothesis: numbers near the carries of a counter, states, and layouts of memory."""

from math import prod

import numpy as np
import oracle
from hypothesis import strategies as st


def edge_ints(bits):
    """Ints in [0, 2**bits): 0, 1, each 32-bit boundary and its neighbours, 2**bits - 1, and any other int."""
    boundaries = [1 << position for position in range(32, bits + 1, 32)]
    near = {edge + step for edge in [0, *boundaries] for step in range(-9, 10)}
    edges = sorted(number for number in near if 0 <= number < 1 << bits)
    anything = st.integers(0, (1 << bits) - 1)
    carrying = st.builds(_about_to_carry, anything, st.sampled_from(boundaries))
    return st.one_of(st.sampled_from(edges), anything, carrying)


def _about_to_carry(number, boundary):
    """`number` moved to just below a multiple of `boundary`, by setting all lower bits but the last three."""
    return number | (boundary - 1) & ~7


counters = edge_ints(128)
keys = edge_ints(64)
ranks = st.integers(1, 8)


def shape_of_state(rank):
    return (1,) * (rank - 1) + (6,)


@st.composite
def states(draw):
    """(state, counter, key): a state as an array of any rank, a list or a tuple, with its two integers."""
    counter, key = draw(counters), draw(keys)
    numbers = oracle.state_words(counter, key)
    kind = draw(st.sampled_from(["array", "array", "read-only", "strided", "reversed", "list", "tuple"]))
    if kind in ("list", "tuple"):
        return (numbers if kind == "list" else tuple(numbers)), counter, key
    array = np.array(numbers, np.uint32).reshape(shape_of_state(draw(ranks)))
    if kind == "strided":
        array = np.repeat(array, 3, axis=-1)[..., ::3]
    if kind == "reversed":
        array = array[..., ::-1].copy()[..., ::-1]
    if kind == "read-only":
        array.flags.writeable = False
    return array, counter, key


def shapes(max_rank=8, max_side=4):
    """Shapes of rank 1 to 8 with few elements; sizes 0 and 1 are common."""
    sides = st.one_of(st.integers(0, max_side), st.just(1))
    return st.lists(sides, min_size=1, max_size=max_rank).map(tuple).filter(lambda shape: np.prod(shape) <= 600)


class Layout:
    """An output of any strides (in bytes) in a buffer of guard bytes. Its elements may be unaligned or overlap."""

    def __init__(self, shape, strides, lead):
        spans = [stride * (size - 1) for size, stride in zip(shape, strides) if size]
        self.start = lead - sum(span for span in spans if span < 0)
        self.buffer = np.full(self.start + sum(span for span in spans if span > 0) + 4 + lead, 0xA5, np.uint8)
        self.out = np.ndarray(shape, np.uint32, self.buffer, self.start, strides)
        self.addresses = [
            self.start + sum(i * stride for i, stride in zip(index, strides)) for index in np.ndindex(*shape)
        ]

    def overlaps(self):
        """Whether a stride is below what the smaller ones span: draws refuse such an output."""
        span = 4
        for stride, size in sorted((abs(stride), size) for stride, size in zip(self.out.strides, self.out.shape)):
            if size > 1 and stride < span:
                return self.out.size > 0
            span += stride * max(size - 1, 0)
        return False

    def expected(self, words):
        """The buffer after `words` were written in row-major order, and nothing else."""
        buffer = self.buffer.copy()
        for address, word in zip(self.addresses, words):
            buffer[address : address + 4] = np.array([word], np.uint32).view(np.uint8)
        return buffer


@st.composite
def layouts(draw):
    """Layouts of all kinds: transposed, reversed, stepped, interleaved, zero-stepped, unaligned, overlapping."""
    shape = draw(st.lists(st.integers(0, 4), min_size=1, max_size=4).map(tuple))
    lead = draw(st.sampled_from([16, 16, 17, 18]))
    if draw(
        st.booleans()
    ):  # axes in any order. Each steps over the memory of the smaller ones, so elements never overlap
        strides, span = [0] * len(shape), 4
        for axis in draw(st.permutations(range(len(shape)))):
            strides[axis] = draw(st.sampled_from([1, -1])) * (span + draw(st.sampled_from([0, 4, 8, 1])))
            span = abs(strides[axis]) * max(1, shape[axis])
    else:
        unit = draw(st.sampled_from([4, 4, 1]))
        strides = [unit * draw(st.integers(-16, 16)) for _ in shape]
    return Layout(shape, tuple(strides), lead)


# Text that UTF-8 can encode, so without lone surrogates.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def ends():
    return st.one_of(st.none(), st.integers(-8, 8), st.sampled_from([-(2**70), 2**70]))


def windows_of(shape):
    """Any expression of ints, slices of positive step and an Ellipsis that numpy takes for this shape."""
    slices = st.builds(slice, ends(), ends(), st.sampled_from([None, 1, 2, 3, 4, 5, 7, 2**65]))
    indices = st.tuples(*[st.one_of(slices, st.integers(-size, size - 1)) if size else slices for size in shape])

    def cut(drawn):
        """Leave out axes from `first` to `last`, an Ellipsis or nothing in their place."""
        items, first, last, dots = drawn
        if dots:
            return (*items[:first], Ellipsis, *items[max(first, last) :])
        return items[:first] if len(items[:first]) != 1 else items[0]

    rank = len(shape)
    return st.tuples(indices, st.integers(0, rank), st.integers(0, rank), st.booleans()).map(cut)


# Two rows or more, which are not adjacent: of 50 windows of any kind, hardly one has such rows.
windows_of_rows = st.lists(
    st.tuples(st.integers(3, 5), st.integers(0, 1), st.integers(1, 2)), min_size=2, max_size=4
).map(
    lambda axes: (
        tuple(size for size, _, _ in axes),
        (*(slice(start, None, step) for _, start, step in axes[:-1]), slice(1, None, axes[-1][2])),
    )
)
shapes_and_windows = st.one_of(
    windows_of_rows,
    st.lists(st.integers(0, 5), min_size=1, max_size=5)
    .filter(lambda shape: prod(shape) <= 400)
    .flatmap(lambda shape: st.tuples(st.just(tuple(shape)), windows_of(shape))),
)
