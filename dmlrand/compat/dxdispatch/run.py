"""Run the commands of a model, and say what DxDispatch says."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median_high
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.integers import check_int
from ...files.atomic_write import replacing
from ...files.names import error_text
from ...files.npy import in_native_order, save_array
from ...operator import random_generator
from ...state import make_state
from ..directml import FeatureLevel
from ..directml.rules import check_level
from .json_reader import ModelError
from .model import Dispatch, Print, WriteFile, read_model


def run_model(
    path: str | os.PathLike[str],
    *,
    dispatch_iterations: int = 1,
    dispatch_repeat: int = 1,
    input_path: str | os.PathLike[str] | None = None,
    output_path: str | os.PathLike[str] | None = None,
    confine: bool = False,
    feature_level: FeatureLevel | str | int = FeatureLevel.DML_FEATURE_LEVEL_4_0,
    log: Callable[[str], None] = print,
) -> dict[str, NDArray[Any]]:
    """Run a DxDispatch model file whose dispatchables are RANDOM_GENERATOR operators.

    The whole model is read, and its bindings are checked, before the first command runs. specs/dxdispatch.md has
    the rules.

    Parameters
    ----------
    path : path
        The model: JSON, comments and trailing commas allowed. Needs python-rapidjson (extra `cli`).
    dispatch_iterations, dispatch_repeat : int >= 1
        Each dispatch command runs dispatch_iterations * dispatch_repeat times; a buffer that is input and output
        state moves on each time. They differ in what is timed, as in DxDispatch.
    input_path : path, optional
        Where relative source files are looked for first; the model's folder by default. The current directory
        comes second.
    output_path : path, optional
        Where relative target files go; the current directory by default.
    confine : bool
        False: a model reads and replaces any file that this process may, by absolute paths, `..` and symbolic links.
        True: source files must lie inside input_path and target files inside output_path, links resolved. Set it for
        a model that you did not write.
    feature_level : FeatureLevel, its value or its name
        As in directml.create_operator.
    log : callable of one str
        Takes what DxDispatch prints.

    Returns
    -------
    dict of str to array
        The final contents of every resource in its own data type, padding included; uint8 for UNKNOWN ones.

    Raises
    ------
    ModelError (a ValueError)
        The model breaks a rule, or a file of it cannot be read or written. The message begins with the place.
    TypeError, ValueError
        Another argument is wrong.
    ImportError
        python-rapidjson is not installed.

    Examples
    --------
    >>> import tempfile
    >>> model = '''{
    ...     "resources": {
    ...         "State": { "initialValuesDataType": "UINT32", "initialValues": [0, 0, 0, 0, 42, 0] },
    ...         "Out": { "initialValuesDataType": "UINT32", "initialValues": { "valueCount": 4, "value": 0 } },
    ...     },
    ...     "dispatchables": {
    ...         "gen": {
    ...             "type": "DML_OPERATOR_RANDOM_GENERATOR",
    ...             "desc": {
    ...                 "InputStateTensor": { "DataType": "UINT32", "Sizes": [1, 1, 1, 6] },
    ...                 "OutputTensor": { "DataType": "UINT32", "Sizes": [1, 1, 1, 4] },
    ...                 "Type": "PHILOX_4X32_10", // no OutputStateTensor
    ...             }
    ...         }
    ...     },
    ...     "commands": [
    ...         { "type": "dispatch", "dispatchable": "gen",
    ...           "bindings": { "InputStateTensor": "State", "OutputTensor": "Out" } },
    ...         { "type": "print", "resource": "Out" },
    ...     ]
    ... }'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "model.json").write_text(model)
    ...     resources = run_model(Path(folder, "model.json"))  # doctest: +ELLIPSIS
    Dispatch 'gen': 1 iterations, ... ms median (CPU)
    Resource 'Out': 2632642643, 2012563771, 314527917, 1463989207
    >>> resources["Out"]
    array([2632642643, 2012563771,  314527917, 1463989207], dtype=uint32)
    """
    iterations = check_int(dispatch_iterations, "dispatch_iterations", 1, 1 << 32)
    if not isinstance(confine, bool):
        raise TypeError(f"confine must be True or False; got {confine!r}.")
    repeat = check_int(dispatch_repeat, "dispatch_repeat", 1, 1 << 32)
    model = read_model(
        path,
        Path(path).parent if input_path is None else Path(input_path),
        Path.cwd() if output_path is None else Path(output_path),
        check_level(feature_level),
        confine,
    )
    if any(isinstance(command, Dispatch) for command in model.commands):
        _load_kernels()
    for command in model.commands:
        match command:
            case Dispatch():
                _dispatch(command, iterations, repeat, log)
            case Print():
                log(_printed(command))
            case WriteFile():
                _write(command)
                log(f"Resource '{command.name}' written to '{command.target}'")
    return {name: in_native_order(resource.elements()) for name, resource in model.resources.items()}


def _load_kernels() -> None:
    """Load now, or compile, what the first dispatch would: no time should have that in it."""
    block = np.empty((2, 3, 2), np.uint32)
    for out in (block, block[..., 0], block[:, :2, 0]):  # no gaps, even gaps and others have a kernel each
        random_generator(make_state(), out=out)


def _dispatch(command: Dispatch, iterations: int, repeat: int, log: Callable[[str], None]) -> None:
    samples = []
    for _ in range(iterations):
        start = time.perf_counter()
        for _ in range(repeat):
            try:
                command.run()
            except MemoryError:
                raise ModelError(f"{command.path} does not fit in memory. Make its tensors smaller.") from None
        samples.append((time.perf_counter() - start) / repeat)
    # DxDispatch's median of an even number is the upper one.
    log(f"Dispatch '{command.name}': {iterations} iterations, {1000 * median_high(samples):.4f} ms median (CPU)")


def _printed(command: Print) -> str:
    texts = [_text(value) for value in command.values.tolist()]
    if not command.verbose:
        return f"Resource '{command.name}': {', '.join(texts)}"
    # Widths are DxDispatch's: the index padded to the longest number of them, the bits to their digits, with spaces.
    width = len(str(len(texts)))
    digits = 2 * command.values.itemsize
    bits = in_native_order(command.values).view(f"u{command.values.itemsize}").tolist()
    lines = [f"[{i:{width}}] {text} (0x{word:{digits}X})\n" for i, (text, word) in enumerate(zip(texts, bits))]
    return f"Resource '{command.name}':\n{''.join(lines)}"


def _text(value: float) -> str:
    """A value as a C++ stream writes it: floats with six digits."""
    return format(value, "g") if isinstance(value, float) else str(value)


def _write(command: WriteFile) -> None:
    try:
        command.target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(command.target) as file:
            if command.target.suffix.lower() == ".npy":
                save_array(file, command.values)
            else:
                file.write(command.values.data)
    except (OSError, ValueError) as error:
        raise ModelError(f"{command.path} cannot be written: {error_text(error)}") from None
