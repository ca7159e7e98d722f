"""torch's Philox numbers, without torch and without a GPU.

CUDAGenerator gives the numbers of `torch.rand(..., device="cuda")` and its neighbours for a GPU of given geometry. No
GPU was available: it follows torch's source, and only small draws were compared, with numbers printed to four decimals.
The functions compiled_* give the numbers of functions that torch.compile made for a CPU, and the functions func_* are
those of torch.func._random on a CPU. Both were compared with torch itself.
specs/torch.md has the rules, and says what was compared with what.
"""

from .compiled import compiled_dropout_mask, compiled_rand, compiled_randint, compiled_randn, compiled_seeds
from .func_random import func_fold_in, func_key, func_normal, func_split, func_uniform
from .generator import CUDAGenerator

__all__ = [
    "CUDAGenerator",
    "compiled_dropout_mask",
    "compiled_rand",
    "compiled_randint",
    "compiled_randn",
    "compiled_seeds",
    "func_fold_in",
    "func_key",
    "func_normal",
    "func_split",
    "func_uniform",
]
