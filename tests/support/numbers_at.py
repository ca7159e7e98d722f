"""Helpers for tests of numbers: states whose next words are given, dtypes by name, and bits of arrays."""

import numpy as np
import oracle
import pytest
from recorded import digest, to_int

from dmlrand import locate, make_state

KEY = 0xFEEDFACE12345678
STATE = make_state(counter=(1 << 64) - 3, key=KEY)


def state_before(block):
    """The state whose first block is these four words."""
    counter = locate(block, KEY)
    assert oracle.block(counter, KEY) == list(block)
    return make_state(counter=counter, key=KEY)


def dtype_of(name):
    """The dtype of a name. bfloat16 skips the test if ml_dtypes is not installed."""
    if name == "bfloat16":
        return np.dtype(pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed: no bfloat16").bfloat16)
    return np.dtype(name)


def bits_of(array):
    """The elements, row-major, as unsigned ints."""
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").ravel().tolist()


def assert_recorded(values, case):
    """Assert that the bits of `values` are the recorded bits, or have the recorded hash."""
    if "bits" in case:
        assert bits_of(values) == [to_int(bits) for bits in case["bits"]]
    else:
        assert digest(values) == case["sha256_le"]
