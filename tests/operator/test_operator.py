"""random_generator: the words, the next state, purity, and every refusal with its wording."""

import re

import numpy as np
import oracle
import pytest
from hypothesis import given, strategies as st
from recorded import assert_recorded, each, to_int
from strategies import shapes, states

from dmlrand import (
    RandomGeneratorOutputs,
    advance_blocks,
    blocks_for,
    make_state,
    random_generator,
)

pytestmark = pytest.mark.both_kinds

# Recorded answers


@each("philox_words")
def test_words_of_tensorflow(case):
    """operator 1.1 and 5.2; promises 1"""
    shape = case["shape"] or [1]  # rank 0 is TensorFlow's alone; its one word is the first one
    values, state = random_generator(case["state"], shape)
    assert_recorded(values, {**case, "shape": shape})
    assert state.tolist() == case["new_state"]


@each("randomgen_philox4x32")
def test_words_of_randomgen_which_starts_one_block_later(case):
    """operator 1.1"""
    state = make_state(counter=to_int(case["counter"]), key=to_int(case["key"]))
    values, _ = random_generator(advance_blocks(state, 1), case["n"])
    assert values.tolist() == case["result"]


# DirectML's page prints HelloFromSeattle -> HelloFromSeatown for this draw, which is a step back: the two were
# swapped. Both readings, with the right arithmetic.
@pytest.mark.parametrize(
    "before, after",
    [
        (0x48656C6C6F46726F6D536561746F776E, 0x48656C6C6F46726F6D53656174746C65),
        (0x48656C6C6F46726F6D53656174746C65, 0x48656C6C6F46726F6D5365617479615C),
    ],
)
def test_directml_s_documented_example(before, after):
    """operator 5.1, the erratum; 2.1"""
    state = make_state(counter=before, key=0x0123456789ABCDEF).reshape(1, 1, 1, 6)
    values, new_state = random_generator(state, (3, 3, 20, 7219))
    assert values.shape == (3, 3, 20, 7219) and new_state.shape == (1, 1, 1, 6)
    assert after - before == 324_855 == blocks_for(values.size)
    assert new_state.ravel().tolist() == oracle.state_words(after, 0x0123456789ABCDEF)
    flat = values.ravel()
    assert flat[:64].tolist() == oracle.words(before, 0x0123456789ABCDEF, 0, 64)
    assert flat[-63:].tolist() == oracle.words(before, 0x0123456789ABCDEF, flat.size - 63, 63)


# The oracle


@given(drawn=states(), shape=shapes())
def test_words_and_state_agree_with_the_oracle(drawn, shape):
    """operator 1.1, 1.2, 2.1 to 2.3, 3.3, 5.4 and 5.5; words 1 to 3 and 8"""
    state, counter, key = drawn
    outputs = random_generator(state, shape)
    n = outputs.values.size
    assert outputs.values.shape == shape and outputs.values.dtype == np.uint32
    assert outputs.values.ravel().tolist() == oracle.words(counter, key, 0, n)
    assert outputs.state.shape == np.shape(state) and outputs.state.dtype == np.uint32
    assert outputs.state.ravel().tolist() == oracle.new_state_words(counter, key, n)


# Arguments


@given(
    drawn=states(), n=st.integers(0, 9), given=st.sampled_from(["shape", "out", "shape out"]),
    step=st.sampled_from([1, 2]),
)  # fmt: skip
def test_output_state_can_be_left_out(drawn, n, given, step):
    """operator 2.3 and 3.5"""
    assert type(random_generator(make_state(), 1)) is RandomGeneratorOutputs
    state, counter, key = drawn
    possible = {"shape": n, "out": np.empty(n * step, np.uint32)[::step]}
    outputs = random_generator(state, **{name: possible[name] for name in given.split()}, output_state=False)
    assert outputs.state is None
    assert outputs.values.tolist() == oracle.words(counter, key, 0, n)


