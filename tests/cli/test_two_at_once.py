"""Two commands at once on one state file: the second is refused, so that no word is drawn twice. specs/checkpoint.md,
5.3"""

import os
import subprocess
import sys
from errno import EACCES
from pathlib import Path

import numpy as np
import pytest
from commands import ENVIRONMENT
from systems import POSIX, posix, text
from waiting import LIMIT, Process

from dmlrand import counter_of, load_checkpoint, make_state, random_generator, save_checkpoint
from dmlrand.cli import main
from dmlrand.files import locks

BUSY = b"dmlrand: error: another command is using 's.json'. Wait until it ends, or name another state.\n"
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


@posix("permissions that the errors made here come from")
def test_the_lock_file_of_another_user_is_used_again(folder, monkeypatch):
    """checkpoint 5.3: it may only be read, and a folder such as /tmp refuses O_CREAT for it."""
    Path(".s.json.lock").touch()
    to_open = os.open

    def refuse(path, flags, *mode, **options):
        if os.path.basename(path) == ".s.json.lock" and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise PermissionError(EACCES, os.strerror(EACCES), path)
        return to_open(path, flags, *mode, **options)

    monkeypatch.setattr(os, "open", refuse)
    assert main(COMMANDS[0].split()) == 0
    assert names(folder) == ["s.json", "v.npy"]


def test_a_lock_file_that_is_not_empty_is_not_removed(folder):
    """checkpoint 5.3: it belongs to the user."""
    Path(".s.json.lock").write_text("mine")
    assert main(COMMANDS[0].split()) == 0
    assert names(folder) == [".s.json.lock", "s.json", "v.npy"]
    assert Path(".s.json.lock").read_text() == "mine"


@posix("pipes that have names")
def test_a_pipe_in_place_of_the_lock_file_is_neither_waited_for_nor_removed(folder):
    os.mkfifo(".s.json.lock")
    assert main(COMMANDS[0].split()) == 0
    assert names(folder) == [".s.json.lock", "s.json", "v.npy"]


@posix("links that every user may make")
@pytest.mark.parametrize("there", [True, False], ids=["there", "dangling"])
def test_a_link_in_place_of_the_lock_file_is_not_followed(folder, capsys, there):
    """checkpoint 5.3: in a shared folder another user could have made the link."""
    if there:
        Path("target").touch()
    Path(".s.json.lock").symlink_to("target")
    before = names(folder)
    assert main(COMMANDS[0].split()) == 2
    assert ".s.json.lock'" in capsys.readouterr().err
    assert names(folder) == before


@posix("removing a file that is open")
def test_a_lock_file_that_was_removed_before_it_was_locked_is_created_again(tmp_path, monkeypatch):
    """Another process removes the file between the calls that open it and lock it."""
    path, lock = tmp_path / "file", locks.try_lock

    def remove_and_lock(file):
        monkeypatch.undo()
        path.unlink()
        return lock(file)

    def make(path, flags):
        return os.open(path, flags | os.O_CREAT)

    monkeypatch.setattr(locks, "try_lock", remove_and_lock)
    with locks.locked(str(path), "busy", make) as file:
        assert os.path.samestat(os.fstat(file.fileno()), path.stat())


@posix("links that every user may make")
def test_a_link_and_its_file_are_one_state(folder):
    import fcntl

    save_checkpoint("s.json", make_state(counter=0, key=7))
    (folder / "link.json").symlink_to("s.json")
    with open(".s.json.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        code, _, err = run(folder, "run --shape 8 --output v.npy --state link.json")
    assert (code, err) == (2, BUSY.replace(b"s.json", b"link.json"))


@posix("flock, which is hidden here")
def test_a_disk_without_locks_can_be_used(folder, monkeypatch):
    """checkpoint 5.3"""
    monkeypatch.setattr("dmlrand.files.locks.fcntl", None)
    assert main(COMMANDS[0].split()) == 0
    assert names(folder) == ["s.json", "v.npy"]
