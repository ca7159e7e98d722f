"""compat.jax makes and reads its words in pieces. The bits do not depend on the pieces: specs/jax.md, 22."""

import numpy as np
import pytest

from dmlrand.compat import jax
from dmlrand.compat.jax import keys as module

CALLS = {
    "uniform": [(100,), (100, "float64"), ((10, 10), "float16"), ((20, 5), "float32", -3.0, np.arange(5.0))],
    "normal": [(100,), (100, "float64"), (100, "float16")],
    "gumbel": [(100,), (100, "float64"), (100, "float16")],
    "bernoulli": [(0.5, 100), (np.linspace(0, 1, 5), (20, 5))],
    "randint": [(100, -7, 90), (100, 0, 1 << 40, "int64"), ((20, 5), np.arange(5), 10, "uint8")],
    "choice": [(9, 100), (9, 100, True, np.arange(9.0)), (100, 50, False, np.arange(100.0))],
    "exponential": [(100,), (100, "float64"), (100, "float16")],
    "pareto": [(2.0, 100), (np.arange(1, 6) / 2, (20, 5))],
    "geometric": [(0.3, 100), (np.linspace(0, 1, 5), (20, 5))],
    "categorical": [(np.linspace(0, 3, 20), -1, (9,))],
}
MODES = [
    {"impl": impl, "partitionable": layout, "x64": True}
    for impl in ("threefry2x32", "philox4x32", "rbg", "unsafe_rbg")
    for layout in (True, False)
]


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_the_size_of_pieces_changes_no_bit(monkeypatch, name, mode):
    """jax 22"""
    impl = mode["impl"]
    for lead in ((), (3,), (2, 0), (7, 3)):
        keys = jax.split(jax.PRNGKey(9, impl=impl), lead, impl=impl)
        for arguments in CALLS[name]:
            draws = []
            for size in (1 << 20, 16, 48, 256, 1024):
                monkeypatch.setattr(module, "PIECE_WORDS", size)
                draws.append(getattr(jax, name)(keys, *arguments, **mode))
            assert draws[0].shape[: len(lead)] == lead
            for other in draws[1:]:
                assert (other.dtype, other.shape, other.tobytes()) == (
                    draws[0].dtype,
                    draws[0].shape,
                    draws[0].tobytes(),
                )


@pytest.mark.parametrize("lead, count", [((), 100), ((3,), 100), ((50,), 7), ((0,), 5), ((5,), 0), ((), 0)])
def test_pieces_hold_no_more_words_than_they_may_and_every_word_once(monkeypatch, lead, count):
    """jax 22"""
    monkeypatch.setattr(module, "PIECE_WORDS", 32)
    keys = module.read_keys(jax.split(jax.PRNGKey(9), lead), "threefry2x32", True)
    pieces = list(keys.pieces(32, (count,)))
    assert all(0 < bits.size <= 32 for _, bits in pieces)
    assert np.concatenate([np.arange(0)] + [np.r_[place] for place, _ in pieces]).tolist() == list(
        range(keys.bits(32, (count,)).size)
    )
    drawn = np.concatenate([np.empty(0, np.uint32)] + [bits for _, bits in pieces])
    assert drawn.tolist() == keys.bits(32, (count,)).reshape(-1).tolist()


@pytest.mark.parametrize("key", [(0, 0), (7, 2**32 - 1)])
def test_draws_of_several_pieces_are_those_of_their_words(key):
    """jax 8 and 22"""
    count = 2 * module.PIECE_WORDS + 9
    key = np.array(key, np.uint32)
    words = jax.bits(key, count)
    assert np.array_equal(jax.uniform(key, count), (words >> 9) * np.float32(2.0**-23))
    assert np.array_equal(jax.bernoulli(key, 0.25, count), words >> 30 == 0)
    child = jax.split(key)[1]
    assert np.array_equal(jax.randint(key, count, 0, 256), jax.bits(child, count) & 255)
