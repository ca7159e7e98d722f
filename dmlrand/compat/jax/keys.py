"""Keys: made of seeds, split, and folded into."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import kernels
from ...arrays.integers import check_int
from ...arrays.tensor import Shape
from ...philox import MASK32
from .arguments import FAST_PATH_MAX_SIZE, UINT32, check_flag, check_shape
from .sources import Source, Words, source_of

THREEFRY = "threefry2x32"


class Keys:
    """One key or many, in front of their generator: what every draw starts from."""

    __slots__ = ("lead", "source", "words")

    def __init__(self, lead: Shape, words: Words, source: Source) -> None:
        self.lead, self.words, self.source = lead, words, source  # words: (count, words of a key), the module's own

    def bits(self, width: int, shape: Shape) -> NDArray[Any]:
        """Unsigned words of `width` bits, of the keys' leading axes and `shape`."""
        return self.source.bits(self.words, width, math.prod(shape)).reshape(self.lead + shape)

    def halves(self) -> tuple[Keys, Keys]:
        """The two children of each key, drawn from apart."""
        children = self.source.split(self.words, 2)
        first, second = children[:, 0].copy(), children[:, 1].copy()
        return Keys(self.lead, first, self.source), Keys(self.lead, second, self.source)


def is_common(key: Any, impl: Any, partitionable: Any) -> bool:
    """Whether this is a single key of the default kind, as kernels take it: then small calls go a short way."""
    return (
        type(key) is np.ndarray
        and key.shape == (2,)
        and key.dtype is UINT32
        and key.flags.carray  # or kernels would be compiled once more
        and partitionable is True
        and impl is THREEFRY  # the default, and any literal that spells it: Python keeps one of each name
    )


def read_keys(key: Any, impl: Any, partitionable: Any) -> Keys:
    """The argument `key`, checked, in words of the module's own."""
    source = source_of(impl, partitionable)
    if not hasattr(key, "dtype") or not hasattr(key, "shape") or hasattr(key, "mask"):  # a mask would be ignored
        raise TypeError(
            f"key must be a uint32 array whose last axis holds the {source.words} words of a {impl} key; "
            f"got {type(key).__name__}. PRNGKey makes one."
        )
    array = np.asarray(key)
    if array.dtype is not UINT32 and array.dtype != UINT32:
        raise TypeError(
            f"key must hold uint32 words; got {array.dtype} of shape {array.shape}. "
            "Convert it yourself once its values are known to be in [0, 2**32)."
        )
    if array.ndim == 0 or array.shape[-1] != source.words:
        raise ValueError(_wrong_words(array.shape, source.words, impl))
    return Keys(array.shape[:-1], array.copy().reshape(-1, source.words), source)


def _wrong_words(shape: Shape, words: int, impl: str) -> str:
    problem = f"key must hold the {words} words of a {impl} key on its last axis; got uint32 of shape {shape}."
    if shape and shape[-1] == 6:
        return problem + " Six words are a state, not a key: draw from it with dmlrand.random_generator."
    if shape and shape[-1] == 4:
        return problem + " Four words are a key of impl='rbg'."
    return problem + " PRNGKey makes one."


def PRNGKey(seed: Any, *, impl: str = THREEFRY, x64: bool = False) -> Words:
    """The key of a seed.

    Parameters
    ----------
    seed : int in [-2**63, 2**63), or a numpy integer
        In two's complement, high half and low half. Without x64 the high half counts as 0. With it, numpy integers
        of 32 bits or fewer have high half 0 even when negative, as in JAX.
    impl : "threefry2x32", "philox4x32" or "rbg"
    x64 : bool

    Returns
    -------
    uint32 array of shape (2,); of (4,) for "rbg"

    Raises
    ------
    TypeError, ValueError
        seed is no integer, or outside int64 (numpy's uint64 apart); impl or x64 is none of the above.

    Examples
    --------
    >>> PRNGKey(42)
    array([ 0, 42], dtype=uint32)
    >>> PRNGKey(-1, x64=True)
    array([4294967295, 4294967295], dtype=uint32)
    """
    source = source_of(impl, True)
    bits = 8 * seed.itemsize if isinstance(seed, np.integer) else 64
    unsigned = isinstance(seed, np.unsignedinteger)
    seed = check_int(seed, "seed", None if unsigned else -(1 << 63), 1 << 64 if unsigned else 1 << 63)
    high = seed >> 32 & 0xFFFFFFFF if check_flag(x64, "x64") and bits == 64 else 0
    return np.array(source.seed(high, seed & 0xFFFFFFFF), UINT32)


