"""Comparisons of arrays with TensorFlow's recorded answers."""

import numpy as np
import pytest
from numbers_at import dtype_of as numpy_dtype
from recorded import digest, has_all_elements, to_int

NAMES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}


def dtype_of(case, field="dtype"):
    """The recorded type, under numpy's name. Cases of bfloat16 are skipped without ml_dtypes."""
    name = NAMES.get(case[field], case[field])
    if name == "bfloat16":
        pytest.importorskip("ml_dtypes")
    return name


def seed_of(case):
    """The recorded seed as an array of the recorded type."""
    return np.array([to_int(number) for number in case["seed"]], case.get("seed_dtype", "int32"))


def number_of(case, field):
    """A recorded bound or parameter: None, an int, or the real that its bits give."""
    value = case[field]
    if f"{field}_bits" not in case:
        return value if value is None or isinstance(value, float) else to_int(value)
    bits = np.array([to_int(case[f"{field}_bits"])], f"uint{8 * itemsize(case)}")
    return bits.view(numpy_dtype(dtype_of(case)))[0]


def itemsize(case):
    return {"float16": 2, "bfloat16": 2, "float64": 8, "int64": 8, "uint64": 8}.get(dtype_of(case), 4)


def bits_of(array):
    return array.view(f"uint{8 * array.dtype.itemsize}")


def assert_answer(array, case, dtype):
    """The array has exactly the recorded elements, the recorded shape and the dtype."""
    assert array.dtype == numpy_dtype(dtype)
    if "shape" in case:
        assert list(array.shape) == case["shape"]
    if has_all_elements(case):
        assert bits_of(np.ravel(array)).tolist() == [to_int(bits) for bits in case["bits"]]
    else:
        assert digest(array) == case["sha256_le"]


def recorded_reals(case, kind):
    """The recorded elements, flat."""
    return np.array([to_int(bits) for bits in case["bits"]], f"uint{8 * kind.itemsize}").view(kind)


# How close our normals must be

def assert_near(ours, theirs, mean=0.0, stddev=1.0):
    """Check the distance of normals: 4 ulp of the standard normal, and two roundings where they are scaled.

    In a type of 16 bits all but a few are equal: float32 normals that are 4 ulp apart can round to different sides.
    """
    kind, ours, theirs = ours.dtype, ours.ravel(), theirs.ravel()
    distance = np.abs(ours.astype(np.longdouble) - theirs.astype(np.longdouble))
    if kind.itemsize == 2:
        assert np.count_nonzero(distance) <= 3 + ours.size // 5000
    stddev = abs(float(kind.type(stddev)))
    standard = np.abs((theirs - kind.type(mean)) / kind.type(stddev or 1))
    near_zero = kind.type(1e-15 if kind.itemsize == 8 else 5.8e-7)
    allowed = np.where(standard > 1e-3, 4 * np.spacing(standard), near_zero).astype(np.longdouble) * stddev
    if (mean, stddev) != (0, 1):
        allowed += np.spacing(standard * kind.type(stddev)) + np.spacing(np.abs(theirs))
    worst = np.max(distance - allowed, initial=-1)
    assert worst <= 0, (worst, distance.argmax())
