"""XLA's RngBitGenerator, which jax.lax.rng_bit_generator calls: Philox4x32-10 from a state of six words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...arrays.arguments import check_choice
from ...arrays.tensor import Shape
from ...operator import random_generator, random_window
from ...philox import MASK32, MASK64
from ...state import State, blocks_for, make_state
from ..shared import join_words
from .arguments import UINT32, UINT64, UNSIGNED, check_flag, check_shape, read_dtype

ALGORITHMS = ("RNG_DEFAULT", "RNG_PHILOX")  # the same on a CPU
NOT_A_STATE = "Six words are a state, not a key: draw from it with dmlrand.random_generator."


def rng_bit_generator(
    key: NDArray[Any], shape: Any, dtype: DTypeLike = np.uint32, algorithm: str = "RNG_DEFAULT", *, x64: bool = False
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The key that follows a key, in the same form, and bits. key is a uint32 array of shape (..., 4), or uint64 of
    shape (..., 2). With leading axes all bits come from the first key, and only that key changes, as under jax.vmap.

    >>> rng_bit_generator(np.array([7, 0, 5, 0], np.uint32), (6,))[0]
    array([7, 0, 7, 0], dtype=uint32)
    """
    check_choice(algorithm, "algorithm", ALGORITHMS)
    keys = _check_keys(key)
    kind = UINT32 if dtype is None else read_dtype(dtype, UNSIGNED, check_flag(x64, "x64"))
    sizes = check_shape(shape)
    lead = keys.shape[:-1]
    if math.prod(lead) == 0:
        return keys, np.empty(lead + sizes, kind)
    first = keys.reshape(-1, keys.shape[-1])[0]
    seed, position = _numbers(first)
    values, blocks = _philox_bits(seed, position, 8 * kind.itemsize, lead + sizes)
    numbers = seed, position + blocks & MASK64
    first[...] = numbers if first.size == 2 else [each for n in numbers for each in (n & MASK32, n >> 32)]
    return keys, values


def rng_bit_generator_state(key: NDArray[Any]) -> State:
    """The six-word state that draws the words of a single key. It keeps the carry that rng_bit_generator drops.

    >>> rng_bit_generator_state(np.array([7, 0, 5, 0], np.uint32))
    array([5, 0, 7, 0, 7, 0], dtype=uint32)
    """
    keys = _check_keys(key)
    if keys.ndim != 1:
        raise ValueError(f"key must be a single key; got shape {keys.shape}. Pass them one by one.")
    return _state(*_numbers(keys))


def default_bits(key: NDArray[np.uint32], width: int, count: int) -> NDArray[Any]:
    """The bits that rng_bit_generator draws from one key with RNG_DEFAULT."""
    return _philox_bits(*_numbers(key), width, (count,))[0]


def every_tenth_block(key: NDArray[np.uint32], count: int, first: int) -> NDArray[np.uint32]:
    """(count, 4): the blocks first, first + 10, ... that RNG_DEFAULT draws from one key. `first` is below 10."""
    return random_window(_state(*_numbers(key)), (count, 10, 4), (slice(None), first))


def _state(seed: int, position: int) -> State:
    return make_state(counter=position | seed << 64, key=seed)


def _philox_bits(seed: int, position: int, width: int, shape: Shape) -> tuple[NDArray[Any], int]:
    """The bits, and the number of blocks used."""
    count = math.prod(shape) * (2 if width == 64 else 1)
    words = random_generator(_state(seed, position), count, output_state=False).values
    bits = join_words(words[0::2], words[1::2]) if width == 64 else words.astype(f"u{width // 8}", copy=False)
    return bits.reshape(shape), blocks_for(count)


def _numbers(key: NDArray[Any]) -> tuple[int, int]:
    """The two 64-bit numbers of a key."""
    words = key.tolist()
    return (words[0], words[1]) if len(words) == 2 else (words[0] | words[1] << 32, words[2] | words[3] << 32)


def _check_keys(key: Any) -> NDArray[Any]:
    """A copy of `key`, which must hold keys of rng_bit_generator."""
    rule = "key must be a uint32 array of shape (..., 4) or a uint64 array of shape (..., 2)"
    if not hasattr(key, "dtype") or not hasattr(key, "shape"):
        raise TypeError(f"{rule}; got {type(key).__name__}. Pass numpy.array(words, numpy.uint32).")
    array = np.asarray(key)
    words = {UINT32: 4, UINT64: 2}.get(array.dtype)
    if words is None:
        raise TypeError(f"{rule}; got {array.dtype} of shape {array.shape}. Convert it yourself.")
    if array.shape[-1:] != (words,):
        is_state = words == 4 and array.shape[-1:] == (6,)
        raise ValueError(f"{rule}; got {array.dtype} of shape {array.shape}.{f' {NOT_A_STATE}' * is_state}")
    return np.array(array, order="C")
