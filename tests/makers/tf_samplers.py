"""Record tests/vectors/tf_stateful_samplers.json, tf_rejection.json, tf_xla.json, tf_gamma_poisson.json,
tfp_names.json and tfp_gamma_poisson.json, with the dependency group `peers`.

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


def gamma_poisson(draw):
    """Stateful gamma(shape, alpha, beta, dtype, seed) and poisson(shape, lam, dtype, seed), each after those before it
    since the global seed, and float64 numbers of stateless_gamma."""
    for global_seed in (0, 3, 1234567890123):
        tf.random.set_seed(global_seed)
        for _ in range(16):
            shape, seed = draw.choice([[], [1], [5], [0], [3, 2]]), draw.choice([None, 1, 5])
            case = {"global_seed": global_seed, "shape": shape, "seed": seed}
            if draw.random() < 0.5:
                parameters = [draw.choice([0.3, [1.0, 2.5], [[0.1], [30.0]]]), draw.choice([None, 2.0, [0.5, 4.0]])]
                dtype = draw.choice(["float16", "float32", "float64"])
                drawn = tf.random.gamma(shape, *parameters, tf.as_dtype(dtype), seed)
                yield case | {"op": "gamma", "parameters": parameters, "dtype": dtype, "bits": bits_of(drawn)}
            else:
                rates, kind = draw.choice([3, [20, 2]]), draw.choice(["int32", "int64", "float32", "float64", None])
                dtype = draw.choice(["int32", "int64", "float32"])
                drawn = tf.random.poisson(shape, np.array(rates, kind)[()] if kind else rates, tf.as_dtype(dtype), seed)
                case |= {"op": "poisson", "parameters": [rates], "parameter_type": kind}
                yield case | {"dtype": dtype, "bits": bits_of(drawn)}
    for alpha in (0.01, 0.999, 1.0, 1.5, 3.0, 1e3):
        case = {"op": "stateless_gamma", "shape": [20], "seed": [5, -6], "parameters": [alpha, 1.7], "dtype": "float64"}
        yield case | {"bits": bits_of(tf.random.stateless_gamma([20], [5, -6], np.float64(alpha), 1.7, tf.float64))}


def tfp_gamma_poisson(draw):
    for seed in ([1, 2], [-7, 2**31 - 1], 5, None) * 2:
        tf.random.set_seed(9)
        stateful = seed is None or isinstance(seed, int)
        case = {"global_seed": 9, "seed": seed, "shape": draw.choice([[3], [2, 2]])}
        sample_seed = seed if stateful else tuple(seed)
        parameters, dtype = [[0.5, 3.0], draw.choice([None, 2.0])], draw.choice(["float16", "float32"])
        drawn = samplers.gamma(case["shape"], *parameters, tf.as_dtype(dtype), sample_seed)
        yield case | {"op": "gamma", "parameters": parameters, "dtype": dtype, "bits": bits_of(drawn)}
        dtype = draw.choice(["int32", "float32"])
        drawn = samplers.poisson(case["shape"], [0.5, 30.0], tf.as_dtype(dtype), sample_seed)
        yield case | {"op": "poisson", "parameters": [[0.5, 30.0]], "dtype": dtype, "bits": bits_of(drawn)}
        dtype = draw.choice(["int32", "int64", "float16", "float32", "float64"])
        drawn = tfp.random.rademacher(case["shape"], tf.as_dtype(dtype), sample_seed)
        yield case | {"op": "rademacher", "parameters": [], "dtype": dtype, "bits": bits_of(drawn)}


def xla(draw):
    """tf.function(jit_compile=True) of stateless_uniform(shape, seed, minval, maxval, dtype) and Generator.uniform."""
    for seed in ([1, 2], [-5, 7], [2**40 + 1, -(2**63)]):
        for dtype in ("int32", "int64", "uint32", "uint64", "float16", "float32", "float64"):
            wide = None if dtype[0] == "u" else (0, 2.9) if dtype[0] == "f" else (-7, 1000)
            for minval, maxval in ((0, None) if dtype[0] == "f" else (None, None), wide or (None, None)):
                case = {"seed": seed, "minval": minval, "maxval": maxval, "dtype": dtype}
                for shape in draw.sample([[], [3], [0], [2, 5], [33]], 2):
                    arguments = shape, np.array(seed), minval, maxval, dtype
                    drawn = tf.function(lambda: tf.random.stateless_uniform(*arguments), jit_compile=True)()  # noqa: B023
                    yield case | {"shape": shape, "bits": bits_of(drawn)}


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
    source = f"tensorflow-cpu {tf.__version__}, CPU, tf.function(jit_compile=True): tf.random.stateless_uniform"
    write("tf_xla", source, xla(random.Random(6)), MAKER)
    source = TF + "tf.random.gamma, poisson, stateless_gamma (float64 with glibc 2.36)"
    write("tf_gamma_poisson", source, gamma_poisson(random.Random(4)), MAKER)
    source = f"tensorflow-probability {tfp.__version__} on tensorflow-cpu {tf.__version__}: samplers.gamma, "
    write(
        "tfp_gamma_poisson", source + "samplers.poisson, random.rademacher", tfp_gamma_poisson(random.Random(5)), MAKER
    )
