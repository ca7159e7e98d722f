"""Draw in your own numba code, in parallel: no number of threads changes the result."""

from numba import njit, prange

from dmlrand.kernels.philox import block


@njit(parallel=True)
def count_points_in_circle(key, blocks):
    inside = 0
    for i in prange(blocks):  # iteration i draws the 4 words of the block at counter i
        x1, y1, x2, y2 = block(i & 0xFFFFFFFF, i >> 32, 0, 0, key & 0xFFFFFFFF, key >> 32)
        for x, y in ((x1, y1), (x2, y2)):
            inside += (x / 2**32) ** 2 + (y / 2**32) ** 2 < 1
    return inside


blocks = 5_000_000
print("pi is about", 4 * count_points_in_circle(42, blocks) / (2 * blocks))
