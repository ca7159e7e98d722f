"""Imports at first use: public names of a package, and third-party packages that dmlrand does not require."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pkgutil import get_data
from typing import Any


def names_in_stub(package: str) -> dict[str, list[str]]:
    """The modules that a package's stub, __init__.pyi, imports from, each with the names imported from it.

    A module that the stub imports as a whole, by `from . import module as module`, has no names.
    """
    names_of: dict[str, list[str]] = {}
    for node in ast.parse(get_data(package, "__init__.pyi") or b"").body:
        if isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
            names_of |= {node.module: names} if node.module else {module: [] for module in names}
    return names_of


def lazy_attributes(
    package: str, names_of: Mapping[str, Sequence[str]], absent: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The functions `__getattr__` and `__dir__` of a package that imports its modules at first use.

    `names_of` holds the modules that are attributes of the package, each with its names that are attributes too.
    `absent` holds names that users may expect, each with what to do instead, for the error.
    """
    module_of = {name: module for module, names in names_of.items() for name in names}

    def __getattr__(name: str) -> Any:
        if name not in module_of and name not in names_of:
            remedy = f". {absent[name]}" if absent and name in absent else ""
            raise AttributeError(f"module {package!r} has no attribute {name!r}{remedy}")
        import_module("numpy")  # two threads that begin with different modules of numpy can both fail
        module = import_module(f"{package}.{module_of.get(name, name)}")
        value = getattr(module, name) if name in module_of else module
        setattr(sys.modules[package], name, value)  # later uses find the attribute without this function
        return value

    def __dir__() -> list[str]:
        return sorted({*vars(sys.modules[package]), *names_of, *module_of})

    return __getattr__, __dir__


@contextmanager
def extra_needed(need: str, package: str, extra: str, module: str | None = None) -> Iterator[None]:
    """A context in which to import a third-party package. If that fails, an ImportError says what to do.

    `need` says what needs the package, with a verb: "plots need". `package` is pip's name of it, `extra` the extra of
    dmlrand that requires it, and `module` Python's name of it, if it differs. The error names the package first,
    because dmlrand is on no package index: pip cannot install dmlrand's extras by name.
    """
    try:
        yield
    except ImportError as error:
        missing = (error.name or "").partition(".")[0]
        if isinstance(error, ModuleNotFoundError) and missing == (module or package):
            problem = "is not installed"
            remedy = f"Install it: pip install {package}. The extra {extra!r} of dmlrand includes it."
        else:
            problem = f"is installed but cannot be imported ({error})"
            remedy = f"Repair it: pip install --force-reinstall {package}."
        raise ImportError(f"{need} {package}, which {problem}. {remedy}") from error
