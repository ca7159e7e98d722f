"""Nodes of an ONNX graph, written by Python expressions: `word * M0` writes a node Mul, and so on."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..drawing.imports import extra_needed

INT64, UINT64 = np.dtype(np.int64), np.dtype(np.uint64)


def import_onnx() -> Any:
    """The package onnx."""
    with extra_needed("ONNX models need", "onnx", "onnx"):
        import onnx
    return onnx


class NodeWriter:
    """A list of nodes that grows. Tensors are known by their names. Each constant is written once."""

    def __init__(self) -> None:
        self.onnx = import_onnx()
        self.nodes: list[Any] = []
        self._constants: dict[tuple[str, str], str] = {}

    def add(self, op_type: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Append a node with one output, and return the name of the output."""
        name = output or self._new_name()
        self.nodes.append(self.onnx.helper.make_node(op_type, inputs, [name], **attributes))
        return name

    def split(self, tensor: str, parts: int) -> list[str]:
        """The names of `parts` equal parts of a tensor of rank 1."""
        outputs = [f"{self._new_name()}_{part}" for part in range(parts)]
        self.nodes.append(self.onnx.helper.make_node("Split", [tensor], outputs, axis=0, num_outputs=parts))
        return outputs

    def constant(self, value: Any, dtype: np.dtype[Any] = INT64, output: str = "") -> str:
        """The name of a constant: a number, or a list of numbers."""
        key = (str(value), dtype.name)
        if key not in self._constants:
            tensor = self.onnx.numpy_helper.from_array(np.array(value, dtype))
            self._constants[key] = self.add("Constant", output=output, value=tensor)
        return self._constants[key]

    def cast(self, tensor: str, dtype: np.dtype[Any], output: str = "") -> str:
        """The name of a tensor with its elements converted to `dtype`."""
        return self.add("Cast", tensor, output=output, to=self.onnx.helper.np_dtype_to_tensor_dtype(dtype))

    def _new_name(self) -> str:
        return f"dmlrand_{len(self.nodes)}"


class Words:
    """A tensor of 32-bit words, each held in an integer of 64 bits, with the operators that philox.block uses.

    The other operand is a tensor of words or an int below 2**63. `dtype` is uint64 or int64. Products wrap modulo
    2**64 in both, and only the sign of int64 differs: the right shift, which sees it, is done in uint64.
    """

    def __init__(self, writer: NodeWriter, name: str, dtype: np.dtype[Any]) -> None:
        self.writer, self.name, self.dtype = writer, name, dtype

    def __mul__(self, other: Words | int) -> Words:
        return self._apply("Mul", other)

    def __add__(self, other: Words | int) -> Words:
        return self._apply("Add", other)

    def __xor__(self, other: Words | int) -> Words:
        return self._apply("BitwiseXor", other)

    def __and__(self, other: Words | int) -> Words:
        return self._apply("BitwiseAnd", other)

    def __rshift__(self, bits: int) -> Words:
        if self.dtype == UINT64:
            return self._apply("BitShift", bits, direction="RIGHT")
        return (self.cast(UINT64) >> bits).cast(self.dtype)

    def cast(self, dtype: np.dtype[Any]) -> Words:
        """The same words, held in another type."""
        return Words(self.writer, self.writer.cast(self.name, dtype), dtype)

    def _apply(self, op_type: str, other: Words | int, **attributes: Any) -> Words:
        operand = other.name if isinstance(other, Words) else self.writer.constant(other, self.dtype)
        return Words(self.writer, self.writer.add(op_type, self.name, operand, **attributes), self.dtype)
