"""XLA's log1p, exp, erf and fused multiply-add of float32 in NumPy."""

import numpy as np

from ...jax import coefficients
from .xla import HALF, LN2_HIGH, LN2_LOW, ONE, TINY, fma32, horner, log1p32

LOG2_E, EXP_LOWEST = np.float32(coefficients.LOG2_E), np.float32(coefficients.EXP32_LOWEST)


@np.errstate(all="ignore")
def xla_log1p32(x, out):
    out[:] = np.where(x > -1, log1p32(x), np.float32(-np.inf))


@np.errstate(all="ignore")
def xla_exp32(x, out):
    x = np.where(x < EXP_LOWEST, EXP_LOWEST, x)
    n = np.clip(np.floor(fma32(x, LOG2_E, HALF)), np.float32(-127), np.float32(127))
    r = fma32(-n, LN2_LOW, fma32(-n, LN2_HIGH, x))
    y = fma32(horner(coefficients.EXP32, r), r * r, r) + ONE
    y *= ((n.astype(np.int32) + np.int32(127)) << np.int32(23)).view(np.float32)
    out[:] = np.where(y < TINY, np.float32(0), y)


@np.errstate(all="ignore")
def xla_erf32(x, out):
    x2 = x * x
    quotients = (x * horner(coefficients.ERF32_NUMERATOR, x2)) / horner(coefficients.ERF32_DENOMINATOR, x2)
    out[:] = np.where(np.abs(x) >= np.float32(coefficients.ERF32_END), np.copysign(ONE, x), quotients)


@np.errstate(all="ignore")
def xla_fma(x, y, z, out):
    if out.dtype != np.float32:
        return NotImplemented
    out[:] = fma32(x, y, z)
    return None
