"""Dumps of any form for `dmlrand verify`, and states as raw words. specs/verify.md, clauses 6.4 and 6.6."""

import io
import re
import sys

import numpy as np
import oracle
import pytest
from hypothesis import given, settings, strategies as st
from thinning import one_in

import dmlrand
from dmlrand import fill_file, load_checkpoint, make_state, save_checkpoint
from dmlrand.cli import main

COUNTER, KEY = 2**32 - 3, 42
STATE = make_state(counter=COUNTER, key=KEY)
WORDS = np.array(oracle.words(COUNTER, KEY, 0, 40), np.uint32)
AFTER = np.array(oracle.new_state_words(COUNTER, KEY, 40), np.uint32)


def uniform_64(i):
    """Number i of float64, by distributions 3.1."""
    first, second = oracle.words(COUNTER, KEY, 2 * i, 2)
    return (first % 2**20 * 2**32 + second) / 2**52


def verify_numbers(numbers):
    return dmlrand.verify(STATE, numbers, dtype=numbers.dtype)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "before.bin").write_bytes(STATE.astype("<u4").tobytes())
    (tmp_path / "after.bin").write_bytes(AFTER.astype("<u4").tobytes())
    return tmp_path


def run(capsys, *arguments):
    code = main(list(arguments))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def verify(capsys, *more):
    return run(capsys, "verify", "--state-in", "before.bin", "--state-out", "after.bin", *more)


RAW = {
    "uint32": WORDS.astype("<u4"),
    "uint32-be": WORDS.astype(">u4"),
    "int32": WORDS.astype("<u4").view("<i4"),
    "float32": ((WORDS & 0x7FFFFF) / 2**23).astype("<f4"),
    "float64": np.array([uniform_64(i) for i in range(40)], "<f8"),
}


@pytest.mark.parametrize("dtype, suffix", one_in(4, RAW, [".bin", ".dat", ".raw", ".npy", "-"]))
def test_each_form_and_type(folder, capsys, monkeypatch, dtype, suffix):
    """verify 6.4"""
    for wrong in (False, True):
        elements = RAW[dtype].copy()
        elements.view(np.uint8)[elements.itemsize * 17 + 1] ^= wrong
        if suffix == ".npy":
            np.save("v.npy", elements)
        else:
            (folder / f"v{suffix}").write_bytes(elements.tobytes())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(elements.tobytes())))
        words_after = oracle.new_state_words(COUNTER, KEY, elements.nbytes // 4)
        (folder / "after.bin").write_bytes(np.array(words_after, "<u4").tobytes())
        code, out, err = verify(
            capsys, "--values", "-" if suffix == "-" else f"v{suffix}", "--dtype", dtype, "--shape", "5,8"
        )
        assert (code, err) == (int(wrong), "")
        unit = "number" if dtype.startswith("float") else "word"
        assert (f"first wrong {unit} 17, at index [2, 1]" in out) == wrong
        assert f"{unit}s".ljust(12) + "40 compared" in out
        assert "new state   right" in out


def test_npy_from_stdin_and_raw_words_without_options(folder, capsys, monkeypatch):
    """verify 6.4"""
    file = io.BytesIO()
    np.save(file, WORDS.reshape(4, 10))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(file.getvalue())))
    assert verify(capsys, "--values", "-")[:2] == (0, verify_output("stdin"))
    (folder / "v.bin").write_bytes(WORDS.astype("<u4").tobytes())
    assert verify(capsys, "--values", "v.bin")[:2] == (0, verify_output("v.bin"))


@pytest.mark.parametrize("name", ["v.bin", "v.dat", "v.raw"])
def test_npy_under_a_name_of_raw_words(folder, capsys, name):
    """verify 6.4"""
    file = io.BytesIO()
    np.save(file, WORDS.reshape(4, 10))
    (folder / name).write_bytes(file.getvalue())
    assert verify(capsys, "--values", name)[:2] == (0, verify_output(name))


def verify_output(name):
    return (
        f"ok: {name}\nwords       40 compared, all right\ncounter     {COUNTER:#034x}\n"
        f"key         {KEY:#018x}\nnew state   right\n"
    )


