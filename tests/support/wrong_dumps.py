"""21 wrong dumps, as real generators and real tools make them: each is one mistake at random places, sizes and keys.

A dump's maker takes a numpy random generator. It returns the state, the tensor, the number of words that it should
have, and texts that the first sentence of a report must hold to explain the dump.
"""

from collections.abc import Callable
from functools import wraps
from math import prod
from typing import Any, NamedTuple

import numpy as np

from dmlrand import advance_blocks, make_state, random_generator


class Made(NamedTuple):
    state: Any
    values: np.ndarray
    demanded: int
    said: list[str]


WRONG_DUMPS: list[Callable[[np.random.Generator], Made]] = []
FOREIGN = "not found in the key's stream"


def wrong_dump(maker):
    """Add a maker to the collection. A maker may leave out the size, which is then right."""

    @wraps(maker)
    def make(rng):
        state, values, said, *demanded = maker(rng)
        values = np.ascontiguousarray(values, np.uint32)
        return Made(state, values, *(demanded or [values.size]), said)

    WRONG_DUMPS.append(make)
    return maker


def random_state(rng):
    """A random key, and a counter that may be about to carry."""
    carry = 1 << int(rng.choice([32, 64, 96, 128]))
    counter = [int.from_bytes(rng.bytes(16)), carry - int(rng.integers(1, 500)), 0][rng.integers(3)]
    return make_state(counter=counter, key=int.from_bytes(rng.bytes(8)))


