"""A NumPy BitGenerator over a state: every distribution of numpy.random.Generator, from these words.

For people who need those distributions. Words, uniform reals, integers and normals in bulk are many times faster
from random_generator and its neighbours. The rules are those of specs/bit_generator.md.
"""

from __future__ import annotations

import ctypes
from copy import copy
from typing import Any

import numpy as np
from numpy.random import BitGenerator, SeedSequence

from . import kernels
from .arrays.integers import check_int
from .state import State, StateLike, advance_blocks, check_state, jump, seed_state

NAME = "PhiloxBitGenerator"


class _Bitgen(ctypes.Structure):
    """bitgen_t of numpy/random/bitgen.h: what a Generator calls. NumPy may append fields; these come first."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("state", "next_uint64", "next_uint32", "next_double", "next_raw")]


# A prototype of our own: setting those of ctypes.pythonapi would set them for everybody.
_capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


class PhiloxBitGenerator(BitGenerator):
    """The words of a state as a NumPy BitGenerator, for numpy.random.Generator and all that takes one.

    A draw of 32 bits takes one word; one of 64 bits takes two, the first in the upper half; a double takes two, the
    upper 27 bits of the first and the upper 26 of the second. So Generator draws equal those of randomgen's
    Philox(number=4, width=32) from the same position, and Generator.bytes gives the words of random_generator in
    little-endian order. NumPy's own Philox is another generator: Philox4x64. Not for cryptography.

    All of BitGenerator is here: random_raw (words, as uint64), lock, ctypes, cffi, capsule, spawn, seed_seq, pickling
    and copies. A forked child goes on from where its parent was and repeats the parent's words: give it a state of
    its own, from split.

    Parameters
    ----------
    state : array_like of uint32, shape (6,) or (1, ..., 1, 6), or numpy.random.SeedSequence
        The first block to draw from; never modified. A SeedSequence means seed_state of it, and becomes seed_seq. The
        seed_seq of any other is made of the six words and the lane, so that spawn works, here and in packages that
        call it: the children depend on the place where this one began.
    lane : int in [0, 4)
        The lane of that block where the words begin.

    Raises
    ------
    TypeError, ValueError
        state is no state, or lane no lane.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> rng = np.random.Generator(PhiloxBitGenerator(make_state(key=42)))
    >>> rng.integers(2**32, size=3, dtype=np.uint32)
    array([2632642643, 2012563771,  314527917], dtype=uint32)
    >>> rng.bit_generator.state
    {'bit_generator': 'PhiloxBitGenerator', 'state': array([ 0,  0,  0,  0, 42,  0], dtype=uint32), 'lane': 3}
    """

    def __init__(self, state: StateLike | SeedSequence, lane: int = 0) -> None:
        lane = check_int(lane, "lane", 0, 4)
        if isinstance(state, SeedSequence):
            words, seed = seed_state(state), state
        else:
            words = check_state(state)
            seed = SeedSequence([*words.ravel().tolist(), lane])  # for children alone
        super().__init__(seed)
        self._memory = np.zeros((), kernels.bitgen_layout)
        self._memory["refill"] = kernels.bitgen_refill
        self._place(words, lane)
        # Into the bitgen_t that the base class made, so that all of its methods, and its capsule, work unchanged.
        bitgen = _Bitgen.from_address(_capsule_pointer(self.capsule, b"BitGenerator"))  # type: ignore[attr-defined]
        bitgen.state = self._memory.ctypes.data
        bitgen.next_uint64, bitgen.next_uint32, bitgen.next_double, bitgen.next_raw = kernels.bitgen_callbacks

    @property  # type: ignore[override]  # NumPy's stub says Mapping
    def state(self) -> dict[str, Any]:
        """The position, as a dict: `state`, the six words of the block that holds the next word, and its `lane`.

        Only the position counts, not how it was reached. Setting it goes there; what is not such a dict is refused
        by a TypeError or ValueError.
        """
        with self.lock:
            words, lane = self._position()
        return {"bit_generator": NAME, "state": words, "lane": lane}

    @state.setter
    def state(self, value: Any) -> None:
        if not isinstance(value, dict) or set(value) != {"bit_generator", "state", "lane"}:
            raise TypeError(
                f"state must be a dict of bit_generator, state and lane; got {value!r}. Pass one that .state gave."
            )
        if value["bit_generator"] != NAME:
            raise ValueError(f"state must be that of a {NAME}; got one of {value['bit_generator']!r}.")
        words, lane = check_state(value["state"], 'state["state"]'), check_int(value["lane"], 'state["lane"]', 0, 4)
        with self.lock:
            self._place(words, lane)

    def advance(self, delta: int) -> PhiloxBitGenerator:
        """Move by `delta` blocks of 4 words (not by draws), in place, and return self.

        Any int, negative rewinds; the counter moves modulo 2**128 and the lane stays.
        """
        delta = check_int(delta, "delta")
        with self.lock:
            words, lane = self._position()
            self._place(advance_blocks(words, delta), lane)
        return self

    def jumped(self, jumps: int = 1) -> PhiloxBitGenerator:
        """A new bit generator, 2**64 blocks further for each of `jumps`: ranges of one key that never meet."""
        other = copy(self)
        words, lane = other._position()
        other._place(jump(words, check_int(jumps, "jumps")), lane)
        return other

    def spawn(self, n_children: int) -> list[PhiloxBitGenerator]:  # type: ignore[override]
        """Independent children, other ones at each call: one for each SeedSequence that seed_seq spawns."""
        seeds: Any = self.seed_seq
        return [type(self)(seed) for seed in seeds.spawn(check_int(n_children, "n_children", 0))]

    def __reduce__(self) -> tuple[Any, ...]:
        state = self.state
        # The base class's __setstate__ takes the last pair; it alone can set seed_seq.
        return type(self), (state["state"], state["lane"]), (state, self.seed_seq)

    def __repr__(self) -> str:
        state = self.state
        return f"{NAME}({state['state'].tolist()}, lane={state['lane']})"

    def _position(self) -> tuple[State, int]:
        """The state and the lane of the word that comes next.

        Callers hold the lock, not this: in older NumPys it is not reentrant.
        """
        memory = self._memory
        behind, lane = divmod(int(memory["next"]) - memory["words"].size, 4)
        return advance_blocks(memory["state"], behind), lane

    def _place(self, words: State, lane: int) -> None:
        """Go to a position, with an empty buffer."""
        self._memory["state"] = words.reshape(6)
        self._memory["next"] = self._memory["words"].size + lane
