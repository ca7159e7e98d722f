"""Arrays and dtypes of other packages. specs/operator.md, section 6. test_interchange_peers.py has PyTorch and JAX."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import states

from dmlrand import (
    Stream,
    advance_blocks,
    batch,
    integers,
    make_state,
    normal,
    random_generator,
    random_window,
    split,
    uniform,
)

STATE = make_state(counter=2**64 - 1, key=42)


class Exporter:
    """An array that other packages reach by DLPack alone."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class OldExporter(Exporter):
    """One from before DLPack 1.0, which knows neither versions nor read-only memory."""

    def __dlpack__(self, *, stream=None):
        return self._array.__dlpack__(stream=stream)


class Negated(Exporter):
    """As PyTorch's tensors with the negative bit: what is exported are not the elements."""

    def is_neg(self):
        return True


class CopyExporter(Exporter):
    """One that exports a new copy each time, as DLPack allows if the importer does not ask for the memory itself."""

    def __dlpack__(self, **options):
        return self._array.copy().__dlpack__(**options)


class Readable:
    """An array that numpy reads by the array protocol. It returns a copy, so it can be no output."""

    def __init__(self, array):
        self._array = array

    def __array__(self, dtype=None, copy=None):
        return self._array.copy()


WRITABLE = np.from_dlpack(Exporter(np.zeros(1))).flags.writeable  # numpy 2.1 and later
KINDS = [Exporter, OldExporter, Readable]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25)
@given(drawn=states())
def test_a_state_of_another_package_is_that_of_numpy(kind, drawn):
    """operator 6.1; state 1.1"""
    given_state, _, _ = drawn
    array = np.array(given_state, np.uint32)
    theirs = kind(array)
    values, after = random_generator(theirs, 5)
    assert type(values) is type(after) is np.ndarray
    assert after.shape == array.shape and not np.shares_memory(after, array)
    expected = random_generator(array, 5)
    assert values.tolist() == expected.values.tolist() and after.tolist() == expected.state.tolist()
    assert advance_blocks(theirs, 3).tolist() == advance_blocks(array, 3).tolist()
    assert split(theirs, 2).tolist() == split(array, 2).tolist()
    assert Stream(theirs, 1) == Stream(array, 1)
    assert uniform(theirs, 3).values.tolist() == uniform(array, 3).values.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_states_and_numbers_of_a_batch(kind):
    """operator 6.1; batch 2.1 and 3.3"""
    states, numbers = split(STATE, 35), np.arange(35, dtype=np.int64)
    theirs = kind(states)
    for draw in (batch.random_generator, batch.uniform, batch.normal):
        values, after = draw(theirs, (2, 3))
        expected = draw(states, (2, 3))
        assert type(values) is type(after) is np.ndarray and not np.shares_memory(after, states)
        assert values.tolist() == expected.values.tolist() and after.tolist() == expected.states.tolist()
    assert batch.split(theirs, 2).tolist() == batch.split(states, 2).tolist()
    for function in (batch.fold_in, batch.advance_blocks, batch.jump):
        assert function(theirs, kind(numbers)).tolist() == function(states, numbers).tolist()
        with pytest.raises(TypeError, match=f"a sequence of 35 ints or .* got {kind.__name__} of float64"):
            function(states, kind(numbers / 2))
    with pytest.raises(TypeError, match="^states must hold uint32 words; got int64 of shape .35, 6.*astype"):
        batch.uniform(kind(states.astype(np.int64)), 3)
    with pytest.raises(ValueError, match=r"^states must have the shape \(B, 6\): .* got \(6,\)"):
        batch.uniform(kind(STATE), 3)


DRAWS = {
    "words": (np.uint32, lambda out: random_generator(STATE, out=out).values),
    "window": (np.uint32, lambda out: random_window(STATE, (9, 6), np.s_[3:7, 1:6], out=out)),
    "uniform": (np.float64, lambda out: uniform(STATE, out=out, dtype="float64").values),
    "integers": (np.int32, lambda out: integers(STATE, low=0, high=9, out=out).values),
    "normal": (np.float16, lambda out: normal(STATE, out=out, dtype="float16").values),
    "batch words": (np.uint32, lambda out: batch.random_generator(split(STATE, 4), out=out).values),
    "batch normal": (np.float32, lambda out: batch.normal(split(STATE, 4), (5,), out=out).values),
    "stream words": (np.uint32, lambda out: Stream(STATE, 3).words(out=out)),
    "stream uniform": (np.float32, lambda out: Stream(STATE, 3).uniform(out=out)),
}


