"""The installed TensorFlow and TensorFlow Probability, on new random cases. Run with pytest -m peers."""

import os
from functools import partial

import numpy as np
import pytest
from numbers_at import bits_of
from tf_answers import assert_near

from dmlrand.compat import tensorflow as tfr, tfp

pytestmark = pytest.mark.peers

CASES = int(os.environ.get("PEERS_CASES", "150"))
FLOATS = ["float16", "float32", "float64"]
REALS = [*FLOATS, "bfloat16"]
INTEGERS = ["int32", "int64", "uint32", "uint64"]


@pytest.fixture(scope="module")
def tf():
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    return pytest.importorskip("tensorflow")


@pytest.fixture
def draw(chance):
    return chance


def some_int(draw, bits=64):
    edges = [0, 1, -1, 2**31 - 1, -(2**31), 2**32 - 1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1))]
    value = draw.choice([draw.randint(-1000, 1000), draw.getrandbits(bits) - 2 ** (bits - 1), draw.choice(edges)])
    return value if -(2 ** (bits - 1)) <= value < 2 ** (bits - 1) else 7


def some_seed(draw):
    kind, bits = draw.choice([(np.int32, 32), (np.int64, 64)])
    return np.array([some_int(draw, bits), some_int(draw, bits)], kind)


def some_shape(draw):
    return [draw.randint(0, 6) for _ in range(draw.randint(0, 3))] if draw.random() < 0.9 else [draw.randint(1, 5000)]


def some_reals(draw):
    """Bounds and a type."""
    dtype = draw.choice(REALS)
    low, tiny = draw.uniform(-100, 100), 2.0 ** draw.randint(-132, -100)  # tiny: TensorFlow flushes subnormal numbers
    bounds = [(0, None), (0, 1), (low, low + 2.5 + 10 ** draw.uniform(0, 3)), (-1, 3)]
    return *draw.choice(bounds if dtype == "float16" else [*bounds, (-tiny * draw.random(), tiny)]), dtype


def some_integers(draw):
    """Bounds and a type."""
    dtype = draw.choice(["int32", "int64"])
    info = np.iinfo(dtype)
    low, high = sorted(draw.choice([draw.randint(int(info.min), int(info.max)), draw.randint(-100, 100)]) for _ in "ab")
    return *((low, high) if low < high else (low, low + 1) if low < info.max else (low - 1, low)), dtype


def some_normals(draw):
    """Mean, deviation and a type."""
    return *draw.choice([(0.0, 1.0), (draw.uniform(-5, 5), draw.uniform(-2, 9))]), draw.choice(REALS)


def some_numbers(draw, *more):
    return draw.choice([some_reals, some_integers, *more])(draw)


def some_logits(draw):
    batch, classes = draw.randint(1, 3), draw.randint(1, 9)
    logits = np.array([[draw.gauss(0, 2) for _ in range(classes)] for _ in range(batch)], draw.choice(FLOATS))
    if draw.random() < 0.3:
        logits[0, draw.randrange(classes)] = draw.choice([np.inf, -np.inf, np.nan])
    return logits


def some_parameters(draw, shape, choices, low, high):
    """Parameters of a shape: some of the choices, and powers of 10 in [10**low, 10**high)."""
    count = int(np.prod(shape, dtype=int))
    numbers = [draw.choice([draw.choice(choices), 10 ** draw.uniform(low, high)]) for _ in range(count)]
    return np.array(numbers, float).reshape(shape)


def shape_of_parameters(draw):
    """The shapes of a result and of its parameters."""
    parameters = draw.choice([(), (3,), (2, 3)])
    return [*draw.choice([(), (7,), (200,), (2, 30)]), *parameters], parameters


def some_poisson(draw):
    shape, parameters = shape_of_parameters(draw)
    lam = some_parameters(draw, parameters, [0, 3, 10], -2, 6).astype(draw.choice("fdil"))
    return shape, some_seed(draw), draw.choice([lam, lam.tolist()]), draw.choice(["int32", "int64", "float32"])


