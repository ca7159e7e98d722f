"""Reader of the answers in vectors/, recorded from other packages. vectors/README.md tells where each is from."""

import hashlib
import json
from pathlib import Path

import pytest

VECTORS = Path(__file__).with_name("vectors")


def load(name, **wanted):
    """The cases of a recording, those whose fields equal `wanted`. None at all is an error: it would test nothing."""
    recording = json.loads((VECTORS / f"{name}.json").read_text("utf-8"))
    if recording["name"] != name or not recording["source"]:
        raise ValueError(f"{name}.json must hold its own name and its source; got {recording['name']!r}.")
    cases = [case for case in recording["cases"] if all(case.get(key) == value for key, value in wanted.items())]
    if not cases:
        raise ValueError(f"{name}.json holds no case with {wanted}.")
    return cases


def each(name, **wanted):
    """A decorator: run the test once for every recorded case."""
    return pytest.mark.parametrize("case", load(name, **wanted), ids=lambda case: case["id"])


def to_int(value):
    """A recorded int: plain, or a hex string when beyond 53 bits."""
    return int(value, 16) if isinstance(value, str) else value


def is_whole(case):
    """Whether every word was recorded, and not just their hash and both ends."""
    return "sha256_le" not in case


def assert_same(array, case):
    """The elements of `array`, row-major, are the recorded ones."""
    assert list(array.shape) == case["shape"]
    if is_whole(case):
        assert array.ravel().tolist() == case["bits"]
        return
    flat = array.ravel()
    assert flat[: len(case["first"])].tolist() == case["first"]
    assert flat[-len(case["last"]) :].tolist() == case["last"]
    little_endian = flat.astype(flat.dtype.newbyteorder("<")).tobytes()
    assert hashlib.sha256(little_endian).hexdigest() == case["sha256_le"]
