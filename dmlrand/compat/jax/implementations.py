"""JAX's implementations of random keys: how each one makes a key from a seed, children of a key, and bits.

Keys come as uint32 arrays of shape (keys, words), contiguous and owned by this package. Results have the keys on their
first axis.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ... import kernels
from ...arrays.arguments import check_choice
from ...philox import MASK32, block as philox_block
from ..shared import join_words
from .arguments import UINT32, UINT64, check_flag
from .generator import default_bits, every_tenth_block

Words = NDArray[np.uint32]

HALF = np.uint64(32)


class Implementation(Protocol):
    """One of JAX's implementations of random keys."""

    words: int  # words of a key
    any_element: bool  # whether `bits` can begin at any multiple of 16 elements, or at element 0 of the output only

    def seed(self, high: int, low: int) -> list[int]:
        """The key of a seed that is given as two words."""

    def split(self, keys: Words, count: int) -> Words:
        """(keys, count, words): the children of each key."""

    def fold_in(self, keys: Words, data: Words) -> Words:
        """(..., words): the child of each key for its number. `keys` may have more axes, which broadcast with
        data's."""

    def bits(self, keys: Words, width: int, count: int, first: int = 0) -> NDArray[Any]:
        """(keys, count): elements first, first + 1, ... of each key, as unsigned words of 8, 16, 32 or 64 bits."""


class Threefry:
    """impl="threefry2x32": element i has its own counter, i in 64 bits."""

    words = 2
    any_element = True

    def seed(self, high: int, low: int) -> list[int]:
        return [high, low]

    def split(self, keys: Words, count: int) -> Words:
        return self._pairs(keys, count, 0)

    def fold_in(self, keys: Words, data: Words) -> Words:
        lead = np.broadcast_shapes(keys.shape[:-1], data.shape)
        children = np.empty((*lead, 2), UINT32)
        words, numbers = np.broadcast_to(keys, children.shape).copy(), np.broadcast_to(data, lead).copy()
        kernels.threefry_fold(words.reshape(-1), numbers.reshape(-1), children.reshape(-1))
        return children

    def bits(self, keys: Words, width: int, count: int, first: int = 0) -> NDArray[Any]:
        if width == 64:
            pairs = self._pairs(keys, count, first)
            return join_words(pairs[..., 1], pairs[..., 0])
        words = np.empty((len(keys), count), UINT32)
        kernels.threefry_bits(keys.reshape(-1), np.uint64(first), words.reshape(-1))
        return words if width == 32 else words.astype(f"u{width // 8}")

    def _pairs(self, keys: Words, count: int, first: int) -> Words:
        pairs = np.empty((len(keys), count, 2), UINT32)
        kernels.threefry_pairs(keys.reshape(-1), np.uint64(first), pairs.reshape(-1))
        return pairs