def some_binomial(draw, *seed, kind="float64"):
    shape, parameters = shape_of_parameters(draw)
    counts = np.minimum(some_parameters(draw, parameters, [0, -1, 5, 20, 5.5], 0, 6), 60000)
    probs = some_parameters(draw, parameters, [0.5, 0, 1, -0.2, 1.3, 0.7, 0.9], -6, 0)
    return shape, *seed, counts.astype(kind), probs.astype(kind), draw.choice(["int32", "int64", "float64"])


def some_gamma(draw):
    shape, parameters = shape_of_parameters(draw)
    alpha, beta = (some_parameters(draw, parameters, [1, 0.5], -2, 4) for _ in "ab")
    return shape, some_seed(draw), alpha, draw.choice([None, 1.5, beta]), draw.choice(FLOATS)


def some_index(draw):
    kind = np.dtype(draw.choice(INTEGERS)).type
    most = int(np.iinfo(kind).max)
    power = 1 << draw.randint(0, most.bit_length() - 1)
    top = min(most, draw.choice([draw.randint(0, 50), draw.randint(0, most), max(0, power + draw.randint(-1, 1))]))
    return kind(draw.choice([0, top, draw.randint(0, top)])), some_seed(draw), kind(top)


def agree(tf, name, ours, theirs, arguments, **seed):
    """Call both functions. Normals are near, and all others equal. Generators are compared by their states."""
    mine = ours(*arguments, **seed)
    others = theirs(*(tf.as_dtype(each) if isinstance(each, str) else each for each in arguments), **seed)
    if not isinstance(mine, (list, tuple)):
        mine, others = [mine], [others]
    for mine, other in zip(mine, others, strict=True):
        mine, other = (getattr(each, "state", each) for each in (mine, other))
        mine, other = np.asarray(mine), np.asarray(other.numpy() if hasattr(other, "numpy") else other)
        assert (mine.dtype, mine.shape) == (other.dtype, other.shape), arguments
        if "normal" in name:
            mean, stddev = arguments[-3:-1]
            assert_near(mine, other, mean, stddev)
        elif mine.dtype != object:  # reset returns None
            assert bits_of(mine) == bits_of(other), arguments


STATELESS = {
    "stateless_uniform": lambda draw: (
        some_shape(draw), some_seed(draw), *some_numbers(draw, lambda draw: (None, None, draw.choice(INTEGERS)))
    ),
    "stateless_normal": lambda draw: (some_shape(draw), some_seed(draw), *some_normals(draw)),
    "stateless_truncated_normal": lambda draw: (some_shape(draw), some_seed(draw), *some_normals(draw)),
    "split": lambda draw: (draw.choice([np.copy, np.ndarray.tolist])(some_seed(draw)), draw.randint(0, 5)),
    "fold_in": lambda draw: (
        some_seed(draw), draw.choice([some_int(draw), np.dtype(draw.choice(INTEGERS)).type(draw.randint(0, 2**31))])
    ),
    "stateless_shuffle": lambda draw: (np.arange(2 * draw.choice([9, 2000])).reshape(-1, 2), some_seed(draw)),
    "index_shuffle": some_index,
    "stateless_categorical": lambda draw: (
        some_logits(draw), draw.randint(0, 9), some_seed(draw), draw.choice(["int32", "int64"])
    ),
    "stateless_poisson": some_poisson,
    "stateless_binomial": lambda draw: some_binomial(draw, some_seed(draw)),
    "stateless_gamma": some_gamma,
}  # fmt: skip


@pytest.mark.parametrize("name", STATELESS)
def test_stateless(tf, draw, name):
    theirs = getattr(tf.random, name, None) or getattr(tf.random.experimental, name)
    for _ in range(CASES):
        agree(tf, name, getattr(tfr, name), theirs, STATELESS[name](draw))


