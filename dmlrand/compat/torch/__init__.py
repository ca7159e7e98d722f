"""torch's Philox numbers, without torch and without a GPU.

CUDAGenerator gives the numbers of `torch.rand(..., device="cuda")` and its neighbours for a GPU of given geometry.
DEVICES has the geometries of common devices, and find_geometry finds those that fit printed numbers.
attention_dropout_mask gives the masks of scaled_dot_product_attention, and flash_attn_dropout_mask those of
FlashAttention 2. No GPU was available: these functions were compared with numbers that others printed, and with the
source. The functions compiled_* give the numbers of functions that torch.compile made for a CPU, and the functions
func_* are those of torch.func._random on a CPU. Both were compared with torch itself.
specs/torch.md has the rules, and says what was compared with what.

>>> sms, threads_per_sm = DEVICES["RTX 3060"]
>>> latents = CUDAGenerator(42, sms, threads_per_sm).randn((1, 4, 64, 64))
"""

from .attention import attention_dropout_mask, flash_attn_dropout_mask
from .compiled import compiled_dropout_mask, compiled_rand, compiled_randint, compiled_randn, compiled_seeds
from .func_random import func_fold_in, func_key, func_normal, func_split, func_uniform
from .generator import CUDAGenerator
from .geometry import DEVICES, Geometry, find_geometry

__all__ = [
    "DEVICES", "CUDAGenerator", "Geometry", "attention_dropout_mask", "compiled_dropout_mask", "compiled_rand",
    "compiled_randint", "compiled_randn", "compiled_seeds", "find_geometry", "flash_attn_dropout_mask", "func_fold_in",
    "func_key", "func_normal", "func_split", "func_uniform",
]  # fmt: skip
