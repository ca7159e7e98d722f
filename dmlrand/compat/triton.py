"""Triton's random numbers (`triton.language`, 3.8 and 3.9), without Triton and without a GPU. Element i of a block
depends only on the seed and on offset i. The arguments seed, offset and n_rounds are those of randint4x.
specs/triton.md has the rules. Not for cryptography."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import philox as definition
from ..state import make_state
from . import kernels
from .shared import check_int, check_signed_seed, format_value

Words = NDArray[Any]  # of uint32
Words4 = tuple[Words, Words, Words, Words]
Numbers = NDArray[np.float32]

SCALE = np.float32(4.6566127342e-10)  # Triton's: the largest int32 times it is below 1
LEAST = np.float32(1e-7)  # of which randn takes the logarithm
TURN = np.float32(6.283185307179586)

__all__ = [
    "pair_uniform_to_normal", "philox", "philox_impl", "rand", "rand4x", "randint", "randint4x", "randn", "randn4x",
    "uint_to_uniform_float",
]  # fmt: skip


def randint4x(seed: int, offset: Any, n_rounds: int = 10) -> Words4:
    """Four random words for each offset, uint32 in its shape: `tl.randint4x`. Exact. seed is an int in [-2**63, 2**64).
    offset is an integer array. Trap: -1 of int64 is the counter 2**64 - 1, and -1 of a smaller type is 2**32 - 1.
    n_rounds >= 0 is the number of rounds of Philox.

    >>> randint4x(42, np.arange(3, dtype=np.int32))[0]
    array([2632642643, 4242219303, 3547071013], dtype=uint32)
    """
    return _four(_blocks(seed, offset, n_rounds))


def randint(seed: int, offset: Any, n_rounds: int = 10) -> Words:
    """One random word for each offset: `tl.randint`, the first word, as randint4x of this module. Exact."""
    return _blocks(seed, offset, n_rounds)[..., 0]


def rand4x(seed: int, offset: Any, n_rounds: int = 10) -> Words4:
    """Four uniform numbers of [0, 1) for each offset: `tl.rand4x`, as rand of this module. Exact."""
    return _four(_uniform(_blocks(seed, offset, n_rounds)))


def rand(seed: int, offset: Any, n_rounds: int = 10) -> Numbers:
    """One uniform number of [0, 1) for each offset: `tl.rand`, the first of rand4x. Exact.

    >>> rand(42, np.arange(3, dtype=np.int32))
    array([0.77408016, 0.0245627 , 0.3482663 ], dtype=float32)
    """
    return _uniform(randint(seed, offset, n_rounds))


def randn4x(seed: int, offset: Any, n_rounds: int = 10) -> Words4:
    """Four normals for each offset: `tl.randn4x`, as randn of this module. Within 5 ulp of Triton's interpreter."""
    u1, u2, u3, u4 = rand4x(seed, offset, n_rounds)
    return *_normals(u1, u2), *_normals(u3, u4)


def randn(seed: int, offset: Any, n_rounds: int = 10) -> Numbers:
    """One normal for each offset: `tl.randn`, as rand of this module. Within 5 ulp of Triton's interpreter."""
    uniforms = _uniform(_blocks(seed, offset, n_rounds)[..., :2])
    return _normals(uniforms[..., 0], uniforms[..., 1])[0]


def uint_to_uniform_float(x: Any) -> Numbers:
    """The uniform number of each word, int32 or uint32, as rand of this module: `tl.uint_to_uniform_float`. Exact."""
    return _uniform(_check_words(x, "x"))


def pair_uniform_to_normal(u1: Any, u2: Any) -> tuple[Numbers, Numbers]:
    """Two normals for each pair of uniform float32, as randn of this module: `tl.pair_uniform_to_normal`."""
    for value, name in ((u1, "u1"), (u2, "u2")):
        if getattr(value, "dtype", None) != np.float32:
            raise TypeError(f"{name} must be an array of float32; got {_format_type(value)}. Pass numpy.float32(u).")
    return _normals(*np.broadcast_arrays(u1, u2))


