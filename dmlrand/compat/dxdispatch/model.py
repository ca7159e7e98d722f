"""A model file as objects that are ready to run. Every error of the model is raised while it is read."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...files.names import check_name
from ...operator import PHILOX_4X32_10
from ..directml import (
    DATA_TYPES,
    FeatureLevel,
    RandomGeneratorOperator,
    RandomGeneratorOperatorDesc,
    TensorDesc,
    create_operator,
)
from .confinement import check_inside
from .json_reader import ModelError, Node, read_document
from .resources import UNKNOWN, Resource, read_resource

_OPERATOR = "RANDOM_GENERATOR"
_BUFFER_ALIGNMENT = 16  # DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT
_EXECUTION_FLAGS = ("NONE", "ALLOW_HALF_PRECISION_COMPUTATION", "DISABLE_META_COMMANDS", "DESCRIPTORS_VOLATILE")
_GUIDE_HINT = "The Guide's sample says InputTensor, which is an error in DxDispatch too: rename it to InputStateTensor."


@dataclass(frozen=True)
class Dispatch:
    """`run` runs the operator on the memory of its resources. It may be called repeatedly."""

    path: str
    name: str
    run: Callable[[], None]


@dataclass(frozen=True)
class Print:
    name: str
    values: NDArray[Any]
    verbose: bool


@dataclass(frozen=True)
class WriteFile:
    """`values` are the memory of the resource, in the shape of the .npy file to write."""

    path: str
    name: str
    target: Path
    values: NDArray[Any]


Command = Dispatch | Print | WriteFile


@dataclass(frozen=True)
class Model:
    resources: dict[str, Resource]
    commands: list[Command]


def read_model(
    path: str | os.PathLike[str], input_path: Path, output_path: Path, feature_level: FeatureLevel, confine: bool
) -> Model:
    """Read a model file: make its resources, and bind its commands to them."""
    root = read_document(path)
    resources = {name: read_resource(node, input_path, confine) for name, node in root.need("resources").named()}
    dispatchables = root.need("dispatchables").named()
    operators = {name: _read_dispatchable(name, node, feature_level) for name, node in dispatchables}
    reader = _CommandReader(resources, operators, output_path, confine)
    return Model(resources, [reader.read(node) for node in root.need("commands").elements()])


def _read_dispatchable(name: str, node: Node, feature_level: FeatureLevel) -> RandomGeneratorOperator:
    # As in DxDispatch's parser, Type is read before type, even where Type is a field of the operator.
    kind = node.get("Type") or node.need("type")
    if kind.text().removeprefix("DML_OPERATOR_") != _OPERATOR:
        hint = " Put the operator's fields into desc." if kind.value.endswith(PHILOX_4X32_10) else ""
        raise ModelError(
            f"{kind.path} of dispatchable {name!r} must be DML_OPERATOR_{_OPERATOR}, the only operator that runs here; "
            f"got {kind.value!r}.{hint}"
        )
    _check_compilation(node)
    fields = node.get("Desc") or node.need("desc")
    try:
        return create_operator(_read_desc(fields), feature_level)
    except ModelError:
        raise
    except (TypeError, ValueError) as error:
        raise _at_member(fields, error) from None


def _check_compilation(node: Node) -> None:
    """Check the members that control the compilation for a device. They have no effect here."""
    flags = node.get("executionFlags")
    if flags is not None:
        for each in _one_or_more(flags):
            each.enum("DML_EXECUTION_FLAG_", _EXECUTION_FLAGS)
    compile_type = node.get("dmlCompileType")
    if compile_type is not None:
        compile_type.enum("", ("DmlCompileOp", "DmlCompileGraph"))
    bindings = node.get("bindings")
    if bindings is not None and bindings.members():
        raise bindings.error("must be empty, because DirectML owns no tensor of this operator", "Bind in the command.")


def _read_desc(fields: Node) -> RandomGeneratorOperatorDesc:
    hint = _GUIDE_HINT if fields.has("InputTensor") else ""
    new_state = fields.get("OutputStateTensor")
    return RandomGeneratorOperatorDesc(
        _read_tensor(fields.need("InputStateTensor", hint)),
        _read_tensor(fields.need("OutputTensor")),
        None if new_state is None else _read_tensor(new_state),
        fields.need("Type").text(),
    )


def _read_tensor(node: Node) -> TensorDesc:
    kind = node.get("Type")
    if kind is not None:
        kind.enum("DML_TENSOR_TYPE_", ("BUFFER",))
    node = node.get("Desc") or node  # nested, or inline
    given = {name: member.value for name, member in node.named() if name in TensorDesc.__dataclass_fields__}
    for name in ("DataType", "Sizes"):
        node.need(name)
    flags = node.get("Flags")
    if flags is not None:
        values = [each.enum("DML_TENSOR_FLAG_", ("NONE", "OWNED_BY_DML")) for each in _one_or_more(flags)]
        given["Flags"] = "OWNED_BY_DML" if "OWNED_BY_DML" in values else "NONE"
    for name, value in given.items():
        if value is None:  # a default of TensorDesc, but an error in DxDispatch
            raise node.need(name).error("must not be null", "Omit it.")
    # In DxDispatch these values mean that the member is absent.
    if given.get("Strides") == []:
        del given["Strides"]
    total = node.get("TotalTensorSizeInBytes")
    if total is not None and total.integer() == 0:
        del given["TotalTensorSizeInBytes"]
    return TensorDesc(**given)


def _at_member(fields: Node, error: Exception) -> ModelError:
    """An error of create_operator, whose text begins with a member, with the member's path in the file instead."""
    tensor, dot, rest = str(error).partition(".")
    inner = fields.value.get(tensor)
    if isinstance(inner, dict) and "Desc" in inner:
        rest = f"Desc.{rest}"
    return ModelError(f"{fields.path}.{tensor}{dot}{rest}")


