"""specs/dxdispatch.md, section 6: the errors of models, their wording, and that no command has run before an error."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from models import STATE, dispatch, model, run, save, show
from systems import posix
from waiting import LIMIT

from dmlrand import cli
from dmlrand.compat.dxdispatch import ModelError, run_model
from dmlrand.files.names import quoted

DESC = "dispatchables.gen.desc."
NUMBERS = {"initialValuesDataType": "UINT32", "initialValues": [1, 2, 3]}


def changed(path, value):
    """The model with `value` at a path such as resources/Out/initialValues, or without it where value is None."""
    tree = model(commands=[save("Out", "before.npy"), dispatch(), show("Out"), save("Out", "after.npy")])
    *way, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    node = tree
    for step in way:
        node = node[step]
    if value is None:
        del node[last]
    else:
        node[last] = value
    return tree


def system_error_without(path):
    """The system's words for a file that does not exist: each system has its own, and Windows translates them."""
    with pytest.raises(FileNotFoundError) as error:
        os.stat(path)
    return str(error.value)


OUT = "dispatchables/gen/desc/OutputTensor"
ERRORS = [
    ("resources", None, "resources must be present; it is missing. Check that MODEL is a DxDispatch model."),
    ("commands", {}, "commands must be an array; got an object."),
    ("resources/Out", 3, "resources.Out must be an object; got 3."),
    ("resources/a b", 3, 'resources["a b"] must be an object; got 3.'),
    ("resources/Out/initialValues", None, "resources.Out.initialValues must be present; it is missing."),
    ("resources/Out/initialValues", [], "resources.Out.initialValues must hold at least one value; got none."),
    (
        "resources/Out/initialValues",
        "deferred",
        'resources.Out.initialValues must be an array of numbers or an object; got "deferred". '
        "deferred is for ONNX models, which do not run here.",
    ),
    (
        "resources/Out/initialValues",
        [1, 2, -3],
        "resources.Out.initialValues[2] must be an integer in [0, 2**32); got -3.",
    ),
    (
        "resources/Out/initialValues",
        [2**32 - 1, 2**32],
        "resources.Out.initialValues[1] must be an integer in [0, 2**32); got 4294967296.",
    ),
    (
        "resources/Out/initialValues",
        [1.0],
        "resources.Out.initialValues[0] must be an integer in [0, 2**32); got 1.0.",
    ),
    (
        "resources/Out/initialValues",
        {"valueCount": 3},
        "resources.Out.initialValues must have exactly one of value, valueStart and sourcePath; got none.",
    ),
    (
        "resources/Out/initialValues",
        {"value": 1, "valueStart": 3},
        "resources.Out.initialValues must have exactly one of value, valueStart and sourcePath; got value and "
        "valueStart.",
    ),
    (
        "resources/Out/initialValues",
        {"value": 1, "valueCount": 0},
        "resources.Out.initialValues.valueCount must be an integer in [1, 2**32); got 0.",
    ),
    (
        "resources/Out/initialValues",
        {"valueStart": 1, "valueCount": 4},
        "resources.Out.initialValues.valueDelta must be present; it is missing.",
    ),
    (
        "resources/Out/sizeInBytes",
        31,
        "resources.Out.sizeInBytes must be at least 32, the size of the initial values plus their offset; "
        "got 31. Increase it.",
    ),
    (
        "resources/Out/initialValuesOffsetInBytes",
        4,
        "resources.Out.sizeInBytes must be at least 36, the size of the initial values plus their offset; "
        "got 32. Increase it.",
    ),
    ("resources/Out/sizeInBytes", 2**62, "resources.Out does not fit in memory. Make it smaller."),
    (
        "resources/R",
        {"initialValues": {"valueCount": 1, "value": 3}},
        "resources.R.initialValuesDataType must name the type of the values; got UNKNOWN. Add one, such as UINT32.",
    ),
    (
        "resources/R",
        {"initialValuesDataType": "FLOAT16", "initialValues": [65520]},
        'resources.R.initialValues[0] must be a number that float16 can hold, or "nan", "inf" or "-inf"; got 65520.',
    ),
    (
        "resources/R",
        {"initialValues": [{"type": "FLOAT16", "value": 1}]},
        "resources.R.initialValues[0].type must be FLOAT32 or UINT32 or UINT16 or UINT8 or INT32 or INT16 or INT8 or "
        'FLOAT64 or UINT64 or INT64, with or without DML_TENSOR_DATA_TYPE_; got "FLOAT16".',
    ),
    (
        "resources/R",
        {"initialValues": {"sourcePath": "none.npy"}},
        'resources.R.initialValues.sourcePath must name a file of initial values that can be read; got "none.npy". '
        f"{system_error_without('none.npy')}.",
    ),
    (
        "dispatchables/gen/type",
        "hlsl",
        "dispatchables.gen.type of dispatchable 'gen' must be DML_OPERATOR_RANDOM_GENERATOR, the only operator that "
        "runs "
        "here; got 'hlsl'.",
    ),
    (
        "dispatchables/gen/type",
        "DML_OPERATOR_GEMM",
        "dispatchables.gen.type of dispatchable 'gen' must be DML_OPERATOR_RANDOM_GENERATOR, the only operator that "
        "runs "
        "here; got 'DML_OPERATOR_GEMM'.",
    ),
    (
        "dispatchables/gen/Type",
        "PHILOX_4X32_10",
        "dispatchables.gen.Type of dispatchable 'gen' must be DML_OPERATOR_RANDOM_GENERATOR, the only operator that "
        "runs "
        "here; got 'PHILOX_4X32_10'. Put the operator's fields into desc.",
    ),
    (
        "dispatchables/gen/executionFlags",
        ["FAST"],
        "dispatchables.gen.executionFlags[0] must be NONE or ALLOW_HALF_PRECISION_COMPUTATION or DISABLE_META_COMMANDS "
        'or DESCRIPTORS_VOLATILE, with or without DML_EXECUTION_FLAG_; got "FAST".',
    ),
    (
        "dispatchables/gen/dmlCompileType",
        "Fast",
        'dispatchables.gen.dmlCompileType must be DmlCompileOp or DmlCompileGraph; got "Fast".',
    ),
    (
        "dispatchables/gen/bindings",
        {"InputStateTensor": "State"},
        "dispatchables.gen.bindings must be empty, because DirectML owns no tensor of this operator; got an object. "
        "Bind in the command.",
    ),
    (f"{OUT}/Sizes", [1, 1, 0, 8], DESC + "OutputTensor.Sizes[2] must be in [1, 2**32); got 0."),
    (f"{OUT}/Sizes", None, DESC + "OutputTensor.Sizes must be present; it is missing."),
    (
        OUT,
        {"Desc": {"DataType": "UINT32", "Sizes": [0]}},
        DESC + "OutputTensor.Desc.Sizes[0] must be in [1, 2**32); got 0.",
    ),
    (
        f"{OUT}/TotalTensorSizeInBytes",
        28,
        DESC + "OutputTensor.TotalTensorSizeInBytes must be a multiple of 4 and at least 32, which Sizes and Strides "
        "require; got 28. Omit it for the least value.",
    ),
    (
        f"{OUT}/DataType",
        "FLOAT32",
        DESC + "OutputTensor.DataType must be UINT32, the only value this operator supports; got 'FLOAT32'.",
    ),
    (f"{OUT}/Type", "IMAGE", DESC + 'OutputTensor.Type must be BUFFER, with or without DML_TENSOR_TYPE_; got "IMAGE".'),
    ("dispatchables/gen/desc/Type", None, DESC + "Type must be present; it is missing."),
    (
        "dispatchables/gen/desc/Type",
        "MT19937",
        DESC + "Type must be PHILOX_4X32_10, with or without DML_RANDOM_GENERATOR_TYPE_; got 'MT19937'.",
    ),
    ("commands/1/type", "present", 'commands[1].type must be dispatch, print or writeFile; got "present".'),
    ("commands/1/dispatchable", "gem", 'commands[1].dispatchable must name a member of dispatchables; got "gem".'),
    (
        "commands/1/bindings/OutputTensor",
        "Exit",
        'commands[1].bindings.OutputTensor must name a member of resources; got "Exit".',
    ),
    (
        "commands/1/bindings/OutputTensor",
        ["Out", "Out"],
        "commands[1].bindings.OutputTensor must bind one resource; got an array of 2.",
    ),
    (
        "commands/1/bindings/OutputTensor",
        "State",
        "commands[1].bindings.OutputTensor must be bound to at least 32 bytes, its TotalTensorSizeInBytes; got 24. "
        "Bind a larger buffer.",
    ),
    (
        "commands/1/bindings/OutputTensor",
        {"name": "Out", "elementOffset": 8},
        "commands[1].bindings.OutputTensor must be bound to at least 32 bytes, its TotalTensorSizeInBytes; got 0. "
        "Bind a larger buffer.",
    ),
    (
        "commands/1/bindings/OutputTensor",
        {"name": "Out", "elementOffset": 2},
        "commands[1].bindings.OutputTensor.elementOffset must be a multiple of 16 bytes, but is 8 bytes; got 2. "
        "Change it, or set a smaller GuaranteedBaseOffsetAlignment in the tensor's desc.",
    ),
    (  # the end of the resource is allowed, but no byte follows
        "commands/1/bindings/OutputTensor",
        {"name": "Out", "elementOffset": 8},
        "commands[1].bindings.OutputTensor must be bound to at least 32 bytes, its TotalTensorSizeInBytes; got 0. "
        "Bind a larger buffer.",
    ),
    (
        "commands/1/bindings/OutputTensor",
        {"name": "Out", "elementOffset": 12},
        "commands[1].bindings.OutputTensor.elementOffset must be at most the resource's 32 bytes, but is 48 bytes; "
        "got 12.",
    ),
    (
        "commands/1/bindings/OutputStateTensor",
        None,
        "commands[1].bindings.OutputStateTensor must be bound, because the desc has it; got InputStateTensor, "
        "OutputTensor.",
    ),
    ("commands/2/resource", "Exit", 'commands[2].resource must name a member of resources; got "Exit".'),
    ("commands/2/verbose", 1, "commands[2].verbose must be true or false; got 1."),
    (
        "commands/3/targetPath",
        "a.png",
        'commands[3].targetPath must not be an image, which dmlrand does not write; got "a.png". Write a .npy file.',
    ),
    (
        "commands/3/dimensions",
        [3, 3],
        "commands[3].dimensions must have at most the resource's 8 elements, but have 9; got an array of 2.",
    ),
]


