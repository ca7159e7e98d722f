"""Files that are not checkpoints, and damaged ones, are refused with the reason. specs/checkpoint.md, section 2"""

import io
import json
import pickle
import re

import numpy as np
import pytest
from checkpoints import GOLDEN, checksum_by_the_spec
from hypothesis import example, given, settings, strategies as st
from strategies import json_values

import dmlrand.checkpoint
from dmlrand import CheckpointError, load_checkpoint, make_state, save_checkpoint
from dmlrand.cli import main
from dmlrand.files.names import quoted

PASS_A_STATE = "Pass a state: uint32 of sizes {1, .., 1, 6}, as save_checkpoint and `dmlrand state new` write it."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all examples of a property. Each example overwrites the file."""
    return tmp_path_factory.mktemp("checkpoint")


def forged(**changes):
    """JSON that save_checkpoint does not write, with a right checksum."""
    document = {**json.loads(GOLDEN.read_bytes()), **changes}
    return json.dumps({**document, "checksum": checksum_by_the_spec(document)}).encode()


SWAPPED = np.dtype(np.uint32).newbyteorder()


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def npy_with_header(header, data=bytes(24)):
    """A .npy file of version 1.0 with any text as its header."""
    text = header.encode("latin1")
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


def refusal(path, data):
    """The message that refuses `data`, without the path at its beginning."""
    path.write_bytes(data)
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(path)
    assert isinstance(caught.value, ValueError)
    start = f"{quoted(path)} "
    assert str(caught.value).startswith(start)
    return str(caught.value)[len(start) :]


def leaves(value, path=()):
    """The path of every value in a document that has no members."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    below = [leaf for name, member in members for leaf in leaves(member, (*path, name))]
    return below or [path]


GOLDEN_LEAVES = leaves(json.loads(GOLDEN.read_bytes()))
assert len(GOLDEN_LEAVES) == 23  # so that an error in leaves() does not leave a field untested
DAMAGED = "does not match its checksum. It was changed or damaged. Restore a copy."
TOO_DEEP = "is nested too deeply to be read. Save it with metadata that is nested less."
OWN_WORDING = {"format": 'has no "format"', "algorithm": "has algorithm"}


@pytest.mark.parametrize("leaf", GOLDEN_LEAVES, ids=lambda leaf: "/".join(map(str, leaf)))
def test_a_change_of_any_one_field_is_refused(tmp_path, leaf):
    """checkpoint 1.4 and 2.1"""
    document = json.loads(GOLDEN.read_bytes())
    holder = document
    for name in leaf[:-1]:
        holder = holder[name]
    old = holder[leaf[-1]]
    # The smallest change: the last character of a text, plus one for a number.
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
NOT_A_STATE = "does not hold a valid state under 'a' ("
MEMBERS = 'must have the members "states" and "metadata", an object or null, and no other.'


