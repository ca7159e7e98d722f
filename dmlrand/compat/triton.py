"""Triton's random numbers (`triton.language`, 3.8 and 3.9), without Triton and without a GPU.

Element i of a block depends only on the seed and on offset i: it is made of the Philox4x32-10 block of counter offset i
and key seed. randint4x, randint, rand4x and rand are exact. randn and randn4x are within 5 ulp of Triton's interpreter.
specs/triton.md has the rules. Not for cryptography.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import kernels
from ..arrays.integers import check_int
from ..state import make_state

Words = NDArray[np.uint32]
Numbers = NDArray[np.float32]

SCALE = np.float32(4.6566127342e-10)  # Triton's: the largest int32 times it is below 1
LEAST = np.float32(1e-7)  # of which randn takes the logarithm
TURN = np.float32(6.283185307179586)

__all__ = ["rand", "rand4x", "randint", "randint4x", "randn", "randn4x"]


def randint4x(seed: int, offset: Any) -> tuple[Words, Words, Words, Words]:
    """Four random words for each offset: `tl.randint4x`. Exact.

    Parameters
    ----------
    seed : int in [-2**63, 2**64)
        The key, modulo 2**64. (Triton reads a Python int as int32, int64 or uint64, and extends its sign.)
    offset : integer array of any type and shape
        64-bit offsets are counters modulo 2**64. Smaller ones are converted to 32 bits, with their sign, and are
        counters modulo 2**32: -1 of int32 is the counter 2**32 - 1, and -1 of int64 is the counter 2**64 - 1.

    Returns
    -------
    four uint32 arrays in the shape of offset
        Triton's page calls the numbers int32. Its code returns uint32; `.view(np.int32)` gives the other.

    Examples
    --------
    >>> import numpy as np
    >>> randint4x(42, np.arange(3, dtype=np.int32))[0]
    array([2632642643, 4242219303, 3547071013], dtype=uint32)
    """
    shape, blocks = _blocks(seed, offset)
    lane0, lane1, lane2, lane3 = (blocks[:, lane].reshape(shape) for lane in range(4))
    return lane0, lane1, lane2, lane3


def randint(seed: int, offset: Any) -> Words:
    """One random word for each offset: `tl.randint`, the first of randint4x. Exact.

    The arguments and errors are those of randint4x.

    >>> import numpy as np
    >>> randint(42, np.arange(3, dtype=np.int32))
    array([2632642643, 4242219303, 3547071013], dtype=uint32)
    """
    return randint4x(seed, offset)[0]


def rand4x(seed: int, offset: Any) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Four uniform numbers of [0, 1) for each offset: `tl.rand4x`. Exact.

    A number is x * 4.6566127342e-10 in float32, where x is the word as an int32, and ~x if it is negative. The words w
    and 2**32 - 1 - w give the same number. The arguments and errors are those of randint4x.

    >>> import numpy as np
    >>> len(rand4x(42, np.arange(3)))
    4
    """
    lane0, lane1, lane2, lane3 = map(_uniform, randint4x(seed, offset))
    return lane0, lane1, lane2, lane3


def rand(seed: int, offset: Any) -> Numbers:
    """One uniform number of [0, 1) for each offset: `tl.rand`, the first of rand4x. Exact.

    The arguments and errors are those of randint4x.

    >>> import numpy as np
    >>> rand(42, np.arange(3, dtype=np.int32))
    array([0.77408016, 0.0245627 , 0.3482663 ], dtype=float32)
    """
    return _uniform(randint(seed, offset))


def randn4x(seed: int, offset: Any) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Four normals for each offset: `tl.randn4x`. Within 5 ulp of Triton's interpreter.

    Two uniform numbers u1 and u2 make two normals: sqrt(-2 log(max(u1, 1e-7))) times the cosine, and then the sine, of
    2 * pi * u2. The angle is rounded to float32. The arguments and errors are those of randint4x.

    >>> import numpy as np
    >>> len(randn4x(42, np.arange(3)))
    4
    """
    u1, u2, u3, u4 = rand4x(seed, offset)
    return *_normals(u1, u2), *_normals(u3, u4)


def randn(seed: int, offset: Any) -> Numbers:
    """One normal for each offset: `tl.randn`, the first of randn4x. Within 5 ulp of Triton's interpreter.

    The arguments and errors are those of randint4x.

    >>> import numpy as np
    >>> randn(42, np.arange(3, dtype=np.int32)).round(3)
    array([ 0.661, -1.543, -0.59 ], dtype=float32)
    """
    shape, blocks = _blocks(seed, offset)
    uniforms = _uniform(blocks[:, :2])
    return _normals(uniforms[:, 0], uniforms[:, 1])[0].reshape(shape)


def _blocks(seed: Any, offset: Any) -> tuple[tuple[int, ...], Words]:
    """The shape of the offsets, and the four words of each as one row."""
    key = check_int(seed, "seed", -(1 << 63), 1 << 64) % (1 << 64)
    if not isinstance(offset, (np.ndarray, np.generic)) or offset.dtype.kind not in "iu":
        got = f"an array of {offset.dtype}" if isinstance(offset, np.ndarray) else repr(offset)
        raise TypeError(f"offset must be an array of integers; got {got}. Pass numpy.arange(n, dtype=numpy.int32).")
    narrow = offset.astype(np.uint64 if offset.dtype.itemsize == 8 else np.uint32)
    out = np.empty(4 * narrow.size, np.uint32)
    kernels.draw_blocks(make_state(key=key), narrow.reshape(-1).astype(np.uint64), out)
    return narrow.shape, out.reshape(-1, 4)


def _uniform(words: Words) -> Numbers:
    numbers = words.view(np.int32)
    return np.where(numbers < 0, ~numbers, numbers).astype(np.float32) * SCALE


def _normals(u1: Numbers, u2: Numbers) -> tuple[Numbers, Numbers]:
    """The numbers with the cosine and with the sine, computed in float64."""
    u = np.maximum(u1, LEAST).astype(np.float64).reshape(-1)
    angles = (u2 * TURN).astype(np.float64).reshape(-1)
    pairs = np.empty(2 * u.size)
    kernels.box_muller(u, angles, pairs)
    sines, cosines = (pairs[i::2].astype(np.float32).reshape(u1.shape) for i in range(2))
    return cosines, sines
