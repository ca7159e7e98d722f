"""Comparisons of arrays with TensorFlow's recorded answers, and normals computed by the C library, as in TensorFlow."""

import ctypes
import ctypes.util
import math

import numpy as np
import oracle
from numbers_at import dtype_of as numpy_dtype
from recorded import digest, has_all_elements, to_int

NAMES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
SCRAMBLING_KEY = 0x02461E293EC8F720


def dtype_of(case, field="dtype"):
    """The recorded type, under numpy's name."""
    return NAMES.get(case[field], case[field])


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


# TensorFlow's own normals, from its formulas and the C library of this machine


def key_counter(seed):
    """Key and 128-bit counter of a seed pair."""
    first, second = (int(number) % 2**64 for number in seed)
    b = oracle.block(first + 2**64 * second, SCRAMBLING_KEY)
    return b[0] + 2**32 * b[1], (b[2] + 2**32 * b[3]) << 64


def _libm():
    library = ctypes.CDLL(ctypes.util.find_library("m") or "ucrtbase")  # of Windows
    for name in ("logf", "sinf", "cosf"):
        function = getattr(library, name)
        function.argtypes, function.restype = [ctypes.c_float], ctypes.c_float
    return library


LIBM = _libm()


def box_muller_f32(words):
    def unit(word):
        return np.uint32(0x3F800000 | word & 0x7FFFFF).view(np.float32) - np.float32(1)

    out = []
    for even, odd in zip(words[0::2], words[1::2]):
        u = max(unit(even), np.float32(1e-7))
        v = np.float32(2 * math.pi * float(unit(odd)))
        r = np.sqrt(np.float32(-2) * np.float32(LIBM.logf(float(u))))
        out += [np.float32(LIBM.sinf(float(v))) * r, np.float32(LIBM.cosf(float(v))) * r]
    return np.array(out, np.float32)


def box_muller_f64(words):
    def unit(high, low):
        return float(np.uint64(1023 << 52 | (high & 0xFFFFF) << 32 | low).view(np.float64)) - 1

    out = []
    for a, b, c, d in zip(words[0::4], words[1::4], words[2::4], words[3::4]):
        r = math.sqrt(-2 * math.log(max(unit(a, b), 1e-7)))
        v = 2 * math.pi * unit(c, d)
        out += [math.sin(v) * r, math.cos(v) * r]
    return np.array(out)


def libm_normals(seed, n, dtype):
    """n standard normals before they are rounded to the type: float64 for float64, else float32."""
    key, counter = key_counter(seed)
    if dtype == "float64":
        return box_muller_f64(oracle.words(counter, key, 0, n * 2 + 4))[:n]
    return box_muller_f32(oracle.words(counter, key, 0, n + 4 & ~3))[:n]


def libm_truncated_normals(seed, n, dtype):
    key, counter = key_counter(seed)
    size = 2 if dtype == "float64" else 4
    box_muller = box_muller_f64 if dtype == "float64" else box_muller_f32
    out = []
    for group in range(-(-n // size)):
        words, found = 8, np.array([])
        while len(found) < size:
            drawn = box_muller(oracle.words(counter + 64 * size * group, key, 0, words))
            found, words = drawn[abs(drawn) < 2], 2 * words
        out.append(found[:size])
    return np.concatenate([np.array([]), *out])[:n].astype("float64" if dtype == "float64" else "float32")


def scaled(standard, kind, mean, stddev):
    """standard * stddev + mean in the type, each operation rounded."""
    return np.asarray(standard).astype(kind) * kind.type(stddev) + kind.type(mean)


def recorded_reals(case, kind):
    """The recorded elements, flat."""
    return np.array([to_int(bits) for bits in case["bits"]], f"uint{8 * kind.itemsize}").view(kind)


# How close our normals must be

NEAR_ZERO = {"float32": 5.8e-7, "float64": 1e-15}


def assert_near(ours, theirs, standard, stddev=1.0):
    """Check that the distance is at most 4 ulp of the standard normal, or NEAR_ZERO, plus two roundings by scaling."""
    name = ours.dtype.name
    kind = ours.dtype.type
    distance = np.abs(ours.astype(np.longdouble) - theirs.astype(np.longdouble)).ravel()
    standard = np.abs(np.ravel(standard)).astype(kind)
    allowed = np.where(standard > 1e-3, 4 * np.spacing(standard), kind(NEAR_ZERO[name])).astype(np.longdouble)
    allowed *= abs(float(stddev))
    if not np.array_equal(np.abs(theirs).ravel(), standard):
        scaled_ulp = np.spacing(np.abs(standard * kind(stddev))) + np.spacing(np.abs(theirs).ravel().astype(kind))
        allowed += scaled_ulp
    worst = np.max(distance - allowed, initial=-1)
    assert worst <= 0, (worst, distance.argmax())


def assert_equal_but_for_ties(ours, theirs, standard, mean=0.0, stddev=1.0):
    """Check equality in a 16-bit type, except where float32 normals that are 4 ulp apart can round to different sides.

    Every step after the float32 normal is monotonic, so the ends of an interval of normals bound our result.
    """
    kind, standard = ours.dtype, np.ravel(standard)
    slack = np.maximum(4 * np.spacing(np.abs(standard)), np.float32(NEAR_ZERO["float32"]))
    ends = np.stack([scaled(standard + side * slack, kind, mean, stddev) for side in (-1, 1)]).astype(np.float32)
    flat = ours.ravel().astype(np.float32)
    assert (ends.min(axis=0) <= flat).all() and (flat <= ends.max(axis=0)).all()
    differing = np.count_nonzero(flat != theirs.ravel().astype(np.float32))
    assert differing <= 3 + ours.size // 5000, differing
