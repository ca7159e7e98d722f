"""Every refused input of compat.tensorflow, with the wording of its error. No refused call moves a state."""

import numpy as np
import pytest
from refusing import refused
from systems import OTHER_ORDER

from dmlrand.compat import tensorflow as tfr
from dmlrand.compat.tensorflow import Generator

PAIR = [1, 2]


def uniform(**keywords):
    return tfr.stateless_uniform(**({"shape": [2], "seed": PAIR} | keywords))


SHAPES = [
    (TypeError, 3, "shape must be a sequence of ints; got 3. Write [3] for three values, [] for one."),
    (ValueError, [2, -1], "shape[1] must be in [0, 2**63); got -1."),
    (TypeError, [2.0], "shape[0] must be an integer; got 2.0 of type float. Pass an int."),
]
NOT_REAL = "minval must be a real number or an array of them; got {} of type {}. Pass floats."
BOTH = "minval must be below maxval in {}; got minval {} and maxval {}."
BOUNDS = [
    (ValueError, 5, 5, "float32", BOTH.format("float32", 5, 5)),
    (ValueError, 1.0, 1.00001, "float16", BOTH.format("float16", 1.0, 1.00001)),
    (ValueError, 0, 1e6, "float16", "maxval must be finite as a float16; got 1000000.0."),
    (ValueError, float("nan"), 1, "float32", "minval must be finite as a float32; got nan."),
    (ValueError, -3e38, 3e38, "float32", "maxval - minval must be finite in float32; got minval -3e+38 and maxval"),
    (TypeError, None, 1, "float32", NOT_REAL.format(None, "NoneType")),
    (ValueError, [0, 0, 0], 1, "float32", "minval must broadcast with shape (2,); got shape (3,). Reshape it, or draw"),
    (ValueError, 5, 5, "int32", "minval must be below maxval; got minval 5 and maxval 5."),
    (ValueError, 0, 2**31, "int32", "maxval must be in [-2**31, 2**31); got 2147483648."),
    (TypeError, 0, 3.0, "int32", "maxval must be an integer; got 3.0 of type float. Pass an int."),
    (ValueError, 0, None, "int32", "minval and maxval must both be None or both be given for int32; got minval 0 and"),
    (ValueError, 0, 5, "uint32", "minval and maxval must be None for uint32, of which TensorFlow draws the full range"),
]
SEEDS = [
    (ValueError, 5, "seed must have shape [2]: two ints, such as [1, 2]; got shape []."),
    (ValueError, [1, 2, 3], "seed must have shape [2]: two ints, such as [1, 2]; got shape [3]."),
    (ValueError, np.array([[1, 2]]), "seed must have shape [2]: two ints, such as [1, 2]; got shape [1, 2]."),
    (ValueError, [2**63, 1], "seed[0] must be in [-2**63, 2**63); got 9223372036854775808."),
    (TypeError, [1.0, 2], "seed[0] must be an integer; got 1.0 of type float. Pass an int."),
    (TypeError, np.array([1.0, 2]), "seed must hold integers; got an array of float64. Convert it yourself."),
]
ALGORITHM = (
    "alg must be 'philox' (1) or 'auto_select' (3, which is Philox on the CPU); got {!r}. ThreeFry is not imitated."
)
REALS = "float16, float32, float64 or bfloat16"
ALL = "float16, float32, float64, bfloat16, int32, int64, uint32 or uint64"


@pytest.mark.parametrize("kind, shape, message", SHAPES)
def test_shapes(kind, shape, message):
    """tensorflow 10"""
    refused(kind, message, uniform, shape=shape)
    refused(kind, message, tfr.stateless_normal, shape, PAIR)
    refused(kind, message, tfr.stateless_truncated_normal, shape, PAIR)
    refused(kind, message, tfr.uniform, shape)
    refused(kind, message, tfr.RandomUniform("float32", 1, 2), shape)


@pytest.mark.parametrize("kind, minval, maxval, dtype, message", BOUNDS)
def test_bounds(kind, minval, maxval, dtype, message):
    """tensorflow 7 and 8"""
    refused(kind, message, uniform, minval=minval, maxval=maxval, dtype=dtype)
    if dtype != "uint32" and not (dtype[0] == "i" and maxval is None):
        refused(kind, message, tfr.uniform, [2], minval, maxval, dtype)