@pytest.mark.parametrize("demand", [("--words", "40"), ("--shape", "4,10")])
@pytest.mark.parametrize(
    ("size", "line"),
    [
        (40 * 4, "words       40 compared, all right"),
        (39 * 4, "words       39 of 40 words; all right as far as they go"),
        (39 * 4 + 1, "words       39 of 40 words and 1 byte; all right as far as they go"),
        (40 * 4 + 3, "words       40 words and 3 bytes instead of 40; all right as far as they go"),
        (41 * 4, "words       41 words instead of 40; all right as far as they go"),
    ],
)
def test_a_dump_of_another_size_is_wrong(folder, capsys, demand, size, line):
    """verify 6.6"""
    data = np.append(WORDS, np.uint32(7)).astype("<u4").tobytes()
    (folder / "v.bin").write_bytes(data[:size] + b"\0" * (size - len(data)))
    code, out, _ = verify(capsys, "--values", "v.bin", *demand)
    lines = out.splitlines()
    assert code == int(size != 160)
    assert lines[0] == (
        f"WRONG: v.bin: The dump holds {line[12:].split(';')[0]}; all words compared are right."
        if code
        else "ok: v.bin"
    )
    assert lines[1] == line
    assert lines[4:] == ["new state   right"]  # that after the words demanded


def test_loose_bytes_of_a_dump_of_any_size(folder, capsys):
    """verify 6.6: no size was demanded."""
    (folder / "v.bin").write_bytes(WORDS.astype("<u4").tobytes() + b"\1\2")
    _, out, _ = verify(capsys, "--values", "v.bin")
    assert "The dump holds 40 words and 2 bytes after the last whole word; all words compared are right." in out


def test_a_short_npy_with_a_wrong_word(capsys):
    """verify 6.6"""
    values = WORDS[:30].reshape(3, 10).copy()
    values[2, 3] ^= 4
    np.save("v.npy", values)
    code, out, _ = verify(capsys, "--values", "v.npy", "--shape", "4,10")
    assert code == 1
    assert out.startswith(
        "WRONG: v.npy: The dump holds 30 of 40 words. One bit is flipped: bit 2 of word 23. All other"
    )
    assert "words       30 of 40 words; 1 wrong (3.333 %) as far as they go\n" in out
    assert "first wrong word 23, at index [23]" in out


@pytest.mark.parametrize("dtype", ["uint32", "float32", "float64"])
@pytest.mark.parametrize("name", ["v.bin", "v.npy"])
def test_what_fill_writes_is_verified(folder, capsys, dtype, name):
    """verify 6.4"""
    after = fill_file(name, STATE, (4, 10), dtype=dtype)
    (folder / "after.bin").write_bytes(after.astype("<u4").tobytes())
    assert verify(capsys, "--values", name, "--dtype", dtype)[0] == 0


