"""The numbers that a fill writes: a distribution, its parameters and a dtype. specs/bulk.md, clauses 1.1 and 1.6"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import distributions
from ..arrays.arguments import check_choice, format_choices
from ..arrays.number_types import INTEGERS, check_dtype
from ..arrays.tensor import Shape
from ..messages import format_value
from ..number_rules import DISTRIBUTIONS
from ..operator import random_generator, random_window
from ..state import State

DTYPES = {  # by distribution. .npy files have no name for bfloat16
    "words": ("uint32",),
    **{name: tuple(each for each in row.dtypes if each != "bfloat16") for name, row in DISTRIBUTIONS.items()},
}
NAME_FOR = {kind: name for name in ("words", "uniform") for kind in DTYPES[name]}  # what a dtype alone asks for


class Distribution(NamedTuple):
    """A checked distribution. Its text, such as "uniform(low=0.0, high=1.0)", identifies it in a progress file."""

    name: str
    dtype: np.dtype[Any]
    bounds: dict[str, Any]

    def __str__(self) -> str:
        if self.name == "words":
            return self.name
        number = int if self.dtype.kind in "iu" else float  # repr of a float is exact and shows the sign of a zero
        return f"{self.name}({', '.join(f'{bound}={number(value)!r}' for bound, value in self.bounds.items())})"

    def fill(self, state: State, out: NDArray[Any], threads: int) -> None:
        """Write the first numbers of a state to `out`."""
        if self.name == "words":
            random_generator(state, out=out, threads=threads)
        else:
            self._draw(state, out=out, threads=threads)

    def window(self, state: State, shape: Shape, window: tuple[slice, ...], threads: int) -> NDArray[Any]:
        """The numbers of a window of a tensor."""
        if self.name == "words":
            return random_window(state, shape, window, threads=threads)
        return self._draw(state, shape=shape, window=window, threads=threads)

    def _draw(self, state: State, **options: Any) -> NDArray[Any]:
        types = dict.fromkeys(DISTRIBUTIONS[self.name].dtype_names, self.dtype)
        values: NDArray[Any] = getattr(distributions, self.name)(state, **self.bounds, **types, **options).values
        return values


def check_distribution(name: Any, dtype: Any, bounds: Mapping[str, Any]) -> Distribution:
    """The distribution that fill_file's arguments describe. A bound that is None is not given."""
    known = {bound for row in DISTRIBUTIONS.values() for bound in row.parameters}
    for bound in bounds.keys() - known:
        raise TypeError(
            f"fill_file() got an unexpected keyword argument '{bound}'. help(dmlrand.fill_file) lists the arguments."
        )
    bounds = {bound: value for bound, value in bounds.items() if value is not None}
    if name is None:
        name = _name_for(dtype)
    check_choice(name, "distribution", DTYPES)
    row = DISTRIBUTIONS.get(name)
    allowed = row.parameters if row else {}
    for bound, value in bounds.items():
        if bound not in allowed:
            takes = "takes " + format_choices(allowed, "and") if allowed else "takes no bounds"
            raise TypeError(
                f"{bound} must not be given with distribution {name!r}, which {takes}; got {format_value(value)}. "
                "Leave it out, or choose another distribution."
            )
    default = row.default_dtype if row else "uint32"
    checked = check_dtype(default if dtype is None else dtype, DTYPES[name])
    values = {**allowed, **bounds}
    if row:
        row.rule(*values.values(), *dict.fromkeys(row.dtype_names, checked).values())  # checks the values
    return Distribution(name, checked, values)


def _name_for(dtype: Any) -> str:
    """The distribution that a dtype asks for if none is named."""
    try:
        return NAME_FOR[check_dtype("uint32" if dtype is None else dtype, tuple(NAME_FOR)).name]
    except TypeError as error:
        raise TypeError(f"{error} distribution='integers' takes {format_choices(INTEGERS)}.") from None
