"""What the command line draws into files: words, and the report of verify. Needs matplotlib, the extra `plot`."""

from __future__ import annotations

import os
from typing import Any

from ...drawing.imports import extra_needed
from ...files import check_target, quoted, replacing


def check_plot(path: str | os.PathLike[str]) -> str:
    """The format of a figure, from the name of its file. Call this before long work.

    Raises ValueError for a name of another format, ImportError without matplotlib, and the errors of check_target.
    """
    suffix = os.path.splitext(path)[1][1:]
    if suffix not in ("png", "svg", "pdf"):
        raise ValueError(f"the plot's name must end in .png, .svg or .pdf; got {quoted(path)}. Name such a file.")
    with extra_needed("plots need", "matplotlib", "plot"):
        import matplotlib  # noqa: F401
    check_target(path)
    return suffix


def save_figure(path: str | os.PathLike[str], figure: Any, dpi: int) -> None:
    """Write the figure to a .png, .svg or .pdf, which is replaced only when the new one is complete."""
    format = check_plot(path)
    with replacing(path) as file:
        figure.savefig(file, format=format, dpi=dpi)
