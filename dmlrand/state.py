"""The six words: make, read, check, advance, split. Sole owner of word order.

A state is a uint32 array of 6 elements with sizes {1, .., 1, 6}, rank 1 to 8. Words 0 to 3 are the 128-bit
counter and words 4 and 5 the 64-bit key, each lowest word first. No class stands around it: the array is
the state. The rules are those of specs/state.md.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from struct import Struct
from typing import Any, Never

import numpy as np
from numpy.typing import NDArray

from .arrays.integers import check_bits, check_int, format_value
from .arrays.tensor import MAX_RANK
from .philox import MASK32, Words4, block

State = NDArray[np.uint32]
StateLike = State | Sequence[int]

UINT32 = np.dtype(np.uint32)

_LITTLE_ENDIAN = np.dtype("<u4")
_LAYOUT = Struct("<QQQ")  # of a state's bytes in that type: the counter's low and high half, then the key
_MASK64 = (1 << 64) - 1

# The first 64 fraction bits of pi: keeps the keys of children away from the words of their parent.
_SPLIT_DOMAIN = 0x243F6A8885A308D3

FEW = 12  # children, up to which Python's integers are faster than numpy's calls


def make_state(*positional: Never, counter: int = 0, key: int = 0) -> State:
    """A state from its counter and its key, given by name: `make_state(key=7)`.

    Parameters
    ----------
    counter : int in [0, 2**128)
        The position of the first block that the state produces.
    key : int in [0, 2**64)
        Selects the stream.

    Returns
    -------
    uint32 array of shape (6,)

    Raises
    ------
    TypeError, ValueError
        counter or key is not an integer or is out of its range, or an argument is given by position. Different keys
        give independent streams, but different counters give one stream from different blocks on, so the two must
        not be confused.

    Examples
    --------
    >>> make_state(counter=1 << 32, key=7)
    array([0, 1, 0, 0, 7, 0], dtype=uint32)
    """
    if positional:
        raise TypeError(
            f"counter and key must be given by name; got {', '.join(map(format_value, positional))} by position. "
            "Write make_state(key=7) for a new stream, or make_state(counter=2, key=7) for its third block."
        )
    return state_of(check_bits(counter, "counter", 128), check_bits(key, "key", 64))


def seed_state(seed: Any = None) -> State:
    """A state at counter 0 whose key is chosen by a seed.

    Parameters
    ----------
    seed : int in [0, 2**64), numpy.random.SeedSequence, or None
        An int IS the key. A SeedSequence gives its `generate_state(2)` as key words 0 and 1.
        None takes 64 bits from the operating system.

    Returns
    -------
    uint32 array of shape (6,)

    Raises
    ------
    TypeError, ValueError
        seed is none of these, or out of range.

    Examples
    --------
    >>> seed_state(42)
    array([ 0,  0,  0,  0, 42,  0], dtype=uint32)
    """
    if seed is None:
        return state_of(0, int.from_bytes(os.urandom(8), "little"))
    # Looking at numpy.random imports it, so integers, the common case, are told apart first.
    if not hasattr(seed, "__index__"):
        if isinstance(seed, np.random.SeedSequence):
            low, high = seed.generate_state(2).tolist()
            return state_of(0, low | high << 32)
        raise TypeError(
            f"seed must be an int in [0, 2**64), a numpy.random.SeedSequence or None; got {seed!r} "
            f"of type {type(seed).__name__}. Pass an int."
        )
    return state_of(0, check_bits(seed, "seed", 64))


def state_from(state: Any, seed: Any) -> State:
    """The state of a class that takes either a state or a seed. None counts as not given."""
    if seed is None and state is not None:
        return check_state(state)
    if state is None and seed is not None:
        return seed_state(seed)
    raise TypeError(
        "exactly one of state and seed must be given; "
        + (
            "got neither. Pass an int as seed, or pass seed_state(None) as state to take a seed from the system."
            if state is None
            else "got both. Leave seed out: a state has a key of its own."
        )
    )


def counter_of(state: StateLike) -> int:
    """The 128-bit block counter of a state, in [0, 2**128).

    >>> counter_of([5, 1, 0, 0, 42, 0]) == 5 + 2**32
    True
    """
    return _counter(check_state(state))


def key_of(state: StateLike) -> int:
    """The 64-bit key of a state, in [0, 2**64).

    >>> key_of([5, 1, 0, 0, 42, 0])
    42
    """
    return _key(check_state(state))


def blocks_for(n: int) -> int:
    """How many blocks n words use: ceil(n / 4). The counter advances by this much.

    >>> blocks_for(3 * 3 * 20 * 7219)
    324855
    """
    return -(-check_int(n, "n", 0) // 4)


def advance_blocks(state: StateLike, blocks: int) -> State:
    """The state `blocks` blocks (not words, not values) further on; negative rewinds.

    Parameters
    ----------
    state : array_like of uint32, shape (6,) or (1, ..., 1, 6)
        Never modified.
    blocks : int
        Any integer; the counter moves modulo 2**128 and the key stays.

    Returns
    -------
    uint32 array, a fresh one in the shape of state

    Raises
    ------
    TypeError, ValueError
        state is no state, or blocks no integer.

    Examples
    --------
    >>> advance_blocks([0xFFFFFFFF, 0, 0, 0, 7, 0], 1)
    array([0, 1, 0, 0, 7, 0], dtype=uint32)
    >>> advance_blocks([0, 0, 0, 0, 7, 0], -1).tolist()
    [4294967295, 4294967295, 4294967295, 4294967295, 7, 0]
    """
    moved = check_state(state).copy()
    move_blocks(moved.reshape(6), check_int(blocks, "blocks"))
    return moved


def move_blocks(state: State, blocks: int) -> None:
    """advance_blocks in place, for a state of shape (6,) that no caller holds. The arguments are taken as checked."""
    lowest = state.item(0) + blocks
    if 0 <= lowest <= MASK32:  # nearly always: no other word changes
        state[0] = lowest
    else:
        state[:] = state_of(_counter(state) + blocks, _key(state))


def distance_blocks(start: StateLike, end: StateLike) -> int:
    """How many blocks `start` must advance to become `end`, in [0, 2**128).

    Raises ValueError when the keys differ: such states lie on different streams.

    >>> distance_blocks([5, 0, 0, 0, 7, 0], [0, 1, 0, 0, 7, 0]) == 2**32 - 5
    True
    """
    first, last = check_state(start, "start"), check_state(end, "end")
    if _key(first) != _key(last):
        raise ValueError(
            f"start and end must have the same key; got {_key(first):#018x} and {_key(last):#018x}. "
            "States of different keys lie on different streams, with no distance between them."
        )
    return (_counter(last) - _counter(first)) % (1 << 128)


def split(state: StateLike, n: int) -> State:
    """n independent children of a state; child i is `fold_in(state, i)`.

    The children depend on the whole state, counter included. Their keys have 64 bits, so among k children the
    chance that any two share a key is about k**2 / 2**65.

    Parameters
    ----------
    state : array_like of uint32, shape (6,) or (1, ..., 1, 6)
        Never modified; draw from it or split it, not both.
    n : int >= 0

    Returns
    -------
    uint32 array of shape (n, 6), every counter 0

    Raises
    ------
    TypeError, ValueError
        state is no state, or n no integer of at least 0.

    Examples
    --------
    >>> [hex(key_of(child)) for child in split(make_state(key=1), 2)]
    ['0x98b7f97e2906e18b', '0x66f01a98a4f6006f']
    """
    words = check_state(state)
    children = np.zeros((check_int(n, "n", 0, (1 << 63) // 24), 6), UINT32)  # 24 bytes each: what numpy can index
    parent = _hash(words)
    if len(children) <= FEW:
        for i, child in enumerate(children):
            child[4:] = _child_key(parent, i, 0)
        return children
    step = 1 << 16  # children at a time, so that the uint64 temporaries stay small
    for start in range(0, len(children), step):
        data = np.arange(start, min(start + step, len(children)), dtype=np.uint64)
        low, high = _child_key(parent, data & MASK32, data >> 32)
        children[start : start + step, 4], children[start : start + step, 5] = low, high
    return children


def fold_in(state: StateLike, data: int) -> State:
    """The child of a state that belongs to `data`, an int in [0, 2**64) such as an epoch or a rank.

    Returns a uint32 array of shape (6,) at counter 0. The rule is that of `split`: specs/state.md, section 4.

    >>> bool((fold_in([0, 0, 0, 0, 1, 0], 1) == split([0, 0, 0, 0, 1, 0], 2)[1]).all())
    True
    """
    words = check_state(state)
    data = check_bits(data, "data", 64)
    low, high = _child_key(_hash(words), data & MASK32, data >> 32)
    return state_of(0, low | high << 32)


def jump(state: StateLike, streams: int = 1) -> State:
    """The state 2**64 blocks further for each of `streams`: ranges of one key that never meet.

    Any int; there are 2**64 such ranges, and the count wraps as the counter does.

    >>> jump([5, 0, 0, 0, 7, 0], 3)
    array([5, 0, 3, 0, 7, 0], dtype=uint32)
    """
    return advance_blocks(state, check_int(streams, "streams") << 64)


def check_state(state: Any, name: str = "state") -> State:
    """`state` as a uint32 array of sizes {1, .., 1, 6}: the argument itself when it is one.

    Raises TypeError or ValueError, naming the argument `name`, for everything else.
    """
    if state.__class__ is np.ndarray and state.dtype is UINT32 and state.shape == (6,):  # fast path
        return state  # type: ignore[no-any-return]
    if isinstance(state, np.ndarray) and not hasattr(state, "mask"):  # a masked array hides words
        state = np.asarray(state)  # not a memmap or matrix
        if state.dtype != UINT32:
            raise TypeError(
                f"{name} must hold uint32 words; got {state.dtype} of shape {state.shape}. "
                "Convert it yourself once its values are known to be in [0, 2**32)."
            )
        if state.size != 6 or not 1 <= state.ndim <= MAX_RANK or state.shape[-1] != 6:
            raise ValueError(_wrong_sizes(name, state.shape))
        return state  # type: ignore[no-any-return]
    if not isinstance(state, (list, tuple)):
        raise TypeError(
            f"{name} must be a uint32 array or a sequence of 6 ints; got {type(state).__name__}. "
            "make_state and seed_state make one."
        )
    remedy = "make_state takes the counter and the key whole."
    words = [check_int(word, f"{name}[{i}]", 0, 1 << 32, remedy) for i, word in enumerate(state)]
    if len(words) != 6:
        raise ValueError(_wrong_sizes(name, (len(words),)))
    return np.array(words, UINT32)


def _wrong_sizes(name: str, shape: tuple[int, ...]) -> str:
    problem = (
        f"{name} must hold 6 uint32 words (4 of counter, 2 of key) in sizes {{1, .., 1, 6}} of rank 1 to {MAX_RANK}; "
        f"got uint32 of shape {shape}."
    )
    if shape and shape[-1] == 4:
        return problem + " Append the key: numpy.append(counter, key)."
    if shape and shape[-1] == 2:
        return problem + " A key of two words is no state: make_state(key=low + 2**32 * high) makes one."
    return problem + " Reshape it, or make one with make_state."


def state_of(counter: int, key: int) -> State:
    """make_state for arguments that are taken as checked; any counter, modulo 2**128."""
    words = np.empty(6, _LITTLE_ENDIAN)
    _LAYOUT.pack_into(words.data, 0, counter & _MASK64, counter >> 64 & _MASK64, key)
    return words.astype(UINT32, copy=False)


def _words(state: State) -> list[int]:
    words: list[int] = state.ravel().tolist()
    return words


def _counter(state: State) -> int:
    c0, c1, c2, c3, _, _ = _words(state)
    return c0 | c1 << 32 | c2 << 64 | c3 << 96


def _key(state: State) -> int:
    _, _, _, _, k0, k1 = _words(state)
    return k0 | k1 << 32


def _hash(state: State) -> Words4:
    """A parent's state as its children see it."""
    c0, c1, c2, c3, k0, k1 = _words(state)
    return block((c0, c1, c2, c3), (k0 ^ _SPLIT_DOMAIN & MASK32, k1 ^ _SPLIT_DOMAIN >> 32))


def _child_key(parent: Words4, data_low: Any, data_high: Any) -> tuple[Any, Any]:
    """The key words of the child for `data`, ints or uint64 arrays, of a parent's hash."""
    h0, h1, h2, h3 = parent
    children: Words4 = block((data_low, data_high, h0, h1), (h2, h3))
    return children[0], children[1]
