"""specs/dxdispatch.md, sections 1 to 5: models that run, and what they print and write."""

import json
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import oracle
import pytest
from models import dispatch, model, run, save, show
from waiting import LIMIT

from dmlrand import cli
from dmlrand.compat.directml import DATA_TYPES
from dmlrand.compat.dxdispatch import run_model

WORDS = oracle.words(0, 42, 0, 64)
TIMED = re.compile(r"Dispatch 'gen': (\d+) iterations, \d+\.\d{4} ms median \(CPU\)")


def listed(values):
    return ", ".join(map(str, values))


def test_a_model_prints_its_words_and_its_state(tmp_path):
    """dxdispatch 5.1, 5.2"""
    (timed, out, state), resources = run(tmp_path, model())
    assert TIMED.fullmatch(timed)[1] == "1"
    assert out == f"Resource 'Out': {listed(WORDS[:8])}"
    assert state == "Resource 'State': 2, 0, 0, 0, 42, 0"
    assert resources == {"Out": WORDS[:8], "State": [2, 0, 0, 0, 42, 0]}


def test_two_dispatches_continue_the_stream(tmp_path):
    """dxdispatch 5.1"""
    lines, resources = run(tmp_path, model(commands=[dispatch(), show("Out"), dispatch(), show("Out")]))
    assert lines[1::2] == [f"Resource 'Out': {listed(WORDS[:8])}", f"Resource 'Out': {listed(WORDS[8:16])}"]
    assert resources["State"] == [4, 0, 0, 0, 42, 0]


def test_iterations_and_repeats_continue_it_too(tmp_path):
    """dxdispatch 5.1"""
    (timed, *_), resources = run(tmp_path, model(), dispatch_iterations=3, dispatch_repeat=2)
    assert TIMED.fullmatch(timed)[1] == "3"
    assert resources == {"Out": WORDS[40:48], "State": [12, 0, 0, 0, 42, 0]}


