"""Writer of recordings: tests/vectors/NAME.json."""

import json
from pathlib import Path

import numpy as np

VECTORS = Path(__file__).parents[1] / "vectors"
ENCODING = {"bits": "row-major unsigned bit patterns of the elements; 64-bit elements as 16-digit hex strings"}


def bits_of(values):
    """The elements of an array in the form that ENCODING describes."""
    values = np.asarray(values)
    words = values.view(f"u{values.dtype.itemsize}").ravel().tolist()
    return [f"{word:016x}" for word in words] if values.dtype.itemsize == 8 else words


def write(name, source, cases, maker):
    """Write the cases, each with an id, and say which program made them by which calls of which package."""
    head = {"name": name, "maker": maker, "source": source, "encoding": ENCODING}
    cases = [case | {"id": f"{name}-{i}"} for i, case in enumerate(cases)]
    text = json.dumps(head)[:-1] + ', "cases": [\n' + ",\n".join(map(json.dumps, cases)) + "\n]}\n"
    (VECTORS / f"{name}.json").write_text(text)
