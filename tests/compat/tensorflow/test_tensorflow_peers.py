"""The installed TensorFlow and TensorFlow Probability, on new random cases. Run with pytest -m peers.

The seed is printed; DMLRAND_PEERS_SEED=n repeats a run.
"""

import os
import random

import numpy as np
import pytest
from tf_answers import assert_near, bits_of

from dmlrand.compat import tensorflow as tfr, tfp

pytestmark = pytest.mark.peers

CASES = int(os.environ.get("PEERS_CASES", "150"))
SEED = int(os.environ.get("DMLRAND_PEERS_SEED", random.SystemRandom().randrange(10**9)))
REALS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["int32", "int64", "uint32", "uint64"]


@pytest.fixture(scope="module")
def tf(request):
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    module = pytest.importorskip("tensorflow")
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"\ntensorflow {module.__version__}, DMLRAND_PEERS_SEED={SEED}, {CASES} cases a test")
    return module


@pytest.fixture
def draw(request):
    """A random source of cases, one for each test."""
    return random.Random(f"{SEED} {request.node.name}")


def some_int(draw, bits=64):
    edges = [0, 1, -1, 2**31 - 1, -(2**31), 2**32 - 1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1))]
    value = draw.choice([draw.randint(-1000, 1000), draw.getrandbits(bits) - 2 ** (bits - 1), draw.choice(edges)])
    return value if -(2 ** (bits - 1)) <= value < 2 ** (bits - 1) else 7


def some_seed(draw):
    kind, bits = draw.choice([(np.int32, 32), (np.int64, 64)])
    return np.array([some_int(draw, bits), some_int(draw, bits)], kind)


def some_shape(draw):
    return [draw.randint(0, 6) for _ in range(draw.randint(0, 3))] if draw.random() < 0.9 else [draw.randint(1, 5000)]


def some_range(draw, dtype):
    info = np.iinfo(dtype)
    low, high = sorted(draw.choice([draw.randint(int(info.min), int(info.max)), draw.randint(-100, 100)]) for _ in "ab")
    return (low, high) if low < high else (low, low + 1) if low < info.max else (low - 1, low)


def some_bounds(draw, dtype):
    low, tiny = draw.uniform(-100, 100), 2.0 ** draw.randint(-132, -100)  # tiny: TensorFlow flushes subnormal numbers
    bounds = [(0, None), (0, 1), (low, low + 2.5 + 10 ** draw.uniform(0, 3)), (-1, 3)]
    return draw.choice(bounds if dtype == "float16" else [*bounds, (-tiny * draw.random(), tiny)])


def same(ours, theirs):
    theirs = np.asarray(theirs.numpy() if hasattr(theirs, "numpy") else theirs)  # a tensor, or an array of some
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    assert bits_of(np.ravel(ours)).tolist() == bits_of(np.ravel(theirs)).tolist()


def test_seeds(tf, draw):
    for _ in range(CASES):
        seed = some_seed(draw)
        key, counter = tf.raw_ops.StatelessRandomGetKeyCounter(seed=seed)
        ours = tfr.stateless_random_get_key_counter(seed)
        same(ours.key, key)
        same(ours.counter, counter)


def test_stateless_uniform_of_reals(tf, draw):
    for _ in range(CASES):
        seed, shape, dtype = some_seed(draw), some_shape(draw), draw.choice(REALS)
        bounds = some_bounds(draw, dtype)
        arguments = shape, seed, *bounds, dtype
        same(tfr.stateless_uniform(*arguments), tf.random.stateless_uniform(*arguments))


def test_stateless_uniform_of_integers(tf, draw):
    for _ in range(CASES):
        seed, shape, dtype = some_seed(draw), some_shape(draw), draw.choice(INTEGERS)
        full = dtype[0] == "u" or draw.random() < 0.3
        bounds = (None, None) if full else some_range(draw, dtype)
        arguments = shape, seed, *bounds, dtype
        same(tfr.stateless_uniform(*arguments), tf.random.stateless_uniform(*arguments))


