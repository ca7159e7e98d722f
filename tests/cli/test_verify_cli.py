"""`dmlrand verify`, `locate` and `trace`: their output and exit codes. specs/verify.md, section 6"""

import numpy as np
import oracle
import pytest
from commands import ok

from dmlrand import advance_blocks, make_state, random_generator, save_checkpoint

STATE = make_state(counter=2**32 - 3, key=42)


@pytest.fixture
def files(run):
    """A folder with a state, right values and the right state afterwards."""
    values, new_state = random_generator(STATE, (5, 6))
    np.save("v.npy", values)
    save_checkpoint("a.npy", STATE)
    save_checkpoint("a.json", STATE)
    save_checkpoint("b.npy", new_state)


@pytest.mark.parametrize(("state", "order"), [("a.npy", "<"), ("a.json", "<"), ("a.npy", ">")])
def test_right_data_ends_with_0(files, run, state, order):
    """verify 6.1: values and states of both byte orders"""
    values, new_state = random_generator(STATE, (5, 6))
    np.save("v.npy", values.astype(f"{order}u4"))
    np.save("b.npy", new_state.astype(f"{order}u4"))
    assert ok(run(f"verify --state-in {state} --values v.npy --state-out b.npy")) == (
        "ok: v.npy\n"
        "words       30 compared, all right\n"
        "counter     0x000000000000000000000000fffffffd\n"
        "key         0x000000000000002a\n"
        "new state   right\n"
    )


def test_wrong_data_ends_with_1_and_names_the_cause(files, run):
    """verify 6.1"""
    wrong = random_generator(STATE, (5, 6)).values
    carried = random_generator(make_state(counter=0, key=42), (3, 6)).values.ravel()
    wrong.flat[12:] = carried
    np.save("w.npy", wrong)
    save_checkpoint("c.npy", advance_blocks(make_state(counter=0, key=42), 5))
    code, out, err = run("verify --state-in a.npy --values w.npy --state-out c.npy")
    expected, got = oracle.block(2**32, 42)[0], oracle.block(0, 42)[0]
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        "WRONG: w.npy: The generator loses the carry out of counter word 0: when that word wraps, add 1 to word 1.",
        "words       30 compared, 18 wrong (60 %)",
        "counter     0x000000000000000000000000fffffffd",
        "key         0x000000000000002a",
        "first wrong word 12, at index [2, 0], counting from 0",
        "            block 3, counter 0x00000000000000000000000100000000",
        f"            lane 0: expected {expected:#010x}, got {got:#010x}",
        "segments     0 to 11  right",
        "            12 to 29  2^34 words (2^32 blocks) too early in the stream",
        "new state   wrong",
        "            expected 00000005 00000001 00000000 00000000 0000002a 00000000, word 0 first",
        "            got      00000005 00000000 00000000 00000000 0000002a 00000000",
        "            moved by -4,294,967,288 blocks instead of 8",
        "cause       no-carry-out-of-word-0: The generator loses the carry out of counter word 0: "
        "when that word wraps, add 1 to word 1.",
        "cause       state-no-carry-out-of-word-0: The generator loses the carry out of counter word 0: "
        "when that word wraps, add 1 to word 1.",
    ]


def test_data_that_no_known_fault_explains(files, run):
    """verify 6.1"""
    values = np.load("v.npy")
    values[1, 1] ^= 0x12345
    np.save("v.npy", values)
    save_checkpoint("b.npy", make_state(counter=9, key=9))
    line = "verify --state-in a.npy --values v.npy"
    code, out, _ = run(f"{line} --state-out b.npy")
    assert code == 1
    no_words = (
        "No known fault explains all of the words. Compare the block of the first wrong word with your shader, "
        "round by round: dmlrand trace --counter 0xfffffffe --key 0x2a\n"
    )
    no_state = "No known fault alone explains the new state. Compare it with the expected state above.\n"
    assert out.endswith(no_words + no_state)
    code, out, _ = run(f"{line} --state-out a.npy")  # the state is explained, the words are not
    assert out.count("\ncause       state-not-advanced: ") == 1
    assert out.endswith(no_words)
    np.save("v.npy", np.random.default_rng(3).integers(0, 1 << 32, 8, np.uint32))
    hint = "No word is one of this key's stream. If the key may be another one: dmlrand recover FILE\n"
    assert run(line).out.endswith(hint)


# locate and trace


@pytest.mark.parametrize(
    ("words", "counter", "text"),
    [
        (oracle.block(10**30, 42), 10**30, "words 0 to 3, taken as one whole block: any four words are the block of"),
        (oracle.words(1000, 42, 3, 7), 1001, "words 1 to 4, counting from 0; given word 0 is in lane 3"),
    ],
)
def test_locate_prints_the_counter_of_a_block_and_where_a_run_starts(run, words, counter, text):
    """verify 6.2"""
    lines = ok(run(f"locate --key 0x2a {' '.join(map(str, words))}")).splitlines()
    assert lines[0] == f"counter  {counter:#034x}" and lines[1].startswith(f"block    given {text}")


@pytest.mark.parametrize("words", [["12345678", "9ceaf053", "11", "0"], ["0x12345678", "0x9ceaf053", "0x11", "0"]])
def test_all_words_have_one_base(run, words):
    """verify 6.2: as in a file"""
    decimal = " ".join(str(int(word, 16)) for word in words)
    assert ok(run(f"locate --key 42 {' '.join(words)}")) == ok(run(f"locate --key 42 {decimal}"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("1 2 3", "words must"),
        ("1 1 1 1 1 1 1 1 1", "words"),
        ("1 2 3 -4", "WORD must hold words in [0, 2**32), decimal or hexadecimal, and spaces or commas; "),
        ("1 2 3 0x4", "; some of them have 0x and others do not."),
        (f"1 2 3 {2**32}", "WORD must hold words in"),
    ],
)
def test_locate_of_words_without_a_place(run, words, message):
    """verify 6.2"""
    code, out, err = run(f"locate --key 42 {words}")
    assert (code, out, err.count("\n")) == (2, "", 1) and message in err


def test_trace_prints_a_table_and_locate_reads_its_block(run):
    """verify 6.2, 6.5"""
    lines = ok(run("trace --counter 5 --key 42")).splitlines()
    assert len(lines) == 12
    assert lines[0] == "round  counter 0   counter 1   counter 2   counter 3   key 0       key 1"
    assert lines[1] == "    0  0x00000005  0x00000000  0x00000000  0x00000000  0x0000002a  0x00000000"
    assert lines[2] == "    1  0x0000002a  0x00000000  0x00000004  0x1b959c9f  0x9e3779e3  0xbb67ae85"
    assert lines[11].split() == ["block", *(f"{word:#010x}" for word in oracle.block(5, 42))]
    assert ok(run(f"locate --key 42 {' '.join(lines[11].split()[1:])}")).startswith(f"counter  {5:#034x}\n")
    np.save("v.npy", np.array(oracle.words(5, 42, 0, 64), np.uint32).reshape(8, 8))  # as many words as it reads
    assert ok(run("locate --key 42 v.npy")).startswith(f"counter  {5:#034x}\n")
