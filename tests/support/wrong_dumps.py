"""34 wrong dumps, as real generators and real tools make them: each is one mistake at random places, sizes and keys.

A dump's maker takes a numpy random generator. It returns the state, the tensor, the number of words that it should
have, and texts that the first sentence of a report must hold to explain the dump.
"""

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np
import oracle
from faulty_generators import count, philox

from dmlrand import advance_blocks, make_state, random_generator


class Made(NamedTuple):
    state: Any
    values: np.ndarray
    demanded: int
    said: list[str]


class WrongDump(NamedTuple):
    name: str
    kind: str
    make: Callable[[np.random.Generator], Made]


WRONG_DUMPS: list[WrongDump] = []
FOREIGN = "not found in the key's stream"


def wrong_dump(kind):
    """Add a maker to the collection, under its own name. A maker may leave out the size, which is then right."""

    def add(maker):
        def make(rng):
            state, values, said, *demanded = maker(rng)
            values = np.ascontiguousarray(values, np.uint32)
            return Made(state, values, *(demanded or [values.size]), said)

        WRONG_DUMPS.append(WrongDump(maker.__name__, kind, make))
        return maker

    return add


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


@wrong_dump("places")
def garbage_from_k_on(rng):
    state, right, n, k = flat(rng)
    return state, np.r_[right[:k], garbage(rng, n - k)], [f"{words(0, k)} right", f"{words(k, n)} {FOREIGN}"]


@wrong_dump("places")
def restart_at_k(rng):
    state, right, n, k = flat(rng)
    said = [f"{words(0, k)} right", f"{words(k, n)} the stream from its first word on"]
    return state, np.r_[right[:k], right[: n - k]], said


@wrong_dump("places")
def nine_blocks_skipped_at_k(rng):
    state, right, n, k = flat(rng)
    said = [f"{words(0, k)} right", f"{words(k, n)} 36 words (9 blocks) too far"]
    return state, np.r_[right[:k], stream(state, k + 36, n - k)], said


@wrong_dump("places")
def a_word_lost_at_k(rng):
    state, _, n, k = flat(rng)
    return state, stream(state, 0, n + 1)[np.arange(n + 1) != k], [f"{words(k, n)} 1 word too far in the stream"]


@wrong_dump("places")
def every_second_group_of_256_zero(rng):
    state = random_state(rng)
    right = stream(state, 0, 512 * integer(rng, 4, 200)).reshape(-1, 256).copy()
    right[1::2] = 0
    return state, right, ["256 words are right", "256 words are the constant 0x0", "a pattern of 512 words"]


@wrong_dump("places")
def a_hole(rng):
    state, right, n, k = flat(rng)
    stop = integer(rng, k + 2, n - 1)
    right[k:stop] = 0xCDCDCDCD
    said = [f"{words(0, k)} right", f"{words(k, stop)} the constant 0xcdcdcdcd", f"{right_from(stop, n)}"]
    return state, right, said


def right_from(first, n):
    return f"word {first:,} is right" if first == n - 1 else f"{words(first, n)} right"


@wrong_dump("places")
def tail_of_zeros(rng):
    state, right, n, k = flat(rng)
    right[k:] = 0
    return state, right, [f"The last {n - k} of {n} words are 0x0, as if never written"]


@wrong_dump("places")
def five_foreign_words_and_then_the_stream(rng):
    state, right, n, _ = flat(rng)
    said = ["the stream begins at word 5, after 20 bytes that are not found in it"]
    return state, np.r_[garbage(rng, 5), right[:-5]], said


@wrong_dump("places")
def one_bit_of_one_word(rng):
    state, right, n, k = flat(rng)
    bit = integer(rng, 0, 31)
    right[k] ^= 1 << bit
    return state, right, [f"One bit is flipped: bit {bit} of word {k:,}. All other words are right"]


@wrong_dump("sizes")
def truncated(rng):
    state, right, n, k = flat(rng)
    return state, right[:k], [f"The dump holds {k:,} words instead of {n:,}; all words compared are right."], n


