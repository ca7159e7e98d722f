"""Checkpoints: what is saved is loaded, in a stable form. specs/checkpoint.md, sections 1 to 3"""

import json
import re

import numpy as np
import pytest
from checkpoints import GOLDEN, checksum_by_the_spec
from hypothesis import example, given, settings, strategies as st
from paths import VECTORS
from strategies import counters, edge_ints, json_values, keys, texts

from dmlrand import Checkpoint, PhiloxBitGenerator, Stream, load_checkpoint, make_state, save_checkpoint, split

GOLDEN_2 = VECTORS / "checkpoint_v2.json"

# The contents of GOLDEN and GOLDEN_2. Earlier versions wrote these files, and every later one must read them.
GOLDEN_STATES = {
    "dropout": make_state(counter=324855, key=42),
    'schüttel "鴨"\n': make_state(counter=2**128 - 1, key=2**64 - 1).reshape(1, 1, 1, 6),
    "": make_state(counter=0x0123456789ABCDEF_FEDCBA9876543210, key=0x0123456789ABCDEF).reshape(1, 6),
}
GOLDEN_METADATA = {"epoch": 3, "lr": 0.1, "tags": ["ä", None, True], "nested": {"a": {"b": []}}}
GOLDEN_2_STATES = {
    "state": make_state(counter=324855, key=42).reshape(1, 6),
    "order": Stream(make_state(counter=2**128 - 1, key=2**64 - 1), 3),
    "workers": np.array([[1, 2, 3, 4, 5, 6], [2**32 - 1, 0, 0, 0, 0, 2**31]], np.uint32),
    "none": np.zeros((0, 6), np.uint32),
    "model": {"dropout": {"layer 1": Stream(seed=1), 'ä "': make_state(key=7)}, "empty": {}},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all examples of a property. Each example overwrites the file."""
    return tmp_path_factory.mktemp("checkpoint")


def assert_same(got, expected):
    assert type(got) is type(expected)
    if isinstance(expected, dict):
        assert list(got) == list(expected)
        for name in expected:
            assert_same(got[name], expected[name])
    elif isinstance(expected, Stream | PhiloxBitGenerator):
        assert repr(got) == repr(expected) and got is not expected
    else:
        assert got.dtype == np.uint32 and got.shape == expected.shape and got.tolist() == expected.tolist()
        assert got.flags.writeable


positions = st.tuples(
    st.builds(lambda counter, key: make_state(counter=counter, key=key), counters, keys), st.integers(0, 3)
)
state_words = st.lists(edge_ints(32), min_size=6, max_size=6)
tensors = st.builds(
    lambda words, rank: np.array(words, np.uint32).reshape((1,) * rank + (6,)), state_words, st.integers(0, 7)
)
values = (
    tensors
    | positions.map(lambda position: Stream(*position))
    | positions.map(lambda position: PhiloxBitGenerator(*position))
    | st.lists(state_words, max_size=4).map(lambda rows: np.array(rows, np.uint32).reshape(-1, 6))
)
nested = st.dictionaries(
    texts, st.recursive(values, lambda inner: st.dictionaries(texts, inner, max_size=3), max_leaves=5)
)


def version_of(states):
    """The version that 1.5 requires."""
    text = repr(states)
    plain = all(isinstance(value, np.ndarray) and value.size == 6 for value in states.values())
    return 3 if "PhiloxBitGenerator(" in text else 1 if plain else 2


@settings(max_examples=20)
@given(states=nested, metadata=st.none() | st.dictionaries(texts, json_values))
@example(
    states={"state": make_state(key=1), "checksum": make_state(key=2)},
    metadata={"big": 2**200, "-0.0": -0.0, "\u2028": ""},
)
def test_what_is_saved_is_loaded(folder, states, metadata):
    """checkpoint 1.2, 1.3, 1.5 and 2.4"""
    save_checkpoint(folder / "any.json", states, metadata)
    loaded = load_checkpoint(folder / "any.json")
    assert_same(loaded.states, states)
    assert repr(loaded.metadata) == repr(metadata)  # repr distinguishes 1, 1.0 and True, and == does not
    document = json.loads((folder / "any.json").read_bytes())
    assert document["version"] == version_of(states) and document["checksum"] == checksum_by_the_spec(document)


@settings(max_examples=20)
@given(state=tensors)
def test_one_state_comes_back_from_every_kind_of_file(folder, state):
    """checkpoint 1.2, 3.1 and 3.2: the .npy file is the same on every machine."""
    for name in ("rng.json", "rng.npy", "rng"):
        save_checkpoint(folder / name, state)
        loaded = load_checkpoint(str(folder / name))
        assert isinstance(loaded, Checkpoint) and loaded.metadata is None
        assert_same(loaded.states, {"state": state})
    read = np.load(folder / "rng.npy", allow_pickle=False)
    assert read.shape == state.shape and read.tolist() == state.tolist()
    assert b"'descr': '<u4'" in (folder / "rng.npy").read_bytes()


@pytest.mark.parametrize("dtype", ["<u4", ">u4"])
def test_a_state_that_another_program_wrote_as_npy_is_read(tmp_path, dtype):
    """checkpoint 3.2"""
    np.save(tmp_path / "other.npy", np.asfortranarray(np.array([[9, 8, 7, 6, 5, 4]], dtype)))
    (state,) = load_checkpoint(tmp_path / "other.npy").states.values()
    assert state.dtype == np.uint32 and state.tolist() == [[9, 8, 7, 6, 5, 4]]


def test_a_generator_is_saved_as_its_bit_generator(tmp_path):
    """checkpoint 2.4: its children after a load are others."""
    rng = np.random.Generator(PhiloxBitGenerator(np.random.SeedSequence(7)))
    rng.bit_generator.random_raw()
    save_checkpoint(tmp_path / "step.json", rng)
    again = np.random.Generator(load_checkpoint(tmp_path / "step.json").states["state"])
    assert again.normal(size=9).tolist() == rng.normal(size=9).tolist()
    assert repr(again.bit_generator.spawn(1)) != repr(rng.bit_generator.spawn(1))


# The file's form


@pytest.mark.parametrize(
    ("path", "states", "metadata"),
    [(GOLDEN, GOLDEN_STATES, GOLDEN_METADATA), (GOLDEN_2, GOLDEN_2_STATES, {"epoch": 3})],
    ids=["version 1", "version 2"],
)
def test_the_files_of_earlier_versions_are_read_and_written(tmp_path, path, states, metadata):
    """checkpoint 1.1 to 1.5 and 2.2; promises 4: byte for byte, so that a change of the form is noticed."""
    loaded = load_checkpoint(path)
    assert_same(loaded.states, states)
    assert loaded.metadata == metadata
    save_checkpoint(tmp_path / "new.json", states, metadata)
    assert (tmp_path / "new.json").read_bytes() == path.read_bytes()
    document = json.loads(path.read_bytes())
    assert list(document) == ["format", "version", "algorithm", "states", "metadata", "checksum"]
    assert document["checksum"] == checksum_by_the_spec(document)


def test_the_form_of_a_bit_generator(tmp_path):
    """checkpoint 1.5"""
    save_checkpoint(tmp_path / "s.json", PhiloxBitGenerator(make_state(counter=10, key=42), 3))
    document = json.loads((tmp_path / "s.json").read_bytes())
    entry = {"counter": "0x" + "0" * 31 + "a", "key": "0x" + "0" * 14 + "2a", "lane": 3}
    assert document["version"] == 3
    assert document["states"] == {"state": {**entry, "bit_generator": "PhiloxBitGenerator"}}


@pytest.mark.parametrize(
    "reformat",
    [
        lambda document: json.dumps(document, indent=8, sort_keys=True),
        lambda document: json.dumps(dict(reversed(document.items())), ensure_ascii=False),
        lambda document: "\r\n\t" + json.dumps(document, indent=1).replace("\n", "\r\n") + "\r\n\r\n",
    ],
)
def test_a_reformatted_file_still_loads(tmp_path, reformat):
    """checkpoint 1.4 and 2.3: an editor may change indentation and line ends."""
    (tmp_path / "rng.json").write_bytes(reformat(json.loads(GOLDEN.read_bytes())).encode())
    loaded = load_checkpoint(tmp_path / "rng.json").states
    assert_same({name: loaded[name] for name in GOLDEN_STATES}, GOLDEN_STATES)


# Refused when saving

NO_UTF8 = "'utf-8' codec can't encode character '\\ud800'"
HOLDS = "must be a state, a Stream, a PhiloxBitGenerator, an array of states, or a mapping of names to"
STACK = "For a list of states, pass numpy.stack(states). Other values belong in metadata."
NOT_JSON = "metadata must be a mapping of plain JSON values; "
ONE_STATE = "a .npy file holds one state and no metadata; got more for '"


@pytest.mark.parametrize(
    ("name", "states", "metadata", "error", "message"),
    [
        ("a.json", {1: make_state()}, None, TypeError, "states must have names of type str; got 1. Use str."),
        ("a.json", {"a": {1: [0] * 6}}, None, TypeError, "states['a'] must have names of type str; got 1."),
        ("a.json", {"a": np.zeros(6)}, None, TypeError, "states['a'] must hold uint32 words; got float64"),
        ("a.json", [[0] * 6, [0] * 6], None, TypeError, f"states['state'] {HOLDS} these; got list."),
        ("a.json", {"a": [*split(make_state(), 2)]}, None, TypeError, STACK),
        ("a.json", {"a": np.random.default_rng()}, None, TypeError, f"states['a'] {HOLDS} these; got "),
        ("a.json", {"\ud800": make_state()}, None, ValueError, NO_UTF8),
        ("a.json", make_state(), {"a": ["x\ud800"]}, ValueError, NO_UTF8),
        ("a.json", make_state(), [1], TypeError, NOT_JSON),
        ("a.json", make_state(), {"t": (1, 2)}, TypeError, "got {'t': (1, 2)}, which becomes {'t': [1, 2]}."),
        ("a.json", make_state(), {"n": float("nan")}, TypeError, NOT_JSON + "Out of range"),
        ("a.npy", {"a": [0] * 6, "b": [0] * 6}, None, ValueError, ONE_STATE),
        ("a.npy", make_state(), {}, ValueError, ONE_STATE),
        ("a.npy", Stream(seed=1), None, ValueError, ONE_STATE),
    ],
)  # fmt: skip
def test_what_cannot_be_saved_is_refused_and_nothing_is_changed(tmp_path, name, states, metadata, error, message):
    """checkpoint 1.2, 1.3 and 3.1"""
    (tmp_path / name).write_bytes(b"the old file")
    with pytest.raises(error, match=re.escape(message)):
        save_checkpoint(tmp_path / name, states, metadata)
    assert (tmp_path / name).read_bytes() == b"the old file" and len([*tmp_path.iterdir()]) == 1
