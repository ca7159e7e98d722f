"""Tensors as Dask arrays. Each chunk is a window of one tensor, so the bits depend on neither chunks nor workers.

Every worker needs the packages dask and dmlrand. Clauses: specs/dask.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .arrays.tensor import Shape, check_sizes
from .derived import derive
from .imports import extra_needed
from .messages import format_value
from .number_rules import bind
from .outputs import Outputs
from .plan import WORDS, BoundRule, draw
from .state import StateLike, check_state

if TYPE_CHECKING:
    from dask.array.core import Array
else:
    Array = Any  # because Dask may not be installed, and is slow to import


@dataclass(frozen=True)
class Tensor:
    """The description of a tensor, less than 1 KiB. A task of a Dask graph holds it and the window to be made.

    >>> tensor = Tensor("uniform_f32", np.dtype("float32"), (0.0, 1.0), (0, 0, 0, 0, 42, 0), (1000, 1000))
    >>> tensor.make((5, slice(2)))
    array([0.88711655, 0.50708795], dtype=float32)
    """

    rule: str
    dtype: np.dtype[Any]
    parameters: tuple[Any, ...]
    state: tuple[int, ...]
    shape: Shape

    @property
    def ndim(self) -> int:
        """The number of axes, which Dask reads from an array-like object."""
        return len(self.shape)

    def make(self, window: tuple[slice, ...]) -> NDArray[Any]:
        """One chunk."""
        return draw(self.state, bind(self.rule, self.dtype, self.parameters), self.shape, window).values


def random_generator(state: StateLike, shape: Any, chunks: Any = "auto") -> Outputs[Array]:
    """`dmlrand.random_generator` as a Dask array. Each chunk is made when it is needed.

    The call computes only the new state. The array equals the whole tensor word for word, for all chunks,
    schedulers and numbers of workers. If a worker is lost, Dask makes its chunks again, with the same bits. The name
    of the array is a digest of the arguments, so equal calls give equal keys.

    Parameters
    ----------
    state : as in dmlrand.random_generator
    shape : int or sequence of 1 to 8 ints >= 0
        Sizes of the whole tensor, of fewer than 2**63 words.
    chunks : "auto", int, text such as "64 MiB", or sizes for each axis
        As for every Dask array. Only speed and memory depend on it. One chunk must fit in the memory of a worker. Rows
        (the last axis) of less than about 100 elements are slower than long rows.

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
    return _draw_lazily("random_generator", WORDS, state, shape, chunks)


def _draw_lazily(name: str, rule: BoundRule, state: Any, shape: Any, chunks: Any) -> Outputs[Array]:
    """The Dask array of a tensor. The call refuses bad arguments here, and not later on a worker."""
    with extra_needed("Dask arrays need", "dask", "dask"):
        from dask.array.core import from_array
        from dask.base import tokenize
    words, sizes = check_state(state), check_sizes(shape)
    empty, after = draw(words, rule, sizes, (slice(0, 0),) * len(sizes))
    tensor = Tensor(rule.name, rule.dtype, tuple(rule.parameters.tolist()), tuple(words.ravel().tolist()), sizes)
    chunk_sizes = _check_chunks(chunks, tensor)
    token = tokenize("dmlrand", str(tensor), chunk_sizes)
    values = from_array(
        tensor,
        chunk_sizes,
        name=f"{name}-{token}",
        # Dask's own getters would not do: Dask merges later indexing into them, and windows do not support every index.
        getitem=Tensor.make,
        asarray=False,
        meta=empty,
        inline_array=True,  # each task holds the tensor, so there is no task that all others wait for
    )
    return Outputs(values, after)


_HELP = """`dmlrand.{name}` as a Dask array. chunks is the same as in random_generator of this module.

    If two chunks share numbers that are made together, such as a pair of normals, both make them. The bits are the same
    on every machine if all workers have the same release line of dmlrand.

    >>> from dmlrand import dask, {name}, make_state
    >>> values, _ = dask.{name}(make_state(key=42), 10**5{example}, chunks=10**4)
    >>> bool((values[:8].compute() == {name}(make_state(key=42), 8{example}).values).all())
    True
    """
globals().update(derive(__name__, "state", _draw_lazily, _HELP, {"chunks": "auto"}, Parameter.POSITIONAL_OR_KEYWORD))

if TYPE_CHECKING:  # the functions of the distributions

    def __getattr__(name: str) -> Callable[..., Outputs[Array]]: ...


def _check_chunks(chunks: Any, tensor: Tensor) -> tuple[Shape, ...]:
    """The sizes of the chunks along each axis, as Dask reads `chunks`."""
    from dask.array.core import normalize_chunks

    reason = "The sizes along each axis must add up to the size of the axis."
    try:
        sizes = normalize_chunks(chunks, tensor.shape, dtype=tensor.dtype)
        # Dask accepts sizes that are negative or unknown, and sizes that it truncates to ints.
        valid = all(sum(axis) == size and min(axis) >= 0 for axis, size in zip(sizes, tensor.shape, strict=True))
    except Exception as error:  # Dask raises errors of many types, ZeroDivisionError among them
        reason, valid = f"Dask says: {str(error).partition(chr(10))[0]}", False
    if not valid:
        raise ValueError(
            "chunks must be 'auto', a positive int, a text such as '64 MiB', or sizes for each axis of shape "
            f"{tensor.shape}; got {format_value(chunks)}. {reason}"
        )
    return sizes  # type: ignore[no-any-return]
