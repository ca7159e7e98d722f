"""compat.jax and compat.tensorflow read each spelling of a dtype as the recorded and the installed originals do."""

import builtins

import numpy as np
import pytest
from recorded import assert_bits, each

from dmlrand.compat import jax, tensorflow as tfr, tfp

KEY = np.array([7, 9], np.uint32)
OURS = {
    "uniform": lambda kind, x64: jax.uniform(KEY, 3, kind, x64=x64),
    "randint": lambda kind, x64: jax.randint(KEY, 3, 0, 1000, kind, x64=x64),
    "bits": lambda kind, x64: jax.bits(KEY, 3, kind, x64=x64),
}
OURS_OF_TENSORFLOW = {
    "uniform": lambda kind: tfr.stateless_uniform([3], [1, 2], 0, 1000, kind),
    "full": lambda kind: tfr.stateless_uniform([3], [1, 2], None, None, kind),
    "normal": lambda kind: tfr.stateless_normal([3], [1, 2], dtype=kind),
}


def read(spelling):
    return eval(spelling, {"np": np, **vars(builtins)})


def skip_int_of_32_bits(kind):
    """numpy's default int has the bits of a pointer: 64 where the answers were recorded."""
    if kind in ("int", "uint", "intp", np.intp) and np.dtype(np.intp).itemsize != 8:
        pytest.skip("numpy's default int has 32 bits here")


@each("jax_dtypes")
def test_jax(case):
    """jax 21"""
    draw, kind = OURS[case["op"]], read(case["spelling"])
    skip_int_of_32_bits(kind)
    if isinstance(kind, str) and kind in ("l", "L") and np.dtype("l").itemsize != 8:
        pytest.skip("the long of C has 32 bits here, and had 64 where the answers were recorded")
    if "bfloat16" in case["spelling"]:
        pytest.importorskip("ml_dtypes", reason="bfloat16 needs ml_dtypes")
    if "refused" in case:
        with pytest.raises(TypeError, match="dtype"):
            draw(kind, case["x64"])
    elif case["cut"]:
        with pytest.raises(TypeError, match=r"needs x64=True; got .*Pass x64=True, or dtype="):
            draw(kind, case["x64"])
    else:
        values = draw(kind, case["x64"])
        assert values.dtype.name == case["dtype"]
        assert_bits(values, case["bits"])


# Accepted by TensorFlow and refused by dmlrand: without a dtype TensorFlow uses the type of the mean.
REFUSED = [("normal", "None")]


@each("tf_dtypes")
def test_tensorflow(case):
    """tensorflow 31"""
    draw, kind = OURS_OF_TENSORFLOW[case["op"]], read(case["spelling"])
    skip_int_of_32_bits(kind)
    if "bfloat16" in case["spelling"]:
        pytest.importorskip("ml_dtypes", reason="bfloat16 needs ml_dtypes")
    if "refused" in case or (case["op"], case["spelling"]) in REFUSED:
        with pytest.raises((TypeError, ValueError), match="dtype must be|minval|maxval"):
            draw(kind)
        return
    values = draw(kind)
    assert values.dtype.name == case["dtype"]
    if case["op"] != "normal":  # the last bits of normals depend on a C library
        assert_bits(values, case["bits"])
    if case["op"] == "uniform":
        assert_bits(tfp.uniform([3], 0, 1000, kind, (1, 2)), case["bits"])
        assert tfr.Generator.from_seed(1).uniform([3], 0, 1000, kind).dtype.name == case["dtype"]
        assert tfr.uniform([3], 0, 1000, kind).dtype.name == case["dtype"]
    if case["op"] == "full":
        assert tfr.Generator.from_seed(1).uniform_full_int([3], kind).dtype.name == case["dtype"]
    if case["op"] == "normal":
        assert tfr.RandomUniform(kind, 1, 2).dtype.name == case["dtype"]
        assert tfp.normal([3], dtype=kind, seed=(1, 2)).dtype.name == case["dtype"]


def test_a_dtype_of_tensorflow_itself_is_read_as_its_numpy_type():
    """tensorflow 31"""

    class DType:
        as_numpy_dtype = np.float64

    assert tfr.stateless_uniform([1], [1, 2], dtype=DType()).dtype == np.float64


def test_rng_bit_generator_has_64_bits_with_x64_only():
    """jax 21"""
    key = np.zeros(4, np.uint32)
    with pytest.raises(
        TypeError, match="dtype uint64 needs x64=True; got 'uint64' without it, where JAX warns and draws uint32"
    ):
        jax.rng_bit_generator(key, 3, "uint64")
    assert jax.rng_bit_generator(key, 3, "uint64", x64=True)[1].dtype == np.uint64
    assert jax.rng_bit_generator(key.view(np.uint64), 3, None, x64=True)[1].dtype == np.uint32
