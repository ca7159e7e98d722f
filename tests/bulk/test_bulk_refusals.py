"""What fill_file refuses, with its messages. Nothing is changed then. specs/bulk.md, section 3"""

import json
import os
import re
from pathlib import Path

import pytest
from fills import STATE, interrupt, names
from systems import OTHER_ORDER, posix

from dmlrand import fill_file, make_state, random_generator
from dmlrand.arrays.arguments import format_choices
from dmlrand.bulk import FillError
from dmlrand.files.checksummed_json import checksum
from dmlrand.number_rules import DISTRIBUTIONS

# What it does not resume


@pytest.fixture
def begun(tmp_path):
    """A fill of 100,000 words that was interrupted half-way."""
    path = tmp_path / "f.bin"
    interrupt(path, STATE, 100_000, at=240_000, flush_bytes=16_000)
    return path


def refuses(path, message, state=STATE, shape=100_000, **options):
    before = {name: (path.parent / name).read_bytes() for name in names(path.parent)}
    with pytest.raises(FillError, match=re.escape(message)) as caught:
        fill_file(path, state, shape, **options)
    assert {name: (path.parent / name).read_bytes() for name in names(path.parent)} == before  # nothing has changed
    return str(caught.value)


DAMAGED = "does not match its checksum. It was changed or damaged."


def start_again(path):
    return f"To start again, remove '{path}.progress' and '{path}.filling'."


@pytest.mark.parametrize(
    ("request_", "name", "its", "asked"),
    [
        ({"state": make_state(counter=5, key=7)}, "counter", f"0x{2**32 - 2:032x}", f"0x{5:032x}"),
        ({"state": make_state(counter=2**32 - 2, key=8)}, "key", f"0x{7:016x}", f"0x{8:016x}"),
        ({"shape": (1000, 100)}, "shape", "[100000]", "[1000, 100]"),
        ({"dtype": "float32"}, "dtype", "uint32", "float32"),
        (
            {"dtype": "uint32", "distribution": "integers", "low": 0, "high": 2**32},
            "distribution",
            "words",
            "integers(low=0, high=4294967296)",
        ),
    ],
    ids=["counter", "key", "shape", "dtype", "distribution"],
)
def test_the_progress_file_of_another_fill(begun, request_, name, its, asked):
    """bulk 3.3"""
    refuses(
        begun,
        f"'{begun}.progress' belongs to another fill: its {name} is {its}, and {asked} was requested. "
        "To finish that fill, request its values again: this file holds its counter, key, shape, dtype and "
        "distribution. "
        f"{start_again(begun)}",
        **request_,
    )
    fill_file(begun, STATE, 100_000)  # nothing was lost
    assert begun.read_bytes() == random_generator(STATE, 100_000).values.astype("<u4").tobytes()


def rewrite(path, **changes):
    progress_file = Path(f"{path}.progress")
    body = {
        name: value for name, value in json.loads(progress_file.read_text()).items() if name != "checksum"
    } | changes
    progress_file.write_text(json.dumps({**body, "checksum": checksum(body)}))


@pytest.mark.parametrize("text", ["", "{", "\xff"])
def test_a_damaged_progress_file(begun, text):
    """bulk 3.1"""
    Path(f"{begun}.progress").write_text(text, encoding="latin-1")
    message = refuses(begun, f"'{begun}.progress' is not complete JSON (")
    assert message.endswith(f"). It was truncated or is another file. {start_again(begun)}")


def test_a_progress_file_nested_too_deeply(begun):
    """bulk 3.1"""
    Path(f"{begun}.progress").write_text("[" * 100_000)
    refuses(begun, f"'{begun}.progress' is nested too deeply to be read. {start_again(begun)}")


@pytest.mark.parametrize("text", ["[]", "null", '{"format": "dmlrand checkpoint"}'])
def test_a_progress_file_of_another_format(begun, text):
    """bulk 3.1"""
    Path(f"{begun}.progress").write_text(text)
    problem = 'has no "format": "dmlrand fill". It is another kind of file.'
    refuses(begun, f"'{begun}.progress' {problem} {start_again(begun)}")


def test_a_changed_progress_file(begun):
    progress_file = Path(f"{begun}.progress")
    flushed = json.loads(progress_file.read_text())["flushed"]
    progress_file.write_text(progress_file.read_text().replace(f'"flushed": {flushed}', f'"flushed": {flushed + 160}'))
    refuses(begun, f"'{begun}.progress' {DAMAGED} {start_again(begun)}")


def test_a_progress_file_of_a_later_release(begun):
    rewrite(begun, version=2)
    refuses(begun, f"'{begun}.progress' has version 2, not 1. {start_again(begun)}")


@pytest.mark.parametrize("flushed", [-16, 8, 400_001, 10**30, None, 16.0, True, "16"])
def test_a_length_where_no_fill_stops(begun, flushed):
    rewrite(begun, flushed=flushed)
    refuses(
        begun,
        f"'{begun}.progress' records {flushed!r} bytes as flushed, but a fill flushes complete blocks. "
        f"{start_again(begun)}",
    )


def test_a_temporary_file_shorter_than_recorded(begun):
    """bulk 3.4"""
    temporary = Path(f"{begun}.filling")
    flushed = json.loads(Path(f"{begun}.progress").read_text())["flushed"]
    temporary.write_bytes(temporary.read_bytes()[: flushed - 1])
    refuses(
        begun,
        f"'{begun}.filling' has {flushed - 1} bytes, fewer than the {flushed} that its progress file records as "
        "flushed. "
        f"{start_again(begun)}",
    )
    temporary.unlink()
    refuses(
        begun, f"'{begun}.filling' has 0 bytes, fewer than the {flushed} that its progress file records as flushed."
    )
    assert not temporary.exists()


