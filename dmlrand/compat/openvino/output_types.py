"""The types that RandomUniform draws, and the names that OpenVINO's page and its IR give them."""

from __future__ import annotations

from typing import Any

from ...arrays.arguments import check_choice

OUTPUT_TYPES = {  # OpenVINO's names and NumPy's
    "i32": "int32",
    "i64": "int64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
}
PRECISIONS = {"i32": "I32", "i64": "I64", "f16": "FP16", "bf16": "BF16", "f32": "FP32", "f64": "FP64"}  # of IR's ports

# Every accepted spelling in lower case. "double" is the page's name for f64 in its second example.
_NAMES = {name: name for name in OUTPUT_TYPES} | {"fp16": "f16", "fp32": "f32", "fp64": "f64", "double": "f64"}


def type_name(given: Any) -> Any:
    """The key of OUTPUT_TYPES that `given` means, in upper or lower case; `given` itself if it means none."""
    return _NAMES.get(given.lower(), given) if isinstance(given, str) else given


def check_output_type(given: Any) -> str:
    """`given` as a key of OUTPUT_TYPES."""
    return check_choice(type_name(given), "output_type", OUTPUT_TYPES)
