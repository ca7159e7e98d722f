"""Statistics of words, lanes, windows, children, jumped and neighbouring streams. specs/proofs.md

Philox4x32-10 itself passes far harder batteries (tests/vectors/dieharder.txt). These tests look for faults of a
library: correlated lanes or streams, a split that repeats, a window that reads the same words twice. The states are
fixed, so a test that passes once always passes. With a random state, a good generator would fail one given test with
probability FAILURE_PROBABILITY.
"""

import math
from itertools import combinations

import numpy as np
import pytest
from significance import chi_square, normal_sf

from dmlrand import fold_in, jump, make_state, random_generator, random_window, split

pytestmark = pytest.mark.slow

FAILURE_PROBABILITY = 1e-6  # of each test, both tails together
N = 1 << 22  # words in each test
STATE = make_state(counter=0x48656C6C6F46726F6D53656174746C65, key=0x0123456789ABCDEF)


def high_bytes(words):
    return chi_square(np.bincount(words >> np.uint32(24), minlength=256))


def low_bytes(words):
    return chi_square(np.bincount(words & np.uint32(255), minlength=256))


def halves(words):
    """Both 16-bit halves, in 65,536 cells."""
    return chi_square(np.bincount(words.view(np.uint16), minlength=1 << 16))


def ones(words):
    """The bits that are 1."""
    bits = 32 * words.size
    return normal_sf((2 * int(np.bitwise_count(words).sum(dtype=np.int64)) - bits) / math.sqrt(bits))


def serial_pairs(words):
    """Pairs of successive words, 8 bits of each, in 65,536 cells."""
    tops = (words >> np.uint32(24)).reshape(-1, 2)
    return chi_square(np.bincount(tops[:, 0] << np.uint32(8) | tops[:, 1], minlength=1 << 16))


def correlation(first, second):
    """Of two sequences of words, as numbers."""
    u, v = (2.0 * words / 2**32 - 1 for words in (first, second))
    return normal_sf(3 * float((u * v).sum()) / math.sqrt(u.size))


def birthday_spacings(words):
    """Years of 2**32 days and 2**12 birthdays: the equal spacings of a year are Poisson of mean 4."""
    years = words.reshape(-1, 1 << 12).copy()
    years.sort(axis=1)
    spacings = np.diff(years, axis=1)
    spacings.sort(axis=1)
    equal = int((spacings[:, 1:] == spacings[:, :-1]).sum())
    mean = 4 * len(years)
    return normal_sf((equal - mean) / math.sqrt(mean))


TESTS = {
    "high bytes": high_bytes,
    "low bytes": low_bytes,
    "halves": halves,
    "ones": ones,
    "serial pairs": serial_pairs,
    "correlation at lag 1": lambda words: correlation(words[1:], words[:-1]),
    "correlation at lag 4": lambda words: correlation(words[4:], words[:-4]),
    "birthday spacings": birthday_spacings,
}

PAIR_TESTS = {
    "correlation": correlation,
    "equal bits": lambda first, second: ones(first ^ second),
    "bytes of the difference": lambda first, second: high_bytes(first - second),
    "pairs of bytes": lambda first, second: serial_pairs(np.stack([first, second], axis=1).ravel()),
}


# The words that are tested


def draw(state, n=N):
    return random_generator(state, n).values


def first_words(states, each):
    """The first words of many states, one after another."""
    words = np.empty((len(states), each), np.uint32)
    for state, row in zip(states, words):
        random_generator(state, out=row)
    return words.ravel()


def lane(number):
    return draw(STATE, 4 * N)[number::4].copy()


SOURCES = {
    "words": lambda: draw(STATE),
    "words from counter and key 0": lambda: draw(make_state()),
    "words across the wrap": lambda: draw(make_state(counter=2**128 - N // 8, key=1)),
    "a column of a window": lambda: random_window(STATE, (N, 2**20 + 3), (slice(None), 12345)),
    "a window of steps": lambda: (
        random_window(STATE, (2**11, 2**11, 24), (..., slice(5, None, 19))).reshape(-1)[:N].copy()
    ),
    "children, 16 words of each": lambda: first_words(split(STATE, N // 16), 16),
    "keys of children": lambda: split(STATE, N // 2)[:, 4:].ravel(),
    "children of epochs": lambda: first_words([fold_in(STATE, epoch << 20) for epoch in range(N // 256)], 256),
    "jumped streams, in turn": lambda: np.stack([draw(jump(STATE, i), N // 16) for i in range(16)], axis=1).ravel(),
    "neighbouring keys, a block of each": lambda: first_words(
        [make_state(counter=0, key=key) for key in range(N // 64)], 64
    ),
    **{f"lane {number}": lambda number=number: lane(number) for number in range(4)},
}

PAIRS = {
    **{f"lanes {i} and {j}": lambda i=i, j=j: (lane(i), lane(j)) for i, j in combinations(range(4), 2)},
    "a stream and the next jump": lambda: (draw(STATE), draw(jump(STATE))),
    "parent and child": lambda: (draw(STATE), draw(fold_in(STATE, 0))),
    "two children": lambda: map(draw, split(STATE, 2)),
    "children of neighbouring states": lambda: (
        draw(fold_in(make_state(counter=5, key=6), 7)),
        draw(fold_in(make_state(counter=6, key=6), 7)),
    ),
    "neighbouring keys": lambda: (draw(make_state(counter=0, key=42)), draw(make_state(counter=0, key=43))),
    **{
        f"counters 2**{bit} apart": lambda bit=bit: (
            draw(make_state(counter=0, key=42)),
            draw(make_state(counter=1 << bit, key=42)),
        )
        for bit in (32, 64, 96, 127)
    },
}


def passes(p):
    return FAILURE_PROBABILITY / 2 < p < 1 - FAILURE_PROBABILITY / 2


@pytest.mark.parametrize("source", SOURCES)
def test_one_sequence(source):
    words = SOURCES[source]()
    assert words.shape == (N,) and words.dtype == np.uint32
    p_values = {name: test(words) for name, test in TESTS.items()}
    assert all(map(passes, p_values.values())), p_values


@pytest.mark.parametrize("pair", PAIRS)
def test_two_sequences(pair):
    first, second = PAIRS[pair]()
    p_values = {name: test(first, second) for name, test in PAIR_TESTS.items()}
    assert all(map(passes, p_values.values())), p_values
