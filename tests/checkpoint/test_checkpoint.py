"""Checkpoints: states and metadata are read as they were saved, in a stable form. specs/checkpoint.md"""

import io
import json

import numpy as np
import pytest
from checkpoints import GOLDEN, checksum_by_the_spec
from hypothesis import example, given, settings, strategies as st
from strategies import json_values, texts

from dmlrand import Checkpoint, counter_of, key_of, load_checkpoint, make_state, save_checkpoint
from dmlrand.files.npy import save_array

# The content of GOLDEN. The first release wrote that file, and every later one must read it.
GOLDEN_STATES = {
    "dropout": make_state(counter=324855, key=42),
    'schüttel "鴨"\n': make_state(counter=2**128 - 1, key=2**64 - 1).reshape(1, 1, 1, 6),
    "": make_state(counter=0x0123456789ABCDEF_FEDCBA9876543210, key=0x0123456789ABCDEF).reshape(1, 6),
}
GOLDEN_METADATA = {"epoch": 3, "lr": 0.1, "tags": ["ä", None, True], "nested": {"a": {"b": []}}}


@st.composite
def state_tensors(draw):
    edges = st.sampled_from([0, 1, 2**32 - 1, 2**32, 2**64 - 1])
    counter = draw(edges | st.just(2**128 - 1) | st.integers(0, 2**128 - 1))
    key = draw(edges | st.integers(0, 2**64 - 1))
    return make_state(counter=counter, key=key).reshape((1,) * draw(st.integers(0, 7)) + (6,))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all examples of a property. Each example overwrites the file."""
    return tmp_path_factory.mktemp("checkpoint")


def assert_same_states(got, expected):
    assert got.keys() == expected.keys()
    for name, state in expected.items():
        assert got[name].dtype == np.uint32
        assert got[name].shape == state.shape
        assert got[name].tolist() == state.tolist()


# Round trips


@pytest.mark.parametrize("suffix", [".json", ".npy", ""])
@pytest.mark.parametrize("rank", range(1, 9))
def test_one_state_of_every_rank_comes_back(tmp_path, rank, suffix):
    """checkpoint 1.2"""
    state = make_state(counter=2**96 + 5, key=2**63 + 7).reshape((1,) * (rank - 1) + (6,))
    save_checkpoint(tmp_path / f"rng{suffix}", state)
    loaded = load_checkpoint(str(tmp_path / f"rng{suffix}"))  # a path may be a str as well
    assert isinstance(loaded, Checkpoint)
    assert loaded.metadata is None
    assert_same_states(loaded.states, {"state": state})


@settings(max_examples=60)
@given(st.dictionaries(texts, state_tensors(), max_size=4), st.none() | st.dictionaries(texts, json_values))
@example(
    states={'"': make_state(counter=1), "\\": make_state(counter=2), "\x00": make_state(counter=3)},
    metadata={"\u2028": "\x7f"},
)
@example(
    states={"state": make_state(counter=1), "checksum": make_state(counter=2)}, metadata={"big": 2**200, "-0.0": -0.0}
)
def test_any_names_states_and_metadata_come_back(folder, states, metadata):
    """checkpoint 1.2 and 1.3"""
    save_checkpoint(folder / "any.json", states, metadata)
    loaded = load_checkpoint(folder / "any.json")
    assert_same_states(loaded.states, states)
    assert repr(loaded.metadata) == repr(metadata)  # repr distinguishes 1, 1.0 and True, and == does not


@settings(max_examples=30)
@given(state=state_tensors())
def test_npy_is_the_bare_tensor(folder, state):
    """checkpoint 3.1"""
    save_checkpoint(folder / "any.npy", state)
    read = np.load(folder / "any.npy", allow_pickle=False)
    assert read.dtype == np.dtype("<u4")
    assert read.shape == state.shape
    assert read.tolist() == state.tolist()
    assert_same_states(load_checkpoint(folder / "any.npy").states, {"state": state})


def test_a_state_that_another_program_wrote_as_npy_is_read(tmp_path):
    """checkpoint 3.1"""
    np.save(tmp_path / "other.npy", np.asfortranarray(np.array([[[9, 8, 7, 6, 5, 4]]], np.uint32)))
    states, _ = load_checkpoint(tmp_path / "other.npy")
    assert counter_of(states["state"]) == 9 + (8 << 32) + (7 << 64) + (6 << 96)
    assert key_of(states["state"]) == 5 + (4 << 32)


@pytest.mark.parametrize("dtype", ["<u4", ">u4"])
def test_a_state_of_either_byte_order_is_read(tmp_path, dtype):
    """checkpoint 3.2"""
    np.save(tmp_path / "other.npy", np.array([[9, 8, 7, 6, 5, 4]], dtype))
    (state,) = load_checkpoint(tmp_path / "other.npy").states.values()
    assert state.dtype == np.uint32 and state.tolist() == [[9, 8, 7, 6, 5, 4]]


def test_a_npy_file_is_the_same_on_every_machine(folder):
    """checkpoint 3.2"""
    save_checkpoint(folder / "state.npy", make_state(counter=9, key=4))
    header, words = (folder / "state.npy").read_bytes().split(b"\n")
    assert b"'descr': '<u4'" in header and words == np.array([9, 0, 0, 0, 4, 0], "<u4").tobytes()


@pytest.mark.parametrize("dtype", ["<f8", ">f8", ">u2", "u1"])
def test_arrays_are_saved_little_endian(dtype):
    """checkpoint 3.2"""
    file, expected = io.BytesIO(), io.BytesIO()
    values = np.arange(6, dtype=dtype).reshape(2, 3)
    save_array(file, values)
    np.save(expected, values.astype(values.dtype.newbyteorder("<")))
    assert file.getvalue() == expected.getvalue()


def test_saving_modifies_no_argument_and_loading_aliases_nothing(tmp_path):
    """state 1.3"""
    states, metadata = {"a": [7, 0, 0, 0, 0, 0]}, {"list": [1]}
    save_checkpoint(tmp_path / "rng.json", states, metadata)
    first, second = load_checkpoint(tmp_path / "rng.json"), load_checkpoint(tmp_path / "rng.json")
    first.states["a"][0] = 99  # a loaded state is a writable array of its own
    assert second.states["a"].tolist() == states["a"] == [7, 0, 0, 0, 0, 0]
    assert metadata == {"list": [1]}


# The file's form


def test_the_golden_file_of_version_1_is_read():
    """checkpoint 2.2; promises 4"""
    loaded = load_checkpoint(GOLDEN)
    assert_same_states(loaded.states, GOLDEN_STATES)
    assert loaded.metadata == GOLDEN_METADATA


def test_the_written_form_is_that_of_the_golden_file(tmp_path):
    """checkpoint 1.1 to 1.4: byte for byte, so that a change of the form is noticed and gets its own version."""
    save_checkpoint(tmp_path / "new.json", GOLDEN_STATES, GOLDEN_METADATA)
    assert (tmp_path / "new.json").read_bytes() == GOLDEN.read_bytes()
    document = json.loads(GOLDEN.read_bytes())
    assert list(document) == ["format", "version", "algorithm", "states", "metadata", "checksum"]
    assert document["states"]["dropout"] == {
        "counter": "0x0000000000000000000000000004f4f7",
        "key": "0x000000000000002a",
        "sizes": [6],
    }
    assert document["checksum"] == checksum_by_the_spec(document)


@pytest.mark.parametrize(
    "reformat",
    [
        lambda document: json.dumps(document, indent=8, sort_keys=True),
        lambda document: json.dumps(dict(reversed(document.items())), ensure_ascii=False),
        lambda document: "\r\n\t" + json.dumps(document, indent=1).replace("\n", "\r\n") + "\r\n\r\n",
    ],
)
def test_a_reformatted_file_still_loads(tmp_path, reformat):
    """checkpoint 1.4: an editor may change indentation and line ends."""
    (tmp_path / "rng.json").write_bytes(reformat(json.loads(GOLDEN.read_bytes())).encode())
    assert load_checkpoint(tmp_path / "rng.json").metadata == GOLDEN_METADATA
    assert_same_states(load_checkpoint(tmp_path / "rng.json").states, GOLDEN_STATES)


# Refused when saving

NO_UTF8 = (
    r"^states and metadata must hold text that UTF-8 can encode; got '\\ud800', half of a surrogate pair. "
    r"Replace it, as text.encode\('utf-8', 'replace'\) does\.$"
)


@pytest.mark.parametrize(
    ("name", "states", "metadata", "error", "wording"),
    [
        ("a.json", {1: make_state()}, None, TypeError, r"states must have names of type str; got 1\. Use str\(1\)\."),
        ("a.json", {"a": make_state()[:4]}, None, ValueError, r"states\['a'\] must hold 6 .*numpy.append"),
        ("a.json", {"a": np.zeros(6)}, None, TypeError, r"states\['a'\] must hold uint32 words; got float64"),
        ("a.json", [1, 2, 3, 4], None, ValueError, "states must hold 6 .*numpy.append"),
        ("a.json", [0, 0, 0, 0, 0, 2**32], None, ValueError, r"states\[5\] must be in \[0, 2\*\*32\); got 4294967296"),
        ("a.json", {"\ud800": make_state()}, None, ValueError, NO_UTF8),
        ("a.json", make_state(), {"\ud800": 1}, ValueError, NO_UTF8),
        ("a.json", make_state(), {"a": ["x\ud800"]}, ValueError, NO_UTF8),
        ("a.json", make_state(), [1], TypeError, "metadata must be a mapping or None; got list"),
        ("a.json", make_state(), {"t": (1, 2)}, TypeError, r"unchanged; got \{'t': \(1, 2\)\}, which becomes"),
        ("a.json", make_state(), {1: 2}, TypeError, r"unchanged; got \{1: 2\}, which becomes \{'1': 2\}"),
        ("a.json", make_state(), {"deep": [{None: 1}]}, TypeError, "unchanged"),
        ("a.json", make_state(), {"n": float("nan")}, TypeError, "metadata must be plain JSON values; Out of range"),
        ("a.json", make_state(), {"s": {1}}, TypeError, "metadata must be plain JSON values; .*set.* Convert"),
        ("a.json", make_state(), {"a": np.int64(1)}, TypeError, "metadata must be plain JSON values; .*int64"),
        ("a.npy", {"a": [0] * 6, "b": [0] * 6}, None, ValueError, "got 2 states for .*a.npy'. Use a .json path"),
        ("a.npy", make_state(), {}, ValueError, "one state and no metadata; got 1 state and metadata"),
    ],
)
@pytest.mark.parametrize("old", [b"the old file", None], ids=["old", "new"])
def test_what_cannot_be_saved_is_refused_and_nothing_is_changed(tmp_path, name, states, metadata, error, wording, old):
    """checkpoint 1.3 and 4.3"""
    if old is not None:
        (tmp_path / name).write_bytes(old)
    with pytest.raises(error, match=wording):
        save_checkpoint(tmp_path / name, states, metadata)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == ({} if old is None else {name: old})


def test_text_without_utf8_is_refused_before_a_file_is_made(tmp_path):
    """Also before a missing folder is noticed."""
    with pytest.raises(ValueError, match=NO_UTF8):
        save_checkpoint(tmp_path / "missing" / "a.json", make_state(), {"a": "\ud800"})


def test_metadata_too_deep_for_json_is_refused(tmp_path):
    """checkpoint 1.3

    Depths from 1000 down to those that can be saved: the limit depends on the encoder of JSON.
    """
    path, deep, saved = tmp_path / "deep.json", [], 0
    for _ in range(1000):
        deep = [deep]
    while saved < 10:
        try:
            save_checkpoint(path, make_state(), {"deep": deep})
        except TypeError as error:
            assert "metadata must be plain JSON values" in str(error)
            assert list(tmp_path.iterdir()) == []
        else:
            saved += 1
            assert load_checkpoint(path).metadata == {"deep": deep}
            path.unlink()
        deep = deep[0]
