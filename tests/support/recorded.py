"""Reader of the answers in vectors/, which were recorded from other packages. vectors/README.md names their sources."""

import hashlib
import json
import math

import numpy as np
import pytest
from paths import VECTORS


def load(name, **wanted):
    """The cases of a recording whose fields equal `wanted`. ValueError if there are none: they would test nothing."""
    recording = json.loads((VECTORS / f"{name}.json").read_text("utf-8"))
    if recording["name"] != name or not recording["source"]:
        raise ValueError(f"{name}.json must hold its own name and its source; got {recording['name']!r}.")
    cases = [case for case in recording["cases"] if all(case.get(key) == value for key, value in wanted.items())]
    if not cases:
        raise ValueError(f"{name}.json holds no case with {wanted}.")
    return cases


CASES_PER_TEST = 25  # because pytest takes longer for a test than most cases take
LONG = 100_000  # numbers of a draw


def each(name, **wanted):
    """A decorator: run the test for every recorded case. Several cases are one test of pytest."""
    return each_of(load(name, **wanted))


def length(case):
    return math.prod(case.get("shape") or ())


def each_of(cases):
    """A decorator: run the test for each of these recorded cases. An error has a note with the id of its case.

    Of the long draws of a recording, the shortest runs by default. The others are a costly test.
    """
    shortest = {}
    for case in sorted(cases, key=length):
        if length(case) > LONG:
            shortest.setdefault(case["id"].partition("-")[0], case)
    costly = [case for case in cases if length(case) > LONG and case not in shortest.values()]
    default = [case for case in cases if case not in costly]
    groups = [default[i : i + CASES_PER_TEST] for i in range(0, len(default), CASES_PER_TEST)]
    groups += [pytest.param(costly, marks=pytest.mark.costly)] if costly else []

    def decorate(test):
        def run(group):
            skipped = []
            for case in group:
                try:
                    test(case)
                except pytest.skip.Exception as reason:
                    skipped.append(reason)
                except Exception as error:
                    error.add_note(f"in the recorded case {case['id']}")
                    raise
            if len(skipped) == len(group):
                raise skipped[0]

        run.__name__, run.__qualname__, run.__module__ = test.__name__, test.__qualname__, test.__module__
        run.__doc__, run.pytestmark = test.__doc__, getattr(test, "pytestmark", [])
        return pytest.mark.parametrize("group", groups, ids=lambda group: group[0]["id"])(run)

    return decorate


def to_int(value):
    """A recorded int. One of more than 53 bits is recorded as a hex string."""
    return int(value, 16) if isinstance(value, str) else value


def numbers_of(bits, dtype):
    """The numbers of recorded bits."""
    return np.array([to_int(word) for word in bits], f"u{np.dtype(dtype).itemsize}").view(dtype)


def assert_bits(values, bits):
    """The elements of an array, row-major, have the recorded bits."""
    assert values.view(f"u{values.dtype.itemsize}").ravel().tolist() == [to_int(word) for word in bits]


def digest(array):
    """The recorded hash of an array: sha256 of the bits of its elements, row-major and little-endian."""
    bits = np.ravel(array).view(f"u{array.dtype.itemsize}")
    return hashlib.sha256(bits.astype(bits.dtype.newbyteorder("<")).tobytes()).hexdigest()


def assert_recorded(array, answer):
    """The shape, if it was recorded, and the elements, row-major: their bits, or the hash of a long array."""
    if "shape" in answer:
        assert list(array.shape) == answer["shape"]
    if "bits" in answer:
        assert_bits(array, answer["bits"])
    else:
        assert digest(array) == answer["sha256_le"]
