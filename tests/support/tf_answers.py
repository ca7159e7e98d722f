"""Comparisons of arrays with TensorFlow's recorded answers."""

import numpy as np
from numbers_at import dtype_of
from recorded import assert_recorded, numbers_of, to_int


def seed_of(case):
    """The recorded seed as an array of the recorded type."""
    return np.array([to_int(number) for number in case["seed"]], case.get("seed_dtype", "int32"))


def number_of(case, field):
    """A recorded bound or parameter: None, an int, or the real that its bits give."""
    if f"{field}_bits" in case:
        return numbers_of([case[f"{field}_bits"]], dtype_of(case["dtype"]))[0]
    return to_int(case[field])


def logits_of(case):
    return numbers_of(case["logits_f32_bits"], np.float32).reshape(case["logits_shape"])


def assert_answer(array, case):
    """The array has the recorded result, or exactly the recorded elements, shape and dtype."""
    if "result" in case:
        assert array.tolist() == to_int(case["result"])
    else:
        assert array.dtype == dtype_of(case["dtype"])
        assert_recorded(array, case)


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
