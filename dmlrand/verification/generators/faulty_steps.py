"""Steps of a Philox4x32 generator as they are often written wrongly. fault_models.py puts them into variants."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ...arrays.tensor import Shape
from ...philox import MASK32, W0, W1
from ...state import blocks_for
from .variants import Carries, Words6

MASK24 = 0xFFFFFF

# Reading and storing the state


def word_order(*places: int) -> Callable[[Words6], Words6]:
    """Take the words at these places."""

    def reorder(words: Words6) -> Words6:
        a, b, c, d, e, f = (words[place] for place in places)
        return a, b, c, d, e, f

    return reorder


def swap_state_bytes(words: Words6) -> Words6:
    """The four bytes of each word in reverse order."""
    a, b, c, d, e, f = (int.from_bytes(word.to_bytes(4, "little"), "big") for word in words)
    return a, b, c, d, e, f


def zero_words(*places: int) -> Callable[[Words6], Words6]:
    """Take 0 for the words at these places."""

    def replace(words: Words6) -> Words6:
        a, b, c, d, e, f = (0 if place in places else word for place, word in enumerate(words))
        return a, b, c, d, e, f

    return replace


def extend_sign(place: int) -> Callable[[Words6], Words6]:
    """Widen a word as a signed integer, which sets all bits of the next word where the sign bit is set."""

    def widen(words: Words6) -> Words6:
        upper = MASK32 if words[place] >> 31 else 0
        a, b, c, d, e, f = (word | upper if i == place + 1 else word for i, word in enumerate(words))
        return a, b, c, d, e, f

    return widen


def put_word(words: Words6, place: int, word: Any) -> Words6:
    """The words with another one at this place."""
    a, b, c, d, e, f = (word if i == place else old for i, old in enumerate(words))
    return a, b, c, d, e, f


def bump_stored_key(times: int) -> Callable[[Words6], Words6]:
    """Store the key after so many bumps."""

    def store(words: Words6) -> Words6:
        c0, c1, c2, c3, k0, k1 = words
        return c0, c1, c2, c3, (k0 + times * W0) & MASK32, (k1 + times * W1) & MASK32

    return store


def all_carries_but(word: int) -> Carries:
    """Every carry except the one out of this counter word."""
    return word != 0, word != 1, word != 2


# Multiplying


def multiply_signed(word: Any, multiplier: int) -> tuple[Any, Any]:
    """Multiply signed 32-bit integers: both constants are negative then, and so are many words."""
    product = word * multiplier
    return ((product >> 32) - word - multiplier * (word >> 31)) & MASK32, product & MASK32


def multiply_without_carry(word: Any, multiplier: int) -> tuple[Any, Any]:
    """Add up the high half from 16-bit pieces without the carry of the lower pieces."""
    word_low, word_high = word & 0xFFFF, word >> 16
    low, high = multiplier & 0xFFFF, multiplier >> 16
    top = word_high * high + (word_high * low >> 16) + (word_low * high >> 16)
    return top & MASK32, word * multiplier & MASK32


def multiply_24_bits(word: Any, multiplier: int) -> tuple[Any, Any]:
    """Multiply the low 24 bits: both halves are those of the product of 48 bits."""
    product = (word & MASK24) * (multiplier & MASK24)
    return product >> 32, product & MASK32


def multiply_low_halves_of_24_bits(word: Any, multiplier: int) -> tuple[Any, Any]:
    """Compute the low half as a shading language's mul24 does, and the high half correctly."""
    return word * multiplier >> 32, multiply_24_bits(word, multiplier)[1]


# Placing: from flat indexes to blocks and lanes


def advance_per_word(index: Any, shape: Shape) -> tuple[Any, Any]:
    return index >> 2 << 2, index & 3


def block_per_element(index: Any, shape: Shape) -> tuple[Any, Any]:
    return index, index & 0


def block_per_element_turning_lanes(index: Any, shape: Shape) -> tuple[Any, Any]:
    return index, index & 3


def reserve_256_blocks(index: Any, shape: Shape) -> tuple[Any, Any]:
    return index << 8, index & 0


def column_major(index: Any, shape: Shape) -> tuple[Any, Any]:
    flat, stride = index & 0, prod(shape)
    for size in reversed(shape):
        stride //= size
        index, place = np.divmod(index, np.uint64(size))
        flat = flat + place * np.uint64(stride)
    return flat >> 2, flat & 3


def lanes_apart(index: Any, shape: Shape) -> tuple[Any, Any]:
    lane, block = np.divmod(index, np.uint64(blocks_for(prod(shape))))
    return block, lane


def pad_rows(index: Any, shape: Shape) -> tuple[Any, Any]:
    row, column = np.divmod(index, np.uint64(shape[-1]))
    return row * np.uint64(blocks_for(shape[-1])) + (column >> 2), column & 3


def repeat_rows(index: Any, shape: Shape) -> tuple[Any, Any]:
    column = index % np.uint64(shape[-1])
    return column >> 2, column & 3


def repeat_groups(blocks: int) -> Callable[[Any, Shape], tuple[Any, Any]]:
    """Start again after every so many blocks."""
    return lambda index, shape: ((index >> 2) % np.uint64(blocks), index & 3)


# Storing words


def swap_word_bytes(words: Any) -> Any:
    return words.byteswap()
