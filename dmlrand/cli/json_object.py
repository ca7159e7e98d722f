"""The option --json of commands: one JSON object for programs, in place of text. specs/cli.md, clause 19."""

from __future__ import annotations

import argparse
import json
from typing import Any

from ..state import State, counter_of, key_of


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")


def print_json(subject: str, members: dict[str, Any]) -> None:
    """Print one JSON object. `subject` says what it is, such as "place"; the schema of each has version 1."""
    print(json.dumps({"format": f"dmlrand {subject}", "version": 1, **members}))


def state_members(state: State) -> dict[str, Any]:
    """A state: its two integers, and its words for programs whose integers have at most 53 bits."""
    return {"counter": counter_of(state), "key": key_of(state), "words": state.ravel().tolist()}
