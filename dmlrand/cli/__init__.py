"""The command `dmlrand`: it reads arguments and calls the library. Each command or family of commands has a module.

Exit codes: 0 success; 1 a failed verification; 2 bad input, with one line on stderr; 3 a fault of dmlrand; 130 an
interrupt; 141 work that ended early because the reader of stdout has gone. If the reader goes after the work is done,
the exit code stays. specs/cli.md has the rules.
"""

from __future__ import annotations

from collections.abc import Sequence

from .signals import INTERRUPTED


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    try:
        from .command_line import run_command_line  # slow to import, so that Ctrl-C may come meanwhile

        return run_command_line(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