def philox(seed: int, c0: Any, c1: Any, c2: Any, c3: Any, n_rounds: int = 10) -> Words4:
    """The words of blocks of any counters: `tl.philox`. Exact. c0 to c3 are int32 or uint32, lowest word first. 64 bits
    are refused.

    >>> zero = np.uint32([0])
    >>> philox(0, zero, zero, zero, zero)[0]
    array([1713891541], dtype=uint32)
    """
    key = check_signed_seed(seed)
    w0, w1, w2, w3 = (_check_words(each, f"c{i}").view(np.uint32) for i, each in enumerate((c0, c1, c2, c3)))
    return philox_impl(w0, w1, w2, w3, np.uint32(key & definition.MASK32), np.uint32(key >> 32), n_rounds)


def philox_impl(c0: Any, c1: Any, c2: Any, c3: Any, k0: Any, k1: Any, n_rounds: int = 10) -> Words4:
    """The words of blocks of any counters and keys, uint32 arrays: `tl.philox_impl`, as philox of this module."""
    rounds = check_int(n_rounds, "n_rounds", 0)
    names = {"c0": c0, "c1": c1, "c2": c2, "c3": c3, "k0": k0, "k1": k1}
    arrays = [_check_words(each, name, (np.uint32,)) for name, each in names.items()]
    w0, w1, w2, w3, key0, key1 = (each.astype(np.uint64) for each in np.broadcast_arrays(*arrays))
    for _ in range(rounds):
        w0, w1, w2, w3 = definition.apply_round((w0, w1, w2, w3), (key0, key1))
        key0, key1 = definition.bump_key((key0, key1))
    return w0.astype(np.uint32), w1.astype(np.uint32), w2.astype(np.uint32), w3.astype(np.uint32)


def _check_words(value: Any, name: str, types: tuple[type, ...] = (np.int32, np.uint32)) -> Words:
    """An array of integers of 32 bits, of one of these types."""
    kind = value.dtype if isinstance(value, (np.ndarray, np.generic)) else None
    if kind is None or kind not in types:
        rule = f"{name} must be an array of {' or '.join(each.__name__ for each in types)}"
        wide = kind is not None and kind in (np.int64, np.uint64)
        remedy = "numpy.random.Philox has the words of Philox4x64." if wide else "Pass numpy.uint32(words)."
        raise TypeError(f"{rule}; got {_format_type(value)}. {remedy}")
    return np.asarray(value)


def _format_type(value: Any) -> str:
    return f"an array of {value.dtype}" if isinstance(value, np.ndarray) else format_value(value)


def _blocks(seed: Any, offset: Any, n_rounds: Any) -> Words:
    """The four words of each offset, along an added last axis."""
    key = check_signed_seed(seed)
    if not isinstance(offset, (np.ndarray, np.generic)) or offset.dtype.kind not in "iu":
        got = _format_type(offset)
        raise TypeError(f"offset must be an array of integers; got {got}. Pass numpy.arange(n, dtype=numpy.int32).")
    counters = offset.astype(np.uint64 if offset.dtype.itemsize == 8 else np.uint32).astype(np.uint64)
    if n_rounds != 10:
        low, high = (counters & definition.MASK32).astype(np.uint32), (counters >> np.uint64(32)).astype(np.uint32)
        return np.stack(philox(key, low, high, np.uint32(0), np.uint32(0), n_rounds), axis=-1)
    out = np.empty((*counters.shape, 4), np.uint32)
    kernels.draw_blocks.run(make_state(key=key), counters.reshape(-1), out.reshape(-1))
    return out


def _four(blocks: Words) -> Words4:
    return blocks[..., 0], blocks[..., 1], blocks[..., 2], blocks[..., 3]


def _uniform(words: Words) -> Numbers:
    numbers = words.view(np.int32)
    return np.where(numbers < 0, ~numbers, numbers).astype(np.float32) * SCALE


def _normals(u1: Numbers, u2: Numbers) -> tuple[Numbers, Numbers]:
    """The numbers with the cosine and with the sine, computed in float64."""
    pairs = np.empty((*u1.shape, 2))
    u, angles = np.maximum(u1, LEAST).astype(np.float64), (u2 * TURN).astype(np.float64)
    kernels.box_muller.run(u.reshape(-1), angles.reshape(-1), pairs.reshape(-1))
    return pairs[..., 1].astype(np.float32), pairs[..., 0].astype(np.float32)
