"""For tests of checkpoints: a file of the first release, and the rule of checksums."""

import hashlib
import json

from paths import VECTORS

GOLDEN = VECTORS / "checkpoint_v1.json"


def checksum_by_the_spec(document):
    """checkpoint 1.4, implemented a second time."""
    members = {name: value for name, value in document.items() if name != "checksum"}
    text = json.dumps(members, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()
