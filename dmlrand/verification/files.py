"""Faults of the file that carried the words: headers of any length, lost bytes, line ends, wider elements."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .dump import Dump
from .report.result import Finding

MIN_BYTES = 32
MAX_ELEMENTS = 1 << 20  # compared
PATTERN_BYTES = 12
MIN_SAME_BYTES = 16  # at the beginning; fewer may be equal by chance
MAX_SHIFT_BYTES = 4096
COPY_BYTES = "copy the file as binary data"


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


def _translated(dump: Dump, raw: bytes, right: bytes) -> Iterator[Finding]:
    """Bytes that a text mode or a codec replaced."""
    for name, changed, what in (
        ("line-ends-changed", right.replace(b"\n", b"\r\n"), "each byte 0x0a was replaced by 0x0d 0x0a (CRLF)"),
        ("line-ends-changed", right.replace(b"\r\n", b"\n"), "each 0x0d 0x0a (CRLF) was replaced by 0x0a"),
        ("line-ends-changed", right.replace(b"\r", b""), "each byte 0x0d (CR) was removed"),
        ("line-ends-changed", right.replace(b"\r", b"\n"), "each byte 0x0d (CR) was replaced by 0x0a"),
        ("bytes-removed", right.replace(b"\0", b""), "each byte 0 was removed"),
        ("bytes-as-text", right.decode("latin-1").encode(), "each byte was encoded as UTF-8"),
        ("bytes-as-text", right.decode("utf-8", "replace").encode(), "bytes that are no UTF-8 were replaced"),
        ("bytes-as-text", bytes(byte & 0x7F for byte in right), "the highest bit of each byte was cleared"),
    ):
        if raw == changed[: len(raw)]:
            text = f"The file was copied as text: {what}. {COPY_BYTES.capitalize()}."
            yield Finding(name, text)


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
            yield Finding("bytes-lost", f"The first {fewer} bytes of the stream are missing: store all of them.")


def _at_one_place(name: str, what: str, count: int, place: int) -> Finding:
    amount = f"{count} byte{'s are' if count > 1 else ' is'}"
    return Finding(name, f"{amount} {what} at byte {place:,}; all others are right: {COPY_BYTES}.")


def _equal_bytes(raw: bytes, right: bytes) -> int:
    """How many bytes at the beginning are equal."""
    one, other = (np.frombuffer(data[: len(raw)], np.uint8) for data in (raw, right))
    return int(np.argmin(np.append(one == other, False)))
