"""Random numbers of functions that torch.compile made for a CPU (its backend Inductor)."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.integers import check_int
from ...arrays.tensor import Shape
from ...operator import random_generator
from ...state import make_state
from .. import kernels
from ..shared import join_words
from .generator import HIGH63, check_chance, check_range, check_seed, check_shape, words64

SCALE = np.float32(4.6566127342e-10)  # torch's: 2**31 - 1 times it is below 1 in float32


def compiled_seeds(seed: int, n: int) -> NDArray[np.int64]:
    """The first n seeds that a compiled function draws after torch.manual_seed(seed): one for each of its draws.

    A call of the function draws its seeds from torch's default generator (MT19937), which uses the low 32 bits of seed,
    an int in [-2**63, 2**64). A function with k draws uses seeds 0 to k - 1 in its first call and seeds k to 2 * k - 1
    in its second. Other uses of the default generator between the calls move it too.

    >>> compiled_seeds(0, 2)
    array([ 900450186894289455, 3969543146641149120])
    """
    count = check_int(n, "n", 0, 1 << 59)
    # RandomState's stream is frozen, and it starts as torch's MT19937 does.
    source = np.random.RandomState(check_seed(seed) % (1 << 32))._bit_generator  # type: ignore[attr-defined]
    numbers = words64(source.random_raw(2 * count)) % np.uint64((1 << 64) - 1)
    return (numbers + np.uint64(HIGH63)).view(np.int64)


def compiled_rand(seed: int, shape: Any) -> NDArray[np.float32]:
    """Uniform float32 of [0, 1) of a draw with this seed: torch.rand and rand_like in a compiled function. Exact.

    Element i, in row-major order, is (w % 2**31) * 4.6566127342e-10 in float32. w is the first word of the block of
    counter i under the key seed % 2**32. seed is an int in [-2**63, 2**64): a number of compiled_seeds. shape, an int,
    or a tuple or list of ints >= 0, must describe fewer than 2**31 bytes.

    >>> compiled_rand(compiled_seeds(0, 1)[0], 2).shape
    (2,)
    """
    sizes = check_shape(shape, 4)
    return _uniform(_words(seed, sizes, 1)).reshape(sizes)


def compiled_randn(seed: int, shape: Any) -> NDArray[np.float32]:
    """Normal float32 of a draw with this seed: torch.randn and randn_like in a compiled function. Within 2 ulp.

    Element i is sqrt(-2 log(1 - u1)) * cos(2 * pi * (1 - u2)). u1 and u2 are made of the first two words of its block,
    as in compiled_rand, whose arguments these are.

    >>> compiled_randn(7, (2, 3)).shape
    (2, 3)
    """
    sizes = check_shape(shape, 4)
    u = (np.float32(1) - _uniform(_words(seed, sizes, 2))).astype(np.float64).reshape(-1, 2)
    pairs = np.empty(2 * len(u))
    kernels.box_muller.run(u[:, 0].copy(), 2 * np.pi * u[:, 1], pairs)
    return pairs[1::2].astype(np.float32).reshape(sizes)


def compiled_randint(seed: int, low: int, high: int, shape: Any) -> NDArray[np.int64]:
    """int64 of [low, high) of a draw with this seed: torch.randint in a compiled function. Exact.

    Element i is v % (high - low) + low. v is the first word of its block plus 2**32 times the second. low and high are
    ints in [-2**63, 2**63); seed and shape are those of compiled_rand.

    >>> compiled_randint(7, -2, 3, 6).dtype
    dtype('int64')
    """
    first, last = check_range(low, high)
    sizes = check_shape(shape, 8)
    words = _words(seed, sizes, 2)
    numbers = join_words(words[::2], words[1::2]) % np.uint64(last - first)
    return (numbers.view(np.int64) + first).reshape(sizes)


def compiled_dropout_mask(seed: int, p: float, shape: Any) -> NDArray[np.bool_]:
    """Which elements a dropout in a compiled function keeps: where compiled_rand(seed, shape) > p. Exact.

    p in [0, 1] is the chance to drop an element, rounded to float32.

    >>> compiled_dropout_mask(7, 0.5, 4).dtype
    dtype('bool')
    """
    kept: NDArray[np.bool_] = compiled_rand(seed, shape) > check_chance(p, np.dtype(np.float32))
    return kept


def _words(seed: Any, sizes: Shape, per_block: int) -> NDArray[np.uint32]:
    """The first words of the blocks of elements 0, 1, ...: `per_block` words of each."""
    blocks = np.empty((prod(sizes), 4), np.uint32)
    random_generator(make_state(key=check_seed(seed) % (1 << 32)), out=blocks)
    return blocks[:, :per_block].reshape(-1)


def _uniform(words: NDArray[np.uint32]) -> NDArray[np.float32]:
    return (words & np.uint32(0x7FFFFFFF)).astype(np.float32) * SCALE
