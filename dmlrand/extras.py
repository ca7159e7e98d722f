"""The packages of the extras: what an error says where one is missing, or where one is broken."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


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
