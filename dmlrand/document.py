"""JSON documents that say when they were damaged: what checkpoints and side files of fills have in common."""

from __future__ import annotations

from typing import Any


def checksum(body: dict[str, Any]) -> str:
    """Over the meaning, not the text: members sorted, no white space, so that reformatting a file breaks nothing."""
    import hashlib
    import json

    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
