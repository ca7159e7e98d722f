"""Numbers of torch.func._random beside ours."""

import numpy as np
from normal_bounds import TORCH_FUNC_MAX_ULP

from dmlrand.compat import torch


def assert_func_draw(function, key, arguments, theirs):
    """Return the largest distance in ulp, for normals, or 0 where the numbers are equal, as they must be."""
    names = {"uniform": ("low", "high", "dtype"), "normal": ("mean", "std", "dtype")}.get(function, ())
    ours = getattr(torch, f"func_{function}")(key, arguments[0], **dict(zip(names, arguments[1:])))
    theirs = theirs.view(ours.dtype).reshape(ours.shape)
    if function == "normal":
        steps = np.spacing(np.abs(theirs)) if ours.itemsize > 2 else 1
        if ours.itemsize == 2:  # neighbours differ by 1 as integers
            ours, theirs = ours.view(np.int16), theirs.view(np.int16)
        largest = np.max(np.abs(ours.astype(float) - theirs) / steps, initial=0)
        assert largest <= TORCH_FUNC_MAX_ULP[arguments[-1]], (key, arguments)
        return largest
    assert np.array_equal(ours, theirs), (function, key, arguments)
    return 0
