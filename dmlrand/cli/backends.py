"""`dmlrand backends`: which backends can run here, and which extras are installed."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from .json_object import add_json, print_json
from .parser import Commands, add_command


def add(commands: Commands) -> None:
    backends = add_command(
        commands,
        "backends",
        help="show which backends can run here, which extras are installed, and how to get the others",
        example="dmlrand backends",
    )
    add_json(backends)
    backends.set_defaults(run=_backends)


def _backends(options: argparse.Namespace) -> None:
    from .backend_search import find_backends, find_extras

    if options.json:
        found = {"backends": find_backends(), "extras": find_extras()}
        print_json("backends", {kind: [row._asdict() for row in rows] for kind, rows in found.items()})
        return
    _print_table("BACKEND", find_backends())
    print()
    _print_table("EXTRA", find_extras())


def _print_table(title: str, rows: Iterable[tuple[str, bool, str]]) -> None:
    print(f"{title:<12}{'STATUS':<9}DETAILS")
    for name, ready, details in rows:
        print(f"{name:<12}{'ready' if ready else 'missing':<9}{details}", flush=True)
