"""The calls of TensorFlow that tests/vectors/tf_*.json and philox_words.json record. See replay.py."""

import os

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf
from ml_dtypes import bfloat16
from replay import answer, ints, to_int

DTYPES = {"f16": np.float16, "bf16": bfloat16, "f32": np.float32, "f64": np.float64}


def dtype_of(case):
    return np.dtype(DTYPES.get(case["dtype"], case["dtype"]))


def seed_of(case):
    return np.array(ints(case["seed"]), case["seed_dtype"])


def number(case, name):
    """A bound or parameter, as its bits where those were recorded."""
    if f"{name}_bits" in case:
        dtype = dtype_of(case)
        return np.array([to_int(case[f"{name}_bits"])], f"u{dtype.itemsize}").view(dtype)[0]
    return case.get(name) if isinstance(case.get(name), float) or case.get(name) is None else to_int(case[name])


def words(case):
    c, k = case["state"][:4], case["state"][4:]
    counter = np.array([c[0] + (c[1] << 32), c[2] + (c[3] << 32)], np.uint64)
    key = np.array([k[0] + (k[1] << 32)], np.uint64)
    drawn = tf.raw_ops.StatelessRandomUniformFullIntV2(
        shape=np.array(case["shape"], np.int32), key=key, counter=counter, alg=1, dtype=tf.uint32
    )
    return answer(drawn.numpy(), case)


def seed(case):
    key, counter = tf.raw_ops.StatelessRandomGetKeyCounter(seed=seed_of(case))
    return {"key": key.numpy().tolist(), "counter": counter.numpy().tolist()}


def uniform(case):
    bounds = number(case, "minval"), number(case, "maxval")
    return answer(tf.random.stateless_uniform(case["shape"], seed_of(case), *bounds, dtype_of(case)).numpy(), case)


def stateless(sampler):
    def call(case):
        parameters = number(case, "mean"), number(case, "stddev")
        return answer(sampler(case["shape"], seed_of(case), *parameters, dtype_of(case)).numpy(), case)

    return call


def split_fold_in(case):
    if case["op"] == "split":
        return answer(tf.random.split(seed_of(case), case["num"]).numpy(), case)
    data = np.array(to_int(case["data"]), case["data_dtype"])
    return answer(tf.random.fold_in(seed_of(case), data).numpy(), case)


def shuffle(case):
    if case["op"] == "stateless_shuffle":
        shuffled = tf.random.experimental.stateless_shuffle(tf.range(case["n"]), seed_of(case)).numpy()
        return answer(shuffled, case) if "sha256_le" in case else {"result": shuffled.tolist()}
    if case["op"] == "index_shuffle":
        index, top = (np.array(to_int(case[name])) for name in ("index", "max_index"))
        kind = np.int32 if max(index, top) < 2**31 else np.int64
        index, top = index.astype(kind), top.astype(kind)
        return {"result": int(tf.random.experimental.index_shuffle(index, seed_of(case), top))}
    logits = np.array(case["logits_f32_bits"], np.uint32).view(np.float32).reshape(case["logits_shape"])
    return {"result": tf.random.stateless_categorical(logits, case["num_samples"], seed_of(case)).numpy().tolist()}


def generator(case):
    make = tf.random.Generator
    if case["kind"] == "from_seed":
        given = to_int(case["seed"]) if case["seed_is"] == "python int" else ints(case["seed"])
        return {"state": make.from_seed(given, alg="philox").state.numpy().tolist()}
    if case["kind"] == "from_key_counter":
        made = make.from_key_counter(to_int(case["key"]), ints(case["counter"]), alg="philox")
        return {"state": made.state.numpy().tolist()}
    made = make.from_state(ints(case["state"]), alg="philox")
    return {"steps": [step_of(made, step) | {"state_after": made.state.numpy().tolist()} for step in case["steps"]]}


def step_of(made, step):
    op = step["op"]
    if op == "reset":
        made.reset(ints(step["to"]))
    elif op == "reset_from_seed":
        made.reset_from_seed(to_int(step["seed"]))
    elif op == "reset_from_key_counter":
        made.reset_from_key_counter(to_int(step["key"]), ints(step["counter"]))
    elif op == "skip":
        delta = to_int(step["delta"])
        delta = np.uint64(delta) if delta >= 2**63 else np.int64(delta)
        return {"returned": made.skip(delta).numpy().tolist()}
    elif op == "split":
        return {"states": [child.state.numpy().tolist() for child in made.split(step["count"])]}
    elif op == "make_seeds":
        return answer(made.make_seeds(step["count"]).numpy(), step)
    elif op == "uniform_full_int":
        return answer(made.uniform_full_int(step["shape"], dtype_of(step)).numpy(), step)
    elif op in ("uniform", "uniform_int"):
        bounds = number(step, "minval"), number(step, "maxval")
        return answer(made.uniform(step["shape"], *bounds, dtype_of(step)).numpy(), step)
    else:
        return answer(getattr(made, op)(step["shape"], dtype=dtype_of(step)).numpy(), step)
    return {}


def stateful(case):
    if not case["op"].startswith("raw_ops."):
        tf.random.set_seed(to_int(case["global_seed"]))
        shapes = [call["shape"] for call in case["calls"]]
        drawn = [tf.random.uniform(shape, seed=to_int(case["op_seed"])).numpy() for shape in shapes]
    else:
        drawn = kernel_of(case)
    return {"calls": [answer(values, call) for values, call in zip(drawn, case["calls"])]}


def kernel_of(case):
    """One node of a graph, called once for each shape: an eager call may share its kernel with another case."""
    seeds = {"seed": to_int(case["seed"]), "seed2": to_int(case["seed2"])}
    with tf.Graph().as_default():
        shape = tf.compat.v1.placeholder(tf.int32, [None])
        if case["op"] == "raw_ops.RandomUniform":
            node = tf.raw_ops.RandomUniform(shape=shape, dtype=tf.as_dtype(dtype_of(case)), **seeds)
        else:
            bounds = {name: np.array(case[name], dtype_of(case)) for name in ("minval", "maxval")}
            node = tf.raw_ops.RandomUniformInt(shape=shape, **bounds, **seeds)
        with tf.compat.v1.Session() as session:
            return [session.run(node, {shape: call["shape"]}) for call in case["calls"]]


CALLS = {
    "philox_words": words,
    "tf_seed": seed,
    "tf_stateless_uniform": uniform,
    "tf_stateless_int": uniform,
    "tf_stateless_normal": stateless(tf.random.stateless_normal),
    "tf_stateless_truncated_normal": stateless(tf.random.stateless_truncated_normal),
    "tf_generator": generator,
    "tf_split_fold_in": split_fold_in,
    "tf_shuffle": shuffle,
    "tf_legacy_stateful": stateful,
}
