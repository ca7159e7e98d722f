"""Words as numbers: normals made from given words, and Poisson, binomial and gamma numbers, made in float64. Sample i
reads the stream from block `stride` * i on. A method gets the first words of many samples, one sample in each row, and
returns a value for each row, NaN where the words did not suffice."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...drawing.number_rules import normal_rule
from ...drawing.number_types import words_per_number
from ...operator import random_generator, random_window
from ...state import State
from ..rejection import Trial, binomial_trial, poisson_trial
from ..shared import join_words
from .arguments import Array
from .seeds import skip_blocks

Reals = NDArray[np.float64]
Method = Callable[..., Reals]

PIECE_SAMPLES = 1 << 12  # made at a time, so that the temporary arrays stay small
FIRST_BLOCKS = 8  # enough for most samples
LEAST_UNIFORM = 1e-7  # of which a normal takes the logarithm


def standard_normals(words: NDArray[np.uint32], dtype: DTypeLike = np.float32) -> Array:
    """The normals of float32 (one a word) or float64 (one from two words) made from given words of rank 1, of complete
    pairs of normals. The words of a state give the numbers of dmlrand.normal."""
    rule = normal_rule(-0.0, 1.0, np.dtype(dtype))  # -0.0 keeps the sign of each zero
    values = np.empty(words.size // words_per_number(rule.dtype), rule.dtype)
    rule.kernels.convert.run(np.array(words), rule.parameters, values)  # kernels take no read-only or strided words
    return values


def draw_samples(state: State, stride: int, method: Method, chosen: NDArray[np.bool_], *parameters: Reals) -> Reals:
    """A sample by a method for each true element of `chosen`, in order. Parameters have the size of `chosen`."""
    values = np.full(chosen.size, np.nan)
    with np.errstate(all="ignore"):  # infinite logarithms and quotients reject or accept a sample, as in C++
        for first in range(0, chosen.size, PIECE_SAMPLES):
            rows = np.flatnonzero(chosen[first : first + PIECE_SAMPLES])
            if rows.size:
                shape = int(rows[-1]) + 1, 4 * stride
                window = slice(None), slice(0, 4 * FIRST_BLOCKS)
                words = random_window(skip_blocks(state, first * stride), shape, window)[rows]
                values[first + rows] = method(words, *(each[first + rows] for each in parameters))
        for i in np.flatnonzero(chosen & np.isnan(values)).tolist():
            start, blocks = skip_blocks(state, i * stride), FIRST_BLOCKS
            while math.isnan(values[i]):
                blocks *= 2
                words = random_generator(start, (1, 4 * blocks)).values
                values[i] = method(words, *(each[i : i + 1] for each in parameters))[0]
    return values[chosen]


def small_poisson(words: Array, rate: Reals) -> Reals:
    """Knuth's method: how many uniforms can be multiplied before the product is at most exp(-rate)."""
    finished = np.cumprod(_uniforms(words), axis=1) <= np.exp(-rate)[:, None]
    return _first(finished)


def large_poisson(words: Array, rate: Reals) -> Reals:
    log_gamma = partial(by_c_library, math.lgamma)
    return _first_accepted(words, partial(poisson_trial, log=np.log, log_gamma=log_gamma, fma=_multiply_add), rate)


def small_binomial(words: Array, count: Reals, prob: Reals) -> Reals:
    """How many geometric numbers can be added before the sum exceeds count."""
    geometric = np.ceil(np.log(_uniforms(words)) / np.log1p(-prob)[:, None])
    return _first(np.cumsum(geometric, axis=1) > count[:, None])


def large_binomial(words: Array, count: Reals, prob: Reals) -> Reals:
    trial = partial(binomial_trial, log=np.log, fma=_multiply_add, series_max=math.inf)
    return _first_accepted(words, trial, count, prob)


def exponential(words: Array, alpha: Reals, c_library: bool = False) -> Reals:
    uniforms = _uniforms(words)[:, 0]
    return -(by_c_library(math.log1p, -uniforms) if c_library else np.log1p(-uniforms))


