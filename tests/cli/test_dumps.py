"""Dumps of any form for `dmlrand verify`. specs/verify.md, clauses 6.4, 6.6 and 6.10"""

import io
import os
import re
import sys
import threading

import numpy as np
import oracle
import pytest
from commands import ok
from systems import POSIX, posix
from thinning import with_costly
from waiting import join

from dmlrand import fill_file, make_state

COUNTER, KEY = 2**32 - 3, 42
STATE = make_state(counter=COUNTER, key=KEY)
WORDS = np.array(oracle.words(COUNTER, KEY, 0, 40), np.uint32)


def uniform_64(i):
    """Number i of float64, by distributions 3.1."""
    first, second = oracle.words(COUNTER, KEY, 2 * i, 2)
    return (first % 2**20 * 2**32 + second) / 2**52


@pytest.fixture
def verify(run):
    STATE.astype("<u4").tofile("before.bin")
    store_state_after(40)
    return lambda line: run(f"verify --state-in before.bin --state-out after.bin --values {line}")


def store_state_after(words):
    np.array(oracle.new_state_words(COUNTER, KEY, words), "<u4").tofile("after.bin")


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


RAW = {
    "uint32": WORDS.astype("<u4"),
    "uint32-be": WORDS.astype(">u4"),
    "int32": WORDS.astype("<u4").view("<i4"),
    "float32": ((WORDS & 0x7FFFFF) / 2**23).astype("<f4"),
    "float64": np.array([uniform_64(i) for i in range(40)], "<f8"),
}


@pytest.mark.parametrize(
    ("dtype", "suffix"), list(zip(RAW, [".bin", ".dat", ".raw", ".npy", "-"])) + [("uint32-be", ".npy")]
)
def test_each_form_and_type(verify, monkeypatch, dtype, suffix):
    """verify 6.4"""
    for wrong in (False, True):
        elements = RAW[dtype].copy()
        elements.view(np.uint8)[elements.itemsize * 17 + 1] ^= wrong
        if suffix == ".npy":
            np.save("v.npy", elements)
        else:
            write(f"v{suffix}", elements.tobytes())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(elements.tobytes())))
        store_state_after(elements.nbytes // 4)
        ran = verify(f"{'-' if suffix == '-' else f'v{suffix}'} --dtype {dtype} --shape 5,8")
        assert (ran.code, ran.err) == (int(wrong), "")
        unit = "number" if dtype.startswith("float") else "word"
        assert (f"first wrong {unit} 17, at index [2, 1]" in ran.out) == wrong
        assert f"{unit}s".ljust(12) + "40 compared" in ran.out
        assert "new state   right" in ran.out


@pytest.mark.parametrize("name", ["-", "v.bin", "v.raw"])
def test_npy_is_recognized_by_its_first_bytes(verify, monkeypatch, name):
    """verify 6.4: from stdin, and in a file with a name of raw words."""
    file = io.BytesIO()
    np.save(file, WORDS.reshape(4, 10))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(file.getvalue())))
    write(name, file.getvalue())
    assert ok(verify(name)).startswith(f"ok: {'stdin' if name == '-' else name}\nwords       40 compared, all right\n")


@posix("pipes that have names")
def test_a_pipe_is_read(verify):
    """cli 15"""
    os.mkfifo("pipe.bin")
    writer = threading.Thread(target=write, args=("pipe.bin", WORDS.astype("<u4").tobytes()))
    writer.start()
    assert "40 compared, all right" in ok(verify("pipe.bin"))
    join(writer)


@pytest.mark.parametrize("demand", ["--words 40", "--shape 4,10"])
@pytest.mark.parametrize(
    ("size", "line"),
    [
        (40 * 4, "words       40 compared, all right"),
        (39 * 4, "words       39 words instead of 40; all right as far as they go"),
        (39 * 4 + 1, "words       39 words and 1 byte instead of 40; all right as far as they go"),
        (40 * 4 + 3, "words       40 words and 3 bytes instead of 40; all right as far as they go"),
        (41 * 4, "words       41 words instead of 40; all right as far as they go"),
    ],
)
def test_a_dump_of_another_size_is_wrong(verify, demand, size, line):
    """verify 6.6"""
    data = np.append(WORDS, np.uint32(7)).astype("<u4").tobytes()
    write("v.bin", data[:size] + b"\0" * (size - len(data)))
    code, out, _ = verify(f"v.bin {demand}")
    lines = out.splitlines()
    sentence = f"WRONG: v.bin: The dump holds {line[12:].split(';')[0]}; all words compared are right."
    assert (code, lines[0]) == ((0, "ok: v.bin") if size == 160 else (1, sentence))
    assert lines[1] == line
    assert lines[4:] == ["new state   right"]  # that after the words demanded


def test_loose_bytes_of_a_dump_of_any_size(verify):
    """verify 6.6: no size was demanded."""
    write("v.bin", WORDS.astype("<u4").tobytes() + b"\1\2")
    out = verify("v.bin").out
    assert "The dump holds 40 words and 2 bytes instead of 40; all words compared are right." in out


def test_a_short_npy_with_a_wrong_word(verify):
    """verify 6.6"""
    values = WORDS[:30].reshape(3, 10).copy()
    values[2, 3] ^= 4
    np.save("v.npy", values)
    code, out, _ = verify("v.npy --shape 4,10")
    assert code == 1
    assert out.startswith(
        "WRONG: v.npy: The dump holds 30 words instead of 40. One bit is flipped: bit 2 of word 23. All other"
    )
    assert "words       30 words instead of 40; 1 wrong (3.333 %) as far as they go\n" in out
    assert "first wrong word 23, at index [23]" in out