def test_a_temporary_file_without_a_progress_file(begun):
    """bulk 3.5"""
    Path(f"{begun}.progress").unlink()
    size = Path(f"{begun}.filling").stat().st_size
    refuses(
        begun,
        f"'{begun}.filling' holds {size} bytes, and no progress file records them as flushed. {start_again(begun)}",
    )


@pytest.mark.parametrize("place", ["start", "middle", "end"])
def test_a_temporary_file_with_other_bytes(begun, place):
    """bulk 3.2: damage at the start, in the middle and at the end."""
    temporary, flushed = Path(f"{begun}.filling"), json.loads(Path(f"{begun}.progress").read_text())["flushed"]
    data = bytearray(temporary.read_bytes())
    position = {"start": 0, "middle": flushed // 2, "end": flushed - 1}[place]
    data[position] ^= 1
    temporary.write_bytes(data)
    with pytest.raises(
        FillError, match="does not hold the values of this fill between bytes ([0-9]+) and ([0-9]+)"
    ) as caught:
        fill_file(begun, STATE, 100_000)
    start, stop = map(int, re.search("bytes ([0-9]+) and ([0-9]+)", str(caught.value)).groups())
    assert start <= position < stop
    assert str(caught.value).endswith(start_again(begun))


def test_the_remedy_starts_a_new_fill(begun):
    Path(f"{begun}.progress").unlink()
    Path(f"{begun}.filling").unlink()
    fill_file(begun, STATE, 10)
    assert names(begun.parent) == ["f.bin"]


# Arguments


@pytest.mark.parametrize("name", ["f", "f.txt", "f.NPY", "f.npy.gz"])
def test_names_of_other_kinds_are_refused(tmp_path, name):
    message = (
        "path must end in .npy (a tensor for numpy), in .bin, .dat or .raw (values and nothing else), or in .zarr "
        f"(a folder with a Zarr array); got '{tmp_path / name}'."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        fill_file(tmp_path / name, STATE, 1)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "dtype", ["int32", "bfloat16", "uint64", f"{OTHER_ORDER}u4", f"{OTHER_ORDER}f8", "nonsense", object]
)
def test_other_dtypes_are_refused(tmp_path, dtype):
    """bulk 1.1"""
    message = (
        f"dtype must be uint32, float16, float32 or float64, in native byte order; got {dtype!r}. "
        "distribution='integers' takes int32, int64, uint32 or uint64."
    )
    with pytest.raises(TypeError, match=re.escape(message)):
        fill_file(tmp_path / "f.npy", STATE, 1, dtype=dtype)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((STATE, 2**61), {}, ValueError, "shape must describe fewer than 2**63 bytes; got (2305843009213693952,)"),
        ((STATE, (1,) * 9), {}, ValueError, "shape must have rank 1 to 8; got (1, 1, 1, 1, 1, 1, 1, 1, 1) of rank 9."),
        ((STATE, -1), {}, ValueError, "shape must be at least 0; got -1."),
        (([1, 2, 3], 1), {}, ValueError, "state must hold 6 uint32 words"),
        ((STATE, 1), {"threads": 0}, ValueError, "threads must be at least 1; got 0."),
        ((STATE, 1), {"flush_bytes": 0}, ValueError, "flush_bytes must be at least 1; got 0."),
        ((STATE, 1), {"flush_bytes": 1.5}, TypeError, "flush_bytes must be an integer; got 1.5"),
        (
            (STATE, 1),
            {"chunks": 5},
            TypeError,
            "chunks must be given only with a path that ends in .zarr; got 5. Leave it out.",
        ),
        (
            (STATE, 1),
            {"distribution": "beta"},
            ValueError,
            f"distribution must be 'words', {format_choices(map(repr, DISTRIBUTIONS))}; got 'beta'.",
        ),
        (
            (STATE, 1),
            {"distribution": "normal", "low": 0},
            TypeError,
            "low must not be given with distribution 'normal', which takes mean and stddev; got 0. Leave it out, or "
            "choose another distribution.",
        ),
        (
            (STATE, 1),
            {"thread": None},
            TypeError,
            "fill_file() got an unexpected keyword argument 'thread'. help(dmlrand.fill_file) lists the arguments.",
        ),
        (
            (STATE, 1),
            {"stddev": 2.0},
            TypeError,
            "stddev must not be given with distribution 'words', which takes no bounds; got 2.0. Leave it out,",
        ),
        ((STATE, 1), {"distribution": "integers", "low": 1}, TypeError, "low and high must both be given; got low 1"),
        ((STATE, 1), {"distribution": "normal", "stddev": -1}, ValueError, "stddev must be at least 0; got -1."),
        (
            (STATE, 1),
            {"distribution": "normal", "dtype": "int32"},
            TypeError,
            "dtype must be float16, float32 or float64, in native byte order; got 'int32'.",
        ),
    ],
)
def test_bad_arguments_write_nothing(tmp_path, arguments, options, error, message):
    with pytest.raises(error, match=re.escape(message)):
        fill_file(tmp_path / "f.bin", *arguments, **options)
    assert names(tmp_path) == []


@posix("pipes that have names")
def test_a_path_that_is_not_a_regular_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "f.bin")
    (tmp_path / "d.bin").mkdir()
    for name, kind in (("f.bin", "a pipe"), ("d.bin", "a folder")):
        message = (
            f"path must name a regular file, or nothing yet; got '{tmp_path / name}', which is {kind}. "
            "Name another file."
        )
        with pytest.raises(ValueError, match=re.escape(message)):
            fill_file(tmp_path / name, STATE, 1)
    with pytest.raises(FileNotFoundError):
        fill_file(tmp_path / "missing" / "f.bin", STATE, 1)
    assert names(tmp_path) == ["d.bin", "f.bin"]