def test_seeds(tf, draw):
    for _ in range(CASES):
        seed = some_seed(draw)
        theirs = tf.raw_ops.StatelessRandomGetKeyCounter
        agree(tf, "seeds", tfr.stateless_random_get_key_counter, lambda seed: theirs(seed=seed), [seed])


GENERATOR = {
    "uniform": lambda draw: (some_shape(draw), *some_numbers(draw)),
    "uniform_full_int": lambda draw: (some_shape(draw), draw.choice(INTEGERS)),
    "normal": lambda draw: (some_shape(draw), *some_normals(draw)),
    "truncated_normal": lambda draw: (some_shape(draw), *some_normals(draw)),
    "binomial": lambda draw: some_binomial(draw, kind=draw.choice(FLOATS)),
    "skip": lambda draw: [
        draw.choice([draw.randint(-5, 5), some_int(draw), 2**56 - 1, (some_int(draw) | -(2**24)) % 2**56])
    ],
    "make_seeds": lambda _: [3],
    "split": lambda _: [2],
    "reset": lambda draw: [np.array([some_int(draw) for _ in range(3)])],
    "reset_from_seed": lambda draw: [
        draw.choice([draw.getrandbits(200), -draw.getrandbits(70), np.array([some_int(draw)] * draw.randint(1, 4))])
    ],
}


