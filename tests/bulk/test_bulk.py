"""fill_file: the bytes that it writes, how it resumes, and what it refuses. specs/bulk.md, sections 1 to 3"""

import io
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from fills import STATE, interrupt, interrupt_each_piece, names, record_flushes, use_small_pieces
from numbers_at import ALL, bounds_of
from systems import POSIX, posix

import dmlrand
from dmlrand import FillError, fill_file, make_state, random_generator
from dmlrand.drawing.number_rules import DISTRIBUTIONS

CASES = [
    ("words", "uint32", {}),
    *((name, dtype, bounds_of(name)) for name, dtype in ALL if dtype != "bfloat16"),
    ("integers", "uint64", {"low": 0, "high": 2**64}),
]


def expected(state, shape, distribution, dtype, parameters):
    if distribution == "words":
        return random_generator(state, shape)
    types = dict.fromkeys(DISTRIBUTIONS[distribution].dtype_names, dtype)
    return getattr(dmlrand, distribution)(state, shape, **types, **parameters)


def content(values, name="f.bin"):
    """The bytes of the file, by numpy."""
    little_endian = values.astype(values.dtype.newbyteorder("<"))
    if not name.endswith(".npy"):
        return little_endian.tobytes()
    saved = io.BytesIO()
    np.save(saved, little_endian)
    return saved.getvalue()


# What is written


@pytest.mark.parametrize(("distribution", "dtype", "parameters"), CASES)
def test_the_file_holds_the_values_of_the_function(tmp_path, monkeypatch, distribution, dtype, parameters):
    """bulk 1.1, 1.4 and 1.6: in pieces, and resumed."""
    use_small_pieces(monkeypatch, 256)
    values, new_state = expected(STATE, (3, 67), distribution, dtype, parameters)
    request = {"distribution": distribution, "dtype": dtype, **parameters}
    for name in ("f.npy", "f.bin"):
        interrupt(tmp_path / name, STATE, (3, 67), at=192, **request)
        got = fill_file(tmp_path / name, STATE, (3, 67), **request)
        assert got.tolist() == new_state.tolist()
        assert (tmp_path / name).read_bytes() == content(values, name)


@pytest.mark.parametrize("shape", [1, 5, (2, 3, 1, 7), (1,) * 8, 0, (4, 0)])
@pytest.mark.parametrize(("name", "dtype"), [("f.npy", None), ("f.dat", "float32"), ("f.raw", "float64")])
def test_the_file_is_what_numpy_would_save(tmp_path, name, shape, dtype):
    """bulk 1.1, 1.2, 1.5: without a distribution the dtype decides."""
    values, new_state = expected(STATE, shape, "uniform" if dtype else "words", dtype, {})
    assert fill_file(tmp_path / name, STATE, shape, dtype=dtype).tolist() == new_state.tolist()
    assert names(tmp_path) == [name]
    assert (tmp_path / name).read_bytes() == content(values, name)


@pytest.mark.costly
def test_memory_is_a_constant_and_threads_do_not_change_the_bytes(tmp_path):
    """bulk 1.4: one buffer of 16 MiB for a file of 64 MiB, and less than 2 MiB for the interpreter."""
    path, words = tmp_path / "f.bin", 1 << 24
    fill_file(tmp_path / "warm.bin", STATE, 8)
    tracemalloc.start()
    try:
        fill_file(path, STATE, words)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < (18 << 20)
    values = random_generator(STATE, words).values
    assert np.array_equal(np.fromfile(path, "<u4"), values)
    fill_file(path, STATE, words, threads=2, overwrite=True)
    assert np.array_equal(np.fromfile(path, "<u4"), values)
    path.unlink()  # pytest keeps the folders of three runs


def test_progress_is_reported_from_start_to_end(tmp_path, monkeypatch):
    """bulk 2.2: nothing is reported if the file is complete."""
    use_small_pieces(monkeypatch, 256, 128)
    reported = []
    for _ in range(2):
        fill_file(tmp_path / "f.bin", STATE, 100, progress=lambda *numbers: reported.append(numbers))
    assert reported == [(0, 400), (128, 400), (256, 400), (384, 400), (400, 400)]


# A path that exists


