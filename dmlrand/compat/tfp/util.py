"""The name of `tfp.util` that is imitated: SeedStream, a sequence of stateful seeds, one for each part of a program."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from ...messages import format_value
from ..tensorflow.arguments import as_numpy

__all__ = ["SeedStream"]


class SeedStream:
    """Stateful seeds from one seed and a salt: `tfp.util.SeedStream`.

    Each call returns sha512(str((seed, count, salt))) as an int in [0, 2**512), where count is the number of the call,
    from 1 on. If the seed is None, every call returns None. Not for several threads at once: they could get equal
    seeds, as in TFP.

    seed is an int, None, a SeedStream, which stands for its original_seed, or any object with a text. Arrays and
    tensors are refused. (TFP accepts arrays of numpy, and hashes the text that numpy prints.) salt is a str, or any
    object with a text: a name for the part of the program that draws. The attributes are original_seed and salt.

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
        """The next seed."""
        self._count += 1
        if self.original_seed is None:
            return None
        return sha512(str((self.original_seed, self._count, self.salt)))


def sha512(text: str) -> int:
    """sha512 of the text in UTF-8, as a big-endian number."""
    return int(hashlib.sha512(text.encode()).hexdigest(), 16)
