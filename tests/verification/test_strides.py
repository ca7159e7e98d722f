"""Dumps whose words lie in the stream at strides: transposed, padded, tiled, repeated. specs/verify.md, clause 3.5."""

from math import prod

import numpy as np
import oracle
import pytest
from hypothesis import assume, given, settings, strategies as st
from thinning import one_in, with_costly

from dmlrand import make_state, random_generator, verify

sides = st.lists(st.integers(2, 7), min_size=2, max_size=5).filter(lambda shape: 24 <= prod(shape) <= 3000)


def findings(counter, key, values):
    return verify(make_state(counter=counter, key=key), np.ascontiguousarray(values)).diagnosis


def right_words(counter, key, n):
    return np.array(oracle.words(counter, key, 0, n), np.uint32)


def sentence_of(found):
    """The sentence of the only finding, which must be that of strides."""
    assert [finding.name for finding in found] == ["words-at-strides"]
    return found[0].sentence


def evaluated(sentence, index):
    """The word that a sentence gives for an element, by Python's arithmetic."""
    formula = sentence.split(" holds word ")[1].split(", so ")[0]
    return eval(formula, {}, dict(zip("ijklmnop", index)))


@given(shape=sides, data=st.data())
@settings(max_examples=3, deadline=None)
def test_axes_in_any_order_and_direction(shape, data):
    """verify 3.5: the sentence gives the word of every element."""
    order = data.draw(st.permutations(range(len(shape))))
    backwards = tuple(slice(None, None, data.draw(st.sampled_from([1, -1]))) for _ in shape)
    assume(order != sorted(order) and order != sorted(order, reverse=True) or slice(None, None, -1) in backwards)
    n = prod(shape)
    numbers = np.arange(n).reshape(shape).transpose(order)
    numbers = numbers[backwards]
    assume((numbers.ravel() // 4 != np.arange(n) // 4).any())  # lanes-reversed
    sentence = sentence_of(findings(5, 7, right_words(5, 7, n)[numbers]))
    if sentence.startswith("Element ["):
        for index in np.ndindex(numbers.shape):
            assert evaluated(sentence, index) == numbers[index]
    else:  # sizes of 2 can fit another rule
        assert 2 in shape


@given(rows=st.integers(3, 60), row=st.integers(2, 60), more=st.integers(1, 70))
@settings(max_examples=4, deadline=None)
def test_rows_numbered_with_a_pitch(rows, row, more):
    """verify 3.5"""
    pitch = row + more
    assume(pitch % 4 or more >= 4)  # rows-start-blocks
    assume(rows * row >= 8)
    words = right_words(5, 7, rows * pitch).reshape(rows, pitch)[:, :row]
    end = rows * pitch - more
    expected = (
        f"Element [i, j] holds word i*{pitch} + j, so {end - rows * row:,} words of the stream are missing: "
        f"store word i*{row} + j there."
    )
    sentence, _, draws = sentence_of(findings(5, 7, words)).partition(" Or each row is a draw: ")
    assert sentence == expected
    assert bool(draws) == (pitch % 4 == 0 and row >= 8)
    assert not draws or f"the counter moved by {pitch // 4} blocks instead of {-(-row // 4)}" in draws


@pytest.mark.costly
def test_long_tensors():
    """The search for a place and the search for a digit's end take several steps."""
    words = right_words(5, 7, 150_000).reshape(300, 500)
    sentence = sentence_of(findings(5, 7, words[::-1, ::-1]))
    assert sentence.startswith("Element [i, j] holds word 149999 - i*500 - j, so an axis runs backwards:")
    assert (
        verify(make_state(counter=5, key=7), words[:, ::-1].T.copy())
        .diagnosis[0]
        .sentence.startswith("Element [i, j] holds word 499 - i + j*500, so an axis runs backwards:")
    )
    rows = random_generator(make_state(counter=5, key=7), (5, 60_001)).values
    sentence = sentence_of(findings(5, 7, rows[::-1]))
    assert sentence.startswith("Element [i, j] holds word 240004 - i*60001 + j, so an axis runs backwards:")


@pytest.mark.parametrize(("count", "dtype"), [(1, np.uint16), (4, np.uint16)])
def test_indexes_of_narrow_types(count, dtype):
    """verify 3.5: the index of a word, or the number of its block."""
    number, rest = np.divmod(np.arange(70_000 * count), count)
    places = number.astype(dtype).astype(int) * count + rest
    words = random_generator(make_state(counter=5, key=7), 600_000).values
    (finding,) = findings(5 + 50_000, 7, words[200_000 + places])
    assert finding.name == "index-narrow"


def dump_of(rng, made):
    """A random state, and what `made` makes of a random number and many words of its stream."""
    state = make_state(counter=int.from_bytes(rng.bytes(16), "little"), key=int.from_bytes(rng.bytes(8), "little"))
    n = 4 * int(rng.integers(20, 600))
    return state, n, np.ascontiguousarray(made(random_generator(state, 30 * n).values, n), np.uint32)


def between(rows, *columns):
    """Rows with columns of other words before them."""
    return np.hstack([*(np.broadcast_to(np.uint32(column), len(rows)).reshape(-1, 1) for column in columns), rows])


# What was made of words of the stream, by what the sentence says. n is a multiple of 4.
LOST = {
    "so {lost:,} words of the stream are missing":
        lambda w, n: w[: 4 * n].reshape(n, 4)[:, :3].ravel(),
    "Element [i, j] holds word i*16 + j, so words repeat":
        lambda w, n: w[np.add.outer(16 * np.arange(n), np.arange(80))],
    "so rows of {n:,} words are stored in reverse order": lambda w, n: w[: 9 * n].reshape(9, n)[::-1].ravel(),
    "The stream begins at word 1, after 4 bytes of something else: skip them":
        lambda w, n: np.append(0, w[:n]),
    "The stream begins at word {n:,}, after": lambda w, n: np.append(np.zeros(n), w[: 5 * n]),
    "The first word of the stream is missing": lambda w, n: np.append(w[1:n], 0),
    "d3*256, where d0 < 8, d1 < 4, d2 < 8, so tiles or axes are stored in another order and":
        lambda w, n: w[:2048].reshape(-1, 4, 8, 8).transpose(0, 2, 1, 3).reshape(-1, 32)[:, :29],
}  # fmt: skip


@pytest.mark.parametrize("seed", with_costly([0], [1]))
@pytest.mark.parametrize("text", one_in(3, LOST))
def test_what_happened_to_the_words_is_said(text, seed):
    """verify 3.5, 6.7"""
    state, n, values = dump_of(np.random.default_rng(seed), LOST[text])
    (finding,) = verify(state, values).diagnosis
    assert text.format(n=n, lost=n - 1) in finding.sentence


# Rows of the stream with other words between them

NEAR_CARRY = make_state(counter=2**32 - 9, key=0xBADF00D)


def padded(rows, length, gap, fill, seed):
    """Rows of the stream, each followed by a gap of one constant, or of random words if `fill` is None."""
    shape = (rows, length + gap)
    values = np.random.default_rng(seed).integers(1, 2**32 - 1, shape, np.uint32)
    if fill is not None:
        values[:] = fill
    values[:, :length] = random_generator(NEAR_CARRY, (rows, length)).values
    return values


@given(
    rows=st.integers(4, 60),
    length=st.integers(1, 90),
    gap=st.integers(1, 90),
    fill=st.sampled_from([0, 0xCDCDCDCD, None]),
    cut=st.integers(0, 30),
    seed=st.integers(0, 99),
)
@settings(max_examples=2, deadline=None)
def test_rows_of_any_length_and_pitch(rows, length, gap, fill, cut, seed):
    """verify 3.5: the last row may end early."""
    assume((length, gap, fill) != (1, 1, 0))  # int64
    gap = gap if fill is not None else min(gap, 3 * length)
    values = padded(rows, length, gap, fill, seed).reshape(-1)
    values = values[: max(values.size - cut, 3 * (length + gap) + 3)]
    (finding,) = verify(NEAR_CARRY, values).diagnosis
    assert finding.name == "rows-padded"
    assert finding.sentence.startswith(
        f"The stream is stored in rows of {length} word{'s' * (length > 1)}, {length + gap} words apart: store or copy "
        "the rows without gaps. "
    )


@pytest.mark.parametrize(
    "values",
    [
        np.insert(random_generator(NEAR_CARRY, 90).values, 50, 7),  # one word inserted
        np.repeat(random_generator(NEAR_CARRY, 40).values, 2),  # strides say more
        *with_costly(
            [],
            [
                np.where(np.arange(80) == 78, np.uint32(5), padded(20, 3, 1, 0, 0).ravel()),  # one wrong word in a row
                padded(2, 60, 5, None, 0),  # two rows: 5 words were inserted
            ],
        ),
    ],
)
def test_what_is_not_named(values):
    """verify 3.5"""
    assert "rows-padded" not in [finding.name for finding in verify(NEAR_CARRY, values).diagnosis]
