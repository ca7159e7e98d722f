"""Version 2 of checkpoints: Streams, arrays of states and nested mappings. specs/checkpoint.md, 1.5, 1.6 and 2.4."""

import json

import numpy as np
import pytest
from checkpoints import GOLDEN, checksum_by_the_spec
from hypothesis import given, settings, strategies as st
from paths import VECTORS
from strategies import counters, edge_ints, keys, texts

from dmlrand import CheckpointError, Stream, load_checkpoint, make_state, save_checkpoint, split
from dmlrand.cli import main

GOLDEN_2 = VECTORS / "checkpoint_v2.json"

# The content of GOLDEN_2, which every later release must read.
GOLDEN_2_STATES = {
    "state": make_state(counter=324855, key=42).reshape(1, 6),
    "order": Stream(make_state(counter=2**128 - 1, key=2**64 - 1), 3),
    "workers": np.array([[1, 2, 3, 4, 5, 6], [2**32 - 1, 0, 0, 0, 0, 2**31]], np.uint32),
    "none": np.zeros((0, 6), np.uint32),
    "model": {"dropout": {"layer 1": Stream(seed=1), 'ä "': make_state(key=7)}, "empty": {}},
}
GOLDEN_2_METADATA = {"epoch": 3}


def assert_same(got, expected):
    assert type(got) is type(expected)
    if isinstance(expected, dict):
        assert list(got) == list(expected)
        for name in expected:
            assert_same(got[name], expected[name])
    elif isinstance(expected, Stream):
        assert got == expected and got is not expected
    else:
        assert got.dtype == np.uint32 and got.shape == expected.shape and got.tolist() == expected.tolist()
        assert got.flags.writeable


