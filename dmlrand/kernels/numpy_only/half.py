"""Normals of 16 bits: made in float32, then rounded, scaled and shifted in the narrow type, held as float32."""

import numpy as np

from .convert import fill_rows
from .normal import pairs_32

LOST_BF16 = np.uint32(16)  # bits that bfloat16 lacks
BELOW_HALF = np.uint32(0x7FFF)  # one less than half of the last bit kept
KEPT = np.uint32(0xFFFF0000)
BIT0 = np.uint32(1)


def nearest_f16(numbers):
    return numbers.astype(np.float16).astype(np.float32)


def nearest_bf16(numbers):
    """Rounded to the nearest bfloat16, to the even one of two equally near."""
    bits = numbers.view(np.uint32)
    return (bits + (BELOW_HALF + (bits >> LOST_BF16 & BIT0)) & KEPT).view(np.float32)


def normal_f16(state, lane, positions, mean, stddev, out):
    def rule(words):
        return nearest_f16(nearest_f16(nearest_f16(pairs_32(words)) * stddev) + mean).astype(np.float16).view(np.uint16)

    fill_rows(state, lane, positions, out, rule, 1, group=2)


def normal_bf16(state, lane, positions, mean, stddev, out):
    def rule(words):
        numbers = nearest_bf16(nearest_bf16(nearest_bf16(pairs_32(words)) * stddev) + mean)
        return (numbers.view(np.uint32) >> LOST_BF16).astype(np.uint16)

    fill_rows(state, lane, positions, out, rule, 1, group=2)