@pytest.mark.parametrize("path, value, message", ERRORS, ids=[path for path, *_ in ERRORS])
def test_an_error_of_the_model_is_raised_before_any_command_runs(tmp_path, monkeypatch, path, value, message):
    """dxdispatch 2.7, 3.5, 6.1, 6.2, 6.3, 8.4"""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError) as caught:
        run(tmp_path, changed(path, value))
    assert str(caught.value) == message.replace("MODEL", quoted(tmp_path / "model.json"))
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]


def test_the_misprint_of_the_guide_has_a_hint(tmp_path):
    """dxdispatch 3.4, 8.3"""
    tree = model()
    tree["dispatchables"]["gen"]["desc"]["InputTensor"] = tree["dispatchables"]["gen"]["desc"].pop("InputStateTensor")
    with pytest.raises(ModelError) as caught:
        run(tmp_path, tree)
    assert str(caught.value) == (
        "dispatchables.gen.desc.InputStateTensor must be present; it is missing. "
        "The Guide's sample says InputTensor, which is an error in DxDispatch too: rename it to InputStateTensor."
    )
    with pytest.raises(ModelError, match=r"^commands\[0\]\.bindings\.InputTensor must not be bound, .* Guide's sample"):
        run(tmp_path, model(commands=[dispatch(InputTensor="State")]))


