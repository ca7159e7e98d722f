"""Logarithm, sine and cosine for normals: operations that IEEE 754 rounds exactly, in a fixed order.

Compiled code inlines these functions, and the kernels in numpy alone call them with arrays. specs/distributions.md,
section 5, says how far their results are from the exact functions.

The polynomials minimise the largest relative error of the function. Remez' exchange algorithm found them with 200 bits
of precision: `git show f124dfb4:tests/makers/normal_coefficients.py` has the program. They are evaluated by Estrin's
scheme, which halves the chain of dependent operations.
"""

import numpy as np

F = np.float32

# Each of these constants is the sum of two numbers. The first has so few bits that its product with a small integer is
# exact.
LN4_HI_32, LN4_LO_32 = F(1.38629150390625), F(2.8572136406188345e-06)
LN4_HI_64, LN4_LO_64 = 1.3862943611184164, 1.4742005130335598e-12
QUARTER_HI_32, QUARTER_LO_32 = F(1.570796012878418), F(3.139164786504813e-07)  # pi / 2, a quarter turn
QUARTER_HI_64, QUARTER_LO_64 = 1.5707963267948966, 6.123233995736766e-17
TURN = 6.283185307179586  # 2 * pi
TURN_23 = TURN * 2.0**-23  # the angle of one step of a 23-bit fraction

# The least fraction whose logarithm is taken, as in TensorFlow. LEAST_32 counts steps of 2**-23.
LEAST_32 = F(F(1e-7) * F(2.0**23))
LEAST_64 = 1e-7

ONE, MINUS_HALF = F(1), F(-0.5)
# -2 log(1 - g / 2) = g + g**2 * (A0 + A1 * g + ...)
A0, A1, A2, A3 = F(0.25), F(0.0833332911), F(0.0312510133), F(0.0125014298)
A4, A5, A6, A7, A8 = F(0.0051951739), F(0.00221580802), F(0.0010256815), F(0.00050319382), F(0.000153511981)
# sin(r) = r + r * z * (S0 + S1 * z + ...) and cos(r) = 1 + z * (-1/2 + C0 * z + ...), for z = r**2
S0, S1, S2 = F(-0.166666552), F(0.008332178), F(-0.000195172935)
C0, C1, C2 = F(0.0416666456), F(-0.00138873677), F(2.44384464e-05)


def log_32(g, exponent):
    """-2 log(2**exponent * (1 - g / 2)) for float32."""
    g2 = g * g
    low = (A0 + A1 * g) + (A2 + A3 * g) * g2
    high = (A4 + A5 * g) + ((A6 + A7 * g) + A8 * g2) * g2
    return (g + (g2 * (low + high * (g2 * g2)) - exponent * LN4_LO_32)) - exponent * LN4_HI_32


def sine_and_cosine_32(angle, quarters):
    """The sine and cosine of (a float32 angle - a number of quarter turns), which is at most an eighth of a turn."""
    r = (angle - quarters * QUARTER_HI_32) - quarters * QUARTER_LO_32
    z = r * r
    z2 = z * z
    sine = r + r * z * ((S0 + S1 * z) + S2 * z2)
    cosine = ONE + z * ((MINUS_HALF + C0 * z) + (C1 + C2 * z) * z2)
    return sine, cosine


# log(1 + f) = 2s + s * z * (B0 + B1 * z + ...) / 2 for s = f / (2 + f) and z = s**2
B0, B1, B2, B3 = 1.3333333333333468, 0.7999999999882936, 0.5714285748477431, 0.4444439714645182
B4, B5, B6 = 0.3636712864841932, 0.30628101192116586, 0.29591898605344263
T0, T1, T2 = -0.16666666666666632, 0.008333333333322424, -0.00019841269829816264
T3, T4, T5 = 2.7557313694977016e-06, -2.5050758612601805e-08, 1.589682548513385e-10
D0, D1, D2 = 0.0416666666666666, -0.0013888888888874138, 2.4801587289491115e-05
D3, D4, D5 = -2.755731435502645e-07, 2.0875723653875703e-09, -1.135966822288882e-11


def log_64(f, exponent):
    """-2 log(2**exponent * (1 + f)) for float64."""
    s = f / (2.0 + f)
    z = s * s
    z2 = z * z
    rest = ((B0 + B1 * z) + (B2 + B3 * z) * z2) + ((B4 + B5 * z) + B6 * z2) * (z2 * z2)
    # -2 log(1 + f) as -2f + f**2 - s * (f**2 + z * rest): s holds rounding errors, and enters only in a small term.
    f2 = f * f
    return ((f2 - (s * (f2 + z * rest) + exponent * LN4_LO_64)) - (f + f)) - exponent * LN4_HI_64


def sine_and_cosine_64(angle, quarters):
    """As sine_and_cosine_32."""
    r = (angle - quarters * QUARTER_HI_64) - quarters * QUARTER_LO_64
    z = r * r
    z2 = z * z
    z4 = z2 * z2
    sine = r + r * z * (((T0 + T1 * z) + (T2 + T3 * z) * z2) + (T4 + T5 * z) * z4)
    cosine = 1.0 + z * (((-0.5 + D0 * z) + (D1 + D2 * z) * z2) + ((D3 + D4 * z) + D5 * z2) * z4)
    return sine, cosine
