"""The block function and the fills: the words of the oracle, vector code, and one compilation of each kernel."""

from itertools import product

import numpy as np
import oracle
import pytest
from hypothesis import given, strategies as st
from numba import njit
from numba.core.dispatcher import Dispatcher
from recorded import each
from rule_cases import kernels_of
from strategies import counters, keys

from dmlrand import kernels, philox, random_generator, random_window
from dmlrand.arrays.filling import PIECE_ELEMENTS
from dmlrand.compat import kernels as of_systems
from dmlrand.compat.kernels import xla_kernels
from dmlrand.drawing.plan import WORDS
from dmlrand.kernels import Kernel
from dmlrand.kernels.philox import block
from dmlrand.kernels.rules import RULES


def as_state(counter, key):
    return np.array(oracle.state_words(counter, key), np.uint32)


def fill_words(state, out):
    WORDS.kernels.fill(state, 3, 0, out.size, 0, WORDS.parameters, out)


def drawn(counter, key, n):
    """The words that the kernel of words makes, and the state after them."""
    state, out = as_state(counter, key), np.full(n, 0xDEADBEEF, np.uint32)
    fill_words(state, out)
    return out.tolist(), state.tolist()


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


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64, np.int64])
def test_block_in_a_users_own_code(dtype):
    """kernels 4"""

    @njit
    def last_lanes(words, n):
        """Lane 3 of n blocks in a row, from a counter of one low word."""
        out = np.empty(n, np.uint32)
        for i in range(n):
            out[i] = block(words[0] + i, words[1], words[2], words[3], words[4], words[5])[3]
        return out

    counter, key = 2**128 - 2**32 + 5, 2**64 - 3
    words = np.array(oracle.state_words(counter, key), dtype)
    assert last_lanes(words, 5).tolist() == [oracle.block(counter + i, key)[3] for i in range(5)]


def test_block_returns_32_bit_words_to_a_users_own_code():
    """kernels 4"""

    @njit
    def lanes(word):
        return np.array(block(word, word, word, word, word, word))

    assert lanes(np.uint32(0xFFFFFFFF)).dtype == np.uint32


# The kernels


@given(counter=counters, key=keys, n=st.integers(0, 70))
def test_draw_gives_the_words_and_the_next_state(counter, key, n):
    """operator 1.1 and 2.1"""
    words, state = drawn(counter, key, n)
    assert words == oracle.words(counter, key, 0, n)
    assert state == oracle.new_state_words(counter, key, n)


def test_draw_carries_across_each_boundary():
    """kernels 4"""
    key = 0x0123456789ABCDEF
    for boundary, before, n in product((2**32, 2**64, 2**96, 2**128), range(5), (1, 4, 15, 16, 17, 18, 19, 67, 513)):
        counter = boundary - before & 2**128 - 1
        expected = oracle.words(counter, key, 0, n), oracle.new_state_words(counter, key, n)
        assert drawn(counter, key, n) == expected, (boundary, before, n)


# How they are compiled


def test_each_kernel_is_compiled_once_whatever_the_arguments(tmp_path):
    """kernels 2"""
    words = np.array([1, 2, 3, 4, 5, 6], np.uint32)
    read_only = words.copy()
    read_only.flags.writeable = False
    mapped = np.memmap(tmp_path / "state", np.uint32, "w+", shape=(6,))
    mapped[:] = words
    unaligned = np.frombuffer(b"\0" + words.tobytes(), np.uint32, offset=1)
    same = [words, words.tolist(), tuple(words), read_only, np.repeat(words, 2)[::2], words[::-1].copy()[::-1]]
    same += [mapped, unaligned, *(words.reshape((1,) * rank + (6,)) for rank in range(8))]
    outs = [np.empty(24, np.uint32), np.empty(48, np.uint32)[::2], np.empty((6, 4), np.uint32).T]
    outs += [np.memmap(tmp_path / "out", np.uint32, "w+", shape=(2, 12)), np.empty((24, 1), np.uint32, order="F")]
    expected = oracle.words(oracle.from_words([1, 2, 3, 4]), oracle.from_words([5, 6]), 0, 24)
    for state in same:
        for out in outs:
            assert random_generator(state, out=out).values.ravel().tolist() == expected
        assert random_generator(state, (3, np.int16(8))).values.ravel().tolist() == expected
        assert random_window(state, 24, slice(np.uint64(3), None, 2)).tolist() == expected[3::2]
        assert random_window(state, (2, 2**61), (1, np.int32(0))).shape == ()
    assert len(WORDS.kernels.fill.compiled.signatures) == 1
    shared = np.empty(2 * (4 * PIECE_ELEMENTS + 1), np.uint32)[::2]  # whose last piece is a single word
    unaligned = np.empty(99, np.uint8)[1:97].view(np.uint32)[::2]
    for out in (*outs, shared, unaligned):
        random_generator(words, out=out, threads=2)
    assert len(WORDS.kernels.fill.compiled.signatures) == 1


@pytest.mark.costly
def test_kernels_release_the_gil():
    """kernels 3"""
    packages = kernels, of_systems
    both = [each for package in packages for each in vars(package).values() if isinstance(each, Kernel)]
    named = {each.name: each.compiled for each in both}
    named |= {name: each for name, each in vars(xla_kernels).items() if name.startswith("xla_")}
    named |= {kernel.name: kernel.compiled for name in RULES for kernel in kernels_of(name)}
    compiled = {name: kernel for name, kernel in named.items() if isinstance(kernel, Dispatcher)}
    assert compiled == named
    assert [name for name, kernel in compiled.items() if not kernel.targetoptions.get("nogil")] == []


@pytest.mark.compiled
@pytest.mark.parametrize("state", [np.zeros(5, np.uint32), np.zeros(7, np.uint32), np.zeros(6), np.uint32(1)])
def test_kernels_refuse_what_is_no_state(state):
    """A state of another type, rank or size."""
    out = np.empty(4, np.uint32)
    fill_words(np.zeros(6, np.uint32), out)  # a compiled kernel takes the types of its first call
    with pytest.raises(TypeError):
        fill_words(state, out)
