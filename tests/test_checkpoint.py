"""Checkpoints: what is saved comes back, and everything else is refused with a reason. specs/checkpoint.md"""

import hashlib
import io
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dmlrand import Checkpoint, CheckpointError, counter_of, key_of, load_checkpoint, make_state, save_checkpoint

GOLDEN = Path(__file__).parent / "vectors" / "checkpoint_v1.json"
# What GOLDEN holds. It was written by the first release and must stay readable by every later one.
GOLDEN_STATES = {
    "dropout": make_state(324855, key=42),
    'schüttel "鴨"\n': make_state(2**128 - 1, key=2**64 - 1).reshape(1, 1, 1, 6),
    "": make_state(0x0123456789ABCDEF_FEDCBA9876543210, key=0x0123456789ABCDEF).reshape(1, 6),
}
GOLDEN_METADATA = {"epoch": 3, "lr": 0.1, "tags": ["ä", None, True], "nested": {"a": {"b": []}}}

PASS_A_STATE = "Pass a state: uint32 of sizes {1, .., 1, 6}, as save_checkpoint and `dmlrand state new` write it."

# Names that a file can hold: any text that UTF-8 can. Lone surrogates are no text.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def state_tensors(draw):
    edges = st.sampled_from([0, 1, 2**32 - 1, 2**32, 2**64 - 1])
    counter = draw(edges | st.just(2**128 - 1) | st.integers(0, 2**128 - 1))
    key = draw(edges | st.integers(0, 2**64 - 1))
    return make_state(counter, key).reshape((1,) * draw(st.integers(0, 7)) + (6,))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all examples of a property; each overwrites the file of the last."""
    return tmp_path_factory.mktemp("checkpoint")


def assert_same_states(got, expected):
    assert got.keys() == expected.keys()
    for name, state in expected.items():
        assert got[name].dtype == np.uint32
        assert got[name].shape == state.shape
        assert got[name].tolist() == state.tolist()


def checksum_by_the_spec(document):
    """checkpoint 1.4, written a second time."""
    members = {name: value for name, value in document.items() if name != "checksum"}
    text = json.dumps(members, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()


def forged(**changes):
    """A document that is not what save_checkpoint writes, but whose checksum is right."""
    document = {**json.loads(GOLDEN.read_bytes()), **changes}
    return json.dumps({**document, "checksum": checksum_by_the_spec(document)}).encode()


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def npy_with_header(header, data=bytes(24)):
    """A .npy file of version 1.0 with any text where its header should be."""
    text = header.encode("latin1")
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


def refusal(path, data):
    """The message with which loading `data` is refused, whole but for its beginning, the path."""
    path.write_bytes(data)
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(path)
    assert isinstance(caught.value, ValueError)
    start = f"{str(path)!r} "
    assert str(caught.value).startswith(start)
    return str(caught.value)[len(start) :]


# Round trips


@pytest.mark.parametrize("suffix", [".json", ".npy", ""])
@pytest.mark.parametrize("rank", range(1, 9))
def test_one_state_of_every_rank_comes_back(tmp_path, rank, suffix):
    """checkpoint 1.2"""
    state = make_state(2**96 + 5, key=2**63 + 7).reshape((1,) * (rank - 1) + (6,))
    save_checkpoint(tmp_path / f"rng{suffix}", state)
    loaded = load_checkpoint(str(tmp_path / f"rng{suffix}"))  # a path may be a str as well
    assert isinstance(loaded, Checkpoint)
    assert loaded.metadata is None
    assert_same_states(loaded.states, {"state": state})


@settings(max_examples=60)
@given(st.dictionaries(texts, state_tensors(), max_size=4), st.none() | st.dictionaries(texts, json_values))
@example(states={'"': make_state(1), "\\": make_state(2), "\x00": make_state(3)}, metadata={"\u2028": "\x7f"})
@example(states={"state": make_state(1), "checksum": make_state(2)}, metadata={"big": 2**200, "-0.0": -0.0})
def test_any_names_states_and_metadata_come_back(folder, states, metadata):
    """checkpoint 1.2 and 1.3"""
    save_checkpoint(folder / "any.json", states, metadata)
    loaded = load_checkpoint(folder / "any.json")
    assert_same_states(loaded.states, states)
    assert repr(loaded.metadata) == repr(metadata)  # repr tells 1 from 1.0 and True, which == does not


@settings(max_examples=30)
@given(state=state_tensors())
def test_npy_is_the_bare_tensor(folder, state):
    """checkpoint 3.1"""
    save_checkpoint(folder / "any.npy", state)
    read = np.load(folder / "any.npy", allow_pickle=False)
    assert read.dtype == np.uint32
    assert read.shape == state.shape
    assert read.tolist() == state.tolist()
    assert_same_states(load_checkpoint(folder / "any.npy").states, {"state": state})


def test_a_state_that_another_program_wrote_as_npy_is_read(tmp_path):
    """checkpoint 3.1"""
    np.save(tmp_path / "other.npy", np.asfortranarray(np.array([[[9, 8, 7, 6, 5, 4]]], np.uint32)))
    states, _ = load_checkpoint(tmp_path / "other.npy")
    assert counter_of(states["state"]) == 9 + (8 << 32) + (7 << 64) + (6 << 96)
    assert key_of(states["state"]) == 5 + (4 << 32)


def test_saving_modifies_no_argument_and_loading_aliases_nothing(tmp_path):
    """state 1.3"""
    states, metadata = {"a": [7, 0, 0, 0, 0, 0]}, {"list": [1]}
    save_checkpoint(tmp_path / "rng.json", states, metadata)
    first, second = load_checkpoint(tmp_path / "rng.json"), load_checkpoint(tmp_path / "rng.json")
    first.states["a"][0] = 99  # a loaded state is the caller's own: writable and fresh
    assert second.states["a"].tolist() == states["a"] == [7, 0, 0, 0, 0, 0]
    assert metadata == {"list": [1]}


# The file's form


def test_the_golden_file_of_version_1_is_read():
    """checkpoint 2.2"""
    loaded = load_checkpoint(GOLDEN)
    assert_same_states(loaded.states, GOLDEN_STATES)
    assert loaded.metadata == GOLDEN_METADATA


def test_the_written_form_is_that_of_the_golden_file(tmp_path):
    """checkpoint 1.1 to 1.4: byte for byte, so that any change of form is seen and gets a version of its own."""
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
    """checkpoint 1.4: an editor that reindents, or writes its own line ends, breaks nothing."""
    (tmp_path / "rng.json").write_bytes(reformat(json.loads(GOLDEN.read_bytes())).encode())
    assert load_checkpoint(tmp_path / "rng.json").metadata == GOLDEN_METADATA
    assert_same_states(load_checkpoint(tmp_path / "rng.json").states, GOLDEN_STATES)


# Refused when loading (checkpoint 2.1)


def leaves(value, path=()):
    """The path of every value in a document that has no members of its own."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    below = [leaf for name, member in members for leaf in leaves(member, (*path, name))]
    return below or [path]


