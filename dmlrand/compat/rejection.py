"""Hormann's transformed rejection of 1993 ("... for generating Poisson random variables", "The generation of binomial
random variates"), by which TensorFlow and XLA draw such numbers. Both take the same steps in the same order, with
constants that differ from the papers in places. A trial takes uniform u in [-1/2, 1/2) and v in [0, 1). It gives a
count for each element, and whether it is accepted. `log` and `fma` are the system's: fma is x * y + z, rounded once or
twice. All arrays have rank 1 and one type."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .shared import Array

Trial = Callable[[Array, Array], tuple[Array, NDArray[np.bool_]]]
Function = Callable[..., Array]

# log(k!) minus Stirling's approximation, for k = 0, 1, ..., 9
STIRLING_TAILS = np.array(
    [
        0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
        0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
    ]
)  # fmt: skip


def poisson_trial(rates: Array, log: Function, log_gamma: Function, fma: Function) -> Trial:
    real = rates.dtype.type
    b = fma(np.sqrt(rates), real(2.53), real(0.931))
    a = fma(b, real(0.02483), real(-0.059))
    limit = real(0.9277) - real(3.6224) / (b - 2)
    inverse = real(1.1239) + real(1.1328) / (b - real(3.4))

    def trial(u: Array, v: Array) -> tuple[Array, NDArray[np.bool_]]:
        distance = real(0.5) - np.abs(u)
        k = np.floor(fma(2 * a / distance + b, u, rates) + real(0.43))
        accepted = (distance >= real(0.07)) & (v <= limit)
        left = ~accepted & (k >= 0) & ((distance >= real(0.013)) | (v <= distance))
        scaled = (v * inverse / (a / (distance * distance) + b))[left]
        kk, rate = k[left], rates[left]
        accepted[left] = log(scaled) <= fma(kk, log(rate), -rate) - log_gamma(kk + 1)
        return k, accepted

    return trial


def stirling_tail(k: Array, series_max: float) -> Array:
    """log(k!) minus Stirling's approximation. Above 9 it is a series, which XLA takes at 9 for every greater k."""
    real = k.dtype.type
    x = np.minimum(k, real(series_max)) + 1
    square = x * x
    series = (real(1 / 12) - (real(1 / 360) - real(1 / 1260) / square) / square) / x
    return np.where(k <= 9, STIRLING_TAILS.astype(k.dtype)[np.minimum(k, 9).astype(np.intp)], series)


def binomial_trial(counts: Array, chances: Array, log: Function, fma: Function, series_max: float) -> Trial:
    """The chances are at most 1/2. `series_max` is that of stirling_tail."""
    real = chances.dtype.type
    odds, deviation = chances / (1 - chances), np.sqrt(counts * chances * (1 - chances))
    b = fma(deviation, real(2.53), real(1.15))
    a = fma(chances, real(0.01), fma(b, real(0.0248), real(-0.0873)))
    center, limit = fma(counts, chances, real(0.5)), real(0.92) - real(4.2) / b
    alpha, modes = (real(2.83) + real(5.1) / b) * deviation, np.floor((counts + 1) * chances)

    def trial(u: Array, v: Array) -> tuple[Array, NDArray[np.bool_]]:
        distance = real(0.5) - np.abs(u)
        k = np.floor(fma(2 * a / distance + b, u, center))
        accepted = (distance >= real(0.07)) & (v <= limit)
        left = ~accepted & (k >= 0) & (k <= counts)
        scaled = (v * alpha / (a / (distance * distance) + b))[left]
        n, kk, mode, r = (each[left] for each in (counts, k, modes, odds))
        bound = (mode + real(0.5)) * log((mode + 1) / (r * (n - mode + 1)))
        bound = fma(n + 1, log((n - mode + 1) / (n - kk + 1)), bound)
        bound = fma(kk + real(0.5), log(r * (n - kk + 1) / (kk + 1)), bound)
        tails = [stirling_tail(each, series_max) for each in (mode, n - mode, kk, n - kk)]
        bound = bound + tails[0] + tails[1] - tails[2] - tails[3]
        accepted[left] = log(scaled) <= bound
        return k, accepted

    return trial
