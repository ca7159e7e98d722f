"""XLA's arithmetic on bits and reals, operation by operation: what makes JAX's numbers of JAX's bits.

Constants and order of operations are those of XLA's CPU compiler where the processor has fused multiply-add;
specs/jax.md tells how far that was checked.
"""

import math

import numpy as np
from numba import float32, int32, njit

from ..compiling import kernel
from .reals import bits_of, divide, float32_of, fma, horner, to_real

# log(x) of float32: Cephes' logf, its polynomial cut in three.
SQRT_HALF = np.float32(0.707106781186547524)
LN2_HIGH, LN2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)
SMALL32 = np.float32(2.0**-60)  # sums and products of reals at least this large are not subnormal
TINY32, TINY64 = np.finfo(np.float32).tiny, np.finfo(np.float64).tiny
log_top = horner((7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1))
log_middle = horner((-1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1))
log_low = horner((2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1))

# log1p(x): Cephes' rational function near 0.
NEAR32, NEAR64 = np.float32(math.sqrt(2) - 1), math.sqrt(2) - 1
log1p_over = horner(
    (
        4.5270000862445199635215e-5,
        4.9854102823193375972212e-1,
        6.5787325942061044846969e0,
        2.9911919328553073277375e1,
        6.0949667980987787057556e1,
        5.7112963590585538103336e1,
        2.0039553499201281259648e1,
    )
)
log1p_under = horner(
    (
        1.0,
        1.5062909083469192043167e1,
        8.3047565967967209469434e1,
        2.2176239823732856465394e2,
        3.0909872225312059774938e2,
        2.1642788614495947685003e2,
        6.0118660497603843919306e1,
    )
)

# erfinv: Giles, "Approximating the erfinv function", 2010; single and double precision.
giles32 = horner(
    (
        2.81022636e-08,
        3.43273939e-07,
        -3.5233877e-06,
        -4.39150654e-06,
        0.00021858087,
        -0.00125372503,
        -0.00417768164,
        0.246640727,
        1.50140941,
    ),
    (
        -0.000200214257,
        0.000100950558,
        0.00134934322,
        -0.00367342844,
        0.00573950773,
        -0.0076224613,
        0.00943887047,
        1.00167406,
        2.83297682,
    ),
)
giles64 = horner(
    (
        -3.6444120640178196996e-21,
        -1.685059138182016589e-19,
        1.2858480715256400167e-18,
        1.115787767802518096e-17,
        -1.333171662854620906e-16,
        2.0972767875968561637e-17,
        6.6376381343583238325e-15,
        -4.0545662729752068639e-14,
        -8.1519341976054721522e-14,
        2.6335093153082322977e-12,
        -1.2975133253453532498e-11,
        -5.4154120542946279317e-11,
        1.051212273321532285e-09,
        -4.1126339803469836976e-09,
        -2.9070369957882005086e-08,
        4.2347877827932403518e-07,
        -1.3654692000834678645e-06,
        -1.3882523362786468719e-05,
        0.0001867342080340571352,
        -0.00074070253416626697512,
        -0.0060336708714301490533,
        0.24015818242558961693,
        1.6536545626831027356,
    ),
    (
        2.2137376921775787049e-09,
        9.0756561938885390979e-08,
        -2.7517406297064545428e-07,
        1.8239629214389227755e-08,
        1.5027403968909827627e-06,
        -4.013867526981545969e-06,
        2.9234449089955446044e-06,
        1.2475304481671778723e-05,
        -4.7318229009055733981e-05,
        6.8284851459573175448e-05,
        2.4031110387097893999e-05,
        -0.0003550375203628474796,
        0.00095328937973738049703,
        -0.0016882755560235047313,
        0.0024914420961078508066,
        -0.0037512085075692412107,
        0.005370914553590063617,
        1.0052589676941592334,
        3.0838856104922207635,
    ),
    (
        -2.7109920616438573243e-11,
        -2.5556418169965252055e-10,
        1.5076572693500548083e-09,
        -3.7894654401267369937e-09,
        7.6157012080783393804e-09,
        -1.4960026627149240478e-08,
        2.9147953450901080826e-08,
        -6.7711997758452339498e-08,
        2.2900482228026654717e-07,
        -9.9298272942317002539e-07,
        4.5260625972231537039e-06,
        -1.9681778105531670567e-05,
        7.5995277030017761139e-05,
        -0.00021503011930044477347,
        -0.00013871931833623122026,
        1.0103004648645343977,
        4.8499064014085844221,
    ),
)