def gamma(words: Array, alpha: Reals, c_library: bool = False) -> Reals:
    """Marsaglia and Tsang's method of 2000, with a power of a uniform for alpha below 1. Each row takes its next block
    when it needs a pair of normals or uniforms, and uses the second number of a pair first. c_library: normals and
    powers are those of the machine's C library."""
    uniforms = _uniforms(words).reshape(len(words), -1, 2)
    normals = None if c_library else standard_normals(words.reshape(-1), np.float64).reshape(uniforms.shape)
    below_1 = alpha < 1
    d = alpha + np.where(below_1, 2.0 / 3, -1.0 / 3)
    c = 1.0 / 3 / np.sqrt(d)
    values, rows = np.full(len(words), np.nan), np.arange(len(words), dtype=np.int64)
    next_block, normal_block, uniform_block, drawn = np.zeros((4, len(words)), np.int64)

    def next_uniforms(rows: Array) -> Reals:
        new = rows[drawn[rows] % 2 == 0]
        uniform_block[new] = next_block[new]
        next_block[new] += 1
        drawn[rows] += 1
        return np.asarray(uniforms[rows, uniform_block[rows], (drawn[rows] + 1) % 2])

    # An attempt takes at most one block of normals and one of uniforms.
    for attempt in range(words.shape[1]):
        rows = rows[next_block[rows] + 2 <= uniforms.shape[1]]
        if not rows.size:
            break
        if attempt % 2 == 0:
            normal_block[rows] = next_block[rows]
            next_block[rows] += 1
        if normals is None:
            x = _normals_of_c_library(uniforms[rows, normal_block[rows]], attempt % 2)
        else:
            x = normals[rows, normal_block[rows], 1 - attempt % 2]
        v = 1 + c[rows] * x
        positive = v > 0
        tried, x, v = rows[positive], x[positive], v[positive]
        v = v * v * v
        accepted = _is_accepted(next_uniforms(tried), x, v, d[tried])
        done = tried[accepted]
        values[done] = d[done] * v[accepted]
        powers = done[below_1[done]]
        bases, exponents = next_uniforms(powers), 1 / alpha[powers]
        values[powers] *= by_c_library(math.pow, bases, exponents) if c_library else np.power(bases, exponents)
        rows = rows[np.isnan(values[rows])]
    return values


def _is_accepted(u: Reals, x: Reals, v: Reals, d: Reals) -> NDArray[np.bool_]:
    """The test of Marsaglia and Tsang's method: first a quick one, then that of the density."""
    square = x * x
    return np.asarray((u < 1 - 0.0331 * square * square) | (np.log(u) < 0.5 * x * x + d * (1 - v + np.log(v))))


def by_c_library(function: Callable[..., float], *arguments: Reals) -> Reals:
    """A function of `math`, which calls the C library of the machine, as TensorFlow does."""
    return np.array([function(*each) for each in zip(*(column.tolist() for column in arguments))], np.float64)


def _normals_of_c_library(pairs: Reals, used: int) -> Reals:
    """One normal of each pair of fractions, whose second one comes first: number `used`, of the cosine or the sine."""
    radii = np.sqrt(-2.0 * by_c_library(math.log, np.maximum(pairs[:, 1], LEAST_UNIFORM)))
    return np.asarray(by_c_library((math.cos, math.sin)[used], 2 * math.pi * pairs[:, 0]) * radii)


def _uniforms(words: Array) -> Reals:
    """Fractions of 52 bits, two from each block of a row, the second of them first."""
    fractions = join_words(words[:, 1::2], words[:, 0::2] & 0xFFFFF) * 2.0**-52
    return np.asarray(fractions.reshape(len(words), -1, 2)[:, :, ::-1].reshape(len(words), -1))


def _first(finished: NDArray[np.bool_]) -> Reals:
    """The number of the first true column of each row, NaN if there is none."""
    return np.where(finished.any(axis=1), finished.argmax(axis=1).astype(np.float64), np.nan)


def _first_accepted(words: Array, trial: Callable[..., Trial], *parameters: Reals) -> Reals:
    """The first number of each row that a trial of its parameters accepts, NaN if there is none."""
    uniforms = _uniforms(words)
    values, rows = np.full(len(words), np.nan), np.arange(len(words), dtype=np.int64)
    for column in range(0, uniforms.shape[1], 2):
        u, v = uniforms[rows, column] - 0.5, uniforms[rows, column + 1]
        numbers, accepted = trial(*(each[rows] for each in parameters))(u, v)
        values[rows[accepted]] = numbers[accepted]
        rows = rows[~accepted]
    return values


def _multiply_add(x: Reals, y: Reals, z: Reals) -> Reals:
    return x * y + z
