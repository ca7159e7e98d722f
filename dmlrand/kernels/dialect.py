"""What numpy and numba spell differently: numpy's side of the functions that rules.py uses, on arrays.

numba_dialect.py has numba's side, on scalars, and cuda.py that of CUDA devices.
"""

import numpy as np

sqrt, where = np.sqrt, np.where


def nearest_f16(number):
    """A float32 rounded to the nearest float16, to the even one of two that are equally near."""
    return number.astype(np.float16).astype(np.float32)


def bits_f16(number):
    """The bits, as float16, of a float32 whose value is a float16."""
    return number.astype(np.float16).view(np.uint16)


def remainder_64(number, divisor, reciprocal):
    """A uint64 modulo `divisor`; 0 means 2**64. `reciprocal` is for sides that cannot divide fast."""
    return number % divisor if divisor else number
