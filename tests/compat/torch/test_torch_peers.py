"""Functions that the installed torch compiles for a CPU, with new seeds. Run with `pytest -m peers`; it needs a C++
compiler.
"""

from collections import Counter

import numpy as np
import pytest
from normal_bounds import TORCH_MAX_ULP, largest_ulp
from paths import TESTS
from torch_func_random import assert_func_draw

from dmlrand.compat import torch

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]
MAKERS = TESTS / "makers"
SIZES = (37, 501)


@pytest.fixture
def makers(monkeypatch):
    pytest.importorskip("torch", reason="torch is not installed: pip install --group peers")
    monkeypatch.syspath_prepend(MAKERS)
    import torch_answers

    return torch_answers


def test_new_keys_of_func_random(makers, chance):
    """torch 4.1 to 4.5"""
    equal, normals, largest = 0, Counter(), Counter()
    for _ in range(20):
        for function, key, arguments in (*makers.func_calls(chance), *makers.func_key_calls(chance, 4001)):
            if function in ("uniform", "normal") and isinstance(key[0], int):
                arguments[0] = [chance.randint(1, 5000)]
            theirs = makers.func_draw(function, key, arguments)
            distance = assert_func_draw(function, np.array(key, np.uint64), arguments, theirs)
            if function == "normal":
                normals[arguments[-1]] += theirs.size
                largest[arguments[-1]] = max(largest[arguments[-1]], distance)
            else:
                equal += theirs.size
    print(f"{equal} numbers are equal; normals: {dict(normals)}, within {dict(largest)} ulp")


def test_new_seeds_of_compiled_functions(makers, chance):
    """torch 3.1 to 3.6"""
    equal = largest = normals = 0
    for seed in [chance.getrandbits(chance.randint(1, 64)) for _ in range(10)]:
        draws = list(makers.draw(seed, 2, SIZES))
        for each, key in zip(draws, torch.compiled_seeds(seed, len(draws))):
            ours = getattr(torch, f"compiled_{each['function']}")(key, *each["arguments"], SIZES)
            theirs = each["values"]
            if each["function"] == "randn":
                largest = max(largest, largest_ulp(ours, theirs))
                normals += theirs.size
            else:
                assert np.array_equal(ours, theirs), (seed, each["function"])
                equal += theirs.size
    print(f"{equal} numbers are equal, {normals} normals within {largest:.3} ulp")
    assert largest <= TORCH_MAX_ULP
