"""The report of a check, as text, as Markdown, as JSON and as JUnit XML."""

from __future__ import annotations

import xml.etree.ElementTree as xml
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from .. import __version__
from ..files.checksummed_json import encode_json
from ..verification import Finding
from .case import ERROR, Case
from .outputs import format_hresult

RIGHT, WRONG, MISSING, NOTED = "right", "wrong", "missing", "noted"
NO_OUTPUT, NOT_RECOGNIZED = "no-output", "not-recognized"
FORMAT, VERSION = "dmlrand conformance report", 1
CHOICES = "Where implementations differ, this one does the following"
DETAILED_CASES = 3  # of the wrong and of the missing cases, on a terminal. report.md has the details of all


class Result(NamedTuple):
    """The result of a case.

    Attributes
    ----------
    case : Case
    status : str
        RIGHT, WRONG, MISSING (an output is missing, and no other is wrong) or NOTED (the pages say nothing).
    lines : tuple of str
        What was found, for a person. Empty if the words are right.
    findings : tuple of Finding
        The known faults that `verify` names.
    hresult : int or None
        The error of a refused descriptor, if the log has one.
    """

    case: Case
    status: str
    lines: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    hresult: int | None = None


class Answer(NamedTuple):
    """The answer to a question that DirectML's page leaves open: a stable name, and a sentence."""

    question: str
    text: str
    answer: str
    sentence: str
    cases: tuple[str, ...]


class KitReport(NamedTuple):
    """The report of check_kit.

    Attributes
    ----------
    results : tuple of Result
        One for each case, in the order of the kit.
    answers : tuple of Answer
        Which of several possible readings of DirectML's page the implementation follows.
    faults : tuple of (Finding, int)
        The faults that explain wrong cases, and how many each explains, most first.
    """

    results: tuple[Result, ...]
    answers: tuple[Answer, ...]
    faults: tuple[tuple[Finding, int], ...]

    @property
    def ok(self) -> bool:
        """Whether every case has its outputs and none is wrong."""
        return not self.with_status(WRONG) and not self.with_status(MISSING)

    def with_status(self, status: str) -> list[Result]:
        return [result for result in self.results if result.status == status]

    def decided(self) -> list[Answer]:
        """The answers to the questions that the outputs decide."""
        return [answer for answer in self.answers if answer.answer not in (NO_OUTPUT, NOT_RECOGNIZED)]

    def hresults(self) -> list[tuple[str, int]]:
        """The errors of refused descriptors that the pages forbid, with the number of cases."""
        refused = [result.hresult for result in self.with_status(RIGHT) if result.case.expected == ERROR]
        counts = Counter("no HRESULT in the log" if code is None else format_hresult(code) for code in refused)
        return sorted(counts.items(), key=lambda item: -item[1])

    def summary(self) -> str:
        """One sentence for a person."""
        counts = {status: len(self.with_status(status)) for status in (RIGHT, WRONG, MISSING, NOTED)}
        judged = len(self.results) - counts[NOTED]
        if self.ok:
            return f"ok: all {judged} cases are right."
        problems = f"{counts[WRONG]} of {judged} cases {'is' if counts[WRONG] == 1 else 'are'} wrong"
        if counts[MISSING]:
            problems += f", and {counts[MISSING]} {'has' if counts[MISSING] == 1 else 'have'} no complete output"
        of_words = [fault for fault in self.faults if not fault[0].name.startswith("state-")]
        of_states = [fault for fault in self.faults if fault[0].name.startswith("state-")]
        likeliest = [f"{finding.name} in {_cases(count)}" for finding, count in (*of_words[:1], *of_states[:1])]
        return f"WRONG: {problems}." + (f" Likeliest faults: {', '.join(likeliest)}." if likeliest else "")


def _cases(count: int) -> str:
    return f"{count} case{'s' * (count != 1)}"


def report_text(report: KitReport) -> str:
    """The report for a terminal."""
    return "\n".join(_text(report)) + "\n"


