"""Batches of states: each row is what the function for a single state gives. specs/batch.md"""

import re
import tracemalloc
from functools import partial

import numpy as np
import oracle
import pytest
from hypothesis import example, given, settings, strategies as st
from numbers_at import ALL, arguments_of, bits_of
from strategies import counters, keys, shapes
from thinning import with_costly

import dmlrand
from dmlrand import batch, make_state
from dmlrand.drawing.filling import THREADING_MIN_BYTES

pytestmark = pytest.mark.both_kinds

# Counters around each carry, each in some rows only.
COUNTERS = [
    (1 << bits) - before & (1 << 128) - 1 for bits in (32, 64, 96, 128) for before in (0, 1, 2, 3, 8, 9, 12, 13, 25)
]
COUNTERS += [12345 * i for i in range(70)]
COUNTERS += [(1 << bits) - before for bits in (32, 64) for before in (31, 32, 33, 63, 64, 65)]  # ends of vector steps
NUMBERS = [(counter, 0x0123456789ABCDEF * i % 2**64) for i, counter in enumerate(COUNTERS)]
STATES = np.array([oracle.state_words(*each) for each in NUMBERS], np.uint32)

DRAWS = {  # name: function, rules
    "words": lambda: ("random_generator", {}),
    "full range": lambda: ("integers", {"low": 0, "high": 2**32, "dtype": "uint32"}),
    **{f"{name} {dtype}": partial(lambda *case: (case[0], arguments_of(*case)), name, dtype) for name, dtype in ALL},
}


def draw(name, states, shape, **options):
    function, rules = DRAWS[name]()
    return getattr(batch, function)(states, shape, **rules, **options)


def one_by_one(name, states, shape):
    """The values and the new states of single calls."""
    function, rules = DRAWS[name]()
    rows = [getattr(dmlrand, function)(state, shape, **rules) for state in states]
    return np.array([row.values for row in rows]), np.array([row.state for row in rows])


def assert_rows(name, states, shape, **options):
    values, after = draw(name, states, shape, **options)
    expected, expected_states = one_by_one(name, states, shape)
    assert values.dtype == expected.dtype and values.shape == expected.shape
    assert bits_of(values) == bits_of(expected)
    assert after.dtype == np.uint32 and after.tolist() == expected_states.tolist()


# Rows


LONG = (192, 223, 224, 255, 256, 257, 288, 320, 321, 352, 384)  # each number of groups that a step can leave over
LENGTHS = (*range(1, 42), 47, 48, 49, 63, 64, 65, *range(188, 198), *LONG)


def check_words(lengths):
    words = [oracle.words(*each, 0, max(lengths)) for each in NUMBERS]
    for n in lengths:
        values, states = batch.random_generator(STATES, n)
        assert values.tolist() == [row[:n] for row in words]
        assert states.tolist() == [oracle.new_state_words(*each, n) for each in NUMBERS]


def test_rows_of_words_of_any_length():
    """batch 1.1 and 2.5"""
    check_words(LENGTHS)


@pytest.mark.parametrize("name", DRAWS)
def test_rows_of_numbers_of_any_length(name):
    """batch 1.1"""
    for n in (0, 1, 2, 3, 4, 5, 6, 7, 25, 48):
        assert_rows(name, STATES[:39], n)


@settings(max_examples=40)
@given(st.lists(st.tuples(counters, keys), max_size=5), shapes(), st.sampled_from([*DRAWS]))
@example([], (3, 2), "normal float64")
@example([(2**128 - 1, 7)], (3, 0), "words")
def test_any_states_and_shape(numbers, shape, name):
    """batch 1.1, 1.3 and 1.4"""
    states = [make_state(counter=counter, key=key) for counter, key in numbers]
    if states:
        assert_rows(name, states, shape)
    result = draw(name, states, shape)
    assert type(result) is batch.Batch
    assert result.values.shape == (len(states), *shape) and result.states.shape == (len(states), 6)


# Arguments


