"""jit_compile=True gives TensorFlow's numbers under XLA, and the op of TensorFlow-DirectML its normals."""

import math

import numpy as np
import pytest
from recorded import each
from refusing import refused
from tf_answers import assert_answer

from dmlrand import advance_blocks, make_state, random_generator
from dmlrand.compat import tensorflow as tfr


@each("tf_xla")
def test_recorded_answers(case):
    """tensorflow 5"""
    seed = np.array(case["seed"])
    drawn = tfr.stateless_uniform(case["shape"], seed, case["minval"], case["maxval"], case["dtype"], jit_compile=True)
    assert_answer(drawn, case)


def test_a_generator_draws_the_same_words_under_xla():
    """tensorflow 5"""
    eager, xla = (tfr.Generator.from_state([2**32 - 300, 5, 9]) for _ in "ab")
    words = eager.uniform_full_int([5], "uint32")
    assert xla.uniform([5], jit_compile=True).tolist() == ((words >> 9) * np.float32(2**-23)).tolist()
    assert xla.state.tolist() == eager.state.tolist()
    words = eager.uniform_full_int([5], "uint64")
    assert xla.uniform([5], dtype="float64", jit_compile=True).tolist() == ((words >> 12) * 2.0**-52).tolist()
    integers = xla.uniform_full_int([5], jit_compile=True)
    assert integers.tolist() == eager.uniform_full_int([5]).tolist()


def test_other_samplers_are_refused():
    """tensorflow 5"""
    message = (
        "jit_compile must be False for normals: TensorFlow's numbers under XLA are imitated for uniform numbers and "
        "integers only; got True."
    )
    generator = tfr.Generator.from_seed(1)
    for call, *seed in (
        (tfr.stateless_normal, [1, 2]), (tfr.stateless_truncated_normal, [1, 2]), [generator.normal],
        [generator.truncated_normal],
    ):  # fmt: skip
        refused(ValueError, message, call, [2], *seed, jit_compile=True)


def test_reals_that_depend_on_the_size_are_refused():
    """tensorflow 5"""
    pytest.importorskip("ml_dtypes")
    for minval, dtype in ((-1.0, "float32"), ([0.0, 1.0], "float64"), (0, "bfloat16")):
        message = f"^dtype and minval under jit_compile=True must be float16, .*; got {dtype} and minval "
        with pytest.raises(ValueError, match=message):
            tfr.stateless_uniform([2], [1, 2], minval, 3, dtype, jit_compile=True)


def test_normals_of_directml():
    """tensorflow 42"""
    op = tfr.DirectMLRandomStandardNormal(seed=7, seed2=8)
    start = make_state(counter=8 << 64, key=7)
    assert op.state.tolist() == start.tolist()
    drawn = op([7])
    assert op.state.tolist() == advance_blocks(start, 7 * 256).tolist()
    words = random_generator(start, 8).values
    expected = []
    for first, second in words.reshape(4, 2).tolist():
        u, v = (np.float32((word & 0x7FFFFF) * 2.0**-23) for word in (first, second))
        r = np.sqrt(np.float32(-2) * np.float32(math.log(max(u, np.float32(1e-7)))))
        angle = float(np.float32(2 * math.pi) * v)
        expected += [np.float32(math.sin(angle)) * r, np.float32(math.cos(angle)) * r]
    assert np.allclose(drawn, expected[:7], rtol=1e-6, atol=0)  # a C library can differ in the last bit
    assert drawn.dtype == np.float32
