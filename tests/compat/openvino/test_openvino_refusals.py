"""Every refused input of OpenVINO's RandomUniform, with the wording of its error. No refused call moves the state."""

import builtins
import re
from fractions import Fraction

import numpy as np
import pytest

from dmlrand.compat.openvino import RandomUniform


def plugin(output_type, alignment="tensorflow"):
    return RandomUniform(output_type, 1, 2, alignment, "cpu_plugin")


def refuses(call, error, words):
    with pytest.raises(error, match=f"^{re.escape(words)}$"):
        call()


# Arguments of the node


@pytest.mark.parametrize(
    "arguments, error, words",
    [
        (
            ["u8"],
            ValueError,
            "output_type must be 'i32', 'i64', 'f16', 'bf16', 'f32' or 'f64'; got 'u8'.",
        ),
        (
            [np.float32],
            ValueError,
            "output_type must be 'i32', 'i64', 'f16', 'bf16', 'f32' or 'f64'; got <class 'numpy.float32'>.",
        ),
        (["f32", -1], ValueError, "global_seed must be in [0, 2**63); got -1."),
        (["f32", 2**63], ValueError, "global_seed must be in [0, 2**63); got 9223372036854775808."),
        (["f32", 1.0], TypeError, "global_seed must be an integer; got 1.0 of type float. Pass an int."),
        (["f32", True], TypeError, "global_seed must be an integer; got True of type bool. Pass an int."),
        (["f32", 0, -1], ValueError, "op_seed must be in [0, 2**63); got -1."),
        (["f32", 0, 2**63], ValueError, "op_seed must be in [0, 2**63); got 9223372036854775808."),
        (["f32", 0, "7"], TypeError, "op_seed must be an integer; got '7' of type str. Pass an int."),
        (["f32", 1, 2, "jax"], ValueError, "alignment must be 'tensorflow' or 'pytorch'; got 'jax'."),
        (["f32", 1, 2, None], ValueError, "alignment must be 'tensorflow' or 'pytorch'; got None."),
        (
            ["f32", 1, 2, "pytorch", "GPU"],
            ValueError,
            "implementation must be 'reference' or 'cpu_plugin'; got 'GPU'.",
        ),
    ],
)
def test_the_node_refuses(arguments, error, words):
    """openvino 2.1, 2.2"""
    refuses(lambda: RandomUniform(*arguments), error, words)


def test_the_largest_seeds_are_accepted():
    """openvino 2.2"""
    top = 2**63 - 1
    assert RandomUniform("f32", top, top).state.tolist() == [0, 0, 2**32 - 1, 2**31 - 1, 2**32 - 1, 2**31 - 1]


def test_bfloat16_names_its_package(monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name == "ml_dtypes":
            raise ModuleNotFoundError(name="ml_dtypes")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="pip install ml_dtypes"):
        RandomUniform("bf16", 1)


# Arguments of a call

F32 = RandomUniform("f32", 1, 2)
F16, F64, I32, I64 = (RandomUniform(kind, 1, 2) for kind in ("f16", "f64", "i32", "i64"))


