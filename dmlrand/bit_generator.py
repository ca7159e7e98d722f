"""A NumPy BitGenerator that takes its bits from a state, so that numpy.random.Generator can draw any distribution.

Where dmlrand's own functions suffice, call them: they are many times faster. Clauses: specs/bit_generator.md.
"""

from __future__ import annotations

import ctypes
from copy import copy
from typing import Any, overload

import numpy as np
from numpy.random import BitGenerator, SeedSequence
from numpy.random.bit_generator import ISeedSequence

from .drawing.arguments import check_int
from .drawing.messages import format_value
from .drawing.position import check_state_dict
from .kernels import only_compiled
from .state import State, StateLike, advance_blocks, check_state, check_streams, state_or_seed

NAME = "PhiloxBitGenerator"


# Not ctypes.pythonapi.PyCapsule_GetPointer: setting its argument types would set them for every package that uses it.
_capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


class PhiloxBitGenerator(BitGenerator):
    """The words of a state as a NumPy BitGenerator, for numpy.random.Generator and all code that takes one.

    A draw of 32 bits takes one word. A draw of 64 bits takes two words, and the first is the upper half. A double takes
    two words: the upper 27 bits of the first and the upper 26 bits of the second. So the draws of a Generator equal
    those with randomgen's Philox(number=4, width=32) from the same position, and Generator.bytes gives the words of
    random_generator in little-endian order. NumPy's own Philox is another generator, Philox4x64. Not for cryptography.

    All members of BitGenerator work. A forked child repeats the words of its parent: give each child a state of its
    own, from split.

    Parameters
    ----------
    state, lane, seed : as in Stream
        NumPy's own bit generators hash an int, which seed=SeedSequence(7) does here. A SeedSequence, or another
        ISeedSequence of NumPy, may be given as state too, and becomes seed_seq. Otherwise seed_seq is made of the six
        words and the lane, so that spawn works: the children depend on the first position.

    Examples
    --------
    >>> rng = np.random.Generator(PhiloxBitGenerator(seed=42))
    >>> rng.integers(2**32, size=3, dtype=np.uint32)
    array([2632642643, 2012563771,  314527917], dtype=uint32)
    >>> rng.bit_generator.state
    {'bit_generator': 'PhiloxBitGenerator', 'state': array([ 0,  0,  0,  0, 42,  0], dtype=uint32), 'lane': 3}
    """

    @overload
    def __init__(self, state: StateLike | SeedSequence, lane: int = 0) -> None: ...
    @overload
    def __init__(self, *, lane: int = 0, seed: int | SeedSequence) -> None: ...
    def __init__(
        self, state: StateLike | SeedSequence | None = None, lane: int = 0, *, seed: int | SeedSequence | None = None
    ) -> None:
        lane = check_int(lane, "lane", 0, 4)
        if isinstance(state, ISeedSequence) and seed is None:
            state, seed = None, state
        start = state_or_seed(state, seed)
        super().__init__(seed if isinstance(seed, ISeedSequence) else SeedSequence([*start.ravel().tolist(), lane]))
        compiled = only_compiled("dmlrand.kernels.bitgen")
        self._memory = np.zeros((), compiled.layout)
        self._memory["refill"] = compiled.refill.address
        self._place(start, lane)
        # bitgen_t of numpy/random/bitgen.h begins with pointers: the state, next_uint64, next_uint32, next_double and
        # next_raw. They are written over those of the base class, so all of its methods work unchanged.
        bitgen = _capsule_pointer(self.capsule, b"BitGenerator")  # type: ignore[attr-defined]
        (ctypes.c_void_p * 5).from_address(bitgen)[:] = [self._memory.ctypes.data, *compiled.callbacks]

    @property  # type: ignore[override]  # NumPy's stub says Mapping
    def state(self) -> dict[str, Any]:
        """The position as a dict: `state`, the six words of the block that holds the next word, and its `lane`.

        Set it to go to another position.
        """
        with self.lock:
            state, lane = self._position()
        return {"bit_generator": NAME, "state": state, "lane": lane}

    @state.setter
    def state(self, value: Any) -> None:
        remedy = "Pass a dict from .state."
        name, state, lane = check_state_dict(value, ("bit_generator", "state", "lane"), remedy, "state")
        if name != NAME:
            raise ValueError(f"state must be the state of a {NAME}; got one of a {format_value(name)}. {remedy}")
        state, lane = check_state(state, 'state["state"]'), check_int(lane, 'state["lane"]', 0, 4)
        with self.lock:
            self._place(state, lane)

    def state_dict(self) -> dict[str, Any]:
        """`state` in plain ints, for JSON. Set `state` to it to go to that position.

        >>> PhiloxBitGenerator(seed=42, lane=1).state_dict()
        {'bit_generator': 'PhiloxBitGenerator', 'state': [0, 0, 0, 0, 42, 0], 'lane': 1}
        """
        position = self.state
        return {**position, "state": position["state"].ravel().tolist()}

    def advance(self, delta: int) -> PhiloxBitGenerator:
        """Advance in place by `delta` blocks of 4 words, not by draws, and return self. A negative int rewinds.

        The lane stays. Two draws of 64 bits are a block here; for NumPy's own Philox, four of them are one.
        """
        delta = check_int(delta, "delta")
        with self.lock:
            state, lane = self._position()
            self._place(advance_blocks(state, delta), lane)
        return self

    def jumped(self, jumps: int = 1) -> PhiloxBitGenerator:
        """A new bit generator, `jumps` ranges of 2**64 blocks further in the stream of the same key: dmlrand.jump."""
        return copy(self).advance(check_streams(jumps, "jumps") << 64)

    def __reduce__(self) -> tuple[Any, ...]:
        state = self.state
        # The last pair goes to __setstate__ of the base class, because only that method can set seed_seq.
        return type(self), (state["state"], state["lane"]), (state, self.seed_seq)

    def __repr__(self) -> str:
        state = self.state
        return f"{type(self).__name__}({state['state'].tolist()}, lane={state['lane']})"

    def _position(self) -> tuple[State, int]:
        """The state and the lane of the next word.

        Callers hold the lock. This method does not take it, because the lock of older NumPys is not reentrant.
        """
        memory = self._memory
        blocks, lane = divmod(int(memory["next"]) - memory["words"].size, 4)
        return advance_blocks(memory["state"], blocks), lane

    def _place(self, state: State, lane: int) -> None:
        """Go to a position, with an empty buffer."""
        self._memory["state"] = state.reshape(6)
        self._memory["next"] = self._memory["words"].size + lane