def test_a_file_that_is_complete_is_not_written_again(tmp_path):
    """bulk 1.7"""
    path = tmp_path / "f.npy"
    new_state = fill_file(path, STATE, 5000)
    before = path.stat()
    assert fill_file(path, STATE, 5000).tolist() == new_state.tolist()
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert names(tmp_path) == ["f.npy"]


def test_a_file_with_other_content_is_replaced_only_if_asked(tmp_path):
    """bulk 1.3 and 1.7"""
    path = tmp_path / "f.bin"
    path.write_bytes(b"old")
    mode = 0o600 if POSIX else 0o666
    path.chmod(mode)
    message = f"File exists: '{path}' has other content. Pass overwrite=True or --overwrite, or name another path."
    with pytest.raises(FileExistsError, match=re.escape(message)):
        fill_file(path, STATE, 10)
    assert names(tmp_path) == ["f.bin"]

    def progress(done, total):
        assert path.read_bytes() == b"old"
        assert (tmp_path / "f.bin.filling").stat().st_mode & 0o777 == mode if done else True

    fill_file(path, STATE, 10, overwrite=True, progress=progress)
    assert path.read_bytes() == content(random_generator(STATE, 10).values)
    assert path.stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("harm", ["shorter", "longer", "first byte", "last byte"])
def test_a_harmed_file_is_not_complete(tmp_path, harm):
    """bulk 1.7"""
    path, words = tmp_path / "f.bin", 100_000
    fill_file(path, STATE, words)
    with pytest.raises(FileExistsError, match="has other content"):
        fill_file(path, STATE, words, dtype="float32")
    data = bytearray(path.read_bytes())
    data[-1 if harm == "last byte" else 0] ^= "byte" in harm
    path.write_bytes(data[:-4] if harm == "shorter" else data + bytes(4 * (harm == "longer")))
    with pytest.raises(FileExistsError, match="has other content"):
        fill_file(path, STATE, words)


@posix("links that every user may make")
def test_a_symbolic_link_stays_one(tmp_path):
    """bulk 1.3"""
    (tmp_path / "there").mkdir()
    (tmp_path / "link.bin").symlink_to(Path("there", "f.bin"))
    fill_file(tmp_path / "link.bin", STATE, 10)
    assert (tmp_path / "link.bin").is_symlink() and names(tmp_path / "there") == ["f.bin"]


# How it resumes


@pytest.mark.parametrize("name", ["f.npy", "f.bin"])
def test_interrupted_at_any_piece_it_ends_with_the_same_file(tmp_path, monkeypatch, name):
    """bulk 2.1, 2.2: every piece is interrupted once. Flushed bytes are not written again."""
    use_small_pieces(monkeypatch, 192)
    path = tmp_path / name
    starts, left = interrupt_each_piece(path, STATE, 301)
    assert path.read_bytes() == content(random_generator(STATE, 301).values, name)
    size = path.stat().st_size
    assert starts == sorted(starts) and set(starts) == set(range(0, size, 192))
    assert left and all(each == [f"{name}.filling"] for each in left)
    assert names(tmp_path) == [name]


@pytest.mark.parametrize("size", [1, 191, 192, 193, 384, 385, 1204, 5000])
def test_bytes_that_a_power_cut_may_have_lost_are_written_again(tmp_path, monkeypatch, size):
    """bulk 2.2: of a temporary file of any size, the bytes after the last flush may hold anything."""
    use_small_pieces(monkeypatch, 192)
    right = content(random_generator(STATE, 301).values)
    flushed = max(0, min(size, len(right)) - 1) // 192 * 192
    (tmp_path / "f.bin.filling").write_bytes(right[:flushed] + b"\xff" * (size - flushed))
    reported = []
    fill_file(tmp_path / "f.bin", STATE, 301, progress=lambda done, total: reported.append(done))
    assert reported[0] == flushed and (tmp_path / "f.bin").read_bytes() == right


def test_no_byte_is_written_before_the_ones_of_earlier_flushes_are_on_the_disk(tmp_path, monkeypatch):
    """bulk 2.2: this order decides what a power cut leaves."""
    use_small_pieces(monkeypatch, 192)
    calls = record_flushes(monkeypatch, tmp_path)

    def progress(done, total):
        assert max([0, *calls]) >= max(0, done - 1) // 192 * 192

    fill_file(tmp_path / "f.bin", STATE, 150, progress=progress)
    folder = ["folder"] if POSIX else []
    assert calls == [192, 384, 576, 600, "f.bin, 600", *folder]


