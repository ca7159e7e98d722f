"""Reader of OpenVINO's IR: the attributes of one RandomUniform layer."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

LAYER = "RandomUniform"
ATTRIBUTES = {"output_type", "global_seed", "op_seed", "alignment"}
PRECISIONS = {"i32": "I32", "i64": "I64", "f16": "FP16", "bf16": "BF16", "f32": "FP32", "f64": "FP64"}
SHAPE_PORT = "0"
SHAPE_PRECISIONS = ("I32", "I64")
NUMBER_PORTS = ("1", "2", "3")  # minval, maxval, output


def read_layer(xml: Any) -> dict[str, Any]:
    """The attributes output_type, global_seed, op_seed and alignment of the RandomUniform layer in `xml`.

    Attributes that are absent from the layer are absent from the result. Seeds are ints. Values are not checked here.
    Raises TypeError or ValueError if `xml` is not such a text.
    """
    if not isinstance(xml, (str, bytes)):
        raise TypeError(
            f"xml must be the text of an IR, str or bytes; got {type(xml).__name__}. Read a file with read_text()."
        )
    # The example in OpenVINO's specification has `<layer ... name=`, which is not XML.
    text = xml.replace("<layer ... ", "<layer ") if isinstance(xml, str) else xml
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise ValueError(f"xml must be well-formed XML; {error}. Pass the text, not a path.") from None
    layers = [layer for layer in root.iter("layer") if layer.get("type") == LAYER]
    if len(layers) != 1:
        names = ", ".join(repr(layer.get("name")) for layer in layers)
        raise ValueError(
            f"xml must hold exactly one <layer> of type {LAYER}; got {len(layers)}"
            f"{f': {names}. Pass the text of one layer alone.' if layers else f' under <{root.tag}>.'}"
        )
    return _attributes(layers[0])


def _attributes(layer: ElementTree.Element) -> dict[str, Any]:
    data = layer.findall("data")
    if len(data) != 1:
        raise ValueError(f"xml must give the layer one <data> element; got {len(data)}.")
    attributes: dict[str, Any] = dict(data[0].attrib)
    unknown = sorted(attributes.keys() - ATTRIBUTES)
    if unknown:
        # A misspelt seed would otherwise read as 0.
        raise ValueError(f"xml must hold no <data> attributes but {sorted(ATTRIBUTES)}; got {unknown}. Remove them.")
    if "output_type" not in attributes:
        raise ValueError('xml must give <data> an output_type; got none. Add one, such as output_type="f32".')
    for name in ("global_seed", "op_seed"):
        if name in attributes:
            attributes[name] = _seed(name, attributes[name])
    _check_ports(layer, attributes["output_type"])
    return attributes


def _seed(name: str, text: str) -> int:
    digits = text.strip()
    if not digits.removeprefix("-").isdecimal() or not digits.isascii() or len(digits) > 40:
        raise ValueError(f"xml must give {name} as a decimal integer; got {text!r}.")
    return int(digits)


def _check_ports(layer: ElementTree.Element, output_type: str) -> None:
    """Check the precision of each port that names one: I32 or I64 for the shape, that of output_type for all others."""
    for port in layer.iter("port"):
        number, given, wanted = port.get("id"), port.get("precision"), PRECISIONS.get(output_type)
        if number == SHAPE_PORT and given is not None and given not in SHAPE_PRECISIONS:
            raise ValueError(f"xml must give port 0, the shape, the precision I32 or I64; got {given}.")
        if number in NUMBER_PORTS and given is not None and wanted is not None and given != wanted:
            raise ValueError(
                f"xml must give port {number} the precision {wanted} of output_type {output_type}; got {given}."
            )
