"""What differs between operating systems and processors in tests: marks whose reason each use gives, and exit codes."""

import os
import sys

import pytest

POSIX = os.name == "posix"
OTHER_ORDER = ">" if sys.byteorder == "little" else "<"  # the byte order that the machine has not
KILLED = -9 if POSIX else 1  # the exit code of a process that kill() ended


def is_wine():
    """Whether Windows is imitated here by Wine."""
    if sys.platform != "win32":
        return False
    import ctypes

    return hasattr(ctypes.WinDLL("ntdll"), "wine_get_version")


def posix(reason):
    """A test that needs what POSIX alone has, which the reason names."""
    return pytest.mark.skipif(not POSIX, reason=f"POSIX only: {reason}")


def windows(reason):
    """A test of a rule that Windows alone has, which the reason names."""
    return pytest.mark.skipif(POSIX, reason=f"Windows only: {reason}")


def not_on_wine(reason):
    """A test that fails for want of what Wine lacks, which the reason names."""
    return pytest.mark.skipif(is_wine(), reason=f"Wine: {reason}")


def text(output):
    """What a process printed, with the \\n that it wrote: Windows makes \\r\\n of it."""
    return output if POSIX or output is None else output.replace(b"\r\n", b"\n")
