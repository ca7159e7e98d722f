"""Dask arrays: with any chunks, the array is the tensor. specs/dask.md. test_dask_cluster.py tests clusters."""

import os
import re
import subprocess
import sys
from functools import partial
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numbers_at import ALL, arguments_of
from paths import PACKAGE_PARENT
from strategies import states
from waiting import LIMIT

import dmlrand
from dmlrand import make_state
from dmlrand.dask import bernoulli, integers, normal, random_generator, uniform

pytestmark = pytest.mark.skipif(not find_spec("dask"), reason="dask is not installed (extra `dask`)")

CARRY = make_state(counter=2**64 - 9, key=7)  # its tensors cross a carry into counter word 2


def drawn_by(name, dtype):
    arguments = arguments_of(name, dtype)
    return (
        lambda state, shape, chunks="auto": getattr(dmlrand.dask, name)(state, shape, **arguments, chunks=chunks),
        partial(getattr(dmlrand, name), **arguments),
    )


# name: (as a Dask array, whole)
DRAWS = {
    "words": (random_generator, dmlrand.random_generator),
    **{f"{name} {dtype}": drawn_by(name, dtype) for name, dtype in ALL if dtype != "bfloat16"},
}


def computed(array):
    return array.compute(scheduler="synchronous")


def assert_equal(got, expected):
    """The same dtype, shape and bits."""
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    assert got.tobytes() == expected.tobytes()


@st.composite
def chunkings(draw, shape):
    """Sizes of chunks along each axis, in any cut, empty ones among them."""
    axes = []
    for size in shape:
        cuts = sorted(draw(st.lists(st.integers(0, size), max_size=4)))
        axes.append(tuple(end - start for start, end in zip([0, *cuts], [*cuts, size])))
    return tuple(axes)


@st.composite
def cut_shapes(draw):
    shape = draw(st.lists(st.integers(0, 7), min_size=1, max_size=4).map(tuple))
    return shape, draw(chunkings(shape))


# dask 1.1, 1.2


@pytest.mark.parametrize("name", DRAWS)
@settings(max_examples=7)
@given(cut=cut_shapes(), state=states())
def test_any_chunks_make_the_whole_tensor(name, cut, state):
    """dask 1.1, 1.2 and 2.2"""
    lazy, whole = DRAWS[name]
    shape, chunks = cut
    values, after = lazy(state[0], shape, chunks)
    expected, expected_after = whole(state[0], shape)
    assert values.chunks == chunks
    meta = values._meta
    assert type(meta) is np.ndarray and meta.shape == (0,) * len(shape)
    assert meta.dtype == values.dtype == expected.dtype
    assert_equal(computed(values), np.asarray(expected))
    assert_equal(after, expected_after)


INDICES = {
    "slice": np.s_[3:8, 1:],
    "steps": np.s_[::2, 1::3],
    "reversed": np.s_[::-1, ::-2],
    "int": np.s_[4],
    "ints": np.s_[4, 7],
    "dots": np.s_[..., 0],
    "new axis": np.s_[None, 2:5],
    "list": np.s_[[1, 3]],
    "list again": np.s_[:, [3, 1, 1]],
    "nothing": np.s_[5:5],
}


@pytest.mark.parametrize("index", INDICES)
def test_indexing_and_rechunking(index):
    """dask 1.1 and 2.4"""
    values, expected = normal(CARRY, (9, 11), chunks=(4, 3)).values, dmlrand.normal(CARRY, (9, 11)).values
    index = INDICES[index]
    assert_equal(np.asarray(computed(values[index])), np.asarray(expected[index]))
    assert_equal(np.asarray(computed(values.rechunk((2, 5))[index])), np.asarray(expected[index]))
    assert_equal(computed(values[2:][1:4]), expected[2:][1:4])
    assert_equal(computed(values.rechunk((7, 2)).T), expected.T)


