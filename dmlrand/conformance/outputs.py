"""What a device returned for a case: buffers in files, and the log of a run that was refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..files import in_native_order
from ..state import UINT32
from .case import Case
from .writing import OUTPUTS

_EXIT_CODE = re.compile(r"exit code\s+(-?\d+)\s*\Z")
_HRESULT = re.compile(r"\b0x8[0-9a-fA-F]{7}\b")
HRESULT_NAMES = {0x80004001: "E_NOTIMPL", 0x80004005: "E_FAIL", 0x80070057: "E_INVALIDARG"}


def is_crash(error: int) -> bool:
    """Whether Windows ended the program, such as 0xc0000005 for an access violation."""
    return error >> 28 == 0xC


def format_error(error: int) -> str:
    """The number as Microsoft's pages write it, with its name if it is a common one."""
    if error >> 28 not in (8, 0xC):
        return f"exit code {error}"
    name = HRESULT_NAMES.get(error)
    return f"{error:#010x}" + (f" ({name})" if name else "")


class OutputError(ValueError):
    """A file does not hold the buffer that the case asks for. The text says what it holds."""


class NotReturned(Exception):
    """A file of a draw is missing. The text says which."""


class Outputs:
    """The files of a case in the folder `outputs` of a kit."""

    def __init__(self, kit: Path, case: Case) -> None:
        self.case = case
        self._folder = kit / OUTPUTS

    def exists(self) -> bool:
        """Whether any buffer was returned."""
        draws = range(1, self.case.draws + 1)
        return any(self._path(name(draw)) for name in (self.case.values_name, self.case.state_name) for draw in draws)

    def error(self) -> int | None:
        """The HRESULT or else the exit code modulo 2**32. None if the log is missing or reports success."""
        try:
            log = (self._folder / f"{self.case.name}.txt").read_text("utf-8", "replace")
        except OSError:
            return None
        ended = _EXIT_CODE.search(log)
        if ended is None or int(ended[1]) == 0:
            return None
        code = int(ended[1]) % (1 << 32)  # cmd prints an HRESULT, the exit code of DxDispatch, as a signed number
        found = _HRESULT.search(log)
        return code if found is None or is_crash(code) else int(found[0], 16)

    def _path(self, name: str) -> Path | None:
        paths = [self._folder / f"{name}{ending}" for ending in (".npy", ".bin")]
        return next((path for path in paths if path.is_file()), None)

    def read(self, name: str, words: int, what: str) -> NDArray[np.uint32]:
        """A buffer. Raises NotReturned if no file exists, OutputError if the file is wrong."""
        path = self._path(name)
        if path is None:
            raise NotReturned(f"There is no file of {what}.")
        buffer = _load_raw(path) if path.suffix == ".bin" else _load_npy(path)
        if buffer.size != words:
            remedy = " Put each word at the place that the strides give (README.md)." if buffer.size < words else ""
            raise OutputError(f"{path.name} holds {buffer.size} words, not {words}.{remedy}")
        return buffer


def _load_npy(path: Path) -> NDArray[np.uint32]:
    try:
        array = in_native_order(np.load(path, mmap_mode="r")).reshape(-1)
    except Exception as error:  # numpy does not catch the errors of zipfile, tokenize and the allocator
        raise OutputError(f"{path.name} is not a complete .npy file ({' '.join(str(error).split())}).") from None
    if array.dtype != UINT32:
        raise OutputError(f"{path.name} holds {array.dtype}, not uint32.")
    return array


def _load_raw(path: Path) -> NDArray[np.uint32]:
    size = path.stat().st_size
    if size % 4:
        raise OutputError(f"{path.name} holds {size} bytes, which are not whole words.")
    return in_native_order(np.fromfile(path, "<u4"))
