"""P-values: the probability that a perfect generator gives a statistic at least as large."""

import math


def normal_sf(z):
    return math.erfc(z / math.sqrt(2)) / 2


def chi_square_sf(x, df):
    """Exact: Q(df/2, x/2) by its recurrence in steps of 2 degrees of freedom."""
    half, a = x / 2, 0.5 if df % 2 else 1.0
    total = math.erfc(math.sqrt(half)) if df % 2 else math.exp(-half)
    while a < df / 2:
        total += math.exp(a * math.log(half) - half - math.lgamma(a + 1))
        a += 1
    return total


def chi_square(counts):
    expected = counts.sum() / counts.size
    return chi_square_sf(float(((counts - expected) ** 2).sum() / expected), counts.size - 1)
