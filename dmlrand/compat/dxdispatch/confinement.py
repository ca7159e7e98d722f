"""Confinement: a check that the files that a model names lie inside a folder."""

from __future__ import annotations

import os
from pathlib import Path

from ...files.names import quoted
from .json_reader import Node


def check_inside(node: Node, path: Path, folder: Path, name: str) -> None:
    """Raise a ModelError of `node` if the path lies outside the folder after `..` and symbolic links are resolved."""
    try:
        inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
    except (OSError, ValueError):  # not the name of a file, such as one with a NUL
        inside = False
    if not inside:
        raise node.error(
            f"must be inside {name}, {quoted(folder)}, because the run is confined",
            "Name a file inside it, or run without confine.",
        )
