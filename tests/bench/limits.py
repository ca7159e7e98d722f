"""What this processor can do: a memset, and runs that compute the same numbers without storing them to memory.

Those runs use the vector code of the kernels. Where numba cannot compile it, there are no such runs.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
from bench_case import LIMIT, Run, Runs
from numpy.typing import NDArray

from dmlrand.drawing.number_rules import integers_rule
from dmlrand.operator import random_generator
from dmlrand.state import make_state

MEMSET = "memset"
ROUNDS = "rounds alone"
CONVERSION = "rounds and conversion alone"

START = make_state(key=0x0123456789ABCDEF)
L1_WORDS = 3840  # 15 KiB: they stay in a core's L1 cache
FLOATS: dict[str, Any] = {"float32": np.float32, "float64": np.float64}


def memset(out: NDArray[Any]) -> Runs:
    """Zeros in the output, by the C library: NumPy calls it for elements of one byte, and is slower for larger ones."""
    return {MEMSET: Run(partial(out.view(np.uint8).fill, 0), LIMIT)}


def philox_rounds(words: int) -> Runs:
    """The rounds for this number of words."""
    return _rounds(ROUNDS, "philox_rounds", START, words, (), rounds_of=words)


def threefry_rounds(words: int) -> Runs:
    """The rounds for this number of words of JAX's bits."""
    return _rounds(ROUNDS, "threefry_rounds", START[4:], words)


def uniforms(dtype: str, words: int) -> Runs:
    """The rounds for this number of words, and the uniform numbers of float32 or float64 that the words make."""
    if dtype not in FLOATS:
        return {}
    return _rounds(CONVERSION, "philox_rounds", START, words, (FLOATS[dtype](0), FLOATS[dtype](1)))


def integers(words: int, low: int, high: int) -> Runs:
    """The rounds for this number of words, and the int32 of [low, high) that the words make."""
    return _rounds(CONVERSION, "philox_rounds", START, words, tuple(integers_rule(low, high, "int32").parameters))


def normals(dtype: str, words: int) -> Runs:
    """The rounds for this number of words, then the conversion of as many words in the L1 cache to normals."""
    kernels = _kernels()
    if kernels is None or dtype not in FLOATS:
        return {}
    mean, stddev = FLOATS[dtype](0), FLOATS[dtype](1)
    l1_words = random_generator(START, L1_WORDS).values
    convert = {"float32": kernels.normal_32, "float64": kernels.normal_64}[dtype]

    def run() -> None:
        kernels.philox_rounds(START, words, ())
        convert(l1_words, -(-words // L1_WORDS), mean, stddev)

    return {CONVERSION: Run(run, LIMIT)}


def _rounds(name: str, kernel: str, *arguments: Any, rounds_of: int = 0) -> Runs:
    kernels = _kernels()
    return (
        {} if kernels is None else {name: Run(partial(getattr(kernels, kernel), *arguments), LIMIT, False, rounds_of)}
    )


@cache
def _kernels() -> Any:
    """The module of kernels, or None where they cannot be used."""
    try:
        import limit_kernels

        limit_kernels.philox_rounds(START, 0, ())
        limit_kernels.threefry_rounds(START[4:], 0)
    except Exception:  # whatever numba and LLVM raise: numba is missing or has changed, or the processor is untested
        return None
    return limit_kernels
