"""Save and load named states: readable JSON with a checksum, or one bare tensor in a .npy file.

The file's form is the contract of specs/checkpoint.md. What only files need is imported where it is used, since
`import dmlrand` should cost little more than `import numpy`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import IO, Any, NamedTuple

import numpy as np

from .files.atomic_write import in_native_order, open_to_read, replacing, save_array
from .files.checksummed_json import DocumentError, read_document, write_document
from .files.names import quoted
from .state import State, StateLike, check_state, counter_of, key_of, make_state

FORMAT = "dmlrand checkpoint"
VERSION = 1
MAX_NPY_BYTES = 4096  # many times what a state takes; a file of values is not read whole to be refused
SINGLE = "state"  # the name of a state that was saved without one


class Checkpoint(NamedTuple):
    """What load_checkpoint returns."""

    states: dict[str, State]
    metadata: dict[str, Any] | None


class CheckpointError(ValueError):
    """A file is no checkpoint this library can trust. The message says which rule it breaks and what to do."""


def save_checkpoint(
    path: str | os.PathLike[str],
    states: StateLike | Mapping[str, StateLike],
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Write states to a file so that, whatever happens, the old file or the new one is there whole.

    Parameters
    ----------
    path : path
        `*.npy` stores one bare uint32 state tensor, as DxDispatch reads it; every other name stores JSON.
    states : array_like of uint32, shape (6,) or (1, ..., 1, 6); or a mapping of names to such states
        One state alone gets the name "state".
    metadata : mapping, optional
        Anything JSON keeps as it is: str keys; str, int, finite float, bool, None, lists and dicts of these.

    Raises
    ------
    TypeError, ValueError
        states or metadata break a rule above; the file is untouched.
    OSError
        The file could not be written; the old one is untouched.

    Examples
    --------
    >>> import tempfile
    >>> from dmlrand import make_state
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_checkpoint(folder + "/rng.json", {"dropout": make_state(counter=324855, key=42)}, {"epoch": 3})
    ...     load_checkpoint(folder + "/rng.json")
    Checkpoint(states={'dropout': array([324855,      0,      0,      0,     42,      0], dtype=uint32)}, \
metadata={'epoch': 3})
    """
    named = _check_states(states)
    if _is_npy(path):
        content = _one_bare_state(path, named, metadata)
        with replacing(path) as file:
            save_array(file, content)
        return
    plain = _check_metadata(metadata)
    entries = {name: _entry(state) for name, state in named.items()}
    try:
        data = write_document(FORMAT, VERSION, {"states": entries, "metadata": plain})
    except RecursionError as error:
        raise TypeError(f"metadata must be plain JSON values; {error}. Nest them less deeply.") from None
    except UnicodeEncodeError as error:
        raise ValueError(
            f"states and metadata must hold text that UTF-8 can encode; got {error.object[error.start]!r}, half of a "
            "surrogate pair. Replace it, as text.encode('utf-8', 'replace') does."
        ) from None
    with replacing(path) as file:
        file.write(data)


