# The imitated systems, for type checkers and for Python (imports.py).
from . import (
    curand as curand,
    directml as directml,
    jax as jax,
    openvino as openvino,
    tensorflow as tensorflow,
    tfp as tfp,
    theano as theano,
    torch as torch,
    triton as triton,
)
