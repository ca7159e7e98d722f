"""Draws in one file, and the words of GPU threads. specs/verify.md, clause 3.5."""

import numpy as np
import pytest
from thinning import one_in

from dmlrand import advance_blocks, make_state, random_generator, uniform, verify

STATE = make_state(counter=0x9ABCDEF0_12345678_FFFFFF00, key=0xDEADBEEF)
# How far the counter moves after so many words, by what the sentence says.
MOVED = {
    "not at all": lambda words: 0,
    "one for each word": lambda words: words,
    "words // 4, without the last block": lambda words: words // 4,
    "3 times as many": lambda words: 3 * -(-words // 4),
    "as many in counter word 1": lambda words: -(-words // 4) << 32,
    "rounded up to a multiple of 256": lambda words: -(-words // 256) * 64,
}


def draws(sizes, moved, dtype="uint32"):
    state, parts = STATE, []
    for size in sizes:
        made = random_generator(state, size) if dtype == "uint32" else uniform(state, size, dtype=dtype)
        parts.append(made.values)
        state = advance_blocks(state, moved(size * (2 if dtype == "float64" else 1)))
    return np.concatenate(parts)


def finding(values, **options):
    (found,) = verify(STATE, values, **options).diagnosis
    return found


@pytest.mark.parametrize("text", one_in(6, MOVED))
def test_draws_of_several_lengths(text):
    """verify 3.5"""
    found = finding(draws((93, 150, 121, 80, 62), MOVED[text]))
    starts = "93, 243, 364" if "//" in text else "93, 243, 364, 444"  # a draw of whole blocks continues the stream
    assert found.name == "draws-in-one-file" and text in found.sentence
    assert found.sentence.startswith(f"Another draw begins at each of the words {starts}; the counter moved wrongly (")


@pytest.mark.parametrize("text", one_in(6, MOVED))
def test_draws_of_one_length(text):
    """verify 3.5"""
    found = finding(draws((203,) * 9, MOVED[text]))
    assert found.name == "draws-in-one-file" and "; the counter moved " in found.sentence


def test_draws_that_each_start_a_block():
    """verify 3.5"""
    found = finding(draws((203,) * 9, lambda words: -(-words // 4)))
    assert found.sentence == (
        "A draw, or a group of threads, begins every 203 words, and each starts a new block: verify each draw alone, "
        "or draw all words at once."
    )


def test_draws_of_numbers():
    """verify 3.5"""
    found = finding(draws((300,) * 5, lambda words: 0, "float32"), dtype="float32")
    assert found.name == "draws-in-one-file" and found.sentence.endswith("thread's words at a counter of their own.")
    found = finding(draws((776,) * 5, lambda words: 1 << 64, "float64"), dtype="float64")
    assert found.name == "thread-ids-in-counter" and found.sentence.startswith("Each 776 numbers are a subsequence ")


def test_the_words_of_each_thread_in_turn():
    """verify 3.5: groups of 3 blocks, with carries within a group."""
    assert finding(draws((12,) * 20, lambda words: 1 << 64)).name == "thread-ids-in-counter"


@pytest.mark.parametrize("threads, each", [(40, 3), (200, 1)])
def test_threads_with_subsequences(threads, each):
    """verify 3.5: thread t stores elements t, t + threads, ..."""
    of_threads = [random_generator(advance_blocks(STATE, t << 64), each).values for t in range(threads)]
    found = finding(np.stack(of_threads, 1).ravel())
    assert found.name == "thread-subsequences" and "subsequence" in found.sentence
