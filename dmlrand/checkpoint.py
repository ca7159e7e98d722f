"""Save and load named states, Streams and bit generators: JSON with a checksum, or one bare tensor in a .npy file.

specs/checkpoint.md defines the form of the file. Modules that `import dmlrand` does not need are imported where they
are used.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .arrays.interchange import read_array
from .drawing.position import SharedPosition
from .files import (
    JsonError,
    decode_json,
    encode_json,
    in_native_order,
    load_array,
    missing_file,
    quoted,
    read_file,
    replacing,
    save_array,
)
from .messages import format_value
from .state import UINT32, State, StateLike, check_state, counter_of, key_of, make_state

FORMAT = "dmlrand checkpoint"
VERSIONS = (1, 2, 3)
DEFAULT_NAME = "state"  # for a state that was saved without a name


class Checkpoint(NamedTuple):
    """What load_checkpoint returns. Each state is a uint32 array, a Stream, a PhiloxBitGenerator or a dict of these.

    >>> from dmlrand import make_state
    >>> states, metadata = Checkpoint({"dropout": make_state(key=42)}, {"epoch": 3})
    >>> states["dropout"], metadata["epoch"]
    (array([ 0,  0,  0,  0, 42,  0], dtype=uint32), 3)
    """

    states: dict[str, Any]
    metadata: dict[str, Any] | None


class CheckpointError(ValueError):
    """A file is not a valid checkpoint. The message says which rule it breaks and what to do.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".json") as file:
    ...     try:
    ...         load_checkpoint(file.name)
    ...     except CheckpointError as error:
    ...         print(str(error).replace(file.name, "rng.json"))
    'rng.json' is not complete JSON (Expecting value: line 1 column 1 (char 0)). It was truncated or is another file.
    """


def save_checkpoint(
    path: str | os.PathLike[str],
    states: StateLike | SharedPosition[Any] | np.random.BitGenerator | np.random.Generator | Mapping[str, Any],
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Write states to a file. At every instant the path holds the complete old file or the complete new one.

    Parameters
    ----------
    path : path
        `*.npy` stores one bare uint32 state tensor. Every other name stores JSON.
    states : state, Stream, PhiloxBitGenerator or array of states of shape (n, 6); or a mapping of names to these
        A mapping may hold further mappings. A single value gets the name "state". A numpy.random.Generator is saved as
        its PhiloxBitGenerator. A bit generator's position is saved and its seed_seq is not, so after a load `spawn`
        gives other children.
    metadata : mapping, optional
        Values that JSON returns unchanged: str keys; str, int, finite float, bool, None, lists and dicts of these.

    Raises
    ------
    OSError
        The file could not be written. The old file is unchanged.

    Examples
    --------
    >>> import tempfile
    >>> from dmlrand import Stream
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     states = {"model": {"dropout": Stream(seed=1)}, "order": Stream(seed=2)}
    ...     save_checkpoint(folder + "/rng.json", states, {"epoch": 3})
    ...     load_checkpoint(folder + "/rng.json")
    Checkpoint(states={'model': {'dropout': Stream([0, 0, 0, 0, 1, 0], lane=0)}, \
'order': Stream([0, 0, 0, 0, 2, 0], lane=0)}, metadata={'epoch': 3})
    """
    checked = _check_saved(states, "states")
    named = checked if isinstance(checked, dict) else {DEFAULT_NAME: checked}
    if not _is_npy(path):
        members = {"states": _encode(named)["states"], "metadata": _check_metadata(metadata)}
        data = encode_json(FORMAT, _version_needed(members["states"]), members)
    elif len(named) != 1 or metadata is not None or not is_state(*named.values()):
        raise ValueError(
            f"a .npy checkpoint holds one state of 6 words and no metadata; got more for {quoted(path)}. Use a .json "
            "path."
        )
    with replacing(path) as file:
        if _is_npy(path):
            save_array(file, *named.values())
        else:
            file.write(data)


