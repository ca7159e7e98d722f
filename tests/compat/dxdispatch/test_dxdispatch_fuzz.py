"""specs/dxdispatch.md, 6.1: every model file runs or raises ModelError."""

import copy
import json

import numpy as np
import pytest
from hypothesis import given, strategies as st
from models import dispatch, model, run, save, show

from dmlrand.compat.dxdispatch import ModelError

BASE = model(
    commands=[dispatch(OutputTensor={"name": "Out", "elementOffset": 0}), show("Out", verbose=True), show("H")]
    + [save("Out", "out.npy", dimensions=[2, 4]), save("M", "m.bin")],
    H={"initialValuesDataType": "FLOAT16", "initialValues": {"valueCount": 3, "valueStart": 1, "valueDelta": 0.5}},
    M={"initialValuesDataType": "UNKNOWN", "initialValues": [{"type": "INT8", "value": 1}], "sizeInBytes": 16},
    F={"initialValues": {"sourcePath": "f.npy"}},
)
# No large number that is a valid size, because it would be allocated and written.
VALUES = [None, True, False, -1, 0, 1, 2, 4, 6, 8, 24, 2**62, 2**64, 10**30, 0.5, 1e300, "", "x", "nan"]
VALUES += ["UINT32", "FLOAT16", "UNKNOWN", "State", "Out", "M", "type", "deferred", "hlsl", "\0", "a/b", "é", [], {}]
VALUES += [[6], [1, 6], [2, 3, 4], [[1]], [{}], {"name": "Out"}, {"value": 1, "valueCount": 2}, {"Desc": {}}, [1] * 70]
NAMES = [
    "value",
    "Desc",
    "Type",
    "Strides",
    "Flags",
    "InputTensor",
    "elementOffset",
    "bindings",
    "dimensions",
    "sizeInBytes",
]


def places(node, path=()):
    """The path of every value of a tree."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [path, *[place for name, child in children for place in places(child, (*path, name))]]


@st.composite
def mutated_trees(draw):
    tree = copy.deepcopy(BASE)
    for _ in range(draw(st.integers(1, 3))):
        *path, last = draw(st.sampled_from(places(tree)[1:]))
        node = tree
        for step in path:
            node = node[step]
        value = copy.deepcopy(draw(st.sampled_from(VALUES)))
        kind = draw(st.sampled_from(["replace", "replace", "remove", "add"]))
        if kind == "replace":
            node[last] = value
        elif kind == "remove":
            del node[last]
        elif isinstance(node, dict):
            node[draw(st.sampled_from(NAMES))] = value
        else:
            node.insert(last, value)
    return tree


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("fuzz")
    np.save(made / "f.npy", np.arange(6, dtype=np.uint32))
    return made


def check_runs_or_raises_model_error(folder, text):
    try:
        run(folder, text)
    except ModelError as error:
        assert str(error) and "\n" not in str(error)
    else:
        assert "commands" in text


def test_the_base_of_the_mutations_runs(folder):
    """dxdispatch 6.1"""
    lines, resources = run(folder, BASE)
    assert len(lines) == 5 and resources["F"] == [0, 1, 2, 3, 4, 5]


@given(tree=mutated_trees())
def test_any_tree(folder, tree):
    """dxdispatch 6.1"""
    check_runs_or_raises_model_error(folder, json.dumps(tree))


@given(
    cuts=st.lists(
        st.tuples(st.integers(0, 3000), st.integers(0, 3), st.text('{}[]",:/*\\-.0e \né', max_size=2)), max_size=3
    )
)
def test_any_text(folder, cuts):
    """dxdispatch 6.1"""
    text = json.dumps(BASE)
    for place, length, piece in cuts:
        text = text[: place % len(text)] + piece + text[place % len(text) + length :]
    check_runs_or_raises_model_error(folder, text)


@given(place=st.integers(0, 200), length=st.integers(0, 40), piece=st.binary(max_size=4))
def test_any_npy(folder, place, length, piece):
    """dxdispatch 6.1"""
    content = (folder / "f.npy").read_bytes()
    (folder / "g.npy").write_bytes(content[:place] + piece + content[place + length :])
    resource = {"initialValuesDataType": "UINT32", "initialValues": {"sourcePath": "g.npy"}}
    check_runs_or_raises_model_error(folder, json.dumps(model(commands=[], R=resource)))
