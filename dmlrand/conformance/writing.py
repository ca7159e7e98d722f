"""`write_kit`: the files of the kit in a folder."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..arrays.integers import check_int
from ..files.atomic_write import replacing
from ..files.names import quoted
from ..files.npy import save_array
from .case import WORDS, Case
from .cases import all_cases
from .cases_file import NAME, encode_cases, read_cases
from .expected import draw_states, expected_state, expected_values
from .guide import GUIDE, RUN_SCRIPT
from .model_file import model_text, state_name, values_name

MODELS, EXPECTED, OUTPUTS = "models", "expected", "outputs"
EXPECTED_WORDS_END = 1 << 14  # larger buffers are recorded as a hash only


def write_kit(folder: str | os.PathLike[str], max_words: int | None = None) -> tuple[Case, ...]:
    """Write the conformance kit: model files, cases.json, expected outputs, README.md and run.cmd. Return its cases.

    Parameters
    ----------
    folder : path
        A folder that does not exist yet, is empty, or holds a kit. Files in its folder `outputs` are not touched.
    max_words : int >= 1, optional
        Leave out cases that draw more words at once. The largest case draws 2**26 + 1.

    Raises
    ------
    OSError
        A file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cases = write_kit(folder, max_words=64)
    ...     sorted(os.listdir(folder))
    ['README.md', 'cases.json', 'expected', 'models', 'run.cmd']
    """
    limit = None if max_words is None else check_int(max_words, "max_words", 1)
    cases = tuple(case for case in all_cases() if limit is None or case.words <= limit)
    root = Path(folder)
    old_cases = _claim(root)
    # cases.json comes first: it marks the folder as a kit, so that the command can be repeated after a kill.
    _write(root / NAME, encode_cases(cases))
    for name in (MODELS, EXPECTED):
        (root / name).mkdir(exist_ok=True)
    for case in old_cases:
        if case not in cases:
            _remove(root, case)
    for case in cases:
        _write_case(root, case)
    _write(root / "README.md", GUIDE.encode())
    _write(root / "run.cmd", RUN_SCRIPT.replace("\n", "\r\n").encode())
    return cases


def _claim(root: Path) -> tuple[Case, ...]:
    """Make the folder if necessary, and return the cases of the kit that it holds. Refuse any other content."""
    try:
        root.mkdir()
    except FileExistsError:
        if not root.is_dir():
            raise ValueError(
                f"DIR must be a folder; got {quoted(root)}, which is a file. Name another folder."
            ) from None
    except FileNotFoundError:
        raise ValueError(
            f"DIR must be in a folder that exists; got {quoted(root)}. Create the folder above it first."
        ) from None
    if not os.listdir(root):
        return ()
    if not (root / NAME).is_file():
        raise ValueError(
            f"DIR must be empty or hold a conformance kit; got {quoted(root)}, which has other files. "
            "Name another folder."
        )
    try:
        return read_cases(root)
    except ValueError:
        raise ValueError(
            f"DIR must be empty or hold a conformance kit; got {quoted(root)}, whose {NAME} was changed or is another "
            "file. Name another folder."
        ) from None


def _remove(root: Path, case: Case) -> None:
    """Remove the files of a case that the new kit lacks. What a device returned stays."""
    names = [f"{MODELS}/{case.name}.json"]
    for draw in range(1, case.draws + 1):
        names += [f"{EXPECTED}/{values_name(case, draw)}.npy", f"{EXPECTED}/{state_name(case, draw)}.npy"]
    for name in names:
        with suppress(FileNotFoundError):
            (root / name).unlink()


def _write_case(root: Path, case: Case) -> None:
    _write(root / MODELS / f"{case.name}.json", model_text(case).encode())
    if case.expected != WORDS:
        return
    states = draw_states(case)
    for draw in range(1, case.draws + 1):
        if case.values_words < EXPECTED_WORDS_END:
            values = expected_values(case, states[draw - 1])
            _write_array(root / EXPECTED / f"{values_name(case, draw)}.npy", values)
        if case.has_new_state:
            _write_array(root / EXPECTED / f"{state_name(case, draw)}.npy", expected_state(case, states[draw]))


def _write(path: Path, data: bytes) -> None:
    with replacing(path) as file:
        file.write(data)


def _write_array(path: Path, array: NDArray[np.uint32]) -> None:
    with replacing(path) as file:
        save_array(file, array)
