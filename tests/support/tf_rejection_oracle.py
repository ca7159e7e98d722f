"""Poisson, binomial and gamma numbers of TensorFlow, one sample at a time, by specs/tensorflow.md, section 10.

Imports nothing of dmlrand. Uses the C library's logarithms, as TensorFlow does.
"""

import math

import oracle

SCRAMBLING_KEY = 0x02461E293EC8F720


def blocks(seed, first):
    """The blocks of a seed pair's stream, from block `first` on, each as two fractions of 52 bits."""
    b = oracle.block(seed[0] % 2**64 + (seed[1] % 2**64 << 64), SCRAMBLING_KEY)
    counter, key = (b[2] + (b[3] << 32) << 64) + first, b[0] + (b[1] << 32)
    while True:
        words = oracle.block(counter % 2**128, key)
        yield tuple(((high % 2**20 << 32) + low) * 2.0**-52 for high, low in (words[:2], words[2:]))
        counter += 1


def uniforms(pairs):
    for first, second in pairs:
        yield second
        yield first


def poisson(seed, index, rate):
    fractions = uniforms(blocks(seed, 256 * index))
    if rate < 10:
        product, k = next(fractions), 0
        while product > math.exp(-rate):
            product *= next(fractions)
            k += 1
        return k
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    while True:
        u, v = next(fractions) - 0.5, next(fractions)
        s = 0.5 - abs(u)
        k = math.floor((2 * a / s + b) * u + rate + 0.43)
        if s >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return k
        if k < 0 or (s < 0.013 and v > s):
            continue
        ratio = math.log(v * (1.1239 + 1.1328 / (b - 3.4)) / (a / (s * s) + b))
        if ratio <= -rate + k * math.log(rate) - math.lgamma(k + 1):
            return k


def binomial(seed, index, count, prob):
    if count <= 0 or prob <= 0:
        return 0
    if prob >= 1:
        return count
    smaller = prob if prob <= 0.5 else 1 - prob
    many = count * smaller >= 10
    fractions = uniforms(blocks(seed, (256 if many else 42) * index))
    successes = (many_trials if many else few_trials)(count, smaller, fractions)
    return successes if prob <= 0.5 else count - successes


def few_trials(count, prob, fractions):
    total, k = 0, 0
    while True:
        total += math.ceil(math.log(next(fractions)) / math.log1p(-prob))
        if total > count:
            return k
        k += 1


TAILS = [
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
    0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
]  # fmt: skip


def tail(k):
    if k <= 9:
        return TAILS[int(k)]
    square = (k + 1) * (k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)


def many_trials(n, p, fractions):
    stddev = math.sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * stddev
    a = -0.0873 + 0.0248 * b + 0.01 * p
    r, m = p / (1 - p), math.floor((n + 1) * p)
    while True:
        u, v = next(fractions) - 0.5, next(fractions)
        s = 0.5 - abs(u)
        k = math.floor((2 * a / s + b) * u + (n * p + 0.5))
        if s >= 0.07 and v <= 0.92 - 4.2 / b:
            return k
        if k < 0 or k > n:
            continue
        bound = (m + 0.5) * math.log((m + 1) / (r * (n - m + 1)))
        bound += (n + 1) * math.log((n - m + 1) / (n - k + 1))
        bound += (k + 0.5) * math.log(r * (n - k + 1) / (k + 1))
        bound = bound + tail(m) + tail(n - m) - tail(k) - tail(n - k)
        if math.log(v * (2.83 + 5.1 / b) * stddev / (a / (s * s) + b)) <= bound:
            return k


def gamma(seed, index, alpha):
    stream = blocks(seed, 256 * index)
    kept_uniforms, kept_normals = [], []

    def uniform():
        if not kept_uniforms:
            kept_uniforms.extend(next(stream))
        return kept_uniforms.pop()

    def normal():
        if not kept_normals:
            u1, u2 = next(stream)
            r, v = math.sqrt(-2 * math.log(max(u1, 1e-7))), 2 * math.pi * u2
            kept_normals.extend([math.sin(v) * r, math.cos(v) * r])
        return kept_normals.pop()

    if alpha == 1:
        return -math.log1p(-uniform())
    d = alpha + (2 / 3 if alpha < 1 else -1 / 3)
    c = 1 / 3 / math.sqrt(d)
    while True:
        x = normal()
        v = 1 + c * x
        if v <= 0:
            continue
        v, u = v * v * v, uniform()
        if u < 1 - 0.0331 * (x * x) * (x * x) or math.log(u) < 0.5 * x * x + d * (1 - v + math.log(v)):
            return d * v * (uniform() ** (1 / alpha) if alpha < 1 else 1)
