"""integers: exact remainders, full ranges, refusals. specs/distributions.md, section 4.

TensorFlow's recorded numbers, which are these, are in tests/compat/tensorflow.
"""

import number_oracle as truth
import numpy as np
import oracle
import pytest
from hypothesis import given, strategies as st
from numbers_at import state_before
from strategies import states

from dmlrand import integers

pytestmark = pytest.mark.both_kinds

DTYPES = ["int32", "int64", "uint32", "uint64"]
LIMITS = {name: (int(np.iinfo(name).min), int(np.iinfo(name).max) + 1, np.iinfo(name).bits) for name in DTYPES}


def widths(bits):
    """Widths of ranges where a quotient can go wrong: 1, powers of two and their neighbours, the full range, any."""
    powers = st.integers(0, bits).map(lambda power: 2**power)
    near = st.builds(lambda power, step: max(1, min(power + step, 2**bits)), powers, st.integers(-3, 3))
    return st.one_of(st.just(2**bits), near, st.integers(1, 2**bits), st.integers(1, 1000))


@pytest.mark.parametrize("name", DTYPES)
@given(data=st.data(), state=states())
def test_any_state_and_range(name, data, state):
    """distributions 4.1 to 4.3"""
    least, end, bits = LIMITS[name]
    width = data.draw(widths(bits))
    low = data.draw(st.one_of(st.sampled_from([least, end - width]), st.integers(least, end - width)))
    given_state, counter, key = state
    values, new_state = integers(given_state, 9, low, low + width, name)
    assert values.dtype == name
    words = oracle.words(counter, key, 0, 9 * truth.words_per_number(bits))
    assert values.tolist() == truth.integers(words, low, low + width, bits)
    assert new_state.ravel().tolist() == truth.new_state_words(counter, key, 9, bits)


@pytest.mark.parametrize("bits", [32, 64])
@given(data=st.data())
def test_remainders_at_every_edge(bits, data):
    """distributions 4.1 and 6.2: numbers around multiples of the width, where an estimated quotient is one off."""
    end = 2**bits
    width = data.draw(st.sampled_from([1, end - 1]) | widths(bits))
    multiples = [0, width, end // width * width, end // 2 // width * width, end - 1, 2**32 % end, end - 2**32]
    multiples.append(data.draw(st.integers(0, end // width)) * width)
    numbers = sorted({(multiple + step) % end for multiple in multiples for step in (-1, 0, 1)})
    per_block = 128 // bits
    numbers += numbers[: -len(numbers) % per_block]
    for i in range(0, len(numbers), per_block):
        some = numbers[i : i + per_block]
        words = [number >> shift & 0xFFFFFFFF for number in some for shift in range(0, bits, 32)]
        values = integers(state_before(words), per_block, 0, width, f"uint{bits}").values
        assert values.tolist() == [number % width for number in some]
