"""Words read as normals: the Box-Muller transform, with log, sine and cosine of its own.

A C library's would differ from machine to machine and keep the loop from becoming vector code. Here every operation
is one that IEEE 754 rounds exactly, in a fixed order, and the compiler may not contract them (no fastmath): the same
bits on every instruction set. specs/distributions.md, section 5, says how far they are from the formula.

The polynomials are minimax in the relative error of the whole function, by tests/makers/normal_coefficients.py. They
are summed pairwise, as Estrin did, which halves the chain of operations that wait for each other.
"""

import numpy as np
from numba import float32, float64, int32, int64, njit, uint32

from .compiling import kernel
from .convert import FRACTION20, FRACTION23, converter, fraction64

F = np.float32
MANTISSA = np.int32(FRACTION23)
BIT0, BIT1 = np.int32(1), np.int32(2)

# Numbers in two parts: the first so short that its product with a small integer is exact.
LN4_HI_32, LN4_LO_32 = F(1.38629150390625), F(2.8572136406188345e-06)
LN4_HI_64, LN4_LO_64 = 1.3862943611184164, 1.4742005130335598e-12
QUARTER_HI_32, QUARTER_LO_32 = F(1.570796012878418), F(3.139164786504813e-07)  # of a turn, that is pi / 2
QUARTER_HI_64, QUARTER_LO_64 = 1.5707963267948966, 6.123233995736766e-17
TURN = 6.283185307179586  # 2 * pi
TURN_23 = TURN * 2.0**-23  # the angle of one step of a 23-bit fraction

# The least fraction whose logarithm is taken: TensorFlow's number, in float32 counted in steps of 2**-23.
LEAST_32 = F(F(1e-7) * F(2.0**23))
LEAST_64 = 1e-7

SQRT_HALF_32, SQRT_HALF_64 = np.int32(0x3F3504F3), np.int64(0x3FE6A09E667F3BCD)  # bits of sqrt(1/2)
EXPONENT_32, EXPONENT_64 = np.int32(23), np.int64(52)  # where the exponent begins
DOUBLED = np.int32(1 << 23)  # added to the bits of a float32, it doubles the number
NEAREST_23, NEAREST_20 = np.int32(1 << 20), np.int32(1 << 17)  # half a quarter turn, of 23 and 20 bits
QUARTERS_23, QUARTERS_20 = np.int32(21), np.int32(18)

ONE, TWO, MINUS_HALF = F(1), F(2), F(-0.5)
# -2 log(1 - g / 2) = g + g**2 * (A0 + A1 * g + ...)
A0, A1, A2, A3 = F(0.25), F(0.0833332911), F(0.0312510133), F(0.0125014298)
A4, A5, A6, A7, A8 = F(0.0051951739), F(0.00221580802), F(0.0010256815), F(0.00050319382), F(0.000153511981)
# sin(r) = r + r * z * (S0 + S1 * z + ...) and cos(r) = 1 + z * (-1/2 + C0 * z + ...), for z = r**2
S0, S1, S2 = F(-0.166666552), F(0.008332178), F(-0.000195172935)
C0, C1, C2 = F(0.0416666456), F(-0.00138873677), F(2.44384464e-05)


@njit(inline="always")
def radius_32(fraction):
    """sqrt(-2 log(u)) for the float32 u = fraction * 2**-23, or 1e-7 if that is more."""
    steps = float32(fraction)
    # Numba allows `view` on a scalar only where the variable was visibly made by numpy's type: hence np.float32, np.int32.
    steps = np.float32(steps if steps > LEAST_32 else LEAST_32)
    # steps = 2**exponent * m with m in [sqrt(1/2), sqrt(2)), and g = 2 - 2m.
    above = np.int32(steps.view(np.int32) - SQRT_HALF_32)
    exponent = float32(int32(int32(above >> EXPONENT_32) - EXPONENT_32))  # of u
    doubled = np.int32(int32(above & MANTISSA) + int32(SQRT_HALF_32 + DOUBLED))
    g = TWO - doubled.view(np.float32)
    g2 = g * g
    low = (A0 + A1 * g) + (A2 + A3 * g) * g2
    high = (A4 + A5 * g) + ((A6 + A7 * g) + A8 * g2) * g2
    log = (g + (g2 * (low + high * (g2 * g2)) - exponent * LN4_LO_32)) - exponent * LN4_HI_32
    return np.sqrt(log)


@njit(inline="always")
def turn_32(radius, fraction):
    """radius times (sine, cosine) of the float32 nearest to 2 * pi * fraction * 2**-23."""
    angle = float32(TURN_23 * float64(fraction))
    quarters = int32(int32(fraction + NEAREST_23) >> QUARTERS_23)  # 0 to 4
    count = float32(quarters)
    r = (angle - count * QUARTER_HI_32) - count * QUARTER_LO_32  # within an eighth of a turn
    z = r * r
    z2 = z * z
    sine = r + r * z * ((S0 + S1 * z) + S2 * z2)
    cosine = ONE + z * ((MINUS_HALF + C0 * z) + (C1 + C2 * z) * z2)
    radius = -radius if int32(quarters & BIT1) else radius
    odd = int32(quarters & BIT0)
    return (cosine if odd else sine) * radius, (-sine if odd else cosine) * radius


