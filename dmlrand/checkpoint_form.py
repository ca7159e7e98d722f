"""The JSON form of what a checkpoint holds: states, Streams, arrays of states, and nested mappings of these.

specs/checkpoint.md, section 1, defines the form. A value is written in one form, and no other form is read. Stream is
imported where it is used, because a process that loads only states needs none of its modules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .arrays.interchange import read_array
from .messages import format_value
from .state import UINT32, State, check_state, counter_of, key_of, make_state

MAX_NESTING = 100  # mappings in mappings; Python's reader of JSON accepts more


def check_saved(value: Any, name: str, depth: int = 0) -> Any:
    """`value` as it will be loaded: a state, an array of states, a Stream, or a dict of these."""
    if isinstance(value, Mapping):
        if depth > MAX_NESTING:
            raise ValueError(f"states must be nested at most {MAX_NESTING} deep; got more. Nest them less deeply.")
        for key in value:
            if not isinstance(key, str):
                raise TypeError(
                    f"{name} must have names of type str; got {format_value(key)}. Use str({format_value(key)})."
                )
        return {key: check_saved(item, f"{name}[{key!r}]", depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        for item in value:
            if not hasattr(item, "__index__") or np.ndim(item):
                raise _cannot_save(name, f"a {type(value).__name__} with {format_value(item)}")
        return check_state(value, name)
    array = read_array(value, name)
    if array is not None:
        return array if array.dtype == UINT32 and array.shape[1:] == (6,) else check_state(value, name)
    from .stream import Stream

    if isinstance(value, Stream):
        return value
    raise _cannot_save(name, format_value(value))


def _cannot_save(name: str, got: str) -> TypeError:
    return TypeError(
        f"{name} must be a state, a Stream, an array of states of shape (n, 6), or a mapping of names to these; got "
        f"{got}. For a list of states, pass numpy.stack(states). For a list of Streams, pass "
        "{str(i): stream for i, stream in enumerate(streams)}. Other values belong in metadata."
    )


def is_state(value: Any) -> bool:
    """Whether a checked value is one state. An array of states has 6 words only if it is a state too."""
    return isinstance(value, np.ndarray) and value.size == 6


def version_needed(named: dict[str, Any]) -> int:
    """The oldest version of the form that has all of these values: 1 for a dict of states, else 2."""
    return 1 if all(map(is_state, named.values())) else 2


def encode_saved(value: Any) -> dict[str, Any]:
    """The JSON form of a checked value."""
    if isinstance(value, dict):
        return {"states": {name: encode_saved(item) for name, item in value.items()}}
    if is_state(value):
        return {**_hexadecimal(value), "sizes": list(value.shape)}
    if isinstance(value, np.ndarray):
        rows = [_hexadecimal(row) for row in value]
        return {"counters": [row["counter"] for row in rows], "keys": [row["key"] for row in rows]}
    position = value.state_dict()  # of a Stream: both members at once, because another thread may draw
    return {**_hexadecimal(position["state"]), "lane": position["lane"]}


def _hexadecimal(state: Any) -> dict[str, str]:
    return {"counter": f"0x{counter_of(state):032x}", "key": f"0x{key_of(state):016x}"}


def decode_saved(entry: Any, name: str, depth: int = 0) -> Any:
    """The value of a JSON form. ValueError, which calls the value `name`, for every form that is not written."""
    try:
        if isinstance(entry, dict) and entry.keys() == {"states"} and isinstance(entry["states"], dict):
            if depth == MAX_NESTING:
                raise ValueError(f"it is nested more than {MAX_NESTING} deep")
            nested = entry["states"].items()
        else:
            return _decode_leaf(entry)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"does not hold a valid state under {name} ({error})") from None
    return {key: decode_saved(item, f"{name}[{key!r}]", depth + 1) for key, item in nested}


def _decode_leaf(entry: Any) -> Any:
    value: Any
    if "counters" in entry:
        rows = [_state(*numbers) for numbers in zip(entry["counters"], entry["keys"], strict=True)]
        value = np.array(rows, UINT32).reshape(-1, 6)
    elif "lane" in entry:
        from .stream import Stream

        value = Stream(_state(entry["counter"], entry["key"]), entry["lane"])
    else:
        value = check_state(_state(entry["counter"], entry["key"]).reshape(entry["sizes"]))
    # Python also reads forms that are never written: 0X2A, full-width digits, sizes of -1, null or true.
    written = encode_saved(value)
    if entry != written:
        raise ValueError(f"it must be written as {written}; got {entry}")
    return value


def _state(counter: Any, key: Any) -> State:
    return make_state(counter=int(counter, 16), key=int(key, 16))
