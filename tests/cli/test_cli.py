"""The command line: the files and the output of `run` and `state`, and one line for each error. specs/cli.md"""

import os
import re
from pathlib import Path

import numpy as np
import pytest
from commands import contents, ok
from oracle import words
from systems import POSIX

import dmlrand
from dmlrand import counter_of, key_of, load_checkpoint, make_state, save_checkpoint

# run


def test_run_creates_a_state_and_resumes_from_it(run):
    out = ok(run("run --shape 0x2,3 --seed 42 --output a.npy --state state.json"))
    assert out.splitlines() == [
        "state    state.json, new",
        "output   a.npy",
        "shape    2,3",
        "values   6 of uint32",
        "counter  0x00000000000000000000000000000000 before",
        "         0x00000000000000000000000000000002 after, 2 blocks on",
    ]
    out = ok(run("run --shape 4 --output b.npy --state state.json"))
    assert out.splitlines() == [
        "state    state.json, resumed",
        "output   b.npy",
        "shape    4",
        "values   4 of uint32",
        "counter  0x00000000000000000000000000000002 before",
        "         0x00000000000000000000000000000003 after, 1 block on",
    ]
    a, b = np.load("a.npy"), np.load("b.npy")
    assert (a.dtype, a.shape, b.dtype, b.shape) == (np.uint32, (2, 3), np.uint32, (4,))
    assert a.ravel().tolist() == words(0, 42, 0, 6)
    assert b.tolist() == words(2, 42, 0, 4)
    state = load_checkpoint("state.json").states["state"]
    assert (counter_of(state), key_of(state)) == (3, 42)
    assert contents(Path()).keys() == {"a.npy", "b.npy", "state.json"}


@pytest.mark.parametrize(("state", "counter"), [("s.json", 0), ("s.npy", 2**64 - 1), ("s.bin", 2**128 - 3)])
def test_two_runs_equal_one_run_of_both(run, state, counter):
    ok(run(f"run --shape 6,4 --counter {counter:#x} --key {2**64 - 1:#x} --output first.npy --state {state}"))
    ok(run(f"run --shape 2,2,5 --output second.npy --state {state}"))
    joined = [*np.load("first.npy").ravel().tolist(), *np.load("second.npy").ravel().tolist()]
    assert joined == words(counter, 2**64 - 1, 0, 44)
    assert f"counter  {(counter + 11) % 2**128:#034x}\n" in ok(run(f"state show {state}"))


@pytest.mark.parametrize("start", ["--key 42", "--seed 42", "--counter 9 --key 42"])
def test_a_state_file_decides_where_the_stream_continues(run, start):
    """checkpoint 5.2: the options name its key, and their counter has no effect."""
    save_checkpoint("s.json", make_state(counter=2**128 - 1, key=42))
    assert "state    s.json, resumed" in ok(run(f"run --shape 4 {start} --output v.npy --state s.json"))
    assert np.load("v.npy").tolist() == words(2**128 - 1, 42, 0, 4)


def test_sizes_a_name_and_metadata_survive_a_run(run):
    np.save("s.npy", make_state(counter=5, key=6).reshape(1, 1, 6))
    ok(run("run --shape 8 --output v.npy --state s.npy"))
    assert np.load("s.npy").tolist() == [[[7, 0, 0, 0, 6, 0]]]
    save_checkpoint("s.json", {"dropout": make_state(counter=5, key=6).reshape(1, 6)}, {"epoch": 3})
    ok(run("run --shape 8 --output v.npy --state s.json"))
    states, metadata = load_checkpoint("s.json")
    assert {name: state.tolist() for name, state in states.items()} == {"dropout": [[7, 0, 0, 0, 6, 0]]}
    assert metadata == {"epoch": 3}


# Outputs that exist

LINE = "run --shape 8 --seed 1 --output v.npy --state s.json"


def test_an_output_without_a_state_file_is_not_replaced(run):
    """cli 10"""
    ok(run(LINE))
    os.remove("s.json")
    Path("v.npy").write_bytes(b"the only copy")
    before = contents(Path())
    error = "File exists: 'v.npy' has other content. Pass overwrite=True or --overwrite, or name another path.\n"
    assert run(LINE) == (2, "", f"dmlrand: error: [Errno 17] {error}")
    assert contents(Path()) == before
    ok(run(f"{LINE} --force"))
    assert np.load("v.npy").tolist() == words(0, 1, 0, 8)


