"""The kernels of XLA's arithmetic, and its functions of float64.

XLA calls the C library for tan and power of both types, and for erf of float64. So do these kernels, and their last
bits are the C library's.
"""

import math

import numpy as np
from llvmlite import ir
from numba import int64, njit
from numba.extending import intrinsic

from ...kernels.compiling import kernel, named_after
from ...kernels.numba_dialect import compile_functions
from . import xla

# numba's side of the first functions of xla.py, on scalars


@njit(inline="always")
def remainder(number, divisor):
    return number % divisor if divisor else number


@intrinsic
def fma(typingctx, x, y, z):
    """x * y + z, rounded once. All three have one type. An exact instruction, or an exact function of the C library."""

    def codegen(context, builder, signature, args):
        return builder.fma(*args)

    return x(x, x, x), codegen


def polynomial(*coefficients):
    """As xla.Polynomial, of float32 or float64."""

    @intrinsic
    def value_at(typingctx, x):
        def codegen(context, builder, signature, args):
            first, *others = (ir.Constant(args[0].type, coefficient) for coefficient in coefficients)
            value = first
            for coefficient in others:
                value = builder.fma(value, args[0], coefficient)
            return value

        return x(x), codegen

    return value_at


POLYNOMIALS = {name: polynomial(*p.coefficients) for name, p in vars(xla).items() if isinstance(p, xla.Polynomial)}
FUNCTIONS = compile_functions(
    xla,
    ("log_32", "log1p_32", "exp_32", "erf_32", "erfinv_32", "uniform", "integer"),
    {"fma": fma, "remainder": remainder, **POLYNOMIALS},
)
near_log1p, uniform = FUNCTIONS["near_log1p"], FUNCTIONS["uniform"]
factor_of_high, integer = FUNCTIONS["factor_of_high"], FUNCTIONS["integer"]

TINY32, TINY = xla.TINY, np.finfo(np.float64).tiny
NEAR = math.sqrt(2) - 1  # as in xla.py
# Powers below these are flushed to 0. The C library computes float32 powers in float64, and the processor flushes what
# is below the least normal number once it is rounded to 24 bits. Subnormal float64 powers it rounds itself.
POWER_END32, POWER_END64 = float(TINY32) * (1 - 2.0**-25), float(TINY)

# exp: Cephes' exp. exp of numbers beyond EXP_LOWEST and EXP_HIGHEST is 0 or infinite. log(2) is given in two parts.
EXP_LOWEST, EXP_HIGHEST = -708.3964185322641, 709.782712893384
LOG2_E, LN2_HIGH, LN2_LOW = 1.4426950408889634, 0.693145751953125, 1.4286068203094173e-06
exp_numerator = polynomial(1.2617719307481059e-4, 3.0299440770744196e-2, 1.0)
exp_denominator = polynomial(3.0019850513866446e-06, 2.5244834034968410e-3, 2.2726554820815503e-1, 2.0)

# erfinv: Giles' double precision, for three ranges of w.
erfinv_below_6 = polynomial(
    -3.6444120640178196996e-21, -1.685059138182016589e-19, 1.2858480715256400167e-18, 1.115787767802518096e-17,
    -1.333171662854620906e-16, 2.0972767875968561637e-17, 6.6376381343583238325e-15, -4.0545662729752068639e-14,
    -8.1519341976054721522e-14, 2.6335093153082322977e-12, -1.2975133253453532498e-11, -5.4154120542946279317e-11,
    1.051212273321532285e-09, -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
    -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352, -0.00074070253416626697512,
    -0.0060336708714301490533, 0.24015818242558961693, 1.6536545626831027356,
)  # fmt: skip
erfinv_below_16 = polynomial(
    2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08,
    1.5027403968909827627e-06, -4.013867526981545969e-06, 2.9234449089955446044e-06, 1.2475304481671778723e-05,
    -4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
    0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066, -0.0037512085075692412107,
    0.005370914553590063617, 1.0052589676941592334, 3.0838856104922207635,
)  # fmt: skip
erfinv_from_16 = polynomial(
    -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09, -3.7894654401267369937e-09,
    7.6157012080783393804e-09, -1.4960026627149240478e-08, 2.9147953450901080826e-08, -6.7711997758452339498e-08,
    2.2900482228026654717e-07, -9.9298272942317002539e-07, 4.5260625972231537039e-06, -1.9681778105531670567e-05,
    7.5995277030017761139e-05, -0.00021503011930044477347, -0.00013871931833623122026, 1.0103004648645343977,
    4.8499064014085844221,
)  # fmt: skip


