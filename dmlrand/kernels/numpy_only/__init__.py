"""Kernels in numpy alone: the same names, arguments and bits as the compiled kernels, without numba's start-up time.

A process uses them until it has drawn so many words that loading numba pays, or always where numba cannot be used.
`dmlrand.kernels` decides. Kernels that need operations which numpy lacks exist only compiled.
"""

from .batch import batch_words as batch_words, move_states as move_states
from .fill import (
    convert_kernel as convert_kernel,
    fill_kernel as fill_kernel,
    fill_region_kernel as fill_region_kernel,
)
from .permutations import permute as permute
