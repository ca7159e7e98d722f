"""The bounds, in ulp, of the pages in specs/ between our normals and those of other packages."""

import numpy as np

CURAND_MAX_ULP = {"generate_normal": 3, "generate_normal_double": 5}  # before scaling
TRITON_MAX_ULP = 5  # its interpreter
TORCH_MAX_ULP = 2  # its compiled functions on a CPU
TORCH_FUNC_MAX_ULP = {"float16": 1, "bfloat16": 1, "float32": 3, "float64": 4}  # of torch.func._random


def largest_ulp(ours, theirs):
    """The largest distance of numbers from those of another package, in units of the last place of the latter."""
    return np.max(np.abs(ours.astype(np.longdouble) - theirs) / np.spacing(np.abs(theirs)), initial=0)
