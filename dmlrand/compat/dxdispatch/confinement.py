"""Files that a model names, kept inside a folder."""

from __future__ import annotations

import os
from pathlib import Path

from ...files.names import quoted
from .json_reader import Node


def check_inside(node: Node, path: Path, folder: Path, name: str) -> None:
    """Raise ModelError, with the place of `node`, for a path that leaves the folder, by .. or by symbolic links too."""
    rule = f"must lie inside {name}, {quoted(folder)}, as the run is confined"
    remedy = "Name a file inside, or run without confine."
    try:
        inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
    except (OSError, ValueError):  # no name of a file, such as one with a NUL
        inside = False
    if not inside:
        raise node.error(rule, remedy)