@njit(error_model="numpy")
def read_pairs_32(words, out, mean, stddev):
    for i in range(out.size // 2):
        radius = radius_32(int32(int32(words[2 * i]) & MANTISSA))
        x, y = turn_32(radius, int32(int32(words[2 * i + 1]) & MANTISSA))
        out[2 * i] = x * stddev + mean
        out[2 * i + 1] = y * stddev + mean


# log(1 + f) = 2s + s * z * (B0 + B1 * z + ...) / 2 for s = f / (2 + f) and z = s**2
B0, B1, B2, B3 = 1.3333333333333468, 0.7999999999882936, 0.5714285748477431, 0.4444439714645182
B4, B5, B6 = 0.3636712864841932, 0.30628101192116586, 0.29591898605344263
T0, T1, T2 = -0.16666666666666632, 0.008333333333322424, -0.00019841269829816264
T3, T4, T5 = 2.7557313694977016e-06, -2.5050758612601805e-08, 1.589682548513385e-10
D0, D1, D2 = 0.0416666666666666, -0.0013888888888874138, 2.4801587289491115e-05
D3, D4, D5 = -2.755731435502645e-07, 2.0875723653875703e-09, -1.135966822288882e-11


@njit(inline="always")
def radius_64(fraction):
    """sqrt(-2 log(u)) for the float64 u = fraction, or 1e-7 if that is more."""
    u = np.float64(fraction if fraction > LEAST_64 else LEAST_64)
    above = np.int64(u.view(np.int64) - SQRT_HALF_64)
    exponent = int32(int64(above >> EXPONENT_64))
    bits = np.int64(u.view(np.int64) - int64(int64(exponent) << EXPONENT_64))
    f = bits.view(np.float64) - 1.0
    s = f / (2.0 + f)
    z = s * s
    z2 = z * z
    rest = ((B0 + B1 * z) + (B2 + B3 * z) * z2) + ((B4 + B5 * z) + B6 * z2) * (z2 * z2)
    # -2 log(1 + f) as -2f + f**2 - s * (f**2 + z * rest): s holds rounding errors, and enters only in a small term.
    f2 = f * f
    count = float64(exponent)
    log = ((f2 - (s * (f2 + z * rest) + count * LN4_LO_64)) - (f + f)) - count * LN4_HI_64
    return np.sqrt(log)


@njit(inline="always")
def turn_64(radius, fraction, high):
    """radius times (sine, cosine) of the float64 2 * pi * fraction; `high` holds the fraction's top 20 bits."""
    angle = TURN * fraction
    quarters = int32(int32(high + NEAREST_20) >> QUARTERS_20)
    count = float64(quarters)
    r = (angle - count * QUARTER_HI_64) - count * QUARTER_LO_64
    z = r * r
    z2 = z * z
    z4 = z2 * z2
    sine = r + r * z * (((T0 + T1 * z) + (T2 + T3 * z) * z2) + (T4 + T5 * z) * z4)
    cosine = 1.0 + z * (((-0.5 + D0 * z) + (D1 + D2 * z) * z2) + ((D3 + D4 * z) + D5 * z2) * z4)
    radius = -radius if int32(quarters & BIT1) else radius
    odd = int32(quarters & BIT0)
    return (cosine if odd else sine) * radius, (-sine if odd else cosine) * radius


@njit(error_model="numpy")  # the other model checks each divisor for zero, and there goes the vector code
def read_pairs_64(words, out, mean, stddev):
    for i in range(out.size // 2):
        radius = radius_64(fraction64(words[4 * i], words[4 * i + 1]))
        high = uint32(words[4 * i + 2] & FRACTION20)
        x, y = turn_64(radius, fraction64(words[4 * i + 2], words[4 * i + 3]), int32(high))
        out[2 * i] = x * stddev + mean
        out[2 * i + 1] = y * stddev + mean


convert_32 = converter(read_pairs_32, per=1, group=2)
convert_64 = converter(read_pairs_64, per=2, group=2)


@kernel
def normal_32(state, lane, positions, mean, stddev, out):
    """Normals, each two of two words."""
    convert_32(state, lane, positions, out, mean, stddev)


@kernel
def normal_64(state, lane, positions, mean, stddev, out):
    """Normals, each two of four words."""
    convert_64(state, lane, positions, out, mean, stddev)


@kernel
def normal_of_words_32(words, mean, stddev, out):
    """The normals of given words, for samplers that skip and reject: out.size words, an even number."""
    read_pairs_32(words, out, mean, stddev)


@kernel
def normal_of_words_64(words, mean, stddev, out):
    """As normal_of_words_32, of 2 * out.size words."""
    read_pairs_64(words, out, mean, stddev)
