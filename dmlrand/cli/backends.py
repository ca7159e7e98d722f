"""`dmlrand backends`: which backends can run here."""

from __future__ import annotations

import argparse

from .json_object import add_json, print_json
from .parser import Commands, add_command


def add(commands: Commands) -> None:
    backends = add_command(
        commands,
        "backends",
        help="show which backends can run here, and how to get the others",
        example="dmlrand backends",
    )
    add_json(backends)
    backends.set_defaults(run=_backends)


def _backends(options: argparse.Namespace) -> None:
    from ..backends import find_backends

    if options.json:
        print_json("backends", {"backends": [backend._asdict() for backend in find_backends()]})
        return
    print(f"{'BACKEND':<9}{'STATUS':<9}DETAILS")
    for name, ready, details in find_backends():
        print(f"{name:<9}{'ready' if ready else 'missing':<9}{details}", flush=True)
