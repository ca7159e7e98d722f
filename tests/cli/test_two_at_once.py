"""Two commands at once on one state file: the second is refused, so that no word is drawn twice. specs/checkpoint.md,
5.3"""

import subprocess
import sys

import numpy as np
import pytest
from commands import ENVIRONMENT, contents, ok
from systems import POSIX
from waiting import Process

from dmlrand import counter_of, load_checkpoint, make_state, random_generator, save_checkpoint
from dmlrand.files import exclusive_use

BUSY = "dmlrand: error: '{}' is in use already. Wait until the other process ends, or name another state.\n"


def test_a_state_in_use_is_refused(run, tmp_path):
    """checkpoint 5.3: also a state that does not exist yet, and one that a link names."""
    options = "--seed 7 --state {}"
    lines = [f"run --shape 8 --output v.npy {options}", f"fill --shape 8 --output v.npy {options}", f"stream {options}"]
    for other in ("state new {} --seed 1", "state advance {} 2"):
        with exclusive_use("s.json"):
            before = contents(tmp_path)
            for line in (*lines, other):
                assert run(line.format("s.json")) == (2, "", BUSY.format("s.json"))
                if POSIX and "advance" in other:
                    assert run(line.format("link.json")) == (2, "", BUSY.format("link.json"))
            assert contents(tmp_path) == before
        save_checkpoint("s.json", make_state(key=7))
        if POSIX and "new" in other:
            (tmp_path / "link.json").symlink_to("s.json")
    ok(run(lines[0].format("s.json")))
    assert not (tmp_path / ".s.json.lock").exists()


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
