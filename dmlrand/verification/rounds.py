"""One block, round by round, to compare with a shader in a debugger."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays.integers import check_bits
from ..philox import MASK32, ROUNDS, apply_round, bump_key

Four = tuple[int, int, int, int]
Two = tuple[int, int]


class Round(NamedTuple):
    """One of the 10 rounds: its input words and its output words, lowest word first.

    >>> from dmlrand import trace
    >>> first, second, *_ = trace(counter=0, key=42)
    >>> first.result == second.counter, second.key
    (True, (2654435811, 3144134277))
    """

    round: int
    counter: Four
    key: Two
    result: Four


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
    words: Four = (counter & MASK32, counter >> 32 & MASK32, counter >> 64 & MASK32, counter >> 96)
    round_key: Two = (key & MASK32, key >> 32)
    rounds = []
    for number in range(ROUNDS):
        rounds.append(Round(number, words, round_key, apply_round(words, round_key)))
        words, round_key = rounds[-1].result, bump_key(round_key)
    return tuple(rounds)
