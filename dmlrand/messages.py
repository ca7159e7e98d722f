"""Values in the messages of errors, which stay short for values of any size; and the line that a warning names."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import islice
from reprlib import Repr
from typing import Any

MAX_CHARACTERS = 200  # of a value
MAX_ITEMS = 10  # of a list, a tuple, a set or a mapping
MAX_INT_BITS = 1024


class _ShortRepr(Repr):
    """repr without most items of large containers, so that a list of a million tensors costs no time."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdeque = self.maxarray = MAX_ITEMS
        self.maxstring = self.maxother = MAX_CHARACTERS

    def repr_int(self, value: int, level: int) -> str:
        """Python refuses to write integers of thousands of digits."""
        return repr(value) if value.bit_length() <= MAX_INT_BITS else f"an int of {value.bit_length()} bits"

    def repr_dict(self, value: Mapping[Any, Any], level: int) -> str:
        """The first items in their order, which Repr would sort."""
        if level <= 0:
            return "{...}"
        items = [
            f"{self.repr1(key, level - 1)}: {self.repr1(item, level - 1)}"
            for key, item in islice(value.items(), MAX_ITEMS)
        ]
        return f"{{{', '.join(items + ['...'] * (len(value) > MAX_ITEMS))}}}"


_repr = _ShortRepr().repr


def format_value(value: Any) -> str:
    """`value` as errors write it: its repr, or the beginning of a long one."""
    text = _repr(value)
    return text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}..."


def level_of_user() -> int:
    """The stacklevel by which the caller's warning names the line of the user: the first one outside of dmlrand."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == __name__.partition(".")[0]:
        level, frame = level + 1, frame.f_back
    return level
