"""What every picture shares: the name and the package it needs, a style of its own, and a file replaced as a whole.

The same figure gives the same file, whatever the user's matplotlib settings and whenever it is drawn.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..imports import extra_needed
from .atomic_write import check_target, replacing
from .names import quoted

FORMATS = ("png", "svg", "pdf")
UNDATED = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def check_plot(path: str | os.PathLike[str]) -> str:
    """The picture's format, from the name of its file.

    Raises ValueError for a name of no known format, ImportError without matplotlib, and what check_target raises:
    call it before long work.
    """
    suffix = os.path.splitext(path)[1][1:]
    if suffix not in FORMATS:
        raise ValueError(f"the plot's name must end in .{', .'.join(FORMATS)}; got {quoted(path)}.")
    with extra_needed("plots need", "matplotlib", "plot"):
        import matplotlib  # noqa: F401
    check_target(path)
    return suffix


@contextmanager
def plain_style() -> Iterator[None]:
    """matplotlib as it is without anyone's settings, and with names in .svg files that do not change."""
    import matplotlib
    from matplotlib import style

    with style.context("default"), matplotlib.rc_context({"svg.hashsalt": "dmlrand"}):
        yield


def save_figure(path: str | os.PathLike[str], figure: Any, dpi: int) -> None:
    """Write the figure to a .png, .svg or .pdf."""
    format = check_plot(path)
    with plain_style(), replacing(path) as file:
        figure.savefig(file, format=format, dpi=dpi, metadata=UNDATED[format])