def test_the_report_of_wrong_float64_numbers(run):
    """verify 1.5"""
    STATE.astype("<u4").tofile("before.bin")
    numbers = np.array([uniform_64(i) for i in range(40)])
    numbers[17:19] = 0.5, 0
    np.save("v.npy", numbers)
    code, out, _ = run("verify --state-in before.bin --values v.npy --dtype float64")
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


@pytest.mark.parametrize("dtype", with_costly(["float64"], ["uint32", "float32"]))
def test_a_picture_of_each_type(run, dtype):
    """verify 6.3"""
    pytest.importorskip("matplotlib")
    fill_file("v.bin", STATE, (4, 10), dtype=dtype)
    STATE.astype("<u4").tofile("before.bin")
    line = f"verify --state-in before.bin --values v.bin --dtype {dtype} --plot p.png --shape 4,10"
    assert ok(run(line)).endswith("plot        p.png\n")
    with open("p.png", "rb") as file:
        assert file.read().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("v.bin --shape 4 --words 4", "argument --words: not allowed with argument --shape"),
        ("v.bin --shape 4,0", "values must hold at least one word; got shape (0,)."),
        ("v.bin --shape 1,1,1,1,1,1,1,1,4", "values must have rank 1 to 8; got rank 9."),
        ("v.bin --words 0", "--words must be at least 1; got 0"),
        ("empty.bin", "values must hold at least one word; got shape (0,). Pass the device's words."),
        ("absent.bin", "No such file or directory: 'absent.bin'. Check the name, or store the device's words there"),
        ("four.bin --dtype float64", "values must hold at least one word; got shape (0,)."),
        ("v.npy --plot p.png --low -1 --dtype float32", "--plot must not be given with a distribution: "),
        ("v.npy --dtype int32", "values must hold elements of int32; got uint32 of shape (40,). --dtype names another"),
        ("large.txt", "'large.txt' must hold words in [0, 2**32), decimal or hexadecimal, and spaces or commas; "),
        ("mixed.txt", "'mixed.txt' must hold words in [0, 2**32), "),
        (".", "Is a directory: '.'" if POSIX else "Permission denied: '.'"),
        ("text.npy", "'text.npy' does not hold a tensor (it is no .npy file). Store a uint32 array with numpy.save"),
        ("header.npy", "'header.npy' does not hold a tensor ("),
        ("cut.npy", "'cut.npy' does not hold a tensor ("),
        ("several.npz", "'several.npz' does not hold a tensor (it holds several arrays). Store a uint32 array"),
        ("int32.npy", "got int32 of shape (4,). --dtype names another type: int32 if its bits are words, float32"),
    ],
)
def test_bad_input(verify, line, message):
    """verify 6.4"""
    np.save("int32.npy", np.zeros(4, np.int32))
    np.savez("several.npz", a=WORDS)
    write("text.npy", b"hello")
    write("header.npy", b"\x93NUMPY\x01\x00" + (10).to_bytes(2, "little") + b"((((      ")
    write("v.bin", b"1234" * 4)
    write("four.bin", b"1234")
    write("empty.bin", b"")
    write("large.txt", b"1 2 4294967296")
    write("mixed.txt", b"0x12 34x5")
    np.save("v.npy", WORDS)
    with open("v.npy", "rb") as file:
        write("cut.npy", file.read()[:-1])
    code, out, err = verify(line)
    assert (code, out, err.count("\n")) == (2, "", 1) and message in err


@pytest.mark.parametrize(
    "text",
    [
        " ".join(map(str, WORDS)),
        "\n".join(f"{word:08X}" for word in WORDS),
        "{" + ", ".join(f"0x{word:08x}u" for word in WORDS) + "}\r\n",
        str(WORDS.tolist()),
    ],
)
@pytest.mark.parametrize("name", ["dump.txt", "-"])
def test_words_as_a_console_prints_them(run, verify, monkeypatch, text, name):
    """verify 6.4"""
    write("dump.txt", text.encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    ok(verify(name))
    if name != "-":
        assert ok(run(f"locate --key {KEY} {name}")).startswith(f"counter  {COUNTER:#034x}\n")


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ("--dtype float64", "v.bin"),
        ("--distribution normal --mean 5 --stddev 2", "v.zarr"),
        ("--distribution bernoulli --p 0.3", "v.npy"),
        ("--low -1 --dtype float64", "v.bin"),
    ],
)
def test_what_fill_writes_is_verified(run, options, name):
    """verify 6.4"""
    if name == "v.zarr":
        pytest.importorskip("zarr")
    ok(run(f"fill --shape 3,11 --seed 42 --output {name} {options}"))
    out = ok(run(f"verify --seed 42 --values {name} {options}"))
    assert out.startswith(f"ok: {name}\nnumbers     33 compared, all right\n")
    if "distribution" in options:  # no fault is searched for these numbers
        code, out, _ = run(f"verify --seed 43 --values {name} {options}")
        assert code == 1 and re.search(r"lane 0: expected 0x[0-9a-f]+ \(\S+\), got 0x[0-9a-f]+ \(\S+\)", out)
