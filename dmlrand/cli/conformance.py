"""`dmlrand conformance`: write the conformance kit, and check what a device returned."""

from __future__ import annotations

import argparse
import os
import sys

from ..files import replacing
from .arguments import integer
from .parser import Commands, add_command
from .streams import stderr_is_a_terminal


def add(commands: Commands) -> None:
    conformance = add_command(
        commands,
        "conformance",
        help="test cases for a device or a port of the operator, and a report on its outputs",
        example="dmlrand conformance write new-kit --max-words 65536",
    )
    conformance.set_defaults(run=conformance.help_on_stderr)
    actions = conformance.add_subparsers(title="actions", metavar="ACTION")
    _add_write(actions)
    _add_check(actions)
    page = add_command(
        actions,
        "page",
        help="write an HTML page that tests the GPU of a browser, and shaders of your own",
        example="dmlrand conformance page page.html",
    )
    page.add_argument("file", metavar="OUT.html", help="the page: one file that works without a network")
    page.set_defaults(run=_page)


def _add_write(actions: Commands) -> None:
    write = add_command(
        actions,
        "write",
        help="write model files of DxDispatch, expected outputs and instructions into a folder",
        example="dmlrand conformance write new-kit --max-words 65536",
    )
    write.add_argument("folder", metavar="DIR", help="a new or empty folder, or one with a kit")
    write.add_argument(
        "--max-words",
        type=integer,
        metavar="N",
        help="leave out cases that draw more words at once (the largest draws 2^26 + 1)",
    )
    write.add_argument(
        "--words-only",
        action="store_true",
        help="for a port without DirectML's descriptors: leave out cases of wrong descriptors, and the model files",
    )
    write.set_defaults(run=_write)


def _add_check(actions: Commands) -> None:
    check = add_command(
        actions,
        "check",
        help="check the outputs of a device, and write report.json and report.md into the folder",
        example="dmlrand conformance check kit",
    )
    check.add_argument(
        "folder",
        metavar="DIR",
        help="the folder of the kit, with the device's files in DIR/outputs; or the report.json of the page",
    )
    check.add_argument("--junit", metavar="FILE", help="also write the results of a kit as JUnit XML")
    check.set_defaults(run=_check)


def _write(options: argparse.Namespace) -> None:
    from ..conformance import write_kit
    from ..conformance.cases import PROVED

    cases = write_kit(options.folder, options.max_words, options.words_only)
    proved = sum(case.group in PROVED for case in cases)
    print(f"kit      {options.folder}")
    print(f"cases    {len(cases)}")
    print(f"words    {sum(case.words * case.draws for case in cases)} in all")
    print(f"proved   {proved} cases, for every counter and size: {', '.join(PROVED)} (specs/proofs.md)")
    print(f"next     read {os.path.join(options.folder, 'README.md')}")


def _page(options: argparse.Namespace) -> None:
    from ..conformance.page import page_cases, page_html

    with replacing(options.file) as file:
        file.write(page_html().encode())
    print(f"page     {options.file}")
    print(f"cases    {len(page_cases())}")
    print("next     open the page in a browser")


def _check_page(path: str) -> int:
    from ..conformance.page_report import check_page_report
    from ..conformance.report import report_text

    report = check_page_report(path)
    print(report_text(report), end="")
    return 0 if report.ok else 1


def _check(options: argparse.Namespace) -> int:
    if os.path.isfile(options.folder):
        if options.junit is not None:
            raise ValueError("--junit needs the folder of a kit; got the report of a page. Leave --junit out.")
        return _check_page(options.folder)
    from ..conformance import check_kit
    from ..conformance.report import report_json, report_junit, report_text

    report = check_kit(options.folder, progress=_print_progress if stderr_is_a_terminal() else None)
    written = {os.path.join(options.folder, "report.json"): report_json(report)}
    written[os.path.join(options.folder, "report.md")] = report_text(report, detailed=None).encode()
    if options.junit is not None:
        written[options.junit] = report_junit(report)
    for path, data in written.items():
        with replacing(path) as file:
            file.write(data)
    print(report_text(report), end="")
    return 0 if report.ok else 1


def _print_progress(done: int, cases: int) -> None:
    print(f"\rchecking: {done} of {cases} cases", end="" if done < cases else "\n", file=sys.stderr, flush=True)
