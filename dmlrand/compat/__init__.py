"""One module or package per imitated system, bit-exact; needs none of them installed."""

from typing import TYPE_CHECKING

from ..lazy import lazy_attributes

__all__ = ["directml", "dxdispatch", "jax", "openvino", "tensorflow", "tfp", "theano"]

if TYPE_CHECKING:
    from . import directml, dxdispatch, jax, openvino, tensorflow, tfp, theano
else:  # hidden from type checkers, which would take every misspelt name for a lazy one
    __getattr__, __dir__ = lazy_attributes(__name__, dict.fromkeys(__all__, ()))
