"""fill_file of a Zarr array: its files, how it resumes, and what it refuses. specs/bulk.md, section 9"""

import json
import os
import re
import sys
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from fills import STATE, Interrupted, interrupt, names, report_free_bytes, start
from hypothesis import given, settings, strategies as st
from numbers_at import arguments_of, bounds_of
from systems import posix

import dmlrand
from dmlrand import fill_file, make_state, random_generator
from dmlrand.bulk import FillError, fill_status
from dmlrand.bulk.distribution import check_distribution
from dmlrand.bulk.zarr_array import ZarrArray, _default_chunks

zarr = pytest.importorskip("zarr", reason="zarr is not installed (extra `test`)")

NORMAL = {"distribution": "normal", "mean": 5, "stddev": 2}


def tree(folder):
    """All files of a folder, with their bytes."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("shape", "chunks"),
    [
        (7, 3),
        (12, (4,)),
        ((5, 7), (2, 3)),
        ((5, 7), (9, 1)),
        ((2, 3, 4), None),
        (0, 5),
        ((4, 0), None),
        ((1,) * 8, None),
    ],
)
@pytest.mark.parametrize("dtype", ["uint32", "int64", "float16", "float64", "bool"])
def test_the_folder_is_what_zarr_would_write(tmp_path, shape, chunks, dtype):
    """bulk 9.1, 9.2: zarr itself writes the same array, and every file is the same."""
    distribution = {"u": "words", "i": "integers", "f": "normal", "b": "bernoulli"}[np.dtype(dtype).kind]
    if distribution == "words":
        bounds, (values, new_state) = {}, random_generator(STATE, shape)
    else:
        bounds = bounds_of(distribution)
        values, new_state = getattr(dmlrand, distribution)(STATE, shape, **arguments_of(distribution, dtype))
    path = tmp_path / "f.zarr"
    got = fill_file(path, STATE, shape, dtype=dtype, distribution=distribution, chunks=chunks, **bounds)
    assert got.tolist() == new_state.tolist() and names(tmp_path) == ["f.zarr"]
    array = zarr.open_array(path, mode="r")
    assert array.dtype == values.dtype and np.array_equal(array[...], values)
    origin = array.attrs["dmlrand"]
    assert origin["state"] == STATE.tolist() and origin["new_state"] == new_state.tolist()
    theirs = zarr.create_array(
        tmp_path / "theirs.zarr", shape=values.shape, chunks=array.chunks, dtype=dtype, compressors=None,
        attributes={"dmlrand": origin}, config={"write_empty_chunks": True},
    )  # fmt: skip
    theirs[...] = values
    ours, theirs = tree(path), tree(tmp_path / "theirs.zarr")
    assert json.loads(ours.pop("zarr.json")) == {
        name: value for name, value in json.loads(theirs.pop("zarr.json")).items() if name != "storage_transformers"
    }
    assert ours == theirs


@settings(max_examples=12)  # each flushes files to the disk
@given(data=st.data(), shape=st.lists(st.integers(0, 6), min_size=1, max_size=3), flush=st.integers(1, 200))
def test_the_values_do_not_depend_on_the_chunks(tmp_path_factory, data, shape, flush):
    """bulk 9.2"""
    chunks = [data.draw(st.integers(1, 7)) for _ in shape]
    path = tmp_path_factory.mktemp("fill") / "f.zarr"
    fill_file(path, STATE, shape, chunks=chunks, **NORMAL, flush_bytes=flush)
    array = zarr.open_array(path, mode="r")
    assert array.chunks == tuple(chunks) and np.array_equal(
        array[...], dmlrand.normal(STATE, shape, mean=5, stddev=2).values
    )


@pytest.mark.parametrize(
    ("shape", "itemsize", "chunks"),
    [
        ((10, 10), 4, (10, 10)),
        ((1 << 40,), 4, (1 << 23,)),
        ((1000, 1 << 20), 4, (8, 1 << 20)),
        ((1000, 1 << 40), 8, (1, 1 << 22)),
        ((8, 3, 1 << 22), 4, (1, 2, 1 << 22)),
        ((8, 0, 5), 4, (8, 1, 5)),
    ],
)
def test_the_chunks_by_default(shape, itemsize, chunks):
    """bulk 9.2"""
    assert _default_chunks(shape, itemsize) == chunks


def test_interrupted_at_any_chunk_it_ends_with_the_same_folder(tmp_path):
    """bulk 9.3: every chunk is interrupted once, and recorded chunks are not written again."""
    shape, request = (7, 9), {**NORMAL, "chunks": (2, 4)}
    fill_file(tmp_path / "right.zarr", STATE, shape, **request)
    right = tree(tmp_path / "right.zarr")
    path, starts = tmp_path / "f.zarr", []
    sizes = [4 * rows * columns for rows in (2, 2, 2, 1) for columns in (4, 4, 1)]
    ends = [0, *accumulate(sizes)]

    def progress(done, total):
        starts.append(done)
        if len(starts) > 2:  # the start, the description of the array, and one chunk
            raise Interrupted

    for chunk in range(12):
        starts.clear()
        with pytest.raises(Interrupted):
            fill_file(path, STATE, shape, **request, flush_bytes=1, progress=progress)
        assert starts[:2] == [ends[chunk]] * 2
        assert names(tmp_path) == ["f.zarr.filling", "f.zarr.progress", "right.zarr"]
        assert fill_status(path, STATE, shape, **request)[:2] == (True, False)
    fill_file(path, STATE, shape, **request, flush_bytes=1)
    assert tree(path) == right and names(tmp_path) == ["f.zarr", "right.zarr"]
    assert fill_status(path, STATE, shape, **request) == (False, True, 252, 252)


def test_chunks_that_are_not_recorded_are_written_again(tmp_path):
    """bulk 9.3: whatever bytes a crash left there."""
    path = tmp_path / "f.zarr"
    interrupt(path, STATE, 100, at=200, chunks=10, flush_bytes=40)
    for number in (8, 9):
        (tmp_path / "f.zarr.filling" / "c" / str(number)).write_bytes(b"half a chunk")
    (tmp_path / "f.zarr.filling" / "zarr.json").write_bytes(b"{")
    fill_file(path, STATE, 100, chunks=10)
    assert np.array_equal(zarr.open_array(path)[...], random_generator(STATE, 100).values)


@pytest.mark.parametrize("recorded", [True, False])
def test_killed_between_the_rename_and_the_end(tmp_path, recorded):
    """bulk 9.3, 9.4: nothing is written again, also after the end."""
    path = tmp_path / "f.zarr"
    if recorded:
        interrupt(path, STATE, 100, at=400, chunks=10)
        os.rename(f"{path}.filling", path)
    else:
        fill_file(path, STATE, 100, chunks=10)
    before = {file: file.stat().st_mtime_ns for file in path.rglob("*")}
    assert fill_file(path, STATE, 100, chunks=10).tolist() == random_generator(STATE, 100).state.tolist()
    assert {file: file.stat().st_mtime_ns for file in path.rglob("*")} == before
    assert names(tmp_path) == ["f.zarr"]


WATCHED = """
import json, os, sys
flushed, recorded, renamed, root = set(), [], 0, sys.argv[1]
fsync = os.fsync