@pytest.mark.parametrize(
    "seconds, median",
    [([4, 1, 2], "2000.0000"), ([1, 4, 3, 2], "3000.0000"), ([1, 2], "2000.0000"), ([5], "5000.0000")],
)
def test_the_time_is_the_upper_median_of_the_iterations(tmp_path, monkeypatch, seconds, median):
    """dxdispatch 5.1"""
    ticks = iter([tick for i, second in enumerate(seconds) for tick in (10 * i, 10 * i + second)])
    monkeypatch.setattr("dmlrand.compat.dxdispatch.commands.time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    (timed,), _ = run(tmp_path, model(commands=[dispatch()]), dispatch_iterations=len(seconds))
    assert timed == f"Dispatch 'gen': {len(seconds)} iterations, {median} ms median (CPU)"


@pytest.mark.costly
@pytest.mark.compiled
@pytest.mark.parametrize(
    "tensor",
    [{"Sizes": [4]}, {"Sizes": [4], "Strides": [2]}, {"Sizes": [2, 2], "Strides": [1, 3]}],
    ids=["contiguous", "uniformly strided", "other strides"],
)
def test_the_time_does_not_include_the_loading_of_a_kernel(tmp_path, tensor):
    """dxdispatch 5.1"""
    tree = model(commands=[dispatch()])
    tree["dispatchables"]["gen"]["desc"]["OutputTensor"] = {"DataType": "UINT32", **tensor}
    (tmp_path / "model.json").write_text(json.dumps(tree))
    # In place of a clock: a function that records how many variants of each kernel are loaded.
    code = """
from types import SimpleNamespace
from dmlrand.compat.dxdispatch import commands, run_model
from dmlrand.kernels import fill_strided
from dmlrand.plan import WORDS
loaded = []
def record():
    used = fill_strided.compiled, WORDS.kernels.fill.compiled
    loaded.append([len(kernel.signatures) for kernel in used])
    return 0.0
commands.time = SimpleNamespace(perf_counter=record)
run_model("model.json", log=str)
before, after = loaded
assert sum(before) > 0 and before == after, loaded
"""
    environment = os.environ | {"DMLRAND_KERNELS": "numba"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=LIMIT
    )
    assert (done.returncode, done.stderr) == (0, "")


RELAXED = """
{ // a comment
  "resources": {
    "State": { "initialValuesDataType": "DML_TENSOR_DATA_TYPE_UINT32", "initialValues": [0, 0, 0, 0, 42, 0,] },
    "Out": { "initialValuesDataType": "UINT32", "initialValues": { "valueCount": 4, "value": 0 }, }, /* another */
  },
  "dispatchables": { "gen": { "%s": "%s", "%s": {
    "InputStateTensor": { "Type": "DML_TENSOR_TYPE_BUFFER", "Desc": {
      "DataType": "DML_TENSOR_DATA_TYPE_UINT32", "Flags": "DML_TENSOR_FLAG_NONE", "DimensionCount": 4,
      "Sizes": [1, 1, 1, 6], "Strides": [6, 6, 6, 1], "TotalTensorSizeInBytes": 24,
      "GuaranteedBaseOffsetAlignment": 0 } },
    "OutputTensor": { "Type": "BUFFER", "DataType": "UINT32", "Sizes": [4], "Strides": [], "Flags": ["NONE"],
      "TotalTensorSizeInBytes": 0 },
    "Type": "DML_RANDOM_GENERATOR_TYPE_PHILOX_4X32_10", }, "executionFlags": ["DESCRIPTORS_VOLATILE"],
    "dmlCompileType": "DmlCompileGraph", }, },
  "commands": [ { "type": "Dispatch", "dispatchable": "gen",
    "bindings": { "InputStateTensor": ["State"], "OutputTensor": [{ "name": "Out", "elementOffset": 0 }] } } ]
}
"""


@pytest.mark.parametrize("members", [("type", "desc"), ("type", "Desc"), ("Type", "Desc")])
@pytest.mark.parametrize("operator", ["DML_OPERATOR_RANDOM_GENERATOR", "RANDOM_GENERATOR"])
def test_the_long_form_full_names_comments_and_trailing_commas(tmp_path, members, operator):
    """dxdispatch 1.1, 3.1, 3.2, 3.3, 4.1"""
    _, resources = run(tmp_path, RELAXED % (members[0], operator, members[1]))
    assert resources == {"Out": WORDS[:4], "State": [0, 0, 0, 0, 42, 0]}


INITIALISERS = [
    ("UINT32", [1, 2, 4294967295], "1, 2, 4294967295"),
    ("INT8", [-128, 0, 127, 5, 6], "-128, 0, 127, 5, 6"),
    ("UINT8", {"valueCount": 3, "value": 65}, "65, 65, 65"),
    ("INT16", [-32768, 32767], "-32768, 32767"),
    ("UINT16", [65535], "65535"),
    ("INT32", [-2147483648], "-2147483648"),
    ("INT64", [-(2**63), 2**63 - 1], "-9223372036854775808, 9223372036854775807"),
    ("UINT64", [2**64 - 1], "18446744073709551615"),
    ("FLOAT32", [1, 0.1, 1e10, 1 / 3, -0.0], "1, 0.1, 1e+10, 0.333333, -0"),
    ("FLOAT32", ["nan", "INF", "-inf"], "nan, inf, -inf"),
    ("FLOAT16", [65504, 0.1, -4], "65504, 0.0999756, -4"),
    ("FLOAT64", {"valueCount": 2, "value": 1e300}, "1e+300, 1e+300"),
    ("FLOAT32", {"valueCount": 4, "valueStart": 1, "valueDelta": 2.5}, "1, 3.5, 6, 8.5"),
    ("UINT8", {"valueCount": 4, "valueStart": 250, "valueDelta": 3}, "250, 253, 0, 3"),
    ("INT8", {"valueCount": 3, "valueStart": -126, "valueDelta": -2}, "-126, -128, 126"),
    ("FLOAT16", {"valueCount": 3, "valueStart": 2048, "valueDelta": 1}, "2048, 2048, 2048"),
    (
        "FLOAT16",
        [1 + 2**-11 + 2**-30],
        "1",
    ),  # rounded to float32 first, which makes it a tie; rounded directly it would be 1.00098
]


@pytest.mark.parametrize("data_type, values, printed", INITIALISERS)
def test_initial_values_of_every_type_and_kind(tmp_path, data_type, values, printed):
    """dxdispatch 2.2, 2.3, 5.2"""
    resource = {"initialValuesDataType": data_type, "initialValues": values}
    lines, _ = run(tmp_path, model(commands=[show("R")], R=resource))
    assert lines == [f"Resource 'R': {printed}"]


def test_a_list_of_mixed_values_is_packed(tmp_path):
    """dxdispatch 2.5"""
    values = [
        {"name": "count", "type": "UINT32", "value": 6},
        {"type": "INT8", "value": -1},
        {"type": "DML_TENSOR_DATA_TYPE_FLOAT64", "value": 0.5},
    ]
    mixed = {"initialValuesDataType": "UNKNOWN", "initialValues": values, "sizeInBytes": 20}
    _, resources = run(tmp_path, model(commands=[save("R", "mixed.bin")], R=mixed))
    packed = [6, 0, 0, 0, 255, *np.array([0.5], "<f8").tobytes()]
    assert resources["R"] == packed + [0] * 7
    assert (tmp_path / "mixed.bin").read_bytes() == bytes(packed + [0] * 7)


@pytest.mark.parametrize("name", ["state.npy", "big_endian.npy", "state.dat", "state.bin", "state.BIN"])
def test_a_state_from_a_file(tmp_path, name):
    """dxdispatch 2.4"""
    words = np.array(oracle.state_words(0, 42), "<u4").reshape(1, 1, 1, 6)
    if name.endswith(".npy"):
        np.save(tmp_path / name, words.astype(">u4") if name == "big_endian.npy" else words)
    else:
        words.tofile(tmp_path / name)
    resource = {"initialValues": {"sourcePath": name}}
    if not name.endswith(".npy"):
        resource["initialValuesDataType"] = "UINT32"
    _, resources = run(tmp_path, model(State=resource))
    assert resources["Out"] == WORDS[:8]


@pytest.fixture
def swapped_types(monkeypatch):
    """Memory in the byte order that this machine does not use. On a big-endian machine DxDispatch uses that order."""
    for name, dtype in list(DATA_TYPES.items()):
        monkeypatch.setitem(DATA_TYPES, name, np.dtype(dtype.str[1:]).newbyteorder())


@pytest.mark.parametrize("data_type, values, printed", INITIALISERS)
def test_initial_values_in_the_other_byte_order(tmp_path, swapped_types, data_type, values, printed):
    """dxdispatch 2.8"""
    test_initial_values_of_every_type_and_kind(tmp_path, data_type, values, printed)


def test_words_and_files_in_the_other_byte_order(tmp_path, swapped_types):
    """dxdispatch 2.8"""
    test_a_state_from_a_file(tmp_path, "state.npy")
    test_a_state_from_a_file(tmp_path, "big_endian.npy")
    test_two_dispatches_continue_the_stream(tmp_path)
    test_a_verbose_print_has_a_line_for_each_element(tmp_path)
    words = run_model(tmp_path / "model.json", log=str)["R"]
    assert words.dtype.isnative and words.tolist() == [1, -2.5] + [0] * 8
    run(tmp_path, model(commands=[dispatch(), save("Out", "out.npy"), save("Out", "out.bin")]))
    assert np.load(tmp_path / "out.npy").tolist() == WORDS[:8]
    assert (tmp_path / "out.bin").read_bytes() == np.array(WORDS[:8], DATA_TYPES["UINT32"]).tobytes()


def test_bytes_taken_for_words(tmp_path):
    """dxdispatch 2.1 and 2.8: the same words on every machine."""
    key = {"initialValuesDataType": "UINT8", "initialValues": [0] * 16 + [42] + [0] * 7}
    assert run(tmp_path, model(commands=[dispatch()], State=key))[1]["Out"] == WORDS[:8]


def test_source_files_are_beside_the_model_or_in_the_current_directory(tmp_path, monkeypatch):
    """dxdispatch 2.4"""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir(), there.mkdir()
    monkeypatch.chdir(here)
    resource = {"initialValuesDataType": "UINT32", "initialValues": {"sourcePath": "r.bin"}}
    np.array([1], "<u4").tofile(here / "r.bin")
    assert run(there, model(commands=[], R=resource))[1]["R"] == [1]
    np.array([2], "<u4").tofile(there / "r.bin")
    assert run(there, model(commands=[], R=resource))[1]["R"] == [2]
    assert run(there, model(commands=[], R=resource), input_path=here)[1]["R"] == [1]


def test_sizes_larger_than_the_initial_values(tmp_path):
    """dxdispatch 2.6, 5.2"""
    halves = {"initialValuesDataType": "FLOAT16", "initialValues": [1, 2, 3]}
    larger = {
        "initialValuesDataType": "UINT32",
        "initialValues": [7],
        "sizeInBytes": 17,
        "initialValuesOffsetInBytes": 8,
    }
    lines, resources = run(tmp_path, model(commands=[show("H"), show("L")], H=halves, L=larger))
    assert lines == ["Resource 'H': 1, 2, 3", "Resource 'L': 7"]
    assert resources["H"] == [1, 2, 3, 0] and resources["L"] == [7, 0, 0, 0]


def test_a_verbose_print_has_a_line_for_each_element(tmp_path):
    """dxdispatch 5.2"""
    values = {"initialValuesDataType": "FLOAT16", "initialValues": [1, -2.5] + [0] * 8}
    (text,), _ = run(tmp_path, model(commands=[show("R", verbose=True)], R=values))
    first, *rest = text.split("\n")
    assert first == "Resource 'R':" and rest[:2] == ["[ 0] 1 (0x3C00)", "[ 1] -2.5 (0xC100)"]
    assert rest[9:] == ["[ 9] 0 (0x   0)", ""]


def test_files_written(tmp_path):
    """dxdispatch 5.3"""
    commands = [
        dispatch(),
        save("Out", "flat.npy"),
        save("Out", "new/folder/shaped.NPY", dimensions=[1, 2, 3]),
        save("Out", "raw.dat"),
        save("State", "state.npy", dimensions=[1, 1, 1, 6]),
    ]
    lines, _ = run(tmp_path, model(commands=commands))
    assert lines[1] == f"Resource 'Out' written to '{tmp_path / 'flat.npy'}'"
    assert np.load(tmp_path / "flat.npy").tolist() == WORDS[:8]
    shaped = np.load(tmp_path / "new/folder/shaped.NPY")
    assert shaped.dtype == np.dtype("<u4") and shaped.tolist() == [[WORDS[0:3], WORDS[3:6]]]
    assert (tmp_path / "raw.dat").read_bytes() == np.array(WORDS[:8], "<u4").tobytes()
    assert np.load(tmp_path / "state.npy").shape == (1, 1, 1, 6)


def test_target_files_are_in_the_current_directory(tmp_path, monkeypatch):
    """dxdispatch 5.3"""
    (tmp_path / "models").mkdir()
    monkeypatch.chdir(tmp_path)
    run(tmp_path / "models", model(commands=[save("Out", "out.npy")]), output_path=None)
    assert np.load(tmp_path / "out.npy").tolist() == [0] * 8


def test_a_binding_may_start_inside_a_resource(tmp_path):
    """dxdispatch 4.2"""
    one = {"initialValuesDataType": "UINT32", "initialValues": [0, 0, 0, 0, 42, 0], "sizeInBytes": 64}
    tree = model(commands=[dispatch(OutputTensor={"name": "State", "elementOffset": 8})], State=one)
    _, resources = run(tmp_path, tree)
    assert resources["State"] == [2, 0, 0, 0, 42, 0, 0, 0, *WORDS[:8]]


def test_a_resource_of_another_type_can_be_bound(tmp_path):
    """dxdispatch 2.1"""
    floats = {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": 8, "value": 1}}
    _, resources = run(tmp_path, model(commands=[dispatch()], Out=floats))
    assert np.array(resources["Out"], np.float32).view(np.uint32).tolist() == WORDS[:8]


def test_a_strided_output_does_not_change_its_gaps(tmp_path):
    """dxdispatch 3.3, directml 3.3"""
    tree = model()
    tree["dispatchables"]["gen"]["desc"]["OutputTensor"] = {"DataType": "UINT32", "Sizes": [2, 2], "Strides": [1, 3]}
    _, resources = run(tmp_path, tree)
    assert resources["Out"] == [WORDS[0], WORDS[2], 0, WORDS[1], WORDS[3], 0, 0, 0]


def test_the_command_line(tmp_path, monkeypatch, capsys):
    """dxdispatch 1.4, 8.2"""
    monkeypatch.chdir(tmp_path)
    run(tmp_path, model(commands=[dispatch(), show("State"), save("Out", "out.npy")]))
    assert cli.main(["dispatch", "model.json", "--dispatch_iterations", "2", "-r", "3", "--output_path", "there"]) == 0
    timed, state, _ = capsys.readouterr().out.splitlines()
    assert TIMED.fullmatch(timed)[1] == "2" and state == "Resource 'State': 12, 0, 0, 0, 42, 0"
    assert np.load("there/out.npy").tolist() == WORDS[40:48]


@pytest.mark.parametrize("option", [["-a", "Intel"], ["-t", "100"], ["-v", "1"], ["-b", "x:1"]])
def test_options_of_dxdispatch_for_a_device(tmp_path, monkeypatch, capsys, option):
    """dxdispatch 8.1"""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.json").write_text(json.dumps(model()))
    with pytest.raises(SystemExit, match="^2$"):
        cli.main(["dispatch", "model.json", *option])
    assert "unrecognized arguments: " in capsys.readouterr().err
