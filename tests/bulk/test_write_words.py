"""write_words: raw words to files and pipes, and the state afterwards. specs/bulk.md, section 5"""

import io
import os
import re

import oracle
import pytest
import strategies
from hypothesis import given, settings, strategies as st
from systems import posix

from dmlrand import counter_of, make_state, random_generator, write_words
from dmlrand.bulk.pipe import BUFFER_WORDS, write_steps

STATE = make_state(counter=2**32 - 2, key=7)


def raw(state, words):
    return random_generator(state, words).values.astype("<u4").tobytes()


@given(state=strategies.states(), words=st.integers(0, 100))
@settings(max_examples=20)
def test_words_are_little_endian_and_the_state_is_the_operators(state, words):
    """bulk 5.1, 5.2"""
    given_state, counter, key = state
    file = io.BytesIO()
    after = write_words(file, given_state, words)
    assert file.getvalue() == b"".join(word.to_bytes(4, "little") for word in oracle.words(counter, key, 0, words))
    expected = random_generator(given_state, words).state
    assert after.shape == expected.shape and after.tolist() == expected.tolist()


@pytest.mark.parametrize("buffering", [0, -1])
def test_words_follow_the_bytes_in_the_buffer(tmp_path, buffering):
    """bulk 5.4"""
    with open(tmp_path / "f", "wb", buffering=buffering) as file:
        file.write(b"before")
        write_words(file, STATE, 10)
        assert file.tell() == 46
        file.write(b"after")
    assert (tmp_path / "f").read_bytes() == b"before" + raw(STATE, 10) + b"after"


class Slow(io.RawIOBase):
    """Takes a few bytes in each write, as a socket or a pipe may."""

    def __init__(self, limit):
        self.taken, self.limit = b"", limit

    def writable(self):
        return True

    def write(self, data):
        if len(self.taken) >= self.limit:
            raise BrokenPipeError
        data = bytes(data[: min(7, self.limit - len(self.taken))])
        self.taken += data
        return len(data)


@pytest.mark.parametrize(("words", "blocks"), [(None, BUFFER_WORDS // 4), (1001, 251)])
@pytest.mark.parametrize("limit", [0, 1, 163])
def test_a_closed_pipe_ends_the_call_and_its_buffer_counts(words, blocks, limit):
    """bulk 5.3: a call with the returned state writes no word twice."""
    file = Slow(limit)
    after = write_words(file, STATE, words)
    assert counter_of(after) == counter_of(STATE) + blocks
    assert file.taken == raw(STATE, 1000)[:limit]


def test_steps_yield_the_state_after_each_buffer():
    file = io.BytesIO()
    blocks = [counter_of(state) - counter_of(STATE) for state in write_steps(file, STATE, 2 * BUFFER_WORDS + 1)]
    assert blocks == [BUFFER_WORDS // 4, BUFFER_WORDS // 2, BUFFER_WORDS // 2 + 1]


@posix("pipes whose writes do not block")
def test_a_pipe_that_does_not_block_is_refused():
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with open(reading, "rb"), open(writing, "wb", buffering=0) as file:
        message = "file must block in write; got a non-blocking file. Set it to blocking."
        with pytest.raises(BlockingIOError, match=re.escape(message)):
            write_words(file, STATE)
