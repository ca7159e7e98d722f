"""The types of numbers that can be drawn, and the checks of real parameters, which become numbers of such a type."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .arguments import format_choices
from .imports import extra_needed
from .interchange import package_of, type_name
from .messages import format_value

Array = NDArray[Any]
Scalar = TypeVar("Scalar", bound=np.generic)
if TYPE_CHECKING:  # mypy knows the module, which need not be installed
    from typing_extensions import TypeVar as TypeVarWithDefault

    Real = TypeVarWithDefault("Real", bound=np.generic, default=np.float32)
    Integer = TypeVarWithDefault("Integer", bound=np.generic, default=np.int32)
else:
    Real = Integer = Scalar
DTypeOf = type[Scalar] | np.dtype[Scalar]  # the dtypes that tell a type checker the type of the values

FLOATS = ("float16", "float32", "float64", "bfloat16")
INTEGERS = ("int32", "int64", "uint32", "uint64")
ML_DTYPES = ("bfloat16", "int4", "uint4", "int2", "uint2")  # that the package ml_dtypes adds to numpy

_NOT_REAL = (bool, complex, str, bytes)  # types without a dtype whose values are not real numbers
_REAL_TYPES = ("float", "bfloat", "int", "uint", "longdouble")  # how the names of the real types begin, of any package


def check_dtype(dtype: Any, names: tuple[str, ...], remedy: str = "") -> np.dtype[Any]:
    """`dtype`, of numpy or PyTorch, as a dtype of numpy: one of those named, in native byte order.

    The error ends with the remedy, if there is one.
    """
    named = type_name(dtype) if package_of(dtype) == "torch" else dtype
    if isinstance(named, str) and named in ML_DTYPES and named in names:
        with extra_needed(f"dtype {named} needs", "ml_dtypes", "bfloat16"):
            import ml_dtypes
        named = getattr(ml_dtypes, named)
    kind: np.dtype[Any] | None = None
    if named is not None:  # numpy reads None as float64
        try:
            kind = np.dtype(named)
        except TypeError:
            pass
    if kind is None or type_name(kind) not in names or not kind.isnative:
        raise TypeError(
            f"dtype must be {format_choices(names)}, in native byte order; got {format_value(dtype)}."
            f"{remedy and ' ' + remedy}"
        )
    return kind


def words_per_number(kind: np.dtype[Any]) -> int:
    """How many words make one number of the type."""
    return 2 if kind.itemsize == 8 else 1


def check_real(value: Any, name: str, kind: np.dtype[Any]) -> Any:
    """`value` as a scalar of the type, rounded as numpy casts a float64.

    TypeError if it is not a real number, ValueError if it is not finite, before or after rounding.
    """
    if type(value) not in (float, int) and not _is_real(value):
        raise TypeError(
            f"{name} must be a real number; got {format_value(value)} of type {type(value).__name__}. Pass a float."
        )
    try:
        number = float(value)
    except OverflowError:  # an int beyond float64
        number = math.inf
    rounded = round_real(number, kind)
    if not math.isfinite(rounded):
        raise not_finite(name, kind, value)
    return rounded


def _is_real(value: Any) -> bool:
    """Whether a value is a real number, or a scalar or an array of rank 0 that holds one, of any package."""
    if hasattr(value, "dtype"):
        return not getattr(value, "ndim", 0) and type_name(value.dtype).startswith(_REAL_TYPES)
    return not isinstance(value, _NOT_REAL) and (hasattr(value, "__float__") or hasattr(value, "__index__"))


def round_real(number: float, kind: np.dtype[Any]) -> Any:
    """`number` as a scalar of the type, which may be infinite."""
    if number == 0 or 2.0**-14 < abs(number) < 2.0**15:  # Fast path: no type rounds these to 0 or inf.
        return kind.type(number)
    with np.errstate(all="ignore"):  # the caller's settings must not turn rounding into an error
        return kind.type(number)


def not_finite(name: str, kind: np.dtype[Any], given: Any) -> ValueError:
    return ValueError(
        f"{name} must be finite as a {kind}; got {format_value(given)}. Pass a finite number that the type can hold."
    )
