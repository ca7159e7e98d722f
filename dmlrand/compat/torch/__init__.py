"""torch's Philox numbers, without torch and without a GPU.

CUDAGenerator gives the numbers of `torch.rand(..., device="cuda")` and its neighbours for a GPU of given geometry.
attention_dropout_mask gives the masks of scaled_dot_product_attention, and flash_attn_dropout_mask those of
FlashAttention 2. The functions compiled_* give the numbers of functions that torch.compile made for a CPU, and the
functions func_* are those of torch.func._random on a CPU. DEVICES has geometries of GPUs by their names,
as CUDAGenerator of this module takes them. specs/torch.md has the rules, and says what was compared with what.

shape : int, or tuple or list of ints >= 0
    It must describe fewer than 2**31 bytes, because torch divides larger tensors.
seed : int in [-2**63, 2**64)
    It counts modulo 2**64.
p : real in [0, 1]
    The chance to drop an element.
"""

from typing import TYPE_CHECKING

from ...drawing.imports import lazy_attributes
from . import attention, cpu, generator
from .attention import *
from .cpu import *
from .generator import *

# Names of torch that are not here, and what to write instead.
_DRAW = 'Draw from a generator: CUDAGenerator(42, "A100").{}((2, 3)).'
_ABSENT = {
    **{name: _DRAW.format(name) for name in ("rand", "randn", "randint", "normal", "bernoulli")},
    **dict.fromkeys(("rand_like", "randn_like", "randint_like"), _DRAW.format("randn")),
    "dropout": 'Multiply by a mask: CUDAGenerator(42, "A100").dropout_mask(x.shape, 0.5).',
    "manual_seed": 'There is no global generator: make one with CUDAGenerator(42, "A100").',
    "Generator": "CUDAGenerator is torch.Generator(device='cuda'). PyTorch's CPU generator does not use Philox.",
    **dict.fromkeys(("randperm", "multinomial", "poisson"), "It is not reproduced."),
}
if not TYPE_CHECKING:  # type checkers read the imports, and would take every misspelt name for a lazy one
    _parts = attention, cpu, generator
    __all__ = sorted(name for part in _parts for name in part.__all__)
    __getattr__, __dir__ = lazy_attributes(__name__, {}, _ABSENT)
