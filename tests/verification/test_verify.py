"""verify on correct and wrong words, in every layout, and its errors. specs/verify.md, sections 1 and 2."""

import re
import tracemalloc

import numpy as np
import oracle
import pytest
from hypothesis import given, settings, strategies as st
from strategies import layouts, states
from systems import OTHER_ORDER

import dmlrand
from dmlrand import (
    Mismatch,
    Segment,
    Verification,
    advance_blocks,
    make_state,
    random_generator,
    uniform,
    verify,
)

pytestmark = pytest.mark.both_kinds


def fill_layout(layout, words):
    """Store the words in the memory of a layout, and return the layout's array."""
    layout.buffer[:] = layout.expected(words)
    return layout.out


@given(drawn=states(), layout=layouts(), data=st.data())
@settings(max_examples=12)
def test_wrong_words_are_counted_and_the_first_is_reported(drawn, layout, data):
    """verify 1.1, 1.2, 2.1, 2.2"""
    state, counter, key = drawn
    size = layout.out.size
    if size == 0 or layout.overlaps():
        return
    right = oracle.words(counter, key, 0, size)
    wrong = sorted(data.draw(st.sets(st.integers(0, size - 1), max_size=5)))
    words = [word ^ (place in wrong) for place, word in enumerate(right)]
    values = fill_layout(layout, words)
    before = layout.buffer.copy()
    report = verify(state, values)
    assert (layout.buffer == before).all()
    assert report.ok == (not wrong)
    assert (report.words, report.mismatches, report.share) == (size, len(wrong), len(wrong) / size)
    if not wrong:
        assert report == Verification(True, size, 0, None, (), (Segment(0, size, 0),))
        return
    first = wrong[0]
    index = [index for index in np.ndindex(*layout.out.shape)][first]
    assert report.first_mismatch == Mismatch(first, index, first // 4, first % 4, right[first], words[first])
    assert all(type(number) is int for number in [*index, *report.first_mismatch[2:], first, report.mismatches])


@pytest.mark.parametrize("order", ["transposed", "reversed", "stepped", "repeated"])
@pytest.mark.parametrize("name", ["right", "first-block-skipped", "zero-tail"])
def test_tensors_longer_than_a_piece_in_any_layout(order, name):
    state = make_state(counter=2**32 - 5, key=7)
    source = advance_blocks(state, 1) if name == "first-block-skipped" else state
    shape = (3, 40_000) if order != "repeated" else (1, 120_000)
    flat = random_generator(source, shape).values
    if name == "zero-tail":
        flat[-1, -100:] = 0
    values = {
        "transposed": lambda: np.asfortranarray(flat),
        "reversed": lambda: flat[::-1, ::-1].copy()[::-1, ::-1],
        "stepped": lambda: np.repeat(flat, 2, axis=1)[:, ::2],
        "repeated": lambda: np.broadcast_to(flat, shape),
    }[order]()
    report = verify(state, values)
    assert report.ok == (name == "right")
    assert [finding.name for finding in report.diagnosis] == [name] * (name != "right")


def test_shapes_of_states_are_not_compared():
    """verify 1.1"""
    state = make_state(counter=5, key=7)
    values, new_state = random_generator(state, 9)
    assert verify(state.reshape(1, 1, 1, 6), values, new_state).ok
    assert verify(state.tolist(), values, tuple(new_state.tolist())).ok


def test_a_wrong_state_alone_is_not_ok():
    """verify 2.1"""
    state = make_state(counter=5, key=7)
    values = random_generator(state, 9).values
    report = verify(state, values, state)
    assert (report.ok, report.mismatches, report.first_mismatch) == (False, 0, None)
    assert [finding.name for finding in report.diagnosis] == ["state-not-advanced"]
    assert verify(state, values).ok


def test_a_mapped_file_is_read(tmp_path):
    """verify 1.2"""
    np.save(tmp_path / "v.npy", random_generator(make_state(counter=5, key=7), (3, 70_000)).values)
    assert verify(make_state(counter=5, key=7), np.load(tmp_path / "v.npy", mmap_mode="r")).ok


# verify 1.2: errors

SAME_BITS = "If the bytes are the device's words, pass values.view(numpy.uint32)."
ONE_WORD_EACH = "If each element is a word in [0, 2**32), pass values.astype(numpy.uint32)."
NUMBERS = "If they are uniform numbers in [0, 1), pass dtype='{}'. "
NO_WORDS = "Words cannot be recovered from numbers made of them: let the device store its words."


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        (np.ma.zeros(4, np.uint32), TypeError, "values must be a numpy array of uint32; got MaskedArray. numpy.array"),
        ([1, 2], TypeError, "values must be a numpy array of uint32; got list. numpy.array(values, numpy.uint32)"),
        (
            np.zeros(3, np.int32),
            TypeError,
            "values must hold uint32 words in native byte order; got int32 of shape (3,). If the bits are the device's "
            "words, pass dtype='int32'.",
        ),
        (
            np.zeros((2, 2), np.float32),
            TypeError,
            "got float32 of shape (2, 2). " + NUMBERS.format("float32") + SAME_BITS,
        ),
        (np.zeros(3, f"{OTHER_ORDER}i4"), TypeError, f"pass values.view('{OTHER_ORDER}u4').astype(numpy.uint32)."),
        (np.zeros(3, f"{OTHER_ORDER}u4"), TypeError, f"got {OTHER_ORDER}u4 of shape (3,). " + ONE_WORD_EACH),
        (np.zeros(8, np.uint8), TypeError, "got uint8 of shape (8,). " + SAME_BITS),
        (np.zeros(3, np.int64), TypeError, "got int64 of shape (3,). " + ONE_WORD_EACH),
        (np.zeros(3), TypeError, "got float64 of shape (3,). " + NUMBERS.format("float64") + NO_WORDS),
        (np.zeros(3, bool), TypeError, "got bool of shape (3,). " + NO_WORDS),
        (np.zeros((), np.uint32), ValueError, "values must have rank 1 to 8; got rank 0. Reshape the array."),
        (np.zeros((1,) * 9, np.uint32), ValueError, "values must have rank 1 to 8; got rank 9."),
        (np.zeros((2, 0), np.uint32), ValueError, "values must hold at least one word; got shape (2, 0)."),
    ],
)
def test_values_refused(values, error, message):
    with pytest.raises(error, match=re.escape(message)):
        verify(make_state(), values)


