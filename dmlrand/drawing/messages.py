"""What errors and warnings share: values written short, the line that a warning names, and missing attributes."""

import sys
from reprlib import Repr
from typing import Any

MAX_CHARACTERS = 200  # of a value
MAX_INT_BITS = 1024

_short = Repr()
_short.maxlevel = 3
_short.maxlist = _short.maxtuple = _short.maxset = _short.maxfrozenset = _short.maxdeque = _short.maxdict = 10
_short.maxstring = _short.maxlong = _short.maxother = MAX_CHARACTERS


def format_value(value: Any) -> str:
    """`value` as errors write it: its repr, without most items of a large container, which may be slow to write."""
    if isinstance(value, int) and value.bit_length() > MAX_INT_BITS:  # Python writes no integers of thousands of digits
        return f"an int of {value.bit_length()} bits"
    try:
        text = _short.repr(value)
    except ValueError:  # such an integer in a container
        return f"a {type(value).__name__}"
    return text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}..."


def level_of_user() -> int:
    """The stacklevel by which the caller's warning names the line of the user: the first one outside of dmlrand."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == __name__.partition(".")[0]:
        level, frame = level + 1, frame.f_back
    return level


def missing_attribute(holder: object, name: str, remedy: str = "") -> AttributeError:
    """The error for an attribute that `holder` lacks, with what to write instead."""
    message = f"{type(holder).__name__!r} object has no attribute {name!r}"
    return AttributeError(f"{message}. {remedy}" if remedy else message, name=name, obj=holder)
