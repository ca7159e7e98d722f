"""DirectML's interface to the operator: its descriptors, checked by the rules of its pages, and runs on buffers,
as RandomGeneratorOperator of this module shows. DATA_TYPES has NumPy's types of its data types. specs/directml.md has
the rules and their sources. DirectML itself was never run here."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ..drawing.tensor import MAX_RANK, Shape, may_overlap_itself
from ..operator import PHILOX_4X32_10, random_generator
from ..state import UINT32
from .shared import check_int, format_value

__all__ = [
    "DATA_TYPES", "FeatureLevel", "RandomGeneratorOperator", "RandomGeneratorOperatorDesc", "TensorDesc",
    "calc_buffer_tensor_size", "create_operator",
]  # fmt: skip

# DML_TENSOR_DATA_TYPE without its prefix. Buffers are little-endian on every machine, as on those that run DirectML.
_CODES = {
    "FLOAT32": "<f4", "FLOAT16": "<f2", "UINT32": "<u4", "UINT16": "<u2", "UINT8": "u1", "INT32": "<i4", "INT16": "<i2",
    "INT8": "i1", "FLOAT64": "<f8", "UINT64": "<u8", "INT64": "<i8",
}  # fmt: skip
DATA_TYPES: dict[str, np.dtype[Any]] = {name: np.dtype(code) for name, code in _CODES.items()}


class FeatureLevel(IntEnum):
    """DML_FEATURE_LEVEL, with its names and values, as create_operator of this module takes them."""

    DML_FEATURE_LEVEL_1_0 = 0x1000
    DML_FEATURE_LEVEL_2_0 = 0x2000
    DML_FEATURE_LEVEL_2_1 = 0x2100
    DML_FEATURE_LEVEL_3_0 = 0x3000
    DML_FEATURE_LEVEL_3_1 = 0x3100
    DML_FEATURE_LEVEL_4_0 = 0x4000
    DML_FEATURE_LEVEL_4_1 = 0x4100
    DML_FEATURE_LEVEL_5_0 = 0x5000
    DML_FEATURE_LEVEL_5_1 = 0x5100
    DML_FEATURE_LEVEL_5_2 = 0x5200
    DML_FEATURE_LEVEL_6_0 = 0x6000
    DML_FEATURE_LEVEL_6_1 = 0x6100
    DML_FEATURE_LEVEL_6_2 = 0x6200
    DML_FEATURE_LEVEL_6_3 = 0x6300
    DML_FEATURE_LEVEL_6_4 = 0x6400


@dataclass(frozen=True)
class TensorDesc:
    """DML_BUFFER_TENSOR_DESC, as create_operator of this module checks it. DataType is UINT32 and Flags NONE, with or
    without their prefixes. Sizes are 1 to 8 ints in [1, 2**32), and Strides, in elements, ints in [0, 2**32). The
    defaults of DimensionCount and TotalTensorSizeInBytes are computed. GuaranteedBaseOffsetAlignment is 0, or a power
    of two of at least 4."""

    DataType: str
    Sizes: Sequence[int]
    Strides: Sequence[int] | None = None
    Flags: str = "NONE"
    DimensionCount: int | None = None
    TotalTensorSizeInBytes: int | None = None
    GuaranteedBaseOffsetAlignment: int = 0


@dataclass(frozen=True)
class RandomGeneratorOperatorDesc:
    """DML_RANDOM_GENERATOR_OPERATOR_DESC, with its members in their order. The state tensors have the sizes {1, .., 1,
    6}. The words of OutputTensor are in row-major order, for all strides, as RandomGeneratorOperator of this module
    writes them."""

    InputStateTensor: TensorDesc
    OutputTensor: TensorDesc
    OutputStateTensor: TensorDesc | None = None
    Type: str = PHILOX_4X32_10


def calc_buffer_tensor_size(DataType: str, Sizes: Sequence[int], Strides: Sequence[int] | None = None) -> int:
    """The least size of a tensor in bytes: to the end of its last element, rounded up to a multiple of 4.

    >>> calc_buffer_tensor_size("UINT32", [2, 3]), calc_buffer_tensor_size("UINT32", [2, 3], [8, 2])
    (24, 52)
    """
    itemsize = DATA_TYPES[check_enum("DataType", DataType, "DML_TENSOR_DATA_TYPE_", DATA_TYPES)].itemsize
    if Strides is None:
        elements = math.prod(Sizes)
    else:
        elements = 1 + sum((size - 1) * stride for size, stride in zip(Sizes, Strides, strict=True))
    return -(-elements * itemsize // 4) * 4


def require(holds: bool, rule: str, got: Any, remedy: str = "") -> None:
    """Refuse a value that breaks a rule. The rule begins with the member that holds the value."""
    if not holds:
        raise ValueError(f"{rule}; got {got}.{remedy and ' ' + remedy}")


def check_enum(name: str, value: Any, prefix: str, values: Collection[str]) -> str:
    """`value` without `prefix`: a str that is one of `values`."""
    short = value.removeprefix(prefix) if isinstance(value, str) else None
    rule = f"{name} must be {' or '.join(values)}, with or without {prefix}"
    require(short in values, rule, format_value(value))
    return str(short)


def _check_tensor(name: str, tensor: Any, level: FeatureLevel) -> TensorDesc:
    """`tensor` with every default filled in and its sequences as tuples."""
    if not isinstance(tensor, TensorDesc):
        raise TypeError(f"{name} must be a TensorDesc; got {type(tensor).__name__}.")
    check_enum(f"{name}.DataType", tensor.DataType, "DML_TENSOR_DATA_TYPE_", ("UINT32",))
    check_enum(f"{name}.Flags", tensor.Flags, "DML_TENSOR_FLAG_", ("NONE",))
    sizes, strides, least = _check_layout(name, tensor, level)
    if tensor.DimensionCount is not None:
        count, rule = check_int(tensor.DimensionCount, f"{name}.DimensionCount"), f"{len(sizes)}, the length of Sizes"
        require(count == len(sizes), f"{name}.DimensionCount must be {rule}", count, "Omit it for this value.")
    total = least
    if tensor.TotalTensorSizeInBytes is not None:
        total = check_int(tensor.TotalTensorSizeInBytes, f"{name}.TotalTensorSizeInBytes", 0, 1 << 64)
    needed = f"at least {least}, which Sizes and Strides require"
    rule = f"{name}.TotalTensorSizeInBytes must be a multiple of 4 and {needed}"
    require(total >= least and total % 4 == 0, rule, total, "Omit it for the least value.")
    alignment = check_int(tensor.GuaranteedBaseOffsetAlignment, f"{name}.GuaranteedBaseOffsetAlignment", 0, 1 << 32)
    rule = f"{name}.GuaranteedBaseOffsetAlignment must be 0 or a power of two of at least 4, the size of a UINT32"
    require(not alignment or (alignment >= 4 and not alignment & alignment - 1), rule, alignment)
    return TensorDesc("UINT32", sizes, strides, "NONE", len(sizes), total, alignment)


def _check_ints(member: str, values: Any, low: int) -> Shape:
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise TypeError(f"{member} must be a sequence of ints; got {format_value(values)}. Pass a list.")
    return tuple([check_int(value, f"{member}[{axis}]", low, 1 << 32) for axis, value in enumerate(values)])


def _check_layout(name: str, tensor: TensorDesc, level: FeatureLevel) -> tuple[Shape, Shape | None, int]:
    """Sizes, Strides, and the bytes from the first to the end of the last element."""
    member = f"{name}.Sizes"
    sizes, strides = _check_ints(member, tensor.Sizes, 1), None
    low, high = (1, MAX_RANK) if level >= FeatureLevel.DML_FEATURE_LEVEL_4_0 else (4, 4)
    rule = f"{member} must have {'exactly 4' if low == high else f'{low} to {high}'} dimensions at {level.name}"
    remedy = "Add axes of size 1, merge axes, or choose another feature level."
    require(low <= len(sizes) <= high, rule, _braces(sizes), remedy)
    if tensor.Strides is not None:
        member = f"{name}.Strides"
        strides = _check_ints(member, tensor.Strides, 0)
        rule = f"{member} must have one stride for each of the {len(sizes)} sizes"
        require(len(strides) == len(sizes), rule, len(strides))
    span = calc_buffer_tensor_size("UINT32", sizes, strides)
    require(span < 1 << 63, f"{member} must span fewer than 2**63 bytes", span, "Use several smaller tensors.")
    if strides is not None:
        # More elements than places overlap. This is checked first, because numpy makes no view of so many elements.
        unit = np.zeros(1, np.uint8)
        apart = math.prod(sizes) <= span // 4 and not may_overlap_itself(as_strided(unit, sizes, strides))
        got = f"{_braces(strides)} for sizes {_braces(sizes)}, where a stride is below what the smaller strides span"
        require(apart, f"{member} must give every element its own place", got, "Omit Strides for a packed tensor.")
    return sizes, strides, span


def _braces(sizes: Sequence[int]) -> str:
    return "{" + ", ".join(map(str, sizes)) + "}"


_TENSORS = ("InputStateTensor", "OutputTensor", "OutputStateTensor")


@dataclass(frozen=True)
class RandomGeneratorOperator:
    """What create_operator returns: a checked operator, ready to run on buffers. `desc` is the given descriptor, with
    every default filled in and enum values without prefixes.

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
        """Write the words, and the state after them, into buffers that the caller owns. bindings maps the member name
        of each tensor of the desc to a buffer of contiguous memory (bytearray, mmap, array of any dtype) of
        little-endian elements. One buffer may be input and output state. No other buffer may share elements with
        OutputTensor. All buffers are checked before anything is written, and bytes outside the described elements are
        never written."""
        self.bind(bindings)()

    def bind(self, bindings: Mapping[str, Any]) -> Callable[[], None]:
        """Check the bindings of `execute`, and return a function that runs on them and may be called repeatedly."""
        tensors = {name: tensor for name in _TENSORS if (tensor := getattr(self.desc, name)) is not None}
        if not isinstance(bindings, Mapping):
            raise TypeError(f"bindings must map tensor names to buffers; got {type(bindings).__name__}. Pass a dict.")
        if bindings.keys() != tensors.keys():
            rule = f"bindings must hold a buffer for each tensor of the desc, {', '.join(tensors)}, and no other"
            raise ValueError(f"{rule}; got {', '.join(map(str, bindings)) or 'none'}.")
        views = {name: _view(name, tensor, bindings[name]) for name, tensor in tensors.items()}
        state, out, new_state = views["InputStateTensor"], views["OutputTensor"], views.get("OutputStateTensor")
        for name in ("InputStateTensor", "OutputStateTensor"):
            if name in views and np.may_share_memory(out, views[name]):
                rule = f"OutputTensor must share no element with {name}"
                raise ValueError(f"{rule}; got overlapping memory. Bind two buffers.")

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
    """The operator of a descriptor that obeys DirectML's rules, as RandomGeneratorOperator of this module uses it. An
    error begins with the wrong member. feature_level is a FeatureLevel, its value or its name, such as "4_0". Below 4.0
    every tensor has 4 dimensions."""
    levels = {each.name: each for each in FeatureLevel if each >= FeatureLevel.DML_FEATURE_LEVEL_3_0}
    given: Any = feature_level
    if isinstance(given, str):
        given = levels.get("DML_FEATURE_LEVEL_" + given.removeprefix("DML_FEATURE_LEVEL_").replace(".", "_"))
    if given not in levels.values():
        first, *_, last = levels
        rule = f"feature_level must be a FeatureLevel from {first}, the first with this operator, to {last}"
        raise ValueError(f"{rule}; got {format_value(feature_level)}. Later levels have the rules of 4.0.")
    level = FeatureLevel(given)
    if not isinstance(desc, RandomGeneratorOperatorDesc):
        raise TypeError(f"desc must be a RandomGeneratorOperatorDesc; got {type(desc).__name__}.")
    state = _check_tensor("InputStateTensor", desc.InputStateTensor, level)
    rule = "InputStateTensor.Sizes must be {1, .., 1, 6}, for 4 words of counter and 2 of key"
    require(state.Sizes[-1] == math.prod(state.Sizes) == 6, rule, _braces(state.Sizes))
    out, new_state = _check_tensor("OutputTensor", desc.OutputTensor, level), None
    if desc.OutputStateTensor is not None:
        new_state = _check_tensor("OutputStateTensor", desc.OutputStateTensor, level)
        rule = f"OutputStateTensor.Sizes must equal InputStateTensor.Sizes, {_braces(state.Sizes)}"
        require(new_state.Sizes == state.Sizes, rule, _braces(new_state.Sizes), "Use one TensorDesc for both.")
    generator = check_enum("Type", desc.Type, "DML_RANDOM_GENERATOR_TYPE_", (PHILOX_4X32_10,))
    return RandomGeneratorOperator(RandomGeneratorOperatorDesc(state, out, new_state, generator), level)