@pytest.mark.parametrize(
    ("changes", "problem", "remedy"),
    [
        ({"format": "other"}, 'has no "format": "dmlrand checkpoint"', "It is another kind of file."),
        ({"version": 3}, "has version 3, not 1 or 2.", "Update dmlrand to read it."),
        ({"version": True}, "has version True, not 1", "Update dmlrand to read it."),
        ({"version": 1.0}, "has version 1.0, not 1", "Update dmlrand to read it."),
        (
            {"algorithm": "PHILOX"},
            "has algorithm 'PHILOX', not 'PHILOX_4X32_10'",
            "Load it with the program that wrote it.",
        ),
        ({"states": [1]}, 'has no "states"', "Restore a copy."),
        # Four words: a counter without its key.
        ({"states": {"a": {"counter": "0x" + "0" * 32, "sizes": [4]}}}, NOT_A_STATE + "'key')", "Restore a copy."),
        ({"states": {"a": {**STATE_ENTRY, "sizes": [4]}}}, NOT_A_STATE + "cannot reshape", "Restore a copy."),
        ({"states": {"a": {**STATE_ENTRY, "sizes": [6, 1]}}}, "sizes {1, .., 1, 6}", "Restore a copy."),
        ({"states": {"a": {**STATE_ENTRY, "sizes": [1] * 8 + [6]}}}, "rank 1 to 8", "Restore a copy."),
        ({"states": {"a": {**STATE_ENTRY, "counter": "0x0"}}}, "it must be written as {'counter'", "Restore a copy."),
        ({"states": {"a": {**STATE_ENTRY, "key": "0x" + "g" * 16}}}, "invalid literal", "Restore a copy."),
        ({"states": {"a": {**STATE_ENTRY, "sizes": [10**30]}}}, NOT_A_STATE, "Restore a copy."),
        ({"states": {"a": [0, 0, 0, 0, 0, 0]}}, NOT_A_STATE, "Restore a copy."),
        ({"version": True}, "has version True, not 1", "Update dmlrand to read it."),
        ({"version": 1.0}, "has version 1.0, not 1", "Update dmlrand to read it."),
        ({"metadata": [1]}, MEMBERS, "Restore a copy."),
        ({"metadata": 0}, MEMBERS, "Restore a copy."),
        ({"more": 1}, MEMBERS, "Restore a copy."),
        ({"metadata": {"a": float("nan")}}, "is not complete JSON (NaN is not JSON)", "or is another file."),
        ({"metadata": {"a": -float("inf")}}, "is not complete JSON (-Infinity is not JSON)", "or is another file."),
    ],
)
def test_a_right_checksum_does_not_make_a_checkpoint(tmp_path, changes, problem, remedy):
    """checkpoint 2.1"""
    message = refusal(tmp_path / "forged.json", forged(**changes))
    assert problem in message
    assert message.endswith(remedy)


FULL_WIDTH = str.maketrans("0123456789", "\uff10\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19")
WRITTEN = {"counter": "0x" + "0" * 30 + "2a", "key": "0x" + "0" * 14 + "0f", "sizes": [1, 6]}
OTHER_FORMS = [
    {"sizes": [-1]},
    {"sizes": [1, -1]},
    {"sizes": None},
    {"sizes": 6},
    {"sizes": [True, 6]},
    {"sizes": [1, 6.0]},
    {"sizes": []},
    {"counter": WRITTEN["counter"].replace("0x", "0X")},
    {"counter": WRITTEN["counter"].replace("2a", "2A")},
    {"counter": WRITTEN["counter"].replace("0x", "  ")},
    {"counter": WRITTEN["counter"].replace("0x0", " 0x")},
    {"counter": WRITTEN["counter"].replace("0x00", "0x_0")},
    {"counter": WRITTEN["counter"].replace("0x", "+0x")},
    {"counter": WRITTEN["counter"].translate(FULL_WIDTH)},
    {"counter": 42},
    {"key": WRITTEN["key"].replace("0x", "0X")},
    {"key": WRITTEN["key"].translate(FULL_WIDTH)},
    {"key": WRITTEN["key"].replace("f", "F")},
    {"more": 1},
    {"more": None},
]


@pytest.mark.parametrize("change", OTHER_FORMS, ids=[ascii(change) for change in OTHER_FORMS])
def test_only_the_form_that_is_written_is_read(tmp_path, change):
    """checkpoint 1.2 and 2.3: with a right checksum, too."""
    path = tmp_path / "forged.json"
    path.write_bytes(forged(states={"a": dict(reversed(WRITTEN.items()))}))  # the order of members does not matter
    assert load_checkpoint(path).states["a"].tolist() == [[42, 0, 0, 0, 15, 0]]
    message = refusal(path, forged(states={"a": {**WRITTEN, **change}}))
    assert message.startswith(NOT_A_STATE) and message.endswith("Restore a copy.")


def test_a_checkpoint_without_a_member_is_refused(tmp_path):
    """checkpoint 1.1"""
    document = json.loads(GOLDEN.read_bytes())
    del document["metadata"]
    document["checksum"] = checksum_by_the_spec(document)
    assert refusal(tmp_path / "forged.json", json.dumps(document).encode()) == f"{MEMBERS} Restore a copy."


