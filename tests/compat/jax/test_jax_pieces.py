"""compat.jax makes and reads its words in pieces. The bits do not depend on the pieces."""

import numpy as np
import pytest

from dmlrand.compat import jax
from dmlrand.compat.jax import keys as module

CALLS = {
    "uniform": [(100, "float64"), ((20, 5), "float32", -3.0, np.arange(5.0))],
    "normal": [(100, "float16")],
    "bernoulli": [(np.linspace(0, 1, 5), (20, 5))],
    "randint": [((20, 5), np.arange(5), 10, "uint8")],
    "choice": [(9, 100, True, np.arange(9.0)), (100, 50, False, np.arange(100.0))],
    "pareto": [(np.arange(1, 6) / 2, (20, 5))],
}
MODES = [("threefry2x32", True), ("threefry2x32", False), ("philox4x32", True), ("rbg", False), ("unsafe_rbg", True)]


@pytest.mark.parametrize("impl, partitionable", MODES)
@pytest.mark.parametrize("name", CALLS)
def test_the_size_of_pieces_changes_no_bit(monkeypatch, name, impl, partitionable):
    mode = {"impl": impl, "partitionable": partitionable, "x64": True}
    for lead in ((), (2, 0), (7, 3)):
        keys = jax.split(jax.PRNGKey(9, impl=impl), lead, impl=impl)
        for arguments in CALLS[name]:
            draws = []
            for size in (1 << 20, 48):
                monkeypatch.setattr(module, "PIECE_WORDS", size)
                draws.append(getattr(jax, name)(keys, *arguments, **mode))
            assert draws[0].shape[: len(lead)] == lead
            assert len({each.tobytes() for each in draws}) == 1
