"""Machine code for flat arrays and words: trusted input, no shapes, no checks, no exceptions.

Importing numba costs more than importing everything else, so a kernel is loaded when it is first named here.
"""

from ..lazy import later

_HOMES = {
    "bitgen_callbacks": "bitgen",
    "bitgen_layout": "bitgen",
    "bitgen_refill": "bitgen",
    "draw": "words",
    "fill": "words",
    "integers_32": "convert",
    "integers_64": "convert",
    "normal_32": "normal",
    "normal_64": "normal",
    "normal_bf16": "half",
    "normal_f16": "half",
    "normal_of_words_32": "normal",
    "normal_of_words_64": "normal",
    "scatter": "words",
    "threefry_bernoulli": "draws",
    "threefry_bits": "keys",
    "threefry_categorical": "selections",
    "threefry_fold": "keys",
    "threefry_gumbel": "draws",
    "threefry_halves": "keys",
    "threefry_normal": "draws",
    "threefry_order": "selections",
    "threefry_pairs": "keys",
    "threefry_randint": "draws",
    "threefry_uniform": "draws",
    "threefry_weighted": "selections",
    "uniform_16": "convert",
    "uniform_32": "convert",
    "uniform_64": "convert",
    "xla_erfinv32": "xla",
    "xla_erfinv64": "xla",
    "xla_log32": "xla",
    "xla_log64": "xla",
    "xla_randint": "xla",
    "xla_uniform": "xla",
}
__getattr__ = later(__name__, _HOMES)
