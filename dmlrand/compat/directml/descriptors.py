"""DirectML's descriptors of tensors and of the operator, with DirectML's names. arguments.py checks them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from ...messages import format_value
from ...operator import PHILOX_4X32_10

# DML_TENSOR_DATA_TYPE without its prefix. Buffers are little-endian on every machine, as on those that run DirectML.
_CODES = {
    "FLOAT32": "<f4", "FLOAT16": "<f2", "UINT32": "<u4", "UINT16": "<u2", "UINT8": "u1", "INT32": "<i4", "INT16": "<i2",
    "INT8": "i1", "FLOAT64": "<f8", "UINT64": "<u8", "INT64": "<i8",
}  # fmt: skip
DATA_TYPES: dict[str, np.dtype[Any]] = {name: np.dtype(code) for name, code in _CODES.items()}


class FeatureLevel(IntEnum):
    """DML_FEATURE_LEVEL, with its names and values.

    >>> FeatureLevel.DML_FEATURE_LEVEL_4_0, FeatureLevel.DML_FEATURE_LEVEL_4_0 < FeatureLevel.DML_FEATURE_LEVEL_5_0
    (<FeatureLevel.DML_FEATURE_LEVEL_4_0: 16384>, True)
    """

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
    """DML_BUFFER_TENSOR_DESC. create_operator checks it, because the rules depend on the tensor's use.

    Parameters
    ----------
    DataType : str
        A DML_TENSOR_DATA_TYPE, with or without that prefix. The operator supports only UINT32.
    Sizes : sequence of 1 to 8 ints in [1, 2**32)
    Strides : sequence of ints in [0, 2**32), one for each size, optional
        In elements, not bytes. Without strides the tensor is packed.
    Flags : str
        A DML_TENSOR_FLAGS, with or without the prefix DML_TENSOR_FLAG_. The operator supports only NONE.
    DimensionCount : int, optional
        The length of Sizes, which is the default.
    TotalTensorSizeInBytes : int, optional
        A multiple of 4 and at least calc_buffer_tensor_size(...), which is the default.
    GuaranteedBaseOffsetAlignment : int
        0, or a power of two of at least 4.

    Examples
    --------
    >>> TensorDesc("UINT32", [2, 3], Strides=[8, 2]).Strides
    [8, 2]
    """

    DataType: str
    Sizes: Sequence[int]
    Strides: Sequence[int] | None = None
    Flags: str = "NONE"
    DimensionCount: int | None = None
    TotalTensorSizeInBytes: int | None = None
    GuaranteedBaseOffsetAlignment: int = 0


@dataclass(frozen=True)
class RandomGeneratorOperatorDesc:
    """DML_RANDOM_GENERATOR_OPERATOR_DESC, with its members in their order.

    Parameters
    ----------
    InputStateTensor : TensorDesc
        Sizes {1, .., 1, 6}: the four words of the counter and the two of the key, each lowest word first.
    OutputTensor : TensorDesc
        Any sizes. The words are in row-major order of the indices, for all strides.
    OutputStateTensor : TensorDesc, optional
        The same DimensionCount and Sizes as InputStateTensor.
    Type : str
        PHILOX_4X32_10, the only DML_RANDOM_GENERATOR_TYPE, with or without that prefix.

    Examples
    --------
    >>> state, values = TensorDesc("UINT32", [1, 1, 1, 6]), TensorDesc("UINT32", [1, 1, 2, 3])
    >>> RandomGeneratorOperatorDesc(state, values, OutputStateTensor=state).Type
    'PHILOX_4X32_10'
    """

    InputStateTensor: TensorDesc
    OutputTensor: TensorDesc
    OutputStateTensor: TensorDesc | None = None
    Type: str = PHILOX_4X32_10


def calc_buffer_tensor_size(DataType: str, Sizes: Sequence[int], Strides: Sequence[int] | None = None) -> int:
    """The least size of a tensor in bytes: to the end of its last element, rounded up to a multiple of 4.

    DataType, Sizes and Strides are those of TensorDesc. That each size is at least 1 is not checked here.

    >>> calc_buffer_tensor_size("UINT32", [2, 3]), calc_buffer_tensor_size("UINT32", [2, 3], [8, 2])
    (24, 52)
    """
    itemsize = DATA_TYPES[check_enum("DataType", DataType, "DML_TENSOR_DATA_TYPE_", DATA_TYPES)].itemsize
    if Strides is None:
        elements = math.prod(Sizes)
    else:
        elements = 1 + sum((size - 1) * stride for size, stride in zip(Sizes, Strides, strict=True))
    return -(-elements * itemsize // 4) * 4


def check_enum(name: str, value: Any, prefix: str, values: Iterable[str]) -> str:
    """`value` without `prefix`: a str that is one of `values`, with or without `prefix`."""
    if not isinstance(value, str):
        raise TypeError(
            f"{name} must be a string; got {format_value(value)} of type {type(value).__name__}. Name a {prefix[:-1]}."
        )
    short = value.removeprefix(prefix)
    known = tuple(values)
    if short not in known:
        raise ValueError(f"{name} must be {' or '.join(known)}, with or without {prefix}; got {format_value(value)}.")
    return short
