"""The oracle of numbers against struct, numpy and known values."""

import math
import struct
from fractions import Fraction

import number_oracle as truth
import numpy as np
import pytest
from hypothesis import given, strategies as st
from number_oracle import BFLOAT16, FLOAT16, FLOAT32, FLOAT64

WIDTHS = [("e", FLOAT16), ("f", FLOAT32), ("d", FLOAT64)]


@pytest.mark.parametrize("code, kind", WIDTHS)
def test_every_kind_of_number_has_the_bits_that_struct_gives(code, kind):
    tiny = Fraction(2) ** (kind.lowest - kind.fraction_bits)
    ends = [tiny, 3 * tiny, Fraction(2) ** kind.lowest - tiny, Fraction(2) ** kind.lowest, 1, 1 + Fraction(1, 2**10)]
    for number in [Fraction(0), *ends, *(-end for end in ends), kind.largest, -kind.largest]:
        packed = struct.pack(f"<{code}", float(number))
        bits = int.from_bytes(packed, "little")
        assert truth.to_bits(number, kind) == bits
        assert truth.from_bits(bits, kind) == number


@pytest.mark.parametrize("code, kind", WIDTHS[:2])
@given(number=st.floats(-60000, 60000))
def test_rounding_agrees_with_struct(code, kind, number):
    packed = struct.unpack(f"<{code}", struct.pack(f"<{code}", number))[0]
    assert truth.nearest(Fraction(number), kind) == Fraction(packed)


def test_bfloat16_is_the_upper_half_of_float32():
    for upper in (0x0001, 0x007F, 0x0080, 0x3F80, 0x3F81, 0x7F7F, 0xBF80, 0x8001):
        number = Fraction(struct.unpack("<f", struct.pack("<I", upper << 16))[0])
        assert truth.from_bits(upper, BFLOAT16) == number and truth.to_bits(number, BFLOAT16) == upper
    between = Fraction(struct.unpack("<f", struct.pack("<I", 0x3F818000))[0])
    assert truth.to_bits(truth.nearest(between, BFLOAT16), BFLOAT16) == 0x3F82  # a tie goes to the even one


def test_normals_agree_with_the_formula():
    words = [0x123456, 0x400000, 0xFFFFFFFF, 0x7FFFFF, 0, 0x700000, 0x555555, 0]
    for i, (x, y) in enumerate(zip(*[iter(truth.normals(words, FLOAT32))] * 2)):
        u1, u2 = (word % 2**23 / 2**23 for word in words[2 * i : 2 * i + 2])
        angle = float(np.float32(2 * math.pi * u2))
        radius = math.sqrt(-2 * math.log(max(u1, float(np.float32(1e-7)))))
        assert abs(float(x) - radius * math.sin(angle)) < 1e-14
        assert abs(float(y) - radius * math.cos(angle)) < 1e-14