def _text(report: KitReport) -> Iterator[str]:
    yield report.summary()
    if report.faults:
        yield ""
        yield "Known faults, with the number of cases that each explains:"
        for finding, count in report.faults:
            yield f"  {count:4}  {finding.name}: {finding.sentence}"
    if report.decided():
        yield ""
        yield CHOICES + ":"
    for answer in report.decided():
        yield f"  {answer.text}"
        yield f"    {answer.sentence}"
    if report.hresults():
        yield "  Which error does a forbidden descriptor give?"
        for name, count in report.hresults():
            yield f"    {name}, in {_cases(count)}"
    for status, title in ((WRONG, "Wrong"), (MISSING, "Without a complete output")):
        results = report.with_status(status)
        if results:
            yield ""
            yield f"{title}:"
        for result in results[:DETAILED_CASES]:
            yield f"  {result.case.name}: {result.case.decides}"
            yield from (f"    {line}" for line in result.lines)
        for result in results[DETAILED_CASES:]:
            yield f"  {result.case.name}: {_short(result)}"
    if len(report.with_status(WRONG)) > DETAILED_CASES:
        yield ""
        yield "report.md has the details of every case."


def _short(result: Result) -> str:
    """The result in one line: the faults, or else what was found first."""
    return ", ".join(dict.fromkeys(finding.name for finding in result.findings)) or result.lines[0]


def report_markdown(report: KitReport) -> str:
    """The report for a page."""
    return "\n".join(_markdown(report)) + "\n"


def _markdown(report: KitReport) -> Iterator[str]:
    yield "# Conformance report"
    yield ""
    yield report.summary()
    if report.faults:
        yield ""
        yield "## Known faults"
        yield ""
        yield "| fault | explanation | cases |"
        yield "|---|---|---|"
        for finding, count in report.faults:
            yield f"| {finding.name} | {finding.sentence} | {count} |"
    if report.decided() or report.hresults():
        yield ""
        yield f"## {CHOICES}"
        yield ""
        yield "| question | what it does | decided by |"
        yield "|---|---|---|"
    for answer in report.decided():
        yield f"| {answer.text} | {answer.sentence} | {', '.join(f'`{name}`' for name in answer.cases)} |"
    if report.hresults():
        errors = "; ".join(f"{name}, in {_cases(count)}" for name, count in report.hresults())
        yield f"| Which error does a forbidden descriptor give? | {errors} | `error-*` |"
    yield ""
    yield "## Cases"
    yield ""
    yield "| case | result | what it decides |"
    yield "|---|---|---|"
    for result in report.results:
        yield f"| `{result.case.name}` | {result.status} | {result.case.decides} |"
    for result in report.results:
        if result.status != RIGHT:
            yield ""
            yield f"### {result.case.name}: {result.status}"
            yield ""
            yield from (f"    {line}" for line in result.lines)


def report_json(report: KitReport) -> bytes:
    """The report for a program. specs/conformance.md has its schema."""
    return encode_json(FORMAT, VERSION, {
        "dmlrand": __version__,
        "ok": report.ok,
        "summary": report.summary(),
        "counts": {status: len(report.with_status(status)) for status in (RIGHT, WRONG, MISSING, NOTED)},
        "cases": [_encode(result) for result in report.results],
        "answers": [answer._asdict() for answer in report.answers],
        "faults": [{**finding._asdict(), "cases": count} for finding, count in report.faults],
    })  # fmt: skip


def _encode(result: Result) -> dict[str, Any]:
    return {
        "name": result.case.name,
        "status": result.status,
        "lines": result.lines,
        "findings": [finding._asdict() for finding in result.findings],
        "hresult": result.hresult if result.hresult is None else f"{result.hresult:#010x}",
    }


def report_junit(report: KitReport) -> bytes:
    """The report for a system of continuous integration. What the pages do not decide is skipped."""
    failed = report.with_status(WRONG) + report.with_status(MISSING)
    counts = {"tests": len(report.results), "failures": len(failed), "skipped": len(report.with_status(NOTED))}
    suite = xml.Element("testsuite", {"name": "dmlrand conformance", **{name: str(n) for name, n in counts.items()}})
    for result in report.results:
        case = xml.SubElement(suite, "testcase", {"classname": result.case.group, "name": result.case.name})
        if result in failed:
            xml.SubElement(case, "failure", {"message": _short(result)}).text = "\n".join(result.lines)
        elif result.status == NOTED:
            xml.SubElement(case, "skipped", {"message": " ".join(result.lines)})
    return bytes(xml.tostring(suite, "utf-8", xml_declaration=True))
