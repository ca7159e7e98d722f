"""Atomic writes: the old file or the new one at every instant. specs/checkpoint.md, section 4"""

import errno
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from commands import ENVIRONMENT
from systems import KILLED, POSIX, posix
from waiting import Process, join

import dmlrand
from dmlrand.files.atomic_write import replacing
from dmlrand.files.names import quoted


def write(path, content):
    with replacing(path) as file:
        file.write(content)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def start(code, *arguments, **options):
    """A Python process that runs `code`, with pipes to talk to it."""
    return Process(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


# Writes half of a file, prints a line, and writes the other half when it has read a line.
HALF_WRITER = """
import sys
from dmlrand.files.atomic_write import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("half", flush=True)
    sys.stdin.readline()
    file.write(b" and half")
"""


def half_writer(path):
    process = start(HALF_WRITER, path)
    assert process.stdout.readline() == "half\n"
    return process


def test_a_new_file_appears_when_the_block_ends(tmp_path):
    """checkpoint 4.1"""
    path = tmp_path / "file"
    with replacing(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("as_type", [str, Path])
def test_every_kind_of_path(tmp_path, as_type):
    write(as_type(tmp_path / "file"), b"new")
    assert names(tmp_path) == ["file"]


def test_a_relative_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"


def test_a_name_with_characters_of_a_pattern(tmp_path):
    """Abandoned temporary files are found by a pattern, in which the * and [ of a name must not be special."""
    (tmp_path / ".other.00000000.part").write_bytes(b"of another file")
    for name in ("*", "[a-z]ther", "ot?er") if POSIX else ("{other}", "[a-z]ther", "ot.er"):
        write(tmp_path / name, b"new")
    assert ".other.00000000.part" in names(tmp_path)
    assert len(names(tmp_path)) == 4


def test_the_old_file_stays_complete_until_the_block_ends(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"new" * 100_000)
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new" * 100_000


def test_a_reader_sees_the_old_file_or_a_new_one(tmp_path):
    path = tmp_path / "file"
    contents = [bytes([i]) * 50_000 for i in range(20)]
    write(path, contents[0])
    seen, done = set(), threading.Event()

    def read():
        while not done.wait(0 if POSIX else 0.01):  # Windows replaces no file that is open without a pause
            try:
                seen.add(path.read_bytes())
            except PermissionError:  # checkpoint 4.6: for an instant, while the file is replaced
                assert not POSIX

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for content in contents:
            write(path, content)
    finally:
        done.set()
        join(reader)
    assert seen  # the reader has read something
    assert seen <= set(contents)


@pytest.mark.parametrize("old", [b"old", None], ids=["old", "new"])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_exception_leaves_the_old_file_and_no_other(tmp_path, old, error):
    """checkpoint 4.3"""
    path = tmp_path / "file"
    if old is not None:
        path.write_bytes(old)
    with pytest.raises(error), replacing(path) as file:
        file.write(b"new")
        raise error
    assert names(tmp_path) == ([] if old is None else ["file"])
    assert old is None or path.read_bytes() == old


def test_a_missing_folder_is_an_error(tmp_path):
    path = str(tmp_path / "missing" / "file")
    with pytest.raises(FileNotFoundError, match=re.escape(f"No such file or directory: {quoted(path)}")):
        write(path, b"new")
    assert names(tmp_path) == []


@posix("a umask")
def test_a_new_file_has_the_permissions_of_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        write(tmp_path / "file", b"new")
    finally:
        os.umask(old)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


@posix("permissions")
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755, 0o444])
def test_the_permissions_of_the_old_file_are_kept(tmp_path, mode):
    """checkpoint 4.4"""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(mode)
    write(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == mode


@posix("links that every user may make")
@pytest.mark.parametrize("dangling", [False, True])
def test_a_symbolic_link_stays_a_link(tmp_path, dangling):
    """checkpoint 4.4"""
    (tmp_path / "there").mkdir()
    (tmp_path / "here").mkdir()
    if not dangling:
        (tmp_path / "there" / "file").write_bytes(b"old")
    link = tmp_path / "here" / "link"
    link.symlink_to(Path("..", "there", "file"))
    write(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "there" / "file").read_bytes() == b"new"
    assert names(tmp_path / "here") == ["link"]
    assert names(tmp_path / "there") == ["file"]


def test_the_next_writer_removes_the_temporary_file_of_a_killed_one(tmp_path):
    """checkpoint 4.2"""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    process = half_writer(path)
    process.kill()
    process.communicate()
    assert process.returncode == KILLED
    assert path.read_bytes() == b"old"
    assert len(names(tmp_path)) == 2  # a killed process cannot remove its temporary file
    write(path, b"new")
    assert names(tmp_path) == ["file"]
    assert path.read_bytes() == b"new"


def test_temporary_files_of_other_targets_are_not_removed(tmp_path):
    """Also if one name begins with the other."""
    process = half_writer(tmp_path / "file.json")
    process.kill()
    process.communicate()
    write(tmp_path / "file", b"new")
    assert len(names(tmp_path)) == 2


def test_the_temporary_file_of_a_living_writer_is_not_removed(tmp_path):
    """checkpoint 4.2: of two writers at once, the last one to end determines the file, and neither fails."""
    path = tmp_path / "file"
    process = half_writer(path)
    write(path, b"new")
    assert path.read_bytes() == b"new"
    assert len(names(tmp_path)) == 2
    _, errors = process.communicate("go on\n")
    assert (process.returncode, errors) == (0, "")
    assert path.read_bytes() == b"half and half"
    assert names(tmp_path) == ["file"]


def test_many_threads_writing_one_path_leave_the_complete_file_of_one(tmp_path):
    """None of them fails: no other writer removes a temporary file before it has its final name."""
    path = tmp_path / "file"
    contents = [b"%d" % i * 20_000 for i in range(8)]
    failures = []

    def write_often(content):
        for _ in range(40):
            try:
                write(path, content)
            except Exception as error:  # reported below, in the main thread, where it fails the test
                failures.append(repr(error))

    threads = [threading.Thread(target=write_often, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        join(thread)
    assert path.read_bytes() in contents
    assert names(tmp_path) == ["file"]
    assert failures == []


def test_one_write_removes_all_that_killed_writers_left(tmp_path):
    """The number of temporary files does not grow with the number of killed writers."""
    path = tmp_path / "file"
    for _ in range(3):
        process = half_writer(path)
        process.kill()
        process.communicate()
        assert len(names(tmp_path)) == 1
    write(path, b"new")
    assert names(tmp_path) == ["file"]


@posix("a limit on the size of files")
@pytest.mark.parametrize("flushed", [True, False], ids=["while writing", "at the end"])
def test_a_full_disk_leaves_the_old_file(tmp_path, flushed):
    """checkpoint 4.3. A limit on file sizes takes the place of a full disk. Its signal is ignored, so write fails."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    code = """
import resource, signal, sys
from dmlrand.files.atomic_write import replacing
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
sys.dont_write_bytecode = True  # a truncated file would break later imports
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
with replacing(sys.argv[1]) as file:
    file.write(b"x" * 4095)  # within the limit, and in the buffer
    file.write(b"x" * int(sys.argv[2]))
"""
    process = start(code, path, 100_000 if flushed else 10)
    _, errors = process.communicate()
    assert process.returncode == 1
    message = (
        f"OSError: [Errno 27] File too large: '{path}' was not written. "
        "Raise the limit on file sizes (ulimit -f) or use another disk, then try again."
    )
    assert message in errors
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize(
    ("number", "remedy"),
    [(errno.ENOSPC, "Free disk space"), (errno.EDQUOT, "Free disk space"), (errno.EIO, "Remove the cause")],
)
def test_an_error_of_the_disk_names_the_file_and_the_remedy(tmp_path, monkeypatch, number, remedy):
    """checkpoint 4.3: the system names neither."""

    def fail(file):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    message = (
        f"[Errno {number}] {os.strerror(number)}: {quoted(tmp_path / 'file')} was not written. "
        f"{remedy}, then try again."
    )
    with pytest.raises(OSError, match=f"^{re.escape(message)}$"):
        write(tmp_path / "file", b"new")
    assert names(tmp_path) == []


@posix("permissions of folders")
def test_a_folder_that_may_not_be_written_to(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("permissions do not bind root, who runs this test")
    (tmp_path / "file").write_bytes(b"old")
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(PermissionError):
            write(tmp_path / "file", b"new")
    finally:
        tmp_path.chmod(0o755)
    assert (tmp_path / "file").read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


@posix("flock, whose errors are made here")
@pytest.mark.parametrize("error", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_disk_without_locks(tmp_path, monkeypatch, error):
    """checkpoint 4.2: saving works, and a temporary file that may belong to a living writer stays."""
    import fcntl

    def refuse(file, operation):
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(fcntl, "flock", refuse)
    temporary = ".file.0123abcd.part"
    (tmp_path / temporary).write_bytes(b"perhaps another's")
    write(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
    assert names(tmp_path) == [temporary, "file"]
    dmlrand.fill_file(tmp_path / "f.bin", dmlrand.make_state(key=1), 8)
    assert names(tmp_path) == [temporary, "f.bin", "file"]


@posix("flock, whose errors are made here")
def test_a_lock_that_fails_leaves_no_temporary_file(tmp_path, monkeypatch):
    import fcntl

    def fail(file, operation):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(fcntl, "flock", fail)
    with pytest.raises(OSError, match="Input/output error"):
        write(tmp_path / "file", b"new")
    assert names(tmp_path) == []


@posix("pipes that have names")
def test_a_path_that_is_not_a_regular_file_is_refused(tmp_path):
    """checkpoint 4.5"""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("fifo")
    for path, kind in (("fifo", "a pipe"), ("folder", "a folder"), ("link", "a pipe")):
        message = (
            f"path must name a regular file, or nothing yet; got '{tmp_path / path}', which is {kind}. "
            "Name another file."
        )
        with pytest.raises(ValueError, match=re.escape(message)):
            write(tmp_path / path, b"new")
    assert names(tmp_path) == ["fifo", "folder", "link"]
    assert (tmp_path / "fifo").is_fifo() and (tmp_path / "folder").is_dir()


@posix("links that every user may make")
def test_a_path_that_no_file_can_have_is_shown_as_typed(tmp_path, monkeypatch):
    """cli 7; checkpoint 4.5"""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dangling").symlink_to("missing/file")
    (tmp_path / "loop").symlink_to("loop")
    missing = os.path.realpath(tmp_path / "missing")
    for path, number, remedy in (
        ("dangling", errno.ENOENT, f"Create the folder of its target, '{missing}', or name another file."),
        ("loop", errno.ELOOP, "Name another file."),
        ("n" * 300, errno.ENAMETOOLONG, "Name another file."),
    ):
        with pytest.raises(OSError) as caught:
            write(path, b"new")
        assert str(caught.value) == f"[Errno {number}] {os.strerror(number)}: '{path}'. {remedy}"
    assert names(tmp_path) == ["dangling", "loop"]


@posix("paths of more than 259 characters that need no setting")
@pytest.mark.parametrize("name", ["n" * 240, "n" * 241, "n" * 255, "\u00e9" * 127, "n" * 251 + ".npy"])
def test_a_name_as_long_as_names_can_be(tmp_path, name):
    """checkpoint 4.2"""
    write(tmp_path / name, b"old")
    write(tmp_path / name, b"new")
    assert (tmp_path / name).read_bytes() == b"new"
    assert names(tmp_path) == [name]


def test_only_names_of_temporary_files_are_removed(tmp_path):
    """checkpoint 4.2: 8 hex digits, and not any 8 characters."""
    for middle in ("mychoice", "0123ABCD", "0123abcd"):
        (tmp_path / f".file.{middle}.part").write_bytes(b"old")
    write(tmp_path / "file", b"new")
    assert names(tmp_path) == [".file.0123ABCD.part", ".file.mychoice.part", "file"]


@posix("permissions")
def test_a_disk_without_permissions(tmp_path, monkeypatch):
    """checkpoint 4.4: an error from chmod does not fail the write."""

    def refuse(path, mode):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "chmod", refuse)
    for content in (b"old", b"new"):
        write(tmp_path / "file", content)
    dmlrand.fill_file(tmp_path / "f.bin", dmlrand.make_state(key=1), 8)
    dmlrand.fill_file(tmp_path / "f.bin", dmlrand.make_state(key=1), 8)
    assert (tmp_path / "file").read_bytes() == b"new"
    assert names(tmp_path) == ["f.bin", "file"]
