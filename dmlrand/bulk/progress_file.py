"""The side file of a fill: which fill it is, and how much of it is known to lie on the disk.

It is written only after what it vouches for was flushed, and replaced as a whole, so that it never says too much.
"""

from __future__ import annotations

from io import FileIO
from typing import Any

from ..files.atomic_write import NotRegularError, open_regular, replacing_beside
from ..files.checksummed_json import DocumentError, read_document, write_document
from ..files.names import quoted
from ..state import counter_of, key_of
from .content import Content

FORMAT = "dmlrand fill"
VERSION = 1
PART, PROGRESS = ".filling", ".progress"  # what the names of the part and of its side file add to the target's
PROBES = 256  # stretches of a part that are made anew and compared before it is gone on with
PROBE_BYTES = 4096
MAX_BYTES = 1 << 20  # of a side file: many times what one takes


class FillError(ValueError):
    """What lies beside a file to fill cannot be gone on with. The message says why, and what to do."""


def write_voucher(path: str, content: Content, flushed: int) -> None:
    """Say durably that the first `flushed` bytes are on the disk.

    Nobody reads it who may not read the target: who knows the key can make the values.
    """
    data = write_document(FORMAT, VERSION, {**_request(content), "flushed": flushed})
    with replacing_beside(path, path.removesuffix(PROGRESS)) as file:
        file.write(data)


def read_voucher(path: str) -> dict[str, Any] | None:
    """The side file, None where there is none. FillError for one that was damaged, or is something else."""
    try:
        with open(path, "rb", opener=open_regular) as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise DocumentError(f"has more than {MAX_BYTES:,} bytes. It is another kind of file.")
        return read_document(data, FORMAT, VERSION)
    except FileNotFoundError:
        return None
    except NotRegularError as error:
        raise FillError(f"{error} {start_anew(path)}") from None
    except DocumentError as error:
        raise FillError(f"{quoted(path)} {error.problem} {start_anew(path)}") from None


def is_of(voucher: dict[str, Any], content: Content) -> bool:
    """Whether a side file belongs to this very fill."""
    return {**voucher, "flushed": None} == {**_request(content), "flushed": None}


def check_same_fill(path: str, voucher: dict[str, Any], content: Content) -> None:
    """Raise FillError for a side file of another fill."""
    for name, asked in _request(content).items():
        if voucher.get(name) != asked:
            raise FillError(
                f"{quoted(path)} belongs to another fill: its {name} is {voucher.get(name)}, and {asked} was asked for. "
                f"Ask for what it says to finish that one. {start_anew(path)}"
            )


def check_probes(content: Content, file: FileIO, flushed: int) -> None:
    """Raise FillError where bytes before `flushed` are not those of the fill, as far as probes tell.

    To look at all of them would take as long as to write them anew: the probes are the first and the last, and
    others evenly between them.
    """
    last = max(flushed - PROBE_BYTES, 0)
    for start in sorted({last * i // (PROBES - 1) for i in range(PROBES)}):
        stop = min(start + PROBE_BYTES, flushed)
        file.seek(start)
        if file.read(stop - start) != content.part(start, stop):
            raise FillError(
                f"{quoted(file.name)} does not hold the values of this fill between bytes {start} and {stop}. "
                f"{start_anew(file.name)}"
            )


def _request(content: Content) -> dict[str, Any]:
    """All that the bytes depend on."""
    return {
        "counter": f"0x{counter_of(content.state):032x}",
        "key": f"0x{key_of(content.state):016x}",
        "shape": list(content.shape),
        "dtype": content.dtype.name,
        "bytes": content.bytes,
    }


def start_anew(path: str) -> str:
    """The remedy for all that cannot be gone on with, given the side file or the part."""
    target = path.removesuffix(PROGRESS).removesuffix(PART)
    return f"To start anew, remove {quoted(target + PROGRESS)} and {quoted(target + PART)}."
