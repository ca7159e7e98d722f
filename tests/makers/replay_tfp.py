"""The calls of TensorFlow Probability that tests/vectors/tfp_*.json record. See replay.py."""

import numpy as np
import replay_tensorflow  # before TensorFlow, whose settings it makes
import tensorflow as tf
import tensorflow_probability as tfp
from replay import answer, to_int
from tensorflow_probability.python.internal import samplers

KINDS = {
    "tuple": tuple,
    "list": list,
    "ndarray_int32": lambda pair: np.array(pair, np.int32),
    "tensor_int32": lambda pair: tf.constant(pair, tf.int32),
    "python int": to_int,
}


def seeds(case):
    seed = KINDS[case["seed_kind"]](case["seed"])
    if case["op"] == "sanitize_seed":
        return {"result": tfp.random.sanitize_seed(seed, case["salt"]).numpy().tolist()}
    if case["op"] == "split_seed":
        n = case["n"] if case["n_kind"] == "python int" else tf.constant(case["n"])
        return {"result": np.reshape(np.asarray(tfp.random.split_seed(seed, n, case["salt"])), (-1, 2)).tolist()}
    tf.random.set_seed(to_int(case["global_seed"]))
    return {"results": [tfp.random.sanitize_seed(seed, case["salt"]).numpy().tolist() for _ in case["results"]]}


def sampler(case):
    seed = tuple(case["seed"])
    if case["op"] in ("normal", "uniform"):
        names = ("mean", "stddev") if case["op"] == "normal" else ("minval", "maxval")
        dtype = replay_tensorflow.dtype_of(case)
        parameters = {name: dtype.type(case[name]) for name in names}
        return answer(getattr(samplers, case["op"])(case["shape"], dtype=dtype, seed=seed, **parameters).numpy(), case)
    if case["op"] == "shuffle":
        shuffled = samplers.shuffle(tf.range(case["n"]), seed=seed).numpy()
        return answer(shuffled, case) if "sha256_le" in case else {"result": shuffled.tolist()}
    logits = np.array(case["logits_f32_bits"], np.uint32).view(np.float32).reshape(case["logits_shape"])
    return {"result": samplers.categorical(logits, case["num_samples"], seed=seed).numpy().tolist()}


CALLS = {"tfp_seeds": seeds, "tfp_samplers": sampler}