def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a file that save_checkpoint wrote.

    The states are a dict of what was saved: uint32 arrays in their shapes, Streams and bit generators at their
    positions, and dicts of these.

    Raises
    ------
    CheckpointError (a ValueError)
        The file is truncated, changed, of another format, version or algorithm, or holds no state.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from dmlrand import make_state, save_checkpoint
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_checkpoint(folder + "/rng.json", make_state(key=42), {"step": 100})
    ...     states, metadata = load_checkpoint(folder + "/rng.json")
    >>> states["state"], metadata
    (array([ 0,  0,  0,  0, 42,  0], dtype=uint32), {'step': 100})
    """
    name = os.fspath(path)  # not an int, which `open` takes for an open file and closes
    try:
        data = read_file(name, 0 if _is_npy(path) else None)  # a .npy file is mapped into memory below
    except FileNotFoundError:
        raise missing_file(name, "write the file with save_checkpoint.") from None
    if _is_npy(path):
        return Checkpoint({DEFAULT_NAME: _read_npy(name)}, None)
    try:
        members = decode_json(data, FORMAT, *VERSIONS)
        return Checkpoint(_decode(members), members["metadata"])
    except JsonError as error:
        raise CheckpointError(f"{quoted(name)} {error}") from None
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise CheckpointError(f"{quoted(name)} does not hold valid states ({error!r}). Restore a copy.") from None


def is_state(value: Any) -> bool:
    """Whether a checked value is one state. An array of states has 6 words only if it is a state too."""
    return isinstance(value, np.ndarray) and value.size == 6


def _is_npy(path: str | os.PathLike[str]) -> bool:
    return os.fspath(path).endswith(".npy")


def _check_saved(value: Any, name: str) -> Any:
    """`value` as it will be loaded: a state, an array of states, a Stream, a bit generator, or a dict of these."""
    from .bit_generator import PhiloxBitGenerator
    from .stream import Stream

    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(
                    f"{name} must have names of type str; got {format_value(key)}. Use str({format_value(key)})."
                )
        return {key: _check_saved(item, f"{name}[{key!r}]") for key, item in value.items()}
    if isinstance(value, np.random.Generator):
        value = value.bit_generator
    if isinstance(value, Stream | PhiloxBitGenerator):
        return value
    is_list = isinstance(value, list | tuple)
    if is_list and all(hasattr(item, "__index__") and not np.ndim(item) for item in value):
        return check_state(value, name)
    array = None if is_list else read_array(value, name)
    if array is None:
        raise TypeError(
            f"{name} must be a state, a Stream, a PhiloxBitGenerator, an array of states of shape (n, 6), or a mapping "
            f"of names to these; got {format_value(value)}. For a list of states, pass numpy.stack(states), for other "
            "lists {str(i): each for i, each in enumerate(values)}. Other values belong in metadata."
        )
    return array if array.dtype == UINT32 and array.shape[1:] == (6,) else check_state(array, name)


def _check_metadata(metadata: Any) -> dict[str, Any] | None:
    """The metadata as a dict, if JSON returns it unchanged."""
    if metadata is None:
        return None
    if not isinstance(metadata, Mapping):
        raise TypeError(f"metadata must be a mapping or None; got {type(metadata).__name__}. Pass a dict.")
    import json

    copied = dict(metadata)
    try:
        read = json.loads(json.dumps(copied, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"metadata must be plain JSON values; {error}. Convert them first.") from None
    if read != copied:
        raise TypeError(
            f"metadata must be returned by JSON unchanged; got {format_value(copied)}, which becomes "
            f"{format_value(read)}. Use str keys, and lists instead of tuples."
        )
    return copied


def _version_needed(entries: dict[str, Any]) -> int:
    """The oldest version that has these forms: 3 for a bit generator, 1 if all are states of no mapping, else 2."""
    nested = [_version_needed(entry["states"]) for entry in entries.values() if "states" in entry]
    if 3 in nested or any("bit_generator" in entry for entry in entries.values()):
        return 3
    return 1 if all("sizes" in entry for entry in entries.values()) else 2


def _encode(value: Any) -> dict[str, Any]:
    """The JSON form of a checked value."""
    if isinstance(value, dict):
        return {"states": {name: _encode(item) for name, item in value.items()}}
    if is_state(value):
        return {**_hexadecimal(value), "sizes": list(value.shape)}
    if isinstance(value, np.ndarray):
        rows = [_hexadecimal(row) for row in value]
        return {"counters": [row["counter"] for row in rows], "keys": [row["key"] for row in rows]}
    position = value.state_dict()  # of a Stream or a bit generator: all at once, because another thread may draw
    kind = {"bit_generator": position["bit_generator"]} if "bit_generator" in position else {}
    return {**_hexadecimal(position["state"]), "lane": position["lane"], **kind}


def _hexadecimal(state: Any) -> dict[str, str]:
    return {"counter": f"0x{counter_of(state):032x}", "key": f"0x{key_of(state):016x}"}


def _decode(entry: Any) -> Any:
    """The value of a JSON form. Forms that _encode does not write raise an error or are read in the obvious way."""
    if "states" in entry:
        return {name: _decode(item) for name, item in entry["states"].items()}
    if "counters" in entry:
        rows = [_state(*numbers) for numbers in zip(entry["counters"], entry["keys"], strict=True)]
        return np.array(rows, UINT32).reshape(-1, 6)
    state = _state(entry["counter"], entry["key"])
    if "bit_generator" in entry:
        from .bit_generator import PhiloxBitGenerator

        return PhiloxBitGenerator(state, entry["lane"])
    if "lane" in entry:
        from .stream import Stream

        return Stream(state, entry["lane"])
    return check_state(state.reshape(entry["sizes"]))


def _state(counter: Any, key: Any) -> State:
    return make_state(counter=int(counter, 16), key=int(key, 16))


def _read_npy(path: str) -> State:
    try:
        values = load_array(path)  # a memory map: a large file of values is not read
        state = np.array(check_state(in_native_order(values), "the tensor"))
        if os.path.getsize(path) != values.offset + state.nbytes:
            raise ValueError("more bytes follow the tensor")
        return state
    except Exception as error:  # numpy does not catch the errors of zipfile, tokenize and the allocator
        problem = str(error).rstrip(".")
        remedy = "Pass a state: uint32 of sizes {1, .., 1, 6}, as save_checkpoint and `dmlrand state new` write it."
        raise CheckpointError(f"{quoted(path)} does not hold a state ({problem}). {remedy}") from None
