"""The command line: the files and the output of each command, and one line for each error."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from commands import ENVIRONMENT, contents, process
from oracle import words
from systems import POSIX, can_limit_memory, posix

import dmlrand
from dmlrand import counter_of, key_of, load_checkpoint, make_state, random_generator, save_checkpoint
from dmlrand.cli import main


class Ran(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(line, *arguments):
        try:
            code = main([*line.split(), *arguments])
        except SystemExit as exit:  # argparse leaves by it
            code = exit.code
        return Ran(code, *capsys.readouterr())

    return run


def ok(ran):
    assert (ran.code, ran.err) == (0, "")
    return ran.out


# run


def test_run_creates_a_state_and_resumes_from_it(run):
    out = ok(run("run --shape 2,3 --seed 42 --output a.npy --state state.json"))
    assert out.splitlines() == [
        "state    state.json, new",
        "output   a.npy",
        "shape    2,3",
        "words    6",
        "counter  0x00000000000000000000000000000000 before",
        "         0x00000000000000000000000000000002 after, 2 blocks on",
    ]
    out = ok(run("run --shape 5 --output b.npy --state state.json"))
    assert out.splitlines() == [
        "state    state.json, resumed",
        "output   b.npy",
        "shape    5",
        "words    5",
        "counter  0x00000000000000000000000000000002 before",
        "         0x00000000000000000000000000000004 after, 2 blocks on",
    ]
    a, b = np.load("a.npy"), np.load("b.npy")
    assert (a.dtype, a.shape, b.dtype, b.shape) == (np.uint32, (2, 3), np.uint32, (5,))
    assert a.ravel().tolist() == words(0, 42, 0, 6)
    assert b.tolist() == words(2, 42, 0, 5)
    state = load_checkpoint("state.json").states["state"]
    assert (counter_of(state), key_of(state)) == (4, 42)
    assert contents(Path()).keys() == {"a.npy", "b.npy", "state.json"}


def test_one_block_is_one_block(run):
    assert "after, 1 block on\n" in ok(run("run --shape 4 --seed 42 --output a.npy --state state.json"))


@pytest.mark.parametrize(("first", "second", "both"), [("4", "8", "12"), ("6,4", "2,2,5", "44"), ("100", "28", "128")])
@pytest.mark.parametrize("state", ["state.json", "state.npy"])
@pytest.mark.parametrize("counter", [0, 2**32 - 2, 2**64 - 1, 2**128 - 3])
def test_two_runs_equal_one_run_of_both(run, first, second, both, state, counter):
    start = f"--counter {counter} --key 7"
    ok(run(f"run --shape {first} {start} --output first.npy --state {state}"))
    ok(run(f"run --shape {second} --output second.npy --state {state}"))
    ok(run(f"run --shape {both} {start} --output both.npy --state both.json"))
    joined = [*np.load("first.npy").ravel().tolist(), *np.load("second.npy").ravel().tolist()]
    assert joined == np.load("both.npy").tolist() == words(counter, 7, 0, int(both))
    after = load_checkpoint(state).states["state"]
    assert counter_of(after) == (counter + int(both) // 4) % 2**128
    assert after.tolist() == load_checkpoint("both.json").states["state"].tolist()


def test_the_same_command_again_resumes(run):
    """checkpoint 5.2: --counter says where a new stream starts."""
    line = "run --shape 8 --counter 10 --key 3 --output {}.npy --state state.json"
    ok(run(line.format("a")))
    ok(run(line.format("b")))
    assert np.load("b.npy").tolist() == words(12, 3, 0, 8)


@pytest.mark.parametrize("command", ["run", "fill"])
@pytest.mark.parametrize(
    ("saved", "requested", "resumes"),
    [
        (7, 999_999, False),
        (7, 8, False),
        (7, 7, True),
        (7, 0, True),
        (2, 2**128 - 3, True),  # the counter has wrapped
        (0, 2**127, False),
        (0, 2**127 + 1, True),
    ],
)
def test_a_counter_after_the_saved_one_is_refused(run, command, saved, requested, resumes):
    """checkpoint 5.2"""
    save_checkpoint("s.json", make_state(counter=saved, key=42))
    before = contents(Path())
    ran = run(f"{command} --shape 4 --counter {requested} --key 42 --output v.npy --state s.json")
    if resumes:
        assert "state    s.json, resumed" in ok(ran)
        assert np.load("v.npy").tolist() == words(saved, 42, 0, 4)
        return
    message = (
        f"dmlrand: error: 's.json' is at counter {saved:#034x}, before --counter {requested:#034x}, so its stream did "
        "not begin there. Drop --counter to resume, or name another --state for a new stream.\n"
    )
    assert (ran.code, ran.out, ran.err) == (2, "", message)
    assert contents(Path()) == before


def test_a_key_or_a_seed_alone_is_compared_with_the_key_alone(run):
    """checkpoint 5.2: without --counter no counter is asked for."""
    for start in ("--key 42", "--seed 42"):
        save_checkpoint("s.json", make_state(counter=2**128 - 5, key=42))
        ok(run(f"run --shape 4 {start} --output v.npy --state s.json"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # DirectML's page adds 324,855 to one of its two counters and prints the other; this is the right sum for each
        # of its numbers.
        (0x48656C6C6F46726F6D536561746F776E, 0x48656C6C6F46726F6D53656174746C65),
        (0x48656C6C6F46726F6D53656174746C65, 0x48656C6C6F46726F6D5365617479615C),
    ],
)
def test_the_documented_shape(run, before, after):
    out = ok(run(f"run --shape 3,3,20,7219 --counter {before:#x} --key 0x2a --output v.npy --state s.json"))
    assert f"words    {3 * 3 * 20 * 7219}\n" in out
    assert f"{before:#034x} before\n" in out
    assert f"{after:#034x} after, 324855 blocks on\n" in out
    values = np.load("v.npy")
    assert values.shape == (3, 3, 20, 7219)
    assert values.ravel()[:9].tolist() == words(before, 42, 0, 9)
    assert values.ravel()[-9:].tolist() == words(before, 42, values.size - 9, 9)
    assert np.array_equal(values, random_generator(make_state(counter=before, key=42), values.shape).values)


def test_the_counter_wraps_at_its_end(run):
    out = ok(run(f"run --shape 12 --counter {2**128 - 1:#x} --key {2**64 - 1:#x} --output v.npy --state s.json"))
    assert "0xffffffffffffffffffffffffffffffff before" in out
    assert "0x00000000000000000000000000000002 after, 3 blocks on" in out
    assert np.load("v.npy").tolist() == words(2**128 - 1, 2**64 - 1, 0, 12)


def test_a_shape_of_no_words_draws_none(run):
    out = ok(run("run --shape 3,0 --seed 1 --output v.npy --state s.json"))
    assert "words    0\n" in out
    assert "after, 0 blocks on" in out
    assert np.load("v.npy").shape == (3, 0)


def test_a_bare_tensor_stays_one_of_its_sizes(run):
    np.save("s.npy", make_state(counter=5, key=6).reshape(1, 1, 6))
    ok(run("run --shape 8 --output v.npy --state s.npy"))
    assert np.load("v.npy").tolist() == words(5, 6, 0, 8)
    assert np.load("s.npy").tolist() == [[[7, 0, 0, 0, 6, 0]]]


def test_a_name_and_metadata_survive_a_run(run):
    save_checkpoint("s.json", {"dropout": make_state(counter=5, key=6).reshape(1, 6)}, {"epoch": 3})
    ok(run("run --shape 8 --output v.npy --state s.json"))
    states, metadata = load_checkpoint("s.json")
    assert {name: state.tolist() for name, state in states.items()} == {"dropout": [[7, 0, 0, 0, 6, 0]]}
    assert metadata == {"epoch": 3}


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
    assert counter_of(load_checkpoint("b.json").states["state"]) == 2**128 - 1


def test_state_advance_takes_any_integer(run):
    ok(run("state new a.json --seed 1"))
    ok(run(f"state advance a.json {-(2**130) - 1}"))
    assert counter_of(load_checkpoint("a.json").states["state"]) == 2**128 - 1
    ok(run("state advance a.json 0x10"))
    assert counter_of(load_checkpoint("a.json").states["state"]) == 15
    ok(run("state advance a.json -- -0x5"))  # argparse takes -0x5 for an option
    assert counter_of(load_checkpoint("a.json").states["state"]) == 10


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


def test_the_version(run):
    assert ok(run("--version")) == f"dmlrand {dmlrand.__version__}\n"


@pytest.mark.parametrize(("text", "sizes"), [("0x10", (16,)), ("2,0XA", (2, 10)), ("010", (10,))])
def test_sizes_may_be_hexadecimal(text, sizes, run, tmp_path):
    """cli 11"""
    ok(run(f"run --shape {text} --seed 1 --output {tmp_path / 'v.npy'} --state {tmp_path / 's.json'}"))
    assert np.load(tmp_path / "v.npy").shape == sizes


# Refused: exit code 2, one line, no file made or changed

HUGE = "1" + "0" * 30
LONG = "1" * 5000  # more digits than Python reads or prints
SIZES = "argument --shape: must be sizes separated by commas; got"
NO_FILE = "No such file or directory: 'new.json'. Check the name, or make a state with: dmlrand state new new.json"
NO_FOLDER = "No such file or directory: 'no/new.npy'. Create its folder, or name another file."
REFUSED = [
    (
        "fly",
        "argument COMMAND: invalid choice: 'fly'. Choose from run, state, plot, example, verify, locate, recover, "
        "trace, conformance, ",
    ),
    ("fil", "argument COMMAND: invalid choice: 'fil'. Did you mean 'fill'? (see dmlrand --help)"),
    ("verfiy --values v.npy", "invalid choice: 'verfiy'. Did you mean 'verify'?"),
    ("state fly", "argument ACTION: invalid choice: 'fly'. Choose from new, show, advance, distance."),
    ("state advence s.json 1", "invalid choice: 'advence'. Did you mean 'advance'? (see dmlrand state --help)"),
    ("fill --shape 4 --seed 1 --output new.npy --dtype float23", "invalid choice: 'float23'. Choose from uint32, "),
    ("--fly", "unrecognized arguments: --fly"),
    ("run --fly", "dmlrand run: error: unrecognized arguments: --fly (see dmlrand run --help)"),
    ("run --outptu a.npy", "unrecognized arguments: --outptu. Did you mean '--output'? (see dmlrand run --help)"),
    ("run --outptu=a.npy --shape 3", "unrecognized arguments: --outptu. Did you mean '--output'?"),
    ("run --seed 1", "required: --shape"),
    ("run --shape 4 --output new.npy --state new.json", "'new.json' does not exist. Give --seed, or --counter"),
    ("run --shape 4 --seed 1 --key 2 --output new.npy --state new.json", "--seed must not be given with --counter or"),
    ("run --shape 4 --seed 1 --counter 2 --output new.npy --state s.json", "--seed must not be given with --counter"),
    ("run --shape 4 --seed 1 --output new.npy --state s.json", "holds key 0x000000000000002a, but the options ask for"),
    ("run --shape 4 --key 1 --output new.npy --state s.npy", "holds key 0x000000000000002a, but the options ask for"),
    (
        "run --shape 4 --seed x --output new.npy --state new.json",
        "argument --seed: must be an integer; got 'x'. Write ",
    ),
    ("run --shape 4 --seed 1.5 --output new.npy --state new.json", "argument --seed: must be an integer; got '1.5'."),
    ("run --shape 4 --seed -1 --output new.npy --state new.json", "seed must be in [0, 2**64); got -1."),
    ("run --shape 4 --seed 0x10000000000000000 --output new.npy --state new.json", "seed must be in [0, 2**64)"),
    (f"run --shape 4 --counter {2**128} --output new.npy --state new.json", "counter must be in [0, 2**128)"),
    ("run --shape 4 --key -1 --output new.npy --state new.json", "key must be in [0, 2**64); got -1."),
    ("run --shape x --output new.npy --state s.json", f"{SIZES} 'x'. Example: 3,3 (see"),
    ("run --shape 3,,4 --output new.npy --state s.json", f"{SIZES} '3,,4'. Write 3,4 (see"),
    ("run --shape 3x4 --output new.npy --state s.json", f"{SIZES} '3x4'. Write 3,4 (see"),
    ("fill --shape (3,4,) --output new.npy --state s.json", f"{SIZES} '(3,4,)'. Write 3,4 (see"),
    ("run --shape [2*30] --output new.npy --state s.json", f"{SIZES} '[2*30]'. Write 2,30 (see"),
    ("run --shape 3x0x10 --output new.npy --state s.json", f"{SIZES} '3x0x10'. Write 3,0,10 (see"),
    (
        "run --shape 3 3 --output new.npy --state s.json",
        "dmlrand run: error: unrecognized arguments: 3. Write the sizes of --shape with commas and without spaces, "
        "such as 3,3 (see dmlrand run --help)",
    ),
    (
        "fill --shape 3, 4 --output new.npy --state s.json",
        f"{SIZES} '3,'. Write all sizes without spaces, such as 3,3 (see",
    ),
    ("run --shape 2.0 --output new.npy --state s.json", f"{SIZES} '2.0'. Example: 3,3 (see"),
    ("run --shape 3-4 --output new.npy --state s.json", f"{SIZES} '3-4'. Example: 3,3 (see"),
    ("run --shape=-4 --output new.npy --state s.json", "shape[0] must be at least 0; got -4."),
    ("run --shape 1,1,1,1,1,1,1,1,1 --output new.npy --state s.json", "shape must have rank 1 to 8"),
    (f"run --shape {HUGE} --output new.npy --state s.json", "shape must describe fewer than 2**63 bytes"),
    (
        f"run --shape {2**60} --output new.npy --state s.json",
        # Windows does not tell Python how much memory there is.
        "the tensor has 4,611,686,018,427,387,904 bytes, more than the" if POSIX else "Unable to allocate 4.00 EiB",
    ),
    (
        f"run --shape {2**60} --output new.npy --state s.json",
        "Use `dmlrand fill` with the same options: it needs little memory.",
    ),
    ("run --shape 4 --output new.txt --state s.json", "argument --output: must end in .npy; got 'new.txt'"),
    ("run --shape 4 --output s.npy --state s.npy", "--output and --state must be two files"),
    ("run --shape 4 --output no/new.npy --state s.json", NO_FOLDER),
    ("run --shape 4 --seed 1 --output new.npy --state no/new.json", NO_FOLDER.replace("npy", "json")),
    ("run --shape 4 --output s.json/new.npy --state s.json", "No such file or directory"),
    ("run --shape 4 --output folder.npy --state s.json", "nothing yet; got 'folder.npy', which is a folder."),
    ("run --shape 4 --output new.npy --state folder.npy", "nothing yet; got 'folder.npy', which is a folder."),
    ("run --shape 4 --output new.npy --state bad.json", "'bad.json' does not match its checksum"),
    (
        "run --shape 4 --output new.npy --state bad.npy",
        "got uint32 of shape (4,). Append the key to a counter; make_state makes a state of a key). Pass a state",
    ),
    ("run --shape 4 --output new.npy --state zip.npy", "'zip.npy' does not hold a state"),
    (
        "run --shape 4 --output new.npy --state deep.json",
        "'deep.json' is not complete JSON (maximum recursion depth exceeded",
    ),
    (
        "run --shape 4 --output new.npy --state two.json",
        "'two.json' must hold one state; got 2: a b, c. Save the state alone, with save_checkpoint.",
    ),
    ("state new s.json --seed 1", "'s.json' exists already. Remove it first, or name another file."),
    ("state new new.json --seed 1 --key 1", "--seed must not be given with --counter or --key"),
    ("state new no/new.json", "No such file or directory"),
    ("state show new.json", NO_FILE),
    (
        "state show folder.npy",
        ": 'folder.npy'. " + ("Name a file in this folder." if POSIX else "Check the permissions"),
    ),
    ("state show bad.json", "'bad.json' does not match its checksum"),
    ("state advance s.json", "required: blocks"),
    ("state advance s.json x", "argument blocks: must be an integer; got 'x'."),
    ("state advance new.json 1", NO_FILE),
    ("state advance bad.json 1", "'bad.json' does not match its checksum"),
    ("state distance s.json other.json", "start and end must have the same key"),
    ("state distance s.json two.json", "'two.json' must hold one state"),
    ("state distance s.json new.json", NO_FILE),
    ("verify --state-in new.json --values bad.npy", NO_FILE),
    ("plot new.json -o new.png", NO_FILE),
    (
        "verify --state-in s.json --values new.npy",
        "No such file or directory: 'new.npy'. Check the name, or store the device's words there with numpy.save.",
    ),
    ("locate --key 42 12345678 00000012", "argument WORD: must be an integer; got '00000012'. Write 0x00000012 (see"),
    ("locate --key 42 1e6", "argument WORD: must be an integer; got '1e6'. Write a number such as 42 or 0x2a (see"),
    ("trace --key 1 --counter q", "--counter: must be an integer; got 'q'. Write a number such as 42 or 0x2a (see"),
    ("plot --state s.json -o p.png", "unrecognized arguments: --state. Write STATE without --state (see"),
    ("state show --file s.json", "unrecognized arguments: --file. Write file without --file (see"),
    ("plot -o p.png", "give STATE, --seed, or --counter and --key, to name the state."),
    (
        "plot s.json --seed 1 -o p.png",
        "STATE must not be given with --seed, --counter or --key. A file has a state of its own.",
    ),
    ("verify --values bad.npy", "give --state-in, --seed, or --counter and --key, to name the state."),
    (
        "verify --state-in s.json --key 1 --values bad.npy",
        "--state-in must not be given with --seed, --counter or --key. A file has",
    ),
    (
        "run --shape 4 --output ./s.npy --state s.npy",
        "got './s.npy' and 's.npy', which are the same file. Name another --state.",
    ),
    (
        "fill --shape 4 --output s.npy --state s.npy.filling",
        "--state must not be a file that a fill of 's.npy' writes; got 's.npy.filling'. Name another --state.",
    ),
    ("state show s.json more", "state show: error: unrecognized arguments: more (see dmlrand state show --help)"),
    (f"state new new.json --seed {LONG}", "argument --seed: must have at most 1000 characters; got 5000 (see"),
    (f"state new new.json --seed 0x{LONG}", "argument --seed: must have at most 1000 characters; got 5002 (see"),
    (f"state advance s.json -{LONG}", "argument blocks: must have at most 1000 characters; got 5001 (see"),
    (f"run --shape 2,{LONG} --output new.npy --state s.json", "argument --shape: must have at most 1000 characters;"),
    (f"run --shape 4 --counter {'9' * 1000} --output new.npy --state new.json", "counter must be in [0, 2**128); got"),
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
    (tmp_path / "zip.npy").write_bytes(b"PK\x03\x04")  # numpy takes it for a .npz
    (tmp_path / "deep.json").write_bytes(b"[" * 100_000)
    return tmp_path


@pytest.mark.parametrize(("line", "wording"), REFUSED, ids=[line[:99] for line, _ in REFUSED])
def test_bad_input_gets_one_line_and_changes_nothing(files, run, line, wording):
    """cli 1, 11, 12, 13"""
    before = contents(files)
    code, out, err = run(line)
    assert code == 2
    assert out == ""
    assert re.fullmatch(r"dmlrand[a-z ]*: error: .+\n", err)  # one line: a dot matches no line end
    assert wording in err
    assert contents(files) == before


@posix("links that every user may make")
def test_a_link_to_the_output_is_not_another_file(files, run):
    (files / "link.npy").symlink_to("s.npy")
    line = "run --shape 4 --output ./s.npy --state link.npy"
    test_bad_input_gets_one_line_and_changes_nothing(files, run, line, "--output and --state must be two files")


@pytest.mark.parametrize("argument", ["two\nlines", "esc\r\x0b\x0c\x85\u2028ape"])
def test_an_argument_with_line_ends_still_gets_one_line(run, argument):
    for line in ("state show", "state show more", "fly", "run --seed"):
        code, _, err = run(line, argument)
        assert code == 2
        assert len(err.splitlines()) == 1


def test_a_real_process_shows_no_traceback(tmp_path):
    ran = process("run", "--shape", "4", "--output", "v.npy", "--state", "s.json", cwd=tmp_path, capture_output=True)
    assert ran.returncode == 2
    assert ran.stdout == b""
    assert ran.stderr.count(b"\n") == 1
    assert ran.stderr.startswith(b"dmlrand: error: 's.json' does not exist.")
    assert contents(tmp_path) == {}


@posix("a limit on the size of files")
def test_a_full_disk_leaves_the_old_files(files):
    """checkpoint 4.3. A limit on file sizes takes the place of a full disk."""
    import resource

    (files / "v.npy").write_bytes(b"old")
    before = contents(files)
    ran = process(
        *"run --shape 2000000 --output v.npy --state s.json".split(),
        cwd=files,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 22, 1 << 22)),
    )
    assert ran.returncode == 2
    assert ran.stderr.decode() == (
        "dmlrand: error: [Errno 27] File too large: 'v.npy' was not written. "
        "Raise the limit on file sizes (ulimit -f) or use another disk, then try again.\n"
    )
    assert contents(files) == before


@posix("a limit on memory")
def test_a_tensor_that_does_not_fit_into_memory_points_to_fill(tmp_path):
    """cli 13: where the machine has the memory, but the process may not use it."""
    import resource

    limit = 3 << 30
    if os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") < limit:
        pytest.skip("this machine has less memory than the tensor needs")
    if not can_limit_memory():
        pytest.skip("a limit on memory has no effect here, as in qemu's emulation of a processor")
    ran = process(
        *f"run --shape {limit // 4} --seed 1 --output v.npy --state s.json".split(),
        cwd=tmp_path,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.startswith(b"dmlrand: error: Unable to allocate 3.00 GiB for an array")
    assert ran.stderr.endswith(b". Use `dmlrand fill` with the same options: it needs little memory.\n")
    assert contents(tmp_path) == {}


def test_fill_takes_the_options_of_run(run):
    """cli 13"""
    options = "--shape 2,3 --counter 5 --key 42 --output {0}.npy --state {0}.json"
    ok(run("run " + options.format("a")))
    ok(run("fill " + options.format("b")))
    assert Path("a.npy").read_bytes() == Path("b.npy").read_bytes()
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()


def test_an_output_that_cannot_be_written_is_refused_before_the_draw(files, run, monkeypatch):
    monkeypatch.setattr("dmlrand.cli.run.random_generator", None)
    code, _, err = run("run --shape 4 --output no/new.npy --state s.json")
    assert (code, err) == (2, f"dmlrand: error: [Errno 2] {NO_FOLDER}\n")


@pytest.mark.skipif(sys.platform != "linux", reason="a device of Linux")
@pytest.mark.parametrize("buffered", [True, False])
def test_a_full_disk_under_stdout_is_named(files, monkeypatch, buffered):
    if not buffered:
        monkeypatch.setitem(ENVIRONMENT, "PYTHONUNBUFFERED", "1")
    with open("/dev/full", "wb") as full:
        ran = process("state", "show", "s.json", cwd=files, stdout=full, stderr=subprocess.PIPE)
    message = (
        b"dmlrand: error: [Errno 28] No space left on device: stdout did not take all of the output. "
        b"Free disk space, then check what was written to files before you repeat the command.\n"
    )
    assert (ran.returncode, ran.stderr) == (2, message)


@posix("terminals that a program makes")
@pytest.mark.parametrize("buffered", [True, False])
def test_any_error_of_stdout_has_a_remedy(files, monkeypatch, buffered):
    """cli 23: a terminal whose window was closed gives EIO."""
    if not buffered:
        monkeypatch.setitem(ENVIRONMENT, "PYTHONUNBUFFERED", "1")
    window, terminal = os.openpty()
    os.close(window)
    ran = process("state", "show", "s.json", cwd=files, stdout=terminal, stderr=subprocess.PIPE)
    os.close(terminal)
    message = (
        b"dmlrand: error: [Errno 5] Input/output error: stdout did not take all of the output. "
        b"Remove the cause, then check what was written to files before you repeat the command.\n"
    )
    assert (ran.returncode, ran.stderr) == (2, message)


@pytest.mark.skipif(sys.platform != "linux", reason="a file of Linux that cannot be read")
def test_an_error_of_a_read_names_the_file_and_not_stdout(run):
    """cli 23"""
    code, out, err = run("state show /proc/self/mem")
    message = "dmlrand: error: [Errno 5] Input/output error: '/proc/self/mem'. Check the file and its disk.\n"
    assert (code, out, err) == (2, "", message)


@pytest.mark.parametrize("line", ["run --shape 4 --output v.npy --state s.json", "state advance s.json 1"])
def test_a_full_disk_under_a_file_is_not_taken_for_stdout(files, run, monkeypatch, line):
    def fail(file):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", fail)
    code, _, err = run(line)
    assert code == 2
    assert err.endswith(" was not written. Free disk space, then try again.\n")
    assert "stdout" not in err


def test_a_disk_without_room_for_a_name_is_not_taken_for_stdout(files, run, monkeypatch):
    def fail(path, *_):
        raise OSError(28, os.strerror(28), path)

    monkeypatch.setattr(os, "open", fail)
    code, _, err = run("state advance s.json 1")
    message = f"[Errno 28] No space left on device: '{files / '.s.json.lock'}'. Check the file and its disk."
    assert (code, err) == (2, f"dmlrand: error: {message}\n")


@posix("permissions of folders")
def test_a_folder_that_may_not_be_written_to(files, run):
    if os.geteuid() == 0:
        pytest.skip("permissions do not bind root, who runs this test")
    before = contents(files)
    files.chmod(0o555)
    code, _, err = run("run --shape 4 --output v.npy --state s.json")
    files.chmod(0o755)
    assert code == 2
    assert err == (
        "dmlrand: error: [Errno 13] Permission denied: you may not write to the folder of 'v.npy'. Name another "
        "folder.\n"
    )
    assert contents(files) == before