def test_a_file_truncated_at_any_byte_is_refused(tmp_path):
    """checkpoint 2.1"""
    complete = GOLDEN.read_bytes()
    assert complete.endswith(b"}\n")
    for length in range(len(complete) - 1):  # the last byte is a line end, without which nothing is missing
        message = refusal(tmp_path / "cut.json", complete[:length])
        assert message.startswith("is not complete JSON (")
        assert message.endswith("). It was truncated or is another file.")


def test_a_npy_truncated_at_any_byte_is_refused(tmp_path):
    """checkpoint 2.1 and 3.1"""
    complete = npy(make_state(counter=1, key=2))
    for length in range(len(complete)):
        message = refusal(tmp_path / "cut.npy", complete[:length])
        assert message.startswith("does not hold a state (")
        assert message.endswith(PASS_A_STATE)


@pytest.mark.parametrize(
    ("data", "wording"),
    [
        (b"", "is not complete JSON"),
        (b"\x00\xff\xfe\x80", "is not complete JSON"),
        (npy(make_state()), "is not complete JSON"),  # a .npy under a .json name
        (b"[" * 100_000, TOO_DEEP),
        (b"null", 'has no "format"'),
        (b"{}", 'has no "format"'),
        (GOLDEN.read_bytes().replace(b"0.1", b"NaN"), ""),  # json.loads reads NaN, although JSON has none
    ],
    ids=["empty", "binary", "npy", "deep", "null", "object", "NaN"],
)
def test_a_file_that_is_not_a_checkpoint_is_refused(tmp_path, data, wording):
    """checkpoint 2.1"""
    assert wording in refusal(tmp_path / "other.json", data)


def test_more_bytes_after_a_state_in_the_other_byte_order_are_refused(tmp_path):
    """checkpoint 3.1"""
    message = refusal(tmp_path / "v.npy", npy(make_state().astype(SWAPPED)) + b"\n")
    assert message == f"does not hold a state (more bytes follow the tensor). {PASS_A_STATE}"


@pytest.mark.parametrize("depth", [*range(900, 1000, 3), 10_000])
def test_a_file_nested_too_deeply_is_refused(tmp_path, capsys, depth):
    """checkpoint 2.1: also at depths that the parser can read and the checksum cannot."""
    path = tmp_path / "deep.json"
    path.write_text('{"format": "dmlrand checkpoint", "metadata": ' + "[" * depth + "]" * depth + "}")
    with pytest.raises(CheckpointError, match="is nested too deeply to be read|has version None"):
        load_checkpoint(path)
    assert main(["state", "show", str(path)]) == 2
    assert re.search("is nested too deeply to be read|has version None", capsys.readouterr().err)


def test_a_file_of_values_is_refused_by_its_type_and_shape(tmp_path):
    """checkpoint 2.1: whatever its size. A large file is not read completely."""
    for values, held in [(np.zeros((4, 5), np.float32), "float32 of shape (4, 5)"),
                         (np.zeros((200, 500), np.uint32), "uint32 of shape (200, 500)"),
                         (np.zeros(0, np.uint32), "uint32 of shape (0,)"),
                         (np.zeros((6, 1), np.uint32), "uint32 of shape (6, 1)"),
                         (np.zeros((1,) * 8 + (6,), np.uint32), "uint32 of shape (1, 1, 1, 1, 1, 1, 1, 1, 6)"),
                         (np.zeros(6, np.int64), "int64 of shape (6,)"),
                         (np.zeros(7, SWAPPED), "uint32 of shape (7,)")]:  # fmt: skip
        assert refusal(tmp_path / "v.npy", npy(values)) == f"holds {held}, which is not a state. {PASS_A_STATE}"
    why = "(a counter without its key: append the key's two words)"
    words = npy(np.zeros(4, np.uint32))
    assert (
        refusal(tmp_path / "v.npy", words) == f"holds uint32 of shape (4,), which is not a state {why}. {PASS_A_STATE}"
    )