@pytest.mark.parametrize("name", ["Strides", "DimensionCount", "TotalTensorSizeInBytes"])
def test_null_is_no_default(tmp_path, name):
    """dxdispatch 3.3"""
    tree = model()
    tree["dispatchables"]["gen"]["desc"]["OutputTensor"][name] = None
    with pytest.raises(ModelError, match=f"^{DESC}OutputTensor.{name} must not be null; got null. Omit it.$"):
        run(tmp_path, tree)


@pytest.mark.parametrize(
    "array, reason",
    [
        (
            np.zeros(6, np.float32),
            "R.initialValuesDataType must be FLOAT32, the type of 'a.npy'; got UINT32. Omit it.",
        ),
        (np.zeros(6, bool), "it holds bool, which is not a type of DirectML."),
        (np.zeros(6, complex), "it holds complex128, which is not a type of DirectML."),
        (np.zeros((2, 3), np.uint32, "F"), "it is in Fortran order, which DxDispatch does not read"),
        (np.zeros(0, np.uint32), "R.initialValues must hold at least one value; got none."),
    ],
)
def test_an_npy_of_the_wrong_type(tmp_path, array, reason):
    """dxdispatch 2.4"""
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(ModelError, match=r"^resources\.R\.") as caught:
        run(tmp_path, model(R={"initialValuesDataType": "UINT32", "initialValues": {"sourcePath": "a.npy"}}))
    assert reason in str(caught.value)


