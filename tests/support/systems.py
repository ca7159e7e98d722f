"""Differences between operating systems and processors: marks for tests, the byte order, exit codes, ends of lines."""

import os
import sys

import pytest

POSIX = os.name == "posix"
OTHER_ORDER = ">" if sys.byteorder == "little" else "<"  # the byte order that this machine does not use
KILLED = -9 if POSIX else 1  # the exit code of a process that was ended by kill()


def is_wine():
    """Whether this is Wine, which imitates Windows."""
    if sys.platform != "win32":
        return False
    import ctypes

    return hasattr(ctypes.WinDLL("ntdll"), "wine_get_version")


def posix(reason):
    """Mark a test that needs a feature of POSIX. `reason` names the feature."""
    return pytest.mark.skipif(not POSIX, reason=f"POSIX only: {reason}")


def windows(reason):
    """Mark a test of a rule of Windows. `reason` names the rule."""
    return pytest.mark.skipif(POSIX, reason=f"Windows only: {reason}")


def not_on_wine(reason):
    """Mark a test that fails in Wine. `reason` names what Wine lacks."""
    return pytest.mark.skipif(is_wine(), reason=f"Wine: {reason}")


def text(output):
    """The output of a process with \\n at the end of each line. On Windows the process writes \\r\\n."""
    return output if POSIX or output is None else output.replace(b"\r\n", b"\n")
