"""The arguments of OpenVINO's RandomUniform: types, shapes and ranges, and the layer of a model file."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from typing import Any, NamedTuple

import numpy as np

from ...arrays.number_types import check_real
from ...arrays.tensor import Shape, check_addressable
from ...messages import format_value
from .. import shared
from ..subnormals import flush

MAX_RANK = 32  # of the CPU plugin, and of NumPy 1
INT32_MIN, INT32_MAX = -(1 << 31), (1 << 31) - 1

OUTPUT_TYPES = {  # OpenVINO's names and NumPy's
    "i32": "int32", "i64": "int64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
}  # fmt: skip
PRECISIONS = {"i32": "I32", "i64": "I64", "f16": "FP16", "bf16": "BF16", "f32": "FP32", "f64": "FP64"}  # of IR's ports

# Every accepted spelling in lower case. "double" is the page's name for f64 in its second example.
_NAMES = {name: name for name in OUTPUT_TYPES} | {"fp16": "f16", "fp32": "f32", "fp64": "f64", "double": "f64"}

LAYER = "RandomUniform"
ATTRIBUTES = {"output_type", "global_seed", "op_seed", "alignment"}


def type_name(given: Any) -> Any:
    """The key of OUTPUT_TYPES that `given` means, in upper or lower case; `given` itself if it means none."""
    return _NAMES.get(given.lower(), given) if isinstance(given, str) else given


def check_sizes(shape: Any, kind: np.dtype[Any], plugin: bool) -> Shape:
    """The sizes in an int32 or int64 tensor of rank 1, or in a list or tuple."""
    if isinstance(shape, np.ndarray) and shape.dtype.name not in ("int32", "int64"):
        raise TypeError(f"shape must hold int32 or int64; got {shape.dtype}. Convert it: shape.astype('int64').")
    sizes = shared.read_sizes(shape, takes_int=False)
    if len(sizes) > MAX_RANK:
        raise ValueError(f"shape must have at most {MAX_RANK} sizes; got {len(sizes)}. Merge axes.")
    if plugin and not sizes:
        raise ValueError(
            "shape must have at least one size, because OpenVINO's CPU plugin returns uninitialized memory for rank 0; "
            "got none. Pass [1]."
        )
    return check_addressable(sizes, "shape", kind.itemsize)


class Range(NamedTuple):
    """Bounds and width: ints for integer types, else scalars of the float type that an implementation computes in."""

    low: Any
    high: Any
    width: Any


def check_range(minval: Any, maxval: Any, kind: np.dtype[Any], plugin: bool, round_width: Any = None) -> Range:
    """minval and maxval of the output type `kind`. `round_width` rounds a width to a type that floats are drawn in."""
    low, high = _check_bound(minval, "minval", kind), _check_bound(maxval, "maxval", kind)
    if not low < high:
        raise ValueError(f"minval must be below maxval in {kind}; got minval {minval} and maxval {maxval}.")
    integer, narrowed = kind.kind == "i", plugin and kind.itemsize == 8
    with np.errstate(over="ignore"):
        if narrowed and integer:
            low, high = (min(max(bound, INT32_MIN), INT32_MAX) for bound in (low, high))
        elif narrowed or kind.itemsize == 2:
            low, high = np.float32(low), np.float32(high)
        if narrowed and not (low < high and math.isfinite(low) and math.isfinite(high)):
            rule = "differ after clamping to int32" if integer else "be finite and differ in float32"
            raise ValueError(
                f"minval and maxval must {rule}, in which the CPU plugin computes {kind}; got {minval} and {maxval}. "
                'The "reference" implementation accepts them.'
            )
        if integer:
            return Range(int(low), int(high), int(high) - int(low))
        if plugin and round_width is None:
            low, high = flush(low)[()], flush(high)[()]  # as the plugin changes constants of float32
        width = high - low if round_width is None else round_width(high - low)
    if not np.isfinite(width):
        raise ValueError(
            f"maxval - minval must be finite in {kind}; got minval {minval} and maxval {maxval}. "
            "Every output would be infinite or NaN: narrow the range."
        )
    return Range(low, high, width)


def _check_bound(value: Any, name: str, kind: np.dtype[Any]) -> Any:
    """`value` as a scalar of `kind`: a Python number, or a scalar or 1-element tensor of the same type."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        if array.dtype != kind:
            raise TypeError(
                f"{name} must be of the output type, {kind}; got {array.dtype}. "
                f"Convert it: {name}.astype({str(kind)!r})."
            )
        if array.shape not in ((), (1,)):
            raise ValueError(
                f"{name} must be a scalar or a 1D tensor of 1 element; got shape {array.shape}. "
                "All elements share one range."
            )
        bound = array.reshape(1)[0]
        if not math.isfinite(bound):
            raise ValueError(f"{name} must be finite as a {kind}; got {format_value(value)}. Pass a finite number.")
        return bound
    if kind.kind == "i":
        return shared.check_int_of(kind, value, name)
    bound = check_real(value, name, kind)
    if isinstance(value, int) and int(bound) != value:  # 2**24 + 1 is no float32
        raise ValueError(f"{name} must be representable in {kind}; got the int {value}. Pass a float to round it.")
    return bound


