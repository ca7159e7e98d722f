"""Windows and regions: exactly the words that numpy's indexing of the whole tensor selects."""

from itertools import product

import numpy as np
import pytest
from symbolic import Fault, Integer, claim, code_of, loop_of, paths, prove, z3

from dmlrand.arrays import window as module
from dmlrand.arrays.window import StridedRegion

START, STOP, STEP, SIZE, OFFSET = z3.Ints("start stop step size offset")


class Slice:
    """A slice whose indices(size) are any numbers that Python's slices give."""

    start = stop = step = None

    def indices(self, size):
        return Integer(START), Integer(STOP), Integer(STEP)


def largest(a, b):
    a, b = (Integer(0).like(value).value for value in (a, b))
    return Integer(z3.If(a > b, a, b))


def least(a, b):
    a, b = (Integer(0).like(value).value for value in (a, b))
    return Integer(z3.If(a < b, a, b))


@claim(
    Fault("_read_slice", "(start - stop) // step", "(start - stop) // step + 1"),
    Fault("_read_slice", "max(1, size)", "max(1, size - 2)"),
    Fault("_read_slice", "-((start - stop) // step)", "(stop - start) // step"),
)
def test_slices_of_any_size_and_step(fault):
    """The count is that of the indices start, start + step, ... below stop. The step may be smaller for one index."""
    read = code_of(module._read_slice, fault, max=largest, min=least)
    bounds = [0 <= START, START <= SIZE, 0 <= STOP, STOP <= SIZE, STEP >= 1]

    def run():
        return [number.value for number in read(Slice(), 0, Integer(SIZE))]

    for conditions, (start, count, step) in paths(run, *bounds):
        prove(z3.And(start == START, count >= 0), *conditions)
        prove(z3.Implies(START < STOP, START + (count - 1) * STEP < STOP), *conditions)
        prove(z3.Implies(START < STOP, START + count * STEP >= STOP), *conditions)
        prove(z3.Implies(START >= STOP, count == 0), *conditions)
        prove(z3.Or(step == STEP, count <= 1), *conditions)


@claim(Fault("_read_int", "position % size", "position"))
def test_ints_of_any_size(fault):
    position = z3.Int("position")
    names = dict(check_int=lambda value, name: value, hasattr=lambda *_: True, is_bool=lambda value: False)
    read = code_of(module._read_int, fault, **names)
    bounds = [-SIZE <= position, position < SIZE]

    def run():
        return read(Integer(position), 0, Integer(SIZE))

    for conditions, result in paths(run, *bounds, SIZE > 0):
        prove(result.value == z3.If(position < 0, position + SIZE, position), *conditions)


@claim(
    Fault("coalesced", "strides[-1] == size * stride", "strides[-1] == stride"),
    Fault("coalesced", "if size == 1", "if size == 2"),
    Fault("coalesced", "sizes[-1] * size, stride", "sizes[-1] * size, strides[-1]"),
    Fault("coalesced", "sizes[-1] == 1", "sizes[-1] == 2"),
)
def test_axes_that_are_joined(fault):
    """One axis more, for all sizes and strides: the loop of `coalesced`, with any last axis so far.

    Index p of the last axis so far and index q of the new one name the same word as before. So, by induction, all
    regions of any rank keep their words and their order.
    """
    p, q, last_size, last_stride, size, stride = z3.Ints("p q last_size last_stride size stride")
    other = (Integer(z3.Int("s")), Integer(z3.Int("d")))
    body = loop_of(StridedRegion.coalesced, fault=fault)

    def run():
        sizes, strides = [other[0], Integer(last_size)], [other[1], Integer(last_stride)]

        body(sizes=sizes, strides=strides, size=Integer(size), stride=Integer(stride))
        return sizes, strides

    bounds = [0 <= p, p < last_size, 0 <= q, q < size]
    before = p * last_stride + q * stride
    for conditions, (sizes, strides) in paths(run, *bounds):
        assert sizes[0] is other[0] and strides[0] is other[1] and len(sizes) == len(strides)
        if len(sizes) == 3:  # two axes, with the same indices
            after = p * strides[1].value + q * strides[2].value
            prove(z3.And(sizes[1].value == last_size, sizes[2].value == size), *conditions)
        else:  # one axis, whose index counts both
            after = (p * size + q) * strides[1].value
            prove(sizes[1].value == last_size * size, *conditions)
        prove(after == before, *conditions)


def all_regions():
    """Windows of ints and slices over shapes of up to 3 axes."""
    for shape in (), (4,), (1, 3), (3, 0), (3, 4), (2, 3, 4):
        choices = [
            [size - 1, slice(None), slice(1, None), slice(0, 3, 2), slice(-2, None)][size == 0 :] for size in shape
        ]
        for window in product(*choices):
            yield shape, window


@claim(
    Fault("window_region", "step * strides[axis]", "strides[axis]"),
    Fault("window_region", "start * strides[axis]", "start"),
    Fault("whole_region", "strides[axis] * shape[axis]", "strides[axis] + shape[axis]"),
)
def test_regions_of_all_small_windows(fault):
    """Tried, not proved: the words of each region are those of numpy."""
    whole = code_of(module.whole_region, fault)
    region_of = code_of(module.window_region, fault, whole_region=whole)
    for shape, window in all_regions():
        expected = np.arange(int(np.prod(shape))).reshape(shape)[window].ravel().tolist()
        region = region_of(shape, window)
        prove(z3.BoolVal(words_of(region) == expected))


def words_of(region):
    places = [sum(i * stride for i, stride in zip(index, region.strides)) for index in np.ndindex(*region.sizes)]
    return [region.offset + place for place in places]


@claim(
    Fault("position_of", "index //= region[axis]", "index //= region[axis + 1]"),
    Fault("position_of", "index % region[axis]", "index"),
    kinds=[(2,), (3,)],
)
def test_the_position_of_an_element_of_a_region(fault, axes):
    """Element i0 * s1 + i1 of a region is number offset + i0 * d0 + i1 * d1, and so on: one axis at a time.

    The loop, from any position and index on: it adds index * stride, and goes on with the index of the outer axes.
    """
    pytest.importorskip("numba")
    from dmlrand.kernels import fill

    outer, index, size, stride, position = z3.Ints("outer index size stride position")

    class Index(Integer):
        """outer * size + index, with index in [0, size)."""

        def __mod__(self, other):
            return Integer(index) if other.value is size else super().__mod__(other)

        def __floordiv__(self, other):
            return Integer(outer) if other.value is size else Integer(z3.Int("wrong"))

    axis = 2 * (axes - 1)
    region = {axis: Integer(size), axis + 1: Integer(stride)}
    body = loop_of(fill.position_of, fault=fault)
    bounds = [0 <= index, index < size, 0 <= outer]
    after = body(region=region, axis=axis, position=Integer(position), index=Index(outer * size + index))
    prove(after["position"].value == position + index * stride, *bounds)
    prove(after["index"].value == outer, *bounds)
    # The two results that Index gives are those of division.
    prove(z3.And(outer * size + index < (outer + 1) * size, outer * size <= outer * size + index), *bounds)
