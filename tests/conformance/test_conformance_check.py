"""The check of a kit's outputs: stand-ins for a device, right ones and ones with a planted fault, and the report."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from conformance_devices import UNWRITTEN, cases_of, places, run_device, save_npy, save_raw
from faulty_generators import GENERATORS, STATE_UPDATES

from dmlrand import verify
from dmlrand.cli import main
from dmlrand.conformance import check_kit, faults
from dmlrand.conformance.cases import PROVED, all_cases
from dmlrand.conformance.cases_file import NAME, encode_cases
from dmlrand.conformance.report import report_text
from dmlrand.files import decode_json

MAX_WORDS = 120  # of the cases that generators in plain ints draw
UPDATES = dict(STATE_UPDATES)
# The other groups have many cases of the same kind, and each wrong case takes a search or a comparison.
FEW = ("known-", "order-", "carry-", "state-", "unread-", "strided-", "unused-", "error-")


@pytest.fixture
def make_kit(tmp_path):
    """make_kit("a-", "b-"): a kit of the cases whose names begin so. The check reads its cases.json alone."""

    def make(*beginnings):
        cases = [case for case in all_cases() if case.words <= MAX_WORDS and case.name.startswith(beginnings or "")]
        folder = tmp_path / "kit"
        (folder / "outputs").mkdir(parents=True, exist_ok=True)
        (folder / NAME).write_bytes(encode_cases(cases))
        return folder

    return make


def by_name(report):
    return {result.case.name: result for result in report.results}


# A right device


@pytest.mark.parametrize("save", [save_npy, save_raw])
def test_a_right_implementer_passes_with_cases_json_alone(make_kit, capsys, save):
    """conformance 3.4, 4.1, 4.4 and 5.1: it reads neither the model files nor the expected outputs."""
    kit = make_kit()
    run_device(kit, save=save)
    assert main(["conformance", "check", str(kit)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("ok: all 76 cases are right.\n")
    assert "0x80070057 (E_INVALIDARG), in 16 cases" in printed


def test_words_in_the_other_byte_order_of_a_npy_file_are_read(make_kit):
    """conformance 3.4"""
    kit = make_kit("known-")
    other_order = np.dtype(np.uint32).newbyteorder()
    run_device(kit, save=lambda path, buffer: np.save(f"{path}.npy", np.array(buffer, other_order)))
    assert check_kit(kit).ok


# Devices with one fault. Faults that have no words of their own in a search are in test_fault_models.py.


@pytest.mark.parametrize("name", ["counter-words-reversed", "signed-products", "no-carry-out-of-word-2"])
def test_a_planted_fault_of_the_words_is_named(make_kit, name):
    """conformance 4.1 and 5.2: every wrong case that one fault can explain has this fault among its findings."""
    kit = make_kit(*FEW)
    run_device(kit, words=GENERATORS[name])
    report = check_kit(kit)
    assert f"Likeliest faults: {name} in " in report.summary()
    for result in report.with_status("wrong"):
        assert any(finding.name == name for finding in result.findings), result.case.name


@pytest.mark.parametrize("name", ["state-advanced-by-words", "state-no-carry-out-of-word-2"])
def test_a_planted_fault_of_the_state_is_named(make_kit, name):
    """conformance 4.1 and 5.2"""
    kit = make_kit("known-pi", "carry-", "state-not-stored", "state-strided")
    run_device(kit, state=UPDATES[name])
    report = check_kit(kit)
    assert f"{name} in " in report.summary()
    wrong = report.with_status("wrong")
    assert wrong and all(any(finding.name == name for finding in result.findings) for result in wrong)
    assert by_name(report)["state-not-stored"].status == "right"


def test_a_fault_is_searched_once(make_kit, monkeypatch):
    """conformance 4.6: the later cases are compared with the faults of the earlier ones."""
    searched = []

    def verify_once(*arguments):
        searched.append(verify(*arguments))
        return searched[-1]

    monkeypatch.setattr(faults, "verify", verify_once)
    kit = make_kit("known-", "order-", "carry-64-")
    run_device(kit, words=GENERATORS["rounds-9"])
    progress = []
    report = check_kit(kit, lambda *counts: progress.append(counts))
    wrong, count = report.with_status("wrong"), len(report.results)
    assert len(wrong) == count >= 10 and sum(not found.ok for found in searched) == 1
    assert progress == [(done, count) for done in range(count + 1)]
    assert wrong[-1].lines == (
        f"The first {wrong[-1].case.words} words are those of a generator with the fault rounds-9.",
    )


def test_a_fault_that_would_change_a_right_case_is_left_out(make_kit):
    """conformance 5.2: with 5 words, floor(n / 4) and ceil(n / 4) - 1 are the same. With 8 they are not."""
    kit = make_kit("length-5", "length-8")
    run_device(kit, state=UPDATES["state-advanced-by-floor"])
    report = check_kit(kit)
    assert {"state-advanced-by-floor", "state-advanced-one-short"} <= {
        finding.name for finding in by_name(report)["length-5"].findings
    }
    named = {finding.name for finding, _ in report.faults}
    assert "state-advanced-by-floor" in named and "state-advanced-one-short" not in named


def test_a_device_that_loses_a_carry_in_words_and_state(make_kit):
    """conformance 5.2: one fault of the words and one of the states explain every wrong case."""
    kit = make_kit("known-", "carry-")
    run_device(kit, words=GENERATORS["no-carry-out-of-word-0"], state=UPDATES["state-no-carry-out-of-word-0"])
    report = check_kit(kit)
    summary, text = report.summary(), report_text(report)
    assert "no-carry-out-of-word-0 in " in summary and "state-no-carry-out-of-word-0 in " in summary
    assert {result.case.name for result in report.with_status("wrong")} >= {
        "carry-32-inside-a-draw", "carry-32-at-the-end", "carry-32-in-the-last-block", "carry-64-at-the-end",
    }  # fmt: skip
    # On the terminal, three wrong cases have all details and the others have the names of their faults.
    assert text.count("new state   wrong") <= 3 and "\n* carry-64-at-the-end: state-no-carry-out-of-word-0\n" in text
    assert text.endswith("report.md has the details of every case.\n")


# What the page leaves open: the findings name what the device does


def test_other_places_of_words_in_a_strided_output(make_kit):
    """conformance 4.2: a device that fills the buffer in the order of memory"""
    kit = make_kit("known-", "strided-", "unused-words")
    run_device(kit, place=lambda tensor: sorted(places(tensor)))
    wrong = {result.case.name for result in check_kit(kit).with_status("wrong")}
    assert wrong == {"strided-transposed", "strided-column-major", "strided-axes-exchanged", "unused-words-and-strides"}


def test_words_written_outside_the_elements(make_kit):
    """conformance 4.2"""

    def save(path, buffer):
        save_npy(path, [0 if word == UNWRITTEN else word for word in buffer])

    kit = make_kit("unused-words", "state-strided")
    run_device(kit, save=save)
    results = by_name(check_kit(kit))
    assert results["unused-words"].lines == (
        "The device wrote 11 words of the buffer of values that belong to no element, first word 9: write only the "
        "elements.",
    )
    of_state = "10 words of the buffer of the new state that belong to no element, first word 1:"
    assert of_state in results["state-strided"].lines[0]


# Refusals


def test_a_device_that_accepts_everything(make_kit):
    """conformance 1.3 and 4.4"""
    kit = make_kit("known-", "error-")
    run_device(kit, accepts_all=True)
    accepted = "The device accepted the descriptor, which DirectML's pages forbid."
    assert {result.case.name: result.lines for result in check_kit(kit).results} == {
        case["name"]: () if case["expected"] == "words" else (accepted,) for case in cases_of(kit)
    }


REFUSED = "The device refused the descriptor: "
# The log of a case of a wrong descriptor, and the status and the line of its report.
LOGS = [
    ("Failed: 0x80004005 and 0x80070057\nexit code 1\n", "right", f"{REFUSED}0x80004005 (E_FAIL)."),
    ("no number\nexit code -2147024809\n", "right", f"{REFUSED}0x80070057 (E_INVALIDARG)."),
    (f"no number\nexit code {0x887A0005}\n", "right", f"{REFUSED}0x887a0005."),
    ("another number\nexit code -2005270490\n", "right", f"{REFUSED}0x887a0026."),
    ("no number\nexit code 3\n", "right", f"{REFUSED}exit code 3."),
    ("no number\nexit code -1\n", "right", f"{REFUSED}exit code 4294967295."),
    ("after 0x80004005\nexit code -1073741819\n", "wrong", "The run crashed: 0xc0000005."),
    (None, "missing", "There is no output."),
    ("Running on 'device'\nexit code 0\n", "missing", "There is no output."),
    ("exit code 5\nthe log ends here", "missing", "There is no output."),
    ("", "missing", "There is no output."),
]


def test_the_log_tells_a_refusal_from_a_crash_and_from_a_case_that_was_not_run(make_kit):
    """conformance 4.3 and 4.4"""
    kit = make_kit("error-")
    run_device(kit)
    names = [case["name"] for case in cases_of(kit)][: len(LOGS)]
    for name, (log, _, _) in zip(names, LOGS, strict=True):
        path = kit / "outputs" / f"{name}.txt"
        path.unlink() if log is None else path.write_text(log)
    report = check_kit(kit)
    for name, (log, status, line) in zip(names, LOGS):
        result = by_name(report)[name]
        assert (result.status, result.lines) == (status, (line,)), log
    assert report.hresults() == [
        ("0x80070057 (E_INVALIDARG)", 6), ("no HRESULT in the log", 2),
        ("0x80004005 (E_FAIL)", 1), ("0x887a0005", 1), ("0x887a0026", 1),
    ]  # fmt: skip
    assert report.summary() == "WRONG: 1 of 16 cases is wrong, and 4 have no complete output."


# Files

NO_VALUES = "There is no file of values."
# A case, what its outputs are in place of the right ones, and the status and the start of the first line of its report.
FILES = [
    ("known-zeros", {"values-1.npy": b"\x93NUMPY\x01\x00"}, "wrong", "{} is not a complete .npy file"),
    ("known-ones", {"values-1.npy": b""}, "wrong", "{} is not a complete .npy file"),
    ("known-pi", {"values-1.npy": np.zeros(4, np.int32)}, "wrong", "{} holds int32, not uint32."),
    ("known-key-42", {"values-1.npy": np.zeros(5, np.uint32)}, "wrong", "{} holds 5 words, not 4."),
    ("sign-bit-of-word-0", {"state-1.npy": np.zeros((1, 4), np.uint32)}, "wrong", "{} holds 4 words, not 6."),
    ("state-strided", {"state-1.npy": np.zeros(6, np.uint32)}, "wrong",
     "{} holds 6 words, not 16. Put each word at the place that"),
    ("sign-bit-of-word-1", {"values-1.bin": b"12345", "values-1.npy": None}, "wrong",
     "{} holds 5 bytes, which are not whole words."),
    ("order-key", {"values-1.npy": None}, "missing", NO_VALUES),
    ("order-both", {"state-1.npy": None}, "missing", "There is no file of the new state."),
    ("unread-3", {"values-2.npy": None}, "missing", f"draw 2: {NO_VALUES}"),
    ("strided-transposed", {"values-1.npy": None, "state-1.npy": None}, "missing", "There is no output."),
    # A wrong draw counts more than a missing one.
    ("unread-2", {"values-2.npy": np.zeros(6, np.uint32), "values-1.npy": None}, "wrong", "draw 2: "),
]  # fmt: skip


def test_a_file_that_is_missing_or_is_not_the_buffer(make_kit):
    """conformance 4.4 and 5.4"""
    kit = make_kit("order-counter", *(name for name, *_ in FILES))
    run_device(kit)
    for name, changes, _, _ in FILES:
        for ending, data in changes.items():
            path = kit / "outputs" / f"{name}.{ending}"
            path.unlink(missing_ok=True)
            if data is not None:
                path.write_bytes(data) if isinstance(data, bytes) else np.save(path, data)
    results = by_name(check_kit(kit))
    for name, changes, status, line in FILES:
        result = results.pop(name)
        assert result.status == status, (name, result.lines)
        assert result.lines[0].startswith(line.format(f"{name}.{next(iter(changes))}")), (name, result.lines)
    assert result.lines[-1] == f"draw 1: {NO_VALUES}"
    assert [(name, result.status) for name, result in results.items()] == [("order-counter", "right")]


# The report


def test_the_report_as_text_json_and_junit_xml(make_kit, tmp_path, capsys):
    """conformance 5.1, 5.3 and 5.4"""
    kit = make_kit("known-", "rank-7", "rank-8", "error-")
    run_device(kit, words=GENERATORS["rounds-9"], refused=("rank-8",))
    for name in ("values-1", "state-1"):
        (kit / "outputs" / f"rank-7.{name}.npy").unlink()
    assert main(["conformance", "check", str(kit), "--junit", str(tmp_path / "results.xml")]) == 1
    printed, count = capsys.readouterr().out, 4 + 2 + 16
    assert printed == report_text(check_kit(kit))

    members = decode_json((kit / "report.json").read_bytes(), "dmlrand conformance report", 1)
    assert set(members) == {"version", "dmlrand", "ok", "summary", "counts", "cases", "faults"}
    assert members["ok"] is False and members["summary"] == printed.splitlines()[0]
    assert members["counts"] == {"right": 16, "wrong": 5, "missing": 1}
    cases = {case["name"]: case for case in members["cases"]}
    assert cases["rank-8"]["status"] == "wrong" and cases["rank-8"]["hresult"] == "0x80070057"
    assert cases["known-pi"]["findings"][0]["name"] == "rounds-9" and cases["known-pi"]["hresult"] is None
    assert (members["faults"][0]["name"], members["faults"][0]["cases"]) == ("rounds-9", 4)

    page = (kit / "report.md").read_text("utf-8")
    assert members["summary"] in page and "* `rank-7`: missing" in page and "* rank-8: Whether" in page

    suite = ElementTree.parse(tmp_path / "results.xml").getroot()
    counts = {"tests": str(count), "failures": "6"}
    assert (suite.tag, suite.attrib) == ("testsuite", {"name": "dmlrand conformance", **counts})
    cases = {case.get("name"): case for case in suite}
    assert cases["known-pi"].get("classname") == "known answers" and len(cases["known-pi"]) == 1
    assert not len(cases["error-two-states"])
    assert cases["rank-7"][0].tag == "failure" and cases["rank-7"][0].get("message") == "There is no output."
    assert cases["rank-8"][0].text == "The run ended with an error: 0x80070057 (E_INVALIDARG)."


def test_the_report_of_a_page_has_no_junit_xml(tmp_path, capsys):
    """conformance 5.4"""
    (tmp_path / "report.json").write_text("{}")
    assert main(["conformance", "check", str(tmp_path / "report.json"), "--junit", "results.xml"]) == 2
    assert "--junit needs the folder of a kit; got the report of a page. Leave --junit out." in capsys.readouterr().err


@pytest.mark.parametrize(
    "folder, said",
    [
        (".", r"must be a folder with a conformance kit; .* Make one with: dmlrand conformance write DIR"),
        ("kit", "must hold what a device returned; it has no file of any case. Run the model files first"),
    ],
)
def test_a_folder_without_a_kit_or_without_outputs_is_bad_input(make_kit, capsys, folder, said):
    """conformance 4.5, 5.1"""
    parent = make_kit("known-").parent
    assert main(["conformance", "check", str(parent / folder)]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and re.search(said, printed.err) and printed.err.count("\n") == 1
    assert not list(parent.rglob("report.*"))


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda text: text.replace('"known-zeros"', '"known-zeroes"'), "does not match its checksum"),
        (lambda text: text[:1000], "is not complete JSON"),
        (lambda text: json.dumps({**json.loads(text), "version": 2}), "has version 2, not 1"),
    ],
)
def test_a_changed_cases_json_is_bad_input(make_kit, change, message):
    """conformance 3.1, 4.5"""
    path = make_kit("known-") / NAME
    path.write_text(change(path.read_text("utf-8")), "utf-8")
    with pytest.raises(ValueError, match=message):
        check_kit(path.parent)


def test_the_command_writes_a_kit(tmp_path, capsys):
    """conformance 2.1 and 2.4"""
    assert main(["conformance", "write", str(tmp_path / "kit"), "--max-words", "8"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"kit      {tmp_path / 'kit'}"
    proved = sum(case.group in PROVED and case.words <= 8 for case in all_cases())
    assert lines[3].startswith(f"proved   {proved} cases, for every counter and size: carries of the counter, ")
    assert main(["conformance", "write", str(tmp_path)]) == 2
    assert "DIR must be empty or hold a conformance kit; got '" in capsys.readouterr().err
