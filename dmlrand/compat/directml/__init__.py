"""DirectML's own interface to the operator: descriptors by their names, checked as its pages say, run on buffers.

The rules and their sources are on specs/directml.md. DirectML itself was never run here.
"""

from .descriptors import (
    DATA_TYPES,
    FeatureLevel,
    RandomGeneratorOperatorDesc,
    TensorDesc,
    calc_buffer_tensor_size,
)
from .execution import (
    RandomGeneratorOperator,
    create_operator,
)

__all__ = [
    "DATA_TYPES",
    "FeatureLevel",
    "RandomGeneratorOperator",
    "RandomGeneratorOperatorDesc",
    "TensorDesc",
    "calc_buffer_tensor_size",
    "create_operator",
]
