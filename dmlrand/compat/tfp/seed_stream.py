"""SeedStream: a sequence of stateful seeds, one for each part of a computation."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from ...messages import format_value
from ..tensorflow.arguments import as_numpy


class SeedStream:
    """Stateful seeds from one seed and a salt: `tfp.util.SeedStream`.

    Each call returns sha512(str((seed, count, salt))) as an int, where count is the number of the call, from 1 on. Not
    for several threads at once: they could get equal seeds, as in TFP.

    Parameters
    ----------
    seed : int, None, SeedStream, or any object with a text
        With None every call returns None. A SeedStream stands for its original_seed.
    salt : str, or any object with a text
        A name for the part of the program that draws.

    Attributes
    ----------
    original_seed, salt
        The arguments. original_seed is never a SeedStream.

    Raises
    ------
    TypeError
        seed is an array or a tensor. (TFP accepts arrays of numpy, and hashes the text that numpy prints.)

    Examples
    --------
    >>> from dmlrand.compat import tfp
    >>> seeds = SeedStream(5, salt="layer")
    >>> seeds() % 2**32, seeds() % 2**32
    (4110656856, 4218467101)
    >>> tfp.sanitize_seed(SeedStream(5, "layer")).shape
    (2,)
    """

    def __init__(self, seed: Any, salt: Any) -> None:
        if isinstance(as_numpy(seed, "seed"), np.ndarray):
            raise TypeError(f"seed must not be an array or a tensor; got {format_value(seed)}. Pass an int or None.")
        self.original_seed: Any = seed.original_seed if isinstance(seed, SeedStream) else seed
        self.salt = salt
        self._count = 0

    def __call__(self) -> int | None:
        """The next seed, an int in [0, 2**512). None if the seed is None."""
        self._count += 1
        if self.original_seed is None:
            return None
        text = str((self.original_seed, self._count, self.salt))
        return int(hashlib.sha512(text.encode()).hexdigest(), 16)