def test_the_same_command_again_replaces_its_output(run):
    """cli 10: the state file says where the values come from, and the old ones can be drawn again."""
    for counter in (0, 2):
        ok(run(LINE))
        assert np.load("v.npy").tolist() == words(counter, 1, 0, 8)
    os.remove("s.json")
    ok(run(f"{LINE} --counter 2 --key 1".replace("--seed 1 ", "")))  # as after a kill between the values and the state
    assert load_checkpoint("s.json").states["state"].tolist() == [4, 0, 0, 0, 1, 0]


# state


def test_state_new_show_advance_and_distance(run):
    shown = ok(run("state new a.json --counter 0x100000000 --key 7"))
    assert shown.splitlines() == [
        "state",
        "  counter  0x00000000000000000000000100000000",
        "  key      0x0000000000000007",
        "  words    0 1 0 0 7 0",
        "  sizes    6",
    ]
    assert ok(run("state show a.json")) == shown
    ok(run("state new b.json --key 7"))
    assert "counter  0x00000000000000000000000000000005\n" in ok(run("state advance b.json 5"))
    assert ok(run("state distance b.json a.json")) == f"{2**32 - 5}\n"
    assert ok(run("state distance a.json b.json")) == f"{2**128 - 2**32 + 5}\n"
    assert "words    4294967295 4294967295 4294967295 4294967295 7 0\n" in ok(run("state advance b.json -6"))
    ok(run(f"state advance b.json {-(2**130) - 1}"))
    ok(run("state advance b.json -- -0x5"))  # argparse takes -0x5 for an option
    assert counter_of(load_checkpoint("b.json").states["state"]) == 2**128 - 7


def test_state_advance_moves_every_state_of_a_file(run):
    save_checkpoint("s.json", {"a": make_state(counter=1), "b": make_state(counter=2, key=3)}, {"epoch": 3})
    out = ok(run("state advance s.json 4"))
    assert [line for line in out.splitlines() if not line.startswith(" ")] == ["a", "b", "metadata  {'epoch': 3}"]
    states, metadata = load_checkpoint("s.json")
    assert [counter_of(state) for state in states.values()] == [5, 6]
    assert metadata == {"epoch": 3}


def test_state_new_without_a_seed_takes_a_key_from_the_system(run):
    ok(run("state new a.npy"))
    ok(run("state new b.npy"))
    a, b = np.load("a.npy"), np.load("b.npy")
    assert a[:4].tolist() == b[:4].tolist() == [0, 0, 0, 0]
    assert a[4:].tolist() != b[4:].tolist()


def test_states_as_six_raw_words(run):
    """cli 11"""
    ok(run("state new s.bin --counter 5 --key 0x0102030405060708"))
    assert np.fromfile("s.bin", "<u4").tolist() == [5, 0, 0, 0, 0x05060708, 0x01020304]
    ok(run("state advance s.bin 7"))
    assert np.fromfile("s.bin", "<u4").tolist() == [12, 0, 0, 0, 0x05060708, 0x01020304]
    if POSIX:
        os.symlink("s.bin", "link.bin")  # cli 15
        assert f"counter  {12:#034x}" in ok(run("state show link.bin"))


def test_the_version(run):
    assert ok(run("--version")) == f"dmlrand {dmlrand.__version__}\n"


# Refused: exit code 2, one line, no file made or changed

