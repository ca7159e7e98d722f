"""Faults of the file that carried the words: headers of any length, lost bytes, line ends, wider elements."""

from __future__ import annotations

import base64
import codecs
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .dump import Dump
from .report.result import Finding

MIN_BYTES = 32
MAX_ELEMENTS = 1 << 20  # compared
PATTERN_BYTES = 12
MIN_SAME_BYTES = 16  # at the beginning; fewer may be equal by chance
MAX_SHIFT_BYTES = 4096
FIRST_BYTES = 1024  # that are changed first, because most changes fail there
MIN_LINE_ENDS = 8
MIN_VALUES = 16  # different bytes; words have more
CRLF = "each byte 0x0a was replaced by 0x0d 0x0a (CRLF)"
UTF_8 = "each byte was encoded as UTF-8"
SEPARATORS = {"nothing": "", "a space": " ", "a comma": ",", "a comma and a space": ", ", "a line end": "\n"}
COPY_BYTES = "copy the file as binary data"


def _as_text(form: str, separator: str, data: bytes) -> bytes:
    return "".join(form.format(word) + separator for word in np.frombuffer(data, np.uint32).tolist()).encode()


# Bytes that a text mode or a codec replaced, and words as text, by what happened.
TEXT_MODES: tuple[tuple[str, str, Callable[[bytes], bytes]], ...] = (
    ("line-ends-changed", CRLF, lambda data: data.replace(b"\n", b"\r\n")),
    ("line-ends-changed", "each 0x0d 0x0a (CRLF) was replaced by 0x0a", lambda data: data.replace(b"\r\n", b"\n")),
    ("line-ends-changed", "each byte 0x0d (CR) was removed", lambda data: data.replace(b"\r", b"")),
    ("line-ends-changed", "each byte 0x0d (CR) was replaced by 0x0a", lambda data: data.replace(b"\r", b"\n")),
    ("bytes-removed", "each byte 0 was removed", lambda data: data.replace(b"\0", b"")),
    ("bytes-as-text", UTF_8, lambda data: data.decode("latin-1").encode()),
    ("bytes-as-text", "bytes that are no UTF-8 were replaced", lambda data: data.decode("utf-8", "replace").encode()),
    ("bytes-as-text", "the highest bit of each byte was cleared", lambda data: bytes(byte & 0x7F for byte in data)),
    ("bytes-as-text", "each byte was written as hexadecimal digits without leading zeros, and pairs were read",
     lambda data: _pairs_of_digits("".join(f"{byte:x}" for byte in data))),
    ("bytes-as-text", "each word was written as hexadecimal digits without leading zeros, and pairs were read",
     lambda data: _pairs_of_digits("".join(f"{word:x}" for word in np.frombuffer(data, np.uint32).tolist()))),
    ("bytes-as-text", "the bytes are base64 text", base64.b64encode),
    *(("bytes-as-text", f"the words are text, such as {form.format(42)}, with {name} after each",
       partial(_as_text, form, separator))
      for form in ("{}", "{:x}", "{:08x}", "0x{:x}", "0x{:08x}")
      for name, separator in SEPARATORS.items()),
)  # fmt: skip


def explain_file(dump: Dump) -> list[Finding]:
    """The fault of the file that gives all bytes, or those of the first 2**20 elements."""
    if dump.size * dump.bits.itemsize < MIN_BYTES:
        return []
    raw = dump.head(MAX_ELEMENTS).tobytes()
    right = dump.right_elements(0, min(dump.size, MAX_ELEMENTS) + MAX_SHIFT_BYTES).tobytes()
    for search in (_translated, _wider, _shifted):
        for finding in search(dump, raw, right):
            return [finding]
    return []


