"""fill_file of a Zarr array: its values, how it resumes, and what it refuses. specs/bulk.md, section 8"""

import json
import os
import re

import numpy as np
import pytest
from fills import STATE, interrupt, interrupt_each_piece, names, use_small_pieces
from numbers_at import arguments_of, bounds_of

import dmlrand
from dmlrand import FillError, fill_file, make_state, random_generator
from dmlrand.bulk.zarr_array import _default_chunks

zarr = pytest.importorskip("zarr", reason="zarr is not installed (extra `zarr`)")

SHAPE, CHUNKS = (5, 7), (2, 3)  # 9 chunks of 24 bytes, some of them padded


def tree(folder):
    """All files of a folder, with their bytes."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("shape", "chunks", "dtype"),
    [
        (7, 3, "uint32"),
        (12, (4,), "int64"),
        ((5, 7), (2, 3), "float16"),
        ((5, 7), (9, 1), "float64"),
        ((2, 3, 4), None, "bool"),
        (0, 5, "uint32"),
        ((4, 0), None, "float64"),
        ((1,) * 8, None, "bool"),
    ],
)
def test_the_array_holds_the_values_of_the_function(tmp_path, shape, chunks, dtype):
    """bulk 8.1, 8.2"""
    distribution = {"u": "words", "i": "integers", "f": "normal", "b": "bernoulli"}[np.dtype(dtype).kind]
    if distribution == "words":
        parameters, (values, new_state) = {}, random_generator(STATE, shape)
    else:
        parameters = bounds_of(distribution)
        values, new_state = getattr(dmlrand, distribution)(STATE, shape, **arguments_of(distribution, dtype))
    path = tmp_path / "f.zarr"
    got = fill_file(path, STATE, shape, dtype=dtype, distribution=distribution, chunks=chunks, **parameters)
    assert got.tolist() == new_state.tolist() and names(tmp_path) == ["f.zarr"]
    array = zarr.open_array(path, mode="r")
    assert array.dtype == values.dtype and array.shape == values.shape and np.array_equal(array[...], values)
    origin = array.attrs["dmlrand"]
    assert (origin["state"], origin["new_state"]) == (STATE.ravel().tolist(), new_state.ravel().tolist())
    assert origin["distribution"].startswith(distribution)
    options = {"dtype": dtype, "distribution": distribution, "chunks": chunks, **parameters}
    assert fill_file(path, STATE, shape, **options).tolist() == got.tolist()  # complete already: bulk 8.4


def test_chunks_of_zeros_are_written_too(tmp_path):
    """bulk 8.3: the number of chunks that exist is the progress."""
    fill_file(tmp_path / "f.zarr", STATE, 10, distribution="bernoulli", p=0, chunks=3)
    assert [name for name in tree(tmp_path / "f.zarr") if name.startswith("c/")] != []
    assert len(tree(tmp_path / "f.zarr")) == 1 + 4


@pytest.mark.parametrize(
    ("shape", "itemsize", "chunks"),
    [
        ((10, 10), 4, (10, 10)),
        ((10**6, 1000), 4, (8388, 1000)),
        ((2, 3, 2**22), 8, (1, 1, 2**22)),
        ((0, 5), 4, (1, 5)),
    ],
)
def test_the_chunks_by_default(shape, itemsize, chunks):
    """bulk 8.2: consecutive values, up to 32 MiB"""
    assert _default_chunks(shape, itemsize) == chunks


@pytest.mark.parametrize("flushed_together", [1, 5])
def test_interrupted_at_any_chunk_it_ends_with_the_same_folder(tmp_path, monkeypatch, flushed_together):
    """bulk 2.1, 8.3: chunks that are on the disk are not written again."""
    use_small_pieces(monkeypatch, 24 * flushed_together)
    fill_file(tmp_path / "right.zarr", STATE, SHAPE, chunks=CHUNKS)
    path = tmp_path / "f.zarr"
    starts, left = interrupt_each_piece(path, STATE, SHAPE, chunks=CHUNKS)
    assert tree(path) == tree(tmp_path / "right.zarr")
    assert starts == sorted(starts) and len(set(starts)) == -(-9 // flushed_together)
    assert left and all(each == ["f.zarr.filling", "right.zarr"] for each in left)


def test_chunks_that_a_power_cut_may_have_lost_are_written_again(tmp_path, monkeypatch):
    """bulk 8.3: also what zarr left of a chunk that it was writing."""
    use_small_pieces(monkeypatch, 24 * 2)
    fill_file(tmp_path / "right.zarr", STATE, SHAPE, chunks=CHUNKS)
    interrupt(tmp_path / "f.zarr", STATE, SHAPE, at=5 * 24, chunks=CHUNKS)
    temporary = tmp_path / "f.zarr.filling"
    chunks = sorted(name for name in tree(temporary) if name.startswith("c/"))
    assert len(chunks) == 5  # of which 4 are certainly on the disk
    for name in chunks[4:]:
        (temporary / name).write_bytes(b"")
    (temporary / "c" / "2" / ".0123.partial").parent.mkdir(exist_ok=True)
    (temporary / "c" / "2" / ".0123.partial").write_bytes(b"half")
    fill_file(tmp_path / "f.zarr", STATE, SHAPE, chunks=CHUNKS)
    assert tree(tmp_path / "f.zarr") == tree(tmp_path / "right.zarr")


def test_no_chunk_is_written_before_earlier_ones_are_on_the_disk(tmp_path, monkeypatch):
    """bulk 8.3: this order decides what a power cut leaves."""
    use_small_pieces(monkeypatch, 24 * 2)
    path, flushed, fsync = tmp_path / "f.zarr.filling", set(), os.fsync

    def record(handle):
        fsync(handle)
        status = os.fstat(handle)
        flushed.update(name for name in tree(path) if os.path.samestat(status, os.stat(path / name)))

    def progress(done, total):
        assert len(flushed) >= (done // 24 - 1) // 2 * 2

    monkeypatch.setattr(os, "fsync", record)
    fill_file(tmp_path / "f.zarr", STATE, SHAPE, chunks=CHUNKS, progress=progress)
    assert flushed == tree(tmp_path / "f.zarr").keys()


def test_a_folder_is_never_replaced(tmp_path):
    """bulk 8.4: if it is complete, nothing is written; else it stays as it is."""
    path = tmp_path / "f.zarr"
    new_state = fill_file(path, STATE, SHAPE, chunks=CHUNKS)
    before = tree(path)
    assert fill_file(path, STATE, SHAPE, chunks=CHUNKS, overwrite=True).tolist() == new_state.tolist()
    message = f"File exists: '{path}' has other content. Remove it, or name another path."
    for harm in (
        lambda: (path / "c/0/0").unlink(),
        lambda: (path / "zarr.json").write_bytes(b"{}"),
        lambda: (path / "zarr.json").unlink(),
    ):
        harm()
        with pytest.raises(FileExistsError, match=re.escape(message)):
            fill_file(path, STATE, SHAPE, chunks=CHUNKS, overwrite=True)
        for name, data in before.items():
            (path / name).write_bytes(data)
    for other in ({"chunks": (5, 7)}, {"dtype": "float32"}, {"state": make_state(key=1)}):
        with pytest.raises(FileExistsError, match=re.escape(message)):
            fill_file(path, **{"state": STATE, "shape": SHAPE, "chunks": CHUNKS} | other)
    assert tree(path) == before


def test_a_temporary_folder_of_another_fill_is_refused(tmp_path):
    """bulk 8.5: nothing is changed."""
    interrupt(tmp_path / "f.zarr", STATE, SHAPE, at=48, chunks=CHUNKS)
    before = tree(tmp_path)
    for other in ({"shape": (7, 5)}, {"chunks": (5, 7)}, {"distribution": "normal"}, {"state": make_state(key=1)}):
        with pytest.raises(FillError, match="holds the values of another fill"):
            fill_file(tmp_path / "f.zarr", **{"state": STATE, "shape": SHAPE, "chunks": CHUNKS} | other)
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    ("chunks", "error", "message"),
    [
        (3, ValueError, "chunks must hold one size for each axis of shape (5, 7); got (3,)."),
        ((2, 0), ValueError, "chunks[1] must be at least 1; got 0"),
        ((2, 1.5), TypeError, "chunks[1] must be an integer; got 1.5"),
    ],
)  # fmt: skip
def test_bad_chunks(tmp_path, chunks, error, message):
    with pytest.raises(error, match=re.escape(message)):
        fill_file(tmp_path / "f.zarr", STATE, SHAPE, chunks=chunks)
    assert names(tmp_path) == []


def test_without_zarr_an_error_says_what_to_install(tmp_path, monkeypatch):
    """bulk 8.1"""
    monkeypatch.setitem(__import__("sys").modules, "zarr", None)
    with pytest.raises(ImportError, match=r"^a Zarr array needs zarr, which "):
        fill_file(tmp_path / "f.zarr", STATE, SHAPE)


@pytest.mark.costly
def test_other_packages_read_the_array(tmp_path):
    """bulk 8.6"""
    path = tmp_path / "f.zarr"
    fill_file(path, STATE, SHAPE, chunks=CHUNKS)
    assert json.loads((path / "zarr.json").read_bytes())["zarr_format"] == 3
    array = pytest.importorskip("dask.array").from_zarr(str(path))
    assert np.array_equal(array.compute(), random_generator(STATE, SHAPE).values)
