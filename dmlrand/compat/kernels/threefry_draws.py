"""The kernels of Threefry2x32-20. They fill by the vector code of threefry_simd.py, or by the plain loops of
threefry.py where it does not work (see compiling.choose). threefry.py says what `keys` and `out` hold."""

from functools import partial

import numpy as np

from ...kernels.compiling import choose, kernel, named_after
from . import numpy_only, threefry

CHECKED_KEY = (0x01234567, 0x89ABCDEF)
CHECKED_BLOCKS = 100  # more than one step of the vector code makes


def kernels_by(module):
    """The kernels of elements first, first + 1, ... for each key. `first` is a uint64, a multiple of 16."""

    def kernel_by(fill, name):
        @kernel
        @named_after(name)
        def threefry(keys, first, out):
            rows = keys.size // 2
            for row in range(rows):
                size = out.size // rows
                fill(keys[2 * row], keys[2 * row + 1], first, out[row * size : (row + 1) * size])

        return threefry

    return kernel_by(module.fill_bits, "bits"), kernel_by(module.fill_pairs, "pairs")


def checks(kernels):
    for words, made in enumerate(kernels, 1):
        arguments = np.array(CHECKED_KEY, np.uint32), np.uint64(0), np.zeros(words * CHECKED_BLOCKS, np.uint32)
        yield made, partial(numpy_only.fill_rows, words), arguments


_, (threefry_bits, threefry_pairs) = choose("plain Threefry", kernels_by, threefry.__name__ + "_simd", threefry, checks)


@kernel
def threefry_halves(keys, out):
    """A row for each key, in JAX's older layout: clause 5 of specs/jax.md."""
    rows = keys.size // 2
    for row in range(rows):
        size = out.size // rows
        numbers = out[row * size : (row + 1) * size]
        half = (size + 1) // 2
        for i in range(half):
            other = half + i if half + i < size else 0
            x0, x1 = threefry.block(i, other, keys[2 * row], keys[2 * row + 1])
            numbers[i] = x0
            if half + i < size:
                numbers[half + i] = x1


@kernel
def threefry_fold(keys, data, out):
    """The block of counter (0, data[i]) for key i."""
    for i in range(data.size):
        out[2 * i], out[2 * i + 1] = threefry.block(0, data[i], keys[2 * i], keys[2 * i + 1])
