"""For tests of ONNX models: runs in onnxruntime, the sizes and states to try, and a model that calls the functions."""

import numpy as np
import oracle
from optional_backends import skip_without

skip_without("onnx")
import onnx
import onnx.inliner
import onnx.parser
import onnx.reference  # noqa: F401

# A user's model: it draws words, then numbers from the state after the words.
TWO_DRAWS = """
<ir_version: 8, opset_import: ["": 18, "dmlrand": 1]>
two_draws (uint32[6] state, int64[2] shape) => (uint32[a, b] words, float[a, b] numbers, uint32[6] new_state) {
    words, middle = dmlrand.RandomGenerator (state, shape)
    numbers, new_state = dmlrand.Uniform (middle, shape)
}"""

# (counter, key): a carry into each word of the counter, and the wrap.
CARRIES = [(2**bits - before, 2**64 - 7) for bits in (32, 64, 96, 128) for before in (1, 2, 3)]


def run(session, state, shape=None):
    """(values, new state) of a run of a session or a reference evaluator."""
    feeds = {"state": np.array(state, np.uint32)}
    return session.run(None, feeds if shape is None else feeds | {"shape": np.array(shape, np.int64)})


def session(model):
    """A session of onnxruntime on one thread of the CPU."""
    skip_without("onnxruntime")
    import onnxruntime as runtime

    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    return runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def assert_words(outputs, counter, key, shape):
    """The outputs are the words of the oracle, and its new state."""
    values, state = outputs
    count = int(np.prod(shape))
    assert (values.dtype, values.shape, state.dtype) == (np.uint32, tuple(shape), np.uint32)
    assert values.ravel().tolist() == oracle.words(counter, key, 0, count)
    assert state.tolist() == oracle.new_state_words(counter, key, count)
