"""TensorFlow's tensors, shapes and types as arguments, without an import of TensorFlow (specs/tensorflow.md, section
9)."""

import inspect
import re
from enum import Enum

import numpy as np
import pytest

from dmlrand.compat import tensorflow as tfr, tfp


class DType:
    """The attributes of a tf.DType that are read here."""

    def __init__(self, name):
        self.name, self.as_numpy_dtype = name, np.dtype(name).type


class Tensor:
    """The methods of an EagerTensor that are read here."""

    def __init__(self, value, name):
        self.value, self.dtype = np.array(value, name), DType(name)
        self.ndim, self.shape = self.value.ndim, self.value.shape

    def numpy(self):
        return self.value[()]

    def __array__(self, dtype=None, copy=None):
        return self.value[()] if self.dtype.name == "bfloat16" else self.value  # a scalar for rank 0

    def __index__(self):
        return self.numpy().__index__()

    def __float__(self):
        return float(self.numpy())

    def __getitem__(self, index):
        return Tensor(self.value[index], self.value.dtype.name)

    def __len__(self):
        return len(self.value)


class TensorShape:
    def __init__(self, sizes):
        self.sizes, self.rank = sizes, None if sizes is None else len(sizes)

    def as_list(self):
        return list(self.sizes)

    def __iter__(self):
        return iter(self.sizes)

    def __repr__(self):
        return f"TensorShape({self.sizes})"


def int32(value):
    return Tensor(value, "int32")


def int64(value):
    return Tensor(value, "int64")


def same(ours, theirs):
    assert (ours.dtype, ours.shape, ours.tobytes()) == (theirs.dtype, theirs.shape, theirs.tobytes())


SEED = np.array([1, 2], np.int32)


@pytest.mark.parametrize("seed", [int32([1, 2]), int64([1, 2]), [int32(1), 2], (1, int32(2))])
def test_seeds(seed):
    """tensorflow 35"""
    same(tfr.stateless_uniform([3], seed), tfr.stateless_uniform([3], SEED))
    same(tfr.stateless_shuffle(np.arange(9), seed), tfr.stateless_shuffle(np.arange(9), SEED))


def test_the_type_of_a_seed():
    """tensorflow 35"""
    assert tfr.split(int32([1, 2])).dtype == np.int32
    for seed in (int64([1, 2]), [int64(1), 2], [1, int64(2)]):
        same(tfr.split(seed), tfr.split(SEED.astype(np.int64)))
    for kind in ("int32", "int64", "uint32", "uint64"):
        same(tfr.fold_in([1, 2], Tensor(3, kind)), tfr.fold_in([1, 2], np.dtype(kind).type(3)))


@pytest.mark.parametrize("shape", [int32([2, 3]), int64([2, 3]), [int32(2), 3], TensorShape([2, 3])])
def test_shapes(shape):
    """tensorflow 35"""
    same(tfr.stateless_uniform(shape, [1, 2]), tfr.stateless_uniform([2, 3], [1, 2]))
    assert tfr.Generator.from_seed(1).normal(shape).shape == tfp.uniform(shape, seed=(1, 2)).shape == (2, 3)


def test_the_type_of_a_shape_selects_a_cached_op():
    """tensorflow 24 and 35"""
    for shape, other in ((int64([2]), np.array([2])), ([int64(2)], np.array([2])), (TensorShape([2]), [2])):
        tfr.set_seed(1)
        first, second = tfr.uniform(shape, seed=3), tfr.uniform(other, seed=3)
        tfr.set_seed(1)
        same(np.concatenate([first, second]), np.concatenate([tfr.uniform(other, seed=3) for _ in "ab"]))
    tfr.set_seed(1)
    same(tfr.uniform(int64([2]), seed=3), tfr.uniform(int32([2]), seed=3))


