"""Blocks at any numbers, and normals of given uniform numbers and angles."""

from ...kernels.compiling import kernel
from ...kernels.fill import FUNCTIONS
from ...kernels.philox import add_blocks, block_at, load

pair_of_reals = FUNCTIONS["pair_of_reals"]


@kernel
def draw_blocks(state, numbers, out):
    """Four words for each of `numbers`, uint64: the block at the state's counter + this number."""
    low, high, k0, k1 = load(state)
    for i in range(numbers.size):
        block_low, block_high = add_blocks(low, high, numbers[i])
        out[4 * i], out[4 * i + 1], out[4 * i + 2], out[4 * i + 3] = block_at(block_low, block_high, k0, k1)


@kernel
def box_muller(u, angles, out):
    """The two float64 normals of each u in (0, 1] and each angle in [0, 2 * pi]: the sine's, then the cosine's."""
    for i in range(u.size):
        out[2 * i], out[2 * i + 1] = pair_of_reals(u[i], angles[i])