# What it refuses


@pytest.mark.parametrize(
    "other",
    [
        {"state": make_state(counter=5, key=7)},
        {"state": make_state(counter=2**32 - 2, key=8)},
        {"shape": (100, 3)},
        {"dtype": "float32"},
        {"distribution": "normal", "stddev": 2},
    ],
    ids=str,
)
def test_a_temporary_file_of_another_fill_is_refused(tmp_path, monkeypatch, other):
    """bulk 3.1: nothing is changed."""
    use_small_pieces(monkeypatch, 192)
    path = tmp_path / "f.npy"
    interrupt(path, STATE, 300, at=640)
    before = (tmp_path / "f.npy.filling").read_bytes()
    message = (
        f"'{path}.filling' holds the values of another fill. Repeat the call of that fill, or remove it to start again."
    )
    with pytest.raises(FillError) as caught:
        fill_file(path, **{"state": STATE, "shape": 300} | other)
    assert str(caught.value) == message and (tmp_path / "f.npy.filling").read_bytes() == before
    fill_file(path, STATE, 300)
    assert names(tmp_path) == ["f.npy"]


@pytest.mark.parametrize("place", [0, 65_535, -65_536, -1])
def test_the_first_and_the_last_flushed_bytes_are_compared(tmp_path, monkeypatch, place):
    """bulk 3.1: 64 KiB each"""
    use_small_pieces(monkeypatch, 1 << 18, 1 << 18)
    flushed = bytearray(content(random_generator(STATE, 1 << 16).values))
    flushed[place] ^= 1
    (tmp_path / "f.bin.filling").write_bytes(flushed + bytes(1))
    with pytest.raises(FillError):
        fill_file(tmp_path / "f.bin", STATE, 1 << 17)


@pytest.mark.parametrize(
    ("name", "options", "error", "message"),
    [
        ("f.txt", {}, ValueError, "path must end in .npy"),
        ("f.npy", {"distribution": "nromal"}, ValueError, "distribution must be 'words', 'uniform'"),
        ("f.npy", {"distribution": "normal", "low": 2}, TypeError, "distribution 'normal' takes mean and stddev; got"),
        ("f.npy", {"mena": 3}, TypeError, "distribution 'words' takes no parameters; got mena. Leave it out."),
        ("f.npy", {"distribution": "normal", "dtype": "bfloat16"}, TypeError, "dtype must be float16, float32 or"),
        ("f.npy", {"dtype": "int32"}, TypeError, "dtype must be uint32, float16, float32 or float64"),
        ("f.npy", {"chunks": 3}, TypeError, "chunks must be given only with a path in .zarr; got 3. Leave it out."),
        ("missing/f.npy", {}, FileNotFoundError, "Create its folder, or name another file."),
        ("folder.npy", {}, ValueError, "path must name a regular file, or nothing yet; got '"),
    ],
)  # fmt: skip
def test_bad_arguments_are_refused_before_any_work(tmp_path, name, options, error, message):
    """bulk 1.2, 1.6"""
    (tmp_path / "folder.npy").mkdir()
    with pytest.raises(error, match=re.escape(message)):
        fill_file(tmp_path / name, STATE, 10, **options)
    assert names(tmp_path) == ["folder.npy"]


def test_a_parameter_that_is_none_is_not_given(tmp_path):
    """bulk 1.6"""
    fill_file(tmp_path / "f.bin", STATE, 10, distribution="normal", mean=None, low=None)
    assert (tmp_path / "f.bin").read_bytes() == content(dmlrand.normal(STATE, 10).values)


def test_a_second_fill_of_the_same_path_is_refused(tmp_path):
    """bulk 2.4"""
    path = tmp_path / "f.bin"

    def progress(done, total):
        message = f"'{path}' is in use already, by another process or option. Wait, or name another file."
        with pytest.raises(BlockingIOError, match=re.escape(message)):
            fill_file(path, STATE, 11)

    fill_file(path, STATE, 10, progress=progress)
    assert names(tmp_path) == ["f.bin"]
