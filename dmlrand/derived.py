"""A function for each distribution, for batches of states, Dask arrays and GPUs.

The modules batch, dask, cuda and webgpu draw the distributions of number_rules.py. Each module says how it draws by a
rule. The names, parameters and defaults of its functions come from the table.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from math import prod
from typing import Any, TypeVar

from .arrays.number_types import check_dtype
from .arrays.tensor import Shape, check_sizes
from .arrays.window import consecutive_region, whole_region
from .number_rules import DISTRIBUTIONS
from .plan import BoundRule
from .state import State, advance_blocks, blocks_for, check_state

Result = TypeVar("Result")
_POSITIONAL = Parameter.POSITIONAL_OR_KEYWORD


def derive(
    module: str, first: str, draw: Callable[..., Result], text: str, options: dict[str, Any],
    kind: Any = Parameter.KEYWORD_ONLY, without: tuple[str, ...] = (),
) -> dict[str, Callable[..., Result]]:  # fmt: skip
    """A function for each distribution, by name.

    A function takes `first`, shape, the parameters of the distribution, its dtype if it has several, and the options,
    which are parameters of `kind`. It calls draw(name, rule, **given) with `first`, shape and the options. It refuses
    the dtypes `without`. `text` is its help, in which {name} and {example} stand for the distribution and for
    parameters that it can have.
    """
    return {name: _function(module, name, first, draw, text, options, kind, without) for name in DISTRIBUTIONS}


def _function(
    module: str, name: str, first: str, draw: Callable[..., Result], text: str, options: Any, kind: Any, without: Any
) -> Callable[..., Result]:
    row = DISTRIBUTIONS[name]
    usual = row.parameters | dict.fromkeys(row.dtype_names, row.default_dtype)
    parameters = [Parameter(first, _POSITIONAL)]
    parameters += [Parameter(each, _POSITIONAL, default=value) for each, value in ({"shape": None} | usual).items()]
    parameters += [Parameter(each, kind, default=value) for each, value in options.items()]
    signature = Signature(parameters)

    def function(*positional: Any, **named: Any) -> Result:
        try:
            bound = signature.bind(*positional, **named)
        except TypeError as error:
            raise TypeError(f"{name}(): {error}. help({module}.{name}) lists the arguments.") from None
        bound.apply_defaults()
        given = bound.arguments
        if without and row.dtype_names:
            given["dtype"] = check_dtype(given["dtype"], tuple(each for each in row.dtypes if each not in without))
        rule = row.rule(*(given.pop(each) for each in usual))
        return draw(name, rule, **given)

    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = text.replace("{name}", name).replace("{example}", "".join(f", {each}" for each in row.example))
    return function


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
