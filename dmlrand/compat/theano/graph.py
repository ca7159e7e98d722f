"""The symbolic layer: results, how each is computed from others, and the order in which to compute a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ...drawing.messages import missing_attribute
from ...drawing.tensor import check_sizes
from ..shared import check_reals, read_sizes

# Names that are not here, and what to write instead.
_OTHER_DRAWS = ("integers", "permutation", "choice", "shuffle", "multinomial", "poisson")
ABSENT = {
    "In": "Compile without it, then set fn.state[v.rng] to a state.",
    "new_rng": "A compiled function stores the state after each draw itself.",
    **dict.fromkeys(("eq", "neq"), "Compare the arrays that the call of the function returns."),
    **dict.fromkeys(_OTHER_DRAWS, "Draw with dmlrand or numpy.random, and pass the values as an Input."),
}


class Symbolic:
    """Results and owners of random ops. A copy would use the same generators, so it is the same object."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    if not TYPE_CHECKING:  # hidden from type checkers, which would take every misspelt name for an attribute

        def __getattr__(self, name: str) -> Any:
            raise missing_attribute(self, name, ABSENT.get(name, ""))


class Result(Symbolic, NDArrayOperatorsMixin):
    """A value that a compiled function will compute, as function of this module shows. Python's operators, numpy's
    ufuncs and .shape make new Results, by numpy's arithmetic. `a == b` is True only if a and b are the same Result."""

    def __init__(self, name: str, inputs: Sequence[Result] = ()) -> None:
        self.name = name
        self.inputs = tuple(inputs)

    @property
    def shape(self) -> Result:
        """The sizes, as a symbolic vector of int64. It can be the shape of a random result."""
        return Apply("shape", _shape_of, [self])

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *operands: Any, out: Any = None) -> Any:
        """What an operator calls: `out` is the left operand of += and others, which become a new Result."""
        if method != "__call__":
            return NotImplemented
        return Apply(ufunc.__name__, ufunc, [as_result(operand, "operand") for operand in operands])

    __eq__, __ne__, __hash__ = object.__eq__, object.__ne__, object.__hash__

    def __bool__(self) -> bool:
        rule = "a symbolic result has no truth value"
        raise TypeError(f"{rule}; got {self!r}. Compile it with function and test the value that the call returns.")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


class Input(Result):
    """An argument of a compiled function, as function of this module shows: a real number or an array of them, of any
    shape. Errors show `name`."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"name must be a str; got {name!r} of type {type(name).__name__}.")
        super().__init__(name)


class Constant(Result):
    def __init__(self, value: Any) -> None:
        super().__init__("constant")
        self.value = value


class Apply(Result):
    """`compute` applied to the values of `inputs`. `compute` is a function of a module, so that it can be pickled."""

    def __init__(self, name: str, compute: Callable[..., Any], inputs: Sequence[Result]) -> None:
        super().__init__(name, inputs)
        self.compute = compute


def as_result(value: Any, name: str) -> Result:
    """`value` itself if it is symbolic, otherwise a Constant with a copy of it."""
    if isinstance(value, Result):
        return value
    value = check_value(value, name)
    return Constant(value.copy() if isinstance(value, np.ndarray) else value)


def check_value(value: Any, name: str) -> Any:
    """`value` as a number or an array. Python numbers are not converted, so that they take the other operand's type."""
    return value if isinstance(value, (bool, int, float)) else check_reals(value, name, kinds="biuf")


def in_order(outputs: Sequence[Result]) -> list[Result]:
    """Every result that the outputs need, each once and after its inputs. Does not recurse, because graphs may be
    deeper than Python's stack."""
    inputs: dict[Result, tuple[Result, ...]] = {}
    found = list(outputs)
    for result in found:
        if result not in inputs:
            inputs[result] = result.inputs
            found += result.inputs  # the loop reaches them later
    return list(TopologicalSorter(inputs).static_order())


def read_shape(shape: Any) -> Result:
    """The argument shape of a distribution as a Result whose value is a tuple of sizes. Known sizes are checked now."""
    sizes = [shape] if isinstance(shape, Result) else shape
    if isinstance(sizes, (tuple, list)):
        if any(isinstance(size, Result) for size in sizes):
            check_sizes([0 if isinstance(size, Result) else size for size in sizes])
            return Apply("shape", _sizes, [size if isinstance(size, Result) else Constant(size) for size in sizes])
        if not sizes:
            return Constant(())  # a scalar
    return Constant(check_sizes(sizes))


def _sizes(*values: Any) -> tuple[int, ...]:
    """The sizes in one value, an integer or a vector, or in several integers."""
    return read_sizes(values[0] if len(values) == 1 else values)


def _shape_of(value: Any) -> Any:
    return np.array(np.shape(value), np.int64)
