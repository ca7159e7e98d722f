"""`--json` of every command that prints results: one object on one line. specs/cli.md, clause 12"""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from dmlrand import (
    Stream,
    advance_blocks,
    locate_run,
    make_state,
    random_generator,
    save_checkpoint,
    split,
    trace,
)
from dmlrand.cli import machine, main
from dmlrand.cli.machine import Row

STATE = make_state(counter=2**128 - 1, key=2**64 - 2)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def printed(capsys, line, code=0):
    """The members of the object, without its format and version."""
    assert main(line.split()) == code
    out, err = capsys.readouterr()
    assert err == "" and out.count("\n") == 1
    members = json.loads(out)
    assert list(members)[:2] == ["format", "version"] and members.pop("version") == 1
    return members.pop("format"), members


def members_of(counter, key):
    return {"counter": counter, "key": key, "words": make_state(counter=counter, key=key).tolist()}


def test_states(capsys):
    """cli 12"""
    children = split(STATE, 2)
    saved = {"a": STATE.reshape(1, 1, 6), "b": {"c": Stream(STATE, 3)}, "d": children}
    save_checkpoint("s.json", saved, {"step": 3})
    each = [
        {"name": "a", **members_of(2**128 - 1, 2**64 - 2), "sizes": [1, 1, 6], "lane": None},
        {"name": "b/c", **members_of(2**128 - 1, 2**64 - 2), "sizes": [6], "lane": 3},
    ]
    keys = [int(low) + (int(high) << 32) for low, high in children[:, 4:]]
    each += [{"name": f"d[{i}]", **members_of(0, key), "sizes": [6], "lane": None} for i, key in enumerate(keys)]
    name, members = printed(capsys, "state show s.json --json")
    assert name == "dmlrand states"
    assert members == {"states": each, "metadata": {"step": 3}}
    save_checkpoint("t.npy", STATE)
    assert printed(capsys, "state show t.npy --json")[1]["metadata"] is None


def test_places(capsys):
    """cli 12"""
    words = random_generator(make_state(counter=5, key=42), 20).values[3:13]
    name, members = printed(capsys, f"locate --json --key 42 {' '.join(map(str, words))}")
    place = locate_run(words, 42)
    expected = {"counter": 6, "offset": 1, "lane": 3, "is_whole_block": False}
    assert (name, members) == ("dmlrand place", expected) and (place.counter, place.offset) == (6, 1)
    _, members = printed(capsys, "locate --json --key 42 12345678 2 3 4")
    assert members["is_whole_block"]


def test_rounds(capsys):
    """cli 12"""
    name, members = printed(capsys, "trace --counter 5 --key 42 --json")
    rounds = trace(5, 42)
    assert name == "dmlrand trace" and members["block"] == list(rounds[-1].result)
    assert members["rounds"] == json.loads(json.dumps([step._asdict() for step in rounds])) and len(rounds) == 10


def hash_of(path, offset=0):
    """The SHA-256 of the file after `offset` bytes."""
    return hashlib.sha256(Path(path).read_bytes()[offset:]).hexdigest()


def test_outputs(capsys):
    """cli 12: the header of a small .npy file takes 128 bytes"""
    first = {
        "output": "a.npy", "shape": [2, 3], "dtype": "uint32", "distribution": "words", "bounds": {},
        "state_file": "s.json", "resumed": False, "state": members_of(7, 42), "new_state": members_of(9, 42),
    }  # fmt: skip
    line = "run --shape 2,3 --output a.npy --state s.json --json"
    _, members = printed(capsys, f"{line} --counter 7 --key 42")
    assert members == first | {"sha256": hash_of("a.npy", 128)}
    assert np.load("a.npy").shape == (2, 3)
    _, again = printed(capsys, line)
    moved = {"resumed": True, "state": members_of(9, 42), "new_state": members_of(11, 42)}
    assert again == first | moved | {"sha256": hash_of("a.npy", 128)}
    line = "fill --shape 3 --seed 1 --output b.npy --distribution integers --low 3 --high 9 --json"
    assert printed(capsys, line) == (
        "dmlrand output",
        {
            "output": "b.npy", "shape": [3], "dtype": "int32", "distribution": "integers",
            "bounds": {"low": 3, "high": 9}, "state_file": None, "resumed": False,
            "state": members_of(0, 1), "new_state": members_of(1, 1), "sha256": hash_of("b.npy", 128),
        },
    )  # fmt: skip
    _, words = printed(capsys, "fill --shape 3 --seed 1 --output c.raw --json")
    assert (words["dtype"], words["distribution"], words["bounds"]) == ("uint32", "words", {})
    assert words["sha256"] == hash_of("c.raw")


@pytest.mark.parametrize("options", ["", "--distribution normal --dtype float64"])
def test_the_hash_of_values_that_take_several_pieces(capsys, options):
    """cli 12"""
    _, members = printed(capsys, f"fill --shape 3,100001 --seed 1 --output d.bin --json {options}")
    assert members["sha256"] == hash_of("d.bin")


def test_backends_table(capsys, monkeypatch):
    """cli 12"""
    found = [Row("numpy", True, "numpy 2.0"), Row("cuda", False, "pip install it")]
    extras = [Row("plot", True, "pictures")]
    monkeypatch.setattr(machine, "find_backends", lambda: iter(found))
    monkeypatch.setattr(machine, "find_extras", lambda: iter(extras))
    name, members = printed(capsys, "backends --json")
    assert name == "dmlrand backends"
    assert members == {"backends": [row._asdict() for row in found], "extras": [row._asdict() for row in extras]}


def test_a_failed_verification_keeps_its_exit_code(capsys):
    """cli 12 and 13: the state of --seed or --counter and --key, instead of a file."""
    np.save("v.npy", random_generator(advance_blocks(STATE, 1), 20).values)
    options = f"--values v.npy --json --key {2**64 - 2} --counter"
    assert printed(capsys, f"verify {options} {2**128 - 1}", 1)[1]["mismatches"] == 20
    name, members = printed(capsys, f"verify {options} 0")
    assert name == "dmlrand verification" and members["ok"]
