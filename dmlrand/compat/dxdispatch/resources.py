"""Resources: memory with the initial values that the model gives in one of several forms."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ...files.names import error_text, quoted
from ...files.opening import open_regular
from ..directml import DATA_TYPES
from .json_reader import ModelError, Node

UNKNOWN = "UNKNOWN"  # the data type of a list of mixed values
_VALUE_COUNT_END = 1 << 32  # valueCount is a UINT32


@dataclass(frozen=True)
class Resource:
    """Memory, and the type in which to print it. A binding may use it as another type."""

    data_type: str  # a name of DATA_TYPES, or UNKNOWN
    memory: NDArray[np.uint8]
    initial_bytes: int  # how much of the memory the initial values fill: only these bytes are printed

    def elements(self, size: int | None = None) -> NDArray[Any]:
        """The elements that fit in the first `size` bytes, or in all. Of uint8 if the data type is UNKNOWN."""
        dtype = DATA_TYPES.get(self.data_type, np.dtype(np.uint8))
        size = self.memory.size if size is None else size
        return self.memory[: size // dtype.itemsize * dtype.itemsize].view(dtype)


def read_resource(node: Node, input_path: Path, confine: bool) -> Resource:
    """Read a member of `resources`. Relative files are in input_path or, unless confined, in the current directory."""
    declared = node.get("initialValuesDataType")
    data_type = UNKNOWN if declared is None else declared.enum("DML_TENSOR_DATA_TYPE_", (UNKNOWN, *DATA_TYPES))
    try:
        data_type, values = _read_values(node, data_type, input_path, confine)
        if values.size == 0:
            raise ModelError(f"{node.path}.initialValues must hold at least one value; got none.")
        memory = np.zeros(_read_size(node, values.size), np.uint8)
    except (MemoryError, OverflowError):
        raise ModelError(f"{node.path} does not fit in memory. Make it smaller.") from None
    memory[: values.size] = values
    return Resource(data_type, memory, values.size)


def _read_size(node: Node, initial: int) -> int:
    at = node.get("initialValuesOffsetInBytes")
    # As in DxDispatch, the offset only makes the buffer larger: the values are written to its start.
    least = initial + (0 if at is None else at.integer())
    stated = node.get("sizeInBytes")
    size = -(-initial // 4) * 4 if stated is None else stated.integer(1, 1 << 63)
    if least > size:
        raise ModelError(
            f"{node.path}.sizeInBytes must be at least {least}, the size of the initial values plus their offset; "
            f"got {size}. Increase it."
        )
    return size


def _read_values(node: Node, data_type: str, input_path: Path, confine: bool) -> tuple[str, NDArray[np.uint8]]:
    """The data type, which may come from a file, and the bytes of the initial values."""
    values = node.need("initialValues")
    if isinstance(values.value, list):
        return data_type, _read_mixed(values) if data_type == UNKNOWN else _read_array(values, DATA_TYPES[data_type])
    if not isinstance(values.value, dict):
        remedy = "deferred is for ONNX models, which do not run here." if values.value == "deferred" else ""
        raise values.error("must be an array of numbers or an object", remedy)
    kinds = [kind for kind in ("value", "valueStart", "sourcePath") if values.has(kind)]
    if len(kinds) != 1:
        raise ModelError(
            f"{values.path} must have exactly one of value, valueStart and sourcePath; "
            f"got {' and '.join(kinds) or 'none'}."
        )
    if kinds == ["sourcePath"]:
        return _read_source(node, values.need("sourcePath"), data_type, input_path, confine)
    if data_type == UNKNOWN:
        raise ModelError(
            f"{node.path}.initialValuesDataType must name the type of the values; got UNKNOWN. Add one, such as UINT32."
        )
    make = _read_constant if kinds == ["value"] else _read_sequence
    return data_type, make(values, DATA_TYPES[data_type])


def _read_array(values: Node, dtype: np.dtype[Any]) -> NDArray[np.uint8]:
    return np.array([each.number(dtype) for each in values.elements()], dtype).view(np.uint8)


def _read_constant(values: Node, dtype: np.dtype[Any]) -> NDArray[np.uint8]:
    count = values.need("valueCount").integer(1, _VALUE_COUNT_END)
    return np.full(count, values.need("value").number(dtype), dtype).view(np.uint8)


def _read_sequence(values: Node, dtype: np.dtype[Any]) -> NDArray[np.uint8]:
    """valueStart, valueStart + valueDelta, and so on. Each addition rounds or wraps in the type."""
    count = values.need("valueCount").integer(1, _VALUE_COUNT_END)
    native = dtype.newbyteorder("=")  # numpy accumulates in the native byte order only
    terms = np.full(count, values.need("valueDelta").number(dtype), native)
    terms[0] = values.need("valueStart").number(dtype)
    with np.errstate(all="ignore"):
        return np.add.accumulate(terms, dtype=native).astype(dtype, copy=False).view(np.uint8)


def _read_mixed(values: Node) -> NDArray[np.uint8]:
    """Values that each name their own type, packed without padding."""
    packed = []
    for each in values.elements():
        # FLOAT16 is an error here, because it is one in DxDispatch.
        types = [name for name in DATA_TYPES if name != "FLOAT16"]
        dtype = DATA_TYPES[each.need("type").enum("DML_TENSOR_DATA_TYPE_", types)]
        packed.append(np.array(each.need("value").number(dtype), dtype).tobytes())
    return np.frombuffer(b"".join(packed), np.uint8)


def _read_source(
    node: Node, source: Node, data_type: str, input_path: Path, confine: bool
) -> tuple[str, NDArray[np.uint8]]:
    reader = _READERS.get(Path(source.text()).suffix.lower(), _read_raw)
    if confine:
        check_inside(source, input_path / source.value, input_path, "input_path")
    try:
        found, values = reader(input_path / source.value if confine else _find_source(source.value, input_path))
    except (OSError, ValueError) as error:
        reason = " ".join(error_text(error).split())
        raise source.error("must name a file of initial values that can be read", f"{reason}.") from None
    if UNKNOWN not in (found, data_type) and found != data_type:
        raise ModelError(
            f"{node.path}.initialValuesDataType must be {found}, the type of {quoted(source.value)}; got {data_type}. "
            "Omit it."
        )
    if found == data_type == UNKNOWN:
        raise ModelError(
            f"{node.path}.initialValuesDataType must name the type of a raw file's values; it is missing. "
            "Add one, such as UINT32."
        )
    return (data_type if found == UNKNOWN else found), values


def check_inside(node: Node, path: Path, folder: Path, name: str) -> None:
    """Raise a ModelError of `node` if the path lies outside the folder after `..` and symbolic links are resolved."""
    try:
        inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
    except (OSError, ValueError):  # not the name of a file, such as one with a NUL
        inside = False
    if not inside:
        raise node.error(
            f"must be inside {name}, {quoted(folder)}, because the run is confined",
            "Name a file inside it, or run without confine.",
        )


def _find_source(source: str, input_path: Path) -> Path:
    beside_model = input_path / source
    return beside_model if beside_model.exists() else Path(source)


def _open(path: Path) -> IO[bytes]:
    """Open a regular file or a link to one. To read a pipe would wait, and a device may have no end."""
    os.stat(path)  # if there is no file, this error has the path as it was given
    return open(os.path.realpath(path), "rb", opener=open_regular)


def _read_raw(path: Path) -> tuple[str, NDArray[np.uint8]]:
    with _open(path) as file:
        return UNKNOWN, np.fromfile(file, np.uint8)


def _read_npy(path: Path) -> tuple[str, NDArray[np.uint8]]:
    with _open(path) as file:
        try:
            array = np.lib.format.read_array(file, allow_pickle=False)
        except Exception as error:  # many kinds, because numpy evaluates the file's header as Python literals
            raise ValueError(f"it is not a complete .npy file: {error}") from None
    native = array.dtype.newbyteorder("=")
    name = next((name for name, dtype in DATA_TYPES.items() if dtype.newbyteorder("=") == native), None)
    if name is None:
        raise ValueError(f"it holds {array.dtype}, which is not a type of DirectML")
    if not array.flags.c_contiguous:
        raise ValueError("it is in Fortran order, which DxDispatch does not read: save numpy.ascontiguousarray(array)")
    return name, array.astype(DATA_TYPES[name]).reshape(-1).view(np.uint8)


def _refuse_image(path: Path) -> tuple[str, NDArray[np.uint8]]:
    raise ValueError("dmlrand does not read images: save the tensor as .npy")


_READERS = {".npy": _read_npy, ".jpg": _refuse_image, ".png": _refuse_image}