LONG = "1" * 5000  # more digits than Python reads or prints
SIZES = "argument --shape: must be sizes separated by commas, without spaces; got"
NO_FILE = "No such file or directory: 'new.json'. Check the name, or make a state with: dmlrand state new new.json"
NO_FOLDER = "No such file or directory: 'no/new.npy'. Create its folder, or name another file."
RAW = "must hold a state, six little-endian uint32 words in 24 bytes; it holds"
REFUSED = [
    ("", "the following arguments are required: COMMAND (see dmlrand --help)"),
    ("state", "the following arguments are required: ACTION (see dmlrand state --help)"),
    ("fly", "argument COMMAND: invalid choice: 'fly' (choose from"),
    ("run --shape 4 --seed 1 --output new.npy --state new.json --fly", "unrecognized arguments: --fly (see dmlrand"),
    ("run --shape 4 --output new.npy --state new.json", "there is no state to start from. Give --seed,"),
    ("run --shape 4 --seed 1 --counter 2 --output new.npy --state s.json", "--seed must not be given with --counter"),
    ("run --shape 4 --key 1 --output new.npy --state s.npy", "holds key 0x000000000000002a, but the options ask for"),
    ("run --shape 4 --seed 1.5 --output new.npy --state new.json", "argument --seed: must be an integer; got '1.5'."),
    (f"run --shape 4 --counter {2**128} --output new.npy --state new.json", "counter must be in [0, 2**128)"),
    ("run --shape 3x4 --output new.npy --state s.json", f"{SIZES} '3x4'. Example: 3,4 (see dmlrand run --help)"),
    ("run --shape=-4 --output new.npy --state s.json", "shape[0] must be at least 0; got -4."),
    ("run --shape 4 --output ./s.npy --state s.npy", "is in use already, by another process or option."),
    ("run --shape 4 --output no/new.npy --state s.json", NO_FOLDER),
    ("run --shape 4 --seed 1 --output new.npy --state no/new.json", NO_FOLDER.replace("npy", "json")),
    ("run --shape 4 --output folder.npy --state s.json", "nothing yet; got 'folder.npy'."),
    ("run --shape 4 --output new.npy --state bad.json", "'bad.json' does not match its checksum"),
    ("run --shape 4 --output new.npy --state bad.npy", "got uint32 of shape (4,). Append the key to a counter; "),
    (
        "run --shape 4 --output new.npy --state two.json",
        "'two.json' must hold one state; got a b (ndarray), c (ndarray). Save it alone, with save_checkpoint.",
    ),
    ("run --shape 4 --output new.npy --state ", "path must name a regular file, or nothing yet; got ''."),
    ("fill --shape 4 --seed 1 --output new.npy --dtype bfloat16", "argument --dtype: invalid choice: 'bfloat16'"),
    ("fill --shape 4 --seed 1 --output new.npy --low x", "argument --low: invalid number value: 'x'"),
    ("state new s.json --seed 1", "'s.json' exists already. Remove it first, or name another file."),
    ("state show new.json", NO_FILE),
    ("state show folder.npy", ": 'folder.npy'\n"),
    ("state show short.bin", f"'short.bin' {RAW} 16 bytes. Store the four words of the counter, and then the"),
    ("state distance s.json other.json", "start and end must have the same key"),
    ("plot new.json -o new.png", NO_FILE),
    ("plot -o p.png", "give STATE, --seed, or --counter and --key, to name the state."),
    (
        "plot s.json --seed 1 -o p.png",
        "STATE must not be given with --seed, --counter or --key. A file has a state of its own.",
    ),
    (
        "verify --state-in s.json --key 1 --values bad.npy",
        "--state-in must not be given with --seed, --counter or --key. A file has",
    ),
    (f"state new new.json --seed {LONG}", f"argument --seed: must be an integer; got '{'1' * 97}...{'1' * 98}'. Write"),
    (f"run --shape 4 --counter 0x{LONG} --output new.npy --state new.json", "2**128); got an int of 19997 bits."),
]


@pytest.fixture
def files(tmp_path):
    """A folder of valid and invalid files."""
    save_checkpoint(tmp_path / "s.json", make_state(counter=5, key=42))
    save_checkpoint(tmp_path / "s.npy", make_state(counter=5, key=42))
    save_checkpoint(tmp_path / "other.json", make_state(counter=5, key=43))
    save_checkpoint(tmp_path / "two.json", {"a\nb": make_state(), "c": make_state()})  # a name of two lines
    (tmp_path / "folder.npy").mkdir()
    (tmp_path / "bad.json").write_bytes((tmp_path / "s.json").read_bytes().replace(b"5", b"6", 1))
    np.save(tmp_path / "bad.npy", np.zeros(4, np.uint32))
    (tmp_path / "short.bin").write_bytes(bytes(16))
    return tmp_path


@pytest.mark.parametrize(("line", "wording"), REFUSED, ids=[line[:99] for line, _ in REFUSED])
def test_bad_input_gets_one_line_and_changes_nothing(files, run, line, wording):
    """cli 1, 7, 8, 11, 13, 14"""
    before = contents(files)
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert re.fullmatch(r"dmlrand[a-z ]*: error: .+\n", err)  # one line: a dot matches no line end
    assert wording in err
    assert contents(files) == before


def test_an_argument_with_line_ends_still_gets_one_line(run):
    for line in ("state show", "state show more", "fly", "run --seed"):
        code, _, err = run(line, "two\r\x0b\x0c\x85\u2028\nlines")
        assert (code, len(err.splitlines())) == (2, 1)
