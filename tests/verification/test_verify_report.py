"""What `dmlrand verify` says of a dump: its sentence, its table and its JSON. specs/verify.md, clauses 6.7 and 6.8."""

import json
from functools import cache

import numpy as np
import pytest

from dmlrand import Segment, Verification, advance_blocks, make_state, random_generator, save_checkpoint, verify
from dmlrand.cli import main
from dmlrand.verification.report.segment_text import segment_rows, sentence_of
from dmlrand.verification.report.text import report_lines

STATE = make_state(counter=2**64 - 5, key=0xDEADBEEF12345)
RIGHT = random_generator(STATE, 10_000).values
OTHER = random_generator(make_state(counter=0, key=3), 10_000).values
NO_STREAM = "are not found in the key's stream"


def skipping(start, words):
    """The right words up to `start`, and then those `words` further on."""
    later = random_generator(advance_blocks(STATE, words // 4), 10_000).values
    return np.r_[RIGHT[:start], later[start:]]


DUMPS = {
    "garbage": (np.r_[RIGHT[:777], OTHER[777:900]], f"Words 0 to 776 are right; words 777 to 899 {NO_STREAM}."),
    "restart": (
        np.r_[RIGHT[:2_345], RIGHT[:7_655]],
        "Words 0 to 2,344 are right; words 2,345 to 9,999 are the stream from its first word on.",
    ),
    "skip": (
        skipping(2_048, 36),
        "Words 0 to 2,047 are right; words 2,048 to 9,999 are 36 words (9 blocks) too far in the stream.",
    ),
    "transposed": (
        np.ascontiguousarray(RIGHT[:6000].reshape(10, 20, 30).transpose(2, 0, 1)),
        "Element [i, j, k] holds word i + j*600 + k*30, so the axes are in another order: "
        "store word i*200 + j*20 + k there.",
    ),
}


@cache
def report_on(name):
    return verify(STATE, DUMPS[name][0])


@cache
def report_on_many_segments():
    values = RIGHT.copy()
    values[100:2000:100] = 0
    return verify(STATE, values)


def test_the_sentence_for_thread_ids():
    """verify 6.7"""

    def sentence(blocks_apart, group=1, threads=50):
        starts = [advance_blocks(STATE, thread * blocks_apart) for thread in range(threads)]
        return sentence_of(verify(STATE, np.concatenate([random_generator(s, 4 * group).values for s in starts])))

    assert sentence(2**64) == (
        "The generator adds the block's number to counter word 2 alone, as a thread's subsequence of curand_init: "
        "add the block's number to the 128-bit counter."
    )
    assert sentence(2**96, 8).startswith(
        "The generator adds the number of the group of 8 blocks to counter word 3, and the number in the group to "
    )


@pytest.mark.parametrize("name", DUMPS)
def test_one_sentence_says_what_is_wrong(name):
    """verify 6.7"""
    assert sentence_of(report_on(name)) == DUMPS[name][1]


def test_the_sentence_if_only_the_state_or_the_size_is_wrong():
    """verify 6.7"""
    report = verify(STATE, RIGHT, STATE)
    assert sentence_of(report) == f"All words compared are right. {report.diagnosis[0].sentence}"
    assert sentence_of(report._replace(diagnosis=())) == "All words compared are right. The new state is wrong."
    both = verify(STATE, RIGHT.byteswap(), STATE)
    assert sentence_of(both) == f"{both.diagnosis[0].sentence} The new state is wrong too. {both.diagnosis[1].sentence}"
    assert sentence_of(both, "9 of 10 words") == f"The dump holds 9 of 10 words. {sentence_of(both)}"
    one_fault = both._replace(diagnosis=(both.diagnosis[0], both.diagnosis[0]._replace(name="state-bytes-swapped")))
    assert sentence_of(one_fault) == both.diagnosis[0].sentence
    short = verify(STATE, RIGHT)._replace(ok=False)
    assert sentence_of(short, "9 of 10 words") == "The dump holds 9 of 10 words; all words compared are right."


def test_the_sentence_for_many_segments():
    """verify 6.7"""
    assert sentence_of(report_on_many_segments()) == (
        "9,981 of 10,000 words are right; the first of 19 wrong segments: word 100 is the constant 0x0."
    )


def test_the_table_is_short():
    """verify 6.7"""
    rows = list(segment_rows(report_on_many_segments()))
    assert len(rows) == 21
    assert rows[:2] == ["segments         0 to     99  right", "               100 to    100  the constant 0x0"]
    assert rows[-1] == "            and 19 more"
    varying = Segment(0, 90, 7, None, 0.5, varies=True)
    report = Verification(False, 90, 45, None, (), (varying, Segment(3, 90, None, None, 0.5)))
    assert list(segment_rows(report)) == [
        "segments     0 to 89  shifted in the stream, by varying offsets, 50 % of these words",
        "             3 to 89  not found in the key's stream, 50 % of these words",
    ]


@pytest.mark.parametrize("name, state_out", [("right", None), ("restart", "before.npy")])
def test_json(tmp_path, capsys, monkeypatch, name, state_out):
    """verify 6.8"""
    monkeypatch.chdir(tmp_path)
    values = {"right": RIGHT, "restart": DUMPS["restart"][0]}[name]
    save_checkpoint("before.npy", STATE)
    save_checkpoint("after.npy", advance_blocks(STATE, 2_500))
    np.save("v.npy", values)
    more = [] if state_out is None else ["--state-out", state_out]
    code = main(["verify", "--state-in", "before.npy", "--values", "v.npy", "--json", *more])
    printed = capsys.readouterr()
    assert printed.err == "" and printed.out.count("\n") == 1
    found = json.loads(printed.out)
    report = verify(STATE, values, None if state_out != "before.npy" else STATE)
    assert code == int(not report.ok)
    first = report.first_mismatch
    assert found == {
        "format": "dmlrand verification",
        "version": 1,
        "ok": report.ok,
        "sentence": sentence_of(report),
        "words": 10_000,
        "loose_bytes": 0,
        "demanded_words": 10_000,
        "compared_words": 10_000,
        "mismatches": report.mismatches,
        "first_mismatch": None if first is None else first._asdict() | {"index": list(first.index)},
        "new_state_ok": None if state_out is None else state_out == "after.npy",
        "diagnosis": [{"name": finding.name, "sentence": finding.sentence} for finding in report.diagnosis],
        "segments": [segment._asdict() for segment in report.segments],
    }


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("skip", "Check which counter each thread uses, and where it stores its words."),
        ("garbage", "round by round: dmlrand trace --counter "),
        ("transposed", None),
    ],
)
def test_the_advice_does_not_contradict_the_sentence(name, advice):
    """verify 6.1: a block is compared only if words are foreign."""
    lines = list(report_lines(report_on(name), STATE, None, 10_000))
    assert ("cause" in lines[-1]) if advice is None else (advice in lines[-1])
    assert any("No known fault" in line for line in lines) == (name == "garbage")
