"""`dmlrand verify`, `locate` and `trace`: check another generator, and find its fault."""

from __future__ import annotations

import argparse
import os
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..bulk.request import check_distribution
from ..files import quoted
from ..state import UINT32, State
from ..verification import NUMBERS, Verification, verify, with_new_state
from .arguments import add_start, given_state, integer, shape, single_state
from .distribution import DTYPES as DRAWN_DTYPES, add_distribution, parameters_of
from .dumps import DTYPES, STDIN, Dump, load_dump, load_head
from .json_object import add_json, print_json
from .parser import Commands, add_command
from .streams import reader_may_leave, stderr_is_a_terminal, visible

LOCATED_WORDS = 64  # of a file


def add(commands: Commands) -> None:
    _add_verify(commands)
    _add_locate(commands)
    _add_recover(commands)
    _add_trace(commands)


def _add_verify(commands: Commands) -> None:
    verify = add_command(
        commands,
        "verify",
        help="compare a device's words with those of a state, and name the fault",
        example="dmlrand verify --state-in before.json --values device.npy --state-out after.json",
    )
    verify.add_argument(
        "--state-in",
        metavar="FILE",
        help="the state that the device was given: .npy, .json, or .bin for six raw words; or give --seed, or --key",
    )
    add_start(verify)
    verify.add_argument(
        "--values",
        required=True,
        metavar="FILE",
        help="the tensor that the device made: .npy; .bin, .dat or .raw for raw elements; - for stdin",
    )
    verify.add_argument("--state-out", metavar="FILE", help="the state that the device returned: .npy, .json or .bin")
    verify.add_argument("--shape", type=shape, metavar="D0,D1,..", help="the sizes that the tensor must have")
    verify.add_argument("--words", type=integer, metavar="N", help="the number of words that the tensor must have")
    verify.add_argument(
        "--dtype",
        choices=dict.fromkeys((*DTYPES, *DRAWN_DTYPES)),
        help="the type of the elements; -be is big-endian; float32, float64: uniform numbers in [0, 1)",
    )
    add_distribution(verify)
    verify.add_argument(
        "--plot",
        metavar="FILE.png",
        help="draw the tensor: which words are right, shifted, constant or from elsewhere (needs matplotlib)",
    )
    add_json(verify)
    verify.set_defaults(run=_verify)


def _add_locate(commands: Commands) -> None:
    locate = add_command(
        commands,
        "locate",
        help="find the counter of given words",
        example="dmlrand locate --key 42 0x9ceaf053 0x77f5493b 0x12bf50ad 0x5742b3d7",
    )
    locate.add_argument("--key", required=True, type=integer, help="64-bit key of the stream")
    locate.add_argument(
        "words",
        nargs="+",
        type=_word_or_file,
        metavar="WORD",
        help="the 4 words of a block, or 7 consecutive words from any place, or one file of them; decimal unless they "
        "begin with 0x or have a letter in 8 hexadecimal digits",
    )
    add_json(locate)
    locate.set_defaults(run=_locate)


def _add_recover(commands: Commands) -> None:
    recover = add_command(
        commands,
        "recover",
        help="find a lost seed: the key and the counter that made some words or numbers",
        description="Find the key and the counter that made the first words or numbers of a file, by trying all keys\n"
        "of a range. Only small seeds can be found: they were never secret.",
        example="dmlrand recover device.npy --keys 0:1000000",
    )
    recover.add_argument(
        "values", metavar="FILE", help="the tensor: .npy; .bin, .dat or .raw for raw elements; - for stdin"
    )
    recover.add_argument("--dtype", choices=DTYPES, help="the type of the elements (as for verify)")
    recover.add_argument(
        "--keys", type=_range, default=range(1 << 32), metavar="A:B", help="keys A to B - 1 (below 2^32)"
    )
    recover.add_argument("--counter", type=integer, metavar="N", help="the counter of the first block, if it is known")
    recover.add_argument("--counters", type=_range, metavar="A:B", help="possible counters (below 2^64)")
    recover.add_argument("--any-counter", action="store_true", help="any counter, if there are 8 words or more")
    recover.add_argument("--any-lane", action="store_true", help="the first word may be within a block")
    recover.add_argument("--layout", default="operator", help="operator, torch, tensorflow or jax (default: operator)")
    recover.add_argument("--words", type=integer, default=16, metavar="N", help="how many elements to use (16)")
    add_json(recover)
    recover.set_defaults(run=_recover)


