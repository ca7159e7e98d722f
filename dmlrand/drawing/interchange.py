"""Arrays of other packages (PyTorch, JAX, CuPy and others), read as numpy arrays: specs/operator.md, section 6.

No such package is imported. An array is recognized by DLPack (https://dmlc.github.io/dlpack) or by numpy's array
protocol, and a dtype by its name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

# How an array is read that its class offers by an attribute. The attributes are tried in this order.
_READERS: dict[str, Callable[[Any], NDArray[Any]]] = {
    "__array__": lambda value: np.asarray(value.__array__()),  # a scalar of TensorFlow's bfloat16 tensors of rank 0
    "__array_interface__": np.asarray,
    "__dlpack__": np.from_dlpack,
}

_DRAW_WITHOUT_OUT = "Draw without out, then convert or copy the values."


class SupportsDLPack(Protocol):
    """An array of any package that exports its memory by DLPack, such as torch.Tensor and jax.Array."""

    def __dlpack__(self, *, stream: None = None) -> Any: ...
    def __dlpack_device__(self) -> tuple[Any, Any]: ...


def read_array(value: Any, name: str) -> NDArray[Any] | None:
    """`value` as an instance of ndarray itself, which shares its memory where possible. None if it is not an array.

    Masked arrays and numpy's scalars do not count as arrays. TypeError for an array that numpy cannot read.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value)
    read = next((read for attribute, read in _READERS.items() if hasattr(type(value), attribute)), None)
    if read is None:
        return None
    remedy = f"Pass a numpy array of its values, such as {name}.numpy(force=True) in PyTorch or numpy.array({name})."
    return _import_array(read, value, f"{name} must be an array that numpy can read", remedy)


def as_array(value: Any, name: str) -> NDArray[Any]:
    """read_array, or the array that numpy makes of a number or a sequence."""
    array = read_array(value, name)
    return np.asarray(value) if array is None else array


def share_array(value: Any, name: str) -> NDArray[Any] | None:
    """`value`, an output, as an instance of ndarray itself over the same memory. None if it does not support DLPack.

    The array protocol is not used, because it may return a copy.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value)
    if not hasattr(type(value), "__dlpack__"):
        return None
    return _import_array(_share, value, f"{name} must be an array that numpy can write to", _DRAW_WITHOUT_OUT)


def _plain(value: Any) -> NDArray[Any] | None:
    """An array of numpy as an instance of ndarray itself. None for a scalar, and for a masked array with its mask."""
    return np.asarray(value) if isinstance(value, np.ndarray) and not hasattr(value, "mask") else None


def _share(value: Any) -> NDArray[Any]:
    """An array by DLPack. BufferError if what is written to it would not become the elements of `value`."""
    if getattr(value, "is_neg", bool)():  # PyTorch exports such a tensor, without its negative bit
        raise BufferError("it has the negative bit: its elements are those in its memory, negated")
    array, again = np.from_dlpack(value), np.from_dlpack(value)
    if array.size and not np.may_share_memory(array, again):
        raise BufferError("it does not share its memory")
    return array


def _import_array(read: Callable[[Any], NDArray[Any]], value: Any, rule: str, remedy: str) -> NDArray[Any]:
    try:
        array = read(value)
        # PyTorch exports a tensor without memory, such as one that torch.func traces, as a null pointer. Instead of an
        # error, numpy then allocates memory, which it never does for an array that is a view of another object.
        if array.flags.owndata and array.base is not None and array.size:
            raise BufferError("it has no memory")
        return array
    except Exception as error:  # each package raises its own
        cause = str(error).strip().rstrip(".")
        raise TypeError(f"{rule}; got {package_of(value)}.{type(value).__name__} ({cause}). {remedy}") from None


def package_of(value: Any) -> str:
    """The name of the package that defines the class of `value`."""
    return type(value).__module__.partition(".")[0]


@lru_cache
def type_name(kind: Any) -> str:
    """The name that numpy has for a dtype of any package: "float32" for torch.float32, "bool" for torch.bool.

    Cached, because numpy takes microseconds to build a name each time.
    """
    return str(getattr(kind, "name", kind)).removeprefix("torch.")
