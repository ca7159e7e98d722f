"""Figures in files: formats, the package matplotlib, a fixed style, and atomic writes.

The same figure gives the same file at any time, with any matplotlib settings of the user.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...files import check_target, quoted, replacing
from ...imports import extra_needed

METADATA: dict[str, dict[str, None]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}  # no dates


def check_plot(path: str | os.PathLike[str]) -> str:
    """The format of a figure, from the name of its file. Call this before long work.

    Raises ValueError for a name of another format, ImportError without matplotlib, and the errors of check_target.
    """
    suffix = os.path.splitext(path)[1][1:]
    if suffix not in METADATA:
        raise ValueError(f"the plot's name must end in .png, .svg or .pdf; got {quoted(path)}. Name such a file.")
    with extra_needed("plots need", "matplotlib", "plot"):
        import matplotlib  # noqa: F401
    check_target(path)
    return suffix


@contextmanager
def default_style() -> Iterator[None]:
    """matplotlib without the user's settings, and with fixed names inside .svg files."""
    import matplotlib
    from matplotlib import style

    with style.context("default"), matplotlib.rc_context({"svg.hashsalt": "dmlrand"}):
        yield


def save_figure(path: str | os.PathLike[str], figure: Any, dpi: int) -> None:
    """Write the figure to a .png, .svg or .pdf."""
    format = check_plot(path)
    with default_style(), replacing(path) as file:
        figure.savefig(file, format=format, dpi=dpi, metadata=METADATA[format])
