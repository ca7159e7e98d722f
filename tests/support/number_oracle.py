"""How words become numbers, in exact fractions: slow, short, and independent of dmlrand.

Numbers are Fractions until they become bits at the end. This module itself rounds them to a type of any number of bits.
Uniforms and integers need no floating point. The formula of the normals is evaluated to 40 digits.
"""

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple

import oracle


class Type(NamedTuple):
    """A binary floating-point type: its name, bits, bits of precision (the leading one counted), least exponent."""

    name: str
    bits: int
    precision: int
    lowest: int  # of a number in [1, 2) times 2**lowest that is not subnormal

    @property
    def fraction_bits(self):
        return self.precision - 1

    @property
    def largest(self):
        return (2 - Fraction(1, 2**self.fraction_bits)) * 2 ** (1 - self.lowest)


FLOAT16 = Type("float16", 16, 11, -14)
BFLOAT16 = Type("bfloat16", 16, 8, -126)
FLOAT32 = Type("float32", 32, 24, -126)
FLOAT64 = Type("float64", 64, 53, -1022)
TYPES = {kind.name: kind for kind in (FLOAT16, BFLOAT16, FLOAT32, FLOAT64)}


def spacing(number, kind):
    """The distance between neighbouring numbers of the type, near `number`: one ulp."""
    exponent = kind.lowest
    if number:
        size = abs(number)
        exponent = size.numerator.bit_length() - size.denominator.bit_length()
        exponent = max(exponent - (size < Fraction(2) ** exponent), kind.lowest)
    return Fraction(2) ** (exponent - kind.fraction_bits)


def nearest(number, kind):
    """A Fraction rounded to the nearest number of the type, ties to even. Infinities are not supported."""
    step = spacing(number, kind)
    rounded = round(number / step) * step  # Python rounds a Fraction to even
    assert abs(rounded) <= kind.largest
    return rounded


def to_bits(number, kind):
    """The bits of a Fraction that is a number of the type; zero is positive."""
    assert nearest(number, kind) == number
    step = spacing(number, kind)
    mantissa = int(abs(number) / step)
    exponent = 0  # of a subnormal, whose leading bit is not 1
    if mantissa >> kind.fraction_bits:
        exponent = (step * 2**kind.fraction_bits / Fraction(2) ** kind.lowest).numerator.bit_length()
    sign = (number < 0) << kind.bits - 1
    return sign | exponent << kind.fraction_bits | mantissa & (1 << kind.fraction_bits) - 1


def from_bits(bits, kind):
    """The number that these bits stand for, as a Fraction. It must be finite."""
    size = bits & (1 << kind.bits - 1) - 1
    exponent, mantissa = divmod(size, 1 << kind.fraction_bits)
    if exponent:
        mantissa |= 1 << kind.fraction_bits
    number = mantissa * Fraction(2) ** (kind.lowest + max(exponent - 1, 0) - kind.fraction_bits)
    return -number if bits >> kind.bits - 1 else number


def words_per_number(bits):
    return 2 if bits == 64 else 1


def fractions(words, kind):
    """The fractions in [0, 1) that words make."""
    if kind.bits == 64:
        return [Fraction((a % 2**20) * 2**32 + b, 2**52) for a, b in zip(words[0::2], words[1::2])]
    return [Fraction(word % 2**kind.fraction_bits, 2**kind.fraction_bits) for word in words]


def scale(number, width, low, kind):
    """number * width + low, rounded twice."""
    return nearest(nearest(number * width, kind) + low, kind)


def uniforms(words, low, high, kind):
    """The numbers that words make in [low, high), Fractions of the type."""
    width = nearest(high - low, kind)
    return [scale(fraction, width, low, kind) for fraction in fractions(words, kind)]


def integers(words, low, high, bits):
    """The integers in [low, high) that words make, for types of 32 or 64 bits."""
    if bits == 64:
        words = [a + 2**32 * b for a, b in zip(words[0::2], words[1::2])]
    if high - low == 2**bits:  # the words themselves, read as the type reads bits
        return [word - 2**bits if low < 0 and word >> bits - 1 else word for word in words]
    return [word % (high - low) + low for word in words]


