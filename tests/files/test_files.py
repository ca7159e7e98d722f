"""Atomic replacement and locks: the old file or the new one at every instant. specs/checkpoint.md, section 4"""

import errno
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from commands import ENVIRONMENT
from fills import names, record_flushes
from systems import POSIX, posix
from waiting import LIMIT, Process

from dmlrand import files, make_state, save_checkpoint
from dmlrand.cli import main
from dmlrand.files import exclusive_use, quoted, replacing, sync_directory


def write(path, content):
    with replacing(path) as file:
        file.write(content)


def test_the_old_file_stays_complete_until_the_block_ends(tmp_path, monkeypatch):
    """checkpoint 4.1"""
    monkeypatch.chdir(tmp_path)
    write("file", b"old")
    with replacing(Path("file")) as file:
        file.write(b"new" * 100_000)
        file.flush()
        assert Path("file").read_bytes() == b"old"
    assert Path("file").read_bytes() == b"new" * 100_000
    assert names(tmp_path) == ["file"]


@posix("replacing a file that is open")
def test_readers_and_writers_at_once_see_complete_files(tmp_path):
    """checkpoint 4.1: no writer fails, and the last one to end determines the file."""
    path, contents = tmp_path / "file", [b"%d" % i * 20_000 for i in range(5)]
    write(path, contents[0])

    def write_often(content):
        for _ in range(10):
            write(path, content)
            assert path.read_bytes() in contents

    with ThreadPoolExecutor(5) as pool:
        for done in [pool.submit(write_often, content) for content in contents]:
            done.result(LIMIT)
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_exception_leaves_the_old_file_and_no_other(tmp_path, error):
    """checkpoint 4.3"""
    write(tmp_path / "file", b"old")
    for name in ("file", "new"):
        with pytest.raises(error), replacing(tmp_path / name) as file:
            file.write(b"new")
            raise error
    assert names(tmp_path) == ["file"] and (tmp_path / "file").read_bytes() == b"old"


@posix("permissions")
def test_the_permissions_of_the_old_file_are_kept(tmp_path):
    """checkpoint 4.4: those of a new file are the umask's."""
    old = os.umask(0o027)
    try:
        write(tmp_path / "file", b"new")
        assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640
        for mode in (0o600, 0o664, 0o755):
            (tmp_path / "file").chmod(mode)
            with replacing(tmp_path / "file") as file:
                assert os.fstat(file.fileno()).st_mode & 0o777 == mode
            assert (tmp_path / "file").stat().st_mode & 0o777 == mode
    finally:
        os.umask(old)


@posix("permissions")
def test_a_disk_without_permissions(tmp_path, monkeypatch):
    """checkpoint 4.4"""

    def refuse(file, mode):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "fchmod", refuse)
    for content in (b"old", b"new"):
        write(tmp_path / "file", content)
    assert (tmp_path / "file").read_bytes() == b"new"


