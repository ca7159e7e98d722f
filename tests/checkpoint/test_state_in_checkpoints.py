"""A state in other people's checkpoints: the lines of specs/checkpoint.md, each saving a state and loading it again.

Those of other packages run with pytest -m peers, each as far as the package is installed.
"""

import importlib
import multiprocessing
import re

import numpy as np
import pytest
from paths import SPECS

from dmlrand import (
    counter_of,
    key_of,
    make_state,
    random_generator,
)

PAGE = (SPECS / "checkpoint.md").read_text("utf-8")
SECTION = PAGE.partition("## State in your checkpoint\n")[2].partition("\n## ")[0]
ROWS = re.findall(r"^\| (.+?) \| `(.+?)` \| `(.+?)` \|$", SECTION, re.MULTILINE)
HERE = {"NumPy", "pickle", "another process", "JSON"}
PACKAGES = ["numpy", "json", "pickle", "os", "torch", "safetensors.numpy", "flax.serialization", "orbax.checkpoint"]

STATES = [
    make_state(counter=2**128 - 1, key=2**64 - 1),
    make_state(counter=0x80000000_7FFFFFFF_FFFFFFFF_00000001, key=0xDEADBEEF_80000000),
]


def names_in(*lines):
    """What the lines need, but for `state` and `saved`."""
    known = {"counter_of": counter_of, "key_of": key_of, "make_state": make_state}
    known["queue"] = multiprocessing.get_context().Queue()
    for package in PACKAGES:
        root = package.partition(".")[0]
        if any(re.search(rf"\b{package.replace('.', '[.]')}\.", line) for line in lines):
            pytest.importorskip(package)
            known[root] = importlib.import_module(root)
    return known


def test_every_place_has_a_row():
    assert [where for where, _, _ in ROWS] == [
        "NumPy", "pickle", "another process", "JSON", "safetensors", "PyTorch", "Flax", "Orbax",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "where, save, load",
    [pytest.param(*row, marks=[] if row[0] in HERE else [pytest.mark.peers], id=row[0]) for row in ROWS],
)
@pytest.mark.parametrize("state", STATES, ids=lambda state: hex(counter_of(state)))
def test_the_lines_bring_a_state_back(where, save, load, state, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = names_in(save, load) | {"state": state}
    before = state.tolist()
    exec(save, names)
    del names["state"]
    loaded = eval(load, names)
    assert isinstance(loaded, np.ndarray) and loaded.dtype == np.uint32 and loaded.tolist() == before == state.tolist()
    values, after = random_generator(loaded, 7)
    expected, then = random_generator(state, 7)
    assert values.tolist() == expected.tolist() and after.tolist() == then.tolist()
