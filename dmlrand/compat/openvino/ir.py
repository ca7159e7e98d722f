"""Reader of OpenVINO's IR: the attributes of one RandomUniform layer."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

from ...messages import format_value
from .arguments import PRECISIONS, type_name

LAYER = "RandomUniform"
ATTRIBUTES = {"output_type", "global_seed", "op_seed", "alignment"}
SHAPE_PORT = "0"
SHAPE_TYPES = ("i32", "i64")
NUMBER_PORTS = ("1", "2", "3")  # minval, maxval, output


def read_layer(xml: Any, name: Any) -> dict[str, Any]:
    """The attributes output_type, global_seed, op_seed and alignment of the RandomUniform layer in `xml`.

    `name` selects a layer by its name; None selects the only one. Attributes that are absent from the layer are absent
    from the result. Seeds are ints. Values are not checked here.
    """
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
    layers = [layer for layer in root.iter("layer") if layer.get("type") == LAYER]
    if not layers:
        raise ValueError(f"xml must hold a <layer> of type {LAYER}; got none under <{root.tag}>.")
    found = [layer for layer in layers if name is None or layer.get("name") == name]
    if len(found) != 1:
        names = ", ".join(repr(layer.get("name")) for layer in layers)
        if name is None:
            raise ValueError(f"name must be given for an IR with several layers of type {LAYER}; they are {names}.")
        raise ValueError(
            f"name must be that of exactly one <layer> of type {LAYER}, which are {names}; got {format_value(name)}. "
            "Pass the text of one layer alone if names are not unique."
        )
    data = found[0].findall("data")
    if len(data) != 1:
        raise ValueError(f"xml must give the layer one <data> element; got {len(data)}.")
    attributes: dict[str, Any] = dict(data[0].attrib)
    unknown = sorted(attributes.keys() - ATTRIBUTES)
    if unknown:
        # A misspelt seed would otherwise read as 0.
        raise ValueError(f"xml must hold no <data> attributes but {sorted(ATTRIBUTES)}; got {unknown}. Remove them.")
    if "output_type" not in attributes:
        raise ValueError('xml must give <data> an output_type; got none. Add one, such as output_type="f32".')
    for seed in [seed for seed in ("global_seed", "op_seed") if seed in attributes]:
        digits = attributes[seed].strip()
        if not digits.removeprefix("-").isdecimal() or not digits.isascii() or len(digits) > 40:
            raise ValueError(f"xml must give {seed} as a decimal integer; got {format_value(attributes[seed])}.")
        attributes[seed] = int(digits)
    _check_ports(found[0], attributes["output_type"])
    return attributes


def _check_ports(layer: ElementTree.Element, output_type: str) -> None:
    """Check the precision of each port that names one: I32 or I64 for the shape, that of output_type for all others."""
    kind = type_name(output_type)
    for port in layer.iter("port"):
        number, given = port.get("id"), port.get("precision")
        if number == SHAPE_PORT and given is not None and type_name(given) not in SHAPE_TYPES:
            raise ValueError(f"xml must give port 0, the shape, the precision I32 or I64; got {given}.")
        if number in NUMBER_PORTS and given is not None and kind in PRECISIONS and type_name(given) != kind:
            raise ValueError(
                f"xml must give port {number} the precision {PRECISIONS[kind]} of output_type {output_type}; "
                f"got {given}."
            )
