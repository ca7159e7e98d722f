"""`dmlrand verify`, `locate` and `trace`: is this generator right, and if not, how is it wrong."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from ..file_names import quoted
from ..state import State, advance_blocks, blocks_for, counter_of, key_of
from .arguments import Commands, integer, single_state

_ERROR_NOT_ENOUGH_MEMORY = 8  # what Windows says to a mapping of more bytes than the file has


def add(commands: Commands) -> None:
    _add_verify(commands)
    _add_locate(commands)
    _add_trace(commands)


def _add_verify(commands: Commands) -> None:
    verify = commands.add_parser("verify", help="hold a device's words against a state's, and say what is wrong")
    verify.add_argument(
        "--state-in", required=True, metavar="FILE", help="the state the device was given: .npy or .json"
    )
    verify.add_argument("--values", required=True, metavar="FILE.npy", help="the uint32 tensor that it made")
    verify.add_argument("--state-out", metavar="FILE", help="the state that it left: .npy or .json")
    verify.add_argument("--plot", metavar="FILE.png", help="draw where the wrong words lie (needs matplotlib)")
    verify.set_defaults(run=_verify)


def _add_locate(commands: Commands) -> None:
    locate = commands.add_parser("locate", help="find the counter of words seen")
    locate.add_argument("--key", required=True, type=integer, help="64-bit key of their stream")
    locate.add_argument(
        "words", nargs="+", type=integer, metavar="WORD", help="the 4 of a block, or 7 consecutive ones from anywhere"
    )
    locate.set_defaults(run=_locate)


def _add_trace(commands: Commands) -> None:
    trace = commands.add_parser("trace", help="print the 10 rounds of a block, to compare with a shader")
    trace.add_argument("--counter", required=True, type=integer, help="128-bit block counter")
    trace.add_argument("--key", required=True, type=integer, help="64-bit key")
    trace.set_defaults(run=_trace)


def _verify(options: argparse.Namespace) -> int:
    from ..verification import verify

    _, state, _ = single_state(options.state_in)
    new_state = None if options.state_out is None else single_state(options.state_out)[1]
    values = _load_tensor(options.values)
    if options.plot is not None:
        from ..picture import check_plot
        from ..verification.picture import plot_mismatches

        check_plot(options.plot)
    report = verify(state, values, new_state)
    print(f"{'ok' if report.ok else 'WRONG'}: {options.values}")
    print(f"words       {report.words}, of which {report.mismatches} wrong, a share of {report.share:.4g}")
    print(f"counter     {counter_of(state):#034x}")
    print(f"key         {key_of(state):#018x}")
    if report.first_mismatch is not None:
        wrong = report.first_mismatch
        print(f"first wrong word {wrong.flat_index}, at index [{', '.join(map(str, wrong.index))}]")
        print(f"            block {wrong.block}, counter {counter_of(advance_blocks(state, wrong.block)):#034x}")
        print(f"            lane {wrong.lane}: expected {wrong.expected:#010x}, got {wrong.got:#010x}")
    state_ok = new_state is None or _print_new_state(advance_blocks(state, blocks_for(report.words)), new_state)
    for finding in report.diagnosis:
        print(f"{finding.name}: {finding.sentence}")
    of_state = [finding.name.startswith("state-") for finding in report.diagnosis]
    if report.mismatches and all(of_state):
        print("No known mistake explains all of the words.")
    if not state_ok and not any(of_state):
        print("No known mistake explains the new state.")
    if options.plot is not None:
        plot_mismatches(options.plot, state, values)
        print(f"plot        {options.plot}")
    return 0 if report.ok else 1


def _print_new_state(expected: State, got: State) -> bool:
    """Whether the state that a device left is right."""
    right: bool = expected.ravel().tolist() == got.ravel().tolist()
    print(f"new state   {'right' if right else 'wrong'}")
    if not right:
        print(f"            expected {' '.join(f'{word:08x}' for word in expected.ravel())}, word 0 first")
        print(f"            got      {' '.join(f'{word:08x}' for word in got.ravel())}")
    return right


def _load_tensor(path: str) -> Any:
    """The tensor of a .npy file, read from the disk only where it is looked at."""
    try:
        values = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # numpy's reader lets through what zipfile, tokenize and the allocator raise
        problem: object = error
        if isinstance(error, OSError):
            if getattr(error, "winerror", None) != _ERROR_NOT_ENOUGH_MEMORY:
                raise
            problem = "the file is shorter than its header says"
        raise ValueError(f"{quoted(path)} holds no tensor ({problem}). Store a uint32 array with numpy.save.") from None
    if not isinstance(values, np.ndarray):
        values.close()
        raise ValueError(f"{quoted(path)} holds several arrays. Store one uint32 array with numpy.save.")
    return values


def _locate(options: argparse.Namespace) -> None:
    from ..verification import locate_run

    place = locate_run(options.words, options.key)
    print(f"counter  {place.counter:#034x}")
    if len(options.words) > 4:
        last = place.offset + 3
        print(f"block    words {place.offset} to {last} of those given, counting from 0; word 0 is lane {place.lane}")


def _trace(options: argparse.Namespace) -> None:
    from ..verification import trace

    rounds = trace(options.counter, options.key)
    print("round  counter 0  counter 1  counter 2  counter 3  key 0     key 1")
    for step in rounds:
        counter = "   ".join(f"{word:08x}" for word in step.counter)
        print(f"{step.round:5}  {counter}   {step.key[0]:08x}  {step.key[1]:08x}")
    print(f"block  {'   '.join(f'{word:08x}' for word in rounds[-1].result)}")
