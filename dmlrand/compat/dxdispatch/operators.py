"""The dispatchables of a model: RANDOM_GENERATOR operators."""

from __future__ import annotations

from ...messages import format_value
from ...operator import PHILOX_4X32_10
from ..directml import FeatureLevel, RandomGeneratorOperator, RandomGeneratorOperatorDesc, TensorDesc, create_operator
from ..directml.arguments import FLAGS
from .json_reader import GUIDE_HINT, ModelError, Node

_OPERATOR = "RANDOM_GENERATOR"
_EXECUTION_FLAGS = ("NONE", "ALLOW_HALF_PRECISION_COMPUTATION", "DISABLE_META_COMMANDS", "DESCRIPTORS_VOLATILE")


def read_operator(name: str, node: Node, feature_level: FeatureLevel) -> RandomGeneratorOperator:
    """The operator that a member of `dispatchables` describes."""
    # As in DxDispatch's parser, Type is read before type, even where Type is a field of the operator.
    kind = node.get("Type") or node.need("type")
    if kind.text().removeprefix("DML_OPERATOR_") != _OPERATOR:
        hint = " Put the operator's fields into desc." if kind.value.endswith(PHILOX_4X32_10) else ""
        raise ModelError(
            f"{kind.path} of dispatchable {format_value(name)} must be DML_OPERATOR_{_OPERATOR}, the only operator "
            f"that runs here; got {format_value(kind.value)}.{hint}"
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
    for flag in flags.one_or_more() if flags is not None else []:
        flag.enum("DML_EXECUTION_FLAG_", _EXECUTION_FLAGS)
    compile_type = node.get("dmlCompileType")
    if compile_type is not None:
        compile_type.enum("", ("DmlCompileOp", "DmlCompileGraph"))
    bindings = node.get("bindings")
    if bindings is not None and bindings.members():
        raise bindings.error("must be empty, because DirectML owns no tensor of this operator", "Bind in the command.")


def _read_desc(fields: Node) -> RandomGeneratorOperatorDesc:
    hint = GUIDE_HINT if fields.has("InputTensor") else ""
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
        values = [each.enum("DML_TENSOR_FLAG_", FLAGS) for each in flags.one_or_more()]
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
