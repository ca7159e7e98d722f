"""Files that are not checkpoints, and damaged ones, are refused with the reason. specs/checkpoint.md, section 2"""

import io
import json
import pickle

import numpy as np
import pytest
from checkpoints import GOLDEN, checksum_by_the_spec
from thinning import with_costly

from dmlrand import CheckpointError, load_checkpoint, make_state
from dmlrand.files import quoted

NO_STATES = "does not hold valid states ("
REMEDY = "Pass a file that save_checkpoint or `dmlrand state new` wrote."
OTHER_KIND = 'has no "format": "dmlrand checkpoint" and "algorithm": "PHILOX_4X32_10". It is another kind of file.'
NOT_JSON = "It was truncated or is another file."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all examples of a property. Each example overwrites the file."""
    return tmp_path_factory.mktemp("checkpoint")


def forged(**changes):
    """JSON that save_checkpoint does not write, with a right checksum."""
    document = {**json.loads(GOLDEN.read_bytes()), **changes}
    return json.dumps({**document, "checksum": checksum_by_the_spec(document)}).encode()


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


# Damage


@pytest.mark.parametrize("step", with_costly([23], [1]))
def test_a_file_with_any_changed_or_missing_byte_is_refused_or_has_the_same_content(folder, step):
    """checkpoint 2.1"""
    complete, right = GOLDEN.read_bytes(), repr(load_checkpoint(GOLDEN))
    for length in range(0, len(complete) - 1, step):  # the last byte is a line end, without which nothing is missing
        message = refusal(folder / "cut.json", complete[:length])
        assert message.startswith("is not complete JSON (") and message.endswith(NOT_JSON)
    for place in range(0, len(complete), step):
        damaged = bytearray(complete)
        damaged[place] ^= 1 << place % 7
        (folder / "damaged.json").write_bytes(damaged)
        try:
            assert repr(load_checkpoint(folder / "damaged.json")) == right  # such as another white space
        except CheckpointError as error:
            assert str(error).startswith(quoted(folder / "damaged.json"))


def test_a_npy_truncated_at_any_byte_is_refused(tmp_path):
    """checkpoint 2.1 and 3.1"""
    complete = npy(make_state(counter=1, key=2))
    for length in range(0, len(complete), 5):
        message = refusal(tmp_path / "cut.npy", complete[:length])
        assert message.startswith(NO_STATES) and message.endswith(REMEDY)


# Other files


@pytest.mark.parametrize(
    ("data", "wording"),
    [
        (b"", "is not complete JSON"),
        (b"\x00\xff\xfe\x80", "is not complete JSON"),
        (npy(make_state()), "is not complete JSON"),  # a .npy under a .json name
        (b"[" * 100_000, "is not complete JSON (maximum recursion depth exceeded"),
        (GOLDEN.read_bytes().decode().encode("utf-16"), "is not complete JSON"),
        (b"{}", 'has no "format"'),
        (b'{"format": "dmlrand checkpoint", "metadata": ' + b"[" * 960 + b"]" * 960 + b"}", ""),
        (GOLDEN.read_bytes().replace(b"0.1", b"NaN"), "does not match its checksum"),  # which json.loads reads
        (GOLDEN.read_bytes().replace(b"0.1", b"0.2"), "does not match its checksum. It was changed or damaged."),
        (forged(format="dmlrand fill"), OTHER_KIND),
        (forged(version=4), "has version 4, not 1 or 2 or 3. Update dmlrand to read it."),
        (forged(algorithm="PHILOX"), OTHER_KIND),
    ],
    ids=range(12),
)  # fmt: skip
def test_a_file_that_is_not_a_checkpoint_is_refused(tmp_path, data, wording):
    """checkpoint 2.1"""
    assert wording in refusal(tmp_path / "other.json", data)


@pytest.mark.parametrize(
    ("data", "wording"),
    [
        (b"", "No data left"),
        (pickle.dumps([1, 2]), "pickle"),
        (npy(np.array([{}] * 6), allow_pickle=True), "Python objects"),
        (b"PK\x03\x04 no archive", ""),  # numpy takes it for a .npz
        (npy(make_state()) + b"\n", "more bytes follow the tensor"),
        (npy(make_state())[:8] + b"\x75" + npy(make_state())[9:], ""),  # a shorter header: every word would shift
        (npy_with_header("(((("), ""),
        (npy_with_header("{'descr': '<u4', 'fortran_order': False, 'shape': (%d,)}" % 2**44), ""),
        (npy_with_header("{'descr': '<u4', 'fortran_order': False, 'shape': (%d,)}" % 10**30), ""),
        (npy(np.zeros(4, np.uint32)), "Append the key to a counter"),
        (npy(np.zeros((200, 500), np.uint32)), "got uint32 of shape (200, 500)"),
    ],
    ids=range(11),
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of numpy, about sizes that overflow
def test_a_npy_that_is_not_a_state_is_refused(tmp_path, data, wording):
    """checkpoint 2.1 and 3.1"""
    message = refusal(tmp_path / "other.npy", data)
    assert message.startswith(NO_STATES) and wording in message and message.endswith(REMEDY)


# Forged: the checksum is right


ENTRY = {"counter": "0x" + "0" * 30 + "2a", "key": "0x" + "0" * 14 + "0f"}
STATE = {**ENTRY, "sizes": [1, 6]}
STREAM = {**ENTRY, "lane": 1}
BITS = {**STREAM, "bit_generator": "PhiloxBitGenerator"}
ROWS = {"counters": ["0x" + "0" * 32] * 2, "keys": ["0x" + "0" * 16] * 2}
WRONG = [
    *({**STATE, "sizes": sizes} for sizes in ([4], [6, 1], [1] * 8 + [6], [1, 6.0], [], [10**30])),
    *({**STATE, "counter": counter} for counter in (42, "0x1" + "0" * 32, "-0x1", "0xg", None)), ENTRY,
    *({**STREAM, "lane": lane} for lane in (4, -1, True, 1.0, "0", None)), {**BITS, "lane": 4},
    {"counter": ENTRY["counter"], "sizes": [6]}, {"lane": 0, "counter": ENTRY["counter"]}, {"counters": 3, "keys": 3},
    {**ROWS, "keys": ROWS["keys"][:1]}, {"states": []}, {}, None, [0] * 6, "lane",
]  # fmt: skip


@pytest.mark.parametrize("entry", WRONG, ids=range(len(WRONG)))
def test_what_is_not_a_state_is_refused_with_a_right_checksum_too(tmp_path, entry):
    """checkpoint 2.1"""
    for states in ({"a": entry}, {"a": {"states": {"b": entry}}}):
        message = refusal(tmp_path / "forged.json", forged(version=2, states=states))
        assert message.startswith(NO_STATES) and message.endswith(REMEDY)