@posix("links that every user may make")
@pytest.mark.parametrize("dangling", [False, True])
def test_a_symbolic_link_stays_a_link(tmp_path, dangling):
    """checkpoint 4.4"""
    (tmp_path / "there").mkdir()
    if not dangling:
        (tmp_path / "there" / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to(Path("there", "file"))
    write(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "there" / "file").read_bytes() == b"new"
    assert names(tmp_path) == ["link", "there"] and names(tmp_path / "there") == ["file"]


@posix("pipes that have names")
def test_a_path_that_cannot_be_written_is_refused(tmp_path, monkeypatch):
    """checkpoint 4.5"""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    Path("folder").mkdir()
    for path in ("fifo", "folder"):
        message = f"path must name a regular file, or nothing yet; got '{path}'. Name another file."
        with pytest.raises(ValueError, match=re.escape(message)):
            write(path, b"new")
    message = "No such file or directory: 'missing/file'. Create its folder, or name another file."
    with pytest.raises(FileNotFoundError, match=re.escape(message)):
        write("missing/file", b"new")
    assert names(tmp_path) == ["fifo", "folder"]


# Disks


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
def test_an_error_of_the_disk_names_the_file_and_the_remedy(tmp_path, monkeypatch, number):
    """checkpoint 4.3: the system names neither."""
    write(tmp_path / "file", b"old")

    def fail(file):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    path = quoted(tmp_path / "file")
    message = f"[Errno {number}] {os.strerror(number)}: {path} was not written. Free disk space or remove "
    message += "another cause, then try again."
    with pytest.raises(OSError, match=f"^{re.escape(message)}$"):
        write(tmp_path / "file", b"new")
    assert names(tmp_path) == ["file"] and (tmp_path / "file").read_bytes() == b"old"


def test_errors_that_are_not_of_the_disk_are_raised_unchanged(tmp_path):
    for error in (OSError("of another package"), KeyError("a")):
        with pytest.raises(type(error)) as caught, replacing(tmp_path / "file"):
            raise error
        assert caught.value is error and names(tmp_path) == []


# Power cuts: the order of the system's calls decides what they leave.


def test_a_file_is_flushed_then_renamed_then_its_folder_is_flushed(tmp_path, monkeypatch):
    """checkpoint 4.1, for a new file and for an old one; checkpoint 5.1: the values and then the state"""
    monkeypatch.chdir(tmp_path)
    calls = record_flushes(monkeypatch, tmp_path)
    folder = ["folder"] if POSIX else []
    for _ in range(2):
        calls.clear()
        save_checkpoint("s.npy", make_state(key=1))
        assert calls == [152, "s.npy, 152", *folder]
    calls.clear()
    assert main("run --shape 8 --output v.npy --state s.npy".split()) == 0
    assert [call for call in calls if ".npy" in str(call)] == ["v.npy, 160", "s.npy, 152"]


def test_a_system_that_does_not_flush_folders_is_not_an_error(tmp_path, monkeypatch):
    """checkpoint 4.1"""

    def refuse(directory, flags):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(os, "open", refuse)
    sync_directory(str(tmp_path))


# Locks


def test_a_second_user_is_refused_until_the_first_one_ends(tmp_path):
    """checkpoint 5.3: also if the file does not exist yet"""
    path = quoted(tmp_path / "s.json")
    message = f"{path} is in use already, by another process or option. Wait, or name another state."
    for _ in range(2):
        with pytest.raises(KeyError), exclusive_use(tmp_path / "s.json"):  # an error ends the use too
            assert names(tmp_path) == [".s.json.lock"]
            with (
                pytest.raises(BlockingIOError, match=f"^{re.escape(message)}$"),
                exclusive_use(tmp_path / "s.json"),
            ):
                pytest.fail("two users at once")
            raise KeyError
        assert names(tmp_path) == []


LOCKER = """
import sys
from dmlrand.files import exclusive_use
with exclusive_use(sys.argv[1]):
    print("locked", flush=True)
    sys.stdin.readline()
"""


def test_the_lock_of_a_killed_process_ends(tmp_path):
    """checkpoint 5.3: its file stays, until the next command removes it."""
    process = Process(
        [sys.executable, "-c", LOCKER, tmp_path / "s.json"], env=ENVIRONMENT, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "locked\n"
    with pytest.raises(BlockingIOError), exclusive_use(tmp_path / "s.json"):
        pytest.fail("two users at once")
    process.kill()
    process.communicate()
    assert names(tmp_path) == [".s.json.lock"]
    with exclusive_use(tmp_path / "s.json"):
        pass
    assert names(tmp_path) == []


def test_a_lock_file_that_is_gone_does_not_fail_the_work(tmp_path):
    """checkpoint 5.3"""
    with exclusive_use(tmp_path / "s.json"):
        (tmp_path / ".s.json.lock").unlink()
    assert names(tmp_path) == []


@posix("removing a file that is open")
def test_a_lock_file_that_was_removed_before_it_was_locked_is_no_lock(tmp_path, monkeypatch):
    """checkpoint 5.3: by the process that had the lock, between the calls that open and lock the file."""
    try_lock = files._try_lock

    def remove_and_lock(file):
        monkeypatch.undo()
        (tmp_path / ".s.lock").unlink()
        return try_lock(file)

    monkeypatch.setattr(files, "_try_lock", remove_and_lock)
    with pytest.raises(BlockingIOError), exclusive_use(tmp_path / "s"):
        pytest.fail("a later process would lock a new file")


@posix("flock, whose errors are made here")
@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_disk_without_locks(tmp_path, monkeypatch, number):
    """checkpoint 5.3"""
    import fcntl

    def refuse(file, operation):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with exclusive_use(tmp_path / "s"), exclusive_use(tmp_path / "s"):
        pass
    assert names(tmp_path) == []


def test_a_file_of_a_user_with_the_name_of_the_lock_is_kept(tmp_path):
    """checkpoint 5.3"""
    (tmp_path / ".a.lock").write_text("a user's file")
    with exclusive_use(tmp_path / "a"):
        pass
    assert (tmp_path / ".a.lock").read_text() == "a user's file"
