"""The report of a check, as Markdown that a terminal shows too, as JSON and as JUnit XML."""

from __future__ import annotations

import xml.etree.ElementTree as xml
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from .. import __version__
from ..files import encode_json
from ..verification import Finding
from .case import ERROR
from .outputs import format_error

RIGHT, WRONG, MISSING = "right", "wrong", "missing"
FORMAT, VERSION = "dmlrand conformance report", 1
DETAILED_CASES = 3  # of the wrong and of the missing cases, on a terminal. report.md has the details of all


class Result(NamedTuple):
    """The result of a case of the kit or of the page.

    `status` is RIGHT, WRONG or MISSING (an output is missing, and no other is wrong).
    `lines` say what was found, `findings` are the known faults, and `hresult` is the error of a refused descriptor.
    """

    case: Any  # a Case or a PageCase: both have name, group, decides and expected
    status: str
    lines: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    hresult: int | None = None


class Report(NamedTuple):
    """The results of all cases, and each fault with the number of wrong cases that it explains, most first.

    `tested` says which shader was tested on which adapter, in the report of the page.
    """

    results: tuple[Result, ...]
    faults: tuple[tuple[Finding, int], ...]
    tested: str = ""

    @property
    def ok(self) -> bool:
        """Whether every case has its outputs and none is wrong."""
        return all(result.status == RIGHT for result in self.results)

    def with_status(self, status: str) -> list[Result]:
        return [result for result in self.results if result.status == status]

    def hresults(self) -> list[tuple[str, int]]:
        """The errors of refused descriptors that the pages forbid, with the number of cases."""
        refused = [result.hresult for result in self.with_status(RIGHT) if result.case.expected == ERROR]
        return Counter(
            "no HRESULT in the log" if code is None else format_error(code) for code in refused
        ).most_common()

    def summary(self) -> str:
        """One sentence for a person."""
        wrong, missing = len(self.with_status(WRONG)), len(self.with_status(MISSING))
        tested = f": {self.tested}" if self.tested else ""
        if self.ok:
            return f"ok: all {len(self.results)} cases are right{tested}."
        problems = f"{wrong} of {len(self.results)} cases {'is' if wrong == 1 else 'are'} wrong"
        if missing:
            problems += f", and {missing} {'has' if missing == 1 else 'have'} no complete output"
        of_words = [fault for fault in self.faults if not fault[0].name.startswith("state-")]
        of_states = [fault for fault in self.faults if fault[0].name.startswith("state-")]
        likeliest = [f"{finding.name} in {_cases(count)}" for finding, count in (*of_words[:1], *of_states[:1])]
        return f"WRONG: {problems}{tested}." + (f" Likeliest faults: {', '.join(likeliest)}." if likeliest else "")


def _cases(count: int) -> str:
    return f"{count} case{'s' * (count != 1)}"


def report_text(report: Report, detailed: int | None = DETAILED_CASES) -> str:
    """The report for a terminal, with the details of the first wrong cases. With `detailed=None`, report.md."""
    lines = [] if detailed is not None else ["# Conformance report", ""]
    return "\n".join([*lines, report.summary(), *_sections(report, detailed)]) + "\n"


def _sections(report: Report, detailed: int | None) -> Iterator[str]:
    faults = [f"{finding.name}, {_cases(count)}: {finding.sentence}" for finding, count in report.faults]
    yield from _section("Known faults, with the number of cases that each explains", faults)
    errors = [f"{name}, in {_cases(count)}" for name, count in report.hresults()]
    yield from _section("The errors that forbidden descriptors give", errors)
    for status, title in ((WRONG, "Wrong"), (MISSING, "Without a complete output")):
        results = report.with_status(status)
        detailed_here = len(results) if detailed is None else detailed
        items = [
            "\n    ".join((f"{each.case.name}: {each.case.decides}", *each.lines)) for each in results[:detailed_here]
        ]
        yield from _section(title, items + [f"{each.case.name}: {_short(each)}" for each in results[detailed_here:]])
    if detailed is None:
        yield from _section("All cases", [f"`{each.case.name}`: {each.status}" for each in report.results])
    elif not report.ok and not report.tested:
        yield from ("", "report.md has the details of every case.")


def _section(title: str, items: list[str]) -> Iterator[str]:
    if items:
        yield from ("", f"## {title}", "", *(f"* {item}" for item in items))


def _short(result: Result) -> str:
    """The result in one line: the faults, or else what was found first."""
    return ", ".join(dict.fromkeys(finding.name for finding in result.findings)) or result.lines[0]


def report_json(report: Report) -> bytes:
    """The report for a program. specs/conformance.md has its schema."""
    return encode_json(FORMAT, VERSION, {
        "dmlrand": __version__,
        "ok": report.ok,
        "summary": report.summary(),
        "counts": {status: len(report.with_status(status)) for status in (RIGHT, WRONG, MISSING)},
        "cases": [_encode(result) for result in report.results],
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


def report_junit(report: Report) -> bytes:
    """The report for a system of continuous integration."""
    failed = report.with_status(WRONG) + report.with_status(MISSING)
    counts = {"tests": str(len(report.results)), "failures": str(len(failed))}
    suite = xml.Element("testsuite", {"name": "dmlrand conformance", **counts})
    for result in report.results:
        case = xml.SubElement(suite, "testcase", {"classname": result.case.group, "name": result.case.name})
        if result in failed:
            xml.SubElement(case, "failure", {"message": _short(result)}).text = "\n".join(result.lines)
    return bytes(xml.tostring(suite, "utf-8", xml_declaration=True))
