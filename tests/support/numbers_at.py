"""Helpers for tests of numbers: states whose next words are given, dtypes by name, and bits of arrays."""

import numpy as np
import oracle
import pytest
from number_oracle import ORACLES

from dmlrand import locate, make_state
from dmlrand.drawing.number_rules import DISTRIBUTIONS

KEY = 0xFEEDFACE12345678
STATE = make_state(counter=(1 << 64) - 3, key=KEY)

# Each distribution with each of its dtypes. A distribution without an oracle fails here.
assert DISTRIBUTIONS.keys() - ORACLES.keys() == set(), "add them to ORACLES of number_oracle.py"
ALL = [(name, dtype) for name, row in DISTRIBUTIONS.items() for dtype in row.dtypes]
every_distribution = pytest.mark.parametrize("name, dtype", ALL)


def state_before(block):
    """The state whose first block is these four words."""
    counter = locate(block, KEY)
    assert oracle.block(counter, KEY) == list(block)
    return make_state(counter=counter, key=KEY)


SHORT_NAMES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i32": "int32", "i64": "int64"}


def dtype_of(name):
    """The dtype of a name. bfloat16 skips the test if ml_dtypes is not installed."""
    name = SHORT_NAMES.get(name, name)
    if name == "bfloat16":
        return np.dtype(pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed: no bfloat16").bfloat16)
    return np.dtype(name)


def bounds_of(name):
    """The oracle's parameters of a distribution, by name."""
    return dict(zip(DISTRIBUTIONS[name].parameters, ORACLES[name].parameters))


def arguments_of(name, dtype):
    """The oracle's parameters of a distribution, and the dtype unless there is only one, by name."""
    return bounds_of(name) | {each: dtype_of(dtype) for each in DISTRIBUTIONS[name].dtype_names}


def bits_of(array):
    """The elements, row-major, as unsigned ints."""
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").ravel().tolist()
