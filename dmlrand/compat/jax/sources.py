"""JAX's generators: how each makes a key of a seed, children of a key, and bits.

Keys come here as uint32 arrays of (count, words), fresh and contiguous; results keep that first axis.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ... import kernels
from ...arrays.arguments import check_choice
from ...philox import MASK32, block as philox_block
from .arguments import UINT32, UINT64, check_flag
from .generator import default_bits

Words = NDArray[np.uint32]

HALF = np.uint64(32)


class Source(Protocol):
    """A generator of JAX."""

    words: int

    def seed(self, high: int, low: int) -> list[int]:
        """The key of a seed's two halves."""

    def split(self, keys: Words, count: int) -> Words:
        """(keys, count, words): children."""

    def fold_in(self, keys: Words, data: Words) -> Words:
        """(keys, words): the child of each key for its datum."""

    def bits(self, keys: Words, width: int, count: int) -> NDArray[Any]:
        """(keys, count): unsigned words of 8, 16, 32 or 64 bits."""


class Threefry:
    """impl="threefry2x32": element i has its own counter, i in 64 bits."""

    words = 2

    def seed(self, high: int, low: int) -> list[int]:
        return [high, low]

    def split(self, keys: Words, count: int) -> Words:
        pairs = np.empty((len(keys), count, 2), UINT32)
        kernels.threefry_pairs(keys.reshape(-1), pairs.reshape(-1))
        return pairs

    def fold_in(self, keys: Words, data: Words) -> Words:
        children = np.empty((len(keys), 2), UINT32)
        kernels.threefry_fold(keys.reshape(-1), data, children.reshape(-1))
        return children

    def bits(self, keys: Words, width: int, count: int) -> NDArray[Any]:
        if width == 64:
            return _join(*np.moveaxis(self.split(keys, count), -1, 0))
        words = np.empty((len(keys), count), UINT32)
        kernels.threefry_bits(keys.reshape(-1), words.reshape(-1))
        return words if width == 32 else words.astype(f"u{width // 8}")


class OldThreefry(Threefry):
    """The same without jax_threefry_partitionable: counters 0, 1, ... are cut in two halves, and so are the results."""

    def split(self, keys: Words, count: int) -> Words:
        return self._halves(keys, 2 * count).reshape(len(keys), count, 2)

    def bits(self, keys: Words, width: int, count: int) -> NDArray[Any]:
        words = self._halves(keys, -(-width * count // 32))
        if width == 64:
            return _join(words[:, :count], words[:, count:])
        # A word holds 4 elements of 8 bits or 2 of 16, the lowest first.
        return words.astype("<u4", copy=False).view(f"<u{width // 8}")[:, :count].astype(f"u{width // 8}", copy=False)

    def _halves(self, keys: Words, count: int) -> Words:
        if count >= MASK32:
            raise ValueError(
                f"an output without partitionable must take fewer than 2**32 - 1 words; got {count}. "
                "JAX draws larger ones from several keys: split the key and draw parts."
            )
        words = np.empty((len(keys), count), UINT32)
        kernels.threefry_halves(keys.reshape(-1), words.reshape(-1))
        return words


class Philox:
    """impl="philox4x32": a block for each element. Not the stream of the six-word states."""

    words = 2

    def seed(self, high: int, low: int) -> list[int]:
        return list(philox_block((high, low, 0, 0), (0, 0))[:2])

    def split(self, keys: Words, count: int) -> Words:
        high, low = _places(count)
        return _stack(*self._blocks(keys[:, None], 0, 0, high, low)[:2])

    def fold_in(self, keys: Words, data: Words) -> Words:
        return _stack(*self._blocks(keys, 0, 0, 0, data.astype(UINT64))[:2])

    def bits(self, keys: Words, width: int, count: int) -> NDArray[Any]:
        high, low = _places(count)
        w0, w1, w2, w3 = self._blocks(keys[:, None], high, low, 0, 0)
        if width == 64:
            return w0 << HALF | w1
        return (w0 ^ w1 ^ w2 ^ w3).astype(f"u{width // 8}")

    def _blocks(self, keys: Words, *counter: Any) -> list[NDArray[np.uint64]]:
        key = keys.astype(UINT64)
        words = [np.asarray(word, UINT64) for word in counter]
        return list(philox_block((words[0], words[1], words[2], words[3]), (key[..., 0], key[..., 1])))


class Rbg:
    """impl="rbg": a key is two keys of Threefry, and its bits are those of rng_bit_generator."""

    words = 4

    def __init__(self, halves: Threefry) -> None:
        self._halves = halves

    def seed(self, high: int, low: int) -> list[int]:
        return self._halves.seed(high, low) * 2

    def split(self, keys: Words, count: int) -> Words:
        children = self._halves.split(keys.reshape(-1, 2), count).reshape(len(keys), 2, count, 2)
        return np.ascontiguousarray(children.swapaxes(1, 2)).reshape(len(keys), count, 4)

    def fold_in(self, keys: Words, data: Words) -> Words:
        return self._halves.fold_in(keys.reshape(-1, 2), np.repeat(data, 2)).reshape(-1, 4)

    def bits(self, keys: Words, width: int, count: int) -> NDArray[Any]:
        if len(keys) == 0:
            return np.empty((0, count), f"u{width // 8}")
        # Under jax.vmap too: one draw for all keys, from the first of them.
        return default_bits(keys[0], width, len(keys) * count).reshape(len(keys), count)


_SOURCES: dict[tuple[str, bool], Source] = {
    ("threefry2x32", True): Threefry(),
    ("threefry2x32", False): OldThreefry(),
    ("philox4x32", True): Philox(),
    ("philox4x32", False): Philox(),
    ("rbg", True): Rbg(Threefry()),
    ("rbg", False): Rbg(OldThreefry()),
}


def source_of(impl: Any, partitionable: Any) -> Source:
    """The generator that these two arguments name."""
    try:
        return _SOURCES[impl, partitionable]
    except (KeyError, TypeError):
        pass
    check_flag(partitionable, "partitionable")
    return _SOURCES[check_choice(impl, "impl", dict.fromkeys(name for name, _ in _SOURCES)), partitionable]


def _places(count: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The two words, high and low, of the element numbers."""
    places = np.arange(count, dtype=UINT64)
    return places >> HALF, places & np.uint64(MASK32)


def _stack(*words: NDArray[np.uint64]) -> Words:
    return np.stack(words, axis=-1).astype(UINT32)


def _join(high: Words, low: Words) -> NDArray[np.uint64]:
    return high.astype(UINT64) << HALF | low
