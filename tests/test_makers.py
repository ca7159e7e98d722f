"""Each recorded answer names the program in makers/ that makes its call again."""

import ast
import json
from pathlib import Path

import pytest
from recorded import VECTORS

ROOT = Path(__file__).parents[1]
WITHOUT = {
    "random123": "needs the C headers of Random123 and a compiler",
    "checkpoint_v1": "written by release 0.1 of this package: it must stay as it is",
}
NAMES = sorted(path.stem for path in VECTORS.glob("*.json"))


def texts_in(program):
    return {node.value for node in ast.walk(ast.parse(program.read_text())) if isinstance(node, ast.Constant)}


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_names_its_maker(name):
    maker = json.loads((VECTORS / f"{name}.json").read_text()).get("maker")
    assert (maker is None) == (name in WITHOUT)
    assert maker is None or name in texts_in(ROOT / maker), f"{maker} does not make {name}"


def test_each_recording_without_a_maker_exists():
    assert WITHOUT.keys() <= set(NAMES)