def stream(state, first, n):
    """n words of the stream, from word `first` on, which may be negative."""
    return random_generator(advance_blocks(state, first // 4), first % 4 + n).values[first % 4 :]


def garbage(rng, n):
    return rng.integers(1, 2**32 - 1, n, np.uint32)


def integer(rng, low, high):
    """An int in [low, high]."""
    return int(rng.integers(low, high + 1))


def flat(rng, least=2000):
    """A state, its right words, their number n, and a place k in the middle of them."""
    state, n = random_state(rng), integer(rng, least, 2 * least)
    return state, stream(state, 0, n), n, integer(rng, n // 8, n // 2)


def words(first, stop):
    return f"words {first:,} to {stop - 1:,} are"


# Words at the wrong place, or no words at all


@wrong_dump
def garbage_from_k_on(rng):
    state, right, n, k = flat(rng)
    return state, np.r_[right[:k], garbage(rng, n - k)], [f"{words(0, k)} right", f"{words(k, n)} {FOREIGN}"]


@wrong_dump
def restart_at_k(rng):
    state, right, n, k = flat(rng)
    said = [f"{words(0, k)} right", f"{words(k, n)} the stream from its first word on"]
    return state, np.r_[right[:k], right[: n - k]], said


@wrong_dump
def nine_blocks_skipped_at_k(rng):
    state, right, n, k = flat(rng)
    said = [f"{words(0, k)} right", f"{words(k, n)} 36 words (9 blocks) too far"]
    return state, np.r_[right[:k], stream(state, k + 36, n - k)], said


@wrong_dump
def a_word_lost_at_k(rng):
    state, _, n, k = flat(rng)
    return state, stream(state, 0, n + 1)[np.arange(n + 1) != k], [f"{words(k, n)} 1 word too far in the stream"]


@wrong_dump
def every_second_group_of_256_zero(rng):
    state = random_state(rng)
    right = stream(state, 0, 512 * integer(rng, 4, 200)).reshape(-1, 256).copy()
    right[1::2] = 0
    return state, right, ["words", "the constant 0x0"]


@wrong_dump
def a_hole(rng):
    state, right, n, k = flat(rng)
    stop = integer(rng, k + 2, n - 1)
    right[k:stop] = 0xCDCDCDCD
    said = [f"{words(0, k)} right", f"{words(k, stop)} the constant 0xcdcdcdcd", f"{right_from(stop, n)}"]
    return state, right, said


def right_from(first, n):
    return f"word {first:,} is right" if first == n - 1 else f"{words(first, n)} right"


@wrong_dump
def tail_of_zeros(rng):
    state, right, n, k = flat(rng)
    right[k:] = 0
    return state, right, [f"The last {n - k} of {n} words are 0x0, as if never written"]


@wrong_dump
def five_foreign_words_and_then_the_stream(rng):
    state, right, n, _ = flat(rng)
    said = ["the stream begins at word 5, after 20 bytes of something else"]
    return state, np.r_[garbage(rng, 5), right[:-5]], said


@wrong_dump
def one_bit_of_one_word(rng):
    state, right, n, k = flat(rng)
    bit = integer(rng, 0, 31)
    right[k] ^= 1 << bit
    return state, right, [f"One bit is flipped: bit {bit} of word {k:,}. All other words are right"]


@wrong_dump
def truncated(rng):
    state, right, n, k = flat(rng)
    return state, right[:k], [f"The dump holds {k:,} words instead of {n:,}; all words compared are right."], n


@wrong_dump
def too_long(rng):
    state, right, n, k = flat(rng)
    return state, right, [f"The dump holds {n:,} words instead of {k:,}; all words compared are right."], k


# Words in another order


def rows_and_pitch(rng):
    row = integer(rng, 12, 40)
    return integer(rng, 20, 400), row, row + integer(rng, 1, 30)


@wrong_dump
def rows_padded_with_zeros(rng):
    state = random_state(rng)
    rows, row, pitch = rows_and_pitch(rng)
    right = stream(state, 0, rows * row).reshape(rows, row)
    said = [f"rows of {row} words", f"{pitch} words apart"]
    return state, np.pad(right, ((0, 0), (0, pitch - row))), said


@wrong_dump
def rows_padded_with_garbage(rng):
    state = random_state(rng)
    rows, row, pitch = rows_and_pitch(rng)
    values = garbage(rng, rows * pitch).reshape(rows, pitch)
    values[:, :row] = stream(state, 0, rows * row).reshape(rows, row)
    return state, values, [f"rows of {row} words", f"{pitch} words apart"]


@wrong_dump
def rows_numbered_with_a_pitch(rng):
    state = random_state(rng)
    rows, row, pitch = rows_and_pitch(rng)
    row, pitch = 4 * (row // 4) + 1, 4 * (pitch // 4) + 3
    right = stream(state, 0, rows * pitch).reshape(rows, pitch)[:, :row]
    return state, right, [f"Element [i, j] holds word i*{pitch} + j, so ", "words of the stream are missing"]


def numbers_in_tiles(rng):
    """The words of a tensor stored tile after tile, by their number: tiles down, tiles across, 8, 8."""
    down, across = integer(rng, 2, 12), integer(rng, 2, 12)
    return np.arange(64 * down * across).reshape(down, across, 8, 8), down, across


@wrong_dump
def words_counted_by_8x8_tiles(rng):
    state = random_state(rng)
    numbers, down, across = numbers_in_tiles(rng)
    places = numbers.transpose(0, 2, 1, 3).reshape(8 * down, 8 * across)
    return state, stream(state, 0, places.size)[places], ["so tiles or axes are stored in another order"]


def shape_of_rank(rng, rank):
    """Sizes that differ, so that an order of the axes is not another one as well."""
    return tuple(rng.permutation(np.array([3, 5, 7, 11, 13, 17]))[:rank].tolist())


def column_major(rng, rank):
    state, shape = random_state(rng), shape_of_rank(rng, rank)
    return state, stream(state, 0, prod(shape)).reshape(shape[::-1]).transpose(), ["column-major order"]


def read_as_column_major(rng, rank):
    state, shape = random_state(rng), shape_of_rank(rng, rank)
    right = stream(state, 0, prod(shape)).reshape(shape)
    return state, right.transpose().reshape(shape), ["Element p = d0", "so tiles or axes are stored in another order"]


@wrong_dump
def column_major_of_rank_3(rng):
    return column_major(rng, 3)


@wrong_dump
def read_as_column_major_of_rank_4(rng):
    return read_as_column_major(rng, 4)


@wrong_dump
def axes_of_rank_5_in_another_order(rng):
    state, shape = random_state(rng), shape_of_rank(rng, 5)
    order = rng.permutation(5).tolist()
    if order in (sorted(order), sorted(order, reverse=True)):
        order = [0, 1, 2, 4, 3]
    right = stream(state, 0, prod(shape)).reshape(shape)
    return state, right.transpose(order), ["Element [i, j, k, l, m] holds word ", "so the axes are in another order"]


@wrong_dump
def an_axis_backwards(rng):
    state, (rows, row) = random_state(rng), shape_of_rank(rng, 2)
    right = stream(state, 0, rows * row).reshape(rows, row)
    said = f"holds word {rows * row - row} - i*{row} + j, so an axis runs backwards"
    return state, right[::-1], [said]


@wrong_dump
def each_word_several_times(rng):
    state, right, _, k = flat(rng)
    times = integer(rng, 2, 9)
    return (
        state,
        np.repeat(right[:k], times),
        [f"p = d0 + d1*{times} of the flat tensor holds word d1, where d0 < {times}, so words repeat"],
    )


@wrong_dump
def lane_0_in_all_lanes(rng):
    state, right, _, k = flat(rng)
    return state, np.repeat(right[: 4 * (k // 4) : 4], 4), ["holds word d1*4, where d0 < 4, so words repeat"]
