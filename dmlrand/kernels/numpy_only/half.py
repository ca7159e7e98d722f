"""Uniform numbers and normals of float16 and bfloat16. Arrays hold bfloat16, which numpy lacks, as float32."""

import numpy as np

from .convert import fill_of_words, fill_rows
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


# The rules: each returns a function of words that returns the numbers.


def read_f16(low, width):
    low, width = np.float16(low), np.float16(width)
    return lambda words: ((words & FRACTION10).astype(np.float16) * STEP10 * width + low).view(np.uint16)


def read_bf16(low, width):
    def rule(words):
        return bits_bf16(nearest_bf16(nearest_bf16((words & FRACTION7).astype(np.float32) * STEP7 * width) + low))

    return rule


def read_pairs_f16(mean, stddev):
    def rule(words):
        return nearest_f16(nearest_f16(nearest_f16(pairs_32(words)) * stddev) + mean).astype(np.float16).view(np.uint16)

    return rule


def read_pairs_bf16(mean, stddev):
    def rule(words):
        return bits_bf16(nearest_bf16(nearest_bf16(nearest_bf16(pairs_32(words)) * stddev) + mean))

    return rule


def uniform_f16(state, lane, positions, low, width, out):
    fill_rows(state, lane, positions, out, read_f16(low, width), 1)


def uniform_bf16(state, lane, positions, low, width, out):
    fill_rows(state, lane, positions, out, read_bf16(low, width), 1)


def normal_f16(state, lane, positions, mean, stddev, out):
    fill_rows(state, lane, positions, out, read_pairs_f16(mean, stddev), 1, group=2)


def normal_bf16(state, lane, positions, mean, stddev, out):
    fill_rows(state, lane, positions, out, read_pairs_bf16(mean, stddev), 1, group=2)


def uniform_of_words_f16(words, low, width, out):
    fill_of_words(words, out, read_f16(low, width))


def uniform_of_words_bf16(words, low, width, out):
    fill_of_words(words, out, read_bf16(low, width))


def normal_of_words_f16(words, mean, stddev, out):
    fill_of_words(words, out, read_pairs_f16(mean, stddev))


def normal_of_words_bf16(words, mean, stddev, out):
    fill_of_words(words, out, read_pairs_bf16(mean, stddev))
