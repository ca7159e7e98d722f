"""Resources: memory with the initial values that the model gives in one of several forms."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...files import error_text, quoted
from ..directml import DATA_TYPES
from .json_reader import ModelError, Node
from .opening import open_regular

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
    declared = node.get("initialValuesDataType", UNKNOWN)
    data_type = declared.enum("DML_TENSOR_DATA_TYPE_", (UNKNOWN, *DATA_TYPES))
    try:
        data_type, values = _read_values(node, data_type, input_path, confine)
        if values.size == 0:
            raise ModelError(f"{node.path}.initialValues must hold at least one value; got none.")
        # As in DxDispatch, the offset only makes the buffer larger: the values are written to its start.
        least = values.size + node.get("initialValuesOffsetInBytes", 0).integer()
        size = node.get("sizeInBytes", -(-values.size // 4) * 4).integer(1, 1 << 63)
        if least > size:
            raise ModelError(
                f"{node.path}.sizeInBytes must be at least {least}, the size of the initial values plus their offset; "
                f"got {size}. Increase it."
            )
        memory = np.zeros(size, np.uint8)
    except (MemoryError, OverflowError):
        raise ModelError(f"{node.path} does not fit in memory. Make it smaller.") from None
    memory[: values.size] = values
    return Resource(data_type, memory, values.size)


def _read_values(node: Node, data_type: str, input_path: Path, confine: bool) -> tuple[str, NDArray[np.uint8]]:
    """The data type, which may come from a file, and the bytes of the initial values."""
    values = node.need("initialValues")
    if isinstance(values.value, list):
        if data_type == UNKNOWN:
            return data_type, _read_mixed(values)
        dtype = DATA_TYPES[data_type]
        return data_type, np.array([each.number(dtype) for each in values.elements()], dtype).view(np.uint8)
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
    count, dtype = values.need("valueCount").integer(1, _VALUE_COUNT_END), DATA_TYPES[data_type]
    if kinds == ["value"]:
        return data_type, np.full(count, values.need("value").number(dtype), dtype).view(np.uint8)
    # valueStart, valueStart + valueDelta, and so on. Each addition rounds or wraps in the type.
    native = dtype.newbyteorder("=")  # numpy accumulates in the native byte order only
    terms = np.full(count, values.need("valueDelta").number(dtype), native)
    terms[0] = values.need("valueStart").number(dtype)
    with np.errstate(all="ignore"):
        return data_type, np.add.accumulate(terms, dtype=native).astype(dtype, copy=False).view(np.uint8)


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
    path = input_path / source.text()
    if confine:
        check_inside(source, path, input_path, "input_path")
    try:
        found, values = _read_file(path if confine or path.exists() else Path(source.value))
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


def _read_file(path: Path) -> tuple[str, NDArray[np.uint8]]:
    """The data type and the bytes of the values in a .npy file, or UNKNOWN and the bytes of any other file."""
    suffix = path.suffix.lower()
    if suffix in (".jpg", ".png"):
        raise ValueError("dmlrand does not read images: save the tensor as .npy")
    os.stat(path)  # if there is no file, this error has the path as it was given
    # open_regular refuses pipes, of which a read would wait, and devices, which may have no end.
    with open(os.path.realpath(path), "rb", opener=open_regular) as file:
        if suffix != ".npy":
            return UNKNOWN, np.fromfile(file, np.uint8)
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
