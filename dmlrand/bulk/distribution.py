"""The numbers that a fill writes: a distribution, its bounds and a dtype. specs/bulk.md, clauses 1.1 and 1.6"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.arguments import check_choice, format_choices
from ..arrays.number_types import INTEGERS, check_dtype
from ..arrays.tensor import Shape
from ..distributions import integers, normal, uniform
from ..messages import format_value
from ..operator import random_generator, random_window
from ..state import State, make_state

FLOATS = ("float16", "float32", "float64")  # .npy files have no name for bfloat16
WORDS = ("uint32",)


class _Kind(NamedTuple):
    """A function of distributions.py and the arguments that it takes."""

    draw: Callable[..., Any]
    dtypes: tuple[str, ...]
    default_dtype: str
    bounds: dict[str, Any]  # with their default values


_KINDS = {
    "uniform": _Kind(uniform, FLOATS, "float32", {"low": 0.0, "high": 1.0}),
    "integers": _Kind(integers, INTEGERS, "int32", {"low": None, "high": None}),
    "normal": _Kind(normal, FLOATS, "float32", {"mean": 0.0, "stddev": 1.0}),
}
NAMES = ("words", *_KINDS)


class Distribution(NamedTuple):
    """A checked distribution. Its text, such as "uniform(low=0.0, high=1.0)", identifies it in a progress file."""

    name: str
    dtype: np.dtype[Any]
    bounds: dict[str, Any]

    def __str__(self) -> str:
        if self.name == "words":
            return self.name
        number = int if self.name == "integers" else float  # repr of a float is exact and shows the sign of a zero
        return f"{self.name}({', '.join(f'{bound}={number(value)!r}' for bound, value in self.bounds.items())})"

    def fill(self, state: State, out: NDArray[Any], threads: int) -> None:
        """Write the first numbers of a state to `out`."""
        if self.name == "words":
            random_generator(state, out=out, threads=threads)
        else:
            _KINDS[self.name].draw(state, dtype=self.dtype, out=out, threads=threads, **self.bounds)

    def window(self, state: State, shape: Shape, window: tuple[slice, ...], threads: int) -> NDArray[Any]:
        """The numbers of a window of a tensor."""
        if self.name == "words":
            return random_window(state, shape, window, threads=threads)
        draw = _KINDS[self.name].draw
        values: NDArray[Any] = draw(
            state, shape, dtype=self.dtype, window=window, threads=threads, **self.bounds
        ).values
        return values


def check_distribution(name: Any, dtype: Any, bounds: Mapping[str, Any]) -> Distribution:
    """The distribution that fill_file's arguments describe. `bounds` holds the given ones."""
    if name is None:
        name = _name_for(dtype)
    check_choice(name, "distribution", NAMES)
    kind = _KINDS.get(name)
    allowed = kind.bounds if kind else {}
    for bound, value in bounds.items():
        if bound not in allowed:
            takes = f"takes {' and '.join(allowed)}" if allowed else "takes no bounds"
            raise TypeError(
                f"{bound} must not be given with distribution {name!r}, which {takes}; got {format_value(value)}. "
                "Leave it out, or choose another distribution."
            )
    if kind is None:
        return Distribution(name, check_dtype("uint32" if dtype is None else dtype, WORDS), {})
    checked = check_dtype(kind.default_dtype if dtype is None else dtype, kind.dtypes)
    values = {**kind.bounds, **bounds}
    kind.draw(make_state(), 0, dtype=checked, **values)  # the function itself checks its bounds
    return Distribution(name, checked, values)


def _name_for(dtype: Any) -> str:
    """The distribution that a dtype asks for if none is named."""
    try:
        kind = check_dtype("uint32" if dtype is None else dtype, (*WORDS, *FLOATS))
    except TypeError as error:
        raise TypeError(f"{error} distribution='integers' takes {format_choices(INTEGERS)}.") from None
    return "words" if kind.name in WORDS else "uniform"
