"""Blocks run backwards, which finds the place of words in a stream, and round by round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..drawing.arguments import check_bits, check_int
from ..operator import random_generator
from ..philox import M0, M1, MASK32, ROUNDS, W0, W1, Words2, Words4, apply_round, bump_key
from ..state import make_state

# Both multipliers are odd, so multiplying by them modulo 2**32 can be undone.
INVERSE_M0, INVERSE_M1 = pow(M0, -1, 1 << 32), pow(M1, -1, 1 << 32)

# A run of this many words holds a whole block wherever it starts, and 3 more words that confirm the place.
LOCATABLE_WORDS = 7


class Position(NamedTuple):
    """Where a run of words lies: words[offset : offset + 4] is its first whole block, the block of `counter`.

    offset is 0 to 3.

    >>> Position(counter=1002, offset=1).lane
    3
    """

    counter: int
    offset: int

    @property
    def lane(self) -> int:
        """The lane of the run's first word, 0 to 3. Unless it is 0, the word belongs to the block before `counter`."""
        return -self.offset % 4


class Round(NamedTuple):
    """One of the 10 rounds: its input words and its output words, lowest word first.

    >>> from dmlrand import trace
    >>> first, second, *_ = trace(counter=0, key=42)
    >>> first.result == second.counter, second.key
    (True, (2654435811, 3144134277))
    """

    round: int
    counter: tuple[int, int, int, int]
    key: tuple[int, int]
    result: tuple[int, int, int, int]


def trace(counter: int, key: int) -> tuple[Round, ...]:
    """The input and the output of each of the 10 rounds of a block. The last result is the block.

    Parameters
    ----------
    counter : int in [0, 2**128)
    key : int in [0, 2**64)

    Examples
    --------
    >>> first, *_, last = trace(counter=0, key=42)
    >>> first
    Round(round=0, counter=(0, 0, 0, 0), key=(42, 0), result=(42, 0, 0, 0))
    >>> last.result
    (2632642643, 2012563771, 314527917, 1463989207)
    """
    counter, key = check_bits(counter, "counter", 128), check_bits(key, "key", 64)
    words: Words4 = (counter & MASK32, counter >> 32 & MASK32, counter >> 64 & MASK32, counter >> 96)
    round_key: Words2 = (key & MASK32, key >> 32)
    rounds = []
    for number in range(ROUNDS):
        rounds.append(Round(number, words, round_key, apply_round(words, round_key)))
        words, round_key = rounds[-1].result, bump_key(round_key)
    return tuple(rounds)


def locate(words: Sequence[int] | NDArray[np.uint32], key: int) -> int:
    """The counter in [0, 2**128) whose block is these four words.

    Any four words are the block of exactly one counter, so the answer is meaningful only if the counter is near one
    that you know. For a longer run see locate_run.

    Parameters
    ----------
    words : sequence of ints in [0, 2**32), or uint32 array of rank 1
        Four or more consecutive words of a stream.
    key : int in [0, 2**64)

    Raises
    ------
    ValueError
        A run of more than four words lies nowhere in the key's stream.

    Examples
    --------
    >>> from dmlrand import make_state, random_generator
    >>> words = random_generator(make_state(counter=10**30, key=42), 4).values
    >>> locate(words, key=42) == 10**30
    True
    """
    return locate_run(words, key).counter


def locate_run(words: Sequence[int] | NDArray[np.uint32], key: int) -> Position:
    """Where a run of consecutive words lies in the stream of a key. The run may start within a block.

    The arguments are those of locate. Seven words always suffice, five or six if they hold a whole block.

    Examples
    --------
    >>> from dmlrand import make_state, random_generator
    >>> locate_run(random_generator(make_state(counter=1000, key=42), 20).values[7:], key=42)
    Position(counter=1002, offset=1)
    """
    run = _check_words(words)
    key = check_bits(key, "key", 64)
    # The first whole block begins at word 0 to 3 of the run. Four words are a whole block.
    places = [Position(counter_before(run[i : i + 4], key), i) for i in range(min(4, len(run) - 3))]
    fits = [place for place in places if _explains(place, run, key)]
    if len(fits) != 1:
        raise ValueError(_no_place(run, key, fits))
    return fits[0]


def invert_block(words: Sequence[Any], key: Words2) -> Words4:
    """The counter whose block is `words`: undoes the rounds from the last one to the first."""
    w0, w1, w2, w3 = words
    counter = w0, w1, w2, w3
    for step in reversed(range(ROUNDS)):
        round_key = (key[0] + step * W0) & MASK32, (key[1] + step * W1) & MASK32
        counter = undo_round(counter, round_key)
    return counter


def counter_before(words: Sequence[int], key: int) -> int:
    """The counter whose block is `words`. Counter and key are numbers."""
    c0, c1, c2, c3 = invert_block(words, (key & MASK32, key >> 32))
    counter: int = c0 | c1 << 32 | c2 << 64 | c3 << 96
    return counter


def undo_round(counter: Words4, key: Words2) -> Words4:
    """The counter words from which a round with this key makes `counter`."""
    high1, low1, high0, low0 = counter
    c0, c2 = low0 * INVERSE_M0 & MASK32, low1 * INVERSE_M1 & MASK32
    return c0, high1 ^ (c2 * M1 >> 32) ^ key[0], c2, high0 ^ (c0 * M0 >> 32) ^ key[1]


def _check_words(words: Any) -> list[int]:
    if isinstance(words, np.ndarray):
        if words.dtype != np.uint32 or words.ndim != 1:
            raise TypeError(
                f"words must be uint32 of rank 1; got {words.dtype} of rank {words.ndim}. Pass values.ravel()."
            )
        words = words.tolist()
    elif not isinstance(words, (list, tuple)):
        raise TypeError(f"words must be a list, a tuple or a uint32 array; got {type(words).__name__}. Pass a list.")
    run = [check_int(word, f"words[{i}]") for i, word in enumerate(words)]
    for i, word in enumerate(run):
        check_int(word, f"words[{i}]", 0, 1 << 32, "For an int32 pass word % 2**32." if word < 0 else "")
    if len(run) < 4:
        raise ValueError(
            f"words must hold at least the 4 words of a block; got {len(run)}, which occur at many counters. "
            f"Pass the 4 words of one block, or any {LOCATABLE_WORDS} consecutive words."
        )
    return run


def _explains(place: Position, run: list[int], key: int) -> bool:
    """Whether every word of the run equals the stream's word at this place."""
    before = 1 if place.offset else 0
    start = make_state(counter=(place.counter - before) % (1 << 128), key=key)
    words, _ = random_generator(start, place.lane + len(run))
    return bool(words[place.lane :].tolist() == run)


def _no_place(run: list[int], key: int, fits: list[Position]) -> str:
    if len(run) < LOCATABLE_WORDS:
        return (
            f"words must hold one whole block; got {len(run)}, which hold {len(fits)} blocks of key {key:#x}. "
            f"Pass {LOCATABLE_WORDS} consecutive words, or check the key."
        )
    blocks = len(run) // 4
    starts = {counter_before(run[i::blocks][:4], key) - i for i in range(blocks)}
    if len(run) % 4 == 0 and len(starts) == 1:
        return (
            f"words must be consecutive words of key {key:#x}; got words of {blocks} blocks, lane by lane: words 0, "
            f"{blocks}, {2 * blocks} and {3 * blocks} are the block of counter {starts.pop():#x}. Pass these."
        )
    return (
        f"words must be consecutive words of key {key:#x}; got {len(run)} that do not occur in its stream at any "
        "counter and lane. Check the key, and that no word is missing. If the generator may be faulty, use verify."
    )