@pytest.mark.parametrize("name", ["words", "uniform float64", "normal float32", "normal float64", "normal float16"])
def test_out_of_any_strides(name):
    """batch 2.2: nothing between the elements is written."""
    for shape in ((9,), (3, 5)):
        expected, expected_states = draw(name, STATES, shape)
        size = expected.itemsize
        for stride in (size, 2 * size, size + 1):  # packed, with gaps, unaligned
            memory = np.full(1 + expected.size * stride, 77, np.uint8)
            strides = [stride * s // size for s in expected.strides]
            out = np.ndarray(expected.shape, expected.dtype, memory, 1, strides)[::-1]
            values, states = draw(name, STATES, None, out=out)
            assert values is out and bits_of(out) == bits_of(expected)
            assert states.tolist() == expected_states.tolist()
            out[:] = np.frombuffer(bytes([77] * size), out.dtype)[0]
            assert (memory == 77).all()
        out = np.empty(expected.shape[::-1], expected.dtype).T
        assert bits_of(draw(name, STATES, shape, out=out).values) == bits_of(expected)


@pytest.mark.compiled
@pytest.mark.parametrize("name", with_costly(["words"], ["uniform float16", "uniform float64", "normal float32"]))
@pytest.mark.parametrize("rows", [2, 3001, 600_001])
def test_bits_do_not_depend_on_threads(name, rows):
    """batch 1.2"""
    bytes_of_word = 2 if name == "uniform float16" else 4
    states = np.resize(STATES, (rows, 6))
    n = THREADING_MIN_BYTES // bytes_of_word // rows + 1
    expected, expected_states = draw(name, states, n)
    out = np.empty((n, rows), expected.dtype).T if rows == 3001 else None
    for threads in (2, 3, 4):
        values, after = draw(name, states, n, threads=threads, out=out)
        assert values.nbytes >= THREADING_MIN_BYTES
        assert np.array_equal(values, expected) and np.array_equal(after, expected_states)


def layouts_of_states(tmp_path):
    read_only = STATES.copy()
    read_only.flags.writeable = False
    mapped = np.memmap(tmp_path / "states", np.uint32, "w+", shape=STATES.shape)
    mapped[:] = STATES
    unaligned = np.frombuffer(b"\0" + STATES.tobytes(), np.uint32, offset=1).reshape(-1, 6)
    wide = np.repeat(STATES, 2, axis=1)[:, ::2]
    arrays = [STATES, read_only, mapped, unaligned, wide, STATES[::-1].copy()[::-1], np.asfortranarray(STATES)]
    return [*arrays, list(STATES), tuple(STATES.tolist()), [state.reshape(1, 1, 6) for state in STATES]]


def test_states_in_any_layout_are_read_and_not_changed(tmp_path):
    """batch 2.1"""
    expected, expected_states = batch.normal(STATES, 5)
    words = batch.random_generator(STATES, 5).values
    before = STATES.copy()
    for states in layouts_of_states(tmp_path):
        values, after = batch.normal(states, 5)
        assert values.tolist() == expected.tolist() and after.tolist() == expected_states.tolist()
        assert batch.random_generator(states, 5).values.tolist() == words.tolist()
        for result in (batch.split(states, 1), batch.fold_in(states, 3), batch.jump(states), after):
            assert type(result) is np.ndarray and not np.shares_memory(result, STATES)
        assert batch.jump(states, 0).tolist() == np.array(states).reshape(-1, 6).tolist() == before.tolist()


FULL = STATES[:3]
REFUSED = {
    "no array": ({"states": 5}, TypeError, "states must be a uint32 array of shape (B, 6) or a sequence of states; "
        "got int. split(state, B) makes such an array."),
    "dtype": ({"states": FULL.astype(np.int64)}, TypeError, "states must hold uint32 words; got int64 of shape (3, "
        "6). If all its values are in [0, 2**32), convert"),
    "one state": ({"states": FULL[0]}, ValueError, "states must have the shape (B, 6): 6 words for each of B states; "
        "got (6,). Reshape it with reshape(-1, 6)"),
    "rank 3": ({"states": FULL[None]}, ValueError, "states must have the shape (B, 6): 6 words for each of B states; "
        "got (1, 3, 6)."),
    "a bad row": ({"states": [FULL[0], [1, 2, 3, 4, 5, -6]]}, ValueError, "states[1][5] must be in [0, 2**32); "
        "got -6."),
    "neither": ({"shape": None}, TypeError, "shape must be given if out is not; got neither. Pass shape for a new "
        "array"),
    "too large": ({"shape": 2**60}, ValueError, "(B, *shape) must describe fewer than 2**63 bytes; got (3, "
        "1152921504606846976) with 4 bytes"),
    "out's dtype": ({"out": np.zeros((3, 5), np.int16)}, TypeError, "out must hold uint32 in native byte order; got "
        "int16."),
    "out's shape": ({"out": np.zeros((3, 4), np.uint32)}, ValueError, "out must have the shape (3, 5); got (3, 4). "
        "Pass a reshaped view, or other states."),
    "out's rows": ({"out": np.zeros((4, 5), np.uint32), "shape": None}, ValueError, "out must have the shape (3, 5); "
        "got (4, 5)."),
    "out's rank": ({"out": np.zeros(3, np.uint32), "shape": None}, ValueError, "shape must have rank 1 to 8; got ()"),
    "out of states": ({"out": FULL[:, :5]}, ValueError, "out must not share memory with the state; got one that does."),
    "out overlaps": ({"out": np.broadcast_to(np.zeros(5, np.uint32), (3, 5)).view()}, ValueError,
        "out must be writable; got a read-only array."),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_arguments_are_refused(case):
    """batch 2.1, 2.2 and 2.4"""
    arguments, error, message = REFUSED[case]
    arguments = {"states": FULL, "shape": 5} | arguments
    before = FULL.copy()
    with pytest.raises(error, match="^" + re.escape(message)):
        batch.random_generator(**arguments)
    assert not np.any(arguments.get("out", 0)) or case == "out of states"
    assert FULL.tolist() == before.tolist()


def test_rules_are_checked_as_for_a_single_state():
    """batch 2.3 and 2.4"""
    with pytest.raises(ValueError, match="^low must be below high once both are rounded to float64; got low 1"):
        batch.uniform(FULL, 3, low=1, high=0, dtype="float64")
    with pytest.raises(TypeError, match="^low and high must both be given"):
        batch.integers(FULL, 3)


# Memory


def peak_of(function):
    tracemalloc.start()
    result = function()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return result, peak


@pytest.mark.compiled
@pytest.mark.parametrize("name", with_costly(["words", "normal float32"], ["uniform float64", "normal float16"]))
def test_temporary_memory_is_small(name):
    """batch 2.5"""
    states = np.resize(STATES, (100_000, 6))
    draw(name, states, 9)
    (values, _), peak = peak_of(lambda: draw(name, states, 9))
    assert peak < values.nbytes + states.nbytes + 2**21
    out = np.empty((9, len(states)), values.dtype).T
    _, peak = peak_of(lambda: draw(name, states, 9, out=out))
    assert peak < states.nbytes + 2**21


# Children and positions


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_split(n):
    """batch 3.1"""
    children = batch.split(STATES, n)
    assert children.dtype == np.uint32 and children.shape == (len(STATES), n, 6)
    assert children.tolist() == [oracle.split(*each, n) for each in NUMBERS]
    assert batch.split(STATES[:0], n).shape == (0, n, 6)
    values = batch.random_generator(children.reshape(-1, 6), 3).values
    assert values.shape == (len(STATES) * n, 3)


def moved(counter, key, blocks):
    return oracle.state_words((counter + blocks) % 2**128, key)


EDGES = [0, 1, -1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, 2**64, -(2**64), 2**127,
         2**200 + 5, -(2**200)]  # fmt: skip


def numbers_of_each_row():
    """A number for each state: ints of any size, and arrays of each integer type with the ends of its range."""
    yield [EDGES[i % len(EDGES)] + i for i in range(len(STATES))]
    for dtype in ("int8", "uint8", "int32", "uint32", "int64", "uint64", ">i8"):
        info = np.iinfo(dtype)
        numbers = (np.linspace(0, 0.99, len(STATES)) * float(info.max)).astype(dtype)
        numbers[:3] = [info.min, info.max, 1]
        yield np.repeat(numbers, 2)[::2]  # strided


def test_numbers_of_each_row():
    """batch 3.2 and 3.3"""
    for each_row in numbers_of_each_row():
        after = batch.advance_blocks(STATES, each_row)
        assert after.tolist() == [moved(*each, int(n)) for each, n in zip(NUMBERS, each_row)]
        below_2_64 = [number % 2**64 for number in each_row] if isinstance(each_row, list) else each_row
        numbers = [int(number) for number in below_2_64]
        after = batch.jump(STATES, below_2_64)
        assert after.tolist() == [moved(*each, n << 64) for each, n in zip(NUMBERS, numbers)]
        children = batch.fold_in(STATES[1:], below_2_64[1:])  # only the first may be negative
        assert children.tolist() == [oracle.fold_in(*each, n) for each, n in zip(NUMBERS[1:], numbers[1:])]
        for result in (after, children):
            assert result.dtype == np.uint32 and result.flags.c_contiguous


@pytest.mark.parametrize("one", [STATES[5], STATES[5].tolist(), tuple(STATES[5])], ids=["array", "list", "tuple"])
def test_one_state_with_many_numbers(one):
    """batch 3.4"""
    numbers = [number % 2**64 for number in EDGES]
    number = NUMBERS[5]
    assert batch.fold_in(one, numbers).tolist() == [oracle.fold_in(*number, each) for each in numbers]
    assert batch.fold_in(one, np.array(numbers, np.uint64)).tolist() == batch.fold_in(one, numbers).tolist()
    assert batch.fold_in(one, ["a", b"b"]).tolist() == [dmlrand.fold_in(one, each).tolist() for each in ("a", b"b")]
    texts = np.array(["a", "ü"])
    assert batch.fold_in(one, texts).tolist() == batch.fold_in(one, texts.tolist()).tolist()
    assert batch.advance_blocks(one, EDGES).tolist() == [moved(*number, each) for each in EDGES]
    assert batch.jump(one, range(3)).tolist() == [moved(*number, each << 64) for each in range(3)]
    for n in (0, 1, 40):
        assert batch.split(one, n).shape == batch.fold_in(one, range(n)).shape == (n, 6)
        assert batch.split(one, n).tolist() == batch.fold_in(one, range(n)).tolist() == oracle.split(*number, n)
    for function in (batch.fold_in, batch.advance_blocks, batch.jump, batch.random_generator):
        with pytest.raises((TypeError, ValueError), match="^states"):
            function(one, 5)
    with pytest.raises(ValueError, match=r"^data must hold one int for each of 2 states, or be one int; got .*2, 1"):
        batch.fold_in(one, np.ones((2, 1), int))
    with pytest.raises(ValueError, match=r"^states must hold 6 uint32 words .* got uint32 of shape \(5,\)"):
        batch.fold_in([0, 0, 0, 0, 1], [1, 2])


WRONG_NUMBERS = {
    "float": ("advance_blocks", 1.0, TypeError, "blocks must be an integer; got 1.0 of type float. Pass an int."),
    "floats": ("jump", np.ones(3), TypeError, "streams must be an int, a sequence of 3 ints or an integer array of "
        "shape (3,); got ndarray of float64. Pass streams.tolist() if it holds ints."),
    "bools": ("fold_in", np.ones(3, bool), TypeError, "data must be an int, a sequence of 3 ints or an integer array "
        "of shape (3,); got ndarray of bool."),
    "rank 2": ("advance_blocks", np.ones((3, 1), int), ValueError, "blocks must hold one int for each of 3 states, or "
        "be one int; got shape (3, 1)."),
    "negative data": ("fold_in", np.array([1, -2, 3]), ValueError, "data[1] must be in [0, 2**64); got -2. Reduce it "
        "yourself: data[1] % 2**64."),
    "a bool": ("fold_in", [1, True, 3], TypeError, "data[1] must be an integer, a str or bytes; got True"),
    "negative n": ("split", -1, ValueError, "n must be at least 0; got -1."),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG_NUMBERS)
def test_wrong_numbers_are_refused(case):
    """batch 3.3"""
    function, number, error, message = WRONG_NUMBERS[case]
    with pytest.raises(error, match="^" + re.escape(message)):
        getattr(batch, function)(FULL, number)
