"""Machine code for flat arrays and words: trusted input, no shapes, no checks, no exceptions.

Importing numba costs more than importing everything else, so a module is loaded when it, or one of its kernels, is first
used as an attribute of this package.
"""

from typing import TYPE_CHECKING

from ..lazy import lazy_attributes

if TYPE_CHECKING:
    from . import philox as philox  # its block function is for users

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "bitgen": ("bitgen_callbacks", "bitgen_layout", "bitgen_refill"),
        "convert": ("integers_32", "integers_64", "uniform_16", "uniform_32", "uniform_64"),
        "draws": ("threefry_bernoulli", "threefry_gumbel", "threefry_normal", "threefry_randint", "threefry_uniform"),
        "half": ("normal_bf16", "normal_f16"),
        "keys": ("threefry_bits", "threefry_fold", "threefry_halves", "threefry_pairs"),
        "normal": ("normal_32", "normal_64", "normal_of_words_32", "normal_of_words_64"),
        "philox": (),
        "selections": ("threefry_categorical", "threefry_order", "threefry_weighted"),
        "threefry": (),
        "words": ("draw", "fill", "scatter"),
        "xla": ("xla_erfinv32", "xla_erfinv64", "xla_log32", "xla_log64", "xla_randint", "xla_uniform"),
    },
)