@pytest.mark.parametrize("kind, seed, message", SEEDS)
def test_seeds(kind, seed, message):
    """tensorflow 4"""
    refused(kind, message, uniform, seed=seed)
    for call, arguments in (
        (tfr.stateless_normal, ([2], seed)),
        (tfr.stateless_truncated_normal, ([2], seed)),
        (tfr.stateless_random_get_key_counter, (seed,)),
        (tfr.stateless_shuffle, ([1, 2], seed)),
        (tfr.stateless_categorical, ([[0.0]], 1, seed)),
        (tfr.split, (seed,)),
        (tfr.fold_in, (seed, 1)),
    ):
        refused(kind, message, call, *arguments)


@pytest.mark.parametrize("alg", ["threefry", "mt19937", 2, 7])
def test_algorithms(alg):
    """tensorflow 5"""
    message = ALGORITHM.format(alg)
    refused(ValueError, message, uniform, alg=alg)
    refused(ValueError, message, tfr.split, PAIR, alg=alg)
    refused(ValueError, message, tfr.fold_in, PAIR, 1, alg=alg)
    refused(ValueError, message, tfr.stateless_shuffle, [1], PAIR, alg=alg)
    refused(ValueError, message, tfr.stateless_normal, [2], PAIR, alg=alg)
    refused(ValueError, message, Generator.from_seed, 1, alg)
    refused(ValueError, message, Generator.from_state, [1, 2, 3], alg)
    refused(ValueError, message, Generator.from_key_counter, 1, [2, 3], alg)


def test_types():
    """tensorflow 31"""
    as_read = "as tf.as_dtype reads it; got"
    for dtype in ("int8", "complex64", object, None, int, f"{OTHER_ORDER}f4", "f4", "int", "single", 7):
        refused(TypeError, f"dtype must be {ALL}, {as_read} {dtype!r}.", uniform, dtype=dtype)
    for sampler in (tfr.stateless_normal, tfr.stateless_truncated_normal):
        refused(TypeError, f"dtype must be {REALS}, {as_read} 'int32'.", sampler, [2], PAIR, dtype="int32")
    refused(TypeError, f"dtype must be int32 or int64, {as_read} 'float32'.", tfr.RandomUniformInt, "float32", 1, 2)
    refused(TypeError, f"dtype must be {REALS}, {as_read} 'int32'.", tfr.RandomUniform, "int32", 1, 2)
    message = f"dtype must be int32, int64, uint32 or uint64, {as_read} 'float32'."
    refused(TypeError, message, Generator.from_seed(1).uniform_full_int, [2], "float32")
    message = f"dtype must be int32 or int64, {as_read} 'int8'."
    refused(TypeError, message, tfr.stateless_categorical, [[0.0]], 1, PAIR, "int8")