GOLDEN_LEAVES = leaves(json.loads(GOLDEN.read_bytes()))
assert len(GOLDEN_LEAVES) == 23  # so that no error in leaves leaves a field untested
DAMAGED = "does not match its checksum. It was changed or damaged: restore a copy."
OWN_WORDING = {"format": 'has no "format"', "version": "has version", "algorithm": "has algorithm"}


@pytest.mark.parametrize("leaf", GOLDEN_LEAVES, ids=lambda leaf: "/".join(map(str, leaf)))
def test_a_change_of_any_one_field_is_refused(tmp_path, leaf):
    """checkpoint 1.4 and 2.1"""
    document = json.loads(GOLDEN.read_bytes())
    holder = document
    for name in leaf[:-1]:
        holder = holder[name]
    old = holder[leaf[-1]]
    # The least change of its kind: the last character of a text, one up for a number.
    if isinstance(old, str):
        holder[leaf[-1]] = old[:-1] + ("1" if old[-1:] == "0" else "0")
    else:
        holder[leaf[-1]] = "x" if isinstance(old, (list, type(None))) else not old if old is True else old + 1
    message = refusal(tmp_path / "changed.json", json.dumps(document).encode())
    assert OWN_WORDING.get(leaf[0], DAMAGED) in message


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.pop("checksum"),
        lambda document: document.update(extra=1),
        lambda document: document["states"].pop("dropout"),
        lambda document: document["states"].update(more=document["states"]["dropout"]),
        lambda document: document["states"].update({"": document["states"]["dropout"]}),
        lambda document: document["states"]["dropout"].pop("sizes"),
    ],
)
def test_a_member_more_or_less_is_refused(tmp_path, change):
    """checkpoint 2.1"""
    document = json.loads(GOLDEN.read_bytes())
    change(document)
    message = refusal(tmp_path / "changed.json", json.dumps(document).encode())
    assert message == DAMAGED