def read_layer(xml: Any, name: Any) -> dict[str, Any]:
    """The attributes of the RandomUniform layer in `xml`. Absent ones are absent. Seeds are ints, not checked here."""
    if not isinstance(xml, (str, bytes)):
        raise TypeError(
            f"xml must be the text of an IR, str or bytes; got {type(xml).__name__}. Read a file with read_bytes()."
        )
    # The example in OpenVINO's specification has `<layer ... name=`, which is not XML.
    text = xml.replace("<layer ... ", "<layer ") if isinstance(xml, str) else xml.replace(b"<layer ... ", b"<layer ")
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise ValueError(f"xml must be well-formed XML; {error}. Pass the text, not a path.") from None
    layer = _find_layer(root, name)
    data = layer.findall("data")
    if len(data) != 1:
        raise ValueError(f"xml must give the layer one <data> element; got {len(data)}.")
    attributes: dict[str, Any] = dict(data[0].attrib)
    if unknown := sorted(attributes.keys() - ATTRIBUTES):  # a misspelt seed would otherwise read as 0
        raise ValueError(f"xml must hold no <data> attributes but {sorted(ATTRIBUTES)}; got {unknown}. Remove them.")
    if "output_type" not in attributes:
        raise ValueError('xml must give <data> an output_type; got none. Add one, such as output_type="f32".')
    for seed in {"global_seed", "op_seed"} & attributes.keys():
        digits = attributes[seed].strip()
        if not digits.removeprefix("-").isdecimal() or not digits.isascii() or len(digits) > 40:
            raise ValueError(f"xml must give {seed} as a decimal integer; got {format_value(attributes[seed])}.")
        attributes[seed] = int(digits)
    _check_ports(layer, attributes["output_type"])
    return attributes


def _find_layer(root: ElementTree.Element, name: Any) -> ElementTree.Element:
    layers = [layer for layer in root.iter("layer") if layer.get("type") == LAYER]
    if not layers:
        raise ValueError(f"xml must hold a <layer> of type {LAYER}; got none under <{root.tag}>.")
    found = [layer for layer in layers if name is None or layer.get("name") == name]
    if len(found) == 1:
        return found[0]
    names = ", ".join(repr(layer.get("name")) for layer in layers)
    if name is None:
        raise ValueError(f"name must be given for an IR with several layers of type {LAYER}; they are {names}.")
    raise ValueError(
        f"name must be that of exactly one <layer> of type {LAYER}, which are {names}; got {format_value(name)}. "
        "Pass the text of one layer alone if names are not unique."
    )


def _check_ports(layer: ElementTree.Element, output_type: str) -> None:
    """Check the precision of each port that names one: I32 or I64 for the shape, that of output_type for all others."""
    kind = type_name(output_type)
    for port in layer.iter("port"):
        number, given = port.get("id"), port.get("precision")
        if number == "0" and given is not None and type_name(given) not in ("i32", "i64"):
            raise ValueError(f"xml must give port 0, the shape, the precision I32 or I64; got {given}.")
        if number in ("1", "2", "3") and given is not None and kind in PRECISIONS and type_name(given) != kind:
            raise ValueError(
                f"xml must give port {number} the precision {PRECISIONS[kind]} of output_type {output_type}; "
                f"got {given}."
            )
