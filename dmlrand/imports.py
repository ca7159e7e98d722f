"""Imports at first use: attributes of a package, and packages of the extras with an error that says what to install."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any


def lazy_attributes(
    package: str, homes: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The functions `__getattr__` and `__dir__` of a package.

    `homes` maps each module of the package that may be used without an import statement to the names that the package
    offers from that module.
    """
    module_of = {name: module for module, names in homes.items() for name in names}

    def __getattr__(name: str) -> Any:
        if name in module_of:
            value = getattr(import_module(f"{package}.{module_of[name]}"), name)
        elif name in homes:
            value = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)  # later uses find it without this function
        return value

    def __dir__() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes, *module_of})

    return __getattr__, __dir__


@contextmanager
def extra_needed(need: str, package: str, extra: str, module: str | None = None) -> Iterator[None]:
    """Import a package of an extra inside this: a failure becomes an ImportError that says what to do.

    Parameters
    ----------
    need : str
        What needs the package, with its verb: "plots need".
    package, extra : str
        The name that pip knows the package by, and the extra of dmlrand that installs it.
    module : str, optional
        The name that it is imported by, where that is another.
    """
    try:
        yield
    except ImportError as error:
        missing = (error.name or "").partition(".")[0]
        if isinstance(error, ModuleNotFoundError) and missing == (module or package):
            problem, remedy = "is not installed", f"Install it: pip install 'dmlrand[{extra}]'."
        else:
            problem = f"is installed but cannot be imported ({error})"
            remedy = f"Repair it: pip install --force-reinstall {package}."
        raise ImportError(f"{need} {package}, which {problem}. {remedy}") from error
