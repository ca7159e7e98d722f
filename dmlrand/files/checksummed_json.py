"""Checksummed JSON: the form of checkpoints and of progress files. Damage is detected when a file is read.

json is imported where it is used, because `import dmlrand` should cost little more than `import numpy`.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..messages import format_value

ALGORITHM = "PHILOX_4X32_10"


class JsonError(ValueError):
    """The problem of a file, and the remedy. The caller puts the file's name before the message."""

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(f"{problem} {remedy}".rstrip())
        self.problem = problem  # without the remedy, for callers that know a better one


def encode_json(format: str, version: int, members: dict[str, Any]) -> bytes:
    """The bytes of a file with these members."""
    import json

    body = {"format": format, "version": version, "algorithm": ALGORITHM, **members}
    document = {**body, "checksum": checksum(body)}
    return (json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def decode_json(data: bytes | bytearray, format: str, *versions: int) -> dict[str, Any]:
    """The members given to encode_json with one of the versions, and `version`. JsonError for any other data."""
    import json

    try:
        text = data.decode()  # json.loads would also read UTF-16 and UTF-32
        document = json.loads(
            text, parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_without_duplicates
        )
        if "\\u" in text:  # an escape can be half of a surrogate pair, which no program writes as UTF-8
            json.dumps(document, ensure_ascii=False).encode()
        body = {name: value for name, value in document.items() if name != "checksum"} if type(document) is dict else {}
        expected = checksum(body)
    except RecursionError:
        raise JsonError("is nested too deeply to be read.", "Save it with metadata that is nested less.") from None
    except JsonError:
        raise
    except UnicodeEncodeError as error:
        raise _forbidden(f"half of a surrogate pair, {error.object[error.start]!r}") from None
    except ValueError as error:
        raise JsonError(f"is not complete JSON ({error}). It was truncated or is another file.") from None
    if not isinstance(document, dict) or document.get("format") != format:
        raise JsonError(f'has no "format": "{format}". It is another kind of file.')
    found = document.get("version")
    if type(found) is not int or found not in versions:  # in Python, True and 1.0 equal 1
        raise JsonError(
            f"has version {format_value(found)}, not {' or '.join(map(str, versions))}.", "Update dmlrand to read it."
        )
    if document.get("algorithm") != ALGORITHM:
        problem = f"has algorithm {format_value(document.get('algorithm'))}, not {ALGORITHM!r}."
        raise JsonError(problem, "Load it with the program that wrote it.")
    if document.get("checksum") != expected:
        raise JsonError("does not match its checksum. It was changed or damaged.", "Restore a copy.")
    return {name: value for name, value in body.items() if name not in ("format", "algorithm")}


def _refuse_constant(name: str) -> None:
    """Python's reader accepts NaN, Infinity and -Infinity, which JSON does not have and encode_json refuses."""
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    """Python's reader makes inf of 1e999, which encode_json refuses."""
    number = float(text)
    if number in (float("inf"), -float("inf")):
        raise _forbidden(f"the number {text:.40}, which is too large for a float")
    return number


def _without_duplicates(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Python's reader keeps the last of several members with one name. Other readers keep the first."""
    read = dict(members)
    if len(read) != len(members):
        ((name, _),) = Counter(name for name, _ in members).most_common(1)
        raise _forbidden(f"two members {name!r:.40}")
    return read


def _forbidden(content: str) -> JsonError:
    return JsonError(f"contains {content}. dmlrand does not write such JSON.", "Restore a copy.")


def checksum(body: dict[str, Any]) -> str:
    """A checksum of the meaning, not of the text: sorted members, no white space. Reformatting does not change it."""
    import hashlib
    import json

    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
