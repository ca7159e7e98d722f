"""Seed pairs as keys, counters and states of six words; new seeds from old ones; how far TensorFlow skips."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...distributions import integers
from ...philox import MASK32, MASK64, block
from ...state import State, StateLike, check_state, counter_of, key_of, make_state
from ..shared import Shape, check_int
from . import arguments
from .arguments import AUTO, HIGH64, LOW64, SIGNED, Array, check_pair, fixed_ints, typed_ints

__all__ = [
    "fold_in", "key_counter_of_state", "split", "state_of_key_counter", "stateless_fold_in",
    "stateless_random_get_key_counter", "stateless_split",
]  # fmt: skip

SCRAMBLING_KEY = (0x3EC8F720, 0x02461E29)  # of the block that scrambles seeds in StatelessRandomGetKeyCounter


class KeyCounter(NamedTuple):
    """The key, uint64 of shape (1,), and the counter, uint64 of shape (2,), low half first."""

    key: NDArray[np.uint64]
    counter: NDArray[np.uint64]


def stateless_random_get_key_counter(seed: Any) -> KeyCounter:
    """The key and counter of a seed pair, as key_counter_of_state of this module returns those of a state:
    `tf.raw_ops.StatelessRandomGetKeyCounter`."""
    return key_counter_of_state(state_of_seed(seed))


def state_of_seed(seed: Any, alg: Any = AUTO, jit_compile: bool = False) -> State:
    """The six words whose stream every stateless sampler reads for this seed pair. `alg` is only checked. XLA
    (jit_compile) reads the low 32 bits of each seed."""
    arguments.check_algorithm(alg)
    first, second, _ = check_pair(seed)
    used = MASK32 if jit_compile else MASK64
    words = (first & MASK32, (first & used) >> 32, second & MASK32, (second & used) >> 32)
    key_low, key_high, counter_2, counter_3 = block(words, SCRAMBLING_KEY)
    return make_state(counter=(counter_2 | counter_3 << 32) << 64, key=key_low | key_high << 32)


def state_of_key_counter(key: Any, counter: Any) -> State:
    """The state of TensorFlow's key and counter, as key_counter_of_state of this module returns them. -1 counts as
    2**64 - 1."""
    (key,), _ = fixed_ints(key if isinstance(key, (list, tuple)) or np.ndim(key) else [key], "key", 1, "one number")
    (low, high), _ = fixed_ints(counter, "counter", 2, "the low half first")
    return make_state(counter=low & MASK64 | (high & MASK64) << 64, key=key & MASK64)


def key_counter_of_state(state: StateLike) -> KeyCounter:
    """A state of six words as TensorFlow's key and counter, for its raw ops and for Generator.from_key_counter.

    >>> key_counter_of_state([1, 0, 2, 0, 3, 0])
    KeyCounter(key=array([3], dtype=uint64), counter=array([1, 2], dtype=uint64))
    """
    words = check_state(state)
    counter = counter_of(words)
    halves = np.array([counter & MASK64, counter >> 64], np.uint64)
    return KeyCounter(np.array([key_of(words)], np.uint64), halves)


def skip_blocks(state: State, blocks: int) -> State:
    """The state `blocks` modulo 2**64 further on, by TensorFlow's PhiloxRandom::Skip. It adds the carry of the lowest
    word to the upper half of `blocks`, in 32 bits. If that half is 0xffffffff, the carry is lost."""
    counter = counter_of(state)
    word_0 = (counter & MASK32) + (blocks & MASK32)
    high = (blocks >> 32) + (word_0 >> 32) & MASK32
    upper = (counter >> 32) + high & (1 << 96) - 1
    return make_state(counter=word_0 & MASK32 | upper << 32, key=key_of(state))


def split(seed: Any, num: int = 2, alg: Any = AUTO) -> Array:
    """`num` new seeds from a seed: `tf.random.split`, of shape (num, 2) and of the seed's type, int32 or int64.

    >>> split([1, 2], 3)[0]
    array([1105988140, 1738052849], dtype=int32)
    """
    state, kind = state_of_seed(seed, alg), check_pair(seed)[2]
    if kind.name not in SIGNED:
        raise TypeError(f"seed must be int32 or int64 to be split; got an array of {kind}. Convert it yourself.")
    return full_ints((check_int(num, "num", 0, HIGH64), 2), kind, state)


def fold_in(seed: Any, data: Any, alg: Any = AUTO) -> Array:
    """A new seed from a seed and an integer: `tf.random.fold_in`, one draw of data's type and then data itself.

    >>> fold_in([1, 2], 3)
    array([1105988140,          3], dtype=int32)
    """
    state = state_of_seed(seed, alg)
    (number,), kind = typed_ints(data, "data", LOW64, 0)
    return np.array([full_ints((), kind, state)[()], number], kind)


def full_ints(sizes: Shape, kind: np.dtype[Any], state: State) -> Array:
    """Integers of the full range of the type: one word, or two words with the low half first."""
    bits = 8 * kind.itemsize
    unsigned = integers(state, math.prod(sizes), 0, 1 << bits, np.dtype(f"uint{bits}")).values
    return unsigned.view(kind).reshape(sizes)


stateless_split, stateless_fold_in = split, fold_in  # their names in tf.random.experimental
