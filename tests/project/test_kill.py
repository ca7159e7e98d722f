"""kill -9 at random moments: no byte is wrong, no value is skipped. tests/support/kills.py has the scenarios."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ENVIRONMENT
from systems import posix
from waiting import LIMIT

PROGRAM = Path(__file__).parents[1] / "support" / "kills.py"
SCENARIOS = ["kill_fills", "kill_zarr_fills", "kill_checkpoints", "kill_runs"]


def survive(scenario, kills, seed, folder):
    if scenario == "kill_zarr_fills":
        pytest.importorskip("zarr")
    done = subprocess.run(
        [sys.executable, PROGRAM, scenario, str(kills), str(seed), folder],
        env=ENVIRONMENT, capture_output=True, text=True, timeout=LIMIT,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), f"seed {seed}: {done.stderr}"
    assert os.listdir(folder) or scenario == "kill_zarr_fills"


@posix("fork")
@pytest.mark.costly
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_kills_at_random_moments(tmp_path, scenario):
    """bulk 2.1 and 8.3; checkpoint 4.1 and 5.1"""
    survive(scenario, 8, 20250, tmp_path)


@posix("fork")
@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_hundred_kills_at_random_moments(tmp_path, scenario):
    survive(scenario, 100, random.SystemRandom().randrange(2**32), tmp_path)
