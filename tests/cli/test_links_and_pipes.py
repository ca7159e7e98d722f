"""Links, pipes and devices in place of the files beside a target, and the permissions of those files.

checkpoint 2.5, 4.2 and 4.4; bulk 1.3 and 3.6; cli 22
"""

import os
import re
import threading
from pathlib import Path

import numpy as np
import pytest
from commands import contents, process
from fills import STATE, interrupt, names
from systems import POSIX, posix
from waiting import join

from dmlrand import CheckpointError, fill_file, load_checkpoint, random_generator, save_checkpoint
from dmlrand.bulk import FillError
from dmlrand.cli import main
from dmlrand.files.atomic_write import replacing


def link_to_a_file(path):
    elsewhere_of(path).write_bytes(b"")
    path.symlink_to(elsewhere_of(path).name)


def elsewhere_of(path):
    return path.with_name(f"{path.name}-elsewhere")


def link_to_nothing(path):
    path.symlink_to(elsewhere_of(path).name)


def link_to_zeros(path):
    path.symlink_to("/dev/zero")


def link_to_a_pipe(path):
    os.mkfifo(elsewhere_of(path))
    path.symlink_to(elsewhere_of(path).name)


KINDS = {os.mkdir: "a folder"}
if POSIX:  # Windows has no pipes among files, and not every user may make links
    KINDS |= {
        link_to_a_file: "a symbolic link",
        link_to_nothing: "a symbolic link",
        link_to_zeros: "a symbolic link",
        link_to_a_pipe: "a symbolic link",
        os.mkfifo: "a pipe",
    }


def limited():
    """Limit the memory, in case a process reads an endless file."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def run(folder, line):
    """Run a command. It has a minute, in case it waits for the other end of a pipe."""
    ran = process(*line.split(), cwd=folder, capture_output=True, timeout=60, preexec_fn=limited if POSIX else None)
    return ran.returncode, ran.stdout.decode(), ran.stderr.decode()


@pytest.mark.parametrize("end", [".filling", pytest.param(".progress", marks=pytest.mark.costly)])
@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_a_fill_follows_no_link_and_waits_for_no_pipe(tmp_path, make, end):
    """bulk 3.6"""
    target = tmp_path / "f.bin"
    make(Path(f"{target}{end}"))
    before = contents(tmp_path)
    code, out, err = run(tmp_path, "fill --shape 8 --seed 1 --output f.bin")
    assert (code, out) == (2, "")
    assert err == (
        f"dmlrand: error: 'f.bin{end}' must be a regular file; got {KINDS[make]}. "
        "To start again, remove 'f.bin.progress' and 'f.bin.filling'.\n"
    )
    assert contents(tmp_path) == before


@posix("links that every user may make")
def test_a_message_about_the_files_beside_a_link_shows_where_they_are(tmp_path):
    """cli 7"""
    (tmp_path / "there").mkdir()
    (tmp_path / "link.bin").symlink_to("there/f.bin")
    (tmp_path / "there" / "f.bin.progress").write_text("{}")
    there = os.path.realpath(tmp_path / "there")
    code, _, err = run(tmp_path, "fill --shape 8 --seed 1 --output link.bin")
    assert code == 2
    assert err.startswith(f"dmlrand: error: '{there}/f.bin.progress' has no")
    assert err.endswith(f"To start again, remove '{there}/f.bin.progress' and '{there}/f.bin.filling'.\n")


def test_a_progress_file_that_is_too_large_is_not_read_completely(tmp_path):
    """bulk 3.6"""
    target = tmp_path / "f.bin"
    with open(f"{target}.progress", "wb") as file:
        file.truncate((1 << 20) + 1)
    message = (
        f"'{target}.progress' has more than 1,048,576 bytes. It is another kind of file. "
        f"To start again, remove '{target}.progress' and '{target}.filling'."
    )
    with pytest.raises(FillError, match=f"^{re.escape(message)}$"):
        fill_file(target, STATE, 8)
    assert names(tmp_path) == ["f.bin.progress"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("run --output v.npy --state s.json", ".v.npy.0123abc{}.part"),
        ("fill --output v.bin --state s.json", ".v.bin.progress.0123abc{}.part"),
    ],
    ids=["run", "fill"],
)
def test_other_things_with_the_name_of_a_temporary_file_are_not_removed(tmp_path, line, name):
    """checkpoint 4.2: they are not opened either."""
    for number, make in enumerate(KINDS):
        make(tmp_path / name.format(number))
    before = names(tmp_path)
    code, _, err = run(tmp_path, f"{line} --shape 8 --seed 1")
    assert (code, err) == (0, "")
    assert names(tmp_path) == sorted([*before, "s.json", line.split()[2]])


@posix("permissions")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o200])
def test_a_temporary_file_has_the_permissions_of_the_target(tmp_path, mode):
    """checkpoint 4.4: from the start, whatever the umask. The owner may always write it."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(mode)
    old = os.umask(0)
    try:
        with replacing(path) as file:
            assert os.fstat(file.fileno()).st_mode & 0o777 == mode | 0o600
            file.write(b"new")
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o777 == mode


