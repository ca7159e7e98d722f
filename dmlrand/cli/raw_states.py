"""States as six raw words: 24 bytes, little-endian, in a .bin, .dat or .raw file, as a device copies them out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..checkpoint import DEFAULT_NAME, Checkpoint, encode_checkpoint, load_checkpoint
from ..files import RAW_SUFFIXES, quoted, read_file, replacing
from ..state import StateLike, check_state

STATE_BYTES = 24


def load_state_file(path: str) -> Checkpoint:
    """The states of a raw file or a checkpoint. A checkpoint may have any name, so its first byte tells it apart."""
    if not path.endswith(RAW_SUFFIXES):
        return load_checkpoint(path)
    data = read_file(path, STATE_BYTES + 1)
    if data.startswith(b"{") and len(data) > STATE_BYTES:
        return load_checkpoint(path)
    if len(data) != STATE_BYTES:
        size = f"{len(data)} bytes" if len(data) < STATE_BYTES else "more"
        why = " (a counter without its key: append the key's two words)" if len(data) == 16 else ""
        raise ValueError(
            f"{quoted(path)} must hold a state, six little-endian uint32 words in {STATE_BYTES} bytes; "
            f"it holds {size}{why}."
        )
    words = np.frombuffer(data, "<u4").astype(np.uint32)
    return Checkpoint({DEFAULT_NAME: check_state(words)}, None)


def save_state_file(
    path: str, states: StateLike | Mapping[str, StateLike], metadata: Mapping[str, Any] | None = None
) -> None:
    """Write six raw words to a file with a raw name, unless the file is a checkpoint now, and else a checkpoint."""
    data = encode_state_file(path, states, metadata)
    with replacing(path) as file:
        file.write(data)


def encode_state_file(
    path: str, states: StateLike | Mapping[str, StateLike], metadata: Mapping[str, Any] | None = None
) -> bytes:
    """The bytes that save_state_file writes."""
    if not path.endswith(RAW_SUFFIXES) or (os.path.exists(path) and os.path.getsize(path) != STATE_BYTES):
        return encode_checkpoint(path, states, metadata)
    named = states if isinstance(states, Mapping) else {DEFAULT_NAME: states}
    if len(named) != 1 or metadata is not None:
        raise ValueError(f"{quoted(path)} can hold one state and no metadata, as raw words. Use a .json file.")
    (state,) = named.values()
    return check_state(state).ravel().astype("<u4").tobytes()