@pytest.mark.parametrize(
    ("data", "wording"),
    [
        (b"", "No data left"),
        (b"hello", "does not hold a state"),
        (pickle.dumps([1, 2]), "pickle"),
        (npy(np.array([{}] * 6), allow_pickle=True), "allow_pickle=False"),
        (b"PK\x03\x04 no archive", "does not hold a state"),  # numpy takes it for a .npz
        (
            npy(make_state()) + b"\n",
            "more bytes follow the tensor",
        ),  # a byte too many, as when the header's length was damaged
        (npy_with_header("(((("), "does not hold a state"),
        (npy_with_header("  x\n y"), "does not hold a state"),
        (npy_with_header("{'descr': '<u4', 'fortran_order': False, 'shape': (%d,)}" % 10**30), "does not hold a state"),
        (npy_with_header("{'descr': '<u4', 'fortran_order': False, 'shape': (%d,)}" % 2**44), "does not hold a state"),
    ],
    ids="empty text pickle objects zip longer open indent 10**30 64TiB".split(),
)
def test_a_npy_that_is_not_a_state_is_refused(tmp_path, data, wording):
    """checkpoint 2.1 and 3.1"""
    message = refusal(tmp_path / "other.npy", data)
    assert wording in message
    assert message.endswith(PASS_A_STATE)


