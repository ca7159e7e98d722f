"""numpy's side of xla.py: the functions run on arrays.

NumPy has no type in which products of float64 are exact, so kernels of float64 are missing or return NotImplemented.
"""

from functools import partial

import numpy as np

from .. import xla
from ..dialect import fma


def of_float32(function, *arrays):
    *given, out = arrays
    if out.dtype != np.float32:
        return NotImplemented
    with np.errstate(all="ignore"):  # bounds may be infinite
        out[:] = function(*given)
    return None


def uniform(bits, low, high):
    return xla.uniform(bits, low, high, np.uint32(9), np.float32(2.0**-23), np.float32)


xla_log32, xla_log1p32 = partial(of_float32, xla.log_32), partial(of_float32, xla.log1p_32)
xla_exp32, xla_erf32 = partial(of_float32, xla.exp_32), partial(of_float32, xla.erf_32)
xla_erfinv32 = partial(of_float32, xla.erfinv_32)
xla_fma, xla_uniform = partial(of_float32, fma), partial(of_float32, uniform)


def xla_randint(high, low, span, start, out):
    unsigned = out.dtype.type
    factor = xla.factor_of_high(np.array([1 << 4 * out.itemsize], out.dtype), span, unsigned)
    out[:] = xla.integer(high, low, span, start, factor, unsigned)
