"""Faults of the file that carried the words: what a text mode, a text, or a wider type made of them is undone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .dump import Dump
from .report.result import Finding

MIN_BYTES = 32
MAX_ELEMENTS = 1 << 20  # compared
PATTERN_BYTES = 12
MAX_SHIFT_BYTES = 4096
MIN_LINE_ENDS = 8
MIN_VALUES = 16  # different bytes; words have more
PRINTABLE = re.compile(rb"[\t\n\r -~]*")
NUMBER = re.compile(rb"(?<![\w.])([-+]?(?:0[xX])?[0-9a-fA-F]+(?:\.[0-9]+)?(?:[eE][-+][0-9]+)?)[uUlL]*(?![\w.])")
COPY_BYTES = "write, copy and read the file as binary data"


def _undo_line_ends(raw: bytes) -> bytes:
    if not raw.count(b"\n") == raw.count(b"\r\n") > MIN_LINE_ENDS:
        raise ValueError
    return raw.replace(b"\r\n", b"\n")


def _undo_int64(raw: bytes) -> bytes:
    halves = np.frombuffer(raw, np.uint32)
    words, upper = halves[::2], halves[1::2]
    if not (upper == 0).all() and not (upper == (words[: upper.size] >> 31) * 0xFFFFFFFF).all():
        raise ValueError
    return words.tobytes()


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


# The fault's name, what happened, what to do, and how it is undone. A ValueError: it did not happen.
UNDONE = (
    ("line-ends-changed", "each byte 0x0a was replaced by 0x0d 0x0a (CRLF)", COPY_BYTES, _undo_line_ends),
    ("bytes-as-text", "each word was written as a number in a text", COPY_BYTES, _parse),
    ("words-of-another-size", "each word was stored as int64", "store the words as uint32", _undo_int64),
)


def undone_files(dump: Dump) -> Iterator[tuple[Finding, NDArray[Any]]]:
    """The faults of the file that its bytes show, each with the elements without this fault."""
    raw, unit = dump.head(MAX_ELEMENTS).tobytes(), dump.bits.itemsize
    for name, what, remedy, undo in UNDONE:
        with suppress(ValueError, OverflowError):
            data = undo(raw)
            is_likely = len({*data}) > MIN_VALUES and data.count(0) * 2 < len(data)  # bytes of words, or of numbers
            if MIN_BYTES <= len(data) and data != raw and is_likely:
                sentence = f"The file was changed: {what}. {remedy.capitalize()}."
                yield Finding(name, sentence), np.frombuffer(data[: len(data) // unit * unit], dump.values.dtype)


def explain_moved_bytes(dump: Dump) -> list[Finding]:
    """Right bytes after a header, without the first ones, or up to a cut, if that is not of whole elements."""
    raw, unit = dump.head(MAX_ELEMENTS).tobytes(), dump.bits.itemsize
    right = dump.right_elements(0, min(dump.size, MAX_ELEMENTS) + MAX_SHIFT_BYTES).tobytes()
    more = max(raw.find(right[:PATTERN_BYTES]), 0)
    fewer = max(right.find(raw[:PATTERN_BYTES], 0, MAX_SHIFT_BYTES + PATTERN_BYTES), 0)
    same = _equal_bytes(raw[more:], right[fewer:])
    rest = raw[more + same :]
    if same < MIN_BYTES or len({*rest}) > 1 or not (more % unit or fewer % unit or same % unit):
        return []
    events = [("header-before-words", f"the stream begins after a header of {more:,} bytes")] * (more > 0)
    events += [("bytes-lost", f"the first {fewer:,} bytes of the stream are missing")] * (fewer > 0)
    if len(rest) > fewer:
        tail = f"all bytes from byte {more + same:,} on are {rest[0]:#x}, as if the file was cut there"
        events.append(("constant-tail" if rest[0] else "zero-tail", tail))
    text = "; ".join(text for _, text in events)
    sentence = f"{text[0].upper()}{text[1:]}; all other bytes are right: {COPY_BYTES}."
    return [Finding("+".join(name for name, _ in events), sentence)]


def _equal_bytes(raw: bytes, right: bytes) -> int:
    """How many bytes at the beginning are equal."""
    size = min(len(raw), len(right))
    one, other = (np.frombuffer(data[:size], np.uint8) for data in (raw, right))
    return int(np.argmin(np.append(one == other, False)))
