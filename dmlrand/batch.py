"""Draws from many states at once: a row of words or numbers for each state. Also children and positions of many states.

Row b of a result is what the function of the same name in dmlrand returns for states[b] alone. Clauses: specs/batch.md.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Generic, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import kernels
from .drawing.arguments import check_int
from .drawing.derived import parameters_by_name
from .drawing.filling import SCRATCH_ELEMENTS, fill_pieces
from .drawing.interchange import SupportsDLPack, read_array
from .drawing.number_rules import bernoulli_rule, exponential_rule, integers_rule, normal_rule, uniform_rule
from .drawing.number_types import Scalar
from .drawing.plan import DISCARD, WORDS, Array, BoundRule
from .drawing.tensor import PASS_SHAPE_OR_OUT, Shape, check_addressable, check_out, check_sizes
from .philox import MASK64
from .state import (
    UINT32,
    State,
    blocks_for,
    check_state,
    check_streams,
    children_of,
    fold_number,
    read_words,
)

_NO_BLOCKS = np.zeros(1, np.uint64)


class Batch(NamedTuple, Generic[Scalar]):
    """What the draws of this module return: values of shape (B, *shape), and new states, a new array of shape (B, 6).

    >>> from dmlrand import batch, make_state, split
    >>> batch.random_generator(split(make_state(key=42), 3), 8).states.shape
    (3, 6)
    """

    values: NDArray[Scalar]
    states: State


def random_generator(
    states: Any, shape: Any = None, *, out: NDArray[np.uint32] | SupportsDLPack | None = None, threads: int = 1
) -> Batch[np.uint32]:
    """`dmlrand.random_generator` of each state: a row of words, and the state after it.

    One call draws all rows: more than 100 times as fast as a loop in Python over rows of 8 words. A draw needs little
    memory beyond its results: specs/batch.md, clause 2.5. Not for cryptography.

    Parameters
    ----------
    states : uint32 array of shape (B, 6), or list or tuple of B states
        Each row is a state, as in dmlrand.random_generator. `dmlrand.split(state, B)` makes such an array. B may be 0.
    shape : int or sequence of 1 to 8 ints >= 0
        Sizes of one row: the result has the shape (B, *shape). Optional if out is given.
    out, threads : as in dmlrand.random_generator
        out has the shape (B, *shape).

    Examples
    --------
    >>> from dmlrand import make_state, split
    >>> values, states = random_generator(split(make_state(key=42), 3), 4)
    >>> values
    array([[3420982169, 1083393842, 2499483734, 3470076608],
           [ 225084408, 1902979556, 3357136136,  790407872],
           [2040564711, 2400589241, 1400693110,   83403247]], dtype=uint32)
    >>> states[:, 0]
    array([1, 1, 1], dtype=uint32)
    """
    return _draw(WORDS, states, shape, out, threads)


@parameters_by_name("states")
def uniform(
    states: Any, shape: Any = None, *, low: Any = 0.0, high: Any = 1.0, dtype: DTypeLike = np.float32,
    out: Array | SupportsDLPack | None = None, threads: int = 1,
) -> Batch[Any]:  # fmt: skip
    """`dmlrand.uniform` of each state. The parameters and the dtype are as there, the same for all rows.

    states, shape, out and threads are as in random_generator of this module; out has the type of the numbers.

    >>> from dmlrand import batch, make_state, split, uniform
    >>> states = split(make_state(key=42), 3)
    >>> values, after = batch.uniform(states, 8)
    >>> bool((values[2] == uniform(states[2], 8).values).all())
    True
    """
    return _draw(uniform_rule(low, high, dtype), states, shape, out, threads)


def integers(
    states: Any, shape: Any = None, low: int | None = None, high: int | None = None, dtype: DTypeLike = np.int32,
    *, out: Array | SupportsDLPack | None = None, threads: int = 1,
) -> Batch[Any]:  # fmt: skip
    """`dmlrand.integers` of each state, as uniform of this module."""
    return _draw(integers_rule(low, high, dtype), states, shape, out, threads)


@parameters_by_name("states")
def normal(
    states: Any, shape: Any = None, *, mean: Any = 0.0, stddev: Any = 1.0, dtype: DTypeLike = np.float32,
    out: Array | SupportsDLPack | None = None, threads: int = 1,
) -> Batch[Any]:  # fmt: skip
    """`dmlrand.normal` of each state, as uniform of this module."""
    return _draw(normal_rule(mean, stddev, dtype), states, shape, out, threads)


@parameters_by_name("states")
def exponential(
    states: Any, shape: Any = None, *, scale: Any = 1.0, dtype: DTypeLike = np.float32,
    out: Array | SupportsDLPack | None = None, threads: int = 1,
) -> Batch[Any]:  # fmt: skip
    """`dmlrand.exponential` of each state, as uniform of this module."""
    return _draw(exponential_rule(scale, dtype), states, shape, out, threads)


def bernoulli(
    states: Any, shape: Any = None, p: Any = None, *, out: Array | SupportsDLPack | None = None, threads: int = 1
) -> Batch[np.bool_]:
    """`dmlrand.bernoulli` of each state, as uniform of this module."""
    return _draw(bernoulli_rule(p), states, shape, out, threads)


def split(states: Any, n: int) -> State:
    """`dmlrand.split` of each state: n independent children, a uint32 array of shape (B, n, 6).

    `children.reshape(-1, 6)` are states for the other functions of this module. The children of one state, of shape
    (6,), have the shape (n, 6).

    >>> from dmlrand import make_state
    >>> split([make_state(key=1), make_state(key=2)], 3).shape
    (2, 3, 6)
    """
    given = _check_states(states, or_one=True)
    children = children_of(given.reshape(-1, 6), check_int(n, "n", 0))
    return children if given.ndim == 2 else children[0]


def fold_in(states: Any, data: Any) -> State:
    """`dmlrand.fold_in` of each state: its child for `data`, a uint32 array of shape (B, 6).

    `data` is as there, for all states; or one for each state, in a sequence of B of these or in an array of shape (B,).
    One state, of shape (6,), can have many data: it has a child for each.

    >>> from dmlrand import make_state
    >>> fold_in(make_state(key=1), [0, 1])[:, 4:]
    array([[ 688316811, 2562193790],
           [2767585391, 1727011480]], dtype=uint32)
    """
    if isinstance(data, np.ndarray) and data.dtype.kind in "US":  # texts or bytes
        data = data.tolist()
    words, low, _ = _with_numbers(states, data, "data", fold_number)
    return children_of(words, 1, np.broadcast_to(low, len(words)))[:, 0]


def advance_blocks(states: Any, blocks: Any) -> State:
    """`dmlrand.advance_blocks` of each state: a uint32 array of shape (B, 6).

    `blocks` is any int for all states, or an integer array of shape (B,) or sequence of B ints of any size, one for
    each state. Negative numbers rewind. Counters move modulo 2**128. One state, of shape (6,), can have many numbers.

    >>> from dmlrand import make_state
    >>> advance_blocks([make_state(counter=2, key=7)] * 2, [5, 2**64])
    array([[7, 0, 0, 0, 7, 0],
           [2, 0, 1, 0, 7, 0]], dtype=uint32)
    """
    return _moved(*_with_numbers(states, blocks, "blocks", check_int))


def jump(states: Any, streams: Any = 1) -> State:
    """`dmlrand.jump` of each state: it moves 2**64 blocks further for each of `streams`. Shapes as in advance_blocks.

    >>> from dmlrand import make_state
    >>> jump(make_state(key=7), range(2))
    array([[0, 0, 0, 0, 7, 0],
           [0, 0, 1, 0, 7, 0]], dtype=uint32)
    """
    words, low, _ = _with_numbers(states, streams, "streams", check_streams)
    return _moved(words, _NO_BLOCKS, low)


def _check_states(states: Any, or_one: bool = False) -> State:
    """`states` as an array of shape (B, 6), or one state as an array of shape (6,) if that is allowed."""
    if isinstance(states, (list, tuple)):
        if or_one and states and isinstance(states[0], (int, np.integer)):
            return check_state(states, "states")
        rows = [check_state(state, f"states[{i}]").reshape(6) for i, state in enumerate(states)]
        return np.array(rows, UINT32).reshape(-1, 6)
    allowed = "a uint32 array of shape (B, 6) or a sequence of states"
    words = read_words(states, "states", allowed, "split(state, B) makes such an array.")
    if (words.ndim != 2 or words.shape[1] != 6) and not (or_one and words.shape == (6,)):
        raise ValueError(
            f"states must have the shape (B, 6): 6 words for each of B states; got {words.shape}. "
            "Reshape it with reshape(-1, 6), which also makes a batch of a single state."
        )
    return words


def _for_kernels(states: State) -> State:
    """`states`, or a copy: kernels take only states that are contiguous, aligned and writable."""
    return states if states.flags.carray else states.copy()


def _with_numbers(states: Any, numbers: Any, name: str, check: Callable[[Any, str], int]) -> tuple[State, Array, Array]:
    """The states, of shape (B, 6), and the lower and the upper 64 bits, in two's complement, of their numbers.

    The numbers are one int for all states or one for each. Both halves are uint64 arrays, of 1 or B numbers. A single
    state is repeated for each number.
    """
    array = read_array(numbers, name)
    array = None if array is None or not array.ndim else array
    one_each = array is not None or isinstance(numbers, (list, tuple, range))
    checked = _check_states(states, or_one=one_each)
    if checked.ndim == 1:
        checked = np.broadcast_to(checked, (len(numbers if array is None else array), 6))
    count = len(checked)
    if array is not None:
        if array.dtype.kind not in "iu":
            raise TypeError(
                f"{name} must be an int, a sequence of {count} ints or an integer array of shape ({count},); "
                f"got {type(numbers).__name__} of {array.dtype}. Pass {name}.tolist() if it holds ints."
            )
        lower, upper = array.astype(np.uint64), np.where(array < 0, np.uint64(MASK64), np.uint64(0))
        extremes = {int(array.argmin()), int(array.argmax())} if array.ndim == 1 and array.size else ()
        for i in extremes:
            check(int(array[i]), f"{name}[{i}]")
    else:
        each = [(f"{name}[{i}]", number) for i, number in enumerate(numbers)] if one_each else [(name, numbers)]
        ints = [check(number, label) for label, number in each]
        lower, upper = (np.array([number >> shift & MASK64 for number in ints], np.uint64) for shift in (0, 64))
    if one_each and lower.shape != (count,):
        raise ValueError(
            f"{name} must hold one int for each of {count} states, or be one int; got shape {lower.shape}."
        )
    return checked, lower, upper


def _check(
    states: Any, shape: Any, out: Array | SupportsDLPack | None, kind: np.dtype[Any]
) -> tuple[State, Shape, Array]:
    """The checked arguments of a draw: the states, the sizes of a row, and the output, which is new if out is None."""
    checked = _check_states(states)
    if out is None:
        if shape is None:
            raise TypeError(f"shape must be given if out is not; got neither. {PASS_SHAPE_OR_OUT}")
        sizes = check_sizes(shape)
        values = np.empty(check_addressable((len(checked), *sizes), "(B, *shape)", kind.itemsize), kind)
        return _for_kernels(checked), sizes, values
    values = check_out(out, kind, checked)
    sizes = check_sizes(values.shape[1:] if shape is None else shape)
    if values.shape != (len(checked), *sizes):
        raise ValueError(
            f"out must have the shape {(len(checked), *sizes)}; got {values.shape}. Pass a reshaped view, or other "
            "states."
        )
    return _for_kernels(checked), sizes, values


def _draw(rule: BoundRule, states: Any, shape: Any, out: Array | SupportsDLPack | None, threads: int) -> Batch[Any]:
    """A row of numbers for each state, by a rule."""
    checked, sizes, values = _check(states, shape, out, rule.dtype)
    threads = check_int(threads, "threads", 1)
    length = prod(sizes)
    row_words = rule.words_read(length)

    def make(start: int, flat: Array) -> None:
        """Fill flat memory with complete rows, or with consecutive numbers of one row."""
        row, first = divmod(start, length)
        flat = flat.view(rule.kernel_dtype)
        some = checked[row : row + max(1, flat.size // length)]
        if len(some) == 1:
            rule.kernels.fill.run(some[0].copy(), DISCARD, 0, values.size, first, rule.parameters, flat)
        elif rule is WORDS:
            kernels.batch_words.run(some, flat)
        else:
            _make_rows(some, rule, row_words, flat)

    if values.size:
        # The words of short rows go through a scratch array. A long row is drawn by one call.
        limit = max(length, SCRATCH_ELEMENTS * rule.group_numbers // rule.group_words)
        fill_pieces(values, make, threads, None if rule is WORDS else limit)
    after = _moved(checked, np.array([blocks_for(row_words)], np.uint64), _NO_BLOCKS)
    return Batch(out if isinstance(out, np.ndarray) else values, after)


def _make_rows(states: State, rule: BoundRule, row_words: int, flat: Array) -> None:
    """Fill flat memory with a row of numbers for each state, made of `row_words` words."""
    drawn = np.empty(len(states) * row_words, UINT32)
    kernels.batch_words.run(states, drawn)
    length, made = flat.size // len(states), row_words // rule.group_words * rule.group_numbers
    numbers = flat if made == length else np.empty(len(states) * made, flat.dtype)
    rule.kernels.convert.run(drawn, rule.parameters, numbers)
    if made != length:  # the last number of each row is one of a pair, and is discarded
        flat.reshape(-1, length)[:] = numbers.reshape(-1, made)[:, :length]


def _moved(states: State, low: Array, high: Array) -> State:
    """The states, each low + 2**64 * high blocks further. Both are uint64 arrays, of one number or of one for each."""
    moved = np.empty(states.shape, UINT32)
    kernels.move_states.run(_for_kernels(states), low, high, moved)
    return moved
