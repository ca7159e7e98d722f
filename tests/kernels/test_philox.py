"""The block function and the fills in registers: the words of the oracle, and no byte beside the output."""

import platform

import numpy as np
import oracle
import pytest
from hypothesis import given, strategies as st
from numba import njit
from recorded import each
from rule_cases import CASES, parameters_of
from strategies import counters, keys
from thinning import with_costly

from dmlrand import philox
from dmlrand.drawing.plan import WORDS
from dmlrand.kernels import compiling, of_rule
from dmlrand.kernels.philox import block


def as_state(counter, key):
    return np.array(oracle.state_words(counter, key), np.uint32)


# The block


@each("random123", op="philox4x32", rounds=10)
def test_block_gives_random123_s_answers(case):
    """words 11 to 13"""
    assert list(block(*case["counter"], *case["key"])) == case["result"]
    assert list(philox.block(tuple(case["counter"]), tuple(case["key"]))) == case["result"]


@given(counter=counters, key=keys)
def test_both_blocks_equal_the_oracle(counter, key):
    """words 11 to 13"""
    words = oracle.state_words(counter, key)
    assert list(block(*words)) == oracle.block(counter, key)
    assert list(philox.block(tuple(words[:4]), tuple(words[4:]))) == oracle.block(counter, key)


@given(rows=st.lists(st.tuples(counters, keys), min_size=1, max_size=5))
def test_the_plain_block_reads_arrays_of_uint64(rows):
    """words 11 to 13"""
    columns = np.array([oracle.state_words(*row) for row in rows], np.uint64).T
    lanes = philox.block(tuple(columns[:4]), tuple(columns[4:]))
    assert np.transpose(lanes).tolist() == [oracle.block(*row) for row in rows]


@pytest.mark.parametrize("dtype", with_costly([np.uint32], [np.uint64, np.int64]))
def test_block_in_a_users_own_code(dtype):
    """kernels 4"""

    @njit
    def lanes(words, i):
        return np.array(block(words[0] + i, words[1], words[2], words[3], words[4], words[5]))

    counter, key = 2**128 - 2**32 + 5, 2**64 - 3
    made = lanes(np.array(oracle.state_words(counter, key), dtype), 7)
    assert made.dtype == np.uint32 and made.tolist() == oracle.block(counter + 7, key)


# The fills


@given(counter=counters, key=keys, first=st.integers(0, 1 << 60), n=st.integers(0, 70))
def test_a_fill_gives_the_words_and_the_next_state(counter, key, first, n):
    """operator 1.1 and 2.1; kernels 1"""
    state, out = as_state(counter, key), np.empty(n, np.uint32)
    WORDS.kernels.fill(state, 3, 0, n, first, WORDS.parameters, out)
    assert out.tolist() == oracle.words(counter, key, first, n)
    assert state.tolist() == oracle.new_state_words(counter, key, n)


def assert_same(name, counter, offset, n, shift=0, total=0):
    """The compiled fill writes what the form in numpy does to out[shift : shift + n], and nothing else."""
    dtype, lane, made = CASES[name].dtype, offset % 4, []
    for fill in (of_rule(name).fill.numpy, of_rule(name).fill.compiled):
        out = np.full(n + 24, 77, dtype)
        state = as_state(counter % 2**128, 0x123456789ABCDEF)
        fill(state, 0, lane, total or n, offset - lane, parameters_of(name), out[shift : shift + n])
        made.append(out.tobytes())
    assert made[0] == made[1], (counter, offset, n, shift)


def check_lengths(name):
    for n in range(601):
        for offset in (n % 5, (n + 2) % 5):
            assert_same(name, 0x0123456789ABCDEF << n % 64, offset, n, shift=n % 7)


def check_carries(name):
    for boundary in (32, 64, 96, 128):
        for before in (*range(20), 31, 47, 48, 49, 95, 100):
            for n in (1, 3, 5, 32, 33, 64, 127, 193, 599):
                assert_same(name, (1 << boundary) - before, (0, 1, 3, 7)[n % 4], n)


def check_non_temporal_stores(name):
    from dmlrand.kernels.words import NON_TEMPORAL_MIN_WORDS

    for shift in range(17):
        for offset in (0, 3):
            for n in (0, 1, 31, 64, 191, 192, 193, 207, 1000, 12345):
                assert_same(name, (1 << 64) - 40 - shift, offset, n, shift, NON_TEMPORAL_MIN_WORDS)


@pytest.mark.compiled
@pytest.mark.parametrize("name", with_costly(["word", "uniform_f32"], ["uniform_f64"]))
@pytest.mark.parametrize("check", [check_lengths, check_carries, check_non_temporal_stores])
def test_fills_in_registers(name, check):
    """kernels 1 and 6; operator 1.1; distributions 1.5: at each lane and alignment, by vector code."""
    check(name)
    if platform.machine().lower() in ("x86_64", "amd64", "aarch64", "arm64"):
        assert "plain Philox" not in compiling.fallbacks


@pytest.mark.compiled
@pytest.mark.parametrize("state", [np.zeros(5, np.uint32), np.zeros(7, np.uint32), np.zeros(6), np.uint32(1)])
def test_kernels_refuse_what_is_no_state(state):
    """A state of another type, rank or size."""
    out = np.empty(4, np.uint32)
    fill, others = WORDS.kernels.fill, (3, 0, 4, 0, WORDS.parameters, out)
    fill(np.zeros(6, np.uint32), *others)  # a compiled kernel takes the types of its first call
    with pytest.raises(TypeError):
        fill(state, *others)
