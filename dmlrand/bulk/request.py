"""What a fill is asked for: a state, a shape, and a distribution with its parameters and dtype."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..drawing.arguments import check_choice, format_choices
from ..drawing.number_rules import DISTRIBUTIONS, Distribution as Row
from ..drawing.number_types import check_dtype
from ..drawing.plan import WORDS, BoundRule, draw
from ..drawing.tensor import check_shape
from ..files import little_endian
from ..state import State, advance_blocks, blocks_for, check_state

FLUSH_BYTES = 256 << 20  # a fill flushes after each of these, and writes the next ones after that
HASHED_VALUES = 1 << 18  # at a time: the scratch of a hash fits in the caches
ROWS = {  # what a file can hold: words, and the numbers whose dtype has a name in .npy files
    "words": Row(lambda: WORDS, {}, ("uint32",)),
    **{
        name: row._replace(dtypes=tuple(kind for kind in row.dtypes if kind != "bfloat16"))
        for name, row in DISTRIBUTIONS.items()
    },
}


class Distribution(NamedTuple):
    """A checked distribution. Its text, such as "uniform(low=0.0, high=1.0)", stands in a Zarr array's attributes."""

    name: str
    parameters: dict[str, Any]
    rule: BoundRule

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.rule.dtype

    def __str__(self) -> str:
        if self.name == "words":
            return self.name
        number = int if self.dtype.kind in "iu" else float  # repr of a float is exact and shows the sign of a zero
        values = (f"{name}={number(value)!r}" for name, value in self.parameters.items())
        return f"{self.name}({', '.join(values)})"


def check_distribution(name: Any, dtype: Any, parameters: Mapping[str, Any]) -> Distribution:
    """The distribution that fill_file's arguments describe. A parameter that is None is not given."""
    if name is None:
        kind = check_dtype("uint32" if dtype is None else dtype, (*ROWS["words"].dtypes, *ROWS["uniform"].dtypes))
        name = "words" if kind == "uint32" else "uniform"
    row = ROWS[check_choice(name, "distribution", ROWS)]
    given = {each: value for each, value in parameters.items() if value is not None}
    for each in given.keys() - row.parameters.keys():
        takes = format_choices(row.parameters, "and") if row.parameters else "no parameters"
        raise TypeError(f"distribution {name!r} takes {takes}; got {each}. Leave it out.")
    kind = check_dtype(row.default_dtype if dtype is None else dtype, row.dtypes)
    values = {**row.parameters, **given}
    return Distribution(name, values, row.rule(*values.values(), *[kind] * len(row.dtype_names)))


class Request:
    """What a fill was asked for, checked."""

    def __init__(self, state: Any, shape: Any, distribution: Distribution) -> None:
        self.state: State = check_state(state)
        self.distribution, self.dtype = distribution, distribution.dtype
        self.shape = check_shape(shape, self.dtype.itemsize)
        self.total_bytes = math.prod(self.shape) * self.dtype.itemsize

    def sha256(self) -> str:
        """The SHA-256 of the values, little-endian, in row-major order. They are drawn again."""
        import hashlib

        digest, size = hashlib.sha256(), math.prod(self.shape)
        for first in range(0, size, HASHED_VALUES):
            digest.update(self.values(first, np.empty(min(HASHED_VALUES, size - first), self.dtype)))
        return digest.hexdigest()

    def values(self, first: int, out: NDArray[Any], threads: int = 1) -> memoryview:
        """Fill an array with the values from `first` on, a multiple of 4. Returns their bytes, little-endian."""
        draw(self.state_at(first), self.distribution.rule, None, None, out, threads)
        return little_endian(out).view(np.uint8).data

    def new_state(self) -> State:
        return self.state_at(math.prod(self.shape))

    def state_at(self, index: int) -> State:
        """The state from which the values from `index` on are drawn. `index` is a multiple of 4, or that of the end."""
        return advance_blocks(self.state, blocks_for(self.distribution.rule.words_read(index)))
