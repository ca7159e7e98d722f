"""Functions with the parameters of each distribution, for other places than one state in the CPU's memory.

The modules batch, dask and cuda draw the distributions of number_rules.py. Each module says how it draws. The names,
parameters and defaults of its functions come from the table.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, TypeVar

from .number_rules import DISTRIBUTIONS
from .plan import BoundRule

Result = TypeVar("Result")


def derive(
    module: str,
    first: str,
    draw: Callable[[str, dict[str, Any]], Result],
    text: str,
    options: dict[str, Any],
    kind: Any = Parameter.KEYWORD_ONLY,
) -> dict[str, Callable[..., Result]]:
    """A function for each distribution, by name.

    A function takes `first`, shape, the parameters of the distribution, its dtype if it has several, and the options,
    which are parameters of `kind`. It calls draw(name, arguments), with all arguments by name. `text` is its help, in
    which {name} and {example} stand for the distribution and for parameters that it can have.
    """
    made = {}
    for name, row in DISTRIBUTIONS.items():
        usual = {"shape": None} | row.parameters | dict.fromkeys(row.dtype_names, row.default_dtype)
        signature = Signature(
            [
                Parameter(first, Parameter.POSITIONAL_OR_KEYWORD),
                *(Parameter(each, Parameter.POSITIONAL_OR_KEYWORD, default=value) for each, value in usual.items()),
                *(Parameter(each, kind, default=value) for each, value in options.items()),
            ]
        )
        made[name] = _function(module, name, signature, draw)
        example = "".join(f", {value}" for value in row.example)
        made[name].__doc__ = text.replace("{name}", name).replace("{example}", example)
    return made


def bind_rule(name: str, arguments: dict[str, Any]) -> BoundRule:
    """The rule of a distribution for the arguments of a derived function."""
    row = DISTRIBUTIONS[name]
    return row.rule(*(arguments[each] for each in (*row.parameters, *row.dtype_names)))


def _function(
    module: str, name: str, signature: Signature, draw: Callable[[str, dict[str, Any]], Result]
) -> Callable[..., Result]:
    def function(*positional: Any, **named: Any) -> Result:
        try:
            bound = signature.bind(*positional, **named)
        except TypeError as error:
            raise TypeError(f"{name}(): {error}. help({module}.{name}) lists the arguments.") from None
        bound.apply_defaults()
        return draw(name, bound.arguments)

    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function
