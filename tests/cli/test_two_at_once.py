"""Two commands at once on one state file: the second is refused, so that no word is drawn twice. specs/checkpoint.md,
5.3"""

import subprocess
import sys

import numpy as np
import pytest
from commands import ENVIRONMENT, command_line, ok
from systems import POSIX, posix
from waiting import LIMIT, Process

from dmlrand import counter_of, load_checkpoint, make_state, random_generator, save_checkpoint

BUSY = "dmlrand: error: another process is using 's.json'. Wait until it ends, or name another state.\n"
COMMANDS = [
    "run --shape 8 --seed 7 --output v.npy --state s.json",
    "fill --shape 8 --seed 7 --output v.npy --state s.json",
    "stream --words 8 --seed 7 --state s.json",
    "state advance s.json 2",
]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    return command_line(capsys)


def start(line):
    command = [sys.executable, "-m", "dmlrand", *line.split()]
    return Process(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def start_to_stream():
    """A process that uses s.json."""
    streaming = start("stream --seed 7 --state s.json")
    streaming.stdout.read(1)
    return streaming


def stop(streaming):
    """End the stream: by SIGTERM, or by closing its pipes on Windows, which sends no signals."""
    if POSIX:
        streaming.terminate()
        streaming.communicate()
        return
    streaming.stdout.close()
    streaming.stderr.close()
    streaming.wait(LIMIT)


def test_a_state_in_use_is_refused(run, tmp_path):
    """checkpoint 5.3: also a state that does not exist yet."""
    for exists in (False, True):
        streaming = start_to_stream()
        names = sorted(path.name for path in tmp_path.iterdir())
        for line in COMMANDS if exists else [*COMMANDS[:3], "state new s.json --seed 1"]:
            assert run(line) == (2, "", BUSY)
        assert sorted(path.name for path in tmp_path.iterdir()) == names
        stop(streaming)
        assert [path.name for path in tmp_path.iterdir()] == ["s.json"]
    ok(run(COMMANDS[0]))


@pytest.mark.costly
def test_many_runs_at_once_draw_every_word_once(run, tmp_path):
    """checkpoint 5.3"""
    save_checkpoint("s.json", make_state(counter=0, key=7))
    runs = [start(f"run --shape 4 --output {i}.npy --state s.json") for i in range(6)]
    for process in runs:
        process.communicate()
        assert process.returncode in (0, 2)
    drawn = [np.load(path).tolist() for path in tmp_path.glob("*.npy")]
    assert len(drawn) == sum(process.returncode == 0 for process in runs)
    assert len(drawn) == counter_of(load_checkpoint("s.json").states["state"])
    at_once = random_generator(make_state(counter=0, key=7), (len(drawn), 4)).values
    assert sorted(drawn) == sorted(at_once.tolist())


def test_the_lock_file_of_a_killed_command_is_used_again(run, tmp_path):
    """checkpoint 5.3"""
    streaming = start_to_stream()
    streaming.kill()
    streaming.communicate()
    assert [path.name for path in tmp_path.iterdir()] == [".s.json.lock"]
    ok(run(COMMANDS[0]))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.json", "v.npy"]


@posix("links that every user may make")
def test_a_link_and_its_file_are_one_state(run, tmp_path):
    import fcntl

    save_checkpoint("s.json", make_state(counter=0, key=7))
    (tmp_path / "link.json").symlink_to("s.json")
    with open(".s.json.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ran = run("run --shape 8 --output v.npy --state link.json")
    assert ran == (2, "", BUSY.replace("s.json", "link.json"))
