"""The words of a dump: a .npy tensor, raw bytes, or text as a console prints it, from a file or from stdin."""

from __future__ import annotations

import io
import os
import re
import sys
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..drawing.arguments import check_int
from ..drawing.imports import extra_needed
from ..files import RAW_SUFFIXES, ZARR_SUFFIX, in_native_order, missing_file, quoted
from ..verification import NUMBERS
from ..verification.reading import unit_of
from .parser import RAW_TYPES, STDIN

NPY_MAGIC = b"\x93NUMPY"
TEXT_HEAD_BYTES = 1 << 12  # of a file that tell whether it is a text
TEXT = re.compile(rb"(?s)(?=.*[0-9])[0-9a-fA-FxXuU\s,;\[\](){}]+")  # digits and separators, and nothing else


class Dump(NamedTuple):
    """A dump. `values` is the tensor as far as it was demanded: uint32 words, or numbers. An element is one of them."""

    values: NDArray[Any]
    elements: int  # in the dump
    demanded: int  # elements
    loose_bytes: int  # after the last whole element of raw bytes

    @property
    def is_complete(self) -> bool:
        """Whether the dump has the size that it must have."""
        return self.elements == self.demanded and not self.loose_bytes

    def size_text(self) -> str:
        """What is wrong with the size, or nothing."""
        if self.is_complete:
            return ""
        unit = unit_of(self.values.dtype)
        loose = f" and {self.loose_bytes} byte{'s' * (self.loose_bytes > 1)}" if self.loose_bytes else ""
        return f"{self.elements:,} {unit}s{loose} instead of {self.demanded:,}"


def load_dump(
    path: str, dtype: str | None, shape: tuple[int, ...] | None, elements: int | None, is_drawn: bool = False
) -> Dump:
    """The words of a file, or of stdin for `-`. The demand for a size is a shape, a number of elements or None.

    `is_drawn`: the elements are numbers of a distribution, whose dtype is that of the elements.
    """
    if elements is not None:
        check_int(elements, "--words", 1)
    loaded, loose_bytes = _load(path, dtype or "uint32")
    values = _as_words(loaded, dtype, is_drawn)
    demanded = prod(shape) if shape is not None else elements or values.size
    if values.size != demanded:
        values = values.reshape(-1)[:demanded]
    elif shape is not None:
        values = values.reshape(shape)
    return Dump(values, loaded.size, demanded, loose_bytes)


def _load(path: str, dtype: str) -> tuple[NDArray[Any], int]:
    """The elements, and how many bytes follow the last whole element."""
    if path.endswith(ZARR_SUFFIX) and os.path.isdir(path):
        with extra_needed("a Zarr array needs", "zarr", "zarr"):
            import zarr
        return np.asarray(zarr.open_array(path, mode="r")), 0
    name = "stdin" if path == STDIN else quoted(path)
    data = _map(path)
    head, is_raw = bytes(data[:TEXT_HEAD_BYTES]), path.endswith(RAW_SUFFIXES)
    if not head.startswith(NPY_MAGIC):
        if not is_raw and TEXT.fullmatch(head):
            return words_of_text(bytes(data).decode("ascii", "replace"), name), 0
        if is_raw or path == STDIN:
            kind = np.dtype(RAW_TYPES.get(dtype) or np.dtype(dtype).newbyteorder("<"))
            loose_bytes = len(data) % kind.itemsize
            return data[: len(data) - loose_bytes].view(kind), loose_bytes
    return _load_npy(data, path, name), 0


def _map(path: str) -> NDArray[np.uint8]:
    """The bytes of stdin or of a file. A regular file, which can be larger than memory, is mapped and not read."""
    try:
        if path != STDIN and os.path.isfile(path) and os.path.getsize(path):
            return np.memmap(path, np.uint8, mode="r")
        return np.frombuffer(sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes(), np.uint8)
    except FileNotFoundError:
        raise missing_file(path, "store the device's words there, for example with numpy.save.") from None


def words_of_text(text: str, name: str) -> NDArray[Any]:
    """The words of a text. They are hexadecimal if one of them has 0x or a letter, else decimal."""
    tokens = [token.rstrip("uU") for token in re.findall(r"[-.\w]+", text)]
    prefixed = [token[:2] in ("0x", "0X") for token in tokens if token.strip("0")]  # C prints a zero without 0x
    base = 16 if any(re.search("[a-fA-FxX]", token) for token in tokens) else 10
    try:
        if any(prefixed) and not all(prefixed):
            raise ValueError("some of them have 0x and others do not")
        return np.array([int(token, base) for token in tokens], np.uint32)
    except (ValueError, OverflowError) as error:
        raise ValueError(
            f"{name} must hold words in [0, 2**32), decimal or hexadecimal, and spaces or commas; {error}."
        ) from None


def _load_npy(data: NDArray[np.uint8], path: str, name: str) -> NDArray[Any]:
    """The tensor of a .npy file, memory-mapped if the file is."""
    try:
        values = np.load(path, "r") if isinstance(data, np.memmap) else np.load(io.BytesIO(data.tobytes()))
        if not isinstance(values, np.ndarray):
            raise TypeError("it holds several arrays")
        return values
    except Exception as error:  # numpy does not catch the errors of zipfile, tokenize and the allocator
        problem = "it is no .npy file" if "pickled" in str(error) else error  # what numpy says of files of any form
        raise ValueError(
            f"{name} does not hold a tensor ({problem}). Store a uint32 array with numpy.save, or raw words in a file "
            f"whose name ends in {', '.join(RAW_SUFFIXES)}."
        ) from None


def _as_words(values: NDArray[Any], dtype: str | None, is_drawn: bool) -> NDArray[Any]:
    """The elements as words or numbers, if they have the type that --dtype names."""
    native, given = in_native_order(values), "uint32" if dtype in (None, "uint32-be") else dtype
    if native.dtype != given:
        raise TypeError(
            f"values must hold elements of {given}; got {native.dtype} of shape {native.shape}. --dtype names another "
            "type: int32 if its bits are words, float32 or float64 for uniform numbers in [0, 1)."
        )
    return native if is_drawn or dtype in NUMBERS else native.view(np.uint32)