def _range(text: str) -> range:
    """A range such as 0:1000, or one number."""
    first, colon, last = text.partition(":")
    start = integer(first)
    return range(start, integer(last) if colon else start + 1)


def _recover(options: argparse.Namespace) -> int:
    from ..verification import recover

    values = load_head(options.values, options.dtype, options.words)
    counters: int | range | None = options.counter if options.counter is not None else options.counters
    if counters is None and not options.any_counter:
        counters = range(1 << 64) if values.dtype.kind != "f" and options.layout == "operator" else 0
    found = recover(
        values, keys=options.keys, counters=counters, layout=options.layout, dtype=values.dtype,
        aligned=not options.any_lane, progress=_print_progress if stderr_is_a_terminal() else None,
    )  # fmt: skip
    if options.json:
        print_json("recovered", {"candidates": [each._asdict() for each in found]})
        return 0 if found else 1
    if not found:
        print("not found: no key of the range gives these words. Try other --keys, --counters, --any-lane or --layout.")
        return 1
    for each in found:
        if options.layout == "tensorflow":
            print(f"seeds    [{each.key}, {each.counter}]")
        else:
            print(f"key      {each.key:#x} ({each.key})")
        if each.child is not None:
            print(f"child    {each.child}, by split or fold_in")
        if options.layout in ("operator", "torch"):
            print(f"counter  {each.counter:#034x}, lane {each.lane}")
        print(f"chance   {each.false_chance:.2g} that another key of the search gives the same")
    return 0


def _print_progress(done: float) -> None:
    print(f"\r{100 * done:3.0f} %", end="\n" if done >= 1 else "", file=sys.stderr, flush=True)


