"""The Generator of the process, and the states of seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...messages import format_value
from ...position import Locked
from .generator import Generator


class _GlobalGenerator(Locked):
    """The generator of this process."""

    generator: Generator | None = None

    def get(self) -> Generator:
        with self._lock:
            if self.generator is None:
                self.generator = Generator.from_non_deterministic_state()
            return self.generator


_global = _GlobalGenerator()


def get_global_generator() -> Generator:
    """The generator of this process: `tf.random.get_global_generator`.

    It starts at a state from the operating system's entropy, unless set_global_generator was called. set_seed does not
    change it.

    >>> set_global_generator(Generator.from_seed(3))
    >>> get_global_generator().state
    array([3, 0, 0])
    """
    return _global.get()


def set_global_generator(generator: Generator) -> None:
    """Replace the generator of this process: `tf.random.set_global_generator`.

    Parameters
    ----------
    generator : Generator
        The object itself, not a copy.

    Raises
    ------
    TypeError
        generator is not a Generator. (TensorFlow accepts any object.)

    Examples
    --------
    >>> set_global_generator(Generator.from_seed(3))
    >>> get_global_generator().uniform([2])
    array([0.13229859, 0.5348098 ], dtype=float32)
    """
    if not isinstance(generator, Generator):
        raise TypeError(f"generator must be a Generator; got {format_value(generator)}. Generator.from_seed makes one.")
    _global.generator = generator


def create_rng_state(seed: Any, alg: Any) -> NDArray[np.int64]:
    """The state of Generator.from_seed(seed, alg), an int64 array of shape (3,): `tf.random.create_rng_state`.

    >>> create_rng_state(1234, "philox")
    array([1234,    0,    0])
    """
    return Generator.from_seed(seed, alg).state
