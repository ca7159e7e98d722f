"""`dmlrand verify`, `locate` and `trace`: check another generator, and find its fault."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from ..files.names import quoted
from ..files.npy import in_native_order
from .arguments import integer, missing_file, single_state
from .parser import Commands, add_command

_ERROR_NOT_ENOUGH_MEMORY = 8  # Windows' error for a memory map that is longer than its file


def add(commands: Commands) -> None:
    _add_verify(commands)
    _add_locate(commands)
    _add_trace(commands)


def _add_verify(commands: Commands) -> None:
    verify = add_command(
        commands,
        "verify",
        help="compare a device's words with those of a state, and name the fault",
        example="dmlrand verify --state-in before.json --values device.npy --state-out after.json",
    )
    verify.add_argument(
        "--state-in", required=True, metavar="FILE", help="the state that the device was given: .npy or .json"
    )
    verify.add_argument("--values", required=True, metavar="FILE.npy", help="the uint32 tensor that the device made")
    verify.add_argument("--state-out", metavar="FILE", help="the state that the device returned: .npy or .json")
    verify.add_argument("--plot", metavar="FILE.png", help="draw the places of the wrong words (needs matplotlib)")
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
        type=integer,
        metavar="WORD",
        help="the 4 words of a block, or 7 consecutive words from any place",
    )
    locate.set_defaults(run=_locate)


def _add_trace(commands: Commands) -> None:
    trace = add_command(
        commands,
        "trace",
        help="print the 10 rounds of a block, to compare with a shader",
        example="dmlrand trace --counter 5 --key 42",
    )
    trace.add_argument("--counter", required=True, type=integer, help="128-bit block counter")
    trace.add_argument("--key", required=True, type=integer, help="64-bit key")
    trace.set_defaults(run=_trace)


def _verify(options: argparse.Namespace) -> int:
    from ..verification import verify
    from ..verification.report_text import report_lines

    _, state, _ = single_state(options.state_in)
    new_state = None if options.state_out is None else single_state(options.state_out)[1]
    values = _load_tensor(options.values)
    if options.plot is not None:
        from ..files.figures import check_plot
        from ..verification.chart import plot_mismatches

        check_plot(options.plot)
    report = verify(state, values, new_state)
    print(f"{'ok' if report.ok else 'WRONG'}: {options.values}")
    for line in report_lines(report, state, new_state):
        print(line)
    if options.plot is not None:
        plot_mismatches(options.plot, state, values)
        print(f"plot        {options.plot}")
    return 0 if report.ok else 1


def _load_tensor(path: str) -> Any:
    """The tensor of a .npy file, memory-mapped. A tensor in the other byte order is read and converted."""
    try:
        values = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise missing_file(path, "store the device's words there with numpy.save.") from None
    except Exception as error:  # numpy does not catch the errors of zipfile, tokenize and the allocator
        problem: object = error
        if isinstance(error, OSError):
            if getattr(error, "winerror", None) != _ERROR_NOT_ENOUGH_MEMORY:
                raise
            problem = "the file is shorter than its header says"
        raise ValueError(
            f"{quoted(path)} does not hold a tensor ({problem}). Store a uint32 array with numpy.save."
        ) from None
    if not isinstance(values, np.ndarray):
        values.close()
        raise ValueError(f"{quoted(path)} holds several arrays. Store one uint32 array with numpy.save.")
    return in_native_order(values)


def _locate(options: argparse.Namespace) -> None:
    from ..verification import locate_run

    place = locate_run(options.words, options.key)
    print(f"counter  {place.counter:#034x}")
    if len(options.words) > 4:
        last = place.offset + 3
        print(f"block    given words {place.offset} to {last}, counting from 0; given word 0 is in lane {place.lane}")


def _trace(options: argparse.Namespace) -> None:
    from ..verification import trace

    rounds = trace(options.counter, options.key)
    print("round  counter 0  counter 1  counter 2  counter 3  key 0     key 1")
    for step in rounds:
        counter = "   ".join(f"{word:08x}" for word in step.counter)
        print(f"{step.round:5}  {counter}   {step.key[0]:08x}  {step.key[1]:08x}")
    print(f"block  {'   '.join(f'{word:08x}' for word in rounds[-1].result)}")
