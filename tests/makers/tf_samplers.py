"""Record tests/vectors/tf_stateful_samplers.json, tf_rejection.json and tfp_names.json, with the dependency group
`peers`.

python tests/makers/tf_samplers.py
"""

import os
import random

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp
from recording import bits_of, write
from tensorflow_probability.python.internal import samplers

MAKER = "tests/makers/tf_samplers.py"
TF = f"tensorflow-cpu {tf.__version__}, eager, CPU: "


def stateful(draw):
    """Calls after tf.random.set_seed(global_seed), in the order of the file."""
    for global_seed in (0, 3, 1234567890123):
        tf.random.set_seed(global_seed)
        for _ in range(20):
            seed = draw.choice([None, 1, 5, 2**33])
            case = {"global_seed": global_seed, "seed": seed}
            if draw.random() < 0.5:
                rows, count = draw.randint(1, 3), draw.choice([0, 1, 3, 4, 5, 8, 9])
                logits = np.array([[draw.gauss(0, 1) for _ in range(4)] for _ in range(rows)], draw.choice("efd"))
                dtype = draw.choice(["int32", "int64"])
                samples = tf.random.categorical(logits, count, dtype, seed).numpy()
                case |= {"op": "categorical", "logits_type": logits.dtype.name, "logits": bits_of(logits)}
                yield case | {"num_samples": count, "dtype": dtype, "result": samples.tolist()}
            else:
                shape = draw.choice([[], [1], [2], [9], [12], [5, 0], [1, 4], [4, 3], [40]])
                value = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(draw.choice(["int32", "int64"]))
                shuffled = tf.random.shuffle(value, seed).numpy().tolist()
                yield case | {"op": "shuffle", "dtype": value.dtype.name, "shape": shape, "result": shuffled}


def rejection(draw):
    """stateless_poisson(shape, seed, lam, dtype), stateless_binomial(.., counts, probs, dtype), stateless_gamma."""

    def numbers(low, high):
        return [round(10 ** draw.uniform(low, high), 3) for _ in range(3)]

    types = {"stateless_gamma": ("float16", "float32")}
    for op in ("stateless_poisson", "stateless_binomial", "stateless_gamma") * 8:
        if op == "stateless_poisson":
            parameters = [numbers(-1, 5)]
        elif op == "stateless_binomial":
            parameters = [[round(each) + 0.0 for each in numbers(0, 5)], [round(draw.random(), 3) for _ in range(3)]]
        else:
            parameters = [numbers(-1, 2)[:2] + [1.0], numbers(-1, 1)]
        seed, dtype = (
            [draw.randint(-99, 99) for _ in range(2)],
            draw.choice(types.get(op, ("int32", "int64", "float32"))),
        )
        case = {"op": op, "shape": [10, 3], "seed": seed, "parameters": parameters, "dtype": dtype}
        drawn = getattr(tf.random, op)([10, 3], seed, *parameters, tf.as_dtype(dtype)).numpy()
        yield case | {"bits": bits_of(drawn)}


def names(draw):
    for _ in range(20):
        pair, salt = [draw.getrandbits(32) - 2**31 for _ in range(2)], draw.getrandbits(draw.choice([5, 40, 90])) - 9
        yield {
            "op": "fold_in",
            "seed": pair,
            "salt": str(salt),
            "result": samplers.fold_in(pair, salt).numpy().tolist(),
        }
        data = np.dtype(draw.choice(["int32", "int64"])).type(draw.randint(-9, 2**31 - 1))
        result = samplers.fold_in(tf.constant(pair), tf.constant(data)).numpy().tolist()
        yield {"op": "fold_in", "seed": pair, "dtype": data.dtype.name, "salt": str(data), "result": result}
    for seed in (0, 5, -3, 2**70, None, "text"):
        stream = tfp.util.SeedStream(seed, salt="salt")
        yield {"op": "SeedStream", "seed": seed, "salt": "salt", "result": [str(stream()) for _ in range(3)]}


if __name__ == "__main__":
    write("tf_stateful_samplers", TF + "tf.random.categorical, tf.random.shuffle", stateful(random.Random(1)), MAKER)
    write("tf_rejection", TF + "tf.random.stateless_poisson, binomial, gamma", rejection(random.Random(3)), MAKER)
    source = (
        f"tensorflow-probability {tfp.__version__} on tensorflow-cpu {tf.__version__}: samplers.fold_in, SeedStream"
    )
    write("tfp_names", source, names(random.Random(2)), MAKER)