# Purity


@given(drawn=states(), n=st.integers(0, 40))
def test_inputs_are_only_read_and_outputs_are_fresh(drawn, n):
    """operator 1.3; state 1.3; promises 5"""
    state, counter, key = drawn
    shape = [n, 1]
    first, second = random_generator(state, shape), random_generator(state, shape)
    assert np.array(state).ravel().tolist() == oracle.state_words(counter, key) and shape == [n, 1]
    assert first.values.tolist() == second.values.tolist() and first.state.tolist() == second.state.tolist()
    arrays = [*first, *second] + ([state] if isinstance(state, np.ndarray) else [])
    for i, array in enumerate(arrays):
        assert not any(np.shares_memory(array, other) for other in arrays[i + 1 :])
    assert all(type(array) is np.ndarray and array.flags.writeable for array in [*first, *second])


# Refused

SHAPE = "shape must be an integer, or a tuple or list of integers; got"
TYPE = "type must be 'PHILOX_4X32_10', the only generator of DirectML, with or without DML_RANDOM_GENERATOR_TYPE_; got"
TOO_LARGE = "shape must describe fewer than 2**63 bytes; got"
RANK = "shape must have rank 1 to 8; got"
REFUSED = {
    "neither": ({}, TypeError, "shape must be given if out is not; got neither. Pass shape for a new array, or out"),
    "both": ({"shape": 4, "out": np.zeros(5, np.uint32)}, ValueError, "shape must be the shape of out, or None; got "),
    "float shape": ({"shape": 4.0}, TypeError, f"{SHAPE} 4.0 of type float. Pass one of these."),
    "text shape": ({"shape": "44"}, TypeError, f"{SHAPE} '44' of type str."),
    "array shape": ({"shape": np.array([4])}, TypeError, f"{SHAPE} array([4]) of type ndarray."),
    "negative sizes": ({"shape": (-2, -1)}, ValueError, "shape[0] must be at least 0; got -2."),
    "negative size": ({"shape": (2, -1)}, ValueError, "shape[1] must be at least 0; got -1."),
    "rank 0": ({"shape": ()}, ValueError, f"{RANK} () of rank 0. Methods of Stream return"),
    "rank 9": ({"shape": [1] * 9}, ValueError, f"{RANK} {(1,) * 9} of rank 9."),
    "2**63 bytes": ({"shape": 2**61}, ValueError, f"{TOO_LARGE} ({2**61},) with 4 bytes an element. Use several"),
    "beyond ints": ({"shape": 2**70}, ValueError, f"{TOO_LARGE} ({2**70},) with 4 bytes an element."),
    "none, but huge": ({"shape": (0, 2**61)}, ValueError, f"{TOO_LARGE} (0, {2**61}) with 4 bytes an element."),
    "other type": ({"shape": 4, "type": "PHILOX_4X32_7"}, ValueError, f"{TYPE} 'PHILOX_4X32_7'."),
    "no type": ({"shape": 4, "type": None}, ValueError, f"{TYPE} None."),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_argument_is_refused_and_the_state_untouched(case):
    """operator 3.1, 3.2, 3.5, 3.6, 3.7 and 5.6"""
    arguments, error, message = REFUSED[case]
    state = make_state(counter=2**128 - 1, key=7)
    with pytest.raises(error, match="^" + re.escape(message)):
        random_generator(state, **arguments)
    assert state.tolist() == oracle.state_words(2**128 - 1, 7)
    assert not np.any(arguments.get("out", 0))


@pytest.mark.parametrize("shape", [2**60, (2**30, 2**30)])
def test_a_shape_that_numpy_can_index_but_not_hold_is_a_memory_error(shape):
    """operator 3.2"""
    state = make_state(counter=5, key=7)
    with pytest.raises(MemoryError):
        random_generator(state, shape)
    assert state.tolist() == [5, 0, 0, 0, 7, 0]
