"""The commands of a model: dispatch, print and writeFile. All are checked when they are read."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median_high
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...files import error_text, in_native_order, replacing, save_array
from ...operator import random_generator
from ...state import make_state
from ..directml import DATA_TYPES, RandomGeneratorOperator
from .json_reader import GUIDE_HINT, ModelError, Node
from .resources import UNKNOWN, Resource, check_inside

_BUFFER_ALIGNMENT = 16  # DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT

Command = Callable[[], str]  # runs the command, and returns the text that DxDispatch prints


@dataclass(frozen=True)
class CommandReader:
    """Reads commands, which use these resources and operators."""

    resources: dict[str, Resource]
    operators: dict[str, RandomGeneratorOperator]
    output_path: Path
    confine: bool
    iterations: int
    repeat: int

    def read(self, node: Node) -> Command:
        readers = {"dispatch": self._dispatch, "print": self._print, "writefile": self._write_file}
        kind = node.need("type")
        reader = readers.get(kind.text().lower())
        if reader is None:
            raise kind.error("must be dispatch, print or writeFile")
        return reader(node)

    def _dispatch(self, node: Node) -> Command:
        dispatchable = node.need("dispatchable")
        operator = self.operators.get(dispatchable.text())
        if operator is None:
            raise dispatchable.error("must name a member of dispatchables")
        bindings = node.need("bindings")
        buffers = {
            name: self._read_binding(each, getattr(operator.desc, name, None)) for name, each in bindings.named()
        }
        try:
            run = operator.bind(buffers)
        except (TypeError, ValueError) as error:
            hint = f" {GUIDE_HINT}" if "InputTensor" in buffers else ""
            raise ModelError(f"{bindings.path}.{error}{hint}") from None
        return partial(self._run, node.path, dispatchable.value, run)

    def _run(self, path: str, name: str, run: Callable[[], None]) -> str:
        # Load or compile the kernels now, so that the time of the first dispatch does not include it: a kernel each for
        # contiguous, uniformly strided and other outputs.
        block = np.empty((2, 3, 2), np.uint32)
        for out in (block, block[..., 0], block[:, :2, 0]):
            random_generator(make_state(), out=out)
        samples = []
        for _ in range(self.iterations):
            start = time.perf_counter()
            for _ in range(self.repeat):
                try:
                    run()
                except MemoryError:
                    raise ModelError(f"{path} does not fit in memory. Make its tensors smaller.") from None
            samples.append((time.perf_counter() - start) / self.repeat)
        # The median of an even number of times is the upper one, as in DxDispatch.
        median = 1000 * median_high(samples)
        return f"Dispatch '{name}': {self.iterations} iterations, {median:.4f} ms median (CPU)"

    def _read_binding(self, node: Node, tensor: Any) -> NDArray[np.uint8]:
        """The memory that a binding names: a string, an object, or a list of one of these."""
        sources = node.one_or_more()
        if len(sources) != 1:
            raise node.error("must bind one resource")
        (source,) = sources
        if isinstance(source.value, str):
            return self._resource(source).memory
        resource = self._resource(source.need("name"))
        return resource.memory[_read_offset(source, resource, tensor) :]

    def _print(self, node: Node) -> Command:
        name = node.need("resource")
        resource = self._resource(name, typed=True)
        values = resource.elements(resource.initial_bytes)
        if node.get("verbose", False).boolean():
            return lambda: _format_verbose(name.value, values)
        return lambda: f"Resource '{name.value}': {', '.join(map(_format_value, values.tolist()))}"

    def _write_file(self, node: Node) -> Command:
        name, target = node.need("resource"), node.need("targetPath")
        path = Path(os.path.abspath(self.output_path / target.text()))
        if self.confine:
            check_inside(target, path, self.output_path, "output_path")
        suffix = path.suffix.lower()
        if suffix in (".jpg", ".png"):
            raise target.error("must not be an image, which dmlrand does not write", "Write a .npy file.")
        resource = self._resource(name, typed=suffix == ".npy")
        values: NDArray[Any] = _reshape(node, resource.elements()) if suffix == ".npy" else resource.memory

        def write() -> str:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with replacing(path) as file:
                    if suffix == ".npy":
                        save_array(file, values)
                    else:
                        file.write(values.data)
            except (OSError, ValueError) as error:
                raise ModelError(f"{target.path} cannot be written: {error_text(error)}") from None
            return f"Resource '{name.value}' written to '{path}'"

        return write

    def _resource(self, name: Node, typed: bool = False) -> Resource:
        resource = self.resources.get(name.text())
        if resource is None:
            raise name.error("must name a member of resources")
        if typed and resource.data_type == UNKNOWN:
            raise name.error("must name a resource of one data type, not UNKNOWN", "Write a .bin file.")
        return resource


def _read_offset(binding: Node, resource: Resource, tensor: Any) -> int:
    """Where a binding starts, in bytes. Other members of a binding only affect shaders and ONNX models."""
    elements, itemsize = binding.get("elementOffset", 0), binding.get("elementSizeInBytes", 0).integer()
    if itemsize == 0 and resource.data_type in DATA_TYPES:
        itemsize = DATA_TYPES[resource.data_type].itemsize
    if elements.integer() == 0:
        return 0
    if itemsize == 0:
        raise elements.error("needs elementSizeInBytes, because the resource has no single data type")
    offset = elements.integer() * itemsize
    alignment = getattr(tensor, "GuaranteedBaseOffsetAlignment", 0) or _BUFFER_ALIGNMENT
    if offset % alignment:
        raise elements.error(
            f"must be a multiple of {alignment} bytes, but is {offset} bytes",
            "Change it, or set a smaller GuaranteedBaseOffsetAlignment in the tensor's desc.",
        )
    if offset > resource.memory.size:
        raise elements.error(f"must be at most the resource's {resource.memory.size} bytes, but is {offset} bytes")
    return offset


def _reshape(node: Node, elements: NDArray[Any]) -> NDArray[Any]:
    """The first elements in the shape `dimensions`. Without it, all elements in one dimension."""
    dimensions = node.get("dimensions", [])
    sizes = [each.integer(1, 1 << 32) for each in dimensions.elements()]
    if not sizes:
        return elements
    count = math.prod(sizes)
    if count > elements.size:
        raise dimensions.error(f"must have at most the resource's {elements.size} elements, but have {count}")
    try:
        return elements[:count].reshape(sizes)
    except ValueError as error:  # more axes than numpy has
        raise dimensions.error(f"must be the sizes of a numpy array ({error})") from None


def _format_verbose(name: str, values: NDArray[Any]) -> str:
    # As in DxDispatch, indexes and bits are padded with spaces to the width of the longest.
    width, digits = len(str(values.size)), 2 * values.itemsize
    bits = in_native_order(values).view(f"u{values.itemsize}").tolist()
    lines = [
        f"[{i:{width}}] {_format_value(value)} (0x{word:{digits}X})\n"
        for i, (value, word) in enumerate(zip(values.tolist(), bits))
    ]
    return f"Resource '{name}':\n{''.join(lines)}"


def _format_value(value: float) -> str:
    """A value as a C++ stream prints it: floats with six digits."""
    return format(value, "g") if isinstance(value, float) else str(value)
