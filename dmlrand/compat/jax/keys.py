"""Keys: how they are made from seeds and from other keys."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...arrays.integers import check_int
from ...arrays.tensor import Shape
from .arguments import (
    TYPED,
    UINT32,
    Array,
    KeyArray,
    Options,
    as_numpy,
    check_flag,
    check_shape,
    typed_impl,
    typed_words,
)
from .implementations import Implementation, Words, implementation_of

OPTIONS = frozenset(Options.__annotations__)
THREEFRY = "threefry2x32"
PIECE_WORDS = 1 << 15  # words that are made and read at a time, so that they stay in a core's caches


class Keys:
    """One key or many, with their implementation. Every draw starts here."""

    __slots__ = ("impl", "implementation", "lead", "words")

    def __init__(self, lead: Shape, words: Words, implementation: Implementation, impl: str) -> None:
        self.lead = lead  # the leading axes of the caller's array
        self.words = words  # of shape (keys, words of a key), owned by this package
        self.implementation = implementation
        self.impl = impl

    def bits(self, width: int, shape: Shape) -> Array:
        """Unsigned words of `width` bits. Their shape is the keys' leading axes and `shape`."""
        return self.implementation.bits(self.words, width, math.prod(shape)).reshape(self.lead + shape)

    def pieces(self, width: int, shape: Shape) -> Iterator[tuple[slice, Array]]:
        """The words of `bits`, flat, in pieces: the place of each piece in the output, and its words."""
        rows, row_size = len(self.words), math.prod(shape)
        size = PIECE_WORDS if self.implementation.any_element else max(1, rows * row_size)
        rows_at_once = max(1, size // max(1, row_size))
        for row in range(0, rows, rows_at_once):
            for first in range(0, row_size, size):
                words = self.words[row : row + rows_at_once]
                bits = self.implementation.bits(words, width, min(size, row_size - first), first).reshape(-1)
                start = row * row_size + first
                yield slice(start, start + bits.size), bits

    def children(self, count: int = 2) -> list[Keys]:
        """The children of each key: one Keys for the first children, one for the second children, ..."""
        children = self.implementation.split(self.words, count)
        return [Keys(self.lead, children[:, i].copy(), self.implementation, self.impl) for i in range(count)]


def stretch(shape: Shape, *parameters: Array) -> tuple[Array, ...]:
    """The parameters as flat arrays: all with one number, or all with a number for each element of `shape`."""
    if all(parameter.size == 1 for parameter in parameters):
        return tuple([parameter.reshape(1) for parameter in parameters])
    return tuple([np.broadcast_to(parameter, shape).copy().reshape(-1) for parameter in parameters])


def take_place(parameter: Array, place: slice) -> Array:
    """The numbers of a stretched parameter that belong to a piece of the output."""
    return parameter if parameter.size == 1 else parameter[place]


def read_call(key: Any, options: Options) -> tuple[Keys, bool]:
    """What every draw reads: the keys, and whether 64 bits are the default."""
    if options and not options.keys() <= OPTIONS:
        raise TypeError(
            f"unexpected argument {min(options.keys() - OPTIONS)!r}. "
            "Beside its own arguments, a function takes impl, partitionable and x64."
        )
    keys = read_keys(key, options.get("impl"), options.get("partitionable", True))
    return keys, check_flag(options.get("x64", False), "x64")


def read_keys(key: Any, impl: Any, partitionable: Any) -> Keys:
    """The argument `key`, checked and copied. impl=None means the implementation of a typed key, or else Threefry."""
    typed = typed_impl(key)
    if typed is not None:
        if impl is not None and impl != typed:
            raise ValueError(f"impl must be None or {typed!r}, the impl of key; got {impl!r}.")
        impl, key = typed, typed_words(key)
    elif impl is None:
        impl = THREEFRY
    implementation = implementation_of(impl, partitionable)
    count = implementation.words
    if not hasattr(key, "dtype") or not hasattr(key, "shape") or hasattr(key, "mask"):  # a mask would be ignored
        raise TypeError(
            f"key must be a uint32 array whose last axis holds the {count} words of a {impl} key; "
            f"got {type(key).__name__}. PRNGKey makes one."
        )
    array = np.asarray(key)
    if array.dtype != UINT32:
        raise TypeError(
            f"key must hold uint32 words; got {array.dtype} of shape {array.shape}. "
            "Convert it yourself once its values are known to be in [0, 2**32)."
        )
    if array.ndim == 0 or array.shape[-1] != count:
        raise ValueError(_wrong_words(array.shape, count, impl))
    return Keys(array.shape[:-1], array.copy().reshape(-1, count), implementation, impl)


def _wrong_words(shape: Shape, words: int, impl: str) -> str:
    problem = f"key must hold the {words} words of a {impl} key on its last axis; got uint32 of shape {shape}."
    if shape and shape[-1] == 6:
        return problem + " Six words are a state, not a key: draw from it with dmlrand.random_generator."
    if shape and shape[-1] == 4:
        return problem + " Four words are a key of impl='rbg' or 'unsafe_rbg'."
    return problem + " PRNGKey makes one."


def PRNGKey(seed: Any, *, impl: str | None = None, x64: bool = False) -> Words:
    """The key of a seed.

    Parameters
    ----------
    seed : int in [-2**63, 2**63), or a numpy integer
        The key is the high and the low word of its two's complement. Without x64 the high word is 0. With x64 the
        high word of numpy integers of 32 bits or fewer is 0 too, even if they are negative, as in JAX.
    impl : "threefry2x32", "philox4x32", "rbg" or "unsafe_rbg"
        None means "threefry2x32".
    x64 : bool

    Returns
    -------
    uint32 array of shape (2,); of (4,) for "rbg" and "unsafe_rbg"

    Examples
    --------
    >>> PRNGKey(42)
    array([ 0, 42], dtype=uint32)
    >>> PRNGKey(-1, x64=True)
    array([4294967295, 4294967295], dtype=uint32)
    """
    implementation = implementation_of(THREEFRY if impl is None else impl, True)
    seed = as_numpy(seed)
    if isinstance(seed, np.ndarray) and seed.ndim == 0:
        seed = seed[()]
    bits = 8 * seed.itemsize if isinstance(seed, np.integer) else 64
    unsigned = isinstance(seed, np.unsignedinteger)
    seed = check_int(seed, "seed", None if unsigned else -(1 << 63), 1 << 64 if unsigned else 1 << 63)
    high = seed >> 32 & 0xFFFFFFFF if check_flag(x64, "x64") and bits == 64 else 0
    return np.array(implementation.seed(high, seed & 0xFFFFFFFF), UINT32)


def key(seed: Any, *, impl: str | None = None, dtype: Any = None, x64: bool = False) -> Words:
    """The same as PRNGKey. Keys are arrays of words here, and each function takes impl as an argument.

    dtype is the dtype of a typed key of JAX, or the name of an implementation. It is another way to give impl.

    >>> key(42)
    array([ 0, 42], dtype=uint32)
    """
    if dtype is None:
        return PRNGKey(seed, impl=impl, x64=x64)
    if impl is not None:
        raise ValueError(f"dtype must be None if impl is given; got {dtype!r} and {impl!r}. Leave one of them out.")
    return PRNGKey(seed, impl=TYPED.get(getattr(dtype, "name", ""), dtype), x64=x64)


def split(key: KeyArray, num: Any = 2, *, impl: str | None = None, partitionable: bool = True) -> Words:
    """Children of a key. Do not draw anything else from a key that is split.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg" and "unsafe_rbg"; or typed keys of JAX
    num : int >= 0 or a shape
        The number of children, or the shape that they are arranged in.

    Returns
    -------
    uint32 array of shape (..., *num, 2)

    Examples
    --------
    >>> split(PRNGKey(0))
    array([[1797259609, 2579123966],
           [ 928981903, 3453687069]], dtype=uint32)
    """
    keys = read_keys(key, impl, partitionable)
    shape = check_shape(num, "num")
    children = keys.implementation.split(keys.words, math.prod(shape))
    return children.reshape(*keys.lead, *shape, keys.implementation.words)


def fold_in(key: KeyArray, data: Any, *, impl: str | None = None) -> Words:
    """The child of a key that belongs to `data`, such as an epoch or a rank.

    Parameters
    ----------
    key : uint32 array of shape (..., 2); (..., 4) for "rbg" and "unsafe_rbg"; or typed keys of JAX
    data : int in [0, 2**32), or an array of such
        An array broadcasts with the leading axes of key, and each pair of a key and a number gives a child. JAX takes
        numpy integers modulo 2**32. To get that, compute data % 2**32 yourself.

    Returns
    -------
    uint32 array of the shape of key, or of the broadcast

    Examples
    --------
    >>> fold_in(PRNGKey(0), 1)
    array([ 928981903, 3453687069], dtype=uint32)
    """
    keys = read_keys(key, impl, True)
    words = keys.words.reshape(*keys.lead, keys.implementation.words)
    return keys.implementation.fold_in(words, _read_data(data))


def _read_data(data: Any) -> Words:
    """The argument `data` as words."""
    data = as_numpy(data)
    if not isinstance(data, np.ndarray) or not data.ndim:
        return np.array(check_int(data[()] if isinstance(data, np.ndarray) else data, "data", 0, 1 << 32), UINT32)
    if data.dtype.kind not in "iu":
        raise TypeError(
            f"data must hold integers; got {data.dtype} of shape {data.shape}. Convert it: data.astype(numpy.uint32)."
        )
    for bound in (data.min(initial=0), data.max(initial=0)):
        check_int(bound, "data", 0, 1 << 32)
    return data.astype(UINT32)


def key_data(keys: KeyArray, *, impl: str | None = None) -> Words:
    """The words of keys, as a new array with the words on the last axis.

    >>> key_data(PRNGKey(42))  # or jax.random.key(42)
    array([ 0, 42], dtype=uint32)
    """
    read = read_keys(keys, impl, True)
    return read.words.reshape(*read.lead, read.implementation.words)


def clone(key: KeyArray, *, impl: str | None = None) -> Words:
    """The words of a key, as a new array. In JAX a clone may be used again where the key may not. Here any key may.

    >>> clone(PRNGKey(42))
    array([ 0, 42], dtype=uint32)
    """
    return key_data(key, impl=impl)


def key_impl(keys: KeyArray) -> str:
    """The implementation of a typed key of JAX. An array of words has "threefry2x32", as in JAX.

    >>> key_impl(PRNGKey(42))
    'threefry2x32'
    """
    return read_keys(keys, None, True).impl


def wrap_key_data(key_bits_array: Any, *, impl: str | None = None) -> Words:
    """The words of a key, checked and copied: keys are arrays of words here. Pass impl to each function that uses them.

    Parameters
    ----------
    key_bits_array : uint32 array of shape (..., 2); (..., 4) for "rbg" and "unsafe_rbg"

    Returns
    -------
    uint32 array of the same shape

    Examples
    --------
    >>> wrap_key_data(np.array([0, 42], np.uint32))
    array([ 0, 42], dtype=uint32)
    """
    return key_data(as_numpy(key_bits_array), impl=impl)