def noting(file):
    name = os.readlink(f"/proc/self/fd/{file}")
    fsync(file)
    flushed.add(name)

def watch(event, arguments):
    global renamed
    if event == "os.rename":
        source, target = arguments[:2]
        if target.endswith(".progress"):
            with open(source) as file:
                recorded.append(json.load(file)["flushed"])
            names = [f"c/{i}/{j}" for i in range(5) for j in range(4)]
            written = names[: recorded[-1] // 40]
            needed = {"zarr.json", "c", *written, *(name[:3] for name in written)}
            assert not recorded[-1] or {f"{root}.filling/{name}" for name in needed} <= flushed, (recorded, flushed)
        elif target == root:
            assert recorded[-1] == 800
            renamed += 1

os.fsync = noting
sys.addaudithook(watch)
from dmlrand import fill_file, make_state
fill_file(root, make_state(key=1), (10, 20), chunks=(2, 5), flush_bytes=120)
print(renamed, recorded)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="names of open files are read from Linux's /proc")
def test_nothing_is_recorded_or_renamed_before_it_was_flushed(tmp_path):
    """bulk 9.3: this order decides what a power cut leaves. The calls are observed, and do their work."""
    out, errors = start(WATCHED, tmp_path / "f.zarr").communicate()
    assert (out, errors) == ("1 " + str([*range(0, 800, 120), 800]) + "\n", "")


