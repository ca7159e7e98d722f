"""`dmlrand verify`, `locate`, `recover`, `trace` and `conformance`: check another generator, and find its fault."""

from __future__ import annotations

import argparse
import os
from typing import Any

from ..bulk.request import check_distribution
from ..drawing.number_types import words_per_number
from ..files import replacing
from .output import print_json, progress_on_terminal
from .parser import DTYPES, RAW_TYPES, STDIN, Commands, Parser, add_command, integer, parameters_of, shape
from .plots import check_plot
from .states import given_state, load_state

LOCATED_WORDS = 64  # of a file


# verify


def add_verify(commands: Commands) -> Parser:
    about = "compare a device's words with those of a state, and name the fault"
    example = "dmlrand verify --state-in before.json --values device.npy --state-out after.json"
    verify = add_command(commands, "verify", about, _verify, example)
    verify.add_argument("--state-in", metavar="FILE", help="the state that the device was given: .npy, .json or .bin")
    verify.add_start()
    about = "the tensor that the device made: .npy; .bin, .dat or .raw for raw elements; - for stdin"
    verify.add_argument("--values", required=True, metavar="FILE", help=about)
    verify.add_argument("--state-out", metavar="FILE", help="the state that the device returned: .npy, .json or .bin")
    size = verify.add_mutually_exclusive_group()
    size.add_argument("--shape", type=shape, metavar="D0,D1,..", help="the number of elements, as sizes")
    size.add_argument("--words", type=integer, metavar="N", help="the number of elements that the tensor must have")
    about = "the type of the elements; -be is big-endian; float32, float64: uniform numbers in [0, 1)"
    verify.add_argument("--dtype", choices=dict.fromkeys((*RAW_TYPES, *DTYPES)), help=about)
    verify.add_distribution()
    verify.add_argument("--plot", metavar="FILE.png", help="draw which words are right (needs matplotlib)")
    verify.add_json()
    return verify


def _verify(options: argparse.Namespace) -> int:
    from ..verification import verify, with_new_state
    from ..verification.report.segment_text import sentence_of
    from ..verification.report.text import report_lines, report_members
    from .dumps import load_dump

    state = given_state(options, options.state_in, "--state-in")
    new_state = None if options.state_out is None else load_state(options.state_out)[1]
    drawn = _drawn(options)
    if options.plot is not None:
        if drawn.get("distribution", "words") != "words":
            raise ValueError(
                "--plot must not be given with a distribution: pictures are of words and, with --dtype alone, of "
                f"uniform numbers in [0, 1); got {drawn['distribution']}. Leave out --plot."
            )
        check_plot(options.plot)
    dtype = drawn["dtype"].name if drawn else options.dtype
    dump = load_dump(options.values, dtype, options.shape, options.words, bool(drawn))
    report, new_state_ok = verify(state, dump.values, **(drawn or {"dtype": dump.values.dtype})), None
    report = report._replace(ok=report.ok and dump.is_complete)
    drawn_words = dump.demanded * words_per_number(dump.values.dtype)
    if new_state is not None:
        report, new_state_ok = with_new_state(report, state, new_state, drawn_words)
    name, size_text = "stdin" if options.values == STDIN else options.values, dump.size_text()
    sentence = sentence_of(report, size_text)
    if options.plot is not None:  # before anything is printed: the reader of stdout may leave after one line
        from .plots.verification import plot_report

        plot_report(options.plot, state, dump.values, report, os.path.basename(name), sentence)
    if options.json:
        members = report_members(report, sentence, new_state_ok, dump.elements, dump.demanded)
        print_json("verification", members | {"loose_bytes": dump.loose_bytes})
        return 0 if report.ok else 1
    lines = report_lines(report, state, new_state, drawn_words, size_text)
    print("\n".join([f"ok: {name}" if report.ok else f"WRONG: {name}: {sentence}", *lines]))
    if options.plot is not None:
        print(f"plot        {options.plot}")
    return 0 if report.ok else 1