def test_values_and_bounds():
    """tensorflow 35"""
    for kind in ("float16", "float32", "float64"):
        low, high = Tensor(1.5, kind), Tensor([2.5, 3.5], kind)
        expected = tfr.stateless_uniform([2, 2], [1, 2], low.value, high.value, kind)
        same(tfr.stateless_uniform([2, 2], [1, 2], low, high, low.dtype), expected)
        logits = Tensor([[0.0, 1.0, 2.0]], kind)
        same(tfr.stateless_categorical(logits, 9, [1, 2]), tfr.stateless_categorical(logits.value, 9, [1, 2]))
    expected = tfr.stateless_uniform([4], [1, 2], -3, 9, "int32")
    same(tfr.stateless_uniform([4], [1, 2], int32(-3), int32(9), int32(0).dtype), expected)
    same(tfr.index_shuffle(int32([3, 4]), int32([5, 9]), int32(9)), tfr.index_shuffle(np.int32([3, 4]), [5, 9], 9))
    same(tfp.shuffle(int32([[1], [2], [3]]), (1, 2)), tfp.shuffle(np.int32([[1], [2], [3]]), (1, 2)))


def test_a_sequence_of_logits_has_the_type_of_its_first_tensor():
    """tensorflow 29 and 35"""
    double = Tensor(1e8, "float64")
    expected = tfr.stateless_categorical(np.array([[100000003.0, 1e8]]), 50, [1, 2])
    same(tfr.stateless_categorical([[100000003.0, double]], 50, [1, 2]), expected)


def test_bfloat16_tensors_of_rank_0():
    """tensorflow 35"""
    pytest.importorskip("ml_dtypes")
    low, high = Tensor(1.5, "bfloat16"), Tensor(3.5, "bfloat16")
    same(
        tfr.stateless_uniform([5], [1, 2], low, high, low.dtype),
        tfr.stateless_uniform([5], [1, 2], 1.5, 3.5, "bfloat16"),
    )


def test_states_seeds_and_counts_of_generators():
    """tensorflow 35"""
    states = [
        (tfr.Generator.from_state(int64([1, 2, 3])), [1, 2, 3]),
        (tfr.Generator.from_seed(int32(5)), [0, 0, 5]),
        (tfr.Generator.from_seed(int32([5, 6])), [0, 5, 6]),
        (tfr.Generator.from_key_counter(int64(3), int64([1, 2])), [1, 2, 3]),
    ]
    for generator, state in states:
        assert generator.state.tolist() == state
        assert generator.skip(int32(2)).tolist() == state
    assert tfr.Generator.from_seed(1).make_seeds(int32(3)).shape == (2, 3)
    assert tfr.state_of_key_counter(Tensor([3], "uint64"), Tensor([1, 2], "uint64")).tolist() == [1, 0, 2, 0, 3, 0]


def test_global_and_op_seeds():
    """tensorflow 35"""
    tfr.set_seed(5)
    expected = tfr.uniform([2], seed=3)
    tfr.set_seed(int32(5))
    same(tfr.uniform([2], seed=int64(3)), expected)
    tfr.set_seed(None)


def test_algorithms():
    """tensorflow 36"""
    theirs = Enum("Algorithm", {"PHILOX": 1, "THREEFRY": 2, "AUTO_SELECT": 3})
    assert {each.name: each.value for each in tfr.Algorithm} == {each.name: each.value for each in theirs}
    for names in (theirs, tfr.Algorithm):
        assert tfr.Generator.from_state([1, 2, 3], names.AUTO_SELECT).algorithm == 3
        same(tfr.split([1, 2], alg=names.PHILOX), tfr.split([1, 2]))
        with pytest.raises(ValueError, match="^alg must be 'philox' .* ThreeFry is not imitated"):
            tfr.split([1, 2], alg=names.THREEFRY)


