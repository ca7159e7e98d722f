"""Kernels that only imitated systems need: Threefry, the arithmetic of XLA, cuRAND's order, masks of attention."""

from ...kernels import attributes_of

__getattr__, __dir__ = attributes_of(__name__, {
    "attention": ("flash_mask",),
    "curand": ("curand_blocks",),
    "threefry": ("threefry_bits", "threefry_fold", "threefry_halves", "threefry_pairs"),
    "xla_kernels": (
        "xla_erf32", "xla_erf64", "xla_erfinv32", "xla_erfinv64", "xla_exp32", "xla_exp64", "xla_fma", "xla_log1p32",
        "xla_log1p64", "xla_log32", "xla_log64", "xla_power", "xla_randint", "xla_tan", "xla_uniform",
    ),
})  # fmt: skip
