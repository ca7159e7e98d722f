"""The operator in DirectML's form: made from a descriptor, run on buffers that the caller owns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.tensor import shares_memory
from ...operator import random_generator
from ...state import UINT32
from .descriptors import FeatureLevel, RandomGeneratorOperatorDesc, TensorDesc, check_desc, check_level, overlay

_TENSORS = ("InputStateTensor", "OutputTensor", "OutputStateTensor")


@dataclass(frozen=True)
class RandomGeneratorOperator:
    """What create_operator returns: a checked operator, ready to run on buffers. `desc` is the given descriptor, with
    every default filled in and enum values without prefixes.

    Examples
    --------
    >>> state = TensorDesc("UINT32", [1, 6])
    >>> operator = create_operator(RandomGeneratorOperatorDesc(state, TensorDesc("UINT32", [4]), state))
    >>> words, rng = bytearray(16), np.array([0, 0, 0, 0, 42, 0], "<u4")
    >>> operator.execute({"InputStateTensor": rng, "OutputTensor": words, "OutputStateTensor": rng})
    >>> np.frombuffer(words, "<u4").tolist(), rng.tolist()
    ([2632642643, 2012563771, 314527917, 1463989207], [1, 0, 0, 0, 42, 0])
    """

    desc: RandomGeneratorOperatorDesc
    feature_level: FeatureLevel

    def execute(self, bindings: Mapping[str, Any]) -> None:
        """Run once: write the words, and the state after them, into buffers that the caller owns.

        bindings maps the member name of each tensor of the desc to a buffer: any object with the buffer protocol and
        contiguous memory (bytearray, mmap, array of any dtype). Its memory is used as bytes; the tensor's first element
        is at the start. Elements are little-endian: on a big-endian machine, bind arrays of dtype "<u4". One buffer may
        be input and output state, because the state is read before anything is written. No other buffer may share
        elements with OutputTensor. Bytes outside the described elements are never written. All buffers are checked
        before anything is written.
        """
        self.bind(bindings)()

    def bind(self, bindings: Mapping[str, Any]) -> Callable[[], None]:
        """Check the bindings of `execute`, and return a function that runs on them and may be called repeatedly."""
        tensors = {name: tensor for name in _TENSORS if (tensor := getattr(self.desc, name)) is not None}
        _check_names(bindings, tensors)
        views = {name: _view(name, tensor, bindings[name]) for name, tensor in tensors.items()}
        state, out, new_state = (views.get(name) for name in _TENSORS)
        assert state is not None and out is not None
        for name in ("InputStateTensor", "OutputStateTensor"):
            if name in views and shares_memory(out, views[name], "OutputTensor.Strides"):
                raise ValueError(
                    f"OutputTensor must share no element with {name}; got overlapping memory. Bind two buffers."
                )

        # random_generator writes words in the byte order of the machine, but a buffer is always little-endian.
        words = out if out.dtype.isnative else np.empty(out.shape, UINT32)

        def run() -> None:
            given = state.astype(UINT32, copy=False)
            _, advanced = random_generator(given, out=words, output_state=new_state is not None)
            if words is not out:
                np.copyto(out, words)
            # Written last, because new_state may be the memory of state.
            if new_state is not None and advanced is not None:
                np.copyto(new_state, advanced)

        return run


def create_operator(
    desc: RandomGeneratorOperatorDesc, feature_level: FeatureLevel | str | int = FeatureLevel.DML_FEATURE_LEVEL_4_0
) -> RandomGeneratorOperator:
    """Check a descriptor against DirectML's rules and return the operator it describes.

    If a rule of specs/directml.md is broken, the message of the TypeError or ValueError begins with the wrong member.
    feature_level is a FeatureLevel, its value, or its name with or without the prefix, such as "4_0". Below 4.0 every
    tensor must have exactly 4 dimensions; from 4.0 on, 1 to 8. Later levels have the same rules.

    >>> state = TensorDesc("UINT32", [1, 1, 1, 6])
    >>> operator = create_operator(RandomGeneratorOperatorDesc(state, TensorDesc("UINT32", [3, 3, 20, 7219])), "3_0")
    >>> operator.desc.OutputTensor.TotalTensorSizeInBytes
    5197680
    >>> create_operator(RandomGeneratorOperatorDesc(state, TensorDesc("UINT32", [1, 1, 0, 8])))
    Traceback (most recent call last):
    ValueError: OutputTensor.Sizes[2] must be in [1, 2**32); got 0.
    """
    level = check_level(feature_level)
    return RandomGeneratorOperator(check_desc(desc, level), level)


def _check_names(bindings: Any, tensors: dict[str, TensorDesc]) -> None:
    if not isinstance(bindings, Mapping):
        raise TypeError(f"bindings must map tensor names to buffers; got {type(bindings).__name__}. Pass a dict.")
    for name in bindings:
        if name not in tensors:
            raise ValueError(f"{name} must not be bound, because the desc has only {', '.join(tensors)}. Remove it.")
    for name in tensors:
        if name not in bindings:
            raise ValueError(
                f"{name} must be bound, because the desc has it; got {', '.join(bindings) or 'no bindings'}."
            )


def _view(name: str, tensor: TensorDesc, buffer: Any) -> NDArray[np.uint32]:
    """The elements that `tensor` describes in `buffer`. Checks the size and, for an output, that it is writable."""
    if isinstance(buffer, np.ndarray) and buffer.dtype.hasobject:
        raise TypeError(
            f"{name} must be bound to memory without Python objects; got an array of {buffer.dtype}. "
            "Bind an array of uint32."
        )
    try:
        data = np.frombuffer(buffer, np.uint8)
    except (TypeError, ValueError, BufferError) as error:
        raise TypeError(
            f"{name} must be bound to a buffer of contiguous memory; got {type(buffer).__name__} ({error}). "
            "Bind a contiguous uint32 array or a bytearray. Put strides into the desc."
        ) from None
    assert tensor.TotalTensorSizeInBytes is not None
    if data.size < tensor.TotalTensorSizeInBytes:
        raise ValueError(
            f"{name} must be bound to at least {tensor.TotalTensorSizeInBytes} bytes, its TotalTensorSizeInBytes; "
            f"got {data.size}. Bind a larger buffer."
        )
    if name != "InputStateTensor" and not data.flags.writeable:
        raise ValueError(f"{name} must be bound to writable memory; got a read-only {type(buffer).__name__}.")
    return overlay(data, tensor.Sizes, tensor.Strides)