@pytest.mark.parametrize("sampler", ["normal", "truncated_normal"])
def test_stateless_normals(tf, draw, sampler):
    ours, theirs = getattr(tfr, f"stateless_{sampler}"), getattr(tf.random, f"stateless_{sampler}")
    for _ in range(CASES // 3):
        seed, shape, dtype = some_seed(draw), some_shape(draw), draw.choice(REALS)
        mean, stddev = draw.choice([(0.0, 1.0), (draw.uniform(-5, 5), draw.uniform(-2, 9))])
        a, b = ours(shape, seed, mean, stddev, dtype), theirs(shape, seed, mean, stddev, dtype).numpy()
        assert a.shape == b.shape and a.dtype == b.dtype
        assert_near(a, b, mean, stddev)


def test_split_and_fold_in(tf, draw):
    for _ in range(CASES):
        seed, n = some_seed(draw), draw.randint(0, 5)
        same(tfr.split(seed, n), tf.random.split(seed, n))
        same(tfr.split(seed.tolist(), n), tf.random.split(seed.tolist(), n))
        data = some_int(draw)
        same(tfr.fold_in(seed, data), tf.random.fold_in(seed, data))
        data = np.dtype(draw.choice(INTEGERS)).type(draw.randint(0, 2**31))
        same(tfr.fold_in(seed, data), tf.random.fold_in(seed, data))


def test_shuffles(tf, draw):
    for _ in range(CASES):
        seed, n = some_seed(draw), draw.choice([draw.randint(0, 20), draw.randint(0, 3000)])
        value = np.arange(2 * n).reshape(n, 2)
        same(tfr.stateless_shuffle(value, seed), tf.random.experimental.stateless_shuffle(value, seed))


def test_index_shuffle(tf, draw):
    for _ in range(CASES):
        dtype = draw.choice(INTEGERS)
        most = int(np.iinfo(dtype).max)
        power = 1 << draw.randint(0, most.bit_length() - 1)
        top = min(most, draw.choice([draw.randint(0, 50), draw.randint(0, most), max(0, power + draw.randint(-1, 1))]))
        index, seed = draw.choice([0, top, draw.randint(0, top)]), some_seed(draw)
        kind = np.dtype(dtype).type
        theirs = tf.random.experimental.index_shuffle(kind(index), seed, kind(top)).numpy()
        ours = tfr.index_shuffle(kind(index), seed, kind(top))
        assert (ours, ours.dtype) == (theirs, theirs.dtype), (index, seed, top)


def test_categorical(tf, draw):
    for _ in range(CASES):
        batch, classes, count = draw.randint(1, 3), draw.randint(1, 9), draw.randint(0, 9)
        logits = np.array([[draw.gauss(0, 2) for _ in range(classes)] for _ in range(batch)])
        logits = logits.astype(draw.choice(["float16", "float32", "float64"]))
        if draw.random() < 0.3:
            logits[0, draw.randrange(classes)] = draw.choice([np.inf, -np.inf, np.nan])
        seed, dtype = some_seed(draw), draw.choice(["int32", "int64"])
        arguments = logits, count, seed, dtype
        same(tfr.stateless_categorical(*arguments), tf.random.stateless_categorical(*arguments))


def run_generator_step(ours, theirs, draw):
    """One call of both, with exactly the same result."""
    ops = ["uniform", "int", "full", "skip", "seeds", "split", "reset", "reset_seed"]
    op, shape = draw.choice(ops), some_shape(draw)
    if op == "uniform":
        dtype = draw.choice(REALS)
        bounds = some_bounds(draw, dtype)
        same(ours.uniform(shape, *bounds, dtype), theirs.uniform(shape, *bounds, dtype))
    elif op == "int":
        dtype = draw.choice(["int32", "int64"])
        bounds = some_range(draw, dtype)
        same(ours.uniform(shape, *bounds, dtype), theirs.uniform(shape, *bounds, dtype))
    elif op == "full":
        dtype = draw.choice(INTEGERS)
        same(ours.uniform_full_int(shape, dtype), theirs.uniform_full_int(shape, dtype))
    elif op == "skip":
        delta = draw.choice([draw.randint(-5, 5), some_int(draw), 2**56 - 1, (some_int(draw) | -(2**24)) % 2**56])
        same(ours.skip(delta), theirs.skip(delta))
    elif op == "seeds":
        same(ours.make_seeds(3), theirs.make_seeds(3))
    elif op == "split":
        for a, b in zip(ours.split(2), theirs.split(2), strict=True):
            same(a.state, b.state)
    elif op == "reset":
        state = [some_int(draw) for _ in range(3)]
        ours.reset(state)
        theirs.reset(np.array(state))
    else:
        seed = draw.choice(
            [draw.getrandbits(200), -draw.getrandbits(70), np.array([some_int(draw)] * draw.randint(1, 4))]
        )
        ours.reset_from_seed(seed)
        theirs.reset_from_seed(seed)


def test_generator(tf, draw):
    for _ in range(CASES // 5):
        state = np.array([some_int(draw) for _ in range(3)])
        ours = tfr.Generator.from_state(state, alg="philox")
        theirs = tf.random.Generator.from_state(state, alg="philox")
        for _ in range(8):
            run_generator_step(ours, theirs, draw)
            same(ours.state, theirs.state)
            assert ours.key == theirs.key.numpy()


def some_parameters(draw, shape, choices, low, high):
    """Parameters of a shape: some of the choices, and powers of 10 in [10**low, 10**high)."""
    count = int(np.prod(shape, dtype=int))
    numbers = [draw.choice([draw.choice(choices), 10 ** draw.uniform(low, high)]) for _ in range(count)]
    return np.array(numbers, float).reshape(shape)


def test_poisson_binomial_and_gamma(tf, draw):
    """tensorflow 37 to 40: about 34,000 values of each."""
    for _ in range(CASES):
        seed, parameters = some_seed(draw), draw.choice([(), (3,), (2, 3)])
        shape = [*draw.choice([(), (7,), (200,), (2, 30)]), *parameters]
        dtype = draw.choice(["int32", "int64", "float32", "float64"])
        lam = some_parameters(draw, parameters, [0, 3, 10], -2, 6).astype(draw.choice("fdil"))
        lam = draw.choice([lam, lam.tolist()])
        same(tfr.stateless_poisson(shape, seed, lam, dtype), tf.random.stateless_poisson(shape, seed, lam, dtype))

        kind = draw.choice(["float16", "float32", "float64"])
        counts = np.minimum(some_parameters(draw, parameters, [0, -1, 5, 20, 5.5], 0, 6), 60000)
        probs = some_parameters(draw, parameters, [0.5, 0, 1, -0.2, 1.3, 0.7, 0.9], -6, 0)
        theirs = tf.random.stateless_binomial(shape, seed, counts, probs, tf.as_dtype(dtype))
        same(tfr.stateless_binomial(shape, seed, counts, probs, dtype), theirs)
        state, pair = [some_int(draw) for _ in range(3)], (counts.astype(kind), probs.astype(kind))
        ours, theirs = tfr.Generator.from_state(state), tf.random.Generator.from_state(state, alg=1)
        same(ours.binomial(shape, *pair, dtype), theirs.binomial(shape, *pair, tf.as_dtype(dtype)))
        same(ours.state, theirs.state)

        alpha, beta = (some_parameters(draw, parameters, [1, 0.5], -2, 4) for _ in "ab")
        arguments = shape, seed, alpha, draw.choice([None, 1.5, beta]), draw.choice(["float16", "float32", "float64"])
        same(tfr.stateless_gamma(*arguments), tf.random.stateless_gamma(*arguments))


def run_stateful_step(tf, draw, seeds):
    seed = draw.choice(seeds)
    shape, op = some_shape(draw), draw.choice(["uniform", "int", "normal", "truncated_normal"])
    if draw.random() < 0.2:
        shape = np.array(shape, np.int64)
    if op == "uniform":
        dtype = draw.choice(REALS)
        bounds = some_bounds(draw, dtype)
        same(tfr.uniform(shape, *bounds, dtype, seed), tf.random.uniform(shape, *bounds, dtype, seed))
    elif op == "int":
        dtype = draw.choice(["int32", "int64"])
        bounds = some_range(draw, dtype)
        same(tfr.uniform(shape, *bounds, dtype, seed), tf.random.uniform(shape, *bounds, dtype, seed))
    else:
        dtype = draw.choice(["float32", "float64"])
        a = getattr(tfr, op)(shape, dtype=dtype, seed=seed)
        b = getattr(tf.random, op)(shape, dtype=dtype, seed=seed).numpy()
        assert a.shape == b.shape
        assert_near(a, b)


def test_stateful_eager(tf, draw):
    for _ in range(CASES // 10):
        global_seed = draw.choice([0, 123, -5, draw.getrandbits(40), 2**31 - 1])
        tf.random.set_seed(global_seed)
        tfr.set_seed(global_seed)
        seeds = [None, 0, 234, -7, 2**31 - 1, draw.getrandbits(35)]
        for _ in range(12):
            run_stateful_step(tf, draw, seeds)
    tf.random.set_seed(None)
    tfr.set_seed(None)
    for _ in range(5):
        run_stateful_step(tf, draw, [1, draw.getrandbits(31)])


def test_stateful_categories_and_shuffles(tf, draw):
    """tensorflow 34 and 35"""
    for _ in range(CASES // 10):
        global_seed = draw.choice([0, 123, draw.getrandbits(40)])
        tf.random.set_seed(global_seed)
        tfr.set_seed(global_seed)
        for _ in range(12):
            seed = draw.choice([None, 0, 234, -7])
            kind = draw.choice(["float16", "float32", "float64"])
            logits = np.array([[draw.gauss(0, 2) for _ in range(5)] for _ in range(draw.randint(1, 3))], kind)
            arguments = logits, draw.randint(0, 9), draw.choice(["int32", "int64"]), seed
            same(tfr.categorical(*arguments), tf.random.categorical(*arguments))
            value = np.arange(draw.choice([0, 1, 2, 12, 3000]), dtype=draw.choice(["int32", "int64", "float32"]))
            value = value.reshape(draw.choice([(-1,), (len(value), 1), (1, -1)]))
            same(tfr.shuffle(value, seed), tf.random.shuffle(value, seed))
        values = draw.choice([[1, 2, 3], [1.0, 2, 3], [np.float64(1), 2.0], [True, False], [2**40, 1, 2]])
        assert tfr.shuffle(values, 3).tolist() == tf.random.shuffle(values, 3).numpy().tolist()


# TensorFlow Probability


@pytest.fixture(scope="module")
def samplers(tf):
    pytest.importorskip("tensorflow_probability")
    from tensorflow_probability.python.internal import samplers

    return samplers


def some_salt(draw):
    return draw.choice([None, "", "HiddenMarkovModel", "".join(chr(draw.randint(32, 0x2FF)) for _ in range(5))])


def test_tfp_seeds(tf, samplers, draw):
    for _ in range(CASES):
        pair, salt = [some_int(draw, 32), some_int(draw, 32)], some_salt(draw)
        seed = draw.choice([tuple, list, lambda values: np.array(values, np.int32)])(pair)
        same(tfp.sanitize_seed(seed, salt), samplers.sanitize_seed(seed, salt))
        n = draw.randint(0, 5)
        ours, theirs = tfp.split_seed(seed, n, salt), samplers.split_seed(seed, n, salt)
        assert type(ours) is type(theirs) is list
        for a, b in zip(ours, theirs, strict=True):
            same(a, b)
        same(tfp.split_seed(seed, np.array(n), salt), samplers.split_seed(seed, tf.constant(n), salt))
        wide = [some_int(draw), some_int(draw)]
        same(tfp.sanitize_seed(wide), samplers.sanitize_seed(wide))


def test_tfp_samplers(tf, samplers, draw):
    tf.random.set_seed(SEED)
    tfr.set_seed(SEED)
    for _ in range(CASES):
        seed = draw.choice([(some_int(draw, 32), some_int(draw, 32)), None, draw.getrandbits(31), 5])
        op, shape = draw.choice(["uniform", "int", "normal", "shuffle", "categorical"]), some_shape(draw)
        if op == "uniform":
            dtype = draw.choice(REALS)
            arguments = shape, *some_bounds(draw, dtype), dtype, seed
            same(tfp.uniform(*arguments), samplers.uniform(*arguments))
        elif op == "int":
            dtype = draw.choice(["int32", "int64"])
            arguments = shape, *some_range(draw, dtype), dtype, seed
            same(tfp.uniform(*arguments), samplers.uniform(*arguments))
        elif op == "normal":
            dtype = draw.choice(["float32", "float64"])
            a, b = (
                tfp.normal(shape, dtype=dtype, seed=seed),
                samplers.normal(shape, dtype=tf.as_dtype(dtype), seed=seed),
            )
            assert_near(a, b.numpy())
        elif op == "shuffle":
            value = np.arange(draw.randint(0, 30_000))
            same(tfp.shuffle(value, seed), samplers.shuffle(value, seed))
        else:
            logits = np.array([[draw.gauss(0, 2) for _ in range(5)] for _ in range(2)], np.float32)
            dtype = draw.choice([None, "int32"])
            same(tfp.categorical(logits, 6, dtype, seed), samplers.categorical(logits, 6, dtype, seed))


def test_tfp_gamma_poisson_and_rademacher(tf, samplers, draw):
    """tfp 7 and 14"""
    import tensorflow_probability

    tf.random.set_seed(SEED)
    tfr.set_seed(SEED)
    for _ in range(CASES):
        seed = draw.choice([(some_int(draw, 32), some_int(draw, 32)), None, draw.getrandbits(31), 5])
        shape, kind = draw.choice([[], [3], [20, 2], [300]]), draw.choice(["float16", "float32", "float64"])
        alpha, beta = draw.choice([1.0, 0.5, [1.0, 2.0], [[0.3], [4.0]]]), draw.choice([None, 2.0, [1.0, 5.0]])
        arguments = shape, alpha, beta
        same(tfp.gamma(*arguments, kind, seed), samplers.gamma(*arguments, tf.as_dtype(kind), seed))
        kind, rates = (
            draw.choice(["int32", "int64", "float16", "float32"]),
            draw.choice([3.5, [0.5, 50.0], np.array(9.5)]),
        )
        same(tfp.poisson(shape, rates, kind, seed), samplers.poisson(shape, rates, tf.as_dtype(kind), seed))
        kind = draw.choice([*REALS, "int32", "int64"])
        ours = tfp.rademacher(shape or [7], kind, seed)
        same(ours, tensorflow_probability.random.rademacher(shape or [7], tf.as_dtype(kind), seed))
