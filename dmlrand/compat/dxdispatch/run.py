"""`run_model`: read a model file with its operators, run its commands, and print what DxDispatch prints."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ...arrays.integers import check_int
from ...files import in_native_order, quoted
from ...messages import format_value
from ...operator import PHILOX_4X32_10
from .. import directml
from ..directml import FeatureLevel, RandomGeneratorOperator, RandomGeneratorOperatorDesc, TensorDesc
from .commands import CommandReader
from .json_reader import GUIDE_HINT, ModelError, Node, read_document
from .resources import read_resource

_OPERATOR = "RANDOM_GENERATOR"
_EXECUTION_FLAGS = ("NONE", "ALLOW_HALF_PRECISION_COMPUTATION", "DISABLE_META_COMMANDS", "DESCRIPTORS_VOLATILE")


def read_operator(name: str, node: Node, feature_level: FeatureLevel) -> RandomGeneratorOperator:
    """The operator that a member of `dispatchables` describes."""
    # As in DxDispatch's parser, Type is read before type, even where Type is a field of the operator.
    kind = node.need("Type" if node.has("Type") else "type")
    if kind.text().removeprefix("DML_OPERATOR_") != _OPERATOR:
        hint = " Put the operator's fields into desc." if kind.value.endswith(PHILOX_4X32_10) else ""
        raise ModelError(
            f"{kind.path} of dispatchable {format_value(name)} must be DML_OPERATOR_{_OPERATOR}, the only operator "
            f"that runs here; got {format_value(kind.value)}.{hint}"
        )
    # These members control the compilation for a device. They have no effect here.
    for flag in node.get("executionFlags", []).one_or_more():
        flag.enum("DML_EXECUTION_FLAG_", _EXECUTION_FLAGS)
    node.get("dmlCompileType", "DmlCompileOp").enum("", ("DmlCompileOp", "DmlCompileGraph"))
    bindings = node.get("bindings", {})
    if bindings.members():
        raise bindings.error("must be empty, because DirectML owns no tensor of this operator", "Bind in the command.")
    fields = node.need("Desc" if node.has("Desc") else "desc")
    hint = GUIDE_HINT if fields.has("InputTensor") else ""
    desc = RandomGeneratorOperatorDesc(
        _read_tensor(fields.need("InputStateTensor", hint)),
        _read_tensor(fields.need("OutputTensor")),
        _read_tensor(fields.need("OutputStateTensor")) if fields.has("OutputStateTensor") else None,
        fields.need("Type").text(),
    )
    try:
        return directml.create_operator(desc, feature_level)
    except (TypeError, ValueError) as error:  # its text begins with a member, which gets its path in the file
        tensor, dot, rest = str(error).partition(".")
        inner = fields.value.get(tensor)
        if isinstance(inner, dict) and "Desc" in inner:
            rest = f"Desc.{rest}"
        raise ModelError(f"{fields.path}.{tensor}{dot}{rest}") from None


def _read_tensor(node: Node) -> TensorDesc:
    node.get("Type", "BUFFER").enum("DML_TENSOR_TYPE_", ("BUFFER",))
    node = node.need("Desc") if node.has("Desc") else node  # nested, or inline
    given = {name: member.value for name, member in node.named() if name in TensorDesc.__dataclass_fields__}
    for name in ("DataType", "Sizes"):
        node.need(name)
    flags = [each.enum("DML_TENSOR_FLAG_", directml.FLAGS) for each in node.get("Flags", "NONE").one_or_more()]
    given["Flags"] = "OWNED_BY_DML" if "OWNED_BY_DML" in flags else "NONE"
    for name, value in given.items():
        if value is None:  # a default of TensorDesc, but an error in DxDispatch
            raise node.need(name).error("must not be null", "Omit it.")
    # In DxDispatch these values mean that the member is absent.
    if given.get("Strides") == []:
        del given["Strides"]
    if node.get("TotalTensorSizeInBytes", 1).integer() == 0:
        del given["TotalTensorSizeInBytes"]
    return TensorDesc(**given)


def run_model(
    path: str | os.PathLike[str],
    *,
    dispatch_iterations: int = 1,
    dispatch_repeat: int = 1,
    input_path: str | os.PathLike[str] | None = None,
    output_path: str | os.PathLike[str] | None = None,
    confine: bool = False,
    feature_level: FeatureLevel | str | int = FeatureLevel.DML_FEATURE_LEVEL_4_0,
    log: Callable[[str], None] = print,
) -> dict[str, NDArray[Any]]:
    """Run a DxDispatch model file whose dispatchables are RANDOM_GENERATOR operators.

    The result maps the name of every resource to its final contents as an array of its data type, padding included. It
    is uint8 if the type is UNKNOWN.

    The model is read and its bindings are checked before the first command runs. If the model breaks a rule of
    specs/dxdispatch.md, or one of its files cannot be read or written, the error is a ModelError (a ValueError), whose
    message begins with the place in the model file.

    Parameters
    ----------
    path : path
        The model: JSON, which may have comments and trailing commas. Needs python-rapidjson (extra `cli`).
    dispatch_iterations, dispatch_repeat : int >= 1
        Each dispatch command runs dispatch_iterations * dispatch_repeat times. If a buffer is input and output state,
        each run continues the stream. The time printed is the median of the iterations, for one of the repeats.
    input_path : path, optional
        The folder of relative source files, by default the model's. If a file is not there, it is looked for in the
        current directory.
    output_path : path, optional
        The folder of relative target files, by default the current directory.
    confine : bool
        False: a model can read and replace any file that this process can, by absolute paths, `..` and symbolic links.
        True: source files must be inside input_path and target files inside output_path, after links are resolved. Use
        True for a model that you did not write.
    feature_level : FeatureLevel, its value or its name
        As in directml.create_operator.
    log : callable of one str
        Called with each line that DxDispatch prints.

    Examples
    --------
    >>> import tempfile
    >>> model = '''{
    ...     "resources": {
    ...         "State": { "initialValuesDataType": "UINT32", "initialValues": [0, 0, 0, 0, 42, 0] },
    ...         "Out": { "initialValuesDataType": "UINT32", "initialValues": { "valueCount": 4, "value": 0 } },
    ...     },
    ...     "dispatchables": { "gen": { "type": "DML_OPERATOR_RANDOM_GENERATOR", "desc": {
    ...         "InputStateTensor": { "DataType": "UINT32", "Sizes": [1, 1, 1, 6] },
    ...         "OutputTensor": { "DataType": "UINT32", "Sizes": [1, 1, 1, 4] },
    ...         "Type": "PHILOX_4X32_10", // no OutputStateTensor
    ...     } } },
    ...     "commands": [
    ...         { "type": "dispatch", "dispatchable": "gen",
    ...           "bindings": { "InputStateTensor": "State", "OutputTensor": "Out" } },
    ...         { "type": "print", "resource": "Out" },
    ...     ]
    ... }'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "model.json").write_text(model)
    ...     resources = run_model(Path(folder, "model.json"))  # doctest: +ELLIPSIS
    Dispatch 'gen': 1 iterations, ... ms median (CPU)
    Resource 'Out': 2632642643, 2012563771, 314527917, 1463989207
    >>> resources["Out"]
    array([2632642643, 2012563771,  314527917, 1463989207], dtype=uint32)
    """
    iterations = check_int(dispatch_iterations, "dispatch_iterations", 1, 1 << 32)
    if not isinstance(confine, bool):
        raise TypeError(f"confine must be True or False; got {format_value(confine)}.")
    repeat = check_int(dispatch_repeat, "dispatch_repeat", 1, 1 << 32)
    level = directml.check_level(feature_level)
    sources = Path(path).parent if input_path is None else Path(input_path)
    targets = Path.cwd() if output_path is None else Path(output_path)
    root = read_document(path)
    hint = f"Check that {quoted(path)} is a DxDispatch model."
    resources = {name: read_resource(node, sources, confine) for name, node in root.need("resources", hint).named()}
    dispatchables = root.need("dispatchables", hint).named()
    operators = {name: read_operator(name, node, level) for name, node in dispatchables}
    reader = CommandReader(resources, operators, targets, confine, iterations, repeat)
    commands = [reader.read(node) for node in root.need("commands", hint).elements()]  # all, before the first one runs
    for command in commands:
        log(command())
    return {name: in_native_order(resource.elements()) for name, resource in resources.items()}
