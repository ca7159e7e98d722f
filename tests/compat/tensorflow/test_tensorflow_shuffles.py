"""Shuffles and categories: properties that the recorded answers do not show."""

import numpy as np
import pytest

from dmlrand.compat.tensorflow import index_shuffle, stateless_categorical, stateless_shuffle

pytestmark = pytest.mark.both_kinds


def test_a_shuffle_of_other_values():
    assert stateless_shuffle(np.array([b"a", b"b", b"c"]), [1, 2]).tolist() == [b"b", b"c", b"a"]
    assert stateless_shuffle(5, [1, 2]).tolist() == 5
    assert not np.shares_memory(stateless_shuffle(value := np.arange(1), [1, 2]), value)


def test_index_shuffle_of_a_power_of_two_gives_two_indices_one_position():
    """tensorflow 27"""
    assert [int(index_shuffle(i, [5, 6], 65536)) for i in (0, 1, 65535, 65536)] == [50931, 40467, 10799, 50931]


def test_more_answers_of_index_shuffle():
    """tensorflow 27: Seen in tensorflow-cpu 2.21.0: ranges of 64 bits, seeds beyond 32 bits, types."""
    big = index_shuffle(np.uint64(2**63 + 5), [5, 6], np.uint64(2**64 - 1))
    assert (big, big.dtype) == (470636705549374168, np.uint64)
    assert index_shuffle(np.uint64(2**63), [5, 6], np.uint64(2**63)) == 475174802360304901
    assert index_shuffle(np.uint64(7), [5, 6], np.uint64(2**62 + 1)) == 235318092296082415
    assert index_shuffle(np.int64(7), [5, 6], 2**53 + 1) == 3056229962483954
    assert index_shuffle(np.uint32(7), [5, 6], np.uint32(2**32 - 1)) == 152335305
    assert index_shuffle(3, [-5, -6], 100) == index_shuffle(3, [2**32 - 5, 2**32 - 6], 100) == 20
    assert index_shuffle(3, [2**40 + 5, 6], 100) == index_shuffle(3, [5, 6], 100) == 78
    assert index_shuffle(0, [1, 2], 0) == 0


def test_index_shuffle_types_and_batches():
    """tensorflow 27"""
    assert index_shuffle(1, [5, 6], 3).dtype == np.int32
    assert index_shuffle(2**40, [5, 6], 2**41).dtype == np.int64
    assert index_shuffle([], [5, 6], 3).tolist() == []
    rows = index_shuffle([0, 1, 2], [[5, 6], [7, 8], [9, 10]], [20, 30, 40])
    alone = [index_shuffle(0, [5, 6], 20), index_shuffle(1, [7, 8], 30), index_shuffle(2, [9, 10], 40)]
    assert rows.tolist() == [int(each) for each in alone]
    assert index_shuffle(1, [[5, 6], [7, 8]], 9).shape == (2,)
    assert index_shuffle([1], [5, 6], [9, 9]).shape == (2,)


# Categories


def test_categories_of_infinite_logits_are_never_drawn():
    """tensorflow 28: Seen in tensorflow-cpu 2.21.0. +inf counts for nothing, too."""
    samples = stateless_categorical([[0.0, float("inf"), -float("inf"), float("nan"), 1.0]], 30, [1, 2])
    assert samples.tolist() == [[0 if place in (2, 7, 12, 24) else 4 for place in range(30)]]


def test_a_row_without_a_category_gives_one_that_does_not_exist():
    """tensorflow 28"""
    assert stateless_categorical([[-float("inf")] * 3], 4, [1, 2]).tolist() == [[3] * 4]