@pytest.mark.parametrize("dtype", ["float32", np.float64])
def test_numbers_are_compared_bit_by_bit(dtype):
    """verify 1.2 and 1.5: with a new state, which is that after one or two words for each number."""
    state = make_state(counter=2**32 - 2, key=7)
    values, after = uniform(state, (3, 5), dtype=dtype)
    report = verify(state, values, after, dtype=dtype)
    assert report.ok and report.words == 15
    values[2, 1] = np.nextafter(values[2, 1], 1, dtype=dtype)
    report = verify(state, values, state, dtype=dtype)
    assert (report.ok, report.mismatches, report.first_mismatch.index) == (False, 1, (2, 1))
    assert [finding.name for finding in report.diagnosis] == ["bits-flipped", "state-not-advanced"]
    assert verify(state, uniform(state, (3, 5), dtype=dtype).values, state, dtype=dtype).mismatches == 0
    with pytest.raises(TypeError, match=f"^values must hold {np.dtype(dtype)} in native byte order; got uint32 of "):
        verify(state, np.zeros(4, np.uint32), dtype=dtype)


def test_the_bits_of_int32_are_words():
    """verify 1.2"""
    state = make_state(key=7)
    values, after = random_generator(state, (4, 6))
    signed = values.view(np.int32)
    assert verify(state, signed, after, dtype="int32") == verify(state, values, after)
    assert verify(state, signed[::-1, ::2], dtype="int32") == verify(state, values[::-1, ::2])
    message = "dtype must be uint32, int32, float32 or float64, in native byte order; got 'float16'."
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        verify(state, values, dtype="float16")