def test_a_raw_file_needs_a_type_and_an_image_is_an_error(tmp_path):
    """dxdispatch 2.4"""
    (tmp_path / "a.bin").write_bytes(bytes(24))
    with pytest.raises(ModelError, match=r"^resources\.R\.initialValuesDataType must name the type of a raw file's"):
        run(tmp_path, model(R={"initialValues": {"sourcePath": "a.bin"}}))
    with pytest.raises(ModelError, match=r"^resources\.R\.initialValues\.sourcePath .* dmlrand does not read images"):
        run(tmp_path, model(R={"initialValues": {"sourcePath": "a.jpg"}}))


def test_a_resource_of_mixed_types_is_not_printed(tmp_path):
    """dxdispatch 2.5"""
    mixed = {"initialValues": [{"type": "UINT8", "value": 3}]}
    for command in (show("R"), save("R", "r.npy")):
        with pytest.raises(ModelError, match=r"^commands\[0\]\.resource must name a resource of one data type"):
            run(tmp_path, model(commands=[command], R=mixed))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"a": 1} 2', "\x00", '{"resources": NaN}', "[" * 5000, '{"a": 1, "a": 2}', '"']
)
def test_text_that_is_no_model(tmp_path, text):
    """dxdispatch 1.1, 1.2"""
    with pytest.raises(ModelError):
        run(tmp_path, text)


def test_a_name_given_twice_is_an_error(tmp_path):
    """dxdispatch 1.2"""
    with pytest.raises(
        ModelError, match='^every name must be unique in its object; got "Sizes" more than once. Remove all but one.$'
    ):
        run(tmp_path, '{"resources": {"Sizes": 1, "b": 2, "Sizes": 3}}')


def test_bare_nan_is_no_number(tmp_path):
    """dxdispatch 1.1"""
    text = '{"resources": {"R": {"initialValuesDataType": "FLOAT32", "initialValues": [%s]}}}'
    for bare in ("NaN", "Infinity", "-Infinity"):
        with pytest.raises(
            ModelError, match=r"^resources\.R\.initialValues\[0\] must be a number that float32 can hold"
        ):
            run(tmp_path, text % bare)


