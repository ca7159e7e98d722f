"""tf.random.stateless_categorical: class numbers drawn by their log-probabilities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ... import distributions
from ...arrays.integers import check_int
from ...arrays.number_types import FLOATS
from ...state import State
from .arguments import HIGH64, SIGNED, read_dtype
from .sampling import Draw
from .seeds import state_of_seed

Array = NDArray[Any]


def stateless_categorical(
    logits: Any, num_samples: int, seed: Any, dtype: DTypeLike | None = np.int64, name: str | None = None
) -> Array:
    """Class numbers, one row of samples for each row of logits: `tf.random.stateless_categorical`.

    A sample is the first class whose running sum of exp(logit - largest logit), in float64, exceeds u * total, with
    u of 52 random bits. Samples take their words row by row.

    Parameters
    ----------
    logits : array_like of shape (batch, classes), float16, bfloat16, float32 or float64
        Unnormalized log-probabilities; Python floats count as float32. A class of infinite or NaN logit is never
        drawn, +inf included; a row of nothing else gives the class number `classes`, which does not exist.
    num_samples : int >= 0
    seed : two ints in [-2**63, 2**63)
    dtype : int32 or int64
        None means int64.
    name : ignored

    Returns
    -------
    array of dtype, of shape (batch, num_samples)

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.

    Notes
    -----
    Trap: TensorFlow shares large batches among threads, in pieces that each skip ahead on the stream, so that its
    result then depends on the number of threads. Here there is one stream, as there with one thread.

    Examples
    --------
    >>> stateless_categorical([[0.0, 1.0]], 4, seed=[1, 2])
    array([[1, 1, 0, 1]])
    """
    return categorical_draw(logits, num_samples, dtype)(state_of_seed(seed))


def categorical_draw(logits: Any, num_samples: Any, dtype: DTypeLike | None) -> Draw:
    """Check all arguments but the seed; the draw then needs nothing but its state."""
    kind = np.dtype(np.int64) if dtype is None else read_dtype(dtype, SIGNED)
    rows = _check_logits(logits)
    count = check_int(num_samples, "num_samples", 0, HIGH64)
    batch = len(rows)

    def draw(state: State) -> Array:
        units = distributions.uniform(state, batch * count, dtype=np.float64).values.reshape(batch, count)
        samples = np.empty((batch, count), kind)
        for row, unit, out in zip(rows, units, samples):
            sums = _running_sums(row)
            out[...] = np.searchsorted(sums, unit * sums[-1], side="right")
        return samples

    return draw


def _running_sums(row: Array) -> NDArray[np.float64]:
    """The unnormalized cumulative distribution. math.exp and one addition after another, as the original adds."""
    finite = np.isfinite(row)
    logits = row.astype(np.float64)
    largest = float(logits[finite].max()) if finite.any() else 0.0
    total, sums = 0.0, []
    for logit, counts in zip(logits.tolist(), finite.tolist()):
        if counts:
            total += math.exp(logit - largest)
        sums.append(total)
    return np.array(sums)


def _check_logits(logits: Any) -> Array:
    rows = np.asarray(logits)
    if not isinstance(logits, (np.ndarray, np.generic)) and rows.dtype == np.float64:
        rows = rows.astype(np.float32)
    if rows.dtype.name not in FLOATS:
        raise TypeError(
            f"logits must be float16, float32, float64 or bfloat16; got {rows.dtype}. Convert them yourself."
        )
    if rows.ndim != 2:
        raise ValueError(f"logits must have shape [batch, classes]; got shape {list(rows.shape)}.")
    if rows.shape[1] == 0:
        raise ValueError(f"logits must have at least one class; got shape {list(rows.shape)}.")
    return rows
