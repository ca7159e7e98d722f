"""The installed TensorFlow, TFP and OpenVINO with bounds near zero, where they flush. Run with pytest -m peers."""

import os

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from near_zero import near_zero, ordered, without_minus_zero
from numbers_at import dtype_of

from dmlrand.compat import tensorflow as our_tensorflow
from dmlrand.compat.openvino import ALIGNMENTS, RandomUniform
from dmlrand.compat.subnormals import affine

pytestmark = pytest.mark.peers
LIVE = settings(max_examples=40)
TYPES = ["float16", "bfloat16", "float32", "float64"]
seeds = st.tuples(*[st.integers(-(1 << 31), (1 << 31) - 1)] * 2).map(list)


def same(ours, theirs):
    theirs = np.asarray(theirs)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    word = f"u{ours.dtype.itemsize}"
    assert ours.ravel().view(word).tolist() == theirs.ravel().view(word).tolist()


# TensorFlow and TFP


@pytest.fixture(scope="module")
def tf():
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    return pytest.importorskip("tensorflow", reason="tensorflow is not installed")


sizes = st.sampled_from([0, 1, 17, 4000, 70_000])


@pytest.mark.parametrize("name", TYPES)
def test_tensorflow_uniform(tf, name):
    """tensorflow 30"""

    @LIVE
    @given(seed=seeds, size=sizes, bounds=without_minus_zero(ordered(name)), column=without_minus_zero(ordered(name)))
    def check(seed, size, bounds, column):
        arguments = [size], seed, *bounds, dtype_of(name)
        same(our_tensorflow.stateless_uniform(*arguments), tf.random.stateless_uniform(*arguments))
        low = np.array([[bounds[0]], [column[0]]])
        high = np.array([[bounds[1]], [column[1]]])
        arguments = [2, size], seed, low, high, dtype_of(name)
        same(our_tensorflow.stateless_uniform(*arguments), tf.random.stateless_uniform(*arguments))
        ours, theirs = our_tensorflow.Generator.from_seed(seed), tf.random.Generator.from_seed(seed)
        same(ours.uniform([size], *bounds, dtype_of(name)), theirs.uniform([size], *bounds, dtype_of(name)))
        for module in (tf.random, our_tensorflow):
            module.set_seed(seed[0])
        arguments = [size], *bounds, dtype_of(name), 7
        same(our_tensorflow.uniform(*arguments), tf.random.uniform(*arguments))

    check()


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("sampler", ["normal", "truncated_normal"])
def test_tensorflow_normals(tf, name, sampler):
    """tensorflow 30: TensorFlow's own standard normals, scaled by our arithmetic, are TensorFlow's scaled normals."""
    kind = dtype_of(name)

    @LIVE
    @given(seed=seeds, size=sizes, numbers=without_minus_zero(st.tuples(near_zero(name), near_zero(name))))
    def check(seed, size, numbers):
        mean, stddev = numbers
        draw = getattr(tf.random, f"stateless_{sampler}")
        standard = draw([size], seed, dtype=kind).numpy()
        same(affine(standard, np.array(stddev), np.array(mean)), draw([size], seed, mean, stddev, kind))

    check()


# OpenVINO


@pytest.mark.parametrize("alignment", ALIGNMENTS)
@pytest.mark.parametrize(
    "output_type, name", [("f16", "float16"), ("bf16", "bfloat16"), ("f32", "float32"), ("f64", "float64")]
)
def test_openvino(output_type, name, alignment):
    """openvino 3.9 and 4.11"""
    openvino = pytest.importorskip("openvino", reason="openvino is not installed")
    from openvino_nodes import as_tensor, assert_agree, node_of

    # The plugin computes f64 in float32, and refuses bounds that are equal there.
    wide = ordered("float32") if name == "float64" else ordered(name)

    @LIVE
    @given(seed=st.integers(1, 1 << 60), bounds=wide, own=ordered(name))
    def check(seed, bounds, own):
        kind, shape = dtype_of(name), [500]
        for bounds, implementation in ((own, "reference"), (bounds, "cpu_plugin")):
            pair = np.array(bounds[0], kind), np.array(bounds[1], kind)
            node = node_of(openvino, shape, pair, output_type, (seed, 9), alignment)
            if implementation == "reference":
                output = openvino.Tensor(node.output(0).element_type, openvino.Shape(shape))
                if name == "float64" and not np.float32(bounds[0]) < np.float32(bounds[1]):
                    continue  # openvino 2.9
                assert node.evaluate([output], [as_tensor(openvino, each) for each in (np.array(shape), *pair)])
                theirs = output.data
            else:
                compiled = openvino.Core().compile_model(openvino.Model([node], []), "CPU")
                theirs = compiled.create_infer_request().infer()[0]
            assert_agree(theirs, RandomUniform(output_type, seed, 9, alignment, implementation), shape, pair)

    check()