def undone_files(dump: Dump) -> Iterator[tuple[str, str, NDArray[np.uint32]]]:
    """The words without a fault of the file that all bytes show: the fault's name, a sentence, and the words."""
    raw = dump.head(MAX_ELEMENTS).tobytes() if dump.is_of_words else b""
    undone: list[tuple[str, str, bytes]] = []
    if raw.count(b"\n") == raw.count(b"\r\n") > MIN_LINE_ENDS:
        undone.append(("line-ends-changed", CRLF, raw.replace(b"\r\n", b"\n")))
    with suppress(UnicodeError):
        undone.append(("bytes-as-text", UTF_8, codecs.getincrementaldecoder("utf-8")().decode(raw).encode("latin-1")))
    words = np.frombuffer(raw, np.uint32)
    if not words[1::2].any():
        undone.append(("words-of-another-size", "each word was stored as int64", words[::2].tobytes()))
    for name, what, data in undone:
        if MIN_BYTES <= len(data) < len(raw) and len({*data}) > MIN_VALUES:
            yield name, f"The file was changed: {what}.", np.frombuffer(data[: len(data) // 4 * 4], np.uint32)


def _translated(dump: Dump, raw: bytes, right: bytes) -> Iterator[Finding]:
    for name, what, change in TEXT_MODES:
        beginning = change(right[:FIRST_BYTES])[: FIRST_BYTES // 2]
        if raw.startswith(beginning[: len(raw)]) and raw == change(right)[: len(raw)]:
            yield Finding(name, f"The file was copied as text: {what}. {COPY_BYTES.capitalize()}.")


def _pairs_of_digits(text: str) -> bytes:
    return bytes.fromhex(text[: len(text) // 2 * 2])


def _wider(dump: Dump, raw: bytes, right: bytes) -> Iterator[Finding]:
    """Words in elements of another size."""
    if not dump.is_of_words:
        return
    words = np.frombuffer(right[: len(right) // 4 * 4], np.uint32)
    got = np.frombuffer(raw, np.uint32)
    for name, dtype, source in (
        ("int64, with the upper half 0,", np.int64, words),
        ("int64, with the sign in the upper half,", np.int64, words.view(np.int32)),
        ("big-endian int64", ">i8", words),
        ("float64", np.float64, words),
        ("float64 numbers of int32", np.float64, words.view(np.int32)),
        ("uint16, of their low halves,", np.uint16, words & np.uint32(0xFFFF)),
        ("uint8, of their low bytes,", np.uint8, words & np.uint32(0xFF)),
    ):
        made = source[: 4 * got.size].astype(dtype).tobytes()
        if made[: len(raw)] == raw[: len(made)] and len(made) >= min(len(raw), MIN_BYTES):
            text = f"Each word is stored as {name} instead of uint32: store uint32, or convert the elements."
            yield Finding("words-of-another-size", text)


def _shifted(dump: Dump, raw: bytes, right: bytes) -> Iterator[Finding]:
    """A header, or bytes that were lost or inserted, at the beginning or at one place."""
    size, unit = len(raw), dump.bits.itemsize
    same = _equal_bytes(raw, right)
    same = same if same >= MIN_SAME_BYTES else 0
    if same and size - same < 3 * PATTERN_BYTES:
        return
    more = raw.find(right[same : same + PATTERN_BYTES], same) - same
    if more > 0 and more % unit and raw[same + more :] == right[same : size - more]:
        if same:
            yield _at_one_place("bytes-inserted", "inserted", more, same)
        else:
            text = f"The stream begins at byte {more:,} of the data, after a header of {more:,} bytes: skip the header."
            yield Finding("header-before-words", text)
    fewer = right.find(raw[same : same + PATTERN_BYTES], same, same + MAX_SHIFT_BYTES + PATTERN_BYTES) - same
    kept = size - fewer  # the bytes at the end, which may be others, are as many as are missing
    if 0 < fewer < (size - same) // 2 and fewer % unit and raw[same:kept] == right[same + fewer : size]:
        if same:
            yield _at_one_place("bytes-lost", "missing", fewer, same)
        else:
            first = f"first {fewer} bytes of the stream are" if fewer > 1 else "first byte of the stream is"
            yield Finding("bytes-lost", f"The {first} missing: store all of them.")


def _at_one_place(name: str, what: str, count: int, place: int) -> Finding:
    amount = f"{count} byte{'s are' if count > 1 else ' is'}"
    return Finding(name, f"{amount} {what} at byte {place:,}; all others are right: {COPY_BYTES}.")


def _equal_bytes(raw: bytes, right: bytes) -> int:
    """How many bytes at the beginning are equal."""
    one, other = (np.frombuffer(data[: len(raw)], np.uint8) for data in (raw, right))
    return int(np.argmin(np.append(one == other, False)))
