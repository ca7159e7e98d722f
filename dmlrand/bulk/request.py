"""What a fill was asked for: everything that its values depend on."""

from __future__ import annotations

import math
from typing import Any

from ..arrays.number_types import words_per_number
from ..arrays.tensor import check_shape
from ..state import State, advance_blocks, blocks_for, check_state, counter_of, key_of
from .distribution import Distribution


class Request:
    """The state, the shape and the distribution of a fill, checked."""

    def __init__(self, state: Any, shape: Any, distribution: Distribution) -> None:
        self.state: State = check_state(state)
        self.distribution, self.dtype = distribution, distribution.dtype
        self.shape = check_shape(shape, self.dtype.itemsize)
        self.value_count = math.prod(self.shape)
        self.total_bytes = self.value_count * self.dtype.itemsize

    def new_state(self) -> State:
        """The state after all values, in the shape of the given state."""
        return self.state_before(self.value_count)

    def state_before(self, index: int) -> State:
        """The state from which the values from `index` on are drawn. `index` is a multiple of 4, or the number of
        all."""
        return advance_blocks(self.state, blocks_for(index * words_per_number(self.dtype)))

    def members(self) -> dict[str, Any]:
        """The members of the progress file that say which fill it is."""
        return {
            "counter": f"0x{counter_of(self.state):032x}",
            "key": f"0x{key_of(self.state):016x}",
            "shape": list(self.shape),
            "dtype": self.dtype.name,
            "distribution": str(self.distribution),
            "bytes": self.total_bytes,
        }
