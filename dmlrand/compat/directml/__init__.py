"""DirectML's interface to the operator: its descriptors, checked by the rules of its pages, and runs on buffers.

specs/directml.md has the rules and their sources. DirectML itself was never run here.

>>> DATA_TYPES["UINT32"], TensorDesc("UINT32", [1, 6]).DataType in DATA_TYPES
(dtype('uint32'), True)
"""

from .descriptors import (
    DATA_TYPES,
    FeatureLevel,
    RandomGeneratorOperatorDesc,
    TensorDesc,
    calc_buffer_tensor_size,
)
from .execution import RandomGeneratorOperator, create_operator

__all__ = [
    "DATA_TYPES",
    "FeatureLevel",
    "RandomGeneratorOperator",
    "RandomGeneratorOperatorDesc",
    "TensorDesc",
    "calc_buffer_tensor_size",
    "create_operator",
]