@njit(inline="always")
def log_64(x):
    return math.log(x) if x > 0 else -np.inf


@njit(error_model="numpy", inline="always")
def log1p_above_minus_one(t):
    return near_log1p(t, 0.5) if abs(t) < NEAR else math.log(max(1.0 + t, TINY))


@njit(error_model="numpy", forceinline=True)
def log1p_64(x):
    return log1p_above_minus_one(x) if x > -1 else -np.inf


@njit(error_model="numpy", forceinline=True)
def exp_64(x):
    if x > EXP_HIGHEST:
        return math.inf
    if x < EXP_LOWEST:
        return 0.0
    n = np.floor(fma(x, LOG2_E, 0.5))
    g = fma(-n, LN2_LOW, fma(-n, LN2_HIGH, x))
    g2 = g * g
    p = exp_numerator(g2) * g
    y = fma(p / (exp_denominator(g2) - p), 2.0, 1.0)
    quarter = int64(n) >> 2
    scale = np.int64((quarter + 1023) << 52).view(np.float64)
    y = y * scale * scale * scale * np.int64((int64(n) - 3 * quarter + 1023) << 52).view(np.float64)
    return 0.0 if y < TINY else y


@njit(error_model="numpy", forceinline=True)
def erfinv_64(u):
    w = -log1p_above_minus_one(-(u * u))
    if w < 6.25:
        return erfinv_below_6(w - 3.125) * u
    if w < 16:
        return erfinv_below_16(math.sqrt(w) - 3.25) * u
    return erfinv_from_16(math.sqrt(w) - 5) * u


def of_each(name, function):
    """The kernel xla_NAME, which applies a function of one number."""

    @kernel
    @named_after(name)
    def xla(x, out):
        for i in range(x.size):
            out[i] = function(x[i])

    return xla


xla_log32, xla_log64 = of_each("log32", FUNCTIONS["log_32"]), of_each("log64", log_64)
xla_log1p32, xla_log1p64 = of_each("log1p32", FUNCTIONS["log1p_32"]), of_each("log1p64", log1p_64)
xla_exp32, xla_exp64 = of_each("exp32", FUNCTIONS["exp_32"]), of_each("exp64", exp_64)
xla_erf32, xla_erf64 = of_each("erf32", FUNCTIONS["erf_32"]), of_each("erf64", math.erf)
xla_erfinv32, xla_erfinv64 = of_each("erfinv32", FUNCTIONS["erfinv_32"]), of_each("erfinv64", erfinv_64)
xla_tan = of_each("tan", math.tan)


@kernel
def xla_power(x, y, out):
    """x ** y of float32 or float64 numbers from 0 on, by the C library, with 0 in the place of each subnormal number.

    `y` holds one number, or one for each element.
    """
    least, end = (TINY32, POWER_END32) if out.itemsize == 4 else (TINY, POWER_END64)
    step = 0 if y.size == 1 else 1
    for i in range(x.size):
        z = math.pow(x[i], y[i * step])
        if z <= least and math.pow(np.float64(x[i]), np.float64(y[i * step])) < end:
            z = out.dtype.type(0)
        out[i] = z


@kernel
def xla_fma(x, y, z, out):
    """x * y + z of float32 or float64 numbers, rounded once."""
    for i in range(x.size):
        out[i] = fma(x[i], y[i], z[i])


@kernel
def xla_uniform(bits, low, high, out):
    """Reals of the upper 23 of 32 bits or 52 of 64. `low` and `high` both hold one number, or one for each element."""
    real, dropped = out.dtype.type, bits.dtype.type(9 if bits.itemsize == 4 else 12)
    step = real(2.0**-23 if bits.itemsize == 4 else 2.0**-52)
    many = low.size > 1
    for i in range(bits.size):
        place = i if many else 0
        out[i] = uniform(bits[i], low[place], high[place], dropped, step, real)


@kernel
def xla_randint(high, low, span, start, out):
    """xla.integer of arrays of one type. `span` and `start` both hold one number, or one for each element."""
    unsigned = out.dtype.type
    half = unsigned(1 << 4 * out.itemsize)
    if span.size == 1:
        modulus, offset = span[0], start[0]
        factor = factor_of_high(half, modulus, unsigned)
        for i in range(out.size):
            out[i] = integer(high[i], low[i], modulus, offset, factor, unsigned)
    else:
        for i in range(out.size):
            factor = factor_of_high(half, span[i], unsigned)
            out[i] = integer(high[i], low[i], span[i], start[i], factor, unsigned)
