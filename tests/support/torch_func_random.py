"""Numbers of torch.func._random beside ours."""

import numpy as np

from dmlrand.compat import torch


def assert_func_draw(function, key, arguments, theirs):
    """Return the largest distance in ulp, for normals, or 0 where the numbers are equal, as they must be."""
    names = {"uniform": ("low", "high", "dtype"), "normal": ("mean", "std")}.get(function, ())
    ours = getattr(torch, f"func_{function}")(key, arguments[0], **dict(zip(names, arguments[1:])))
    theirs = theirs.view(ours.dtype).reshape(ours.shape)
    if function == "normal":
        return np.max(np.abs(ours.astype(float) - theirs) / np.spacing(np.abs(theirs)))
    assert np.array_equal(ours, theirs), (function, key, arguments)
    return 0
