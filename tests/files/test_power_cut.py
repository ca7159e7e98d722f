"""The order of the system calls that write a file, which decides what a power cut leaves. checkpoint 4.1, bulk 2.2"""

import errno
import os
import re
import sys

import pytest
from system_calls import record
from systems import POSIX, posix

from dmlrand import fill_file, load_checkpoint, make_state, save_checkpoint
from dmlrand.cli import main
from dmlrand.files.atomic_write import sync, sync_directory
from dmlrand.files.names import quoted

FOLDER = ["fsync folder"] if POSIX else []  # Windows flushes no folder


def replaced(name):
    """The calls that replace the file `name` atomically."""
    return [f"fsync .{name}.part", f"rename .{name}.part {name}", *FOLDER]


@pytest.mark.parametrize("name", ["s.json", "s.npy"])
def test_a_checkpoint_is_flushed_then_renamed_then_its_folder_is_flushed(tmp_path, monkeypatch, name):
    """checkpoint 4.1"""
    calls, contents = record(monkeypatch, tmp_path)
    for _ in range(2):  # a new file, and one in place of an old one
        save_checkpoint(tmp_path / name, make_state(key=1))
    assert calls == 2 * replaced(name)
    assert contents == {str(tmp_path / name): (tmp_path / name).read_bytes()}


def test_a_run_saves_the_values_and_then_the_state(tmp_path, monkeypatch):
    """checkpoint 5.1 and 5.5: first the state is written on trial."""
    monkeypatch.chdir(tmp_path)
    calls, contents = record(monkeypatch, tmp_path)
    assert main("run --shape 8 --seed 1 --output v.npy --state s.json".split()) == 0
    assert calls == ["unlink .s.json.part", *replaced("v.npy"), *replaced("s.json"), "unlink .s.json.lock"]
    assert contents == {str(tmp_path / name): (tmp_path / name).read_bytes() for name in ("v.npy", "s.json")}


def test_a_fill_is_flushed_recorded_renamed_and_then_the_progress_file_is_removed(tmp_path, monkeypatch):
    """bulk 2.2: steps b to f."""
    calls, contents = record(monkeypatch, tmp_path)
    fill_file(tmp_path / "f.bin", make_state(key=1), 10_000, flush_bytes=16_000)
    recorded = replaced("f.bin.progress")
    assert calls == [
        *recorded,
        *3 * ["fsync f.bin.filling", *recorded],  # 16,000, 32,000 and 40,000 bytes
        *["rename f.bin.filling f.bin", *FOLDER],
        *["unlink f.bin.progress", *FOLDER],
    ]
    assert contents[str(tmp_path / "f.bin")] == (tmp_path / "f.bin").read_bytes()


def test_the_recorder_sees_a_flush_that_comes_too_early(tmp_path, monkeypatch):
    calls, contents = record(monkeypatch, tmp_path)
    with open(tmp_path / "a", "wb") as file:
        file.write(b"1")
        os.fsync(file.fileno())  # Python's buffer still holds the byte
    os.replace(file.name, tmp_path / "b")
    assert calls == ["fsync a", "rename a b"]
    assert contents == {str(tmp_path / "b"): b""}


def fail_for(monkeypatch, folder, number, when=lambda: True):
    """Let every flush of the folder fail, as on a broken disk."""
    fsync = os.fsync

    def fail(file):
        if os.path.samestat(os.fstat(file), os.stat(folder)) and when():
            raise OSError(number, os.strerror(number))
        fsync(file)

    monkeypatch.setattr(os, "fsync", fail)


def not_flushed(folder, number):
    remedy = "Free disk space" if number == errno.ENOSPC else "Remove the cause"
    return (
        f"[Errno {number}] {os.strerror(number)}: files in {quoted(folder)} have new names, but a power cut may "
        "restore "
        f"the old ones. {remedy}, then check the files before you try again."
    )


@posix("flushing a folder")
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EROFS])
def test_a_folder_that_cannot_be_flushed_is_an_error(tmp_path, monkeypatch, number):
    """checkpoint 4.1: the new file is in place, but the rename may not be on the disk."""
    fail_for(monkeypatch, tmp_path, number)
    with pytest.raises(OSError, match=f"^{re.escape(not_flushed(tmp_path, number))}$"):
        save_checkpoint(tmp_path / "s.json", make_state(key=1))
    assert load_checkpoint(tmp_path / "s.json").states["state"].tolist() == [0, 0, 0, 0, 1, 0]


@posix("flushing a folder")
def test_a_fill_whose_folder_cannot_be_flushed_is_completed_by_the_same_call(tmp_path, monkeypatch):
    """bulk 2.5"""
    path = tmp_path / "f.bin"
    with monkeypatch.context() as broken:
        fail_for(broken, tmp_path, errno.EIO, when=path.exists)
        with pytest.raises(OSError, match=f"^{re.escape(not_flushed(tmp_path, errno.EIO))}$"):
            fill_file(path, make_state(key=1), 8)
    assert sorted(os.listdir(tmp_path)) == ["f.bin", "f.bin.progress"]
    fill_file(path, make_state(key=1), 8)
    assert os.listdir(tmp_path) == ["f.bin"]


@pytest.mark.parametrize("number", [errno.EINVAL, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP])
def test_a_system_that_does_not_flush_folders_is_not_an_error(tmp_path, monkeypatch, number):
    """checkpoint 4.1"""

    def refuse(directory, flags):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", refuse)
    sync_directory(str(tmp_path))


@pytest.mark.skipif(sys.platform != "linux", reason="a folder of Linux that cannot be flushed")
def test_a_real_folder_that_cannot_be_flushed():
    handle = os.open("/proc", os.O_RDONLY)
    with pytest.raises(OSError, match="Invalid argument"):
        os.fsync(handle)
    os.close(handle)
    sync_directory("/proc")


@pytest.mark.skipif(sys.platform != "linux", reason="commands of Linux")
def test_full_sync_replaces_fsync_if_the_disk_knows_it(tmp_path, monkeypatch):
    """checkpoint 4.1. Commands of Linux take the place of that of macOS: one succeeds, one is unknown, one fails."""
    import fcntl

    calls, _ = record(monkeypatch, tmp_path)
    with open(tmp_path / "file", "wb") as file:
        monkeypatch.setattr(fcntl, "F_FULLFSYNC", fcntl.F_GETFD, raising=False)
        sync(file.fileno())
        assert calls == []
        monkeypatch.setattr(fcntl, "F_FULLFSYNC", fcntl.F_GETLK)  # without the address of its argument
        with pytest.raises(OSError, match="Bad address"):
            sync(file.fileno())
        assert calls == []
        monkeypatch.setattr(fcntl, "F_FULLFSYNC", 12345)
        sync(file.fileno())
        assert calls == ["fsync file"]
