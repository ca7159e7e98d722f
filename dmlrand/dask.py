"""Tensors as Dask arrays: each chunk is a window of one tensor, so the bits depend on neither chunks nor workers.

Needs dask, the extra `dask`, on every worker too. The rules are those of specs/dask.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import distributions
from .arrays.tensor import Shape, check_sizes
from .imports import extra_needed
from .operator import random_window
from .state import UINT32, State, StateLike, advance_blocks, blocks_for, check_state

if TYPE_CHECKING:
    from dask.array.core import Array
else:
    Array = Any  # Dask may not be installed, and it is slow to import

Window = tuple[slice, ...]


class Lazy(NamedTuple):
    """What the functions of this module return: a Dask array, and the state after all of it, known at once."""

    values: Array
    state: State


@dataclass(frozen=True)
class Tensor:
    """A tensor that is nowhere. A task of a Dask graph holds this, less than 1 KiB, and the window it is to make."""

    function: Callable[..., Any]
    rules: tuple[tuple[str, Any], ...]  # keyword arguments of the function
    state: tuple[int, ...]
    shape: Shape
    dtype: np.dtype[Any]

    @property
    def ndim(self) -> int:
        """The number of axes, which Dask asks of an array-like."""
        return len(self.shape)

    def make(self, window: Window) -> NDArray[Any]:
        """One chunk."""
        state = np.array(self.state, UINT32)
        return self.function(state, self.shape, **dict(self.rules), window=window)[0]  # type: ignore[no-any-return]


def random_generator(state: StateLike, shape: Any, chunks: Any = "auto") -> Lazy:
    """`dmlrand.random_generator` as a Dask array: the same words, made chunk by chunk where they are needed.

    Nothing is computed here but the new state. Word for word the array equals the whole tensor, whatever the chunks,
    the scheduler, the number of workers and their losses: a chunk made twice is made equal. The name of the array
    is a digest of what was asked for, so that asking again gives the same keys.

    Parameters
    ----------
    state : array_like of uint32, shape (6,) or (1, ..., 1, 6)
        As in dmlrand.random_generator. Never modified.
    shape : int or sequence of 1 to 8 ints >= 0
        Sizes of the whole tensor, of fewer than 2**63 words.
    chunks : "auto", int, text such as "64 MiB", or sizes for each axis
        What Dask's arrays take. Only speed and memory depend on it: one chunk must fit in a worker's memory, and rows
        of less than about 100 elements (the last axis) are made slower than long ones.

    Returns
    -------
    Lazy(values, state)
        values is a Dask array of uint32; state is the state after the whole tensor, in the shape of the argument.

    Raises
    ------
    ImportError
        dask is not installed.
    TypeError, ValueError
        An argument breaks a rule above.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> values, state = random_generator(make_state(key=42), (2**20, 2**20), chunks=(2**12, 2**13))
    >>> values[:2, 1:3].compute()
    array([[2012563771,  314527917],
           [2646695856,  512324221]], dtype=uint32)
    >>> state
    array([ 0, 64,  0,  0, 42,  0], dtype=uint32)
    """
    return _lazy("random_generator", _bits, state, shape, chunks)


def uniform(
    state: StateLike,
    shape: Any,
    low: Any = 0.0,
    high: Any = 1.0,
    dtype: DTypeLike = np.float32,
    chunks: Any = "auto",
) -> Lazy:
    """`dmlrand.uniform` as a Dask array; chunks as in `random_generator`, all else as there.

    >>> from dmlrand import make_state
    >>> values, _ = uniform(make_state(key=42), 10**6, chunks=10**5)
    >>> values[:3].compute()
    array([0.8354591 , 0.9162973 , 0.49464953], dtype=float32)
    """
    return _lazy("uniform", distributions.uniform, state, shape, chunks, low=low, high=high, dtype=dtype)


def integers(
    state: StateLike, shape: Any, low: int, high: int, dtype: DTypeLike = np.int32, chunks: Any = "auto"
) -> Lazy:
    """`dmlrand.integers` as a Dask array; chunks as in `random_generator`, all else as there.

    >>> from dmlrand import make_state
    >>> values, _ = integers(make_state(key=42), 10**6, 0, 100, chunks=10**5)
    >>> values[:3].compute()
    array([43, 71, 17], dtype=int32)
    """
    return _lazy("integers", distributions.integers, state, shape, chunks, low=low, high=high, dtype=dtype)


def normal(
    state: StateLike,
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = np.float32,
    chunks: Any = "auto",
) -> Lazy:
    """`dmlrand.normal` as a Dask array; chunks as in `random_generator`, all else as there.

    A pair of normals that two chunks share is made in both. Workers of any kind of machine agree within a release line.

    >>> from dmlrand import make_state
    >>> values, _ = normal(make_state(key=42), 10**6, chunks=10**5)
    >>> bool(abs(values.mean().compute()) < 0.01)
    True
    """
    return _lazy("normal", distributions.normal, state, shape, chunks, mean=mean, stddev=stddev, dtype=dtype)


def _bits(state: State, shape: Shape, *, window: Window) -> tuple[NDArray[np.uint32], State]:
    """A window of the words, called and answering as the functions of distributions.py do."""
    return random_window(state, shape, window), advance_blocks(state, blocks_for(prod(shape)))


def _make_chunk(tensor: Tensor, window: Window) -> NDArray[Any]:
    # A function of our own: into the getters it knows, Dask folds later indexing of kinds that a window is not.
    return tensor.make(window)


def _lazy(name: str, function: Callable[..., Any], state: Any, shape: Any, chunks: Any, **rules: Any) -> Lazy:
    with extra_needed("Dask arrays need", "dask", "dask"):
        from dask.array.core import from_array
        from dask.base import tokenize
    words, sizes = check_state(state), check_sizes(shape)
    # Making nothing refuses here and now what a worker would refuse later, and tells the dtype and the new state.
    nothing, after = function(words, sizes, **rules, window=(slice(0, 0),) * len(sizes))
    if rules:  # one spelling of each, so that equal questions have equal names
        plain = int if nothing.dtype.kind in "iu" else float  # exact: both were looked at
        rules = {rule: plain(value) for rule, value in rules.items() if rule != "dtype"} | {"dtype": nothing.dtype}
    tensor = Tensor(function, tuple(rules.items()), tuple(words.ravel().tolist()), sizes, nothing.dtype)
    parts = _check_chunks(chunks, tensor)
    token = tokenize("dmlrand", name, str(tensor.rules), tensor.state, parts)
    values = from_array(
        tensor,
        parts,
        name=f"{name}-{token}",
        getitem=_make_chunk,
        asarray=False,
        meta=nothing,
        inline_array=True,  # no task that all others wait for
    )
    return Lazy(values, after)


def _check_chunks(chunks: Any, tensor: Tensor) -> tuple[Shape, ...]:
    """The sizes of the chunks along each axis, as Dask reads `chunks`."""
    from dask.array.core import normalize_chunks

    said = "They must add up."
    try:
        parts = normalize_chunks(chunks, tensor.shape, dtype=tensor.dtype)
        # Dask lets pass sizes that are negative, unknown, or cut to ints.
        right = all(sum(axis) == size and min(axis) >= 0 for axis, size in zip(parts, tensor.shape, strict=True))
    except Exception as error:  # Dask raises whatever it runs into, ZeroDivisionError for one
        said, right = f"Dask says: {str(error).partition(chr(10))[0]}", False
    if not right:
        raise ValueError(
            f"chunks must be 'auto', a positive int, a text such as '64 MiB', or sizes for each axis of shape "
            f"{tensor.shape}; got {chunks!r}. {said}"
        )
    return parts  # type: ignore[no-any-return]