STATE_ENTRY = {"counter": "0x" + "0" * 32, "key": "0x" + "0" * 16, "sizes": [6]}
NOT_A_STATE = "holds no valid state under 'a' ("


@pytest.mark.parametrize(
    ("changes", "problem", "remedy"),
    [
        ({"format": "other"}, 'has no "format": "dmlrand checkpoint"', "It is another kind of file."),
        ({"version": 2}, "has version 2, not 1", "Update dmlrand to read it."),
        ({"algorithm": "PHILOX"}, "has algorithm 'PHILOX', not 'PHILOX_4X32_10'", "Load it with what wrote it."),
        ({"states": [1]}, 'has no "states"', "Restore a copy."),
        # Four words: what a counter without its key would be.
        ({"states": {"a": {"counter": "0x" + "0" * 32, "sizes": [4]}}}, NOT_A_STATE + "'key')", "Restore a copy."),
        ({"states": {"a": {**STATE_ENTRY, "sizes": [4]}}}, NOT_A_STATE + "cannot reshape", "Restore a copy."),
        ({"states": {"a": {**STATE_ENTRY, "sizes": [6, 1]}}}, "sizes {1, .., 1, 6}", "Restore a copy."),
        ({"states": {"a": {**STATE_ENTRY, "sizes": [1] * 8 + [6]}}}, "rank 1 to 8", "Restore a copy."),
        ({"states": {"a": {**STATE_ENTRY, "counter": "0x0"}}}, "32 hex digits and a key 16", "Restore a copy."),
        ({"states": {"a": {**STATE_ENTRY, "key": "0x" + "g" * 16}}}, "invalid literal", "Restore a copy."),
        ({"states": {"a": [0, 0, 0, 0, 0, 0]}}, NOT_A_STATE, "Restore a copy."),
    ],
)
def test_a_right_checksum_does_not_make_a_checkpoint(tmp_path, changes, problem, remedy):
    """checkpoint 2.1"""
    message = refusal(tmp_path / "forged.json", forged(**changes))
    assert problem in message
    assert message.endswith(remedy)


def test_a_file_truncated_at_any_byte_is_refused(tmp_path):
    """checkpoint 2.1"""
    whole = GOLDEN.read_bytes()
    assert whole.endswith(b"}\n")
    for length in range(len(whole) - 1):  # the last byte is a line end, without which nothing is missing
        message = refusal(tmp_path / "cut.json", whole[:length])
        assert message.startswith("is not whole JSON (")
        assert message.endswith("). It was truncated or is another file.")


def test_a_npy_truncated_at_any_byte_is_refused(tmp_path):
    """checkpoint 2.1 and 3.1"""
    whole = npy(make_state(1, 2))
    for length in range(len(whole)):
        message = refusal(tmp_path / "cut.npy", whole[:length])
        assert message.startswith("holds no state (")
        assert message.endswith(PASS_A_STATE)


@pytest.mark.parametrize(
    ("data", "wording"),
    [
        (b"", "is not whole JSON"),
        (b"\x00\xff\xfe\x80", "is not whole JSON"),
        (npy(make_state()), "is not whole JSON"),  # a .npy under a .json name
        (b"[" * 100_000, "is not whole JSON"),  # deeper than a parser can go
        (b"null", 'has no "format"'),
        (b"{}", 'has no "format"'),
        (GOLDEN.read_bytes().replace(b"0.1", b"NaN"), ""),  # json.loads reads NaN, although JSON has none
    ],
    ids=["empty", "binary", "npy", "deep", "null", "object", "NaN"],
)
def test_a_file_that_is_no_checkpoint_is_refused(tmp_path, data, wording):
    """checkpoint 2.1"""
    assert wording in refusal(tmp_path / "other.json", data)


def test_a_file_of_values_is_told_from_a_state(tmp_path):
    """checkpoint 2.1: whatever its size, which may be far beyond what is read of it."""
    for values, held in [(np.zeros((4, 5), np.float32), "float32 of shape (4, 5)"),
                         (np.zeros((200, 500), np.uint32), "uint32 of shape (200, 500)")]:  # fmt: skip
        assert refusal(tmp_path / "v.npy", npy(values)) == f"holds {held}, and no state. {PASS_A_STATE}"