def normals(words, kind):
    """The normals that words make, as Fractions, by the formula of Box and Muller to 40 digits.

    The fractions and the angle are rounded to the type, which is float32 or float64: normals of the other types are
    computed in float32.
    """
    numbers = []
    units = fractions(words, kind)
    two_pi = Fraction(6.283185307179586)  # the float64
    least = nearest(Fraction(1, 10**7), kind)
    with localcontext(prec=60):
        for u1, u2 in zip(units[0::2], units[1::2]):
            angle = nearest(nearest(two_pi * u2, FLOAT64), kind)
            radius = (-2 * _decimal(max(u1, least)).ln()).sqrt()
            sine, cosine = _sine_cosine(_decimal(angle))
            numbers += [Fraction(radius * sine), Fraction(radius * cosine)]
    return numbers


def _decimal(fraction):
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def _sine_cosine(angle):
    """The sine and the cosine of an angle up to 7, by their series. Rounding costs 3 of the 60 digits."""
    cosine_sine = [Decimal(0), Decimal(0)]
    term, power = Decimal(1), 0
    while abs(term) > Decimal("1e-55"):
        cosine_sine[power % 2] += -term if power % 4 >= 2 else term
        power += 1
        term = term * angle / power
    return cosine_sine[1], cosine_sine[0]


class Oracle(NamedTuple):
    """How tests check a distribution: with parameters other than the defaults, and with the numbers of given words.

    numbers(words, dtype, *parameters) gives a pair for each number: a Fraction, and how far the value may lie from it.
    """

    parameters: tuple
    numbers: Callable
    group: int = 1  # numbers that are made together


def exactly(numbers):
    return [(Fraction(number), 0) for number in numbers]


def uniforms_of(words, dtype, low, high):
    kind = TYPES[dtype]
    return exactly(uniforms(words, *(nearest(Fraction(bound), kind) for bound in (low, high)), kind))


def scaled_about(number, error, factor, addend, kind):
    """number * factor + addend, and the error if `number` has an error. All are rounded to the type."""
    factor, addend = (nearest(Fraction(each), kind) for each in (factor, addend))
    product = number * factor
    roundings = [spacing(number, kind) * factor, spacing(product, kind), spacing(product + addend, kind)]
    return product + addend, error * factor + sum(roundings)


def normals_of(words, dtype, mean, stddev):
    made_in = TYPES["float64" if dtype == "float64" else "float32"]
    errors = [(x, 4 * spacing(max(abs(x), Fraction(1, 1000)), made_in)) for x in normals(words, made_in)]
    return [scaled_about(x, error, stddev, mean, TYPES[dtype]) for x, error in errors]


def exponentials_of(words, dtype, scale):
    """-log(1 - u) to 60 digits, which the values match within 1.1 ulp before they are scaled."""
    made_in = TYPES["float64" if dtype == "float64" else "float32"]
    with localcontext(prec=60):
        exact = [Fraction(-_decimal(1 - u).ln()) for u in fractions(words, made_in)]
    return [scaled_about(x, spacing(x, made_in) * Fraction(11, 10), scale, 0, TYPES[dtype]) for x in exact]


ORACLES = {
    "uniform": Oracle((-1.5, 7.25), uniforms_of),
    "integers": Oracle((3, 1_000_003), lambda words, dtype, *range: exactly(integers(words, *range, int(dtype[-2:])))),
    "normal": Oracle((0.5, 2.5), normals_of, group=2),
    "exponential": Oracle((2.5,), exponentials_of),
    "bernoulli": Oracle((0.375,), lambda words, dtype, p: exactly(word < Fraction(p) * 2**32 for word in words)),
}


def new_state_words(counter, key, n, bits):
    """The six words of the state after n numbers."""
    return oracle.new_state_words(counter, key, n * words_per_number(bits))