class OldThreefry(Threefry):
    """Threefry without jax_threefry_partitionable: the counters and the results of a draw are cut into two halves."""

    any_element = False

    def split(self, keys: Words, count: int) -> Words:
        return self._halves(keys, 2 * count).reshape(len(keys), count, 2)

    def bits(self, keys: Words, width: int, count: int, first: int = 0) -> NDArray[Any]:
        words = self._halves(keys, -(-width * count // 32))
        if width == 64:
            return join_words(words[:, count:], words[:, :count])
        # A word holds 4 elements of 8 bits or 2 of 16 bits, the lowest first.
        return words.astype("<u4", copy=False).view(f"<u{width // 8}")[:, :count].astype(f"u{width // 8}", copy=False)

    def _halves(self, keys: Words, count: int) -> Words:
        if count >= MASK32:
            raise ValueError(
                f"an output without partitionable must take fewer than 2**32 - 1 words; got {count}. "
                "JAX draws larger outputs from several keys: split the key, and draw a smaller output from each child."
            )
        words = np.empty((len(keys), count), UINT32)
        kernels.threefry_halves(keys.reshape(-1), words.reshape(-1))
        return words


class Philox:
    """impl="philox4x32": a block for each element. The words differ from those of six-word states."""

    words = 2
    any_element = True

    def seed(self, high: int, low: int) -> list[int]:
        return list(philox_block((high, low, 0, 0), (0, 0))[:2])

    def split(self, keys: Words, count: int) -> Words:
        return _stack(*self._blocks(keys[:, None], 0, 0, *_numbers(0, count))[:2])

    def fold_in(self, keys: Words, data: Words) -> Words:
        return _stack(*self._blocks(keys, 0, 0, 0, data.astype(UINT64))[:2])

    def bits(self, keys: Words, width: int, count: int, first: int = 0) -> NDArray[Any]:
        w0, w1, w2, w3 = self._blocks(keys[:, None], *_numbers(first, count), 0, 0)
        if width == 64:
            return join_words(w1, w0)
        return (w0 ^ w1 ^ w2 ^ w3).astype(f"u{width // 8}")

    def _blocks(self, keys: Words, *counter: Any) -> list[NDArray[np.uint64]]:
        key = keys.astype(UINT64)
        words = [np.asarray(word, UINT64) for word in counter]
        return list(philox_block((words[0], words[1], words[2], words[3]), (key[..., 0], key[..., 1])))


class Rbg:
    """impl="rbg": a key is two keys of Threefry. Its bits are those of rng_bit_generator."""

    words = 4
    any_element = False

    def __init__(self, halves: Threefry) -> None:
        self._halves = halves

    def seed(self, high: int, low: int) -> list[int]:
        return self._halves.seed(high, low) * 2

    def split(self, keys: Words, count: int) -> Words:
        children = self._halves.split(keys.reshape(-1, 2), count).reshape(len(keys), 2, count, 2)
        return np.ascontiguousarray(children.swapaxes(1, 2)).reshape(len(keys), count, 4)

    def fold_in(self, keys: Words, data: Words) -> Words:
        children = self._halves.fold_in(keys.reshape(*keys.shape[:-1], 2, 2), data[..., None])
        return children.reshape(*children.shape[:-2], 4)

    def bits(self, keys: Words, width: int, count: int, first: int = 0) -> NDArray[Any]:
        if len(keys) == 0:
            return np.empty((0, count), f"u{width // 8}")
        # As under jax.vmap: the first key draws the bits of all keys.
        return default_bits(keys[0], width, len(keys) * count).reshape(len(keys), count)


class UnsafeRbg(Rbg):
    """impl="unsafe_rbg": as "rbg", but the children of a key too are blocks of rng_bit_generator, one in ten."""

    def split(self, keys: Words, count: int) -> Words:
        if len(keys) == 0:
            return np.empty((0, count, 4), UINT32)
        # As under jax.vmap: the first key draws the children of all keys.
        return every_tenth_block(keys[0], len(keys) * count, 0).reshape(len(keys), count, 4)

    def fold_in(self, keys: Words, data: Words) -> Words:
        if data.size == 0:
            return np.empty((*np.broadcast_shapes(keys.shape[:-1], data.shape), 4), UINT32)
        # As under jax.vmap: the key of the first number draws the words for all numbers.
        seed = np.array(self.seed(0, int(data.flat[0])), UINT32)
        return keys ^ every_tenth_block(seed, data.size, 9).reshape(*data.shape, 4)


_UNSAFE = UnsafeRbg(Threefry())
_IMPLEMENTATIONS: dict[str, tuple[Implementation, Implementation]] = {  # not partitionable, partitionable
    "threefry2x32": (OldThreefry(), Threefry()),
    "philox4x32": (Philox(), Philox()),
    "rbg": (Rbg(OldThreefry()), Rbg(Threefry())),
    "unsafe_rbg": (_UNSAFE, _UNSAFE),
}


def implementation_of(impl: Any, partitionable: Any) -> Implementation:
    """The implementation that these two arguments name."""
    layouts = _IMPLEMENTATIONS[check_choice(impl, "impl", _IMPLEMENTATIONS)]
    return layouts[check_flag(partitionable, "partitionable")]


def _numbers(first: int, count: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The high and the low words of the element numbers first, first + 1, ..."""
    numbers = np.arange(first, first + count, dtype=UINT64)
    return numbers >> HALF, numbers & np.uint64(MASK32)


def _stack(*words: NDArray[np.uint64]) -> Words:
    return np.stack(words, axis=-1).astype(UINT32)