def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read what save_checkpoint wrote.

    Returns
    -------
    Checkpoint(states, metadata)
        states maps names to uint32 arrays in the shapes they were saved in; a `.npy` file holds one, "state".

    Raises
    ------
    CheckpointError (a ValueError)
        The file is truncated, changed, of another format, version or algorithm, or holds no state.
    OSError
        The file cannot be read.
    """
    name = os.fspath(path)  # an int would be taken for an open file, and closed
    with open(name, "rb", opener=open_to_read) as file:
        if _is_npy(path):
            return Checkpoint({SINGLE: _read_npy(path, file)}, None)
        data = file.read()
    try:
        # Not from a function below: what save_checkpoint could write, however deep, fits into this stack.
        members = read_document(data, FORMAT, VERSION)
    except DocumentError as error:
        raise CheckpointError(f"{quoted(name)} {error}") from None
    return Checkpoint(_read_states(path, members.get("states")), _read_metadata(path, members))


def _is_npy(path: str | os.PathLike[str]) -> bool:
    return os.fspath(path).endswith(".npy")


def _check_states(states: Any) -> dict[str, State]:
    if not isinstance(states, Mapping):
        return {SINGLE: check_state(states, "states")}
    for name in states:
        if not isinstance(name, str):
            raise TypeError(f"states must have names of type str; got {name!r}. Use str({name!r}).")
    return {name: check_state(state, f"states[{name!r}]") for name, state in states.items()}


def _one_bare_state(path: Any, named: dict[str, State], metadata: Any) -> State:
    if len(named) != 1 or metadata is not None:
        raise ValueError(
            f"a .npy checkpoint holds one state and no metadata; got {len(named)} state{'s' * (len(named) != 1)}"
            f"{'' if metadata is None else ' and metadata'} for {quoted(path)}. Use a .json path."
        )
    return next(iter(named.values()))


def _check_metadata(metadata: Any) -> dict[str, Any] | None:
    """The metadata, if JSON gives back just what it was given."""
    if metadata is None:
        return None
    if not isinstance(metadata, Mapping):
        raise TypeError(f"metadata must be a mapping or None; got {type(metadata).__name__}.")
    import json

    plain = dict(metadata)
    try:
        back = json.loads(json.dumps(plain, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"metadata must be plain JSON values; {error}. Convert them first.") from None
    if back != plain:
        raise TypeError(f"metadata must come back from JSON unchanged; got {plain!r}, which becomes {back!r}.")
    return plain


def _entry(state: State) -> dict[str, Any]:
    """How the JSON form writes a state, and the only form that is read."""
    return {"counter": f"0x{counter_of(state):032x}", "key": f"0x{key_of(state):016x}", "sizes": list(state.shape)}


def _read_states(path: Any, states: Any) -> dict[str, State]:
    if not isinstance(states, dict):
        raise _refusal(path, 'has no "states"', "Restore a copy")
    return {name: _read_state(path, name, entry) for name, entry in states.items()}


def _read_metadata(path: Any, members: dict[str, Any]) -> dict[str, Any] | None:
    metadata = members.get("metadata")
    if not isinstance(metadata, dict | None) or members.keys() != {"states", "metadata"}:
        problem = 'must have the members "states" and "metadata", an object or null, and no other'
        raise _refusal(path, problem, "Restore a copy")
    return metadata


def _read_state(path: Any, name: str, entry: Any) -> State:
    try:
        state = check_state(
            make_state(counter=int(entry["counter"], 16), key=int(entry["key"], 16)).reshape(entry["sizes"])
        )
        # Python reads more than is ever written: 0X2A, full-width digits, sizes of -1, null or true.
        written = _entry(state)
        if entry != written:
            raise ValueError(f"it must be written as {written}; got {entry}")
        return state
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise _refusal(path, f"holds no valid state under {name!r} ({error})", "Restore a copy") from None


def _read_npy(path: Any, file: IO[bytes]) -> State:
    import io

    try:
        data = io.BytesIO(file.read(MAX_NPY_BYTES))
        state = check_state(in_native_order(np.load(data, allow_pickle=False)), "the tensor")
        if data.read(1):
            raise ValueError("more bytes follow the tensor")
        return state
    except Exception as error:  # numpy's reader lets through what zipfile, tokenize and the allocator raise
        remedy = "Pass a state: uint32 of sizes {1, .., 1, 6}, as save_checkpoint and `dmlrand state new` write it"
        raise _refusal(path, _values_held(path) or f"holds no state ({error})", remedy) from None


def _values_held(path: Any) -> str | None:
    """What to say of an array, given for a state by mistake; None for any other file. It is not read whole."""
    try:
        values = np.load(path, mmap_mode="r", allow_pickle=False)
        values = values.view(values.dtype.newbyteorder("="))  # any words will do
        try:
            check_state(values)
        except (TypeError, ValueError):
            counter = values.dtype == np.uint32 and values.size == 4
            why = " (a counter without its key: append the key's two words)" if counter else ""
            return f"holds {values.dtype} of shape {values.shape}, and no state{why}"
    except Exception:  # as above
        pass
    return None


def _refusal(path: Any, problem: str, remedy: str) -> CheckpointError:
    return CheckpointError(f"{quoted(path)} {problem}. {remedy}.")
