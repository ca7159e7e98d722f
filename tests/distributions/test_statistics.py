"""Statistics of words, lanes, windows, children, jumped and neighbouring streams. specs/proofs.md

Philox4x32-10 itself passes far harder batteries (tests/vectors/dieharder.txt). These tests look for faults of a
library: correlated lanes or streams, a split that repeats, a window that reads the same words twice. The states are
fixed, so a test that passes once always passes. With a random state, a good generator would fail one given test with
probability FAILURE_PROBABILITY, and any of the 200 tests with a probability of about 1 in 5,000.
"""

import math
from itertools import combinations

import numpy as np
import pytest
from significance import chi_square, chi_square_sf, normal_sf

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


def runs(words, bit):
    """Runs of equal bits in the sequence of one bit of each word."""
    sequence = words >> np.uint32(bit) & np.uint32(1)
    changes = int((sequence[1:] != sequence[:-1]).sum())
    return normal_sf((2 * changes - (words.size - 1)) / math.sqrt(words.size - 1))


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
    "runs of bit 31": lambda words: runs(words, 31),
    "runs of bit 0": lambda words: runs(words, 0),
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


assert len(SOURCES) * len(TESTS) + len(PAIRS) * len(PAIR_TESTS) == 200  # as said above


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


# Tests of the tests: p-values are right, and faulty words are found


@pytest.mark.parametrize(
    ("x", "df", "p"), [(3.841459, 1, 0.05), (18.307038, 10, 0.05), (310.457388, 255, 0.01), (66379.2, 65535, 0.0099)]
)
def test_the_tail_of_chi_square(x, df, p):
    """Tabulated quantiles; the last from Wilson and Hilferty's approximation."""
    assert chi_square_sf(x, df) == pytest.approx(p, rel=2e-2 if df > 1000 else 1e-5)


def test_p_values_are_spread_evenly():
    """Each test of 300 pieces of the stream: every decile holds 9 to 59 p-values. 30 are expected."""
    for name, test in TESTS.items():
        tested = [test(draw(jump(STATE, 1000 + i), 1 << 17)) for i in range(300)]
        deciles = np.bincount((np.array(tested) * 10).astype(int).clip(0, 9), minlength=10)
        assert deciles.min() > 8 and deciles.max() < 60, (name, deciles)


def with_bit(words, every, bit):
    words = words.copy()
    words[::every] |= np.uint32(1 << bit)
    return words


WRONG = {
    "a counter": (lambda: np.arange(N, dtype=np.uint32) * np.uint32(2654435769), "birthday spacings"),
    "every block twice": (
        lambda: np.repeat(draw(STATE, N // 2).reshape(-1, 4), 2, axis=0).ravel(),
        "correlation at lag 4",
    ),
    "words twice": (lambda: np.repeat(draw(STATE, N // 2), 2), "serial pairs"),
    "a stuck bit in one lane": (lambda: with_bit(draw(STATE), 4, 0), "low bytes"),
    "a bit set too often": (lambda: with_bit(draw(STATE), 100, 31), "high bytes"),
    "one piece repeated": (lambda: np.tile(draw(STATE, N // 64), 64), "halves"),
    "a low byte that is never 255": (lambda: np.minimum(draw(STATE) & np.uint32(255), 254), "low bytes"),
    "alternating bits": (
        lambda: draw(STATE) >> np.uint32(1) | np.arange(N, dtype=np.uint32) << np.uint32(31),
        "runs of bit 31",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_sequences_are_found(wrong):
    make, name = WRONG[wrong]
    assert not passes(TESTS[name](make()))


def test_wrong_pairs_are_found():
    words = draw(STATE)
    assert not passes(PAIR_TESTS["correlation"](words, words))
    assert not passes(PAIR_TESTS["equal bits"](words, words ^ np.uint32(1)))
    assert not passes(PAIR_TESTS["bytes of the difference"](words, words + np.uint32(5)))
    assert not passes(PAIR_TESTS["pairs of bytes"](words, words ^ np.uint32(0x5A5A5A5A)))
    nearly = np.where(draw(jump(STATE)) < 2**25, words, draw(jump(STATE, 2)))  # 1 word of 128 in common
    assert not passes(PAIR_TESTS["correlation"](words, nearly))