INTEGER = "must be an integer; got"
LOGITS = "logits must be within the range of float32, the type of their first number; got {!r}. Pass a float64 array: "
STATE = "state must have shape [3]: counter low half, counter high half, key; got shape "
COPY_OR_STATE = "exactly one of copy_from and state must be given; got"
NO_RANGE = "minval and maxval must both be given for int32; got minval None and maxval None. Only stateless_uniform"
ONE = Generator.from_seed(1)
REFUSED = [
    (ValueError, "maxval, together with minval, must broadcast with shape (2,); got shape (3,).",
     tfr.stateless_uniform, [1], PAIR, [0, 0], [1, 1, 1]),
    (TypeError, "seed must be int32 or int64 to be split; got an array of uint32. Convert it yourself.",
     tfr.split, np.array([1, 2], np.uint32)),
    (ValueError, "num must be in [0, 2**63); got -1.", tfr.split, PAIR, -1),
    (ValueError, "data must be in [-2**63, 2**63); got ", tfr.fold_in, PAIR, 2**63),
    (TypeError, f"data {INTEGER} 3.0 of type float. Pass an int.", tfr.fold_in, PAIR, 3.0),
    (ValueError, "data must be an int; got shape [2].", tfr.fold_in, PAIR, np.array([1, 2])),
    (TypeError, "data must be int32, int64, uint32, uint64 or Python ints; got int16. Convert it: data.astype(",
     tfr.fold_in, PAIR, np.int16(1)),
    (ValueError, "index must be at most max_index; got index 5 and max_index 3.", tfr.index_shuffle, 5, PAIR, 3),
    (ValueError, "index must be in [0, 2**63); got -1.", tfr.index_shuffle, -1, PAIR, 3),
    (ValueError, "max_index must be in [0, 2**63); got -3.", tfr.index_shuffle, 0, PAIR, -3),
    (ValueError, "index[1] must be in [0, 2**64); got -1.", tfr.index_shuffle, np.array([1, -1]), PAIR, 3),
    (TypeError, f"index {INTEGER} 1.0 of type float. Pass an int.", tfr.index_shuffle, 1.0, PAIR, 3),
    (TypeError, "index must be int32, int64, uint32, uint64 or Python ints; got int16.",
     tfr.index_shuffle, np.int16(1), PAIR, 3),
    (ValueError, "index must be an int or a vector of ints; got shape [1, 2].",
     tfr.index_shuffle, np.array([[1, 2]]), PAIR, 3),
    (TypeError, f"index[0] {INTEGER} [1, 2] of type list. Pass an int.", tfr.index_shuffle, [[1, 2]], PAIR, 3),
    (ValueError, "seed must have shape [2] or [n, 2]; got shape [3].", tfr.index_shuffle, 1, [1, 2, 3], 3),
    (ValueError, "seed must have shape [2] or [n, 2]; got shape [].", tfr.index_shuffle, 1, 5, 3),
    (ValueError, "index, seed and max_index must each be one value, or have the length of the others; got lengths 2, "
     "3 and 1.", tfr.index_shuffle, [1, 2], [[1, 2]] * 3, 3),
    (ValueError, "logits must have shape [batch, classes], with at least one class; got shape [2].",
     tfr.stateless_categorical, [0.0, 1.0], 1, PAIR),
    (ValueError, "logits must have shape [batch, classes], with at least one class; got shape [2, 0].",
     tfr.stateless_categorical, [[], []], 1, PAIR),
    (TypeError, f"logits must be {REALS}; got int64. Convert them: numpy.asarray(logits, float).",
     tfr.stateless_categorical, [[0, 1]], 1, PAIR),
    *[(ValueError, LOGITS.format(logits), tfr.stateless_categorical, logits, 1, PAIR)
      for logits in ([[1e39, 0.0]], [[0.0, -1e39]], ((3.40282357e38, 1),))],
    (ValueError, "logits must be within the range of float16",
     tfr.stateless_categorical, [[np.float16(1), 1e6]], 1, PAIR),
    (ValueError, "num_samples must be in [0, 2**63); got -1.", tfr.stateless_categorical, [[0.0]], -1, PAIR),
    (ValueError, STATE + "[2].", Generator.from_state, [1, 2]),
    (ValueError, STATE + "[1, 3].", Generator.from_state, np.array([[1, 2, 3]])),
    (ValueError, "state[0] must be in [-2**63, 2**64)", Generator.from_state, [2**64, 0, 0]),
    (TypeError, "state must hold integers; got an array of float64.", Generator.from_state, np.zeros(3)),
    (TypeError, f"seed {INTEGER} 1.5 of type float. Pass an int.", Generator.from_seed, 1.5),
    (TypeError, f"seed {INTEGER} True of type bool. Pass an int.", Generator.from_seed, True),
    (ValueError, "seed[0] must be in [-2**63, 2**64)", Generator.from_seed, [2**64]),
    (ValueError, "counter must have shape [2]: the low half first; got shape [3].",
     Generator.from_key_counter, 1, [1, 2, 3]),
    (ValueError, "key must have shape [1]: one number", Generator.from_key_counter, [5, 6], [1, 2]),
    (TypeError, f"key[0] {INTEGER} 1.5", Generator.from_key_counter, 1.5, [1, 2]),
    (TypeError, f"{COPY_OR_STATE} neither. Generator.from_seed makes a generator from a seed.", Generator),
    (TypeError, f"{COPY_OR_STATE} both.", Generator, ONE, [1, 2, 3]),
    (TypeError, "copy_from must be a Generator; got 5.", Generator, 5),
    (TypeError, "alg must be omitted if copy_from is given; got 1.", Generator, ONE, None, 1),
    (TypeError, f"seed {INTEGER} 1.5 of type float. Pass an int.", tfr.set_seed, 1.5),
    (TypeError, f"seed {INTEGER} (1, 2) of type tuple. Pass an int.", lambda: tfr.uniform([2], seed=(1, 2))),
    (TypeError, f"op_seed {INTEGER} 1.5 of type float. Pass an int.", tfr.get_seed, 1.5),
    (ValueError, "seed must be in [-2**63, 2**63)", tfr.RandomUniform, "float32", 2**63, 1),
    (ValueError, "seed2 must be in [-2**63, 2**63)", tfr.TruncatedNormal, "float32", 1, 2**63),
    (ValueError, NO_RANGE, tfr.uniform, [2], None, None, "int32"),
    (ValueError, NO_RANGE, tfr.RandomUniformInt("int32", 1, 2), [2], None, None),
    (ValueError, "lam must be in [0, 2**31]; got -1. Pass", tfr.stateless_poisson, [2], PAIR, -1),
    (ValueError, "lam must be finite as a float32; got nan.", tfr.stateless_poisson, [2], PAIR, float("nan")),
    (ValueError, "shape must end with the shape of lam, [2]; got [3]. Write the whole shape of the result.",
     tfr.stateless_poisson, [3], PAIR, [1.0, 2.0]),
    (ValueError, "shape must end with the shape of counts and probs, [2, 3]; got [3].",
     tfr.stateless_binomial, [3], PAIR, [[1.0], [2.0]], [0.1, 0.2, 0.3]),
    (ValueError, "probs, together with counts, must broadcast with shape (2,); got shape (3,).",
     tfr.stateless_binomial, [3], PAIR, [1.0, 2.0], [0.1, 0.2, 0.3]),
    (ValueError, "alpha must be positive in float32; got 0. Pass", tfr.stateless_gamma, [2], PAIR, 0),
    (TypeError, "dtype must be float16, float32 or float64, as tf.as_dtype reads it; got 'bfloat16'.",
     tfr.stateless_gamma, [2], PAIR, 1, None, "bfloat16"),
    (ValueError, "output_dtype must hold every result; got int32 and a result of 4000000000. Pass int64.",
     tfr.stateless_binomial, [2], PAIR, 4e9, 1),
    (TypeError, "counts and probs must both be float16, float32 or float64; got int64 and float32.",
     ONE.binomial, [2], 10, 0.5),
    (TypeError, "counts and probs must both be float16, float32 or float64; got float32 and float64.",
     ONE.binomial, [2], 10.0, np.float64(0.5)),
    *[(kind, message, sampler, [2], PAIR, *parameters)
      for sampler in (tfr.stateless_normal, tfr.stateless_truncated_normal) for kind, message, *parameters in (
        (ValueError, "mean must be finite as a float32; got inf.", float("inf")),
        (TypeError, "stddev must be a real number or an array of them; got None of type NoneType.", 0.0, None),
        (ValueError, "stddev must broadcast with shape (2,); got shape (3,).", 0.0, [1.0, 1.0, 1.0]))],
]  # fmt: skip


