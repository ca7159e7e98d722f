"""Draws in one file, between which the state moved wrongly. specs/verify.md, clause 3.7."""

import numpy as np
import pytest
from thinning import one_in, with_costly

from dmlrand import make_state, random_generator, uniform, verify

MOVED = {
    "the counter advances correctly": lambda words: -(-words // 4),
    "the counter stays the same": lambda words: 0,
    "the counter advances by 1 for each word": lambda words: words,
    "only counter word 1 grows by 1": lambda words: 1 << 32,
    "only counter word 2 grows by 1": lambda words: 1 << 64,
    "the counter advances by 4 for each word": lambda words: 4 * words,
    "the counter advances by words // 4, without": lambda words: words // 4,
    "the counter advances by 3 times the right number": lambda words: 3 * -(-words // 4),
    "the counter advances by the blocks, rounded up to a multiple of 64": lambda words: -(-words // 256) * 64,
    "the blocks drawn are added to counter word 1 instead of word 0": lambda words: -(-words // 4) << 32,
    "the state moved by 2,000,003 blocks after each draw": lambda words: 2_000_003,
}


@pytest.mark.parametrize(
    ("moved", "text"), [(150, "150 blocks instead of 250"), (0, "the counter stays the same"), (251, "251 blocks")]
)
def test_draws_in_one_file(moved, text):
    draws = [random_generator(make_state(counter=5 + i * moved, key=7), 1000).values for i in range(5)]
    (found,) = verify(make_state(counter=5, key=7), np.concatenate(draws)).diagnosis
    assert found.name == "draws-in-one-file" and "begins every 1,000 words" in found.sentence and text in found.sentence


def draws(rng, sizes, key_step, moved, dtype="uint32"):
    """The state of the first draw, and the elements of all draws."""
    counter, key = int.from_bytes(rng.bytes(16), "little"), int.from_bytes(rng.bytes(8), "little")
    state, parts = make_state(counter=counter, key=key), []
    for size in sizes:
        one = make_state(counter=counter, key=key)
        parts.append(
            random_generator(one, size).values if dtype == "uint32" else uniform(one, size, dtype=dtype).values
        )
        key = (key + key_step) % 2**64
        counter = (counter + MOVED[moved](size * (2 if dtype == "float64" else 1))) % 2**128
    return state, np.concatenate(parts)


@pytest.mark.parametrize(
    "sizes, moved, dtype",
    one_in(13, [(2, 501), (5, 1000), (24, 5092), (40, 203), (2000, 9)], [*MOVED][:5], ["uint32", "float32", "float64"]),
)
def test_draws_whose_key_grows(sizes, moved, dtype):
    """verify 3.7"""
    count, size = sizes
    state, values = draws(np.random.default_rng(count), [size] * count, 1, moved, dtype)
    (found,) = verify(state, values, dtype=dtype).diagnosis
    unit = "word" if dtype == "uint32" else "number"
    where = f"A draw, or a group of threads, begins every {size:,} {unit}s; the key grows by 1 with each draw"
    if count == 2:
        where = f"{unit.capitalize()} {size} begins a second draw; the key is greater by 1 there"
    assert found.name == "draws-in-one-file"
    assert found.sentence.startswith(f"{where}, and {moved}: ")


@pytest.mark.parametrize(
    "sizes, moved, key_step", one_in(3, [(92, 148, 120, 80, 60), (101, 50, 199, 4, 1, 70)], MOVED, [0, 1])
)
def test_draws_of_different_sizes(sizes, moved, key_step):
    """verify 3.7"""
    state, values = draws(np.random.default_rng(sizes), sizes, key_step, moved)
    report = verify(state, values)
    found = report.diagnosis
    is_hidden = not key_step and ("correctly" in moved or "words // 4" in moved)  # after whole blocks
    if "without" in moved and not any(size % 4 for size in sizes):
        moved = "the counter advances correctly"
    if min(sizes) >= 4 and is_hidden:
        assert report.ok
    elif min(sizes) >= 4:
        (each,) = found
        starts = "92, 240, 360, 440"
        assert each.sentence.startswith(f"Another draw begins at each of the words {starts}; ")
        assert moved in each.sentence and ("the key grows by 1" in each.sentence) == key_step
    elif is_hidden:  # the draw of 4 words does not show, so no draw of fewer than 4 elements has to be recognized
        assert found[0].sentence.startswith("Another draw begins at each of the words 101, 151, 350, 355")
    else:  # a draw is recognized by 4 elements
        assert "draws-in-one-file" not in {each.name for each in found}


@pytest.mark.parametrize("seed", with_costly(range(2), range(2, 9)))
def test_draws_whose_upper_key_word_grows(seed):
    """verify 3.7"""
    rng = np.random.default_rng(seed)
    state, values = draws(rng, [int(rng.integers(20, 2000))] * 4, 1 << 32, "the counter stays the same")
    (found,) = verify(state, values).diagnosis
    assert found.name == "draws-in-one-file"
    assert "key word 1 grows by 1 with each draw, and the counter stays the same" in found.sentence