def test_generator(tf, draw):
    for _ in range(CASES // 5):
        state = np.array([some_int(draw) for _ in range(3)])
        ours, theirs = (each.Generator.from_state(state, alg="philox") for each in (tfr, tf.random))
        for name in draw.choices(list(GENERATOR), k=10):
            agree(tf, name, getattr(ours, name), getattr(theirs, name), GENERATOR[name](draw))
            if name == "binomial":
                theirs.reset(ours.state)  # because tensorflow-cpu 2.21.0 loses the new state in about one call of 300
            assert ours.state.tolist() == theirs.state.numpy().tolist() and ours.key == theirs.key.numpy()


def test_under_xla(tf, draw):
    """tensorflow 5"""

    def compiled(function):
        return lambda *arguments: tf.function(lambda: function(*arguments), jit_compile=True, autograph=False)()

    ours, theirs = partial(tfr.stateless_uniform, jit_compile=True), compiled(tf.random.stateless_uniform)
    for _ in range(CASES // 3):
        full_range = None, None, draw.choice(INTEGERS)
        reals = [(0, draw.choice([1, 2.9]), draw.choice(FLOATS)), (0, 1e-38, draw.choice(["float32", "float64"]))]
        shape = draw.choice([some_shape(draw), [1001], [70_001]])
        agree(tf, "", ours, theirs, (shape, some_seed(draw), *draw.choice([full_range, some_integers(draw), *reals])))
    mine, other = (each.Generator.from_state([2**32 - 300, 5, 9], 1) for each in (tfr, tf.random))
    for dtype in ("float32", "float64"):
        agree(tf, "", partial(mine.uniform, jit_compile=True), compiled(other.uniform), ([7], 0, None, dtype))
        assert mine.state.tolist() == other.state.numpy().tolist()


def some_tensor_shape(draw):
    return np.array(some_shape(draw), np.int64) if draw.random() < 0.2 else some_shape(draw)


def some_rows(draw):
    rows = np.arange(draw.choice([0, 1, 2, 12, 3000]), dtype=draw.choice(["int32", "int64", "float32"]))
    return [draw.choice([rows.reshape(-1, 1), rows.reshape(1, -1), rows])]


EAGER = {
    "uniform": lambda draw: (some_tensor_shape(draw), *some_numbers(draw)),
    "normal": lambda draw: (some_tensor_shape(draw), *some_normals(draw)),
    "truncated_normal": lambda draw: (some_tensor_shape(draw), *some_normals(draw)),
    "categorical": lambda draw: (some_logits(draw), draw.randint(0, 9), draw.choice(["int32", "int64"])),
    "shuffle": some_rows,
}


def test_eager(tf, draw):
    """tensorflow 21, 24, 34 and 35"""
    for global_seed in [None, *draw.choices([0, 123, -5, draw.getrandbits(40), 2**31 - 1], k=CASES // 10)]:
        tf.random.set_seed(global_seed)
        tfr.set_seed(global_seed)
        seeds = [0, 234, -7, 2**31 - 1, draw.getrandbits(35)] + [None] * (global_seed is not None)
        for name in draw.choices(list(EAGER), k=15):
            agree(tf, name, getattr(tfr, name), getattr(tf.random, name), EAGER[name](draw), seed=draw.choice(seeds))
        rows = draw.choice([[1, 2, 3], [1.0, 2, 3], [np.float64(1), 2.0], [True, False], [2**40, 1, 2]])
        assert tfr.shuffle(rows, 3).tolist() == tf.random.shuffle(rows, 3).numpy().tolist()


# TensorFlow Probability


@pytest.fixture(scope="module")
def samplers(tf):
    pytest.importorskip("tensorflow_probability")
    from tensorflow_probability.python.internal import samplers

    return samplers


def test_tfp_seeds(tf, samplers, draw):
    for _ in range(CASES):
        pair = [some_int(draw, 32), some_int(draw, 32)]
        salt = draw.choice([None, "", "HiddenMarkovModel", "".join(chr(draw.randint(32, 0x2FF)) for _ in range(5))])
        seed = draw.choice([tuple, list, lambda values: np.array(values, np.int32)])(pair)
        wide = [some_int(draw), some_int(draw)]
        assert tfp.sanitize_seed(seed, salt).tolist() == samplers.sanitize_seed(seed, salt).numpy().tolist()
        assert tfp.sanitize_seed(wide).tolist() == samplers.sanitize_seed(wide).numpy().tolist()
        for n in (draw.randint(0, 5), np.array(draw.randint(0, 5))):
            ours, theirs = tfp.split_seed(seed, n, salt), samplers.split_seed(seed, n, salt)
            assert isinstance(ours, list) == isinstance(theirs, list) == isinstance(n, int)
            assert np.reshape(ours, (-1, 2)).tolist() == np.reshape(theirs, (-1, 2)).tolist()


TFP = {
    "uniform": lambda draw: (some_shape(draw), *some_numbers(draw)),
    "normal": lambda draw: (some_shape(draw), 0.0, 1.0, draw.choice(["float32", "float64"])),
    "shuffle": lambda draw: [np.arange(draw.randint(0, 30_000))],
    "categorical": lambda draw: (some_logits(draw), 6, draw.choice([None, "int32"])),
    "gamma": lambda draw: (
        draw.choice([[], [3], [20, 2], [300]]), draw.choice([1.0, 0.5, [1.0, 2.0], [[0.3], [4.0]]]),
        draw.choice([None, 2.0, [1.0, 5.0]]), draw.choice(FLOATS),
    ),
    "poisson": lambda draw: (
        draw.choice([[], [3], [20, 2], [300]]), draw.choice([3.5, [0.5, 50.0], np.array(9.5)]),
        draw.choice(["int32", "int64", "float16", "float32"]),
    ),
    "rademacher": lambda draw: (some_shape(draw) or [7], draw.choice([*REALS, "int32", "int64"])),
}  # fmt: skip


def test_tfp_samplers(tf, samplers, draw):
    """tfp 4, 6 to 8 and 14"""
    import tensorflow_probability

    global_seed = draw.getrandbits(31)
    tf.random.set_seed(global_seed)
    tfr.set_seed(global_seed)
    for name in draw.choices(list(TFP), k=2 * CASES):
        seed = draw.choice([(some_int(draw, 32), some_int(draw, 32)), None, draw.getrandbits(31), 5])
        theirs = getattr(samplers, name, None) or tensorflow_probability.random.rademacher
        agree(tf, name, getattr(tfp, name), theirs, TFP[name](draw), seed=seed)