@pytest.mark.parametrize("fortran", [False, True])
@given(place=st.integers(0, 59), bit=st.integers(0, 63))
@settings(max_examples=4, deadline=None)
def test_float64_numbers_are_compared_bit_by_bit(fortran, place, bit):
    """verify 1.5: the block and the lane are those of the number's first word."""
    numbers = np.array([uniform_64(i) for i in range(60)])
    expected = numbers.view(np.uint64).tolist()
    assert verify_numbers(numbers.reshape(6, 10)).ok
    numbers.view(np.uint64)[place] ^= np.uint64(1 << bit)
    values = numbers.reshape(6, 10)
    report = verify_numbers(np.asfortranarray(values) if fortran else values)
    assert (report.ok, report.words, report.mismatches) == (False, 60, 1)
    assert [each.name for each in report.diagnosis] == ["bits-flipped"]
    got = expected[place] ^ 1 << bit
    assert report.first_mismatch == (place, (place // 10, place % 10), place // 2, place % 2 * 2, expected[place], got)
    assert [part[:3] for part in report.segments if part.offset is None] == [(place, place + 1, None)]


def test_the_report_of_wrong_float64_numbers(capsys):
    """verify 1.5"""
    numbers = np.array([uniform_64(i) for i in range(40)])
    numbers[17:19] = 0.5, 0
    np.save("v.npy", numbers)
    code, out, _ = run(capsys, "verify", "--state-in", "before.bin", "--values", "v.npy", "--dtype", "float64")
    got = int(np.float64(0.5).view(np.uint64))
    expected = int(np.float64(uniform_64(17)).view(np.uint64))
    assert code == 1
    assert out.splitlines() == [
        "WRONG: v.npy: Numbers 0 to 16 are right; numbers 17 to 18 are wrong; numbers 19 to 39 are right.",
        "numbers     40 compared, 2 wrong (5 %)",
        f"counter     {COUNTER:#034x}",
        f"key         {KEY:#018x}",
        "first wrong number 17, at index [17], counting from 0",
        f"            block 8, counter {COUNTER + 8:#034x}",
        f"            lane 2: expected {expected:#018x} ({uniform_64(17)}), got {got:#018x} (0.5)",
        "segments     0 to 16  right",
        "            17 to 18  wrong",
        "            19 to 39  right",
        "No known fault explains all of the numbers. Compare the block of the first wrong number with your "
        f"shader, round by round: dmlrand trace --counter {COUNTER + 8:#x} --key {KEY:#x}",
    ]


@pytest.mark.parametrize("dtype", ["uint32", "float32", "float64"])
def test_a_picture_of_each_type(folder, capsys, dtype):
    """verify 6.3"""
    pytest.importorskip("matplotlib")
    fill_file("v.bin", STATE, (4, 10), dtype=dtype)
    arguments = ["--values", "v.bin", "--dtype", dtype, "--plot", "p.png", "--shape", "4,10"]
    code, out, err = run(capsys, "verify", "--state-in", "before.bin", *arguments)
    assert (code, err) == (0, "") and out.endswith("plot        p.png\n")
    assert (folder / "p.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["v.bin", "--shape", "4", "--words", "4"], "--shape must not be given with --words"),
        (["v.bin", "--shape", "4,0"], "--shape must be 1 to 8 sizes of at least 1; got 4,0."),
        (["v.bin", "--shape", "1,1,1,1,1,1,1,1,4"], "--shape must be 1 to 8 sizes of at least 1; got 1,1,1,"),
        (["v.bin", "--words", "0"], "--words must be at least 1; got 0."),
        (["empty.bin"], "'empty.bin' must hold at least one element of 4 bytes; it holds 0 bytes."),
        (["short.bin"], "'short.bin' must hold at least one element of 4 bytes; it holds 3 bytes."),
        (["absent.bin"], "No such file or directory: 'absent.bin'. Check the name, or store the device's words there."),
        (["four.bin", "--dtype", "float64"], "'four.bin' must hold at least one element of 8 bytes; it holds 4 bytes."),
        (["v.bin", "--dtype", "float64", "--words", "2"], "--words must not be given with --dtype float64, whose "),
        (["v.bin", "--plot", "p.gif"], "the plot's name must end in .png, .svg or .pdf; got 'p.gif'."),
        (
            ["v.npy", "--plot", "p.png", "--low", "-1", "--dtype", "float32"],
            "--plot must not be given with a distribution: ",
        ),
        (["v.npy", "--dtype", "int32"], "--dtype int32 needs elements of int32; the tensor holds uint32."),
        (["v.npy", "--dtype", "float32"], "--dtype float32 needs elements of float32; the tensor holds uint32."),
    ],
)
def test_bad_input(folder, capsys, arguments, message):
    """verify 6.4"""
    (folder / "v.bin").write_bytes(b"1234" * 4)
    (folder / "four.bin").write_bytes(b"1234")
    (folder / "empty.bin").write_bytes(b"")
    (folder / "short.bin").write_bytes(b"123")
    np.save("v.npy", WORDS)
    code, out, err = verify(capsys, "--values", *arguments)
    assert (code, out) == (2, "") and err.count("\n") == 1 and message in err


def test_state_new_writes_six_raw_words(folder, capsys):
    """cli 16"""
    assert run(capsys, "state", "new", "s.bin", "--counter", "5", "--key", "0x0102030405060708")[0] == 0
    assert (folder / "s.bin").read_bytes() == np.array(oracle.state_words(5, 0x0102030405060708), "<u4").tobytes()
    assert run(capsys, "state", "advance", "s.bin", "7")[0] == 0
    assert (folder / "s.bin").read_bytes() == np.array(oracle.state_words(12, 0x0102030405060708), "<u4").tobytes()
    assert f"counter  {12:#034x}" in run(capsys, "state", "show", "s.bin")[1]
    assert run(capsys, "run", "--shape", "9", "--output", "v.npy", "--state", "s.bin")[0] == 0
    assert (folder / "s.bin").read_bytes() == np.array(oracle.state_words(15, 0x0102030405060708), "<u4").tobytes()


def test_a_checkpoint_with_a_raw_name_stays_a_checkpoint(capsys):
    """cli 16"""
    save_checkpoint("s.bin", {"a": STATE}, {"epoch": 3})
    assert run(capsys, "state", "advance", "s.bin", "1")[0] == 0
    assert load_checkpoint("s.bin").metadata == {"epoch": 3}


@pytest.mark.parametrize(("size", "held"), [(0, "0 bytes"), (16, "16 bytes (a counter without"), (25, "more")])
def test_a_raw_state_of_another_size(folder, capsys, size, held):
    """cli 16"""
    (folder / "s.bin").write_bytes(bytes(size))
    code, _, err = run(capsys, "state", "show", "s.bin")
    assert code == 2
    assert f"'s.bin' must hold a state, six little-endian uint32 words in 24 bytes; it holds {held}" in err


@pytest.mark.parametrize("n", [3, 4])
def test_another_rule_needs_four_numbers(n):
    """verify 1.5"""
    numbers = ((WORDS[:n] >> 8) / np.float64(2**24)).astype(np.float32)
    report = verify_numbers(numbers)
    assert not report.ok and [each.name for each in report.diagnosis] == ["other-uniform-rule"] * (n == 4)


@pytest.mark.parametrize(
    ("numbers", "rule"),
    [
        ((WORDS >> 9) / np.float64(2**23), "the float32 number (w >> 9) * 2**-23"),
        ((WORDS >> 8) / np.float64(2**24), "the float32 number (w >> 8) * 2**-24"),
        (WORDS.astype(np.float32) / np.float32(2**32), "the float32 number w * 2**-32"),
    ],
)
def test_uniform_numbers_of_another_rule(capsys, numbers, rule):
    """verify 1.5"""
    numbers = numbers.astype(np.float32)
    np.save("v.npy", numbers)
    code, out, _ = verify(capsys, "--values", "v.npy", "--dtype", "float32")
    assert code == 1
    assert out.startswith(f"WRONG: v.npy: Every number is stored as {rule}, where w is the right word: make numbers ")
    assert "cause       other-uniform-rule: Every number is stored as" in out


def test_uniform_numbers_of_another_rule_but_for_one(capsys):
    """verify 1.5"""
    numbers = ((WORDS >> 9) / np.float64(2**23)).astype(np.float32)
    numbers[39] = 0.5
    np.save("v.npy", numbers)
    out = verify(capsys, "--values", "v.npy", "--dtype", "float32")[1]
    assert "This explains all numbers but these: number 39 is wrong." in out.splitlines()[0]


@pytest.mark.parametrize(
    "text",
    [
        " ".join(map(str, WORDS)),
        ", ".join(f"0x{word:x}" for word in WORDS),
        "\n".join(f"{word:08X}" for word in WORDS),
        "{" + ", ".join(f"0x{word:08x}u" for word in WORDS) + "}\r\n",
        str(WORDS.tolist()),
    ],
)
@pytest.mark.parametrize("name", ["dump.txt", "-"])
def test_words_as_a_console_prints_them(folder, capsys, monkeypatch, text, name):
    """verify 6.4"""
    (folder / "dump.txt").write_text(text)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert verify(capsys, "--values", name)[0] == 0
    if name != "-":
        code, out, _ = run(capsys, "locate", "--key", str(KEY), name)
        assert code == 0 and out.startswith(f"counter  {COUNTER:#034x}\n")


@pytest.mark.parametrize("text", ["1 2 4294967296", "0x1 0x123456789", "0x12 34x5"])
def test_text_that_holds_no_words(folder, capsys, text):
    """verify 6.4"""
    (folder / "dump.txt").write_text(text)
    code, out, err = verify(capsys, "--values", "dump.txt")
    assert (code, out) == (2, "") and err.startswith("dmlrand: error: 'dump.txt' must hold words in [0, 2**32), ")


@pytest.mark.parametrize(
    "options",
    ["--distribution normal --mean 5 --stddev 2", "--distribution bernoulli --p 0.3", "--low -1 --dtype float64"],
)
@pytest.mark.parametrize("name", ["v.npy", "v.bin", "v.zarr"])
def test_what_fill_writes_of_a_distribution_is_verified(folder, capsys, options, name):
    """verify 6.4"""
    if name == "v.zarr":
        pytest.importorskip("zarr")
    assert run(capsys, *f"fill --shape 7,101 --seed 42 --output {name} {options}".split())[0] == 0
    code, out, _ = run(capsys, *f"verify --seed 42 --values {name} {options}".split())
    assert code == 0 and out.startswith(f"ok: {name}\nnumbers     707 compared, all right\n")
    code, out, _ = run(capsys, *f"verify --seed 43 --values {name} {options}".split())
    assert code == 1 and re.search(r"lane 0: expected 0x[0-9a-f]+ \(\S+\), got 0x[0-9a-f]+ \(\S+\)", out)