@wrong_dump("sizes")
def too_long(rng):
    state, right, n, k = flat(rng)
    return state, right, [f"The dump holds {n:,} words instead of {k:,}; all words compared are right."], k


# Words in another order


def rows_and_pitch(rng):
    row = integer(rng, 12, 40)
    return integer(rng, 20, 400), row, row + integer(rng, 1, 30)


@wrong_dump("strides")
def rows_padded_with_zeros(rng):
    state = random_state(rng)
    rows, row, pitch = rows_and_pitch(rng)
    right = stream(state, 0, rows * row).reshape(rows, row)
    said = [f"rows of {row} words", f"{pitch} words apart", "0x0 between them"]
    return state, np.pad(right, ((0, 0), (0, pitch - row))), said


@wrong_dump("strides")
def rows_padded_with_garbage(rng):
    state = random_state(rng)
    rows, row, pitch = rows_and_pitch(rng)
    values = garbage(rng, rows * pitch).reshape(rows, pitch)
    values[:, :row] = stream(state, 0, rows * row).reshape(rows, row)
    return state, values, [f"rows of {row} words", f"{pitch} words apart", "foreign words between them"]


@wrong_dump("strides")
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


@wrong_dump("strides")
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


@wrong_dump("strides")
def column_major_of_rank_3(rng):
    return column_major(rng, 3)


@wrong_dump("strides")
def read_as_column_major_of_rank_4(rng):
    return read_as_column_major(rng, 4)


@wrong_dump("strides")
def axes_of_rank_5_in_another_order(rng):
    state, shape = random_state(rng), shape_of_rank(rng, 5)
    order = rng.permutation(5).tolist()
    if order in (sorted(order), sorted(order, reverse=True)):
        order = [0, 1, 2, 4, 3]
    right = stream(state, 0, prod(shape)).reshape(shape)
    return state, right.transpose(order), ["Element [i, j, k, l, m] holds word ", "so the axes are in another order"]


@wrong_dump("strides")
def an_axis_backwards(rng):
    state, (rows, row) = random_state(rng), shape_of_rank(rng, 2)
    right = stream(state, 0, rows * row).reshape(rows, row)
    said = f"holds word {rows * row - row} - i*{row} + j, so an axis runs backwards"
    return state, right[::-1], [said]


@wrong_dump("strides")
def each_word_several_times(rng):
    state, right, _, k = flat(rng)
    times = integer(rng, 2, 9)
    return (
        state,
        np.repeat(right[:k], times),
        [f"p = d0 + d1*{times} of the flat tensor holds word d1, where d0 < {times}, so words repeat"],
    )