@pytest.mark.parametrize("kind, message, call, arguments", [(*row[:3], row[3:]) for row in REFUSED])
def test_refused(kind, message, call, arguments):
    """tensorflow 4, 9, 20, 25, 38 to 40"""
    refused(kind, message, call, *arguments)


def test_a_refused_call_leaves_a_generator_where_it_was():
    """tensorflow 20"""
    generator = Generator.from_state([100, 2, 3])
    calls = [
        *[(name, shape) for name in ("uniform", "normal", "truncated_normal") for _, shape, _ in SHAPES],
        *[("uniform", [2], *bounds[1:4]) for bounds in BOUNDS],
        ("normal", [2], float("inf")), ("truncated_normal", [2], 0.0, "1"), ("normal", [2], 0.0, 1.0, "int32"),
        ("uniform_full_int", [2], "float32"), ("uniform_full_int", [2**61]), ("make_seeds", -1), ("split", 1.5),
        *[("skip", delta) for delta in (2**64, 1.5, [1, 2])],
        ("reset", [1, 2]), ("reset_from_seed", None), ("reset_from_key_counter", 1, [2]),
    ]  # fmt: skip
    for name, *arguments in calls:
        with pytest.raises((TypeError, ValueError)):
            getattr(generator, name)(*arguments)
        assert generator.state.tolist() == [100, 2, 3]
    assert generator.uniform([2]).shape == (2,)  # the lock is free
