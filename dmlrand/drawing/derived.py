"""What the draws of batches of states, Dask arrays and devices share: parameters by name, and parts of a tensor."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import prod
from typing import Any, ParamSpec, TypeVar

from ..state import State, advance_blocks, blocks_for, check_state
from .arguments import format_choices
from .number_rules import refuse_positional
from .plan import BoundRule
from .tensor import Shape, check_sizes
from .window import consecutive_region, whole_region

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def parameters_by_name(first: str) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """A decorator that refuses more arguments by position than `first` and shape, and shows the call to write."""

    def decorate(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        call = f"{function.__module__.removeprefix('dmlrand.')}.{function.__name__}"

        @wraps(function)
        def checked(*given: Arguments.args, **named: Arguments.kwargs) -> Result:
            if len(given) > 2:
                refuse_positional(call, (first, given[1]), given[2:])
            return function(*given, **named)

        return checked

    return decorate


def check_supported(rule: BoundRule, unsupported: tuple[str, ...], device: str) -> None:
    """Refuse the dtypes that the kernels of a device cannot draw."""
    if rule.dtype.name in unsupported:
        raise TypeError(
            f"dtype must not be {format_choices(unsupported)} {device}; got {rule.dtype}. Draw with dmlrand, or pass "
            "another dtype."
        )


def part_on_device(rule: BoundRule, state: Any, shape: Any, window: Any) -> tuple[State, int, Shape, State]:
    """The part of a tensor that a device draws: the whole tensor, or a window whose words are consecutive.

    Returns the state of its first block, how many numbers of that block come before it, its sizes, and the state after
    the whole tensor.
    """
    before, sizes = check_state(state), check_sizes(shape)
    region = whole_region(sizes) if window is None else consecutive_region(sizes, window)
    skipped_blocks, skipped_numbers = divmod(region.offset, 4 // rule.group_words * rule.group_numbers)
    after = advance_blocks(before, blocks_for(rule.words_read(prod(sizes))))
    return advance_blocks(before, skipped_blocks).reshape(6), skipped_numbers, region.sizes, after
