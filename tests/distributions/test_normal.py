"""normal: how far from the formula, and refusals.

specs/distributions.md, section 5.
"""

from fractions import Fraction

import number_oracle as truth
import numpy as np
import pytest
from hypothesis import given, strategies as st
from number_oracle import FLOAT32, FLOAT64, TYPES
from numbers_at import STATE, bits_of, dtype_of

from dmlrand import normal, random_generator
from dmlrand.compat.tensorflow.numbers import standard_normals

pytestmark = pytest.mark.both_kinds

ULPS = 4  # promised; of 0.001 where numbers are below it
SMALL = Fraction(1, 1000)


def assert_near(values, exact, kind):
    for value, number in zip(values.tolist(), exact, strict=True):
        allowed = ULPS * truth.spacing(max(abs(number), SMALL), kind)
        assert abs(Fraction(value) - number) <= allowed, (value, float(number))


def largest_error(values, exact, dtype):
    """The largest error in ulps of dtype, computed by numpy. `exact` has a wider dtype."""
    return float((np.abs(values - exact) / np.spacing(np.maximum(np.abs(exact), 1e-3).astype(dtype))).max())


# Against the formula


EDGES = [0, 1, 2, 3, 0x7FFFFF, 0x7FFFFE, 0x3FFFFF, 0x400000, 0x400001, 0x5A8279, 0x5A827A, 0x2D413C, 0x2D413D]
EIGHTHS = [(eighth << 20) + step & 0x7FFFFF for eighth in range(8) for step in (-1, 0, 1)]


def test_edges_of_float32():
    """distributions 5.5

    Ends of the fractions, where the logarithm's exponent changes and where the angle's quarter does.
    """
    words = [word for first in EDGES for second in EDGES + EIGHTHS for word in (first, second | 0x800000)]
    assert_near(standard_normals(np.array(words, np.uint32)), truth.normals(words, FLOAT32), FLOAT32)


def test_edges_of_float64():
    """distributions 5.5"""
    tops = [0, 1, 0x80000, 0xFFFFF, 0x6A09E, 0xB504F, *(eighth << 17 for eighth in range(1, 8))]
    fractions = [(top, low) for top in tops for low in (0, 1, 0xFFFFFFFF)]
    fractions += [(top - 1, 0xFFFFFFFF) for top in tops[2:]]
    words = [word for first in fractions for second in fractions for word in (*first, *second)]
    assert_near(standard_normals(np.array(words, np.uint32), np.float64), truth.normals(words, FLOAT64), FLOAT64)


def worst(errors, count):
    """The indices of the `count` largest and of the `count` smallest errors."""
    return np.concatenate([np.argpartition(errors, count)[:count], np.argpartition(errors, -count)[-count:]])


@pytest.mark.costly
@pytest.mark.compiled
def test_every_radius_and_every_angle_of_float32():
    """distributions 5.5

    All 2**23 of either are looked at, by numpy's float64; then the worst meet each other, some millions of pairs.
    """
    fractions = np.arange(1 << 23, dtype=np.uint32)
    radius = np.sqrt(-2 * np.log(np.maximum(fractions * 2.0**-23, np.float64(np.float32(1e-7)))))
    angle = (2 * np.pi * (fractions * 2.0**-23)).astype(np.float32).astype(np.float64)
    words = np.zeros((1 << 23, 2), np.uint32)
    words[:, 0] = fractions  # at angle 0
    sines, radii = standard_normals(words.reshape(-1)).reshape(-1, 2).T
    assert not sines.any()
    assert largest_error(radii, radius, np.float32) < 2
    bad_radii = worst(radii / radius - 1, 700)
    one = int(np.abs(radius - 1).argmin())
    words[:, 0], words[:, 1] = one, fractions
    made = standard_normals(words.reshape(-1)).reshape(-1, 2).T / np.float64(radii[one])
    for lane, curve in enumerate((np.sin(angle), np.cos(angle))):
        assert largest_error(made[lane], curve, np.float32) < 3
        counted = np.abs(curve) > 1e-3 / 5.7  # others are below 0.001 with any radius
        bad_angles = worst(np.where(counted, made[lane] / np.where(counted, curve, 1) - 1, 0), 700)
        pairs = np.stack(np.meshgrid(bad_radii, bad_angles, indexing="ij"), -1).astype(np.uint32)
        values = standard_normals(pairs.reshape(-1)).reshape(pairs.shape)[:, :, lane]
        assert 2 < largest_error(values, np.outer(radius[bad_radii], curve[bad_angles]), np.float32) <= ULPS


