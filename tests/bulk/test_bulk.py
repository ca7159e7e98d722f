"""fill_file: the bytes that it writes, and how it resumes after an interruption. specs/bulk.md, 1 and 2"""

import json
import os
import re
import shutil
import sys
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import strategies
from fills import STATE, Interrupted, interrupt, names, report_free_bytes, start
from hypothesis import given, settings, strategies as st
from systems import POSIX, posix

from dmlrand import counter_of, fill_file, make_state, random_generator, uniform
from dmlrand.bulk import content, fill_status
from dmlrand.bulk.content import Content
from dmlrand.bulk.distribution import check_distribution
from dmlrand.files.checksummed_json import checksum
from dmlrand.files.locks import is_named, try_lock

DTYPES = ["uint32", "float32", "float64"]


def expected(state, shape, dtype="uint32"):
    return random_generator(state, shape) if dtype == "uint32" else uniform(state, shape, dtype=dtype)


def saved(tmp_path, values):
    """The bytes that numpy.save writes on a little-endian machine."""
    np.save(tmp_path / "expected.npy", values.astype(values.dtype.newbyteorder("<")))
    return (tmp_path / "expected.npy").read_bytes()


# What is written


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [1, 5, (3, 5), (2, 3, 1, 7), (1,) * 8, 0, (4, 0)])
@pytest.mark.parametrize("name", ["f.npy", "f.bin", "f.dat", "f.raw"])
def test_the_file_is_what_numpy_would_save(tmp_path, name, shape, dtype):
    """bulk 1.1, 1.2, 1.5"""
    values, new_state = expected(STATE, shape, dtype)
    got = fill_file(tmp_path / name, STATE, shape, dtype=dtype)
    assert got.tolist() == new_state.tolist()
    assert names(tmp_path) == [name]
    right = saved(tmp_path, values) if name == "f.npy" else values.astype(values.dtype.newbyteorder("<")).tobytes()
    assert (tmp_path / name).read_bytes() == right


@settings(max_examples=25)  # each flushes files to the disk
@given(state=strategies.states(), shape=strategies.shapes(), dtype=st.sampled_from(DTYPES), flush=st.integers(1, 900))
def test_any_state_and_pieces_of_any_size(tmp_path_factory, state, shape, dtype, flush):
    """bulk 1.1, 1.4: the bytes do not depend on the pieces."""
    folder = tmp_path_factory.mktemp("fill")
    values, new_state = expected(state[0], shape, dtype)
    got = fill_file(folder / "f.npy", state[0], shape, dtype=dtype, flush_bytes=flush)
    assert got.shape == new_state.shape and got.tolist() == new_state.tolist()
    assert (folder / "f.npy").read_bytes() == saved(folder, values)


@pytest.mark.parametrize("dtype", DTYPES)
def test_many_pieces_and_threads(tmp_path, dtype):
    """bulk 1.4"""
    n = (40 << 20) // np.dtype(dtype).itemsize + 3
    values = expected(STATE, n, dtype)[0]
    for threads in (1, 2):
        fill_file(tmp_path / "f.npy", STATE, n, dtype=dtype, threads=threads)
        assert np.array_equal(np.load(tmp_path / "f.npy"), values)


@pytest.mark.parametrize("words", [1 << 24, 1 << 25])
def test_memory_is_a_constant(tmp_path, words):
    """bulk 1.4: a buffer of 16 MiB, and less than 2 MiB for the interpreter. Without the GIL its objects are larger."""
    fill_file(tmp_path / "warm.bin", STATE, 8)
    tracemalloc.start()
    try:
        fill_file(tmp_path / "f.bin", STATE, words)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    (tmp_path / "f.bin").unlink()  # pytest keeps the folders of three runs
    assert (16 << 20) <= peak < (18 << 20)