def _view(name: str, tensor: TensorDesc, buffer: Any) -> NDArray[np.uint32]:
    """The elements that `tensor` describes in `buffer`. Checks the size and, for an output, that it is writable."""
    if isinstance(buffer, np.ndarray) and buffer.dtype.hasobject:
        rule = f"{name} must be bound to memory without Python objects"
        raise TypeError(f"{rule}; got an array of {buffer.dtype}. Bind an array of uint32.")
    try:
        data = np.frombuffer(buffer, np.uint8)
    except (TypeError, ValueError, BufferError) as error:
        raise TypeError(
            f"{name} must be bound to a buffer of contiguous memory; got {type(buffer).__name__} ({error}). "
            "Bind a contiguous uint32 array or a bytearray. Put strides into the desc."
        ) from None
    assert tensor.TotalTensorSizeInBytes is not None
    if data.size < tensor.TotalTensorSizeInBytes:
        rule = f"{name} must be bound to at least {tensor.TotalTensorSizeInBytes} bytes, its TotalTensorSizeInBytes"
        raise ValueError(f"{rule}; got {data.size}. Bind a larger buffer.")
    if name != "InputStateTensor" and not data.flags.writeable:
        raise ValueError(f"{name} must be bound to writable memory; got a read-only {type(buffer).__name__}.")
    strides = None if tensor.Strides is None else [4 * stride for stride in tensor.Strides]
    return np.ndarray(tensor.Sizes, DATA_TYPES["UINT32"], data, 0, strides)