def refuses(path, message, error=FillError, **options):
    before = tree(path.parent)
    with pytest.raises(error, match=re.escape(message)):
        fill_file(path, STATE, 100, **{"chunks": 10, **options})
    assert tree(path.parent) == before


@pytest.mark.parametrize("harm", ["other state", "changed", "shorter", "missing", "attribute", "empty", "a file"])
def test_a_folder_is_never_replaced(tmp_path, harm):
    """bulk 9.4"""
    path = tmp_path / "f.zarr"
    fill_file(path, STATE if harm != "other state" else make_state(), 100, chunks=10)
    chunk = path / "c" / {"changed": "9", "shorter": "4", "missing": "5"}.get(harm, "0")
    data = chunk.read_bytes()
    if harm in ("changed", "shorter"):
        chunk.write_bytes(data[:-1] + (b"" if harm == "shorter" else bytes([data[-1] ^ 1])))
    elif harm == "missing":
        chunk.unlink()
    elif harm == "attribute":
        zarr.open_array(path).attrs["mine"] = 1
    elif harm in ("empty", "a file"):
        path.rename(tmp_path / "moved")
        path.mkdir() if harm == "empty" else path.write_bytes(b"mine")
    refuses(path, f"[Errno 17] File exists: '{path}'. Remove it, or name another folder.", FileExistsError)


@pytest.fixture
def begun(tmp_path):
    """A fill whose first 6 or 7 chunks are recorded."""
    path = tmp_path / "f.zarr"
    interrupt(path, STATE, 100, at=280, chunks=10, flush_bytes=40)
    return path


def start_again(path):
    return f"To start again, remove '{path}.progress' and '{path}.filling'."


def test_what_is_not_resumed(begun):
    """bulk 9.5"""
    refuses(begun, "belongs to another fill: its chunks is [10], and [20] was requested.", chunks=20)
    refuses(begun, "belongs to another fill: its dtype is uint32, and float32 was requested.", dtype="float32")
    temporary = Path(f"{begun}.filling")
    for number in (0, 3, 5):
        chunk = temporary / "c" / str(number)
        data = chunk.read_bytes()
        chunk.write_bytes(data[:-1])
        refuses(
            begun,
            f"'{temporary}' does not hold the values of this fill in c/{number}, which its progress file records as "
            f"flushed. {start_again(begun)}",
        )
        chunk.write_bytes(data)
    chunk = temporary / "c" / "0"
    chunk.write_bytes(bytes(40))
    refuses(begun, "does not hold the values of this fill in c/0")


def test_a_temporary_folder_without_its_progress_file(begun):
    """bulk 9.5"""
    Path(f"{begun}.progress").unlink()
    refuses(
        begun,
        f"'{begun}.filling' is not empty, and no progress file records its chunks as flushed. {start_again(begun)}",
    )


def test_a_recorded_length_at_which_no_chunk_ends(begun):
    """bulk 9.5"""
    from dmlrand.bulk.progress_file import FillPaths, write_progress

    array = ZarrArray(STATE, 100, check_distribution(None, None, {}), 10)
    for flushed in (-40, 39, 440, None, 40.0, True):
        write_progress(FillPaths.of(begun), array, flushed)
        refuses(
            begun, f"records {flushed!r} bytes as flushed, but a fill flushes complete chunks. {start_again(begun)}"
        )


def test_a_temporary_folder_that_is_a_file(tmp_path):
    """bulk 9.5"""
    (tmp_path / "f.zarr.filling").write_bytes(b"")
    path = tmp_path / "f.zarr"
    refuses(path, f"'{path}.filling' must be a folder; got a file. {start_again(path)}")