@pytest.mark.parametrize(
    ("data", "wording"),
    [
        (b"", "No data left"),
        (b"hello", "holds no state"),
        (pickle.dumps([1, 2]), "pickle"),
        (npy(np.array([{}] * 6), allow_pickle=True), "allow_pickle=False"),
        (npy(np.zeros(4, np.uint32)), "Append the key: numpy.append(counter, key)."),
        (npy(np.zeros((6, 1), np.uint32)), "got uint32 of shape (6, 1)"),
        (npy(np.zeros((1,) * 8 + (6,), np.uint32)), "rank 1 to 8"),
        (npy(np.zeros(6, np.int64)), "must hold uint32 words; got int64"),
        (npy(np.zeros(6, ">u4")), "must hold uint32 words; got >u4"),
        (b"PK\x03\x04 no archive", "holds no state"),  # numpy takes it for a .npz
        (npy(make_state()) + b"\n", "holds no state"),  # a byte too many, as when the header's length was damaged
        (npy_with_header("(((("), "holds no state"),
        (npy_with_header("  x\n y"), "holds no state"),
        (npy_with_header("{'descr': '<u4', 'fortran_order': False, 'shape': (%d,)}" % 10**30), "holds no state"),
        (npy_with_header("{'descr': '<u4', 'fortran_order': False, 'shape': (%d,)}" % 2**44), "holds no state"),
    ],
    ids="empty text pickle objects 4words 6x1 rank9 int64 >u4 zip longer open indent 10**30 64TiB".split(),
)
def test_a_npy_that_is_no_state_is_refused(tmp_path, data, wording):
    """checkpoint 2.1 and 3.1"""
    message = refusal(tmp_path / "other.npy", data)
    assert wording in message
    assert message.endswith(PASS_A_STATE)


@settings(max_examples=150)
@given(data=st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()))
def test_no_bytes_do_worse_than_a_checkpoint_error(folder, data):
    """checkpoint 2.1"""
    assert refusal(folder / "fuzz.json", data)
    for start in (b"", b"\x93NUMPY", b"\x93NUMPY\x01\x00", b"PK\x03\x04"):  # past what a reader looks at first
        assert refusal(folder / "fuzz.npy", start + data)


@pytest.mark.filterwarnings("ignore:Data type alias")  # numpy's, about some of the dtypes that damage makes
@settings(max_examples=150)
@given(position=st.integers(0, 127), byte=st.integers(0, 255))
@example(position=8, byte=117)  # the header's length, one less: every word would shift
def test_a_damaged_npy_header_is_refused_or_harmless(folder, position, byte):
    """checkpoint 2.1 and 3.1"""
    data = bytearray(npy(make_state(1, 2)))  # 128 bytes of header and 24 of words
    data[position] = byte
    (folder / "damaged.npy").write_bytes(data)
    try:
        states, _ = load_checkpoint(folder / "damaged.npy")
    except CheckpointError as error:
        assert "holds no state" in str(error)
    else:  # a blank for another blank, say; there is no checksum in a .npy
        assert states["state"].tolist() == [1, 0, 0, 0, 2, 0]


@pytest.mark.parametrize("name", ["missing.json", "missing.npy"])
def test_a_missing_file_is_an_os_error(tmp_path, name):
    with pytest.raises(FileNotFoundError):
        load_checkpoint(tmp_path / name)


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
def test_what_cannot_be_saved_is_refused_and_nothing_is_touched(tmp_path, name, states, metadata, error, wording, old):
    """checkpoint 1.3 and 4.3"""
    if old is not None:
        (tmp_path / name).write_bytes(old)
    with pytest.raises(error, match=wording):
        save_checkpoint(tmp_path / name, states, metadata)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == ({} if old is None else {name: old})


def test_text_without_utf8_is_refused_before_a_file_is_made(tmp_path):
    """Not even a missing folder is noticed before."""
    with pytest.raises(ValueError, match=NO_UTF8):
        save_checkpoint(tmp_path / "missing" / "a.json", make_state(), {"a": "\ud800"})


def test_metadata_too_deep_for_json_is_refused(tmp_path):
    """checkpoint 1.3

    One depth after another, down to where files are written: what one encoder of JSON manages, another may not.
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
