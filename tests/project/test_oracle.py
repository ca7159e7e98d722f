"""The oracle against the recorded answers of other packages."""

from itertools import product
from math import prod

import oracle
from recorded import each, to_int


@each("random123", op="philox4x32")
def test_blocks_of_random123(case):
    counter, key = oracle.from_words(case["counter"]), oracle.from_words(case["key"])
    assert oracle.block(counter, key, case["rounds"]) == case["result"]


@each("random123", op="std::philox4x32 10000th value")
def test_the_ten_thousandth_word_in_the_cpp_standard(case):
    counter, key = oracle.from_words(case["counter"]), oracle.from_words(case["key"])
    assert oracle.words(counter, key, case["index"], 1) == [case["result"]] == [1955073260]


@each("philox_words")
def test_words_of_tensorflow(case):
    counter, key = oracle.from_words(case["state"][:4]), oracle.from_words(case["state"][4:])
    n = prod(case["shape"])
    assert oracle.new_state_words(counter, key, n) == case["new_state"]
    if "sha256_le" not in case:
        assert oracle.words(counter, key, 0, n) == case["bits"]
    else:  # the oracle is too slow for a million words: both ends are checked here, the hash in test_operator.py
        head, tail = len(case["first"]), len(case["last"])
        assert oracle.words(counter, key, 0, head) == case["first"]
        assert oracle.words(counter, key, n - tail, tail) == case["last"]


@each("randomgen_philox4x32")
def test_the_stream_of_randomgen_starts_one_block_later(case):
    counter, key, n = to_int(case["counter"]), to_int(case["key"]), case["n"]
    assert oracle.words(counter, key, 4, n) == case["result"]
    # randomgen stores the counter of the block that it reads from. dmlrand stores the counter of the next block.
    assert oracle.new_state_words(counter, key, n)[:4] == case["state_counter_after"]
    assert (n - 1) % 4 + 1 == case["buffer_pos_after"]


@each("mkl_random_philox4x32")
def test_words_of_mkl(case):
    seed = case["seed"]
    # A list holds the words of the key, then those of the counter. Missing words are 0.
    words = seed + [0] * (6 - len(seed)) if isinstance(seed, list) else oracle.low_words(to_int(seed), 2) + [0] * 4
    counter, key = oracle.from_words(words[2:]), oracle.from_words(words[:2])
    assert oracle.words(counter, key, 0, case["n"]) == case["result"]


def test_words_from_an_offset_are_a_slice_of_the_stream():
    stream = oracle.words(2**128 - 2, 7, 0, 20)
    for offset, n in product(range(9), (0, 1, 3, 4, 5, 9)):
        assert oracle.words(2**128 - 2, 7, offset, n) == stream[offset : offset + n], (offset, n)
