"""kill -9 at random moments: no byte is wrong, no value is skipped. tests/support/kills.py has the scenarios."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ENVIRONMENT
from systems import posix
from waiting import LIMIT

PROGRAM = Path(__file__).parents[1] / "support" / "kills.py"
SCENARIOS = ["kill_fills", "kill_zarr_fills", "kill_checkpoints", "kill_runs"]


@posix("fork")
@pytest.mark.costly
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_kills_at_random_moments(tmp_path, scenario):
    """bulk 2.1 and 8.3; checkpoint 4.1, 4.2 and 5.1"""
    if scenario == "kill_zarr_fills":
        pytest.importorskip("zarr")
    done = subprocess.run(
        [sys.executable, PROGRAM, scenario, "8", "20250", tmp_path],
        env=ENVIRONMENT, capture_output=True, text=True, timeout=LIMIT,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert os.listdir(tmp_path) or scenario == "kill_zarr_fills"
