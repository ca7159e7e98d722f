"""The check of a kit's outputs: stand-ins for a device, right ones and ones with a planted fault, and the report."""

import json
import re
import shutil
from contextlib import redirect_stdout
from io import StringIO
from xml.etree import ElementTree

import numpy as np
import pytest
from conformance_devices import (
    UNWRITTEN,
    cases_of,
    places,
    run_device,
    save_npy,
    save_raw,
    write_log,
)
from faulty_generators import GENERATORS, STATE_UPDATES

from dmlrand import verify
from dmlrand.cli import main
from dmlrand.conformance import check_kit, faults, write_kit
from dmlrand.conformance.cases import PROVED, all_cases
from dmlrand.files import decode_json

MAX_WORDS = 120  # of the cases that generators in plain ints draw
CASES = 76


@pytest.fixture(scope="module")
def empty_kit(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kit")
    write_kit(folder, MAX_WORDS)
    return folder


@pytest.fixture
def kit(empty_kit, tmp_path):
    shutil.copytree(empty_kit, tmp_path / "kit")
    return tmp_path / "kit"


@pytest.fixture(scope="module")
def outputs_of_a_right_device(empty_kit, tmp_path_factory):
    folder = tmp_path_factory.mktemp("right")
    shutil.copy(empty_kit / "cases.json", folder)
    run_device(folder)
    return folder / "outputs"


@pytest.fixture
def right_outputs(kit, outputs_of_a_right_device):
    shutil.copytree(outputs_of_a_right_device, kit / "outputs")


def check(kit):
    """The report that the command gets from the function, and what the command prints."""
    reports = []

    def check_once(folder, progress):
        reports.append(check_kit(folder))
        return reports[-1]

    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as printed:
        patch.setattr("dmlrand.conformance.check_kit", check_once)
        code = main(["conformance", "check", str(kit)])
    (report,) = reports
    assert code == (0 if report.ok else 1)
    assert printed.getvalue().startswith(report.summary() + "\n")
    return report, printed.getvalue()


def statuses(report):
    return {result.case.name: result.status for result in report.results}


# A right device


@pytest.mark.parametrize("save", [save_npy, save_raw])
def test_a_right_implementer_passes_with_cases_json_alone(kit, save):
    """conformance 3.4, 4.1, 4.4 and 5.1: it reads neither the model files nor the expected outputs."""
    shutil.rmtree(kit / "models")
    shutil.rmtree(kit / "expected")
    run_device(kit, save=save)
    report, text = check(kit)
    assert report.ok and text.startswith(f"ok: all {CASES} cases are right.\n")
    assert set(statuses(report).values()) == {"right"}
    assert report.hresults() == [("0x80070057 (E_INVALIDARG)", 16)]
    assert "0x80070057 (E_INVALIDARG), in 16 cases" in text


# Devices with one fault

# Faults that have no words of their own in a search are in test_fault_models.py. Each wrong case is compared, so most
# tests of devices with many wrong cases run no case of these groups.
MANY_CASES = ("length-", "rank-")


@pytest.mark.parametrize("name", ["counter-words-reversed", "signed-products", "no-carry-out-of-word-2"])
def test_a_planted_fault_of_the_words_is_named(kit, name):
    """conformance 4.1 and 5.2: every wrong case that one fault can explain has this fault among its findings."""
    run_device(kit, words=GENERATORS[name], left_out=MANY_CASES)
    report = check_kit(kit)
    assert f"Likeliest faults: {name} in " in report.summary()
    for result in report.with_status("wrong"):
        assert any(finding.name == name for finding in result.findings), result.case.name


@pytest.mark.parametrize("name", ["state-advanced-by-words", "state-no-carry-out-of-word-2"])
def test_a_planted_fault_of_the_state_is_named(kit, name):
    """conformance 4.1 and 5.2: in the cases of one draw, because a later draw starts from the wrong state."""
    run_device(kit, state=dict(STATE_UPDATES)[name], left_out=MANY_CASES)
    report = check_kit(kit)
    assert f"{name} in " in report.summary()
    wrong = [result for result in report.with_status("wrong") if result.case.draws == 1]
    assert wrong and all(any(finding.name == name for finding in result.findings) for result in wrong)
    assert all(result.case.has_new_state for result in wrong)


def test_a_fault_is_searched_once(kit, monkeypatch):
    """conformance 4.6: the later cases are compared with the faults of the earlier ones."""
    searched = []

    def verify_once(*arguments):
        searched.append(verify(*arguments))
        return searched[-1]

    monkeypatch.setattr(faults, "verify", verify_once)
    run_device(kit, words=GENERATORS["rounds-9"], left_out=MANY_CASES)
    progress = []
    report = check_kit(kit, lambda *counts: progress.append(counts))
    assert len(report.with_status("wrong")) > 20 and sum(not found.ok for found in searched) == 1
    assert progress == [(done, CASES) for done in range(CASES + 1)]
    wrong = report.with_status("wrong")[-1]
    assert wrong.lines == (f"The first {wrong.case.words} words are those of a generator with the fault rounds-9.",)


def test_a_fault_that_would_change_a_right_case_is_left_out(kit):
    """conformance 5.2: with 5 words, floor(n / 4) and ceil(n / 4) - 1 are the same. With 8 they are not."""
    run_device(kit, state=dict(STATE_UPDATES)["state-advanced-by-floor"])
    report = check_kit(kit)
    (five,) = [result for result in report.results if result.case.name == "length-5"]
    assert {"state-advanced-by-floor", "state-advanced-one-short"} <= {finding.name for finding in five.findings}
    named = {finding.name for finding, _ in report.faults}
    assert "state-advanced-by-floor" in named and "state-advanced-one-short" not in named


def test_a_device_that_loses_a_carry_in_words_and_state(kit):
    """conformance 5.2: one fault of the words and one of the states explain every wrong case."""
    update = dict(STATE_UPDATES)["state-no-carry-out-of-word-0"]
    run_device(kit, words=GENERATORS["no-carry-out-of-word-0"], state=update)
    report, text = check(kit)
    assert "no-carry-out-of-word-0 in " in text.splitlines()[0]
    assert "state-no-carry-out-of-word-0 in " in text.splitlines()[0]
    assert {case.name for case in (result.case for result in report.with_status("wrong"))} >= {
        "carry-32-inside-a-draw", "carry-32-at-the-end", "carry-32-in-the-last-block", "carry-64-at-the-end",
    }  # fmt: skip
    # On the terminal, three wrong cases have all details and the others have the names of their faults.
    assert text.count("new state   wrong") <= 3 and "\n* carry-64-at-the-end: state-no-carry-out-of-word-0\n" in text
    assert text.endswith("report.md has the details of every case.\n")


# What the page leaves open: the findings name what the device does


def test_other_places_of_words_in_a_strided_output(kit):
    """conformance 4.2: a device that fills the buffer in the order of memory"""
    run_device(kit, place=lambda tensor: sorted(places(tensor)), left_out=MANY_CASES)
    wrong = {name for name, status in statuses(check_kit(kit)).items() if status == "wrong"}
    assert wrong and all("strided" in name or "strides" in name for name in wrong)


def test_words_written_outside_the_elements(kit):
    """conformance 4.2"""

    def save(path, buffer):
        save_npy(path, [0 if word == UNWRITTEN else word for word in buffer])

    run_device(kit, save=save)
    report = check_kit(kit)
    (result,) = [result for result in report.results if result.case.name == "unused-words"]
    assert result.lines == (
        "The device wrote 11 words of the buffer of values that belong to no element, first word 9: write only the "
        "elements.",
    )
    (result,) = [result for result in report.results if result.case.name == "state-strided"]
    assert "10 words of the buffer of the new state that belong to no element, first word 1:" in result.lines[0]


# Refusals


def test_a_device_that_refuses_ranks_and_strides(kit):
    """conformance 4.3 and 4.4"""
    run_device(kit, refused=("rank-8", "strided-", "state-in-place"))
    report, text = check(kit)
    assert statuses(report)["rank-8"] == statuses(report)["strided-transposed"] == "wrong"
    assert "rank-8: Whether tensors of 8 dimensions" in text
    assert "The run ended with an error: 0x80070057 (E_INVALIDARG)." in text


def test_a_device_that_accepts_everything(kit):
    """conformance 1.3 and 4.4"""
    run_device(kit, accepts_all=True)
    report = check_kit(kit)
    assert {name for name, status in statuses(report).items() if status != "right"} == {
        case["name"] for case in cases_of(kit) if case["expected"] != "words"
    }
    assert report.with_status("wrong")[0].lines == (
        "The device accepted the descriptor, which DirectML's pages forbid.",
    )


@pytest.mark.parametrize(
    "text, code, found",
    [
        ("Failed to execute: 0x80004005 and 0x80070057", 1, "0x80004005 (E_FAIL)"),
        ("no number", -2147024809, "0x80070057 (E_INVALIDARG)"),
        ("no number", 0x887A0005, "0x887a0005"),
        ("another number", -2005270490, "0x887a0026"),
        ("no number", 3, "no HRESULT in the log"),
        ("no number", -1, "no HRESULT in the log"),
    ],
)
def test_the_hresult_of_a_log(kit, right_outputs, text, code, found):
    """conformance 4.3"""
    for case in cases_of(kit):
        if case["expected"] == "error":
            write_log(kit, case, text, code)
    assert check_kit(kit).hresults() == [(found, 16)]


def test_a_crash_is_no_refusal(kit, right_outputs):
    """conformance 4.3 and 4.4"""
    (crashed,) = [case for case in cases_of(kit) if case["name"] == "error-two-states"]
    write_log(kit, crashed, "after 0x80004005", -1073741819)
    report = check_kit(kit)
    (result,) = report.with_status("wrong")
    assert (result.case.name, result.lines) == ("error-two-states", ("The run crashed: 0xc0000005.",))


@pytest.mark.parametrize("log", [None, "Running on 'device'\nexit code 0\n", "exit code 5\nthe log ends here", ""])
def test_a_case_that_was_not_run_is_missing(kit, right_outputs, log):
    """conformance 4.3 and 4.4"""
    path = kit / "outputs" / "error-two-states.txt"
    path.unlink() if log is None else path.write_text(log)
    report = check_kit(kit)
    assert not report.ok and [result.case.name for result in report.with_status("missing")] == ["error-two-states"]
    assert report.summary() == f"WRONG: 0 of {CASES} cases are wrong, and 1 has no complete output."


# Files


def test_missing_outputs_are_reported_for_each_case(kit, right_outputs):
    """conformance 4.4 and 5.4: a wrong draw counts more than a missing one."""
    np.save(kit / "outputs" / "unread-2.values-2.npy", np.zeros(6, np.uint32))
    (kit / "outputs" / "unread-2.values-1.npy").unlink()
    for name in ("order-key.values-1", "order-both.state-1", "unread-3.values-2", "strided-transposed.values-1"):
        (kit / "outputs" / f"{name}.npy").unlink()
    (kit / "outputs" / "strided-transposed.state-1.npy").unlink()
    report, text = check(kit)
    assert {result.case.name: result.lines for result in report.with_status("missing")} == {
        "order-key": ("There is no file of values.",),
        "order-both": ("There is no file of the new state.",),
        "unread-3": ("draw 2: There is no file of values.",),
        "strided-transposed": ("There is no output.",),
    }
    (result,) = report.with_status("wrong")
    assert result.case.name == "unread-2"
    assert result.lines[0].startswith("draw 2: ") and result.lines[-1] == "draw 1: There is no file of values."


@pytest.mark.parametrize(
    "name, data, line",
    [
        ("known-pi.values-1.npy", b"\x93NUMPY\x01\x00", "is not a complete .npy file"),
        ("known-pi.values-1.npy", b"", "is not a complete .npy file"),
        ("known-pi.values-1.npy", np.zeros(4, np.int32), "holds int32, not uint32."),
        ("known-pi.values-1.npy", np.zeros(5, np.uint32), "holds 5 words, not 4."),
        ("known-pi.state-1.npy", np.zeros((1, 4), np.uint32), "holds 4 words, not 6."),
        ("state-strided.state-1.npy", np.zeros(6, np.uint32), "holds 6 words, not 16. Put each word at the place that"),
        ("known-pi.values-1.bin", b"12345", "holds 5 bytes, which are not whole words."),
    ],
)
def test_a_file_that_is_not_the_buffer_makes_its_case_wrong(kit, right_outputs, name, data, line):
    """conformance 4.4"""
    path = kit / "outputs" / name
    path.with_suffix(".npy").unlink()
    path.write_bytes(data) if isinstance(data, bytes) else np.save(path, data)
    report, text = check(kit)
    (result,) = report.with_status("wrong")
    assert result.case.name == name.partition(".")[0] and result.lines[0].startswith(f"{name} {line}")
    assert f"{name} {line}" in text


def test_words_in_the_other_byte_order_of_a_npy_file_are_read(kit):
    """conformance 3.4"""
    other_order = np.dtype(np.uint32).newbyteorder()
    run_device(kit, save=lambda path, buffer: np.save(f"{path}.npy", np.array(buffer, other_order)))
    assert check_kit(kit).ok


# The report


def test_the_report_is_written_as_json_and_markdown(kit):
    """conformance 5.1 and 5.3"""
    run_device(kit, words=GENERATORS["rounds-9"], refused=("rank-8",))
    (kit / "outputs" / "rank-7.values-1.npy").unlink()
    (kit / "outputs" / "rank-7.state-1.npy").unlink()
    report, text = check(kit)
    members = decode_json((kit / "report.json").read_bytes(), "dmlrand conformance report", 1)
    assert set(members) == {"version", "dmlrand", "ok", "summary", "counts", "cases", "faults"}
    assert members["ok"] is False and members["summary"] == text.splitlines()[0]
    assert members["counts"]["missing"] == 1 and sum(members["counts"].values()) == CASES
    cases = {case["name"]: case for case in members["cases"]}
    assert cases["rank-8"]["status"] == "wrong" and cases["rank-8"]["hresult"] == "0x80070057"
    assert cases["known-pi"]["findings"][0]["name"] == "rounds-9" and cases["known-pi"]["hresult"] is None
    assert members["faults"][0]["name"] == "rounds-9"
    assert members["faults"][0]["cases"] == sum("rounds-9" in str(case["findings"]) for case in members["cases"])
    page = (kit / "report.md").read_text("utf-8")
    assert members["summary"] in page and "* `rank-7`: missing" in page and "* rank-8: Whether" in page


def test_the_report_as_junit_xml(kit, tmp_path, capsys):
    """conformance 5.4"""
    run_device(kit, refused=("rank-8",))
    (kit / "outputs" / "rank-7.values-1.npy").unlink()
    (kit / "outputs" / "rank-7.state-1.npy").unlink()
    assert main(["conformance", "check", str(kit), "--junit", str(tmp_path / "results.xml")]) == 1
    suite = ElementTree.parse(tmp_path / "results.xml").getroot()
    assert (suite.tag, suite.attrib) == (
        "testsuite",
        {"name": "dmlrand conformance", "tests": str(CASES), "failures": "2"},
    )
    cases = {case.get("name"): case for case in suite}
    assert cases["known-pi"].get("classname") == "known answers" and not len(cases["known-pi"])
    assert cases["rank-7"][0].tag == "failure" and cases["rank-7"][0].get("message") == "There is no output."
    assert cases["rank-8"][0].text == "The run ended with an error: 0x80070057 (E_INVALIDARG)."
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
def test_a_folder_without_a_kit_or_without_outputs_is_bad_input(kit, capsys, folder, said):
    """conformance 4.5, 5.1"""
    assert main(["conformance", "check", str(kit.parent / folder)]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and re.search(said, printed.err) and printed.err.count("\n") == 1
    assert not list(kit.parent.rglob("report.*"))


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda text: text.replace('"known-zeros"', '"known-zeroes"'), "does not match its checksum"),
        (lambda text: text[:1000], "is not complete JSON"),
        (lambda text: json.dumps({**json.loads(text), "version": 2}), "has version 2, not 1"),
    ],
)
def test_a_changed_cases_json_is_bad_input(kit, change, message):
    """conformance 3.1, 4.5"""
    path = kit / "cases.json"
    path.write_text(change(path.read_text("utf-8")), "utf-8")
    with pytest.raises(ValueError, match=message):
        check_kit(kit)


def test_the_command_writes_a_kit(tmp_path, capsys):
    """conformance 2.1 and 2.4"""
    assert main(["conformance", "write", str(tmp_path / "kit"), "--max-words", "8"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"kit      {tmp_path / 'kit'}"
    proved = sum(case.group in PROVED and case.words <= 8 for case in all_cases())
    assert lines[3].startswith(f"proved   {proved} cases, for every counter and size: carries of the counter, ")
    assert main(["conformance", "write", str(tmp_path)]) == 2
    assert "DIR must be empty or hold a conformance kit; got '" in capsys.readouterr().err