def _drawn(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of the function `verify` that name a distribution, or none for what --dtype alone says."""
    given = parameters_of(options)
    if options.distribution is None and not given and options.dtype in (None, *RAW_TYPES):
        return {}
    checked = check_distribution(options.distribution, options.dtype, given)
    return {"distribution": checked.name, "dtype": checked.dtype, **checked.parameters}


# locate


def add_locate(commands: Commands) -> Parser:
    example = "dmlrand locate --key 42 0x9ceaf053 0x77f5493b 0x12bf50ad 0x5742b3d7"
    locate = add_command(commands, "locate", "find the counter of given words", _locate, example)
    locate.add_argument("--key", required=True, type=integer, help="64-bit key of the stream")
    about = "the 4 words of a block, 7 or more consecutive words, or a file of them; decimal, or all with 0x"
    locate.add_argument("words", nargs="+", metavar="WORD", help=about)
    locate.add_json()
    return locate


def _locate(options: argparse.Namespace) -> None:
    from ..verification import locate_run
    from .dumps import load_dump, words_of_text

    is_file = len(options.words) == 1 and (options.words[0] == STDIN or os.path.exists(options.words[0]))
    text = " ".join(options.words)
    words = load_dump(text, None, None, LOCATED_WORDS).values.ravel() if is_file else words_of_text(text, "WORD")
    place = locate_run(words.tolist(), options.key)
    if options.json:
        members = {"counter": place.counter, "offset": place.offset, "lane": place.lane}
        print_json("place", members | {"is_whole_block": len(words) == 4})
        return
    print(f"counter  {place.counter:#034x}")
    if len(words) == 4:
        print("block    given words 0 to 3, taken as one whole block: any four words are the block of some counter")
    else:
        last = place.offset + 3
        print(f"block    given words {place.offset} to {last}, counting from 0; given word 0 is in lane {place.lane}")


# recover


def add_recover(commands: Commands) -> Parser:
    about = "find a lost seed: the key and the counter that made some words or numbers"
    recover = add_command(commands, "recover", about, _recover, "dmlrand recover device.npy --keys 0:1000000")
    recover.add_argument("values", metavar="FILE", help="the tensor, as for verify; - for stdin")
    recover.add_argument("--dtype", choices=RAW_TYPES, help="the type of the elements (as for verify)")
    about = "try the keys A to B - 1 (below 2^32: only small seeds can be found)"
    recover.add_argument("--keys", type=_range, default=range(1 << 32), metavar="A:B", help=about)
    recover.add_argument("--counter", type=integer, metavar="N", help="the counter of the first block, if it is known")
    recover.add_argument("--counters", type=_range, metavar="A:B", help="possible counters (below 2^64)")
    recover.add_argument("--any-counter", action="store_true", help="any counter, if there are 8 words or more")
    recover.add_argument("--any-lane", action="store_true", help="the first word may be within a block")
    recover.add_argument("--layout", default="operator", help="operator, torch, tensorflow or jax (default: operator)")
    recover.add_argument("--words", type=integer, default=16, metavar="N", help="how many elements to use (16)")
    recover.add_json()
    return recover


def _range(text: str) -> range:
    """A range such as 0:1000, or one number."""
    first, colon, last = text.partition(":")
    start = integer(first)
    return range(start, integer(last) if colon else start + 1)


def _recover(options: argparse.Namespace) -> int:
    from ..verification import recover
    from .dumps import load_dump

    values = load_dump(options.values, options.dtype, None, options.words).values.ravel()
    counters: int | range | None = options.counter if options.counter is not None else options.counters
    if counters is None and not options.any_counter:
        counters = range(1 << 64) if values.dtype.kind != "f" and options.layout == "operator" else 0
    found = recover(
        values, keys=options.keys, counters=counters, layout=options.layout, dtype=values.dtype,
        aligned=not options.any_lane, progress=progress_on_terminal(""),
    )  # fmt: skip
    if options.json:
        print_json("recovered", {"candidates": [each._asdict() for each in found]})
        return 0 if found else 1
    if not found:
        print("not found: no key of the range gives these words. Try other --keys, --counters, --any-lane or --layout.")
    for each in found:
        is_pair = options.layout == "tensorflow"
        print(f"seeds    [{each.key}, {each.counter}]" if is_pair else f"key      {each.key:#x} ({each.key})")
        if each.child is not None:
            print(f"child    {each.child}, by split or fold_in")
        if options.layout in ("operator", "torch"):
            print(f"counter  {each.counter:#034x}, lane {each.lane}")
        print(f"chance   {each.false_chance:.2g} that another key of the search gives the same")
    return 0 if found else 1


# trace


def add_trace(commands: Commands) -> Parser:
    about, example = "print the 10 rounds of a block, to compare with a shader", "dmlrand trace --counter 5 --key 42"
    trace = add_command(commands, "trace", about, _trace, example)
    trace.add_argument("--counter", required=True, type=integer, help="128-bit block counter")
    trace.add_argument("--key", required=True, type=integer, help="64-bit key")
    trace.add_json()
    return trace


def _trace(options: argparse.Namespace) -> None:
    from ..verification import trace

    rounds = trace(options.counter, options.key)
    if options.json:
        print_json("trace", {"rounds": [step._asdict() for step in rounds], "block": rounds[-1].result})
        return
    print("round  counter 0   counter 1   counter 2   counter 3   key 0       key 1")
    for step in rounds:
        print(f"{step.round:5}  {'  '.join(f'{word:#010x}' for word in (*step.counter, *step.key))}")
    print(f"block  {'  '.join(f'{word:#010x}' for word in rounds[-1].result)}")


# conformance


def add_conformance(commands: Commands) -> Parser:
    about = "test cases for a device or a port of the operator, and a report on its outputs"
    example = "dmlrand conformance write new-kit --max-words 65536"
    family = add_command(commands, "conformance", about, None, example)
    actions = family.add_subparsers(title="actions", metavar="ACTION", required=True)

    about = "write model files of DxDispatch, expected outputs and instructions into a folder"
    write = add_command(actions, "write", about, _write_kit, example)
    write.add_argument("folder", metavar="DIR", help="a new or empty folder, or one with a kit")
    write.add_argument("--max-words", type=integer, metavar="N", help="leave out cases that draw more words at once")
    write.add_argument("--words-only", action="store_true", help="leave out what needs DirectML's descriptors")

    about = "check the outputs of a device, and write report.json and report.md into the folder"
    check = add_command(actions, "check", about, _check_kit, "dmlrand conformance check kit")
    about = "the folder of the kit, with the device's files in DIR/outputs; or the report.json of the page"
    check.add_argument("folder", metavar="DIR", help=about)
    check.add_argument("--junit", metavar="FILE", help="also write the results of a kit as JUnit XML")

    about = "write an HTML page that tests the GPU of a browser, and shaders of your own"
    page = add_command(actions, "page", about, _write_page, "dmlrand conformance page page.html")
    page.add_argument("file", metavar="OUT.html", help="the page: one file that works without a network")
    return family


def _write_kit(options: argparse.Namespace) -> None:
    from ..conformance import write_kit
    from ..conformance.cases import PROVED

    cases = write_kit(options.folder, options.max_words, options.words_only)
    proved = sum(case.group in PROVED for case in cases)
    print(f"kit      {options.folder}")
    print(f"cases    {len(cases)}")
    print(f"words    {sum(case.words * case.draws for case in cases)} in all")
    print(f"proved   {proved} cases, for every counter and size: {', '.join(PROVED)} (specs/proofs.md)")
    print(f"next     read {os.path.join(options.folder, 'README.md')}")


def _write_page(options: argparse.Namespace) -> None:
    from ..conformance.page import page_cases, page_html

    with replacing(options.file) as file:
        file.write(page_html().encode())
    print(f"page     {options.file}")
    print(f"cases    {len(page_cases())}")
    print("next     open the page in a browser")


def _check_kit(options: argparse.Namespace) -> int:
    from ..conformance import check_kit
    from ..conformance.page_report import check_page_report
    from ..conformance.report import report_json, report_junit, report_text

    if os.path.isfile(options.folder):
        if options.junit is not None:
            raise ValueError("--junit needs the folder of a kit; got the report of a page. Leave --junit out.")
        report = check_page_report(options.folder)
    else:
        report = check_kit(options.folder, progress=progress_on_terminal("checking: "))
        written = {os.path.join(options.folder, "report.json"): report_json(report)}
        written[os.path.join(options.folder, "report.md")] = report_text(report, detailed=None).encode()
        if options.junit is not None:
            written[options.junit] = report_junit(report)
        for path, data in written.items():
            with replacing(path) as file:
                file.write(data)
    print(report_text(report), end="")
    return 0 if report.ok else 1
