"""std::philox4x32 of C++26, written from the text of the standard, beside states and Streams."""

import numpy as np
import oracle
from hypothesis import given, strategies as st
from strategies import edge_ints

from dmlrand import Stream, make_state, random_generator


class Engine:
    """philox_engine with w = 32, n = 4, r = 10: counter X, key K, results Y, and the index i of the last result."""

    def __init__(self, *key):
        self.key, self.counter, self.index, self.results = [each % 2**32 for each in key], [0] * 4, 3, None

    def set_counter(self, counter):
        self.counter, self.index = [counter[3 - j] % 2**32 for j in range(4)], 3

    def __call__(self):
        self.index += 1
        if self.index == 4:
            number = oracle.from_words(self.counter)
            self.results = oracle.block(number, oracle.from_words(self.key))
            self.counter = oracle.low_words(number + 1, 4)
            self.index = 0
        return self.results[self.index]


def words(engine, n):
    return [engine() for _ in range(n)]


def test_the_word_that_the_standard_requires():
    """std_philox 1"""
    assert words(Engine(20111115, 0), 10_000)[-1] == 1955073260
    assert random_generator(make_state(key=20111115), 10_000).values[-1] == 1955073260


@given(edge_ints(64), edge_ints(32))
def test_seeds(value, second):
    """std_philox 2 and 3"""
    assert random_generator(make_state(key=value % 2**32), 9).values.tolist() == words(Engine(value, 0), 9)
    first = value % 2**32
    key = first + (second << 32)
    assert random_generator(make_state(key=key), 9).values.tolist() == words(Engine(first, second), 9)


@given(st.lists(edge_ints(33), min_size=4, max_size=4), edge_ints(32), st.integers(0, 20))
def test_counters_and_skipped_words(counter, value, skipped):
    """std_philox 4 and 5"""
    engine = Engine(value, 0)
    engine()
    engine.set_counter(counter)
    c0, c1, c2, c3 = (each % 2**32 for each in counter)
    stream = Stream(make_state(counter=(c0 << 96) + (c1 << 64) + (c2 << 32) + c3, key=value))
    stream.seek((stream.tell() + skipped) % 2**130)
    assert stream.words(9).tolist() == words(engine, skipped + 9)[skipped:]


def test_the_engine_of_64_bits_is_that_of_numpy():
    """std_philox 6: the word that the standard requires of std::philox4x64"""
    engine = np.random.Philox(counter=[2**64 - 1] * 4, key=[20111115, 0])
    assert engine.random_raw(10_000)[-1] == 3409172418970261260
