"""Rows of the stream with other words between them. specs/verify.md, clause 3.5."""

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from dmlrand import make_state, random_generator, verify

STATE = make_state(counter=2**32 - 9, key=0xBADF00D)


def padded(rows, length, gap, fill, seed):
    """Rows of the stream, each followed by a gap of one constant, or of random words if `fill` is None."""
    shape = (rows, length + gap)
    values = np.random.default_rng(seed).integers(1, 2**32 - 1, shape, np.uint32)
    if fill is not None:
        values[:] = fill
    values[:, :length] = random_generator(STATE, (rows, length)).values
    return values


@given(
    rows=st.integers(4, 60),
    length=st.integers(1, 90),
    gap=st.integers(1, 90),
    fill=st.sampled_from([0, 0xCDCDCDCD, None]),
    cut=st.integers(0, 30),
    seed=st.integers(0, 99),
)
@settings(max_examples=3, deadline=None)
def test_rows_of_any_length_and_pitch(rows, length, gap, fill, cut, seed):
    """verify 3.5: the last row may end early."""
    assume((length, gap, fill) != (1, 1, 0))  # int64
    gap = gap if fill is not None else min(gap, 3 * length)
    values = padded(rows, length, gap, fill, seed).reshape(-1)
    values = values[: max(values.size - cut, 3 * (length + gap) + 3)]
    between = "foreign words" if fill is None else f"the constant {fill:#x}"
    (finding,) = verify(STATE, values).diagnosis
    assert finding == (
        "rows-padded",
        f"The stream is stored in rows of {length} word{'s' * (length > 1)}, {length + gap} words apart, with "
        f"{between} between them: store or copy the rows without gaps.",
    )


@pytest.mark.parametrize(
    "values",
    [
        np.insert(random_generator(STATE, 90).values, 50, 7),  # one word inserted
        np.where(np.arange(80) == 78, np.uint32(5), padded(20, 3, 1, 0, 0).ravel()),  # one wrong word in a row
        np.repeat(random_generator(STATE, 40).values, 2),  # strides say more
        pytest.param(padded(2, 60, 5, None, 0), marks=pytest.mark.costly),  # two rows: 5 words were inserted
        pytest.param(padded(9, 5, 16, None, 0), marks=pytest.mark.costly),  # less than a quarter of the words
    ],
)
def test_what_is_not_named(values):
    """verify 3.5"""
    assert "rows-padded" not in [finding.name for finding in verify(STATE, values).diagnosis]