def _one_or_more(node: Node) -> list[Node]:
    return node.elements() if isinstance(node.value, list) else [node]


@dataclass(frozen=True)
class _CommandReader:
    resources: dict[str, Resource]
    operators: dict[str, RandomGeneratorOperator]
    output_path: Path
    confine: bool

    def read(self, node: Node) -> Command:
        readers: dict[str, Callable[[Node], Command]] = {
            "dispatch": self._dispatch,
            "print": self._print,
            "writefile": self._write_file,
        }
        kind = node.need("type")
        reader = readers.get(kind.text().lower())
        if reader is None:
            raise kind.error("must be dispatch, print or writeFile")
        return reader(node)

    def _dispatch(self, node: Node) -> Dispatch:
        dispatchable = node.need("dispatchable")
        operator = self.operators.get(dispatchable.text())
        if operator is None:
            raise dispatchable.error("must name a member of dispatchables")
        bindings = node.need("bindings")
        buffers = {name: self._bound(each, getattr(operator.desc, name, None)) for name, each in bindings.named()}
        try:
            return Dispatch(node.path, dispatchable.value, operator.bind(buffers))
        except (TypeError, ValueError) as error:
            hint = f" {_GUIDE_HINT}" if "InputTensor" in buffers else ""
            raise ModelError(f"{bindings.path}.{error}{hint}") from None

    def _bound(self, node: Node, tensor: Any) -> NDArray[np.uint8]:
        """The memory that a binding names: a string, an object, or a list of one of these."""
        sources = _one_or_more(node)
        if len(sources) != 1:
            raise node.error("must bind one resource")
        (source,) = sources
        named = source if isinstance(source.value, str) else source.need("name")
        resource = self._resource(named)
        if named is source:
            return resource.memory
        return resource.memory[self._offset(source, resource, tensor) :]

    def _offset(self, source: Node, resource: Resource, tensor: Any) -> int:
        """Where a binding starts, in bytes. Its other members only affect shaders and ONNX models."""
        elements = source.get("elementOffset")
        stated = source.get("elementSizeInBytes")
        itemsize = stated.integer() if stated is not None else 0
        if itemsize == 0 and resource.data_type in DATA_TYPES:
            itemsize = DATA_TYPES[resource.data_type].itemsize
        if elements is None or elements.integer() == 0:
            return 0
        if itemsize == 0:
            raise elements.error("needs elementSizeInBytes, because the resource has no single data type")
        offset = elements.integer() * itemsize
        aligned = getattr(tensor, "GuaranteedBaseOffsetAlignment", 0) or _BUFFER_ALIGNMENT
        if offset % aligned:
            raise elements.error(
                f"must be a multiple of {aligned} bytes, but is {offset} bytes",
                "Change it, or set a smaller GuaranteedBaseOffsetAlignment in the tensor's desc.",
            )
        if offset > resource.memory.size:
            raise elements.error(f"must be at most the resource's {resource.memory.size} bytes, but is {offset} bytes")
        return offset

    def _print(self, node: Node) -> Print:
        name = node.need("resource")
        resource = self._typed(name)
        verbose = node.get("verbose")
        values = resource.elements(resource.initial_bytes)
        return Print(name.value, values, verbose is not None and verbose.boolean())

    def _write_file(self, node: Node) -> WriteFile:
        name, target = node.need("resource"), node.need("targetPath")
        try:
            check_name(self.output_path / target.text())
        except ValueError as error:
            raise ModelError(f"{target.path} cannot be written: {error}") from None
        path = Path(os.path.abspath(self.output_path / target.text()))
        if self.confine:
            check_inside(target, path, self.output_path, "output_path")
        suffix = path.suffix.lower()
        if suffix in (".jpg", ".png"):
            raise target.error("must not be an image, which dmlrand does not write", "Write a .npy file.")
        values: NDArray[Any]
        if suffix == ".npy":
            values = _shaped(node, self._typed(name).elements())
        else:
            values = self._resource(name).memory
        return WriteFile(target.path, name.value, path, values)

    def _resource(self, name: Node) -> Resource:
        resource = self.resources.get(name.text())
        if resource is None:
            raise name.error("must name a member of resources")
        return resource

    def _typed(self, name: Node) -> Resource:
        resource = self._resource(name)
        if resource.data_type == UNKNOWN:
            raise name.error("must name a resource of one data type", "This type is UNKNOWN: write a .bin file.")
        return resource


def _shaped(node: Node, elements: NDArray[Any]) -> NDArray[Any]:
    """The first elements in the shape `dimensions`. Without it, all elements in one dimension."""
    dimensions = node.get("dimensions")
    if dimensions is None or not dimensions.elements():
        return elements
    sizes = [each.integer(1, 1 << 32) for each in dimensions.elements()]
    count = math.prod(sizes)
    if count > elements.size:
        raise dimensions.error(f"must have at most the resource's {elements.size} elements, but have {count}")
    try:
        return elements[:count].reshape(sizes)
    except ValueError as error:  # more axes than numpy has
        raise dimensions.error(f"must be the sizes of a numpy array ({error})") from None