@pytest.mark.parametrize(
    "op, arguments, error, words",
    [
        (
            F32,
            [5, 0.0, 1.0],
            TypeError,
            "shape must be an int32 or int64 array of rank 1, or a list or tuple of ints; got 5 of type int. "
            "Pass [5] for one axis.",
        ),
        (
            F32,
            [np.array([2.0]), 0.0, 1.0],
            TypeError,
            "shape must hold int32 or int64; got float64. Convert it: shape.astype('int64').",
        ),
        (
            F32,
            [np.array([2], np.uint64), 0.0, 1.0],
            TypeError,
            "shape must hold int32 or int64; got uint64. Convert it: shape.astype('int64').",
        ),
        (
            F32,
            [np.array([[2, 3]]), 0.0, 1.0],
            ValueError,
            "shape must have rank 1, one element for each axis; got an array of shape (1, 2).",
        ),
        (F32, [[-1], 0.0, 1.0], ValueError, "shape[0] must be at least 0; got -1."),
        (F32, [[2.0], 0.0, 1.0], TypeError, "shape[0] must be an integer; got 2.0 of type float. Pass an int."),
        (
            plugin("f32"),
            [[], 0.0, 1.0],
            ValueError,
            "shape must have at least one size, because OpenVINO's CPU plugin returns uninitialized memory for rank 0; "
            "got none. Pass [1].",
        ),
        (F32, [[1] * 33, 0.0, 1.0], ValueError, "shape must have at most 32 sizes; got 33. Merge axes."),
        (
            F64,
            [[2**60], 0.0, 1.0],
            ValueError,
            "shape must describe fewer than 2**63 bytes; got (1152921504606846976,) with 8 bytes an element. "
            "random_window gives any window of a larger tensor.",
        ),
        (
            F32,
            [[2], 2.0, 1.0],
            ValueError,
            "minval must be below maxval in float32; got minval 2.0 and maxval 1.0.",
        ),
        (I32, [[2], 5, 5], ValueError, "minval must be below maxval in int32; got minval 5 and maxval 5."),
        (
            F32,
            [[2], 1.0, 1 + 1e-12],
            ValueError,
            "minval must be below maxval in float32; got minval 1.0 and maxval 1.000000000001.",
        ),
        (
            F32,
            [[2], float("nan"), 1.0],
            ValueError,
            "minval must be finite as a float32; got nan. Pass a finite number.",
        ),
        (
            F32,
            [[2], 0.0, float("inf")],
            ValueError,
            "maxval must be finite as a float32; got inf. Pass a finite number.",
        ),
        (
            F32,
            [[2], 0.0, 1e39],
            ValueError,
            "maxval must be finite as a float32; got 1e+39. Pass a smaller number, or a wider dtype.",
        ),
        (
            F16,
            [[2], 0.0, 70000.0],
            ValueError,
            "maxval must be finite as a float16; got 70000.0. Pass a smaller number, or a wider dtype.",
        ),
        (
            F32,
            [[2], 0, 2**24 + 1],
            ValueError,
            "maxval must be representable in float32; got the int 16777217. Pass a float to round it.",
        ),
        (
            F64,
            [[2], 0, 10**400],
            ValueError,
            "maxval must be finite as a float64; got an int of 1329 bits. It is beyond float64: pass a smaller number.",
        ),
        (I32, [[2], 0, 2**31], ValueError, "maxval must be in [-2**31, 2**31); got 2147483648."),
        (
            I64,
            [[2], -(2**63) - 1, 0],
            ValueError,
            "minval must be in [-2**63, 2**63); got -9223372036854775809.",
        ),
        (I32, [[2], 0.0, 5], TypeError, "minval must be an integer; got 0.0 of type float. Pass an int."),
        (
            F32,
            [[2], "0", 1.0],
            TypeError,
            "minval must be a real number; got '0' of type str. Pass a float.",
        ),
        (
            F32,
            [[2], [0.0], 1.0],
            TypeError,
            "minval must be a real number; got [0.0] of type list. Pass a float.",
        ),
        (
            F32,
            [[2], False, 1.0],
            TypeError,
            "minval must be a real number; got False of type bool. Pass a float.",
        ),
        (
            F32,
            [[2], 0.0, np.float64(1)],
            TypeError,
            "maxval must be of the output type, float32; got float64. Convert it: maxval.astype('float32').",
        ),
        (
            I64,
            [[2], np.int32(0), 1],
            TypeError,
            "minval must be of the output type, int64; got int32. Convert it: minval.astype('int64').",
        ),
        (
            F32,
            [[2], np.zeros(2, np.float32), 1.0],
            ValueError,
            "minval must be a scalar or a 1D tensor of 1 element; got shape (2,). All elements share one range.",
        ),
        (
            F32,
            [[2], np.zeros((1, 1), np.float32), 1.0],
            ValueError,
            "minval must be a scalar or a 1D tensor of 1 element; got shape (1, 1). All elements share one range.",
        ),
        (
            F32,
            [[2], -3e38, 3e38],
            ValueError,
            "maxval - minval must be finite in float32; got minval -3e+38 and maxval 3e+38. "
            "Every output would be infinite or NaN: narrow the range.",
        ),
        (
            F16,
            [[2], -6e4, 6e4],
            ValueError,
            "maxval - minval must be finite in float16; got minval -60000.0 and maxval 60000.0. "
            "Every output would be infinite or NaN: narrow the range.",
        ),
        (
            plugin("f64"),
            [[2], 0.0, 1e300],
            ValueError,
            "minval and maxval must be finite and differ in float32, in which the CPU plugin computes float64; "
            'got 0.0 and 1e+300. The "reference" implementation accepts them.',
        ),
        (
            plugin("f64"),
            [[2], 1.0, 1 + 1e-12],
            ValueError,
            "minval and maxval must be finite and differ in float32, in which the CPU plugin computes float64; "
            'got 1.0 and 1.000000000001. The "reference" implementation accepts them.',
        ),
        (
            plugin("i64", "pytorch"),
            [[2], 2**40, 2**41],
            ValueError,
            "minval and maxval must differ after clamping to int32, in which the CPU plugin computes int64; "
            'got 1099511627776 and 2199023255552. The "reference" implementation accepts them.',
        ),
    ],
)
def test_a_call_refuses(op, arguments, error, words):
    """openvino 2.4, 2.5, 2.6, 2.8, 4.3, 4.7"""
    before = op.state.tolist()
    refuses(lambda: op(*arguments), error, words)
    assert op.state.tolist() == before


