"""The installed Triton in its interpreter, on new cases. Run with `pytest -m peers`; it needs no GPU.

The seed is printed; DMLRAND_PEERS_SEED=... repeats a run.
"""

import os
import secrets
import subprocess
import sys

import numpy as np
import pytest
from normal_bounds import TRITON_MAX_ULP
from paths import TESTS
from waiting import LIMIT

from dmlrand.compat import triton

pytestmark = pytest.mark.peers
MAKER = TESTS / "makers" / "triton_answers.py"


def test_new_cases(tmp_path):
    """triton 1 to 7"""
    for package in ("triton", "torch"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    seed = os.environ.get("DMLRAND_PEERS_SEED", str(secrets.randbits(64)))
    print(f"DMLRAND_PEERS_SEED={seed}")  # pytest shows it with a failure, and always with -s
    answers = tmp_path / "answers.npz"
    # In a process of its own, because the interpreter must be chosen before anything imports Triton.
    subprocess.run([sys.executable, MAKER, seed, answers], check=True, timeout=LIMIT)
    recorded = np.load(answers)
    equal = largest = normals = 0
    for key in recorded.files:
        case, name = key.split()
        if name in ("seed", "offset"):
            continue
        ours = np.stack(getattr(triton, name)(int(recorded[f"{case} seed"]), recorded[f"{case} offset"]))
        theirs = recorded[key]
        if "randn" in name:
            largest = max(largest, np.max(np.abs(ours.astype(float) - theirs) / np.spacing(np.abs(theirs))))
            normals += theirs.size
        else:
            assert np.array_equal(ours, theirs), key
            equal += theirs.size
    print(f"{equal} words and uniform numbers are equal, {normals} normals within {largest:.3} ulp")
    assert largest <= TRITON_MAX_ULP