@pytest.mark.skipif(not WRITABLE, reason="this numpy takes memory of other packages as read-only")
@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("layout", [np.s_[:], np.s_[:, ::-1], np.s_[:, 1::2]], ids=["packed", "reversed", "stepped"])
def test_an_output_of_another_package_is_filled_in_place(draw, layout):
    """operator 6.2: the result is a numpy array over the memory of out."""
    dtype, call = DRAWS[draw]
    columns = 11 if layout == np.s_[:, 1::2] else 5
    here, there = np.zeros((4, columns), dtype)[layout], np.zeros((4, columns), dtype)[layout]
    values = call(Exporter(there))
    assert type(values) is np.ndarray and values.dtype == dtype
    assert values.ctypes.data == there.ctypes.data and values.strides == there.strides
    assert there.tolist() == call(here).tolist() and there.any()


WRITE = f"out must be an array that numpy can write to; got {__name__.partition('.')[0]}."
LEAVE_OUT = "Draw without out, then convert or copy the values."
OUT_IS_NO_ARRAY = "out must be a numpy array; got Readable. numpy.empty(shape, uint32) makes one."
REFUSED = {
    "dtype": (
        lambda a: Exporter(a.astype(np.int64)),
        TypeError,
        "out must hold uint32 in native byte order; got int64",
    ),
    "before DLPack 1.0": (
        OldExporter,
        ValueError,
        "out must be writable; got a read-only array. Draw without out, then convert or copy the values.",
    ),
    "negative bit": (
        Negated,
        TypeError,
        f"{WRITE}Negated (it has the negative bit: its elements are those in its memory, negated). {LEAVE_OUT}",
    ),
    "copy": (
        CopyExporter,
        TypeError,
        f"{WRITE}CopyExporter (it does not share its memory). {LEAVE_OUT}",
    ),
    "array protocol": (Readable, TypeError, OUT_IS_NO_ARRAY),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_output_that_numpy_cannot_write_to_is_refused(case):
    """operator 6.2 and 6.3"""
    make, error, message = REFUSED[case]
    memory = np.zeros(4, np.uint32)
    with pytest.raises(error, match="^" + re.escape(message)):
        random_generator(STATE, out=make(memory))
    assert not memory.any()


def test_a_state_that_numpy_cannot_read_is_refused_with_the_reason_and_the_conversion():
    """operator 6.3: NumPy exports no other byte order"""
    with pytest.raises(TypeError) as raised:
        random_generator(Exporter(STATE.astype(STATE.dtype.newbyteorder())), 4)
    start = f"state must be an array that numpy can read; got {__name__.partition('.')[0]}.Exporter ("
    remedy = "Pass a numpy array of its values, such as state.numpy(force=True) in PyTorch or numpy.array(state)."
    assert str(raised.value).startswith(start) and str(raised.value).endswith(remedy)


# Scalars and dtypes


class TorchLike:
    """The dtypes of PyTorch have no name but their str."""

    def __init__(self, name):
        self._name = name

    def __str__(self):
        return f"torch.{self._name}"


TorchLike.__module__ = "torch"


def test_dtypes_of_pytorch_are_read_by_their_name():
    """operator 6.4; distributions 2.2"""
    for name in ("float16", "float32", "float64"):
        assert uniform(STATE, 2, dtype=TorchLike(name)).values.dtype == name
    assert integers(STATE, 2, 0, 9, TorchLike("uint64")).values.dtype == "uint64"
    message = "dtype must be float16, float32, float64 or bfloat16, in native byte order; got "
    with pytest.raises(TypeError, match=f"^{message}"):
        uniform(STATE, 2, dtype=TorchLike("int8"))


@pytest.mark.parametrize("bound", [np.array(2.5), np.array(2), np.float32(2.5), np.uint8(2)])
def test_a_bound_may_be_an_array_of_rank_0(bound):
    """operator 6.4; distributions 2.3"""
    assert (
        uniform(STATE, 5, low=0, high=bound).values.tolist()
        == uniform(STATE, 5, low=0, high=float(bound)).values.tolist()
    )
    if bound.dtype.kind != "f":
        assert integers(STATE, 5, 0, bound).values.tolist() == integers(STATE, 5, 0, int(bound)).values.tolist()
