"""cuRAND's blocks in numpy."""

import numpy as np

from .... import philox
from ....kernels.numpy_only.words import CHUNK_WORDS, LOW_HALF, WORD_BITS, counter_and_key


def curand_blocks(state, out):
    low, high, key = counter_and_key(state)
    c0, c1 = np.uint64(low & philox.MASK32), np.uint64(low >> 32)
    for start in range(0, out.size, CHUNK_WORDS):
        piece = out[start : start + CHUNK_WORDS]
        subsequences = np.arange(piece.size // 4, dtype=np.uint64) + np.uint64(high + start // 4)
        words = philox.block((c0, c1, subsequences & LOW_HALF, subsequences >> WORD_BITS), key)
        piece[:] = np.stack(words, axis=1).reshape(-1)
