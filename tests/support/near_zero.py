"""The exponent of the least normal number of a type, where processors that flush numbers differ from IEEE 754."""

LEAST_EXPONENT = {"float32": -126, "bfloat16": -126, "float64": -1022, "float16": -14}
