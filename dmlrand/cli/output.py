"""What commands print: errors, progress, and the JSON object of --json. specs/cli.md describes its members."""

from __future__ import annotations

import json
import signal
import sys
import time
from datetime import timedelta
from typing import Any

from ..state import State, counter_of, key_of

INTERRUPTED = 128 + signal.SIGINT  # the exit code after Ctrl-C


def progress_on_terminal(label: str) -> Any:
    """A function of the done and the total work that shows a percentage and the time left on stderr, if that is a
    terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return lambda done, total=1: None
    first: tuple[float, float] | None = None  # when the work began, and how much was done then by an earlier process

    def show(done: float, total: float = 1) -> None:
        nonlocal first
        now = time.monotonic()
        began, before = first = first or (now, done)
        percent, left = 100 * done / total if total else 100, ""
        if before < done < total:
            left = f", {timedelta(seconds=round((now - began) * (total - done) / (done - before)))} left"
        end = "\n" if done >= total else ""
        print(f"\r{label}{percent:3.0f} %{left:<24}", end=end, file=sys.stderr, flush=True)

    return show


def print_json(subject: str, members: dict[str, Any]) -> None:
    """Print one JSON object. `subject` says what it is, such as "place"; the schema of each has version 1."""
    print(json.dumps({"format": f"dmlrand {subject}", "version": 1, **members}))


def state_members(state: State) -> dict[str, Any]:
    """A state: its two integers, and its words for programs whose integers have at most 53 bits."""
    return {"counter": counter_of(state), "key": key_of(state), "words": state.ravel().tolist()}
