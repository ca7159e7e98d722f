"""XLA's arithmetic on bits and reals, as far as numpy's operations suffice."""

import numpy as np

ODD = np.int64(1)


def fma32(x, y, z):
    """x * y + z of float32, rounded once.

    The product is exact in float64. The sum is rounded to odd: where it is inexact and its last bit is even, it moves by
    one step towards the exact sum. Rounding that to float32, which has 29 bits less, gives what rounding once would.
    """
    product, z = np.multiply(x, y, dtype=np.float64), np.asarray(z, np.float64)
    total = product + z
    kept = total - product
    error = (product - (total - kept)) + (z - kept)  # exact: Knuth's TwoSum
    even = (total.view(np.int64) & ODD) == 0
    away = np.where((error > 0) == (total > 0), np.int64(1), np.int64(-1))  # away from zero is one more in the bits
    return (total.view(np.int64) + np.where(even & (error != 0), away, np.int64(0))).view(np.float64).astype(np.float32)


def between(words, unit, width, low):
    """low + width * (words * unit), and low at least."""
    return np.maximum(low, fma32(words.astype(np.float32) * unit, width, low))


def xla_uniform(bits, shift, unit, low, high, out):
    if out.dtype != np.float32:
        return NotImplemented  # numpy has no type of which float64's products are exact
    out[:] = between(bits >> shift[0], unit[0], high - low, low)
    return None


def remainder(words, span):
    """words modulo span; span 0 stands for all words."""
    return np.where(span, words % np.where(span, span, span.dtype.type(1)), words)


def xla_randint(high, low, span, start, out):
    half = np.array([1 << 4 * out.itemsize], out.dtype)
    factor = remainder(half, span)
    factor = remainder(factor * factor, span)
    out[:] = start + remainder(remainder(high, span) * factor + remainder(low, span), span)
