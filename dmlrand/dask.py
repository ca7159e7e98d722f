"""Tensors as Dask arrays. Each chunk is a window of one tensor, so the bits depend on neither chunks nor workers.

Every worker needs the packages dask and dmlrand. Clauses: specs/dask.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .drawing.derived import parameters_by_name
from .drawing.imports import extra_needed
from .drawing.messages import format_value
from .drawing.number_rules import bernoulli_rule, bind, exponential_rule, integers_rule, normal_rule, uniform_rule
from .drawing.plan import WORDS, BoundRule, Outputs, draw
from .drawing.tensor import Shape, check_sizes
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

    The call computes only the new state. The array equals the whole tensor word for word, for all chunks, schedulers
    and numbers of workers. The name of the array is a digest of the arguments, so equal calls give equal keys.

    Parameters
    ----------
    state, shape : as in dmlrand.random_generator
        The tensor has fewer than 2**63 words.
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
        from dask.array.core import from_array, normalize_chunks
        from dask.base import tokenize
    words, sizes = check_state(state), check_sizes(shape)
    empty, after = draw(words, rule, sizes, (slice(0, 0),) * len(sizes))
    tensor = Tensor(rule.name, rule.dtype, tuple(rule.parameters.tolist()), tuple(words.ravel().tolist()), sizes)
    chunk_sizes = normalize_chunks(chunks, sizes, dtype=rule.dtype)
    # Dask takes negative and unknown sizes, and sizes that it cuts to ints.
    if any(sum(axis) != size or min(axis) < 0 for axis, size in zip(chunk_sizes, sizes, strict=True)):
        raise ValueError(
            f"chunks must be sizes that add up to each axis of shape {sizes}; got {format_value(chunks)}. 'auto' lets "
            "Dask choose."
        )
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


@parameters_by_name("state")
def uniform(
    state: StateLike, shape: Any, *, low: Any = 0.0, high: Any = 1.0, dtype: Any = "float32", chunks: Any = "auto"
) -> Outputs[Array]:
    """`dmlrand.uniform` as a Dask array. chunks is the same as in random_generator of this module.

    >>> from dmlrand import dask, make_state, uniform
    >>> values, _ = dask.uniform(make_state(key=42), 10**5, chunks=10**4)
    >>> bool((values[:8].compute() == uniform(make_state(key=42), 8).values).all())
    True
    """
    return _draw_lazily("uniform", uniform_rule(low, high, dtype), state, shape, chunks)


def integers(
    state: StateLike, shape: Any, low: int | None = None, high: int | None = None, dtype: Any = "int32",
    chunks: Any = "auto",
) -> Outputs[Array]:  # fmt: skip
    """`dmlrand.integers` as a Dask array, as uniform of this module."""
    return _draw_lazily("integers", integers_rule(low, high, dtype), state, shape, chunks)


@parameters_by_name("state")
def normal(
    state: StateLike, shape: Any, *, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", chunks: Any = "auto"
) -> Outputs[Array]:
    """`dmlrand.normal` as a Dask array, as uniform of this module."""
    return _draw_lazily("normal", normal_rule(mean, stddev, dtype), state, shape, chunks)


@parameters_by_name("state")
def exponential(
    state: StateLike, shape: Any, *, scale: Any = 1.0, dtype: Any = "float32", chunks: Any = "auto"
) -> Outputs[Array]:
    """`dmlrand.exponential` as a Dask array, as uniform of this module."""
    return _draw_lazily("exponential", exponential_rule(scale, dtype), state, shape, chunks)


def bernoulli(state: StateLike, shape: Any, p: Any = None, chunks: Any = "auto") -> Outputs[Array]:
    """`dmlrand.bernoulli` as a Dask array, as uniform of this module."""
    return _draw_lazily("bernoulli", bernoulli_rule(p), state, shape, chunks)