@pytest.fixture
def as_on_the_other_machine(monkeypatch):
    """The bytes are swapped where the machine does not, and the other way round: so files are big-endian."""
    monkeypatch.setattr(content, "sys", SimpleNamespace(byteorder="big" if sys.byteorder == "little" else "little"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_bytes_are_swapped_in_every_piece(tmp_path, as_on_the_other_machine, dtype):
    """bulk 1.2"""
    values, _ = expected(STATE, 1000, dtype)
    fill_file(tmp_path / "f.bin", STATE, 1000, dtype=dtype, flush_bytes=400)
    assert (tmp_path / "f.bin").read_bytes() == values.astype(values.dtype.newbyteorder(">")).tobytes()


def test_swapped_bytes_take_no_memory(tmp_path, as_on_the_other_machine):
    """bulk 1.4"""
    test_memory_is_a_constant(tmp_path, 1 << 24)


@given(
    values=st.integers(0, 300),
    cuts=st.tuples(st.integers(0, 2600), st.integers(0, 2600)),
    dtype=st.sampled_from(DTYPES),
    name=st.sampled_from(["f.npy", "f.bin"]),
)
def test_any_range_of_a_file_can_be_computed(values, cuts, dtype, name):
    """bulk 3.2: the probes are compared with these bytes."""
    content = Content(name, STATE, values, check_distribution(None, dtype, {}))
    right = content.header + expected(STATE, values, dtype)[0].astype(content.dtype.newbyteorder("<")).tobytes()
    start, stop = sorted(min(cut, content.total_bytes) for cut in cuts)
    assert content.bytes_between(start, stop) == right[start:stop]


def test_progress_is_reported_from_start_to_end(tmp_path):
    reported = []
    fill_file(tmp_path / "f.bin", STATE, 100, progress=lambda *numbers: reported.append(numbers), flush_bytes=160)
    assert reported == [(0, 400), (160, 400), (320, 400), (400, 400)]


def test_an_old_file_stays_until_the_new_one_is_complete_and_keeps_its_permissions(tmp_path):
    """bulk 1.3"""
    path = tmp_path / "f.bin"
    path.write_bytes(b"old")
    mode = 0o600 if POSIX else 0o444  # Windows knows read-only files, and no other permission
    path.chmod(mode)

    def progress(done, total):
        assert path.read_bytes() == b"old"

    fill_file(path, STATE, 10, progress=progress)
    assert path.read_bytes() == random_generator(STATE, 10).values.astype("<u4").tobytes()
    assert path.stat().st_mode & 0o777 == mode


@posix("links that every user may make")
def test_a_symbolic_link_stays_one(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link.bin").symlink_to(Path("there", "f.bin"))
    fill_file(tmp_path / "link.bin", STATE, 10)
    assert (tmp_path / "link.bin").is_symlink() and names(tmp_path / "there") == ["f.bin"]


def test_the_state_is_not_modified(tmp_path):
    state = STATE.copy()
    new_state = fill_file(tmp_path / "f.bin", state, 9)
    assert state.tolist() == STATE.tolist() and not np.shares_memory(state, new_state)
    assert counter_of(new_state) == 2**32 + 1


# How it resumes


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["f.npy", "f.bin"])
def test_interrupted_at_any_piece_it_ends_with_the_same_file(tmp_path, name, dtype):
    """bulk 2.1, 2.3: every piece is interrupted once, and recorded bytes are not written again."""
    fill_file(tmp_path / ("right-" + name), STATE, 123, dtype=dtype)
    right = (tmp_path / ("right-" + name)).read_bytes()
    path, at, starts = tmp_path / name, 1, []
    while not path.exists():
        reported = []

        def progress(done, total):
            reported.append(done)
            if done >= at:
                raise Interrupted

        try:
            fill_file(path, STATE, 123, dtype=dtype, flush_bytes=32, progress=progress)
        except Interrupted:
            at = reported[-1] + 1
            assert names(tmp_path) == sorted([name + ".filling", name + ".progress", "right-" + name])
        starts.append(reported[0])
    assert path.read_bytes() == right
    assert len(starts) > 10 and starts == sorted(starts) and starts[-1] > len(right) * 3 // 4
    assert names(tmp_path) == sorted([name, "right-" + name])


def test_bytes_after_the_recorded_ones_are_written_again(tmp_path):
    """bulk 2.3: whatever bytes a crash left there."""
    path = tmp_path / "f.bin"
    interrupt(path, STATE, 1000, at=1600, flush_bytes=160)
    temporary, progress_file = tmp_path / "f.bin.filling", tmp_path / "f.bin.progress"
    flushed = json.loads(progress_file.read_text())["flushed"]
    assert 0 < flushed <= 1600
    temporary.write_bytes(temporary.read_bytes()[:flushed] + b"\xff" * 5000)  # longer than the complete file
    fill_file(path, STATE, 1000)
    assert path.read_bytes() == random_generator(STATE, 1000).values.astype("<u4").tobytes()


def leftovers_of_a_kill_after_the_rename(path, *request):
    """A complete target, and a progress file that records all bytes."""

    def progress(done, total):
        if done == total:
            raise Interrupted  # as late as possible: all flushes but the last are recorded

    with pytest.raises(Interrupted):
        fill_file(path, *request, progress=progress)
    progress_file = Path(f"{path}.progress")
    body = {name: value for name, value in json.loads(progress_file.read_text()).items() if name != "checksum"}
    body["flushed"] = body["bytes"]
    progress_file.write_text(json.dumps({**body, "checksum": checksum(body)}))
    os.replace(f"{path}.filling", path)


def test_killed_between_the_rename_and_the_end(tmp_path):
    """bulk 2.5: nothing is written again."""
    path = tmp_path / "f.npy"
    leftovers_of_a_kill_after_the_rename(path, STATE, 5000)
    before = path.stat()
    new_state = fill_file(path, STATE, 5000)
    after = path.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert names(tmp_path) == ["f.npy"]
    assert new_state.tolist() == random_generator(STATE, 5000).state.tolist()


@pytest.mark.parametrize("place", [0, 4095, -4096, -1])
def test_the_first_and_the_last_bytes_of_a_large_file_are_probed(tmp_path, place):
    """bulk 3.2: 256 ranges of 4 KiB, with gaps between them"""
    path, words = tmp_path / "f.bin", 600_000
    fill_file(path, STATE, words)
    assert fill_status(path, STATE, words).complete
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    assert not fill_status(path, STATE, words).complete


def test_the_status_of_a_fill(tmp_path):
    """bulk 2.2: before, during and after the fill, and for another request."""
    path = tmp_path / "f.bin"
    assert fill_status(path, STATE, 100) == (False, False, 0, 400)
    interrupt(path, STATE, 100, at=320, flush_bytes=160)
    flushed = json.loads((tmp_path / "f.bin.progress").read_text())["flushed"]
    assert 0 < flushed < 400
    assert fill_status(path, STATE, 100) == (True, False, flushed, 400)
    fill_file(path, STATE, 100)
    assert fill_status(path, STATE, 100) == (False, True, 400, 400)
    assert fill_status(path, STATE, 101) == (False, False, 0, 404)
    assert fill_status(path, STATE, 100, "float32") == (False, False, 0, 400)


def test_the_status_of_a_fill_whose_progress_file_lacks_its_number(tmp_path):
    """bulk 3.1"""
    body = {"format": "dmlrand fill", "version": 1, "algorithm": "PHILOX_4X32_10", "bytes": 400}
    (tmp_path / "f.bin.progress").write_text(json.dumps({**body, "checksum": checksum(body)}))
    assert fill_status(tmp_path / "f.bin", STATE, 100) == (True, False, 0, 400)


@pytest.mark.parametrize("harm", ["gone", "shorter", "longer", "changed"])
def test_a_target_that_does_not_match_the_progress_file_is_filled_again(tmp_path, harm):
    """bulk 2.5"""
    path = tmp_path / "f.npy"
    leftovers_of_a_kill_after_the_rename(path, STATE, 5000)
    data = path.read_bytes()
    path.unlink()
    if harm != "gone":
        harmed = {"shorter": data[:-4], "longer": data + bytes(4), "changed": data[:-1] + bytes([data[-1] ^ 1])}
        path.write_bytes(harmed[harm])
    fill_file(path, STATE, 5000)
    assert path.read_bytes() == data
    assert names(tmp_path) == ["f.npy"]


def test_the_progress_file_of_a_finished_fill_does_not_refuse_another(tmp_path):
    """bulk 2.5: the same path with the next state, as in a loop."""
    path = tmp_path / "f.npy"
    leftovers_of_a_kill_after_the_rename(path, STATE, 5000)
    after = random_generator(STATE, 5000).state
    fill_file(path, after, 5000)
    assert np.array_equal(np.load(path), random_generator(after, 5000).values)
    assert names(tmp_path) == ["f.npy"]


WATCHED = """
import json, os, sys
flushed, recorded, renamed = 0, [], 0
fsync = os.fsync

def noting(file):  # after a flush: how many bytes the temporary file had when the flush began
    global flushed
    size, name = os.fstat(file).st_size, os.readlink(f"/proc/self/fd/{file}")
    fsync(file)
    if name.endswith(".filling"):
        flushed = size

def watch(event, arguments):
    global renamed
    if event == "os.rename":
        source, target = arguments[:2]
        if target.endswith(".progress"):
            with open(source) as file:
                recorded.append(json.load(file)["flushed"])
            assert recorded[-1] <= flushed, (recorded, flushed)
        else:
            assert recorded[-1] == flushed == os.stat(source).st_size
            renamed += 1

os.fsync = noting
sys.addaudithook(watch)
from dmlrand import fill_file, make_state
fill_file(sys.argv[1], make_state(key=1), 50_000, flush_bytes=16_000)
print(renamed, recorded)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="names of open files are read from Linux's /proc")
def test_nothing_is_recorded_or_renamed_before_it_was_flushed(tmp_path):
    """bulk 2.2: this order decides what a power cut leaves. The calls are observed, and do their work."""
    process = start(WATCHED, tmp_path / "f.bin")
    out, errors = process.communicate()
    assert (out, errors) == ("1 " + str([*range(0, 200_000, 16_000), 200_000]) + "\n", "")


# Two at once, and full disks


FILLER = """
import sys
from dmlrand import fill_file, make_state
def progress(done, total):
    print(done, flush=True)
    sys.stdin.readline()
fill_file(sys.argv[1], make_state(key=int(sys.argv[2])), 100_000, progress=progress, flush_bytes=100_000)
"""


def test_a_second_fill_of_the_same_path_is_refused(tmp_path):
    """bulk 2.6"""
    path = tmp_path / "f.bin"
    process = start(FILLER, path, 1)
    assert process.stdout.readline() == "0\n"
    busy = f"another process is filling '{path}'. Wait until it ends, or name another file."
    with pytest.raises(BlockingIOError, match=re.escape(busy)):
        fill_file(path, make_state(key=2), 10)
    _, errors = process.communicate("\n" * 9)
    assert (process.returncode, errors) == (0, "")
    assert path.read_bytes() == random_generator(make_state(key=1), 100_000).values.astype("<u4").tobytes()
    assert names(tmp_path) == ["f.bin"]


def test_a_complete_file_that_is_still_locked_is_refused_too(tmp_path):
    """bulk 2.6: from the rename on, the lock is on the target."""
    path = tmp_path / "f.bin"
    path.write_bytes(b"complete")
    with open(path, "rb") as file:
        assert try_lock(file.fileno())
        with pytest.raises(BlockingIOError):
            fill_file(path, STATE, 10)
    assert names(tmp_path) == ["f.bin"]


@posix("renaming an open file")
def test_a_file_that_was_renamed_before_it_was_locked_is_noticed(tmp_path):
    """bulk 2.6: a lock on a file that has become the target, or was removed, stops no other process."""
    with open(tmp_path / "f.bin.filling", "wb") as file:
        assert is_named(file, file.name)
        os.rename(file.name, tmp_path / "f.bin")
        assert not is_named(file, file.name)
        (tmp_path / "f.bin.filling").write_bytes(b"")
        assert not is_named(file, file.name)


@pytest.mark.costly
def test_many_processes_on_one_path_leave_the_complete_file_of_one(tmp_path):
    """bulk 2.6"""
    code = """
import sys
from dmlrand import fill_file, make_state
for _ in range(30):
    try:
        fill_file(sys.argv[1], make_state(key=5), 20_000, flush_bytes=10_000)
    except BlockingIOError:
        pass
"""
    processes = [start(code, tmp_path / "f.bin") for _ in range(3)]
    for process in processes:
        _, errors = process.communicate()
        assert (process.returncode, errors) == (0, "")
    fill_file(tmp_path / "f.bin", make_state(key=5), 20_000)
    assert (tmp_path / "f.bin").read_bytes() == random_generator(make_state(key=5), 20_000).values.astype(
        "<u4"
    ).tobytes()
    assert names(tmp_path) == ["f.bin"]


@posix("a limit on the size of files")
def test_a_full_disk_keeps_the_flushed_bytes(tmp_path):
    """bulk 2.4. A limit on file sizes takes the place of a full disk."""
    path = tmp_path / "f.bin"
    code = """
import resource, sys
from dmlrand import fill_file, make_state
sys.dont_write_bytecode = True  # a truncated file would break later imports
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
fill_file(sys.argv[1], make_state(key=1), 100_000, flush_bytes=64_000)
"""
    process = start(code, path)
    _, errors = process.communicate()
    assert process.returncode == 1
    flushed = json.loads(Path(f"{path}.progress").read_text())["flushed"]
    assert 0 < flushed <= 300_000
    assert (
        f"OSError: [Errno 27] File too large: {flushed:,} of 400,000 bytes of '{path}' are kept. "
        "Raise the limit on file sizes (ulimit -f) or use another disk, then try again."
    ) in errors
    assert names(tmp_path) == ["f.bin.filling", "f.bin.progress"]
    reported = []
    fill_file(path, make_state(key=1), 100_000, progress=lambda done, total: reported.append(done))
    assert reported[0] == flushed
    assert path.read_bytes() == random_generator(make_state(key=1), 100_000).values.astype("<u4").tobytes()


def test_a_disk_that_is_too_small_is_an_error_at_the_start(tmp_path, monkeypatch):
    """bulk 2.4: the fill asks for one byte more than the disk reports. Without the check it would be completed."""
    path = tmp_path / "f.bin"
    report_free_bytes(monkeypatch, 39)
    message = (
        f"[Errno 28] No space left on device: 0 of 40 bytes of '{path}' are kept. Free disk space, then try again."
    )
    with pytest.raises(OSError, match=re.escape(message)):
        fill_file(path, STATE, 10)
    assert names(tmp_path) == []
    report_free_bytes(monkeypatch, 40)
    fill_file(path, STATE, 10)
    assert names(tmp_path) == ["f.bin"]


@pytest.mark.skipif(sys.platform != "linux", reason="a file system of Linux without a size")
def test_a_disk_that_reports_no_size_is_written_to(tmp_path, monkeypatch):
    """bulk 2.4: some network disks report 0 of 0 bytes. So does /proc, whose report takes the place of theirs here."""
    disk_usage = shutil.disk_usage
    monkeypatch.setattr(shutil, "disk_usage", lambda path: disk_usage("/proc"))
    assert shutil.disk_usage(tmp_path) == (0, 0, 0)
    fill_file(tmp_path / "f.bin", STATE, 10)
    assert names(tmp_path) == ["f.bin"]


@pytest.mark.parametrize("at", [0, 40])
def test_an_error_of_the_callback_is_raised_unchanged(tmp_path, at):
    """bulk 2.4: it is not reported as an error of the disk, and the same call resumes."""
    own = OSError(28, "No space left on the callback's device")

    def progress(done, total):
        if done >= at:
            raise own

    with pytest.raises(OSError) as caught:
        fill_file(tmp_path / "f.bin", STATE, 10, progress=progress)
    assert caught.value is own and str(own) == "[Errno 28] No space left on the callback's device"
    assert names(tmp_path) == ["f.bin.filling", "f.bin.progress"]
    fill_file(tmp_path / "f.bin", STATE, 10)
    assert names(tmp_path) == ["f.bin"]