@pytest.mark.parametrize("name", ["dispatch_iterations", "dispatch_repeat"])
def test_limits_of_iterations_and_repeats(tmp_path, name):
    """dxdispatch 5.1"""
    for count in (0, 1 << 32):
        with pytest.raises(ValueError, match=rf"^{name} must be in \[1, 2\*\*32\); got {count}\."):
            run(tmp_path, model(commands=[show("Out")]), **{name: count})
    run(tmp_path, model(commands=[show("Out")]), **{name: (1 << 32) - 1})


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path):
    """dxdispatch 5.3, 5.4, 6.3"""
    (tmp_path / "taken.npy").mkdir()
    (tmp_path / "file").write_text("kept")
    for target in ("taken.npy", "file/below.npy", "nul\0.bin", "x" * 300):
        with pytest.raises(ModelError, match=r"^commands\[1\]\.targetPath cannot be written: "):
            run(tmp_path, model(commands=[dispatch(), save("Out", target)]))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "model.json", "taken.npy"]
    assert (tmp_path / "file").read_text() == "kept" and not list((tmp_path / "taken.npy").iterdir())


_FULL_DISK = """
import resource, sys
from dmlrand import cli
import dmlrand.compat.dxdispatch
sys.dont_write_bytecode = True  # a truncated file would break later imports
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
raise SystemExit(cli.main(["dispatch", "model.json"]))
"""


@posix("a limit on the size of files")
@pytest.mark.parametrize("name", ["out.npy", "out.bin"])
def test_if_writing_fails_the_old_file_remains(tmp_path, name):
    """dxdispatch 5.3, 6.3"""
    (tmp_path / name).write_text("old")
    values = {"initialValuesDataType": "UINT32", "initialValues": {"valueCount": 100, "value": 1}}
    (tmp_path / "model.json").write_text(json.dumps(model(commands=[save("R", name)], R=values)))
    done = subprocess.run(
        [sys.executable, "-c", _FULL_DISK], cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT
    )
    message = (
        "dmlrand: error: commands[0].targetPath cannot be written: [Errno 27] File too large: "
        f"{quoted(os.path.realpath(tmp_path / name))} was not written. "
        "Raise the limit on file sizes (ulimit -f) or use another disk, then try again.\n"
    )
    assert (done.returncode, done.stderr) == (2, message)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model.json", name]
    assert (tmp_path / name).read_text() == "old"


def test_strides_whose_overlap_is_undecided_are_an_error_within_a_minute(tmp_path):
    """dxdispatch 6.1; directml 1.7: in a process of its own, because no signal interrupts a search without a limit."""
    strides = [3632290201, 3724976068, 2217681023, 2391592452, 3118418254, 2987639789, 4054073334, 3257174740]
    tree = model()
    tree["dispatchables"]["gen"]["desc"]["OutputTensor"].update(Sizes=[14] * 8, Strides=strides)
    (tmp_path / "model.json").write_text(json.dumps(tree))
    command = [sys.executable, "-m", "dmlrand", "dispatch", str(tmp_path / "model.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith(
        f"dmlrand: error: {DESC}OutputTensor.Strides must be simple enough to be checked for overlap in 1,000,000 steps"
    )


def test_level_3_0_requires_4_dimensions(tmp_path):
    """directml 2.2"""
    tree = model()
    tree["dispatchables"]["gen"]["desc"]["InputStateTensor"] = {**STATE, "Sizes": [1, 6]}
    with pytest.raises(ModelError, match=f"^{DESC}InputStateTensor.Sizes must have exactly 4 dimensions at"):
        run(tmp_path, tree, feature_level="3_0")


def test_the_command_line_prints_one_line_and_returns_2(tmp_path, monkeypatch, capsys):
    """dxdispatch 1.4, 6.1"""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError):
        run(tmp_path, changed(f"{OUT}/Sizes", [1, 1, 0, 8]))
    for line in (["model.json"], ["none.json"], ["model.json", "-i", "0"]):
        assert cli.main(["dispatch", *line]) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.startswith("dmlrand: error: ") and err.count("\n") == 1


def test_without_python_rapidjson_the_error_names_the_extra(tmp_path, monkeypatch):
    """dxdispatch 1.3"""
    monkeypatch.setitem(sys.modules, "rapidjson", None)  # makes the import fail as if it were not installed
    with pytest.raises(ImportError, match="pip install python-rapidjson. The extra 'cli' of dmlrand"):
        run_model(tmp_path / "model.json")
