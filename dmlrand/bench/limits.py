"""What this processor can do: a memset, and runs that do the same work in registers and store nothing.

The latter use the vector code of the kernels. Where that cannot be compiled there are no such runs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..operator import random_generator
from ..state import make_state
from .case import Runs

MEMSET = "memset"
ROUNDS = "rounds alone"
CONVERSION = "rounds and conversion alone"

START = make_state(key=0x0123456789ABCDEF)
L1_WORDS = 3840  # 15 KiB: converted again and again, they stay in a core's nearest cache
TYPES: dict[str, Callable[[float], Any]] = {"float32": np.float32, "float64": np.float64}


def memset(out: NDArray[Any]) -> Runs:
    """Zeros in the output, by the C library: NumPy calls it for elements of one byte, and is slower for larger ones."""
    return {MEMSET: partial(out.view(np.uint8).fill, 0)}


def philox_rounds(words: int) -> Runs:
    """The rounds for so many words."""
    kernels = _kernels()
    return {} if kernels is None else {ROUNDS: partial(kernels.philox_rounds, START, words)}


def threefry_rounds(words: int) -> Runs:
    """The rounds for so many words of JAX's bits."""
    kernels = _kernels()
    return {} if kernels is None else {ROUNDS: partial(kernels.threefry_rounds, START[4:], words)}


def conversions(distribution: str, kind: str, words: int) -> Runs:
    """The rounds for so many words, then their conversion: to "uniform" or "normal", "float32" or "float64"."""
    kernels = _kernels()
    if kernels is None or kind not in TYPES:
        return {}
    convert = getattr(kernels, f"{distribution}_{kind[-2:]}")
    scratch = random_generator(START, L1_WORDS).values
    zero, one = TYPES[kind](0), TYPES[kind](1)

    def run() -> None:
        kernels.philox_rounds(START, words)
        convert(scratch, -(-words // L1_WORDS), zero, one)

    return {CONVERSION: run}


@cache
def _kernels() -> Any:
    """The module of kernels, or None where they cannot be used."""
    try:
        from ..kernels import limits

        limits.philox_rounds(START, 0)
        limits.threefry_rounds(START[4:], 0)
    except Exception:  # whatever numba and LLVM raise: numba is missing or has changed, or the processor is untried
        return None
    return limits
