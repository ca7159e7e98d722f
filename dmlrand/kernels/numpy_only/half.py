"""Uniform numbers and normals of float16 and bfloat16. Arrays hold bfloat16, which numpy lacks, as float32."""

import numpy as np

from .convert import fill_rows
from .normal import pairs_32

DROPPED_BITS_BF16 = np.uint32(16)  # fraction bits that bfloat16 lacks
BELOW_HALF_BF16 = np.uint32(0x7FFF)  # half of the last remaining bit, less one
MASK_BF16 = np.uint32(0xFFFF0000)
BIT0 = np.uint32(1)
FRACTION10, FRACTION7 = np.uint32(0x3FF), np.uint32(0x7F)
STEP10, STEP7 = np.float16(2.0**-10), np.float32(2.0**-7)


def nearest_f16(numbers):
    return numbers.astype(np.float16).astype(np.float32)


def nearest_bf16(numbers):
    """float32 numbers rounded to the nearest bfloat16, to the even one of two that are equally near."""
    bits = numbers.view(np.uint32)
    return (bits + (BELOW_HALF_BF16 + (bits >> DROPPED_BITS_BF16 & BIT0)) & MASK_BF16).view(np.float32)


def bits_bf16(numbers):
    return (numbers.view(np.uint32) >> DROPPED_BITS_BF16).astype(np.uint16)


def uniform_f16(state, lane, positions, low, width, out):
    low, width = np.float16(low), np.float16(width)

    def rule(words):
        return ((words & FRACTION10).astype(np.float16) * STEP10 * width + low).view(np.uint16)

    fill_rows(state, lane, positions, out, rule, 1)


def uniform_bf16(state, lane, positions, low, width, out):
    def rule(words):
        return bits_bf16(nearest_bf16(nearest_bf16((words & FRACTION7).astype(np.float32) * STEP7 * width) + low))

    fill_rows(state, lane, positions, out, rule, 1)


def normal_f16(state, lane, positions, mean, stddev, out):
    def rule(words):
        return nearest_f16(nearest_f16(nearest_f16(pairs_32(words)) * stddev) + mean).astype(np.float16).view(np.uint16)

    fill_rows(state, lane, positions, out, rule, 1, group=2)


def normal_bf16(state, lane, positions, mean, stddev, out):
    def rule(words):
        return bits_bf16(nearest_bf16(nearest_bf16(nearest_bf16(pairs_32(words)) * stddev) + mean))

    fill_rows(state, lane, positions, out, rule, 1, group=2)
