"""Outputs: what the draws of numbers return."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from ..state import State

Values = TypeVar("Values", covariant=True)


class Outputs(NamedTuple, Generic[Values]):
    """The values of a draw, and the state after the whole tensor.

    `values` is an array of NumPy, of Dask or of a device, as the function says. `state` is a uint32 array of NumPy in
    the shape of the argument. random_generator leaves it None if output_state is False.

    >>> from dmlrand import make_state, uniform
    >>> values, state = uniform(make_state(key=42), 2)
    >>> values, state
    (array([0.8354591, 0.9162973], dtype=float32), array([ 1,  0,  0,  0, 42,  0], dtype=uint32))
    """

    values: Values
    state: State