def test_a_part_of_a_tensor_larger_than_any_memory():
    """dask 1.4"""
    values, state = uniform(CARRY, (2**40, 2**20), dtype="float64", chunks=((2**40 - 3, 3), (2**20 - 4, 4)))
    window = np.s_[2**40 - 3 :, 2**20 - 4 :]
    assert_equal(
        computed(values[window]), dmlrand.uniform(CARRY, (2**40, 2**20), dtype="float64", window=window).values
    )
    assert_equal(state, dmlrand.advance_blocks(CARRY, 2**59))


# Section 2 of the page: dtype and names


def test_different_arguments_give_different_names():
    """dask 2.3"""
    other = dmlrand.advance_blocks(CARRY, 1)
    arrays = [
        random_generator(CARRY, 9, 4),
        random_generator(other, 9, 4),
        random_generator(CARRY, 10, 4),
        random_generator(CARRY, (9, 1), 4),
        random_generator(CARRY, 9, 3),
        uniform(CARRY, 9, chunks=4),
        uniform(CARRY, 9, dtype="float64", chunks=4),
        uniform(CARRY, 9, low=0.1, dtype="float64", chunks=4),
        uniform(CARRY, 9, low=np.float32(0.1), dtype="float64", chunks=4),  # prints as 0.1, and is not
        uniform(CARRY, 9, low=0, high=2, chunks=4),
        normal(CARRY, 9, chunks=4),
        normal(CARRY, 9, mean=1, chunks=4),
        integers(CARRY, 9, 0, 1, chunks=4),
        integers(CARRY, 9, 0, 2, chunks=4),
        integers(CARRY, 9, 0, 2**53, "int64", chunks=4),
        integers(CARRY, 9, 0, 2**53 + 1, "int64", chunks=4),
        integers(CARRY, 9, 0, 1, "uint32", chunks=4),
        bernoulli(CARRY, 9, 0.1, chunks=4),
        bernoulli(CARRY, 9, np.float32(0.1), chunks=4),
    ]
    assert len({values.name for values, _ in arrays}) == len(arrays)


NAMES = """
from dmlrand import make_state
from dmlrand.dask import normal, random_generator
names = (
    random_generator(make_state(counter=5, key=7), (9, 11), (4, 3)).values.name,
    normal(make_state(counter=5, key=7), 9, mean=1, stddev=0.1).values.name,
)
"""


@pytest.mark.costly
def test_names_are_the_same_in_every_process():
    """dask 2.3"""
    here = {}
    exec(NAMES, here)
    environment = os.environ | {"PYTHONHASHSEED": "1", "PYTHONPATH": PACKAGE_PARENT}
    command = [sys.executable, "-c", f"{NAMES}\nprint(*names)"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True, timeout=LIMIT)
    assert done.stdout.split() == list(here["names"])


# Section 3 of the page: refused when asked for, not on a worker

# Dask takes these chunks, which do not cover the tensor.
SHORT = [((2, -2, 5),), ((np.nan, 2),), ((2.5, 2.5),)]
ADD_UP = "chunks must be sizes that add up to each axis of shape (5,); got"


@pytest.mark.parametrize(
    "ask, error, message",
    [
        (lambda: random_generator([1] * 5, 5), ValueError, "state must hold 6 uint32 words"),
        (lambda: random_generator(CARRY, 2**63), ValueError, "shape must use fewer than 2**63 words; got"),
        (lambda: uniform(CARRY, 2**62, dtype="float64"), ValueError, "shape must use fewer than 2**63 words; got"),
        (lambda: uniform(CARRY, 5, low=2, high=1), ValueError, "low must be below high"),
        (lambda: uniform(CARRY, 5, dtype="int32"), TypeError, "dtype must be float16, float32, float64 or bfloat16"),
        *((partial(random_generator, CARRY, 5, chunks), ValueError, ADD_UP) for chunks in SHORT),
    ],
)
def test_bad_arguments_are_refused_by_the_call(ask, error, message):
    """dask 2.1 and 3.1"""
    with pytest.raises(error, match="^" + re.escape(message)):
        ask()