@pytest.mark.costly
def test_a_million_pairs_of_float64():
    """distributions 5.5"""
    if np.finfo(np.longdouble).eps > 2.0**-60:
        pytest.skip("numpy's longdouble is no wider than float64 here")
    words = random_generator(STATE, 4_000_000).values
    values = standard_normals(words, np.float64).reshape(-1, 2)
    high, low = words[0::2].astype(np.uint64), words[1::2].astype(np.uint64)
    u1, u2 = (((high & 0xFFFFF) << np.uint64(32) | low).astype(np.float64) * 2.0**-52).reshape(-1, 2).T.copy()
    # Contiguous, because numpy rounds products of strided arrays twice on i386.
    radius = np.sqrt(-2 * np.log(np.maximum(u1, 1e-7).astype(np.longdouble)))
    angle = (2 * np.pi * u2).astype(np.longdouble)
    for value, curve in zip(values.T, (np.sin(angle), np.cos(angle))):
        assert 2 < largest_error(value, radius * curve, np.float64) <= ULPS


# Scaling


@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("mean, stddev", [(0, 1), (-3.75, 2.5), (100.0, 0.375), (2.0**-15, 2.0**-16), (5.0, 0.0)])
def test_scaled_by_two_operations_of_the_type(name, mean, stddev):
    """distributions 5.3"""
    kind, dtype = TYPES[name], dtype_of(name)
    work = np.float64 if kind is FLOAT64 else np.float32
    standard = standard_normals(random_generator(STATE, 200 * (2 if kind is FLOAT64 else 1)).values, work)
    numbers = [truth.nearest(Fraction(number), kind) for number in standard.tolist()]
    scaled = [truth.scale(number, Fraction(stddev), Fraction(mean), kind) for number in numbers]
    values = normal(STATE, 200, mean=mean, stddev=stddev, dtype=dtype).values
    signless = [bits & (1 << kind.bits - 1) - 1 for bits in bits_of(values)]  # the oracle has no negative zero
    expected = [truth.to_bits(number, kind) for number in scaled]
    assert [bits if size else 0 for bits, size in zip(bits_of(values), signless)] == expected


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
@given(data=st.data())
def test_narrow_types_round_as_numpy_does(name, data):
    """distributions 5.2 and 5.3

    Any scale and shift, subnormal results and infinite ones among them, against numpy's own narrow arithmetic.
    """
    dtype = dtype_of(name)
    any_bits = st.integers(0, 0x7BFF if name == "float16" else 0x7F7F)
    bits = [data.draw(any_bits) | data.draw(st.booleans()) << 15, data.draw(any_bits)]
    mean, stddev = np.array(bits, np.uint16).view(dtype)
    standard = normal(STATE, 500, mean=-0.0).values.astype(dtype)
    with np.errstate(all="ignore"):
        expected = standard * stddev + mean
    assert bits_of(normal(STATE, 500, mean=mean, stddev=stddev, dtype=dtype).values) == bits_of(expected)


def test_no_number_is_beyond_the_largest_radius():
    """distributions 5.4"""
    for dtype, words in ((np.float32, [0, 0x200000]), (np.float64, [0, 0, 0x40000, 0])):
        largest, zero = standard_normals(np.array(words, np.uint32), dtype)
        assert abs(largest - (2 * 7 * np.log(10)) ** 0.5) < 1e-6 and largest < 5.68
        assert abs(zero) < 1e-6
    assert normal(STATE, 10**6).values.max() < 5.68
