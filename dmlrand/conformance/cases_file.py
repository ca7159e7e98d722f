"""cases.json: every case with its state, descriptor and expected words, for any implementer."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..files import JsonError, decode_json, encode_json, quoted
from .case import WORDS, Case, expected_draws, strides_of

NAME, FORMAT, VERSION = "cases.json", "dmlrand conformance kit", 1
LINES_NAME = "cases.txt"
LINES_HEADER = """\
# name, draws, words of the output buffer, distance of a state's words in their buffer, 1 if the new state is returned,
# the six words of the state, the rank, the sizes, the strides in words
"""


def encode_cases(cases: tuple[Case, ...]) -> bytes:
    entries = [
        {**asdict(case), "feature_level": case.feature_level, "draws": list(expected_draws(case))} for case in cases
    ]
    return encode_json(FORMAT, VERSION, {"cases": entries})


def read_cases(folder: str | os.PathLike[str]) -> tuple[Case, ...]:
    """The cases of the kit in a folder. ValueError if it holds no kit, or one that was changed."""
    path = Path(folder, NAME)
    try:
        members = decode_json(path.read_bytes(), FORMAT, VERSION)
        return tuple(_decode(entry) for entry in members["cases"])
    except OSError as error:
        raise ValueError(
            f"{quoted(folder)} must be a folder with a conformance kit; {error}. "
            "Make one with: dmlrand conformance write DIR"
        ) from None
    except JsonError as error:
        raise ValueError(f"{quoted(path)} {error} To write the kit again: dmlrand conformance write") from None


def encode_lines(cases: tuple[Case, ...]) -> bytes:
    """cases.txt: a line for each case of words, with all that a program needs to run it (conformance 3.5)."""
    return (LINES_HEADER + "".join(_line(case) for case in cases if case.expected == WORDS)).encode()


def _line(case: Case) -> str:
    first, second, *_ = case.state_places()
    numbers = [case.draws, case.values_words, second - first, int(case.has_new_state), *case.state]
    numbers += [len(case.sizes), *case.sizes, *strides_of(case.desc["OutputTensor"])]
    return f"{case.name} {' '.join(map(str, numbers))}\n"


def _decode(entry: dict[str, Any]) -> Case:
    members = {name: value for name, value in entry.items() if name != "feature_level"}  # it follows from the desc
    return Case(**members | {"state": tuple(entry["state"]), "draws": max(1, len(entry["draws"]))})
