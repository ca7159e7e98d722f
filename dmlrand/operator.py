"""DirectML's RandomGenerator operator as pure functions: the words of a whole tensor, or of a window of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .drawing.interchange import SupportsDLPack
from .drawing.messages import format_value
from .drawing.plan import WORDS, Outputs, draw
from .state import StateLike

PHILOX_4X32_10 = "PHILOX_4X32_10"
TYPES = (PHILOX_4X32_10, f"DML_RANDOM_GENERATOR_TYPE_{PHILOX_4X32_10}")

RandomGeneratorOutputs = Outputs  # `state` is None if output_state is False


def random_generator(
    state: StateLike, shape: Any = None, *, out: NDArray[np.uint32] | SupportsDLPack | None = None,
    output_state: bool = True, type: str = PHILOX_4X32_10, threads: int = 1,
) -> Outputs[NDArray[np.uint32]]:  # fmt: skip
    """The words of a state, and the state after them: DirectML's RandomGenerator operator.

    A block is the 4 words that one call of Philox4x32-10 makes from a counter and a key. They are lanes 0 to 3, lane 0
    first. Word 4*i + j of the output is lane j of the block at counter + i, in row-major order of the output's indices,
    for all strides. After n words the counter has advanced by ceil(n / 4) blocks, modulo 2**128. Unread lanes of
    the last block are discarded; the methods of a Stream read them. The rules are those of DirectML's page, and of
    specs/operator.md where the page says nothing. This is a pure function: threads may call it. Not for cryptography.

    Parameters
    ----------
    state : array_like of uint32, shape (6,) or (1, ..., 1, 6)
        Words 0-3: the 128-bit counter, lowest word first. Words 4-5: the 64-bit key, lowest word first. It may be an
        array of another package in the CPU's memory, such as a tensor of PyTorch.
    shape : int or sequence of 1 to 8 ints >= 0, optional
        Sizes of a new output. It may be left out if out is given.
    out : uint32 array of rank 1 to 8, optional
        Written to instead of a new array. Any strides, but no two elements may share memory, and none may share memory
        with the state. Filling an existing array is up to twice as fast as making a new one. An array of another
        package must share its memory by DLPack; values is then a numpy array over that memory.
    output_state : bool
        Whether to return the state after the words: a new array in the shape of the argument. Otherwise it is None.
    type : str
        The generator. DirectML has only "PHILOX_4X32_10", with or without its prefix DML_RANDOM_GENERATOR_TYPE_.
    threads : int >= 1
        How many threads may share the work. Outputs below 4 MiB use one thread. The bits do not depend on it.

    Raises
    ------
    MemoryError
        numpy can index the output, but it does not fit in memory.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> values, state = random_generator(make_state(key=42), (2, 3))
    >>> values
    array([[2632642643, 2012563771,  314527917],
           [1463989207, 4242219303, 1404726525]], dtype=uint32)
    >>> state
    array([ 2,  0,  0,  0, 42,  0], dtype=uint32)
    """
    if type is not PHILOX_4X32_10 and type not in TYPES:  # a comparison of texts would cost time in each small draw
        raise ValueError(
            f"type must be {PHILOX_4X32_10!r}, the only generator of DirectML, with or without "
            f"DML_RANDOM_GENERATOR_TYPE_; got {format_value(type)}."
        )
    outputs = draw(state, WORDS, shape, None, out, threads)
    if not output_state:
        outputs = Outputs(outputs.values, None)  # type: ignore[arg-type]  # typed as for the usual call
    return outputs


def random_window(
    state: StateLike,
    shape: Any,
    window: Any,
    *,
    out: NDArray[np.uint32] | SupportsDLPack | None = None,
    threads: int = 1,
) -> NDArray[np.uint32]:
    """Exactly `random_generator(state, shape).values[window]`, but computes only the words of the window.

    Parameters
    ----------
    state, shape, out, threads : as in random_generator
        shape must be given. The whole tensor is never made; it must have fewer than 2**63 words. out has the shape of
        the result.
    window : int, slice of positive step, Ellipsis, or a tuple of these
        As in numpy's indexing: an int removes its axis, and an axis without an index is taken completely. With an int
        for every axis, the result has rank 0.

    Raises
    ------
    IndexError
        An int is outside its axis, or there are more indices than axes.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> random_window(make_state(key=42), (2**30, 2**30), (slice(0, 2), slice(1, 3)))
    array([[2012563771,  314527917],
           [3580834068, 1438002796]], dtype=uint32)
    """
    # draw reads a window of None as "no window". So None is put into a tuple, in which it is refused.
    return draw(state, WORDS, shape, window if isinstance(window, tuple) else (window,), out, threads).values
