"""JSON documents that say when they were damaged: what checkpoints and side files of fills have in common.

json is imported where it is used, since `import dmlrand` should cost little more than `import numpy`.
"""

from __future__ import annotations

from typing import Any

ALGORITHM = "PHILOX_4X32_10"


class DocumentError(ValueError):
    """What is wrong with a document, and what to do: sentences, the first of which lacks the file's name."""

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(f"{problem} {remedy}".rstrip())
        self.problem = problem  # alone, for who knows another remedy


def write_document(format: str, version: int, members: dict[str, Any]) -> bytes:
    """The bytes of a document of these members."""
    import json

    body = {"format": format, "version": version, "algorithm": ALGORITHM, **members}
    whole = {**body, "checksum": checksum(body)}
    return (json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def read_document(data: bytes, format: str, version: int) -> dict[str, Any]:
    """The members that write_document was given. DocumentError for what is no such document."""
    import json

    try:
        document = json.loads(data, parse_constant=_refuse_constant)
        body = {name: value for name, value in document.items() if name != "checksum"} if type(document) is dict else {}
        right = checksum(body)
    except RecursionError:
        problem = "is nested too deeply to be read."
        raise DocumentError(problem, "Save it with metadata that is nested less.") from None
    except ValueError as error:
        raise DocumentError(f"is not whole JSON ({error}). It was truncated or is another file.") from None
    if not isinstance(document, dict) or document.get("format") != format:
        raise DocumentError(f'has no "format": "{format}". It is another kind of file.')
    found = document.get("version")
    if type(found) is not int or found != version:  # to Python, true and 1.0 equal 1
        problem = f"has version {found!r}, not {version}."
        raise DocumentError(problem, "Update dmlrand to read it.")
    if document.get("algorithm") != ALGORITHM:
        problem = f"has algorithm {document.get('algorithm')!r}, not {ALGORITHM!r}."
        raise DocumentError(problem, "Load it with what wrote it.")
    if document.get("checksum") != right:
        raise DocumentError("does not match its checksum. It was changed or damaged.", "Restore a copy.")
    return {name: value for name, value in body.items() if name not in ("format", "version", "algorithm")}


def _refuse_constant(name: str) -> None:
    """Python's reader takes NaN, Infinity and -Infinity, which JSON does not have and write_document refuses."""
    raise ValueError(f"{name} is not JSON")


def checksum(body: dict[str, Any]) -> str:
    """Over the meaning, not the text: members sorted, no white space, so that reformatting a file breaks nothing."""
    import hashlib
    import json

    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
