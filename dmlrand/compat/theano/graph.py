"""The symbolic layer: results that know how they are computed, and an order to compute them in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


class Result:
    """A value that a compiled function will compute. Makes further Results by + - * / //, comparisons and .shape.

    The arithmetic is numpy's: operands broadcast, and Python numbers take the type of the other operand.
    Equality of values is `eq(a, b)`; `a == b` asks whether they are one and the same Result.
    """

    __array_ufunc__ = None  # so that `array * result` comes to our __rmul__ instead of numpy's loop over elements

    def __init__(self, name: str, inputs: Sequence[Result] = ()) -> None:
        self.name = name
        self.inputs = tuple(inputs)

    @property
    def shape(self) -> Result:
        """The sizes, as a symbolic vector of int64: may be the shape of another random result."""
        return Apply("shape", _shape_of, [self])

    def __add__(self, other: Any) -> Result:
        return _elementwise(np.add, self, other)

    def __radd__(self, other: Any) -> Result:
        return _elementwise(np.add, other, self)

    def __sub__(self, other: Any) -> Result:
        return _elementwise(np.subtract, self, other)

    def __rsub__(self, other: Any) -> Result:
        return _elementwise(np.subtract, other, self)

    def __mul__(self, other: Any) -> Result:
        return _elementwise(np.multiply, self, other)

    def __rmul__(self, other: Any) -> Result:
        return _elementwise(np.multiply, other, self)

    def __truediv__(self, other: Any) -> Result:
        return _elementwise(np.true_divide, self, other)

    def __rtruediv__(self, other: Any) -> Result:
        return _elementwise(np.true_divide, other, self)

    def __floordiv__(self, other: Any) -> Result:
        return _elementwise(np.floor_divide, self, other)

    def __rfloordiv__(self, other: Any) -> Result:
        return _elementwise(np.floor_divide, other, self)

    def __neg__(self) -> Result:
        return _elementwise(np.negative, self)

    def __lt__(self, other: Any) -> Result:
        return _elementwise(np.less, self, other)

    def __le__(self, other: Any) -> Result:
        return _elementwise(np.less_equal, self, other)

    def __gt__(self, other: Any) -> Result:
        return _elementwise(np.greater, self, other)

    def __ge__(self, other: Any) -> Result:
        return _elementwise(np.greater_equal, self, other)

    def __bool__(self) -> bool:
        raise TypeError(
            f"a symbolic result has no truth value; got {self!r}. Compile it with function and test what the call "
            "returns."
        )

    def __copy__(self) -> Result:
        return self  # a copied draw would be a second user of one generator

    def __deepcopy__(self, memo: Any) -> Result:
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


class Input(Result):
    """An argument of a compiled function: a real number or an array of them, of any shape.

    Parameters
    ----------
    name : str
        Stands in error messages.

    Examples
    --------
    >>> from dmlrand.compat.theano import function, random
    >>> n = Input("n")
    >>> function([n], random.uniform(shape=(n, 2)))(3).shape
    (3, 2)
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"name must be a str; got {name!r} of type {type(name).__name__}.")
        super().__init__(name)


class Constant(Result):
    """A value known when the graph is written."""

    def __init__(self, value: Any, name: str = "constant") -> None:
        super().__init__(name)
        self.value = value


class Apply(Result):
    """`compute`, a module's function so that it can be pickled, applied to the values of `inputs`."""

    def __init__(self, name: str, compute: Callable[..., Any], inputs: Sequence[Result]) -> None:
        super().__init__(name, inputs)
        self.compute = compute


def eq(a: Any, b: Any) -> Result:
    """Where a and b are equal, as a symbolic array of bool. Theano's name for it.

    a and b are real numbers, arrays or symbolic results of either; they broadcast.

    >>> from dmlrand.compat.theano import function
    >>> x = Input("x")
    >>> function([x], eq(x, 2))([1, 2]).tolist()
    [False, True]
    """
    return _elementwise(np.equal, a, b)


def neq(a: Any, b: Any) -> Result:
    """Where a and b differ, as a symbolic array of bool. Theano's name for it.

    a and b are real numbers, arrays or symbolic results of either; they broadcast.

    >>> from dmlrand.compat.theano import function
    >>> x = Input("x")
    >>> function([x], neq(x, 2))([1, 2]).tolist()
    [True, False]
    """
    return _elementwise(np.not_equal, a, b)


def as_result(value: Any, name: str) -> Result:
    """`value` itself if symbolic, else a Constant of a copy of it."""
    if isinstance(value, Result):
        return value
    value = check_value(value, name)
    if isinstance(value, np.ndarray):
        value = value.copy()
        value.flags.writeable = False
    return Constant(value)


def check_value(value: Any, name: str) -> Any:
    """`value` as a number or array. Python numbers stay what they are, for numpy lets them follow the other operand."""
    if isinstance(value, (bool, int, float)):
        return value
    try:
        array = np.asarray(value)
    except ValueError:  # lists of unequal lengths
        array = None
    if array is None or array.dtype.kind not in "biuf":
        kind = "a ragged list" if array is None else f"dtype {array.dtype}"
        raise TypeError(f"{name} must be a real number or an array of them; got {type(value).__name__} of {kind}.")
    return array


def in_order(outputs: Sequence[Result]) -> list[Result]:
    """Every result that outputs need, each once and after all it is computed from.

    Raises ValueError if a result is computed from itself. Not recursive: graphs may be deeper than Python's stack.
    """
    ordered: dict[Result, None] = {}
    path: dict[Result, None] = {}
    for output in outputs:
        stack = [(output, iter(output.inputs))]
        path[output] = None
        while stack:
            result, remaining = stack[-1]
            following = next((each for each in remaining if each not in ordered), None)
            if result in ordered or following is None:
                stack.pop()
                del path[result]
                ordered[result] = None
            elif following in path:
                around = list(path)
                around = [*around[around.index(following) :], following]
                cycle = " needs ".join(each.name for each in around)
                raise ValueError(f"the graph must have no cycle; got {cycle}. A result cannot be computed from itself.")
            else:
                stack.append((following, iter(following.inputs)))
                path[following] = None
    return list(ordered)


def _elementwise(ufunc: np.ufunc, *operands: Any) -> Result:
    return Apply(ufunc.__name__, ufunc, [as_result(operand, "operand") for operand in operands])


def _shape_of(value: Any) -> Any:
    return np.array(np.shape(value), np.int64)
