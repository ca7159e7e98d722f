"""The six words of a state: make, read, check, advance and split.

The array itself is the state; it has no class of its own. Clauses: specs/state.md.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .drawing.arguments import check_bits, check_int
from .drawing.interchange import SupportsDLPack, read_array
from .drawing.tensor import MAX_RANK
from .kernels import batch_words
from .philox import MASK32, MASK64, block

State = NDArray[np.uint32]
StateLike = State | Sequence[int] | SupportsDLPack

UINT32 = np.dtype(np.uint32)

_LITTLE_ENDIAN = np.dtype("<u4")
_LAYOUT = Struct("<QQQ")  # a little-endian state: the lower and the upper half of the counter, then the key

# fold_in changes the parent's key by xor with these words. So it reads another stream than the parent's draws do. The
# words are the first 64 fraction bits of pi.
_KEY_MASK = (0x85A308D3, 0x243F6A88)


def make_state(*, counter: int = 0, key: int = 0) -> State:
    """A state made of a counter and a key: a uint32 array of shape (6,).

    The key, an int in [0, 2**64), selects a stream. The counter, an int in [0, 2**128), is the number of the first
    block of 4 words. Both are given by name, so that they are not confused: different keys give independent streams,
    but different counters give the same stream from different blocks on.

    >>> make_state(counter=1 << 32, key=7)
    array([0, 1, 0, 0, 7, 0], dtype=uint32)
    """
    return pack_state(check_bits(counter, "counter", 128), check_bits(key, "key", 64))


def seed_state(seed: Any = None) -> State:
    """A state at counter 0 whose key is chosen by a seed.

    An int in [0, 2**64) IS the key. A numpy.random.SeedSequence, or another ISeedSequence of NumPy, gives its
    `generate_state(2)` as key words 0 and 1. None takes 64 bits from the operating system.

    >>> seed_state(42)
    array([ 0,  0,  0,  0, 42,  0], dtype=uint32)
    """
    if seed is None:
        return pack_state(0, int.from_bytes(os.urandom(8), "little"))
    # Ints come first, because to name np.random.bit_generator would import numpy.random.
    if not hasattr(seed, "__index__") and isinstance(seed, np.random.bit_generator.ISeedSequence):
        lower, upper = map(int, seed.generate_state(2, np.uint32))
        return pack_state(0, lower | upper << 32)
    return pack_state(0, check_bits(seed, "seed", 64, " or a numpy.random.SeedSequence"))


def state_or_seed(state: Any, seed: Any) -> State:
    """The state that the arguments `state` and `seed` give. Exactly one of them must be given, and not be None."""
    if (state is None) == (seed is None):
        raise TypeError(
            f"exactly one of state and seed must be given; got {'neither' if state is None else 'both'}. Pass an int "
            "as seed, or seed_state(None) as state to take a seed from the system."
        )
    return check_state(state) if seed is None else seed_state(seed)


def counter_of(state: StateLike) -> int:
    """The counter of a state, in [0, 2**128): the number of its first block.

    >>> counter_of([5, 1, 0, 0, 42, 0]) == 5 + 2**32
    True
    """
    return _unpack_state(check_state(state))[0]


def key_of(state: StateLike) -> int:
    """The 64-bit key of a state, in [0, 2**64).

    >>> key_of([5, 1, 0, 0, 42, 0])
    42
    """
    return _unpack_state(check_state(state))[1]


def blocks_for(n: int) -> int:
    """How many blocks n words use: ceil(n / 4). The counter advances by this number.

    >>> blocks_for(3 * 3 * 20 * 7219)
    324855
    """
    return -(-check_int(n, "n", 0) // 4)


def advance_blocks(state: StateLike, blocks: int) -> State:
    """The state `blocks` blocks of 4 words (not words, not values) further: a new array in the shape of `state`.

    blocks is any int; a negative one rewinds. The counter moves modulo 2**128 and the key stays.

    >>> advance_blocks([0xFFFFFFFF, 0, 0, 0, 7, 0], 1)
    array([0, 1, 0, 0, 7, 0], dtype=uint32)
    """
    moved = check_state(state).copy()
    move_blocks(moved.reshape(6), check_int(blocks, "blocks"))
    return moved


def move_blocks(state: State, blocks: int) -> None:
    """advance_blocks in place, for a state of shape (6,) that no caller holds. The arguments are not checked."""
    lowest = state.item(0) + blocks
    if 0 <= lowest <= MASK32:  # the usual case: no other word changes
        state[0] = lowest
    else:
        counter, key = _unpack_state(state)
        state[:] = pack_state(counter + blocks, key)


def distance_blocks(start: StateLike, end: StateLike) -> int:
    """How many blocks `start` must advance to become `end`, in [0, 2**128).

    Raises ValueError if the keys differ, because the states then belong to different streams.

    >>> distance_blocks([5, 0, 0, 0, 7, 0], [0, 1, 0, 0, 7, 0]) == 2**32 - 5
    True
    """
    first, first_key = _unpack_state(check_state(start, "start"))
    last, last_key = _unpack_state(check_state(end, "end"))
    if first_key != last_key:
        raise ValueError(
            f"start and end must have the same key; got {first_key:#018x} and {last_key:#018x}. "
            "States of different keys belong to different streams, with no distance between them."
        )
    return (last - first) % (1 << 128)


def split(state: StateLike, n: int) -> State:
    """n independent children of a state, a uint32 array of shape (n, 6); child i is `fold_in(state, i)`.

    Either draw from a state or split it, not both. Among k children, the probability that any two have the same key is
    about k**2 / 2**65. The rule: specs/state.md, section 4.

    >>> [hex(key_of(child)) for child in split(make_state(key=1), 2)]
    ['0x98b7f97e2906e18b', '0x66f01a98a4f6006f']
    """
    words = check_state(state).reshape(1, 6)
    n = check_int(n, "n", 0, None, "It is the number of children: split(state, 2) makes two.")
    return children_of(words, n).reshape(n, 6)


def children_of(states: State, n: int, data: NDArray[np.uint64] | None = None) -> State:
    """n children of each of B states, of shape (B, n, 6): those of fold_in for the numbers 0 to n - 1.

    With `data`, of shape (B,), each state has one child, for its own number; n is 1.
    """
    children = np.zeros((len(states), n, 6), UINT32)
    if children.size:
        parents, hashes = states ^ np.array((0, 0, 0, 0, *_KEY_MASK), UINT32), np.empty(4 * len(states), UINT32)
        batch_words.run(parents, hashes)
        numbers = np.arange(n, dtype=np.uint64) if data is None else data[:, None]
        children[..., 0], children[..., 1] = numbers & MASK32, numbers >> 32
        children[..., 2:] = hashes.reshape(-1, 1, 4)
        keys = np.empty(2 * len(states) * n, UINT32)
        batch_words.run(children.reshape(-1, 6), keys)
        children[..., :4], children[..., 4:] = 0, keys.reshape(-1, n, 2)
    return children


def fold_in(state: StateLike, data: int | str | bytes) -> State:
    """The child of a state for `data`, such as the number of an epoch or the name of a layer.

    data is an int in [0, 2**64), a str or bytes. bytes stand for the first 8 bytes of their SHA-256, read as a
    little-endian int. A str stands for its UTF-8 bytes. The child depends on the whole state, counter included. It has
    shape (6,) and counter 0.

    >>> hex(key_of(fold_in(make_state(key=1), "dropout")))
    '0xd885c254a6660015'
    """
    c0, c1, c2, c3, k0, k1 = check_state(state).ravel().tolist()
    number = fold_number(data)
    h0, h1, h2, h3 = block((c0, c1, c2, c3), (k0 ^ _KEY_MASK[0], k1 ^ _KEY_MASK[1]))
    lower, upper, _, _ = block((number & MASK32, number >> 32, h0, h1), (h2, h3))
    return pack_state(0, lower | upper << 32)


def fold_number(data: Any, name: str = "data") -> int:
    """The int in [0, 2**64) that the data of fold_in stands for. Errors call it `name`."""
    if isinstance(data, str):
        data = data.encode()
    if isinstance(data, bytes):
        import hashlib  # here, because `import dmlrand` should cost little more than `import numpy`

        return int.from_bytes(hashlib.sha256(data).digest()[:8], "little")
    return check_bits(data, name, 64, ", a str or bytes")


def jump(state: StateLike, streams: int = 1) -> State:
    """The state `streams` times 2**64 blocks further.

    `streams` counts ranges of 2**64 blocks within the stream of one key. Draws of up to 2**64 blocks each, begun in
    different ranges, never overlap. A key has 2**64 ranges, because the counter wraps modulo 2**128. So `streams` is an
    int in [-2**63, 2**64); a negative one moves back.

    >>> jump([5, 0, 0, 0, 7, 0], 3)
    array([5, 0, 3, 0, 7, 0], dtype=uint32)
    """
    return advance_blocks(state, check_streams(streams, "streams") << 64)


def check_streams(value: Any, name: str) -> int:
    """`value` as a number of ranges to jump over. A longer jump would reach a range again."""
    remedy = "A key has 2**64 ranges. fold_in(state, data) makes a state with another key."
    return check_int(value, name, -(1 << 63), 1 << 64, remedy)


def check_state(state: Any, name: str = "state") -> State:
    """`state` as a uint32 array of numpy of sizes {1, .., 1, 6}: the argument itself if it is such an array."""
    if state.__class__ is np.ndarray and state.dtype is UINT32 and state.shape == (6,):  # fast path
        return state  # type: ignore[no-any-return]
    if isinstance(state, (list, tuple)):
        remedy = "make_state takes the counter and the key as two ints."
        array = np.array([check_int(word, f"{name}[{i}]", 0, 1 << 32, remedy) for i, word in enumerate(state)], UINT32)
    else:
        remedy = "make_state and seed_state make one. Results have an attribute state. A Stream has methods that draw."
        array = read_words(state, name, "a uint32 array or a sequence of 6 ints", remedy)
    if array.size != 6 or not 1 <= array.ndim <= MAX_RANK or array.shape[-1] != 6:
        raise ValueError(
            f"{name} must hold 6 uint32 words (4 of counter, 2 of key) in sizes {{1, .., 1, 6}} of rank 1 to "
            f"{MAX_RANK}; got uint32 of shape {array.shape}. Append the key to a counter; make_state makes a state "
            "of a key."
        )
    return array


def read_words(value: Any, name: str, allowed: str, remedy: str) -> State:
    """`value` as a uint32 array of numpy. In the error for anything but an array, `allowed` says what it may be."""
    array = read_array(value, name)
    if array is None:
        raise TypeError(f"{name} must be {allowed}; got {type(value).__name__}. {remedy}")
    if array.dtype != UINT32:
        raise TypeError(
            f"{name} must hold uint32 words; got {array.dtype} of shape {array.shape}. "
            "If all its values are in [0, 2**32), convert it with astype(numpy.uint32), or to(torch.uint32) in PyTorch."
        )
    return array


def pack_state(counter: int, key: int) -> State:
    """make_state with a counter modulo 2**128. The arguments are not checked."""
    state = np.empty(6, _LITTLE_ENDIAN)
    _LAYOUT.pack_into(state.data, 0, counter & MASK64, counter >> 64 & MASK64, key)
    return state.astype(UINT32, copy=False)


def _unpack_state(state: State) -> tuple[int, int]:
    """The two integers of a checked state: the reverse of pack_state."""
    lower, upper, key = _LAYOUT.unpack(state.astype(_LITTLE_ENDIAN, copy=False).tobytes())
    return lower | upper << 64, key
