"""One module or package per imitated system, bit-exact; needs none of them installed."""

from typing import TYPE_CHECKING

from ..imports import lazy_attributes

if TYPE_CHECKING:
    from . import directml as directml
    from . import dxdispatch as dxdispatch
    from . import jax as jax
    from . import openvino as openvino
    from . import tensorflow as tensorflow
    from . import tfp as tfp
    from . import theano as theano
else:  # hidden from type checkers, which would take every misspelt name for a lazy one
    _SYSTEMS = ("directml", "dxdispatch", "jax", "openvino", "tensorflow", "tfp", "theano")
    __getattr__, __dir__ = lazy_attributes(__name__, dict.fromkeys(_SYSTEMS, ()))
