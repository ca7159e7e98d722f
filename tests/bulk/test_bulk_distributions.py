"""fill_file with a distribution and bounds: the file holds the numbers of the function. specs/bulk.md, 1.1 and 1.6"""

import io
import json

import numpy as np
import pytest
import strategies
from fills import STATE, interrupt, names
from hypothesis import given, settings, strategies as st
from numbers_at import ALL, bounds_of

import dmlrand
from dmlrand import fill_file, make_state
from dmlrand.bulk import FillError, fill_status, flushing
from dmlrand.files.checksummed_json import checksum
from dmlrand.number_rules import DISTRIBUTIONS

CASES = [
    *((name, dtype, bounds_of(name)) for name, dtype in ALL if dtype != "bfloat16"),
    ("uniform", "float32", {}),
    ("normal", "float64", {}),
    ("integers", "int32", {"low": -(2**31), "high": 2**31}),
    ("integers", "uint64", {"low": 0, "high": 2**64}),
    ("words", "uint32", {}),
]
every_case = pytest.mark.parametrize(("distribution", "dtype", "bounds"), CASES)


def right(state, shape, distribution, dtype, bounds):
    if distribution == "words":
        return dmlrand.random_generator(state, shape)
    types = dict.fromkeys(DISTRIBUTIONS[distribution].dtype_names, dtype)
    return getattr(dmlrand, distribution)(state, shape, **types, **bounds)


def content(values, name="f.bin"):
    """The bytes of the file, by numpy."""
    if name.endswith(".npy"):
        file = io.BytesIO()
        np.save(file, values.astype(values.dtype.newbyteorder("<")))
        return file.getvalue()
    return values.astype(values.dtype.newbyteorder("<")).tobytes()


@every_case
@pytest.mark.parametrize("name", ["f.npy", "f.bin"])
def test_the_file_holds_the_numbers_of_the_function(tmp_path, name, distribution, dtype, bounds):
    """bulk 1.1, 1.6: an odd number of values, in pieces."""
    values, new_state = right(STATE, (3, 67), distribution, dtype, bounds)
    got = fill_file(tmp_path / name, STATE, (3, 67), distribution=distribution, dtype=dtype, **bounds, flush_bytes=96)
    assert got.tolist() == new_state.tolist()
    assert (tmp_path / name).read_bytes() == content(values, name)


@settings(max_examples=15)  # each flushes files to the disk
@given(case=st.sampled_from(CASES), state=strategies.states(), n=st.integers(0, 99), flush=st.integers(1, 400))
def test_any_state_and_pieces_of_any_size(tmp_path_factory, case, state, n, flush):
    """bulk 1.4, 1.6"""
    path = tmp_path_factory.mktemp("fill") / "f.bin"
    values, new_state = right(state[0], n, *case)
    distribution, dtype, bounds = case
    got = fill_file(path, state[0], n, distribution=distribution, dtype=dtype, **bounds, flush_bytes=flush)
    assert got.tolist() == new_state.tolist() and path.read_bytes() == content(values)


@every_case
def test_after_an_interruption_the_same_call_resumes(tmp_path, distribution, dtype, bounds):
    """bulk 1.6, 2.1"""
    path, request = tmp_path / "f.bin", {"distribution": distribution, "dtype": dtype, **bounds}
    interrupt(path, STATE, 301, at=128, **request, flush_bytes=64)
    assert fill_status(path, STATE, 301, **request).in_progress
    reported = []
    fill_file(path, STATE, 301, **request, progress=lambda done, total: reported.append(done))
    assert reported[0] > 0 and path.read_bytes() == content(right(STATE, 301, distribution, dtype, bounds).values)
    assert names(tmp_path) == ["f.bin"]


@pytest.mark.parametrize(
    ("begun", "asked", "its", "other"),
    [
        ({"mean": 0.0}, {"mean": -0.0}, "normal(mean=0.0, stddev=1.0)", "normal(mean=-0.0, stddev=1.0)"),
        ({"stddev": 2}, {}, "normal(mean=0.0, stddev=2.0)", "normal(mean=0.0, stddev=1.0)"),
        ({"low": 1, "high": 7}, {"low": 1, "high": 8}, "integers(low=1, high=7)", "integers(low=1, high=8)"),
        ({"low": 0.25}, {"low": 0.5}, "uniform(low=0.25, high=1.0)", "uniform(low=0.5, high=1.0)"),
        ({"low": 0}, {"mean": 0}, "uniform(low=0.0, high=1.0)", "normal(mean=0.0, stddev=1.0)"),
    ],
)
def test_other_bounds_are_refused(tmp_path, begun, asked, its, other):
    """bulk 3.3: also for bounds that are equal but for the sign of a zero, which some values show."""
    path = tmp_path / "f.bin"
    begun, asked = (
        {**bounds, "distribution": text.partition("(")[0]} for bounds, text in ((begun, its), (asked, other))
    )
    interrupt(path, STATE, 301, at=128, **begun, flush_bytes=64)
    before = {name: (tmp_path / name).read_bytes() for name in names(tmp_path)}
    message = (
        f"'{path}.progress' belongs to another fill: its distribution is {its}, and {other} was requested. "
        "To finish that fill, request its values again: this file holds its counter, key, shape, dtype and "
        "distribution. "
        f"To start again, remove '{path}.progress' and '{path}.filling'."
    )
    with pytest.raises(FillError) as caught:
        fill_file(path, STATE, 301, **asked)
    assert str(caught.value) == message
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == before
    fill_file(path, STATE, 301, **begun)


@pytest.mark.parametrize("default", [{}, {"low": 0}, {"low": 0.0, "high": np.float32(1)}])
def test_equal_bounds_are_the_same_fill(tmp_path, default):
    """bulk 3.3"""
    interrupt(tmp_path / "f.bin", STATE, 301, at=128, dtype="float32", flush_bytes=64)
    fill_file(tmp_path / "f.bin", STATE, 301, distribution="uniform", **default)
    assert names(tmp_path) == ["f.bin"]


@pytest.mark.parametrize("dtype", ["uint32", "float64"])
def test_a_fill_that_an_older_release_began_is_resumed(tmp_path, dtype):
    """bulk 2.8: its progress file has no distribution."""
    path = tmp_path / "f.bin"
    interrupt(path, STATE, 301, at=128, dtype=dtype, flush_bytes=64)
    progress = tmp_path / "f.bin.progress"
    old = json.loads(progress.read_text())
    body = {name: value for name, value in old.items() if name not in ("checksum", "distribution")}
    progress.write_text(json.dumps({**body, "checksum": checksum(body)}))
    reported = []
    fill_file(path, STATE, 301, dtype=dtype, progress=lambda done, total: reported.append(done))
    assert reported[0] > 0


def test_an_early_interruption_keeps_half_of_the_bytes(tmp_path, monkeypatch):
    """bulk 2.3: the first flushes come sooner than flush_bytes."""
    monkeypatch.setattr(flushing, "PIECE_BYTES", 1 << 16)
    kept, steps = [], [1, 2, 3, 4, 7, 8, 31, 32]
    for step in steps:
        path = tmp_path / f"{step}.bin"
        interrupt(path, make_state(), 1 << 20, at=step << 16)
        kept.append(json.loads((tmp_path / f"{step}.bin.progress").read_text())["flushed"] >> 16)
    assert kept == [2 ** (step.bit_length() - 1) for step in steps]
