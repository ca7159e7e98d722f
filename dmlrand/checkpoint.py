"""Save and load named states, Streams and bit generators: JSON with a checksum, or one bare tensor in a .npy file.

specs/checkpoint.md defines the form of the file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .bit_generator import PhiloxBitGenerator
from .drawing.messages import format_value
from .drawing.position import SharedPosition
from .files import JsonError, decode_json, encode_json, in_native_order, quoted, replacing, save_array
from .state import UINT32, State, StateLike, check_state, counter_of, key_of, make_state, read_words
from .stream import Stream

FORMAT = "dmlrand checkpoint"
VERSIONS = (1, 2, 3)
DEFAULT_NAME = "state"  # for a state that was saved without a name


class Checkpoint(NamedTuple):
    """What load_checkpoint returns, as save_checkpoint of this module shows.

    Each state is a uint32 array, a Stream, a PhiloxBitGenerator or a dict of these.
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
    version, entry = _encode(states if isinstance(states, Mapping) else {DEFAULT_NAME: states}, "states")
    if os.fspath(path).endswith(".npy"):
        if len(entry["states"]) != 1 or version != 1 or metadata is not None:
            raise ValueError(f"a .npy file holds one state and no metadata; got more for {quoted(path)}. Use .json.")
        (state,) = _decode(entry).values()
        with replacing(path) as file:
            save_array(file, state)
        return
    data = encode_json(FORMAT, version, {**entry, "metadata": _check_metadata(metadata)})
    with replacing(path) as file:
        file.write(data)


def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a file that save_checkpoint wrote, as save_checkpoint of this module shows.

    Arrays keep their shapes, Streams and bit generators their positions.

    Raises
    ------
    CheckpointError (a ValueError)
        The file is truncated, changed, of another format, version or algorithm, or holds no state.
    OSError
        The file cannot be read.
    """
    name = os.fspath(path)
    try:
        if name.endswith(".npy"):
            tensor = np.load(name, mmap_mode="r")  # a memory map: a large file of values is not read
            state = np.array(check_state(in_native_order(tensor), "the tensor"))
            if os.path.getsize(name) != tensor.offset + state.nbytes:  # the header is damaged
                raise ValueError("more bytes follow the tensor")
            return Checkpoint({DEFAULT_NAME: state}, None)
        members = decode_json(Path(name).read_bytes(), FORMAT, *VERSIONS)
        return Checkpoint(_decode(members), members["metadata"])
    except OSError:
        raise
    except Exception as error:  # of any kind, from numpy's reader or of a forged file
        remedy = "Pass a file that save_checkpoint or `dmlrand state new` wrote"
        problem = error if isinstance(error, JsonError) else f"does not hold valid states ({error!r}). {remedy}."
        raise CheckpointError(f"{quoted(name)} {problem}") from None


def is_state(value: Any) -> bool:
    """Whether a checked value is one state. An array of states has 6 words only if it is a state too."""
    return isinstance(value, np.ndarray) and value.size == 6


def _check_metadata(metadata: Any) -> dict[str, Any] | None:
    """The metadata as a dict, if JSON returns it unchanged."""
    try:
        copied = None if metadata is None else dict(metadata)
        read = json.loads(json.dumps(copied, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"metadata must be a mapping of plain JSON values; {error}. Convert them first.") from None
    if read != copied:
        raise TypeError(
            f"metadata must be returned by JSON unchanged; got {format_value(copied)}, which becomes "
            f"{format_value(read)}. Use str keys, and lists instead of tuples."
        )
    return copied


def _encode(value: Any, name: str) -> tuple[int, dict[str, Any]]:
    """The oldest version that has the form of a value, and its JSON form. A mapping needs version 2 if it is nested."""
    if isinstance(value, Mapping):
        entries, version = {}, 1
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{name} must have names of type str; got {format_value(key)}. Use str.")
            needed, entries[key] = _encode(item, f"{name}[{key!r}]")
            version = max(version, needed, 2 if "states" in entries[key] else 1)
        return version, {"states": entries}
    if isinstance(value, np.random.Generator):
        value = value.bit_generator
    if isinstance(value, Stream | PhiloxBitGenerator):
        position = value.state_dict()  # all at once, because another thread may draw
        return 3 if "bit_generator" in position else 2, {**_hexadecimal(position.pop("state")), **position}
    if isinstance(value, list | tuple) and all(isinstance(word, int | np.integer) for word in value):
        value = check_state(value, name)
    allowed = "a state, a Stream, a PhiloxBitGenerator, an array of states, or a mapping of names to these"
    remedy = "For a list of states, pass numpy.stack(states). Other values belong in metadata."
    array = read_words(value, name, allowed, remedy)
    if array.size != 6 and array.shape[1:] == (6,):
        rows = [_hexadecimal(row) for row in array]
        return 2, {"counters": [row["counter"] for row in rows], "keys": [row["key"] for row in rows]}
    return 1, {**_hexadecimal(check_state(array, name)), "sizes": list(array.shape)}


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
        return PhiloxBitGenerator(state, entry["lane"])
    if "lane" in entry:
        return Stream(state, entry["lane"])
    return check_state(state.reshape(entry["sizes"]))


def _state(counter: Any, key: Any) -> State:
    return make_state(counter=int(counter, 16), key=int(key, 16))