def key(seed: Any, *, impl: str = THREEFRY, x64: bool = False) -> Words:
    """The same as PRNGKey: keys are arrays of words here, and impl is given to each function.

    >>> key(42)
    array([ 0, 42], dtype=uint32)
    """
    return PRNGKey(seed, impl=impl, x64=x64)


def split(key: Words, num: Any = 2, *, impl: str = THREEFRY, partitionable: bool = True) -> Words:
    """Children of a key. Whoever splits a key draws nothing else from it.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg"
    num : int >= 0 or a shape
        How many children, or how they are arranged.

    Returns
    -------
    uint32 array of shape (..., *num, 2)

    Raises
    ------
    TypeError, ValueError
        key is no array of keys, or num no shape.

    Examples
    --------
    >>> split(PRNGKey(0))
    array([[1797259609, 2579123966],
           [ 928981903, 3453687069]], dtype=uint32)
    """
    if type(num) is int and 0 <= num <= FAST_PATH_MAX_SIZE and is_common(key, impl, partitionable):
        children = np.empty((num, 2), UINT32)
        kernels.threefry_pairs(key, children.reshape(-1))
        return children
    keys = read_keys(key, impl, partitionable)
    shape = check_shape(num, "num")
    return keys.source.split(keys.words, math.prod(shape)).reshape(*keys.lead, *shape, keys.source.words)


def fold_in(key: Words, data: Any, *, impl: str = THREEFRY) -> Words:
    """The child of a key that belongs to `data`, such as an epoch or a rank.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg"
    data : int in [0, 2**32), or an array of such
        With axes, they broadcast with the leading ones of key: a child for each pair.

    Returns
    -------
    uint32 array in the shape of key, or of the broadcast

    Raises
    ------
    TypeError, ValueError
        key is no array of keys, or data out of range. JAX takes numpy's integers modulo 2**32; say so yourself.

    Examples
    --------
    >>> fold_in(PRNGKey(0), 1)
    array([ 928981903, 3453687069], dtype=uint32)
    """
    if type(data) is int and 0 <= data <= MASK32 and is_common(key, impl, True):
        child = np.empty(2, UINT32)
        kernels.threefry_fold(key, np.array([data], UINT32), child)
        return child
    keys = read_keys(key, impl, True)
    if isinstance(data, np.ndarray) and data.ndim:
        if data.dtype.kind not in "iu":
            raise TypeError(f"data must hold integers; got {data.dtype} of shape {data.shape}.")
        for bound in (data.min(initial=0), data.max(initial=0)):
            check_int(bound, "data", 0, 1 << 32)
        lead = np.broadcast_shapes(keys.lead, data.shape)
        data = np.broadcast_to(data, lead).astype(UINT32).reshape(-1)
        words = np.broadcast_to(keys.words.reshape(*keys.lead, keys.source.words), (*lead, keys.source.words))
        words = words.reshape(-1, keys.source.words).copy()
    else:
        lead, words = keys.lead, keys.words
        number = check_int(data[()] if isinstance(data, np.ndarray) else data, "data", 0, 1 << 32)
        data = np.full(len(words), number, UINT32)
    return keys.source.fold_in(words, data).reshape(*lead, keys.source.words)
