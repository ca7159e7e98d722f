"""The mask of FlashAttention 2's dropout, tile by tile: specs/torch.md, section 5.

A tile has 16 rows and 32 columns. For each of its 32 lanes, a Philox4x32 block of 7 rounds gives 16 bytes, one for each
element that the lane holds in the accumulators of the instruction mma.m16n8.
"""

from numba import uint8, uint32, uint64

from ...kernels.compiling import kernel
from ...kernels.philox import WORD_BITS, block, load

ROUNDS = 7
LANES = 32


@kernel
def flash_mask(state, first_row, first_column, limit, out):
    """1 where an element is kept, else 0, in tiles of one head: tiles have the axes 0 and 2 of `out`, their rows and
    columns the axes 1 and 3. first_row and first_column are the place of the first tile among tiles.

    The state's key is the seed. Words 0 and 1 of its counter are the offset of lane 0 of the head.
    """
    low, _, k0, k1 = load(state)
    highest = uint8(limit)
    for i in range(out.shape[0]):
        for j in range(out.shape[2]):
            c2, c3 = uint32(first_row + i), uint32(first_column + j)
            for lane in range(LANES):
                counter = uint64(low + uint64(lane))
                words = block(counter, counter >> WORD_BITS, c2, c3, k0, k1, ROUNDS)
                row, column = lane // 4, lane % 4 * 2
                for word in range(4):
                    for byte in range(4):  # two neighbours in a row, and two 8 rows below
                        number = uint8(words[word] >> uint32(8 * byte))
                        out[i, row + byte // 2 * 8, j, column + 8 * word + byte % 2] = uint8(number <= highest)
