"""Functions with the parameters of each distribution, for other places than one state in the CPU's memory.

The modules batch, dask and cuda draw the distributions of number_rules.py. Each module says how it draws by a rule. The
names, parameters and defaults of its functions come from the table.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, TypeVar

from .arrays.number_types import check_dtype
from .number_rules import DISTRIBUTIONS

Result = TypeVar("Result")


def derive(
    module: str,
    first: str,
    draw: Callable[..., Result],
    text: str,
    options: dict[str, Any],
    kind: Any = Parameter.KEYWORD_ONLY,
    without: tuple[str, ...] = (),
) -> dict[str, Callable[..., Result]]:
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
    signature = Signature(
        [
            Parameter(first, Parameter.POSITIONAL_OR_KEYWORD),
            *(
                Parameter(each, Parameter.POSITIONAL_OR_KEYWORD, default=value)
                for each, value in ({"shape": None} | usual).items()
            ),
            *(Parameter(each, kind, default=value) for each, value in options.items()),
        ]
    )

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