@pytest.mark.parametrize(
    ("states", "error", "message"),
    [
        (([1, 2, 3, 4], None), ValueError, "state must hold 6 uint32 words"),
        (([0] * 6, [1, 2, 3, 4]), ValueError, "new_state must hold 6 uint32 words (4 of counter, 2 of key)"),
        (([0] * 6, np.zeros(6)), TypeError, "new_state must hold uint32 words; got float64"),
        ((None, None), TypeError, "state must be a uint32 array or a sequence of 6 ints; got NoneType"),
    ],
)
def test_states_refused(states, error, message):
    state, new_state = states
    with pytest.raises(error, match=re.escape(message)):
        verify(state, np.zeros(4, np.uint32), new_state)


@pytest.mark.costly
@pytest.mark.parametrize("skip", [0, 1])
def test_a_call_uses_little_memory(skip):
    """verify 1.3: the expected tensor would be 16 MiB. A diagnosis holds blocks of every generator, and a piece."""
    state = make_state(counter=5, key=7)
    values = random_generator(advance_blocks(state, skip), 1 << 22).values
    verify(state, values[:8])  # compiled, loaded
    tracemalloc.start()
    report = verify(state, values)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert report.ok == (skip == 0)
    assert peak < 6 << 20


@pytest.mark.costly
def test_a_search_that_finds_nothing_uses_little_memory():
    """verify 1.3: a tensor of 128 MiB"""
    state = make_state(counter=5, key=7)
    values = np.random.default_rng(3).integers(1 << 32, size=1 << 25, dtype=np.uint32) * np.uint32(3)
    tracemalloc.start()
    report = verify(state, values)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert report.diagnosis == ()
    assert peak < 150 << 20


@pytest.mark.parametrize(
    ("distribution", "dtype", "parameters"),
    [
        ("uniform", None, {"low": -2, "high": 7}),
        ("uniform", "float16", {}),
        ("normal", None, {}),
        ("normal", "float64", {"mean": 5, "stddev": 2}),
        ("integers", None, {"low": -3, "high": 50}),
        ("integers", "uint64", {"low": 0, "high": 2**60}),
        ("exponential", "float32", {"scale": 3}),
        ("bernoulli", None, {"p": 0.3}),
    ],
)
@pytest.mark.parametrize("shape", [(7,), (3, 5, 7), (700, 101)])
def test_numbers_of_a_distribution(distribution, dtype, parameters, shape):
    """verify 1.4: bit by bit, from any place on."""
    state = make_state(counter=2**32 - 9, key=5)
    given = parameters if dtype is None else parameters | {"dtype": dtype}
    outputs = getattr(dmlrand, distribution)(state, shape, **given)
    options = {"distribution": distribution, "dtype": dtype, **parameters}
    for values in (outputs.values, np.asfortranarray(outputs.values)):
        report = verify(state, values, outputs.state, **options)
        assert report.ok and report.dtype == values.dtype.name
    outputs.values[-1] = ~outputs.values[-1] if values.dtype.kind == "b" else outputs.values[-1] + 1
    report = verify(state, outputs.values, **options)
    size = int(np.prod(shape[1:]))
    assert not report.ok and report.mismatches == size
    assert report.first_mismatch.flat_index == outputs.values.size - size
    (finding,) = report.diagnosis
    assert finding.name == "other-numbers"
    assert finding.sentence.startswith(f"The numbers are not those of {distribution}(")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"low": 3}, "distribution 'words' takes no parameters; got low. Leave it out."),
        ({"distribution": "gamma"}, "distribution must be 'words', "),
        ({"distribution": "normal", "dtype": "int32"}, "dtype must be float16, float32"),
    ],
)
def test_a_distribution_that_is_refused(options, message):
    """verify 1.4"""
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(message)}"):
        verify(make_state(), np.zeros(4, np.uint32), **options)