def test_tfp():
    """tfp 3 and 5"""
    same(tfp.sanitize_seed(int32([1, 2]), "salt"), tfp.sanitize_seed((1, 2), "salt"))
    same(tfp.split_seed((1, 2), int32(3)), tfp.split_seed((1, 2), np.array(3)))
    for kind in ("int64", "uint64"):
        with pytest.raises(TypeError, match=f"^seed must be int32 in a tensor; got an array of {kind}"):
            tfp.sanitize_seed(Tensor([1, 2], kind))


REFUSED = [
    (ValueError, "seed must have shape [2]: two ints, such as [1, 2]; got shape [3].", [2], int32([1, 2, 3])),
    (
        TypeError,
        "seed must hold integers; got an array of float32. Convert it yourself.",
        [2],
        Tensor([1, 2], "float32"),
    ),
    (TypeError, "seed[0] must be an integer; got", [2], [Tensor(1, "float32"), 2]),
    (
        ValueError,
        "seed[1] must be in [-2**31, 2**31); got 1099511627776. seed is int32, as its tensors are.",
        [2],
        [int32(1), 2**40],
    ),
    (TypeError, "shape must be a sequence of ints; got", int32(2), [1, 2]),
    (
        ValueError,
        "shape must be a fully known TensorShape; got TensorShape(None). Pass a list of ints.",
        TensorShape(None),
        [1, 2],
    ),
    (ValueError, "shape must be a fully known TensorShape; got", TensorShape([2, None]), [1, 2]),
]


@pytest.mark.parametrize("kind, message, shape, seed", REFUSED, ids=[message for _, message, *_ in REFUSED])
def test_refused(kind, message, shape, seed):
    """tensorflow 35"""
    with pytest.raises(kind, match="^" + re.escape(message)):
        tfr.stateless_uniform(shape, seed)


NOT_HERE = ["stateless_parameterized_truncated_normal", "experimental"]
NOT_HERE += [f"{name}_candidate_sampler" for name in ("all", "fixed_unigram", "learned_unigram", "log_uniform")]
NOT_HERE += ["uniform_candidate_sampler"]


@pytest.mark.parametrize("name", NOT_HERE)
def test_names_of_the_guide_that_do_not_exist_here(name):
    """tensorflow 44: the error says what to do instead."""
    with pytest.raises(AttributeError, match=f"^module 'dmlrand.compat.tensorflow' has no attribute '{name}'. [A-Z]"):
        getattr(tfr, name)


def test_the_hint_of_a_name_that_is_refused():
    """tensorflow 44 and 52"""
    for name, hint in (
        ("stateless_parameterized_truncated_normal", "number of threads: specs/tensorflow.md, clause 52."),
        ("random", "Leave it out: the functions of tf.random are functions of this package."),
        ("function", "specs/tensorflow.md, clause 47, says what to write."),
    ):
        with pytest.raises(AttributeError, match=re.escape(hint)):
            getattr(tfr, name)
    with pytest.raises(AttributeError, match="has no attribute 'uniforn'$"):
        tfr.uniforn  # noqa: B018


def test_the_guides_tensors_as_arrays():
    """tensorflow 45"""
    for result in (tfr.uniform([]), tfr.split([1, 2]), tfr.Generator.from_seed(1).normal([]), tfr.shuffle([1, 2])):
        assert type(result) is np.ndarray
        with pytest.raises(AttributeError):
            result.numpy()
    assert type(tfr.index_shuffle(1, [1, 2], 9)) is np.int32 and type(tfr.Generator.from_seed(1).key) is np.int64
    pair = np.array([1, 2], np.int32)
    same(tfr.split(pair), tfr.split(int32([1, 2])))
    assert tfr.split(np.array([1, 2])).dtype == np.int64  # NumPy's own type of ints gives other seeds
    tfr.set_seed(1)
    expected = tfr.categorical(Tensor(np.log([[0.5, 0.5]]), "float32"), 50, seed=2)
    tfr.set_seed(1)
    tfr.categorical(np.log([[0.5, 0.5]]), 50, seed=2)  # float64: another op
    same(tfr.categorical(np.log(np.float32([[0.5, 0.5]])), 50, seed=2), expected)
    tfr.set_seed(None)


