"""Faults of the file that carried the words: text modes, text, wider elements, and bytes lost or inserted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .dump import Dump
from .report.result import Finding

MIN_BYTES = 32
MAX_ELEMENTS = 1 << 20  # compared
NARROWEST = 4  # elements may have a quarter of a word each
PATTERN_BYTES = 12
MIN_SAME_BYTES = 16  # fewer may be equal by chance
MAX_SHIFT_BYTES = 4096
MAX_EVENTS = 4  # places at which bytes were lost or inserted
FIRST_BYTES = 1024  # that are changed first, because most changes fail there
MIN_LINE_ENDS = 8
MIN_VALUES = 16  # different bytes; words have more
TEXT_END = 0x1A  # Ctrl-Z: reading in a text mode stops there
PRINTABLE = re.compile(rb"[\t\n\r -~]*")
NUMBER = re.compile(rb"(?<![\w.])([-+]?(?:0[xX])?[0-9a-fA-F]+(?:\.[0-9]+)?(?:[eE][-+][0-9]+)?)[uUlL]*(?![\w.])")
CRLF = "each byte 0x0a was replaced by 0x0d 0x0a (CRLF)"
HEADER = "header-before-words"
COPY_BYTES = "write, copy and read the file as binary data"
REMEDIES = {"words-of-another-size": "store the words as uint32"}

Change = Callable[[bytes], bytes]


def _replace(*pairs: bytes) -> Change:
    """Each byte string of the first, third, ... argument is replaced by the one after it, in this order."""

    def change(data: bytes) -> bytes:
        for old, new in zip(pairs[::2], pairs[1::2]):
            data = data.replace(old, new)
        return data

    return change


def _cast(source: str, target: str) -> Change:
    return lambda data: np.frombuffer(data[: len(data) // 4 * 4], source).astype(target).tobytes()


# What may have been made of the right bytes: the fault's name, what happened, and the change.
CHANGES: tuple[tuple[str, str, Change], ...] = (
    ("line-ends-changed", CRLF, _replace(b"\n", b"\r\n")),
    ("line-ends-changed", f"{CRLF}, twice", _replace(b"\n", b"\r\n", b"\n", b"\r\n")),
    ("line-ends-changed", "each 0x0d 0x0a (CRLF) was replaced by 0x0a", _replace(b"\r\n", b"\n")),
    ("line-ends-changed", "each byte 0x0d (CR) was replaced by 0x0a", _replace(b"\r", b"\n")),
    ("line-ends-changed", "0x0d 0x0a, and each other byte 0x0d, were replaced by 0x0a",
     _replace(b"\r\n", b"\n", b"\r", b"\n")),
    *(("line-ends-changed", f"each byte {byte:#x} ({what}) was removed", _replace(bytes([byte]), b""))
      for byte, what in ((0x0A, "LF"), (0x0D, "CR"))),
    *(("words-of-another-size", f"each word was stored as {what}", change) for what, change in (
        ("int64, with the upper half 0", _cast("<u4", "<u8")),
        ("int64, with the sign in the upper half", _cast("<i4", "<i8")),
        ("big-endian int64", _cast("<u4", ">i8")),
        ("float64", _cast("<u4", "<f8")),
        ("float64, after a conversion to int32", _cast("<i4", "<f8")),
    )),
)  # fmt: skip


def _undo_line_ends(raw: bytes) -> bytes:
    if not raw.count(b"\n") == raw.count(b"\r\n") > MIN_LINE_ENDS:
        raise ValueError
    return raw.replace(b"\r\n", b"\n")


def _undo_int64(raw: bytes) -> bytes:
    words = np.frombuffer(raw, np.uint32)
    if words[1::2].any():
        raise ValueError
    return words[::2].tobytes()


def _parse(raw: bytes) -> bytes:
    """The words that text holds, in decimal or hexadecimal notation, with anything between them."""
    text = raw.rstrip(b"\0")
    if not PRINTABLE.fullmatch(text):
        raise ValueError
    numbers = NUMBER.findall(text)[:-1]  # the last one may not be whole
    with suppress(ValueError):
        words = [float(number) if b"." in number else int(number) for number in numbers]
        if any(word % 1 for word in words):
            raise ValueError
        return np.array(words, np.int64).astype(np.uint32).tobytes()
    digits = [number[2:].zfill(8) if number[1:2] in b"xX" else number.zfill(8) for number in numbers]
    return np.frombuffer(bytes.fromhex(b"".join(digits).decode()), ">u4").astype("<u4").tobytes()


# What can be undone: the fault's name, what happened, and how it is undone. A ValueError: it did not happen.
UNDONE: tuple[tuple[str, str, Change], ...] = (
    ("line-ends-changed", CRLF, _undo_line_ends),
    ("bytes-as-text", "each word was written as a number in a text", _parse),
    ("words-of-another-size", "each word was stored as int64", _undo_int64),
)  # fmt: skip


def explain_file(dump: Dump) -> list[Finding]:
    """The fault of the file that gives all bytes, or those of the first 2**20 elements."""
    if dump.size * dump.bits.itemsize < MIN_BYTES:
        return []
    raw = dump.head(MAX_ELEMENTS).tobytes()
    count = NARROWEST * min(dump.size, MAX_ELEMENTS // 2) + MAX_SHIFT_BYTES
    right = dump.right_elements(0, count).tobytes()
    undone = (Finding(*fault) for *fault, values in undone_files(dump) if right.startswith(values.tobytes()))
    return [*islice(chain(_changed(raw, right), undone, _moved(dump, raw, right)), 1)]


def undone_files(dump: Dump) -> Iterator[tuple[str, str, NDArray[Any]]]:
    """The elements without a fault of the file that all bytes show: the fault's name, a sentence, and the elements."""
    raw, unit = dump.head(MAX_ELEMENTS).tobytes(), dump.bits.itemsize
    for name, what, undo in UNDONE:
        with suppress(ValueError, OverflowError):
            data = undo(raw)
            is_likely = len({*data}) > MIN_VALUES and data.count(0) * 2 < len(data)  # bytes of words, or of numbers
            if MIN_BYTES <= len(data) and data != raw and is_likely:
                yield name, _sentence(name, what), np.frombuffer(data[: len(data) // unit * unit], dump.values.dtype)


def _sentence(name: str, what: str) -> str:
    return f"The file was changed: {what}. {REMEDIES.get(name, COPY_BYTES).capitalize()}."


def _changed(raw: bytes, right: bytes) -> Iterator[Finding]:
    """A change of all bytes, up to a tail of zeros."""
    kept = raw.rstrip(b"\0")
    tail = len(raw) - len(kept)
    for name, what, change in CHANGES if len(kept) >= MIN_BYTES else ():
        beginning = change(right[:FIRST_BYTES])[: FIRST_BYTES // 8]
        if kept.startswith(beginning[: len(kept)]):
            made = change(right)
            compared = min(len(kept), len(made))
            is_changed = made[: compared - MIN_SAME_BYTES] != right[: compared - MIN_SAME_BYTES]
            if is_changed and kept[:compared] == made[:compared]:
                zeros = "" if raw[: len(made)] == made[: len(raw)] else f" The last {tail:,} bytes are 0."
                yield Finding(name, _sentence(name, what) + zeros)


def _moved(dump: Dump, raw: bytes, right: bytes) -> Iterator[Finding]:
    """Right bytes with a header, bytes that are lost or inserted, or a lost end, if that is not of whole elements."""
    place = source = explained = lost = 0
    is_within_elements = False
    events: list[tuple[str, str]] = []
    while len(events) < MAX_EVENTS:
        same = _equal_bytes(raw[place:], right[source:])
        same = same if same >= PATTERN_BYTES else 0
        explained, place, source = explained + same, place + same, source + same
        more = raw.find(right[source : source + PATTERN_BYTES], place) - place
        pattern = raw[place : place + PATTERN_BYTES].ljust(PATTERN_BYTES)
        fewer = right.find(pattern, source, source + MAX_SHIFT_BYTES + PATTERN_BYTES) - source
        if more <= 0 >= fewer:
            break
        if fewer <= 0 or 0 < more < fewer:
            where = f"{_bytes(more)} inserted at byte {place:,}" if place else f"after a header of {more:,} bytes"
            events.append(("bytes-inserted", where) if place else (HEADER, f"the stream begins {where}"))
            place += more
        else:
            where = f"at byte {place:,}" if place else "at the beginning of the stream"
            events.append(("bytes-lost", f"{_bytes(fewer)} missing {where}"))
            source, lost = source + fewer, lost + fewer
        is_within_elements |= (place - source) % dump.bits.itemsize != 0
    rest = raw[place:]
    if len(rest) > lost and len({*rest}) == 1:
        text = f"all bytes from byte {place:,} on are {rest[0]:#x}, as if the file was cut there"
        events.append(("zero-tail" if rest[0] == 0 else "constant-tail", f"{text}{text_end(right[source])}"))
        is_within_elements |= place % dump.bits.itemsize != 0
    elif rest:
        events.append(("", f"{_bytes(len(rest))} not found at the end"))
        is_within_elements &= len(rest) < len(raw) // 2
    if is_within_elements and explained >= MIN_BYTES:
        text = "; ".join(event for _, event in events)
        text = f"{text[0].upper()}{text[1:]}; all other bytes are right: {COPY_BYTES}."
        yield Finding("+".join(dict.fromkeys(name for name, _ in events if name)), text)


def text_end(byte: int) -> str:
    """Why a file may end before this byte."""
    return f" (the right byte there is {TEXT_END:#x}, at which a text mode stops)" if byte == TEXT_END else ""


def _bytes(count: int) -> str:
    return f"{count:,} byte{'s are' if count > 1 else ' is'}"


def _equal_bytes(raw: bytes, right: bytes) -> int:
    """How many bytes at the beginning are equal."""
    size = min(len(raw), len(right))
    one, other = (np.frombuffer(data[:size], np.uint8) for data in (raw, right))
    return int(np.argmin(np.append(one == other, False)))
