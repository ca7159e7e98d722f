"""The words of blocks as numbers of a CUDA device."""

import numpy as np
from numpy.typing import NDArray

from ... import kernels

Words = NDArray[np.uint32]


def uniforms(words: Words) -> NDArray[np.float32]:
    """A number of (0, 1] for each word, as cuRAND."""
    numbers = np.empty(words.size, np.float32)
    kernels.curand_uniform_32(words, numbers)
    return numbers


def normals(words: Words) -> NDArray[np.float32]:
    """Two numbers for each pair of words, as cuRAND."""
    numbers = np.empty(words.size, np.float32)
    kernels.curand_normal_32(words, 0.0, 1.0, numbers)
    return numbers


def words32(words: Words) -> NDArray[np.uint64]:
    """Each word as a number."""
    return words.astype(np.uint64)


def words64(words: Words) -> NDArray[np.uint64]:
    """Each pair of words as one number, the first word high."""
    wide = words.astype(np.uint64)
    return wide[::2] << np.uint64(32) | wide[1::2]