def _drawn(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of the function `verify` that name a distribution, or none for what --dtype alone says."""
    given = {name: value for name, value in parameters_of(options).items() if value is not None}
    if options.distribution is None and not given and options.dtype in (None, *DTYPES):
        return {}
    checked = check_distribution(options.distribution, options.dtype, given)
    return {"distribution": checked.name, "dtype": checked.dtype, **checked.parameters}


def _compare(
    state: State, dump: Dump, new_state: State | None, drawn: dict[str, Any]
) -> tuple[Verification, bool | None]:
    """The report on a dump, which is not ok for another size than demanded; and whether the new state is right."""
    kind = dump.values.dtype if dump.values.dtype.name in NUMBERS else UINT32
    report = verify(state, dump.values, **(drawn or {"dtype": kind}))
    report = report._replace(ok=report.ok and dump.is_complete)
    return (report, None) if new_state is None else with_new_state(report, state, new_state, dump.demanded_words)


@contextmanager
def _elapsed_time() -> Iterator[None]:
    """Show on a terminal how long a search has run, from one second on."""
    if not stderr_is_a_terminal():
        yield
        return
    ended, start = threading.Event(), time.monotonic()

    def show() -> None:
        while not ended.wait(1):
            print(f"\rcomparing and searching: {time.monotonic() - start:.0f} s", end="", file=sys.stderr, flush=True)

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        if time.monotonic() - start > 1:
            print(file=sys.stderr)


def _add_trace(commands: Commands) -> None:
    trace = add_command(
        commands,
        "trace",
        help="print the 10 rounds of a block, to compare with a shader",
        example="dmlrand trace --counter 5 --key 42",
    )
    trace.add_argument("--counter", required=True, type=integer, help="128-bit block counter")
    trace.add_argument("--key", required=True, type=integer, help="64-bit key")
    add_json(trace)
    trace.set_defaults(run=_trace)


def _verify(options: argparse.Namespace) -> int:
    from ..verification.report.segment_text import sentence_of
    from ..verification.report.text import report_lines, report_members

    state = given_state(options, options.state_in, "--state-in")
    new_state = None if options.state_out is None else single_state(options.state_out)[1]
    drawn = _drawn(options)
    if options.plot is not None and drawn.get("distribution", "words") != "words":
        raise ValueError(
            "--plot must not be given with a distribution: pictures are of words and, with --dtype alone, of uniform "
            f"numbers in [0, 1); got {drawn['distribution']}. Leave out --plot."
        )
    dtype = drawn["dtype"].name if drawn else options.dtype
    dump = load_dump(options.values, dtype, options.shape, options.words, bool(drawn))
    if options.plot is not None:
        from .plots.figures import check_plot

        check_plot(options.plot)
    with _elapsed_time():
        report, new_state_ok = _compare(state, dump, new_state, drawn)
    name, size_text = "stdin" if options.values == STDIN else options.values, dump.size_text()
    sentence = sentence_of(report, size_text)
    if options.plot is not None:  # before anything is printed: the reader of stdout may leave after one line
        from .plots.verification import plot_report

        plot_report(options.plot, state, dump.values, report, os.path.basename(name), sentence)
    with reader_may_leave():
        if options.json:
            members = report_members(report, sentence, new_state_ok, dump.elements, dump.demanded)
            print_json("verification", members | {"loose_bytes": dump.loose_bytes})
        else:
            print(visible(f"ok: {name}" if report.ok else f"WRONG: {name}: {sentence}"))
            for line in report_lines(report, state, new_state, dump.demanded_words, size_text):
                print(line)
            if options.plot is not None:
                print(f"plot        {options.plot}")
    return 0 if report.ok else 1


class _Word(NamedTuple):
    """A word of the command line, and how it was written."""

    value: int
    text: str


def _word(text: str) -> _Word:
    """A word as `integer` reads it, or 8 hexadecimal digits without 0x of which one is a letter."""
    if re.fullmatch("(?=.*[a-fA-F])[0-9a-fA-F]{8}", text):
        return _Word(int(text, 16), text)
    try:
        return _Word(integer(text), text)
    except argparse.ArgumentTypeError as error:
        if re.fullmatch("[0-9]{8}", text):  # 00000012: `integer` refuses leading zeros
            raise argparse.ArgumentTypeError(f"must be an integer; got {quoted(text)}. Write 0x{text}") from None
        raise error


def _word_or_file(text: str) -> _Word | str:
    return text if text == STDIN or os.path.exists(text) else _word(text)


def _words_to_locate(given: list[_Word | str]) -> list[_Word]:
    """The words, or those at the beginning of the only file."""
    words: list[_Word] = []
    for each in given:
        if isinstance(each, _Word):
            words.append(each)
        elif len(given) == 1:
            words += [_Word(word, f"{word:#x}") for word in load_head(each, None, LOCATED_WORDS).tolist()]
        else:
            words.append(_word(each))
    return words


def _locate(options: argparse.Namespace) -> None:
    from ..verification import locate_run

    words = _words_to_locate(options.words)
    note = _note_on_decimals(words)
    try:
        place = locate_run([word.value for word in words], options.key)
    except ValueError as error:
        raise ValueError(f"{error} {note}".rstrip()) from None
    if options.json:
        members = {"counter": place.counter, "offset": place.offset, "lane": place.lane}
        print_json("place", members | {"is_whole_block": len(words) == 4, "note": note or None})
        return
    print(f"counter  {place.counter:#034x}")
    if len(words) == 4:
        print("block    given words 0 to 3, taken as one whole block: any four words are the block of some counter")
    else:
        last = place.offset + 3
        print(f"block    given words {place.offset} to {last}, counting from 0; given word 0 is in lane {place.lane}")
    if note:
        print(f"note     {note}")


def _note_on_decimals(words: list[_Word]) -> str:
    """How words were read that are complete both as decimal numbers and as 8 hexadecimal digits, or an empty text."""
    ambiguous = [word.text for word in words if re.fullmatch("[0-9]{8}", word.text)]
    return f"Read as decimal: {', '.join(ambiguous)}. Write 0x before hexadecimal words." if ambiguous else ""


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
