"""cuRAND's blocks and numbers, by the operations of kernels/curand.py on arrays."""

import numpy as np

from ... import philox
from .normal import normal_pairs
from .words import CHUNK_WORDS, LOW_HALF, WORD_BITS, counter_and_key

STEP_32, HALF_STEP_32 = np.float32(2.0**-32), np.float32(2.0**-33)
STEP_53, HALF_STEP_53 = 2.0**-53, 2.0**-54
STEP_52 = 2.0**-52
TURN_32 = np.float32(2.3283064e-10) * np.float32(6.2831855)
HALF_TURN_32 = TURN_32 / np.float32(2)
HIGH_SHIFT = np.uint64(21)


def curand_blocks(state, out):
    low, high, key = counter_and_key(state)
    c0, c1 = np.uint64(low & philox.MASK32), np.uint64(low >> 32)
    for start in range(0, out.size, CHUNK_WORDS):
        piece = out[start : start + CHUNK_WORDS]
        subsequences = np.arange(piece.size // 4, dtype=np.uint64) + np.uint64(high + start // 4)
        words = philox.block((c0, c1, subsequences & LOW_HALF, subsequences >> WORD_BITS), key)
        piece[:] = np.stack(words, axis=1).reshape(-1)


def unit_32(words):
    return words.astype(np.float32) * STEP_32 + HALF_STEP_32


def fraction_53(low, high):
    return (low ^ high.astype(np.uint64) << HIGH_SHIFT).astype(np.float64)


def curand_uniform_32(words, out):
    out[:] = unit_32(words)


def curand_uniform_64(first, second, out):
    numbers = out.reshape(-1, 2, 2)
    for words, halves in ((first, numbers[:, 0]), (second, numbers[:, 1])):
        halves[:] = (fraction_53(words[::2], words[1::2]) * STEP_53 + HALF_STEP_53).reshape(-1, 2)


def curand_normal_32(words, mean, stddev, out):
    angle = words[1::2].astype(np.float32) * TURN_32 + HALF_TURN_32
    pairs = normal_pairs(unit_32(words[::2]).astype(np.float64), angle.astype(np.float64))
    with np.errstate(all="ignore"):  # results beyond the largest float32 are infinite, without a warning
        out[:] = pairs.astype(np.float32) * np.float32(stddev) + np.float32(mean)


def curand_normal_64(first, second, mean, stddev, out):
    numbers = out.reshape(-1, 2, 2)
    with np.errstate(all="ignore"):
        for words, halves in ((first, numbers[:, 0]), (second, numbers[:, 1])):
            u = fraction_53(words[::4], words[1::4]) * STEP_53 + HALF_STEP_53
            angle = (fraction_53(words[2::4], words[3::4]) * STEP_52 + STEP_53) * np.pi
            halves[:] = (normal_pairs(u, angle) * stddev + mean).reshape(-1, 2)