@pytest.mark.parametrize(
    ("chunks", "error", "message"),
    [
        (0, ValueError, "chunks[0] must be at least 1; got 0."),
        ((5, 5), ValueError, "chunks must hold one size for each axis of shape (100,); got (5, 5)."),
        (2.5, TypeError, "chunks[0] must be an integer; got 2.5"),
        (2**62, ValueError, "chunks must describe fewer than 2**63 bytes; got (4611686018427387904,)"),
    ],
)
def test_bad_chunks(tmp_path, chunks, error, message):
    refuses(tmp_path / "f.zarr", message, error, chunks=chunks)
    assert names(tmp_path) == []


FILLER = """
import sys
from dmlrand import fill_file, make_state
def progress(done, total):
    print(done, flush=True)
    sys.stdin.readline()
fill_file(sys.argv[1], make_state(key=1), 1000, chunks=500, progress=progress)
"""


def test_a_second_fill_of_the_same_folder_is_refused(tmp_path):
    """bulk 9.3"""
    path = tmp_path / "f.zarr"
    process = start(FILLER, path)
    assert process.stdout.readline() == "0\n"
    busy = f"another process is filling '{path}'. Wait until it ends, or name another file."
    with pytest.raises(BlockingIOError, match=re.escape(busy)):
        fill_file(path, make_state(key=2), 10)
    _, errors = process.communicate("\n" * 9)
    assert (process.returncode, errors) == (0, "") and names(tmp_path) == ["f.zarr"]
    assert np.array_equal(zarr.open_array(path)[...], random_generator(make_state(key=1), 1000).values)


@posix("a limit on the size of files")
def test_a_full_disk_keeps_the_flushed_chunks(tmp_path):
    """bulk 9.3. A limit on file sizes takes the place of a full disk."""
    path = tmp_path / "f.zarr"
    code = """
import resource, sys
from dmlrand import fill_file, make_state
def progress(done, total):
    if done == 8000:
        sys.dont_write_bytecode = True  # a truncated file would break later imports
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
fill_file(sys.argv[1], make_state(key=1), 10_000, chunks=500, progress=progress, flush_bytes=1)
"""
    process = start(code, path)
    _, errors = process.communicate()
    flushed = json.loads(Path(f"{path}.progress").read_text())["flushed"]
    assert (process.returncode, flushed) == (1, 8000)
    assert (
        f"OSError: [Errno 27] File too large: 8,000 of 40,000 bytes of '{path}' are kept. "
        "Raise the limit on file sizes (ulimit -f) or use another disk, then try again."
    ) in errors
    fill_file(path, make_state(key=1), 10_000, chunks=500)
    assert np.array_equal(zarr.open_array(path)[...], random_generator(make_state(key=1), 10_000).values)


def test_a_disk_that_is_too_small_is_an_error_at_the_start(tmp_path, monkeypatch):
    """bulk 9.3: without the check the fill would be completed."""
    report_free_bytes(monkeypatch, 39)
    with pytest.raises(OSError, match=re.escape("No space left on device: 0 of 40 bytes of")):
        fill_file(tmp_path / "f.zarr", STATE, 10)
    assert names(tmp_path) == []


def test_other_packages_read_the_array(tmp_path):
    """bulk 9.7: xarray.open_zarr reads groups only, so the page says what to write for an array."""
    path = tmp_path / "f.zarr"
    fill_file(path, STATE, (5, 7), chunks=(2, 3))
    array = pytest.importorskip("dask.array", reason="dask is not installed (extra `dask`)").from_zarr(path)
    assert array.chunksize == (2, 3) and np.array_equal(np.asarray(array), random_generator(STATE, (5, 7)).values)
    xarray = pytest.importorskip("xarray", reason="xarray is not installed (group `peers`)")
    labelled = xarray.DataArray(array, dims=["row", "column"])
    assert np.array_equal(labelled.isel(row=3), random_generator(STATE, (5, 7)).values[3])
    with pytest.raises(zarr.errors.ContainsArrayError):
        xarray.open_zarr(path)
