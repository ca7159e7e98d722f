"""The kernels that Python calls for JAX's keys: `keys` holds pairs of words end to end, `out` as many equal rows."""

from numba import uint32

from . import threefry, threefry_lanes
from .compiling import kernel


@kernel
def threefry_bits(keys, out):
    """A row of bits for each key."""
    rows = keys.size // 2
    for row in range(rows):
        size = out.size // rows
        threefry_lanes.fill_bits(keys[2 * row], keys[2 * row + 1], 0, out[row * size : (row + 1) * size])


@kernel
def threefry_pairs(keys, out):
    """A row of pairs for each key."""
    rows = keys.size // 2
    for row in range(rows):
        size = out.size // rows
        threefry_lanes.fill_pairs(keys[2 * row], keys[2 * row + 1], 0, out[row * size : (row + 1) * size])


@kernel
def threefry_halves(keys, out):
    """A row of JAX's older layout for each key."""
    rows = keys.size // 2
    for row in range(rows):
        size = out.size // rows
        threefry.fill_halves(keys[2 * row], keys[2 * row + 1], out[row * size : (row + 1) * size])


@kernel
def threefry_fold(keys, data, out):
    """The block of counter (0, data[i]) for key i."""
    for i in range(data.size):
        out[2 * i], out[2 * i + 1] = threefry.block(uint32(0), data[i], keys[2 * i], keys[2 * i + 1])