def test_an_output_that_does_not_fit_leaves_the_state():
    """openvino 2.8"""
    for op in (RandomUniform("f32", 1), plugin("f32"), plugin("f32", "pytorch")):
        before = op.state.tolist()
        with pytest.raises(MemoryError):
            op([2**60], 0.0, 1.0)
        assert op.state.tolist() == before


@pytest.mark.parametrize(
    "state, error, words",
    [
        ([1, 2, 3], ValueError, "state must hold 6 uint32 words (4 of counter, 2 of key)"),
        (np.zeros(6), TypeError, "state must hold uint32 words; got float64"),
        ([1, 2, 3, 4, 5, 2**32], ValueError, "state[5] must be in [0, 2**32); got 4294967296."),
    ],
)
def test_the_state_refuses(state, error, words):
    op = RandomUniform("f32", 1)
    before = op.state.tolist()
    with pytest.raises(error, match=f"^{re.escape(words)}"):
        op.state = state
    assert op.state.tolist() == before


@pytest.mark.parametrize("implementation", ["reference", "cpu_plugin"])
def test_bounds_of_every_allowed_form(implementation):
    """openvino 2.5"""

    def values(low, high):
        return RandomUniform("f32", 1, 2, implementation=implementation)([4], low, high).tolist()

    expected = values(0.0, 1.0)
    assert values(0, 1) == values(np.zeros((), np.float32), 1) == expected
    assert values(np.float32(0), np.ones(1, np.float32)) == expected
    assert values(0.1, 0.7) == values(np.float32(0.1), np.float32(0.7)) == values(Fraction(1, 10), 0.7)


def test_bounds_closer_than_openvino_compares_them():
    """openvino 2.9: openvino 2026.4.1 returned these for bounds that are inputs of the model"""
    values = RandomUniform("f64", 1, 2)([4], 1.0, 1 + 1e-12)
    expected = ["0x1.000000000046bp+0", "0x1.00000000007ccp+0", "0x1.000000000053bp+0", "0x1.0000000000489p+0"]
    assert [float(value).hex() for value in values] == expected
    assert RandomUniform("i64", 1, 2)([4], 2**53, 2**53 + 1).tolist() == [2**53] * 4