@settings(max_examples=150)
@given(data=st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_refused_by_a_checkpoint_error(folder, data):
    """checkpoint 2.1"""
    assert refusal(folder / "fuzz.json", data)
    for start in (
        b"",
        b"\x93NUMPY",
        b"\x93NUMPY\x01\x00",
        b"PK\x03\x04",
    ):  # so that the reader gets past its first check
        assert refusal(folder / "fuzz.npy", start + data)


@pytest.mark.filterwarnings("ignore:Data type alias")  # from numpy, about some damaged dtypes
@settings(max_examples=150)
@given(position=st.integers(0, 127), byte=st.integers(0, 255))
@example(position=8, byte=117)  # the header's length, one less: every word would shift
def test_a_damaged_npy_header_is_refused_or_harmless(folder, position, byte):
    """checkpoint 2.1 and 3.1"""
    data = bytearray(npy(make_state(counter=1, key=2)))  # 128 bytes of header and 24 of words
    data[position] = byte
    (folder / "damaged.npy").write_bytes(data)
    try:
        states, _ = load_checkpoint(folder / "damaged.npy")
    except CheckpointError as error:
        assert "does not hold a state" in str(error) or "is not a state" in str(error)
    else:  # such as one blank for another; a .npy has no checksum
        assert states["state"].tolist() == [1, 0, 0, 0, 2, 0]


TEXT = GOLDEN.read_text("utf-8")
NOT_JSON = "It was truncated or is another file."
NOT_WRITTEN = "dmlrand does not write such JSON. Restore a copy."


@pytest.mark.parametrize(
    ("data", "start", "remedy"),
    [
        *((TEXT.encode(name), "is not complete JSON (", NOT_JSON)
          for name in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")),
        (forged(metadata={"a": 1}).replace(b'"a": 1', b'"a": 1e999'), "contains the number 1e999, which", NOT_WRITTEN),
        (forged(metadata={"a": 0.5}).replace(b"0.5", b"-" + b"9" * 400 + b".0"), "contains the number -9", NOT_WRITTEN),
        (forged(metadata={"a": "\ud800"}), r"contains half of a surrogate pair, '\ud800'.", NOT_WRITTEN),
        (forged(metadata={"\udfff": [1]}), r"contains half of a surrogate pair, '\udfff'.", NOT_WRITTEN),
        (GOLDEN.read_bytes().replace(b"{", b'{"version": 1,', 1), "contains two members 'version'.", NOT_WRITTEN),
        (forged(metadata={"a": {"b": 1}}).replace(b'"b": 1', b'"b":1,"b":1'), "contains two members 'b'.", NOT_WRITTEN),
    ],
    ids=lambda value: None if isinstance(value, bytes) else value[:40],
)  # fmt: skip
def test_json_that_is_not_written_is_not_read(tmp_path, data, start, remedy):
    """checkpoint 1.1, 1.3 and 2.3: Python's reader of JSON accepts each of these."""
    json.loads(data)
    message = refusal(tmp_path / "other.json", data)
    assert message.startswith(start) and message.endswith(remedy)


def test_a_whole_surrogate_pair_may_be_written_as_escapes(tmp_path):
    """checkpoint 2.3"""
    path = tmp_path / "s.json"
    path.write_bytes(forged(metadata={"a": "\U0001f600"}))
    assert b"\\ud83d\\ude00" in path.read_bytes()
    assert load_checkpoint(path).metadata == {"a": "\U0001f600"}


STREAM = {"counter": "0x" + "0" * 32, "key": "0x" + "0" * 16, "lane": 1}


@pytest.mark.parametrize(
    ("version", "states"),
    [(1, {"a": STREAM}), (1, {"a": STATE_ENTRY, "b": {"states": {}}}), (2, {"a": STATE_ENTRY}), (2, {})],
)
def test_a_version_that_its_states_do_not_have_is_refused(tmp_path, version, states):
    """checkpoint 1.5 and 2.3"""
    message = refusal(tmp_path / "s.json", forged(version=version, states=states))
    problem = f"has version {version}, but its states are written with version {3 - version}."
    assert message == f"{problem} Restore a copy."
    (tmp_path / "s.json").write_bytes(forged(version=3 - version, states=states))
    assert load_checkpoint(tmp_path / "s.json").states.keys() == states.keys()


def test_the_largest_checkpoint(tmp_path, monkeypatch):
    """checkpoint 1.7: a file that is one byte larger is refused, and is not written."""
    assert dmlrand.checkpoint.MAX_BYTES == 268_435_456
    path = tmp_path / "s.json"
    with open(path, "wb") as file:
        file.truncate(268_435_457)
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(path)
    limit = "has more than 268,435,456 bytes, the limit of a checkpoint"
    assert str(caught.value) == f"{quoted(path)} {limit}. Name another file."
    save_checkpoint(path, make_state())
    data = path.read_bytes()
    monkeypatch.setattr("dmlrand.checkpoint.MAX_BYTES", len(data))
    save_checkpoint(path, make_state())
    assert load_checkpoint(path).states["state"].tolist() == [0] * 6
    monkeypatch.setattr("dmlrand.checkpoint.MAX_BYTES", len(data) - 1)
    message = (
        f"states and metadata must take at most {len(data) - 1:,} bytes as JSON; got {len(data):,} for {quoted(path)}. "
        "Save them in several files."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        save_checkpoint(path, make_state())
    with pytest.raises(CheckpointError, match="the limit of a checkpoint"):
        load_checkpoint(path)
    assert path.read_bytes() == data


HUGE_SHAPES = [f"({2**40}, {2**40})", f"({2**62},)", f"({2**70},)", f"({2**63}L, 2)", "(-1,)"]


@pytest.mark.parametrize("shape", HUGE_SHAPES)
@pytest.mark.parametrize("line", ["state show {}", "verify --state-in s.npy --values {}"])
def test_a_npy_header_of_a_huge_size_gives_one_line(tmp_path, monkeypatch, recwarn, capsys, shape, line):
    """cli 1 and checkpoint 2.1: no warning of numpy comes before the error."""
    monkeypatch.chdir(tmp_path)
    save_checkpoint("s.npy", make_state())
    with open("huge.npy", "wb") as file:
        file.write(npy_with_header(f"{{'descr': '<u4', 'fortran_order': False, 'shape': {shape}}}"))
    assert main(line.format("huge.npy").split()) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n"), [str(warning.message) for warning in recwarn]) == ("", 1, [])
    assert err.startswith("dmlrand: error: 'huge.npy' does not hold a ")


@pytest.mark.parametrize("name", ["missing.json", "missing.npy"])
def test_a_missing_file_is_an_os_error(tmp_path, name):
    with pytest.raises(FileNotFoundError):
        load_checkpoint(tmp_path / name)
