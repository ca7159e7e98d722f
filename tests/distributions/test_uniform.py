"""uniform: each map by its set of values, against exact fractions.

specs/distributions.md, section 3.
"""

from fractions import Fraction

import number_oracle as truth
import numpy as np
import oracle
import pytest
from hypothesis import given, strategies as st
from number_oracle import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, TYPES
from numbers_at import STATE, bits_of, dtype_of, state_before
from strategies import states

from dmlrand import random_generator, uniform

pytestmark = pytest.mark.both_kinds

BOUNDS = [(0.0, 1.0), (-1.0, 1.0), (-3.25, 5.5), (100.0, 101.0), (1.0, 1 + 2**-7), (0.0, 2**-14), (-60000.0, 5000.0)]


def expected_bits(words, low, high, kind):
    """The bits of the exact rule; bounds are rounded to the type first."""
    low, high = (truth.nearest(Fraction(bound), kind) for bound in (low, high))
    return [truth.to_bits(number, kind) for number in truth.uniforms(words, low, high, kind)]


# All inputs of the types of 16 bits


@pytest.mark.parametrize("low, high", BOUNDS[1::2])
@pytest.mark.parametrize("kind, fraction_bits", [(FLOAT16, 10), (BFLOAT16, 7)])
def test_every_input_of_the_narrow_maps(kind, fraction_bits, low, high):
    """distributions 3.1, 3.2 and 3.4"""
    words = random_generator(STATE, 20_000).values & (1 << fraction_bits) - 1
    assert len(set(words.tolist())) == 1 << fraction_bits  # or some input was never seen
    answers = np.array(expected_bits(range(1 << fraction_bits), low, high, kind))
    values = uniform(STATE, 20_000, low=low, high=high, dtype=dtype_of(kind.name)).values
    assert np.array_equal(bits_of(values), answers[words])


# The ends, and their neighbours, of the others

EDGES32 = [0, 1, 0x7FFFFF, 0x7FFFFE, 0x800000, 0xFFFFFFFF, 0x400000, 0xFF800001]


@pytest.mark.parametrize("low, high", BOUNDS)
def test_ends_of_float32(low, high):
    """distributions 3.1"""
    for block in (EDGES32[:4], EDGES32[4:]):
        values = uniform(state_before(block), 4, low=low, high=high).values
        assert bits_of(values) == expected_bits(block, low, high, FLOAT32)


@pytest.mark.parametrize("low, high", BOUNDS)
def test_ends_of_float64(low, high):
    """distributions 3.1"""
    ends = [0, 1, 2**52 - 1, 2**52 - 2, 2**32 - 1, 2**32, 2**51, 2**31]
    for junk in (0, 0xFFF00000):  # the high 12 bits of the first word count for nothing
        for first, second in zip(ends[0::2], ends[1::2]):
            block = [first >> 32 | junk, first % 2**32, second >> 32 | junk, second % 2**32]
            values = uniform(state_before(block), 2, low=low, high=high, dtype=np.float64).values
            assert bits_of(values) == expected_bits(block, low, high, FLOAT64)


# The upper bound


@pytest.mark.parametrize(
    "name, low, high, share",
    [
        ("float32", 1.0, 1 + 2.0**-22, 1 / 4),  # one number lies between: the sums from 3/4 on round up
        ("float32", 1.0, 1 + 2.0**-23, 1 / 2),  # none does; the middle is a tie, and goes to the even one, low
        ("bfloat16", 100.0, 101.0, 1 / 4),
        ("float16", 100.0, 101.0, 1 / 32),
        ("float64", 1.0, 1 + 2.0**-51, 1 / 4),
    ],
)
def test_high_is_drawn_where_the_sum_rounds_up_to_it(name, low, high, share):
    """distributions 3.3"""
    values = uniform(STATE, 100_000, low=low, high=high, dtype=dtype_of(name)).values.astype(np.float64)
    assert low == values.min() and values.max() == high
    assert abs((values == high).mean() - share) < 5 * (share / 100_000) ** 0.5


# Anything


@st.composite
def bounds(draw, kind):
    """Two numbers of a type, often neighbours, of opposite signs or subnormal, whose difference does not overflow."""
    largest = truth.to_bits(kind.largest / 2, kind)
    sizes = st.one_of(st.integers(0, largest), st.integers(0, 40), st.integers(largest - 40, largest))
    number = st.builds(lambda size, sign: size | sign << kind.bits - 1, sizes, st.booleans())
    low = draw(number)
    near = st.builds(lambda step: max(0, low + step), st.integers(-40, 40))
    high = draw(st.one_of(number, near))
    low, high = sorted((truth.from_bits(bits, kind) for bits in (low, high)))
    return (low, high) if low < high <= kind.largest / 2 else (Fraction(0), Fraction(1))


@pytest.mark.parametrize("name", TYPES)
@given(data=st.data(), state=states())
def test_any_state_and_bounds(name, data, state):
    """distributions 3.1 and 3.2"""
    kind, dtype = TYPES[name], dtype_of(name)
    low, high = data.draw(bounds(kind))
    given_state, counter, key = state
    values, new_state = uniform(given_state, 9, low=float(low), high=float(high), dtype=dtype)
    assert values.dtype == dtype
    words = oracle.words(counter, key, 0, 9 * truth.words_per_number(kind.bits))
    assert bits_of(values) == [truth.to_bits(number, kind) for number in truth.uniforms(words, low, high, kind)]
    assert new_state.ravel().tolist() == truth.new_state_words(counter, key, 9, kind.bits)


# Bounds


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_the_callers_error_state_does_not_matter(name):
    tiny = float(np.finfo(name).smallest_subnormal)
    for low, high in ((0, 5 * tiny), (1 + 1e-30, 2 + 1e-30)):
        expected = uniform(STATE, 9, low=low, high=high, dtype=name).values
        with np.errstate(all="raise"):
            values = uniform(STATE, 9, low=low, high=high, dtype=name).values
        assert values.tobytes() == expected.tobytes()