state_words = st.lists(edge_ints(32), min_size=6, max_size=6)
values = (
    st.builds(
        lambda counter, key, lane: Stream(make_state(counter=counter, key=key), lane), counters, keys, st.integers(0, 3)
    )
    | st.lists(state_words, max_size=4).map(lambda rows: np.array(rows, np.uint32).reshape(-1, 6))
    | st.builds(
        lambda words, rank: np.array(words, np.uint32).reshape((1,) * rank + (6,)), state_words, st.integers(0, 7)
    )
)
nested = st.dictionaries(
    texts, st.recursive(values, lambda inner: st.dictionaries(texts, inner, max_size=3), max_leaves=5)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all examples of a property. Each example overwrites the file."""
    return tmp_path_factory.mktemp("checkpoint")


@settings(max_examples=40)
@given(states=nested)
def test_what_is_saved_is_loaded(folder, states):
    """checkpoint 1.5 and 2.4"""
    save_checkpoint(folder / "any.json", states, {"step": 1})
    assert_same(load_checkpoint(folder / "any.json").states, states)
    plain = all(isinstance(value, np.ndarray) and value.size == 6 for value in states.values())
    assert json.loads((folder / "any.json").read_bytes())["version"] == (1 if plain else 2)


@settings(max_examples=30)
@given(value=values)
def test_a_single_value_has_the_name_state(folder, value):
    """checkpoint 1.2 and 1.5"""
    save_checkpoint(folder / "one.json", value)
    assert_same(load_checkpoint(folder / "one.json").states, {"state": value})


def test_the_golden_file_of_version_2_is_read():
    """checkpoint 2.2 and 2.4; promises 4"""
    loaded = load_checkpoint(GOLDEN_2)
    assert_same(loaded.states, GOLDEN_2_STATES)
    assert loaded.metadata == GOLDEN_2_METADATA


def test_the_written_form_is_that_of_the_golden_file(tmp_path):
    """checkpoint 1.5: byte for byte"""
    save_checkpoint(tmp_path / "new.json", GOLDEN_2_STATES, GOLDEN_2_METADATA)
    assert (tmp_path / "new.json").read_bytes() == GOLDEN_2.read_bytes()
    document = json.loads(GOLDEN_2.read_bytes())
    assert document["version"] == 2 and document["checksum"] == checksum_by_the_spec(document)
    assert document["states"]["order"] == {"counter": "0x" + "f" * 32, "key": "0x" + "f" * 16, "lane": 3}
    assert document["states"]["workers"]["counters"][0] == "0x00000004000000030000000200000001"
    assert document["states"]["workers"]["keys"] == ["0x0000000600000005", "0x8000000000000000"]
    assert document["states"]["model"]["states"]["empty"] == {"states": {}}


def test_a_loop_goes_on_from_its_streams(tmp_path):
    """checkpoint 2.4"""
    streams = dict(zip(["data", "dropout"], Stream(seed=7).split(2)))
    streams["data"].normal(3), streams["dropout"].words(5)
    save_checkpoint(tmp_path / "step.json", {"streams": streams})
    loaded = load_checkpoint(tmp_path / "step.json").states["streams"]
    assert {name: loaded[name].words(9).tolist() for name in loaded} == {
        name: streams[name].words(9).tolist() for name in streams
    }


def nested_in(depth, value):
    for _ in range(depth):
        value = {"a": value}
    return value


def test_mappings_are_nested_100_deep_and_no_deeper(tmp_path):
    """checkpoint 1.6"""
    deep = nested_in(101, Stream(seed=1))  # the outermost mapping is `states` itself
    save_checkpoint(tmp_path / "deep.json", deep)
    assert_same(load_checkpoint(tmp_path / "deep.json").states, deep)
    cyclic = {}
    cyclic["a"] = cyclic
    for deeper in ({"a": deep}, cyclic):
        with pytest.raises(ValueError, match="^states must be nested at most 100 deep; got more"):
            save_checkpoint(tmp_path / "deeper.json", deeper)
    document = json.loads((tmp_path / "deep.json").read_bytes())
    document["states"] = {"a": {"states": document["states"]}}
    assert_refused(tmp_path, document, "it is nested more than 100 deep")


def assert_refused(folder, document, wording):
    document["checksum"] = checksum_by_the_spec(document)
    (folder / "forged.json").write_text(json.dumps(document))
    with pytest.raises(CheckpointError, match="does not hold a valid state under 'a'") as caught:
        load_checkpoint(folder / "forged.json")
    assert wording in str(caught.value)


ENTRY = {"counter": "0x" + "0" * 32, "key": "0x" + "0" * 16}
ROWS = {"counters": ["0x" + "0" * 32] * 2, "keys": ["0x" + "0" * 16] * 2}


@pytest.mark.parametrize(
    "entry, wording",
    [
        ({**ENTRY, "lane": 4}, "lane must be in [0, 4); got 4"),
        ({**ENTRY, "lane": True}, "lane must be an integer; got True"),
        ({**ENTRY, "lane": 1.0}, "lane must be an integer; got 1.0"),
        ({**ENTRY, "lane": "0"}, "lane must be an integer; got '0'"),
        ({**ENTRY, "lane": 0, "sizes": [6]}, "it must be written as"),
        ({**ENTRY, "key": "0x0", "lane": 0}, "it must be written as"),
        ({"lane": 0, "counter": ENTRY["counter"]}, "('key')"),
        ({**ROWS, "keys": ROWS["keys"][:1]}, "zip() argument 2 is shorter"),
        ({**ROWS, "more": 1}, "it must be written as"),
        ({"counters": ["0x0"] * 2, "keys": ROWS["keys"]}, "it must be written as"),
        (
            {"counters": ROWS["counters"][:1], "keys": ROWS["keys"][:1]},
            "it must be written as",
        ),  # a state of sizes 1, 6
        ({"counters": ROWS["counters"]}, "('keys')"),
        ({"counters": "", "keys": ""}, "it must be written as"),
        ({"counters": 3, "keys": 3}, "not iterable"),
        ({"states": []}, "('counter')"),
        ({"states": {}, "more": 1}, "('counter')"),
        ({"states": {"b": {**ENTRY, "lane": 5}}}, "under 'a'['b'] (lane must be in [0, 4); got 5"),
        ({}, "('counter')"),
        (None, "NoneType"),
        ("lane", "indices"),
    ],
)
def test_any_other_form_is_refused(tmp_path, entry, wording):
    """checkpoint 2.1 and 2.3"""
    assert_refused(tmp_path, {**json.loads(GOLDEN_2.read_bytes()), "states": {"a": entry}}, wording)


HOLDS = r"must be a state, a Stream, an array of states of shape \(n, 6\), or a mapping of names to these"
STACK = r"For a list of states, pass numpy\.stack\(states\)\. For a list of Streams, pass \{str\(i\): stream for"


@pytest.mark.parametrize(
    "name, states, error, wording",
    [
        ("a.json", {"a": {1: Stream(seed=1)}}, TypeError, r"^states\['a'\] must have names of type str; got 1"),
        ("a.json", {"a": {"b": [0] * 5}}, ValueError, r"^states\['a'\]\['b'\] must hold 6 uint32 words"),
        ("a.json", np.zeros((2, 6)), TypeError, r"^states must hold uint32 words; got float64 of shape \(2, 6\)"),
        ("a.json", np.zeros((2, 1, 6), np.uint32), ValueError, "^states must hold 6 uint32 words"),
        ("a.json", np.zeros((2, 5), np.uint32), ValueError, "^states must hold 6 uint32 words"),
        ("a.json", [[0] * 6, [0] * 6], TypeError, rf"^states {HOLDS}; got a list with \[0, 0, 0, 0, 0, 0\]\. {STACK}"),
        ("a.json", {"a": list(split(make_state(), 2))}, TypeError, rf"^states\['a'\] {HOLDS}; got a list with array\("),
        ("a.json", {"a": Stream(seed=1).split(2)}, TypeError, rf"^states\['a'\] {HOLDS}; got a list with Stream\("),
        ("a.json", (make_state(), Stream(seed=1)), TypeError, rf"^states {HOLDS}; got a tuple with array\("),
        ("a.json", [0.0] * 6, TypeError, rf"^states {HOLDS}; got a list with 0\.0\."),
        ("a.json", None, TypeError, rf"^states {HOLDS}; got None\."),
        (
            "a.json",
            {"epoch": 3},
            TypeError,
            rf"^states\['epoch'\] {HOLDS}; got 3\. .* Other values belong in metadata\.$",
        ),
        (
            "a.npy",
            Stream(seed=1),
            ValueError,
            "holds one state of 6 words; got a Stream for .*a.npy'. Use a .json path",
        ),
        ("a.npy", {"a": {"b": [0] * 6}}, ValueError, "one state of 6 words; got a dict for"),
        ("a.npy", split(make_state(), 2), ValueError, r"one state of 6 words; got an array of shape \(2, 6\) for"),
    ],
)
def test_what_cannot_be_saved_is_refused(tmp_path, name, states, error, wording):
    """checkpoint 1.2 and 3.1"""
    with pytest.raises(error, match=wording):
        save_checkpoint(tmp_path / name, states)
    assert list(tmp_path.iterdir()) == []


def test_the_commands_show_every_state_and_use_only_plain_ones(tmp_path, capsys):
    path = tmp_path / "all.json"
    save_checkpoint(path, GOLDEN_2_STATES)
    assert main(["state", "show", str(path)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line for line in shown if not line.startswith(" ")] == [
        "state", "order", "workers[0]", "workers[1]", "model/dropout/layer 1", 'model/dropout/ä "',
    ]  # fmt: skip
    assert shown[5:10] == [
        "order",
        "  counter  0x" + "f" * 32,
        "  key      0x" + "f" * 16,
        "  words    " + " ".join(["4294967295"] * 6),
        "  lane     3",
    ]
    before = path.read_bytes()
    for command in (["state", "advance", str(path), "1"], ["state", "distance", str(path), str(path)]):
        assert main(command) == 2
        error = capsys.readouterr().err
        assert "must hold only states; 'order' is a Stream. Save the state alone, with save_checkpoint." in error
    assert path.read_bytes() == before


def test_version_1_is_still_written_for_states_alone(tmp_path):
    """checkpoint 1.5"""
    save_checkpoint(tmp_path / "rng.json", load_checkpoint(GOLDEN).states, load_checkpoint(GOLDEN).metadata)
    assert (tmp_path / "rng.json").read_bytes() == GOLDEN.read_bytes()
