"""What xla.py needs besides kernels/dialect.py: numpy's side, on arrays. numba_dialect.py has numba's, on scalars."""

import numpy as np

floor = np.floor


def remainder(number, divisor):
    """A number modulo an unsigned divisor. The remainder of a divisor of 0 is the number."""
    return np.where(divisor, number % np.where(divisor, divisor, divisor.dtype.type(1)), number)


def fma(x, y, z):
    """x * y + z of float32, rounded once.

    The product is exact in float64. The sum is rounded to odd: if it is inexact and its last bit is even, it moves by
    one step towards the exact sum. Rounding that to float32, which has 29 bits less, gives what rounding once would.
    """
    product, z = np.multiply(x, y, dtype=np.float64), np.asarray(z, np.float64)
    total = product + z
    recovered = total - product
    error = (product - (total - recovered)) + (z - recovered)  # exact: Knuth's TwoSum; nan where the sum is not finite
    inexact = (np.abs(error) > 0) & ((total.view(np.int64) & np.int64(1)) == 0)
    away = np.where((error > 0) == (total > 0), np.int64(1), np.int64(-1))  # away from zero is one more in the bits
    return (total.view(np.int64) + np.where(inexact, away, np.int64(0))).view(np.float64).astype(np.float32)


class Polynomial:
    """A polynomial of float32. Each step of its evaluation is one fused multiply-add."""

    def __init__(self, *coefficients):
        self.coefficients = coefficients  # highest degree first

    def __call__(self, x):
        value = np.full_like(x, self.coefficients[0])
        for coefficient in self.coefficients[1:]:
            value = fma(value, x, np.float32(coefficient))
        return value