@njit(inline="always")
def log32(y):
    """log of a positive float32; those below the least normal count as that."""
    y = max(y, TINY32)
    bits = bits_of(y)
    x = float32_of(int32(bits & int32(0x7FFFFF) | int32(0x3F000000)))
    low = x < SQRT_HALF
    e = float32(int32(bits >> 23) - int32(127 if low else 126))
    x = float32(x + x if low else x) - float32(1)
    x2 = x * x
    x3 = x2 * x
    p = fma(fma(log_top(0, x), x3, log_middle(0, x)), x3, log_low(0, x))
    y = fma(p, x3, LN2_LOW * e)
    return fma(LN2_HIGH, e, fma(float32(-0.5), x2, x) + y)


@njit(inline="always")
def near_log1p(t, half):
    """log1p close to 0; half is 0.5 of t's type."""
    t2 = t * t
    return t + ((t * t2) * divide(log1p_over(0, t), log1p_under(0, t)) - half * t2)


@njit(inline="always")
def log1p32(t):
    near, far = near_log1p(t, float32(0.5)), log32(float32(1) + t)
    return near if abs(t) < NEAR32 else far


@njit(inline="always")
def log1p64(t):
    return near_log1p(t, 0.5) if abs(t) < NEAR64 else math.log(max(1.0 + t, TINY64))


@njit(inline="always")
def erfinv32(u):
    w = -log1p32(-(u * u))
    tail = w >= float32(5)
    v = math.sqrt(w) - float32(3) if tail else w - float32(2.5)
    return giles32(1 if tail else 0, v) * u


@njit(inline="always")
def erfinv64(u):
    w = -log1p64(-(u * u))
    if w < 6.25:
        return giles64(0, w - 3.125) * u
    if w < 16:
        return giles64(1, math.sqrt(w) - 3.25) * u
    return giles64(2, math.sqrt(w) - 5) * u


@kernel
def xla_erfinv32(u, scale, out):
    """scale[0] * erfinv(u), product and function rounded apart."""
    for i in range(u.size):
        out[i] = scale[0] * erfinv32(u[i])


@kernel
def xla_erfinv64(u, scale, out):
    """As xla_erfinv32."""
    for i in range(u.size):
        out[i] = scale[0] * erfinv64(u[i])


@kernel
def xla_log32(x, out):
    """log of positive float32, and of 0."""
    for i in range(x.size):
        out[i] = log32(x[i]) if x[i] > 0 else -np.float32(np.inf)


@kernel
def xla_log64(x, out):
    """log of positive float64, and of 0: the C library's."""
    for i in range(x.size):
        out[i] = math.log(x[i]) if x[i] > 0 else -np.inf


@njit(inline="always")
def between(word, unit, width, low):
    """low + width * (word * unit), and low at least: the product is exact, the sum of products is rounded once."""
    x = fma(to_real(word, unit) * unit, width, low)
    return low if x < low else x


@kernel
def xla_uniform(bits, shift, unit, low, high, out):
    """Reals of the upper bits; low and high hold one number, or one for each element."""
    if low.size == 1:
        width = high[0] - low[0]
        for i in range(bits.size):
            out[i] = between(bits[i] >> shift[0], unit[0], width, low[0])
    else:
        for i in range(bits.size):
            out[i] = between(bits[i] >> shift[0], unit[0], high[i] - low[i], low[i])


@njit(inline="always")
def remainder(word, span):
    """word modulo span; span 0 stands for all words."""
    return word % span if span else word


@njit(inline="always")
def within(high, low, span, half, cast):
    """(high * 2**bits + low) modulo span, of products that wrap; half is 2**(bits / 2), so 0 once it is squared."""
    factor = remainder(half, span)
    factor = remainder(cast(factor * factor), span)
    return remainder(cast(cast(remainder(high, span) * factor) + remainder(low, span)), span)


@kernel
def xla_randint(high, low, span, start, out):
    """start + the words' remainder, wrapping; all unsigned of one type. span and start hold one number, or one each."""
    cast = out.dtype.type
    half = cast(1 << 4 * out.itemsize)
    if span.size == 1:
        for i in range(out.size):
            out[i] = start[0] + within(high[i], low[i], span[0], half, cast)
    else:
        for i in range(out.size):
            out[i] = start[i] + within(high[i], low[i], span[i], half, cast)
