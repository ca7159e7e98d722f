"""Save and load named states and Streams: readable JSON with a checksum, or one bare tensor in a .npy file.

specs/checkpoint.md defines the form of the file. checkpoint_form.py reads and writes the form of a state. json and io
are imported where they are used, because `import dmlrand` should cost little more than `import numpy`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from .checkpoint_form import check_saved, decode_saved, encode_saved, is_state, version_needed
from .files.atomic_write import replacing
from .files.checksummed_json import JsonError, decode_json, encode_json
from .files.errors import RefusedFileError, missing_file
from .files.names import quoted
from .files.npy import in_native_order, load_array, save_array
from .files.opening import read_at_most
from .messages import format_value
from .position import SharedPosition
from .state import State, StateLike, check_state

FORMAT = "dmlrand checkpoint"
VERSIONS = (1, 2)
MAX_BYTES = 1 << 28  # of a checkpoint: over two million states, and a limit for the memory that a wrong file takes
MAX_NPY_BYTES = 4096  # many times the size of a state; a large file of values is refused without reading all of it
DEFAULT_NAME = "state"  # for a state that was saved without a name


class Checkpoint(NamedTuple):
    """What load_checkpoint returns. Each of the states is a uint32 array, a Stream or a dict of these.

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
    states: StateLike | SharedPosition[Any] | Mapping[str, Any],  # a Stream is a SharedPosition
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Write states to a file. At every instant the path holds the complete old file or the complete new one.

    Parameters
    ----------
    path : path
        `*.npy` stores one bare uint32 state tensor. Every other name stores JSON.
    states : state, Stream or array of states of shape (n, 6); or a mapping of names to these
        A mapping may hold further mappings. A single value gets the name "state".
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
    data = encode_checkpoint(path, states, metadata)
    with replacing(path) as file:
        file.write(data)


def encode_checkpoint(path: str | os.PathLike[str], states: Any, metadata: Mapping[str, Any] | None) -> bytes:
    """The bytes that save_checkpoint writes to `path`."""
    import io

    checked = check_saved(states, "states")
    named = checked if isinstance(checked, dict) else {DEFAULT_NAME: checked}
    if _is_npy(path):
        file = io.BytesIO()
        save_array(file, _one_bare_state(path, named, metadata))
        return file.getvalue()
    members = {"states": encode_saved(named)["states"], "metadata": _check_metadata(metadata)}
    try:
        data = encode_json(FORMAT, version_needed(named), members)
    except RecursionError as error:
        raise TypeError(f"metadata must be plain JSON values; {error}. Nest them less deeply.") from None
    except UnicodeEncodeError as error:
        raise ValueError(
            f"states and metadata must hold text that UTF-8 can encode; got {error.object[error.start]!r}, half of a "
            "surrogate pair. Replace it, as text.encode('utf-8', 'replace') does."
        ) from None
    if len(data) > MAX_BYTES:
        raise ValueError(
            f"states and metadata must take at most {MAX_BYTES:,} bytes as JSON; got {len(data):,} for {quoted(path)}. "
            "Save them in several files."
        )
    return data


def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a file that save_checkpoint wrote.

    The states are a dict of what was saved: uint32 arrays in their shapes, Streams at their positions, and dicts of
    these.

    Raises
    ------
    CheckpointError (a ValueError)
        The file is truncated, changed, of another format, version or algorithm, or holds no state. It is a pipe or a
        device, or has more than 2**28 bytes.
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
        data = read_at_most(name, MAX_NPY_BYTES if _is_npy(path) else MAX_BYTES)
    except FileNotFoundError:
        raise missing_file(name, "write the file with save_checkpoint.") from None
    except RefusedFileError as error:
        raise CheckpointError(str(error)) from None
    if _is_npy(path):
        return Checkpoint({DEFAULT_NAME: _read_npy(path, data)}, None)
    if len(data) > MAX_BYTES:
        raise _error(path, f"has more than {MAX_BYTES:,} bytes, the limit of a checkpoint", "Name another file")
    try:
        # Called here and not in a helper function: each call takes one level of the nesting that the reader accepts,
        # and it must accept every nesting that save_checkpoint can write.
        members = decode_json(data, FORMAT, *VERSIONS)
    except JsonError as error:
        raise CheckpointError(f"{quoted(name)} {error}") from None
    try:
        return _decode(members)
    except ValueError as error:
        raise _error(path, str(error), "Restore a copy") from None


def _is_npy(path: str | os.PathLike[str]) -> bool:
    return os.fspath(path).endswith(".npy")


def _one_bare_state(path: Any, named: dict[str, Any], metadata: Any) -> State:
    """The only one of these states, if a .npy file can hold what is saved."""
    if len(named) == 1 and metadata is None:
        (state,) = named.values()
        if is_state(state):
            return state  # type: ignore[no-any-return]
        holds = "one state of 6 words"
        got = f"an array of shape {state.shape}" if isinstance(state, np.ndarray) else f"a {type(state).__name__}"
    else:
        holds = "one state and no metadata"
        got = f"{len(named)} state{'s' * (len(named) != 1)}{'' if metadata is None else ' and metadata'}"
    raise ValueError(f"a .npy checkpoint holds {holds}; got {got} for {quoted(path)}. Use a .json path.")


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


def _decode(members: dict[str, Any]) -> Checkpoint:
    """What the members of a file hold. ValueError says what is wrong with the file."""
    states, metadata, version = members.get("states"), members.get("metadata"), members["version"]
    if not isinstance(states, dict):
        raise ValueError('has no "states"')
    states = {name: decode_saved(entry, repr(name)) for name, entry in states.items()}
    if not isinstance(metadata, dict | None) or members.keys() != {"version", "states", "metadata"}:
        raise ValueError('must have the members "states" and "metadata", an object or null, and no other')
    if version != version_needed(states):
        raise ValueError(f"has version {version}, but its states are written with version {version_needed(states)}")
    return Checkpoint(states, metadata)


def _read_npy(path: Any, data: bytearray) -> State:
    import io

    try:
        file = io.BytesIO(data)
        state = check_state(in_native_order(load_array(file)), "the tensor")
        if file.read(1):
            raise ValueError("more bytes follow the tensor")
        return state
    except Exception as error:  # numpy does not catch the errors of zipfile, tokenize and the allocator
        remedy = "Pass a state: uint32 of sizes {1, .., 1, 6}, as save_checkpoint and `dmlrand state new` write it"
        raise _error(path, _describe_array(path) or f"does not hold a state ({error})", remedy) from None


def _describe_array(path: Any) -> str | None:
    """The problem of a file whose array is not a state, for the error; None for any other file."""
    with suppress(Exception):  # as above
        values = load_array(os.fspath(path))  # its header alone, because the array can be large
        values = values.view(values.dtype.newbyteorder("="))  # a state may have either byte order
        try:
            check_state(values)
        except (TypeError, ValueError):
            counter = values.dtype == np.uint32 and values.size == 4
            why = " (a counter without its key: append the key's two words)" if counter else ""
            return f"holds {values.dtype} of shape {values.shape}, which is not a state{why}"
    return None


def _error(path: Any, problem: str, remedy: str) -> CheckpointError:
    return CheckpointError(f"{quoted(path)} {problem}. {remedy}.")
