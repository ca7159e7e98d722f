"""The mistakes that makers make in the state afterwards, each as a machine that makes exactly this one."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..philox import MASK32, ROUNDS, W0, W1
from ..state import blocks_for
from .device import (
    ALL_REVERSED,
    COUNTER_REVERSED,
    KEY_FIRST,
    KEY_REVERSED,
    Carries,
    Words6,
    add_blocks,
    all_carries_but,
    as_given,
    bytes_swapped,
    order,
)


class Stepper(NamedTuple):
    """How a machine makes the state afterwards. The defaults are right."""

    blocks: Callable[[int], int] = blocks_for  # from words drawn to blocks advanced
    carries: Carries = (True, True, True)
    read: Callable[[Words6], Words6] = as_given
    write: Callable[[Words6], Words6] = as_given

    def next_state(self, state: Words6, words: int) -> Words6:
        """The six words that the machine stores after drawing `words`, fewer than 2**62."""
        c0, c1, c2, c3, k0, k1 = self.read(state)
        counter = add_blocks((c0, c1, c2, c3), self.blocks(words) % (1 << 64), self.carries)
        return self.write((*counter, k0, k1))


class StateMistake(NamedTuple):
    """A wrong way to the state afterwards, and what to say of it."""

    name: str
    sentence: str
    stepper: Stepper


_STORED_KEY_FIRST = order(4, 5, 0, 1, 2, 3)  # the inverse of KEY_FIRST


def _key_bumped(times: int) -> Callable[[Words6], Words6]:
    def write(words: Words6) -> Words6:
        c0, c1, c2, c3, k0, k1 = words
        return c0, c1, c2, c3, (k0 + times * W0) & MASK32, (k1 + times * W1) & MASK32

    return write


def _table() -> list[StateMistake]:
    rows = [
        (
            "state-not-advanced",
            "It stores the state as it was: advance the counter by ceil(words / 4) blocks.",
            Stepper(blocks=lambda words: 0),
        ),
        (
            "state-advanced-by-words",
            "It advances the counter by one for each word: advance by one for each block, ceil(words / 4).",
            Stepper(blocks=lambda words: words),
        ),
        (
            "state-advanced-by-floor",
            "It advances the counter by floor(words / 4): a block begun counts whole, so round up.",
            Stepper(blocks=lambda words: words // 4),
        ),
        (
            "state-advanced-one-short",
            "It stores the counter of the last block used: store that of the next.",
            Stepper(blocks=lambda words: blocks_for(words) - 1),
        ),
        (
            "state-advanced-one-far",
            "It advances the counter by a block too many: advance by ceil(words / 4).",
            Stepper(blocks=lambda words: blocks_for(words) + 1),
        ),
        (
            "state-advanced-256-per-value",
            "It advances the counter by 256 blocks for each value, as TensorFlow does: advance by ceil(words / 4).",
            Stepper(blocks=lambda words: 256 * words),
        ),
        (
            "state-advanced-256-per-block",
            "It advances the counter by 256 for each block, as OpenVINO's reference does: advance by ceil(words / 4).",
            Stepper(blocks=lambda words: 256 * blocks_for(words)),
        ),
        (
            "state-counter-words-reversed",
            "It counts in word 3 first: word 0 of the counter is the lowest.",
            Stepper(read=COUNTER_REVERSED, write=COUNTER_REVERSED),
        ),
        (
            "state-counter-stored-reversed",
            "It stores the new counter's words highest first: store the lowest in word 0.",
            Stepper(write=COUNTER_REVERSED),
        ),
        (
            "state-key-stored-reversed",
            "It stores the key's words in reverse: store them as they were.",
            Stepper(write=KEY_REVERSED),
        ),
        (
            "state-stored-reversed",
            "It stores all six words backwards: store the counter in words 0 to 3, the key in words 4 and 5.",
            Stepper(write=ALL_REVERSED),
        ),
        (
            "state-words-stepped-backwards",
            "It reads and stores all six words backwards: the counter is words 0 to 3, word 0 the lowest.",
            Stepper(read=ALL_REVERSED, write=ALL_REVERSED),
        ),
        (
            "state-key-before-counter",
            "It takes words 2 to 5 for the counter: the counter is words 0 to 3.",
            Stepper(read=KEY_FIRST, write=_STORED_KEY_FIRST),
        ),
        (
            "state-stored-key-first",
            "It stores the key before the new counter: store the counter in words 0 to 3.",
            Stepper(write=_STORED_KEY_FIRST),
        ),
        (
            "state-bytes-stored-swapped",
            "It stores the bytes of each word in reverse: store uint32 in the device's own byte order.",
            Stepper(write=bytes_swapped),
        ),
        (
            "state-key-bumped",
            "It stores the last round's key: store the key as it was.",
            Stepper(write=_key_bumped(ROUNDS - 1)),
        ),
        (
            "state-key-bumped",
            "It stores the key bumped after the last round: store the key as it was.",
            Stepper(write=_key_bumped(ROUNDS)),
        ),
    ]
    rows += [
        (
            f"state-no-carry-out-of-word-{word}",
            f"It loses the carry out of counter word {word}, at {32 * (word + 1)} bits: when that word wraps, "
            f"add 1 to word {word + 1}.",
            Stepper(carries=all_carries_but(word)),
        )
        for word in range(3)
    ]
    return [StateMistake(*row) for row in rows]


STATE_MISTAKES = tuple(_table())
