"""`write_kit`: the files of the kit in a folder."""

from __future__ import annotations

import os
import shutil
from importlib.resources import files
from pathlib import Path

from ..drawing.arguments import check_int
from ..files import quoted, replacing, save_array
from ..operator import random_generator
from ..shaders import source
from .case import WORDS, Case, draw_states, make_buffer
from .cases import all_cases
from .cases_file import LINES_NAME, NAME, encode_cases, encode_lines, read_cases
from .model_file import model_text

MODELS, EXPECTED, OUTPUTS = "models", "expected", "outputs"
EXPECTED_WORDS_END = 1 << 14  # larger buffers are recorded as a hash only
DXDISPATCH = "\n## Run it with DxDispatch\n"  # the last section of README.md
HARNESSES = ("harness.c", "harness.py")
SCRIPTS = ("run.cmd", "run.sh")  # that run the model files


def write_kit(
    folder: str | os.PathLike[str], max_words: int | None = None, words_only: bool = False
) -> tuple[Case, ...]:
    """Write the conformance kit: cases, expected outputs, programs that run them, and instructions. Return its cases.

    Parameters
    ----------
    folder : path
        A folder that does not exist yet, is empty, or holds a kit, which is replaced. Files in its folder `outputs`
        are not touched.
    max_words : int >= 1, optional
        Leave out cases that draw more words at once. The largest case draws 2**26 + 1.
    words_only : bool
        For an implementation without DirectML's descriptors: leave out the cases of wrong descriptors, the model
        files, and the scripts that run them.

    Raises
    ------
    OSError
        A file cannot be written, or `folder` is a file or within a folder that does not exist.
    ValueError
        The folder holds other files.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cases = write_kit(folder, max_words=64, words_only=True)
    ...     sorted(os.listdir(folder))
    ['README.md', 'cases.json', 'cases.txt', 'expected', 'harness.c', 'harness.py']
    """
    limit = None if max_words is None else check_int(max_words, "max_words", 1)
    cases = tuple(case for case in all_cases() if limit is None or case.words <= limit)
    if words_only:
        cases = tuple(case for case in cases if case.expected == WORDS)
    root = Path(folder)
    root.mkdir(exist_ok=True)
    if os.listdir(root):
        _check_is_kit(root)
    # cases.json comes first: it marks the folder as a kit, so that the command can be repeated after a kill.
    _write(root / NAME, encode_cases(cases))
    for name in (MODELS, EXPECTED):
        shutil.rmtree(root / name, ignore_errors=True)
    for name in SCRIPTS:
        (root / name).unlink(missing_ok=True)
    (root / EXPECTED).mkdir()
    for case in cases:
        _write_expected(root, case)
    if not words_only:
        (root / MODELS).mkdir()
        for case in cases:
            _write(root / MODELS / f"{case.name}.json", model_text(case).encode())
    _write(root / LINES_NAME, encode_lines(cases))
    _write(root / "README.md", _guide(cases, words_only).encode())
    for name in HARNESSES if words_only else (*HARNESSES, *SCRIPTS):
        _write(root / name, _kit_file(name).replace("\n", "\r\n" if name.endswith(".cmd") else "\n").encode())
    return cases


def _kit_file(name: str) -> str:
    text = (files(__package__) / "kit_files" / name).read_text(encoding="utf-8")
    return text.replace("@philox.c@", source("c")) if name == "harness.c" else text


def _guide(cases: tuple[Case, ...], words_only: bool) -> str:
    """README.md of a kit of these cases."""
    largest = f"{4 * max(case.values_words for case in cases):,} bytes"
    text = _kit_file("README.md").replace("{largest}", largest)
    return text.partition(DXDISPATCH)[0] if words_only else text


def _check_is_kit(root: Path) -> None:
    try:
        read_cases(root)
    except ValueError:
        raise ValueError(
            f"DIR must be empty or hold a conformance kit; got {quoted(root)}, which has other files. "
            "Name another folder."
        ) from None


def _write_expected(root: Path, case: Case) -> None:
    if case.expected != WORDS:
        return
    states = draw_states(case)
    for draw in range(1, case.draws + 1):
        buffers = {}
        if case.values_words < EXPECTED_WORDS_END:
            words = random_generator(states[draw - 1], case.words).values
            buffers[case.values_name(draw)] = make_buffer(case.values_words, case.value_places(), words)
        if case.has_new_state:
            buffers[case.state_name(draw)] = make_buffer(case.state_words, case.state_places(), states[draw])
        for name, buffer in buffers.items():
            with replacing(root / EXPECTED / f"{name}.npy") as file:
                save_array(file, buffer)


def _write(path: Path, data: bytes) -> None:
    with replacing(path) as file:
        file.write(data)
