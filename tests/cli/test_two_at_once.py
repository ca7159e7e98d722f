"""Two commands at once on one state file: the second is refused, so that no word is drawn twice. specs/checkpoint.md,
5.3"""

import subprocess
import sys

import numpy as np
import pytest
from commands import ENVIRONMENT, contents
from systems import POSIX
from waiting import Process

from dmlrand import counter_of, load_checkpoint, make_state, random_generator, save_checkpoint
from dmlrand.files import exclusive_use

BUSY = "dmlrand: error: '{}' is in use already, by another process or option. Wait, or name another state.\n"


@pytest.mark.parametrize(
    "line",
    [
        "run --shape 8 --output v.npy --seed 7 --state {}",
        "fill --shape 8 --output v.npy --seed 7 --state {}",
        "stream --seed 7 --state {}",
        "state new {} --seed 1",
        "state advance {} 2",
    ],
)
def test_a_state_in_use_is_refused(run, tmp_path, line):
    """checkpoint 5.3: also a state that does not exist yet, and one that a link names."""
    if POSIX:
        (tmp_path / "link.json").symlink_to("s.json")
    for saved in (False, True):
        if saved:
            save_checkpoint("s.json", make_state(key=7))
        with exclusive_use("s.json"):
            before = contents(tmp_path)
            for name in ["s.json", *["link.json"] * POSIX]:
                assert run(line.format(name)) == (2, "", BUSY.format(name))
            assert contents(tmp_path) == before


@pytest.mark.costly
def test_many_runs_at_once_draw_every_word_once(run, tmp_path):
    """checkpoint 5.3"""
    save_checkpoint("s.json", make_state(counter=0, key=7))
    command = [sys.executable, "-m", "dmlrand", *"run --shape 4 --state s.json --output".split()]
    runs = [Process([*command, f"{i}.npy"], env=ENVIRONMENT, stderr=subprocess.PIPE) for i in range(6)]
    for process in runs:
        process.communicate()
        assert process.returncode in (0, 2)
    drawn = [np.load(path).tolist() for path in tmp_path.glob("*.npy")]
    assert len(drawn) == sum(process.returncode == 0 for process in runs)
    assert len(drawn) == counter_of(load_checkpoint("s.json").states["state"])
    at_once = random_generator(make_state(counter=0, key=7), (len(drawn), 4)).values
    assert sorted(drawn) == sorted(at_once.tolist())