# With TensorFlow itself


@pytest.fixture(scope="module")
def tf():
    return pytest.importorskip("tensorflow", reason="tensorflow is not installed")


@pytest.mark.peers
def test_every_argument_of_tensorflow(tf):
    """tensorflow 35 and 36: our result for TensorFlow's objects is TensorFlow's own result."""
    constant, wide, random = tf.constant, tf.int64, tf.random
    pair, shape = constant([7, -8]), tf.TensorShape([2, 3])
    seeds = [pair, constant([7, 8], wide), tf.Variable([7, 8]), [constant(7), 8], [7, constant(8, wide)]]
    shapes = [constant([2, 3]), constant([2, 3], wide), tf.Variable([2, 3]), [constant(2), 3], shape]
    shapes += [shape.as_list(), (shape[0],), tf.TensorShape([]), constant([], tf.int32)]
    logits = [constant([[1.0, 2.0]], kind) for kind in (tf.float16, tf.bfloat16, tf.float32, tf.float64)]
    logits += [[constant([1.0, 2.0], wide), constant([2.0, 1.0], wide)] for wide in (tf.float32, tf.float64)]
    calls = [("split", (seed, 3)) for seed in seeds]
    calls += [("stateless_uniform", (shape, seed)) for shape in shapes for seed in seeds]
    calls += [("stateless_uniform", (shape, pair, 0, 9, tf.int32)) for shape in shapes]
    calls += [("fold_in", (pair, constant(3, kind))) for kind in (tf.int32, wide, tf.uint32, tf.uint64)]
    for kind in (tf.float16, tf.bfloat16, tf.float32, tf.float64):
        calls.append(("stateless_uniform", (shape, pair, constant(1.5, kind), tf.Variable(constant(2.5, kind)), kind)))
    calls.append(("stateless_uniform", (shape, pair, constant(-3, wide), constant(9, wide), wide)))
    calls += [("stateless_categorical", (rows, 9, pair, tf.int32)) for rows in logits]
    for op, arguments in calls:
        same(getattr(tfr, op)(*arguments), getattr(random, op)(*arguments).numpy())
    generator = random.Generator.from_state(constant([1, 2, 3]), random.Algorithm.PHILOX)
    ours = tfr.Generator.from_state(generator.state, random.Algorithm.PHILOX)
    for _ in range(3):
        same(ours.uniform(shape, dtype=tf.float64), generator.uniform(shape, dtype=tf.float64).numpy())
        same(ours.skip(constant(3)), generator.skip(constant(3)).numpy())
    for seed in (constant(5), constant(5, wide), constant([5, 6]), tf.Variable([1, 2, 3, 4]), [constant(1), 2]):
        same(tfr.create_rng_state(seed, "philox"), random.create_rng_state(seed, "philox").numpy())


@pytest.mark.peers
def test_names_of_tf_random_and_their_arguments(tf):
    """tensorflow 44: every name that is not here is listed, and all others have TensorFlow's arguments."""
    names, experimental = (
        [name for name in dir(each) if name[0] != "_"] for each in (tf.random, tf.random.experimental)
    )
    assert {name for name in names if not hasattr(tfr, name)} == set(NOT_HERE)
    pairs = [(getattr(tfr, name), getattr(tf.random, name)) for name in set(names) - set(NOT_HERE)]
    pairs += [(getattr(tfr, name), getattr(tf.random.experimental, name)) for name in experimental]
    Theirs = tf.random.Generator
    pairs += [(getattr(tfr.Generator, name), getattr(Theirs, name)) for name in dir(Theirs) if name[0] != "_"]
    calls = [pair for pair in pairs if inspect.isroutine(pair[1])]
    assert len(calls) > 30
    for ours, theirs in calls:
        assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters)
