"""The installed Triton in its interpreter, on new cases. Run with `pytest -m peers`; it needs no GPU."""

import subprocess
import sys

import numpy as np
import pytest
from normal_bounds import TRITON_MAX_ULP, largest_ulp
from paths import TESTS
from waiting import LIMIT

from dmlrand.compat import triton

pytestmark = pytest.mark.peers
MAKER = TESTS / "makers" / "triton_answers.py"


def answer(recorded, case, name):
    """The numbers that Triton recorded under `case` and `name`, made by compat.triton."""
    if not case.startswith("philox"):
        return getattr(triton, name)(int(recorded[f"{case} seed"]), recorded[f"{case} offset"])
    seed, rounds = int(str(recorded[f"{case} seed"]), 16), int(recorded[f"{case} n_rounds"])
    counters = recorded[f"{case} counters"]
    if name == "randint":
        return triton.randint(seed, counters[0], rounds)
    words = triton.philox(seed, *counters, n_rounds=rounds)
    if name == "philox":
        return words
    uniforms = [triton.uint_to_uniform_float(each) for each in words[:2]]
    return uniforms if name == "uint_to_uniform_float" else triton.pair_uniform_to_normal(*uniforms)


def test_new_cases(tmp_path, chance):
    """triton 1 to 10"""
    for package in ("triton", "torch"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    answers = tmp_path / "answers.npz"
    # In a process of its own, because the interpreter must be chosen before anything imports Triton.
    subprocess.run([sys.executable, MAKER, str(chance.getrandbits(64)), answers], check=True, timeout=LIMIT)
    recorded = np.load(answers)
    equal = largest = normals = 0
    for key in recorded.files:
        case, name = key.rsplit(maxsplit=1)
        if name in ("seed", "offset", "counters", "n_rounds"):
            continue
        ours = np.stack(answer(recorded, case, name))
        theirs = recorded[key]
        if "norm" in name or "randn" in name:
            largest = max(largest, largest_ulp(ours, theirs))
            normals += theirs.size
        else:
            assert np.array_equal(ours, theirs), key
            equal += theirs.size
    print(f"{equal} words and uniform numbers are equal, {normals} normals within {largest:.3} ulp")
    assert largest <= TRITON_MAX_ULP