@wrong_dump("strides")
def lane_0_in_all_lanes(rng):
    state, right, _, k = flat(rng)
    return state, np.repeat(right[: 4 * (k // 4) : 4], 4), ["holds word d1*4, where d0 < 4, so words repeat"]


@wrong_dump("strides")
def lanes_stored_apart(rng):
    state, right, n, _ = flat(rng)
    blocks = right[: n // 4 * 4].reshape(-1, 4)
    return state, blocks.T.reshape(-1), ["stores lane 0 of all blocks, then lane 1"]


@wrong_dump("strides")
def rows_repeated(rng):
    state, right, _, _ = flat(rng)
    row = integer(rng, 9, 300)
    return state, np.tile(right[:row], (integer(rng, 3, 9), 1)), ["same words in each row of the last axis"]


@wrong_dump("strides")
def groups_of_blocks_repeated(rng):
    state, blocks = random_state(rng), int(rng.choice([32, 64, 128, 256]))
    right = stream(state, 0, 4 * blocks)
    return state, np.tile(right, integer(rng, 2, 6)), [f"repeats its words after every {blocks} blocks"]


# Thread ids in a counter word above the lowest one


def thread_ids(rng, word):
    """Thread t computes its blocks from counter words 0, 1, 2, 3 with t added to one of the words above 0."""
    threads = integer(rng, 60, 900)
    # Not counter 0: there, counter words in another order are the same fault.
    state = make_state(counter=int.from_bytes(rng.bytes(16)), key=int.from_bytes(rng.bytes(8)))
    blocks = [stream(advance_blocks(state, thread << 32 * word), 0, 4) for thread in range(threads)]
    said = [f"adds the block's number to counter word {word} alone"]
    return state, np.concatenate(blocks), said


@wrong_dump("threads")
def thread_ids_in_counter_word_2(rng):
    return thread_ids(rng, 2)


# The right words, changed


@wrong_dump("bits of words")
def big_endian(rng):
    state, right, _, _ = flat(rng)
    return state, right.byteswap(), ["bytes of each word in reverse order"]


@wrong_dump("bits of words")
def bits_inverted(rng):
    state, right, _, _ = flat(rng)
    bits = integer(rng, 1, 2**32 - 1)
    return state, right ^ np.uint32(bits), [f"w ^ {bits:#x}"]


@wrong_dump("bits of words")
def sign_lost(rng):
    state, right, _, _ = flat(rng)
    return state, np.abs(right.view(np.int32)).view(np.uint32), ["abs(int32(w))"]


@wrong_dump("bits of words")
def through_float32(rng):
    state, right, _, _ = flat(rng)
    rounded = np.minimum(right.astype(np.float32).astype(np.uint64), 2**32 - 1)
    return state, rounded, ["float32(w)"]


@wrong_dump("bits of words")
def uniform_numbers(rng):
    state, right, _, _ = flat(rng)
    numbers = (right % 2**23).astype(np.float32) / np.float32(2**23)
    return state, numbers.view(np.uint32), ["bits of the uniform number"]


# Faults of the block


def of_block(rng, said, lanes=(0, 1, 2, 3), **steps):
    """A dump of the block with other steps, in plain Python."""
    state, blocks = random_state(rng), integer(rng, 9, 60)
    c, k = state[:4].tolist(), state[4:].tolist()
    made = [philox(count(c, number), k, **steps) for number in range(blocks)]
    return state, np.array(made)[:, list(lanes)], said


@wrong_dump("block")
def a_digit_of_a_constant(rng):
    constant = oracle.M0 ^ integer(rng, 1, 15) << 4 * integer(rng, 0, 7)
    return of_block(rng, [f"{constant:#010x}"], multipliers=(constant, oracle.M1))


@wrong_dump("block")
def products_of_24_bits(rng):
    def high(a, b):
        return a * b >> 32 & 0xFFFFFFFF

    state, blocks = random_state(rng), integer(rng, 9, 60)
    made = [block_of_24_bits(count(state[:4].tolist(), number), state[4:].tolist()) for number in range(blocks)]
    return state, np.array(made), ["24 bits"]


def block_of_24_bits(c, k):
    low24 = 2**24 - 1
    for i in range(10):
        a, b = (c[0] & low24) * (oracle.M0 & low24), (c[2] & low24) * (oracle.M1 & low24)
        key = [(k[0] + i * oracle.W0) % 2**32, (k[1] + i * oracle.W1) % 2**32]
        c = [b >> 32 ^ c[1] ^ key[0], b % 2**32, a >> 32 ^ c[3] ^ key[1], a % 2**32]
    return c


@wrong_dump("block")
def key_bumped_a_round_late(rng):
    def late(c, k):
        """The first two rounds use the unchanged key: round 1 is undone by hand, and 9 rounds follow."""
        return philox(philox(c, k, rounds=1), k, rounds=9)

    state, blocks = random_state(rng), integer(rng, 9, 60)
    made = [late(count(state[:4].tolist(), number), state[4:].tolist()) for number in range(blocks)]
    return state, np.array(made), ["unchanged key in the first two rounds"]


@wrong_dump("block")
def seven_rounds_and_lanes_reversed(rng):
    return of_block(rng, ["7 rounds", "lanes"], lanes=(3, 2, 1, 0), rounds=7)