@posix("permissions")
def test_the_files_of_a_fill_have_the_permissions_of_the_target(tmp_path):
    """bulk 1.3: the progress file too, because it contains the key."""
    path = tmp_path / "f.bin"
    path.write_bytes(b"old")
    path.chmod(0o600)
    interrupt(path, STATE, 1000, at=1600, flush_bytes=160)
    modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    assert modes == {"f.bin": 0o600, "f.bin.filling": 0o600, "f.bin.progress": 0o600}
    fill_file(path, STATE, 1000)
    assert path.read_bytes() == random_generator(STATE, 1000).values.astype("<u4").tobytes()
    assert path.stat().st_mode & 0o777 == 0o600


@posix("a umask")
def test_a_new_fill_has_the_permissions_of_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        interrupt(tmp_path / "f.bin", STATE, 1000, at=1600, flush_bytes=160)
        modes = [file.stat().st_mode & 0o777 for file in tmp_path.iterdir()]
        fill_file(tmp_path / "f.bin", STATE, 1000)
    finally:
        os.umask(old)
    assert modes == [0o640, 0o640]
    assert (tmp_path / "f.bin").stat().st_mode & 0o777 == 0o640


def in_time(call):
    """The result of a call, which fails if it waits for the other end of a pipe."""
    results = []
    thread = threading.Thread(target=lambda: results.append(call()), daemon=True)
    thread.start()
    join(thread)
    return results[0]


def pipe_without_a_writer(name):
    os.mkfifo(name)


def pipe_with_a_writer(name):
    """A pipe that holds bytes and has a writer, as `<(cat ok.npy)` makes one."""
    os.mkfifo(name)
    end = os.open(name, os.O_RDWR)
    os.write(end, b"\x93NUMPY")


def link_to_zeros_to_read(name):
    os.symlink("/dev/zero", name)


COPY = "Copy its content to a file, and name that file."
STREAMS = {
    pipe_without_a_writer: "a pipe",
    pipe_with_a_writer: "a pipe",
    link_to_zeros_to_read: "a device or a socket",
}


@posix("pipes among files")
@pytest.mark.parametrize("make", STREAMS, ids=lambda make: make.__name__)
@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("verify --state-in s.json --values {}.npy", f"{COPY} Or send it to stdin, with --values -."),
        ("verify --state-in s.json --values {}.bin", f"{COPY} Or send it to stdin, with --values -."),
        ("verify --state-in {}.json --values v.npy", COPY),
        ("verify --state-in s.json --values v.npy --state-out {}.npy", COPY),
        ("state show {}.bin", COPY),
        ("state show {}.json", COPY),
        ("state show {}.npy", COPY),
        ("state distance s.json {}.json", COPY),
    ],
)
def test_no_command_reads_a_pipe_or_a_device(tmp_path, monkeypatch, capsys, make, line, remedy):
    """cli 22: it would wait for ever, or read for ever."""
    monkeypatch.chdir(tmp_path)
    save_checkpoint("s.json", STATE)
    np.save("v.npy", random_generator(STATE, 4).values)
    name = next(word for word in line.split() if "{}" in word).format("p")
    make(name)
    assert in_time(lambda: main(line.format("p").split())) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"dmlrand: error: '{name}' must be a regular file; got {STREAMS[make]}. {remedy}\n")


@posix("pipes and devices among files")
@pytest.mark.parametrize("name", ["/dev/full", "/dev/zero", "p.json", "p.npy"])
def test_a_checkpoint_is_a_regular_file(tmp_path, monkeypatch, name):
    """checkpoint 2.5"""
    monkeypatch.chdir(tmp_path)
    if not name.startswith("/"):
        os.mkfifo(name)

    def load():
        with pytest.raises(CheckpointError, match=rf"^'{name}' must be a regular file; got a .*\. {COPY}$"):
            load_checkpoint(name)
        return True

    assert in_time(load)


@posix("links that every user may make")
@pytest.mark.parametrize("name", ["s.json", "s.npy", "s.bin"])
def test_a_state_file_may_be_a_link(tmp_path, monkeypatch, capsys, name):
    """cli 22"""
    monkeypatch.chdir(tmp_path)
    assert main(["state", "new", name, "--seed", "5"]) == 0
    shown = capsys.readouterr().out
    os.symlink(name, f"link.{name}")
    assert main(["state", "show", f"link.{name}"]) == 0
    assert capsys.readouterr().out == shown
