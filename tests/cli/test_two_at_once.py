"""Two commands at once on one state file: the second is refused, so that no word is drawn twice. specs/checkpoint.md,
5.3"""

import subprocess
import sys

import numpy as np
import pytest
from commands import ENVIRONMENT
from systems import POSIX, posix, text
from waiting import LIMIT, Process

from dmlrand import counter_of, load_checkpoint, make_state, random_generator, save_checkpoint

BUSY = b"dmlrand: error: another process is using 's.json'. Wait until it ends, or name another state.\n"
COMMANDS = [
    "run --shape 8 --seed 7 --output v.npy --state s.json",
    "fill --shape 8 --seed 7 --output v.npy --state s.json",
    "stream --words 8 --seed 7 --state s.json",
    "state advance s.json 2",
]


def start(folder, line):
    return Process(
        [sys.executable, "-m", "dmlrand", *line.split()],
        cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def run(folder, line):
    process = start(folder, line)
    out, err = process.communicate()
    return process.returncode, out, text(err)


def stop(streaming):
    """End the stream: by SIGTERM, or by closing its pipes on Windows, which sends no signals."""
    if POSIX:
        streaming.terminate()
        streaming.communicate()
        return
    streaming.stdout.close()
    streaming.stderr.close()
    streaming.wait(LIMIT)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("there", [True, pytest.param(False, marks=pytest.mark.costly)], ids=["old", "new"])
@pytest.mark.parametrize(
    "line", [COMMANDS[0], *(pytest.param(line, marks=pytest.mark.costly) for line in COMMANDS[1:])]
)
def test_a_state_in_use_is_refused(folder, line, there):
    """checkpoint 5.3: also a state that does not exist yet."""
    if there:
        save_checkpoint("s.json", make_state(counter=0, key=7))
    elif line.startswith("state"):
        pytest.skip("a state that is not there cannot be advanced")
    streaming = start(folder, "stream --seed 7 --state s.json")
    streaming.stdout.read(1)
    before = names(folder)
    assert run(folder, line) == (2, b"", BUSY)
    assert names(folder) == before
    stop(streaming)
    assert names(folder) == ["s.json"]
    assert run(folder, line)[0] == 0


def test_a_new_state_is_not_created_while_another_command_creates_it(folder):
    """checkpoint 5.3"""
    streaming = start(folder, "stream --seed 7 --state s.json")
    streaming.stdout.read(1)
    assert run(folder, "state new s.json --seed 1") == (2, b"", BUSY)
    stop(streaming)
    assert b"'s.json' exists already." in run(folder, "state new s.json --seed 1")[2]
    assert names(folder) == ["s.json"]


@pytest.mark.costly
def test_many_runs_at_once_draw_every_word_once(folder):
    """checkpoint 5.3"""
    save_checkpoint("s.json", make_state(counter=0, key=7))
    runs = [start(folder, f"run --shape 4 --output {i}.npy --state s.json") for i in range(6)]
    for run in runs:
        run.wait(LIMIT)
        assert run.returncode in (0, 2)
        run.communicate()
    drawn = [np.load(path).tolist() for path in folder.glob("*.npy")]
    assert (
        len(drawn) == sum(run.returncode == 0 for run in runs) == counter_of(load_checkpoint("s.json").states["state"])
    )
    drawn_at_once = random_generator(make_state(counter=0, key=7), (len(drawn), 4)).values
    assert sorted(drawn) == sorted(drawn_at_once.tolist())


def test_the_lock_file_of_a_killed_command_is_used_again(folder):
    """checkpoint 5.3"""
    streaming = start(folder, "stream --seed 7 --state s.json")
    streaming.stdout.read(1)
    streaming.kill()
    streaming.communicate()
    assert names(folder) == [".s.json.lock"]
    assert run(folder, COMMANDS[0])[0] == 0
    assert names(folder) == ["s.json", "v.npy"]


@posix("links that every user may make")
def test_a_link_and_its_file_are_one_state(folder):
    import fcntl

    save_checkpoint("s.json", make_state(counter=0, key=7))
    (folder / "link.json").symlink_to("s.json")
    with open(".s.json.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        code, _, err = run(folder, "run --shape 8 --output v.npy --state link.json")
    assert (code, err) == (2, BUSY.replace(b"s.json", b"link.json"))
