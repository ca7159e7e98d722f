"""The errors of compat.jax and their messages."""

import re

import numpy as np
import pytest
from refusing import refused

import dmlrand
from dmlrand.compat import jax

KEY = jax.PRNGKey(0)
STATE = dmlrand.make_state(key=1)


class TypedKey:
    """As much of a typed key as is read before JAX is needed."""

    def __init__(self, name):
        self.dtype = type("KeyTy", (), {"name": name})()
        self.shape = ()


RBG = np.zeros((2, 4), np.uint32)
KEYS = "key must be an array whose last axis holds the words of a"
INFINITE, TYPED = float("inf"), "key must be a typed key of key<fry>, key<phx4>, key<rbg> or key<urbg>; got "
REFUSED = [
    (ValueError, "p must be in [0, 1]; got 1.5.", lambda: jax.geometric(KEY, 1.5)),
    (TypeError, "scale must be a float or an array of them", lambda: jax.rayleigh(KEY, np.ones(2, np.int64), 2)),
    (TypeError, "dtype must be int8, int16, int32, int64, uint8", lambda: jax.rademacher(KEY, 2, 'complex64')),
    (ValueError, "mode must be 'low' or 'high'; got None.", lambda: jax.bernoulli(KEY, 0.5, mode=None)),
    (ValueError, "num must be at least 0; got -1.", lambda: jax.split(KEY, -1)),
    (TypeError, "data must hold integers; got float64 of shape (1,).", lambda: jax.fold_in(KEY, np.array([1.0]))),
    (ValueError, "shape[1] must be at least 0; got -3.", lambda: jax.bits(KEY, (2, -3))),
    (TypeError, "dtype must be uint8, uint16, uint32 or uint64, in native byte order; got <class 'numpy.int32'>.",
     lambda: jax.bits(KEY, 3, np.int32)),
    (TypeError, "dtype must be int8, int16, int32, int64, uint8, uint16, uint32, uint64, int4, uint4, int2 or uint2,",
     lambda: jax.randint(KEY, 3, 0, 5, 'float32')),
    (ValueError, "an output without partitionable must take fewer than 2**32 - 1 words; got 4294967296.",
     lambda: jax.bits(KEY, 1 << 32, partitionable=False)),
    (TypeError, "minval must be a real number or an array of them; got 1j of type complex.",
     lambda: jax.uniform(KEY, 3, minval=1j)),
    (ValueError, "maxval must be in [-2**63, 2**63); got", lambda: jax.uniform(KEY, 3, maxval=2 ** 70)),
    (ValueError, "minval must broadcast to shape (3,); got shape (2,).",
     lambda: jax.uniform(KEY, 3, minval=np.zeros(2))),
    (TypeError, "minval must be an integer; got 0.5 of type float.", lambda: jax.randint(KEY, 3, 0.5, 3)),
    (TypeError, "p must be a float or an array of them; got 1 of type int. Pass floats.",
     lambda: jax.bernoulli(KEY, 1)),
    (ValueError, "logits must have an axis of categories; got the scalar 1.0.", lambda: jax.categorical(KEY, 1.0)),
    (ValueError, "axis must be in [-2, 2) for an array of rank 2; got 2.",
     lambda: jax.categorical(KEY, np.ones((2, 3)), 2)),
    (ValueError, "logits without axis must broadcast to shape (3,); got shape (2,).",
     lambda: jax.categorical(KEY, np.ones((2, 3)), -1, (3,))),
    (ValueError, "logits must have at least one category; got shape (2, 0).",
     lambda: jax.categorical(KEY, np.ones((2, 0)))),
    (ValueError, "shape without replacement must be at most 3 draws, one for each category, in front of (2,);",
     lambda: jax.categorical(KEY, np.ones((2, 3)), -1, (4, 2), False)),
    (TypeError, "replace must be True or False; got None.", lambda: jax.categorical(KEY, np.ones(3), replace=None)),
    (ValueError, "x must be in [0, 2**31); got -1.", lambda: jax.permutation(KEY, -1)),
    (TypeError, "x must be an array of one axis or more, or an int; got list.", lambda: jax.permutation(KEY, [1, 2])),
    (TypeError, "independent must be True or False; got 1.", lambda: jax.permutation(KEY, 5, 0, 1)),
    (ValueError, "a must hold an element to draw from; got none.", lambda: jax.choice(KEY, 0)),
    (ValueError, "shape without replacement must be at most 3 draws, the elements of a; got 4.",
     lambda: jax.choice(KEY, 3, 4, False)),
    (ValueError, "p must have a weight for each of the 3 elements; got shape (2,).",
     lambda: jax.choice(KEY, 3, p=[0.5, 0.5])),
    (TypeError, "p must be float32 or float64; got float16.", lambda: jax.choice(KEY, 2, p=np.ones(2, np.float16))),
    (ValueError, "algorithm must be 'RNG_DEFAULT' or 'RNG_PHILOX'; got 'RNG_THREE_FRY'.",
     lambda: jax.rng_bit_generator(np.zeros(4, np.uint32), 3, algorithm='RNG_THREE_FRY')),
    (ValueError, "key must be a single key; got shape (2, 4).",
     lambda: jax.rng_bit_generator_state(np.zeros((2, 4), np.uint32))),
    (ValueError, "dtype must be None if impl is given; got 'rbg' and 'rbg'.",
     lambda: jax.key(7, impl='rbg', dtype='rbg')),
    (TypeError, "dtype float64 needs x64=True", lambda: jax.uniform(KEY, dtype='float64')),
    (ValueError, "lower must broadcast to shape (3,); got shape (2,).",
     lambda: jax.truncated_normal(KEY, np.zeros(2, np.float32), 1.0, (3,))),
    *[(ValueError, f"b must be above 0; got {b!r}.", lambda b=b: jax.pareto(KEY, b)) for b in (0.0, -1, np.nan)],
    (ValueError, "lam must not be infinite, for which JAX's draw does not end; got inf.",
     lambda: jax.poisson(KEY, INFINITE)),
    (ValueError, "n must not be infinite, for which JAX's draw does not end",
     lambda: jax.binomial(KEY, INFINITE, 0.5)),
    (ValueError, "poisson takes keys of impl 'threefry2x32', as in JAX; got 'rbg'.",
     lambda: jax.poisson(RBG[0], 3.0, impl="rbg")),
    (ValueError, "key must be a single key for impl 'rbg'; got shape (2,). Draw them one by one.",
     lambda: jax.binomial(RBG, 5.0, 0.5, impl="rbg")),
    (ValueError, f"{TYPED}key<fry4>.", lambda: jax.bits(TypedKey("key<fry4>"))),
    (ValueError, "impl must be None or 'rbg', the impl of key; got 'threefry2x32'.",
     lambda: jax.bits(TypedKey("key<rbg>"), impl="threefry2x32")),
    (TypeError, f"{KEYS} threefry2x32 key, 2 of uint32; got object", lambda: jax.bits(TypedKey(7))),
]  # fmt: skip


@pytest.mark.parametrize("error, words, call", REFUSED)
def test_what_is_refused(error, words, call):
    """jax 2, 3, 5, 13, 14, 15, 21, 23, 24, 27 and 28"""
    refused(error, words, call)


DRAWS = {"split": (), "fold_in": (1,), "bits": (3,), "randint": (3, 0, 5), "bernoulli": (), "permutation": (3,)}


@pytest.mark.parametrize("name", DRAWS)
def test_arguments_that_are_not_keys(name):
    """jax 1"""

    def draw(key, **options):
        return getattr(jax, name)(key, *DRAWS[name], **options)

    rule = f"{KEYS} threefry2x32 key, 2 of uint32; got "
    six = "Six words are a state, not a key: draw from it with dmlrand.random_generator."
    for shape, remedy in (
        ((6,), six), ((1, 6), six), ((4,), "Four words are a key of impl='rbg' or 'unsafe_rbg'."),
        ((2, 3), "PRNGKey(seed, impl=...) makes one."), ((), "PRNGKey(seed, impl=...) makes one."),
    ):  # fmt: skip
        refused(ValueError, f"{rule}uint32 of shape {shape}. {remedy}", draw, np.zeros(shape, np.uint32))
    remedy = "Convert it yourself once its values are known to be in range."
    refused(TypeError, f"{rule}int64 of shape (2,). {remedy}", draw, np.zeros(2, np.int64))
    refused(TypeError, f"{rule}list. Pass numpy.array(words, numpy.uint32).", draw, [0, 1])
    refused(TypeError, f"{rule}MaskedArray", draw, np.ma.zeros(2, np.uint32))
    refused(ValueError, f"{KEYS} rbg key, 4 of uint32; got uint32 of shape (2,).", draw, KEY, impl="rbg")
    rule = "impl must be 'threefry2x32', 'philox4x32', 'rbg' or 'unsafe_rbg'; got "
    refused(ValueError, f"{rule}'rng'.", draw, KEY, impl="rng")
    refused(ValueError, f"{rule}['rbg'].", draw, KEY, impl=["rbg"])
    if name != "fold_in":
        refused(TypeError, "partitionable must be True or False; got None.", draw, KEY, partitionable=None)
    if name not in ("split", "fold_in"):
        refused(TypeError, "x64 must be True or False; got 'on'.", draw, KEY, x64="on")


@pytest.mark.parametrize("make", [jax.PRNGKey, jax.key])
def test_seeds(make):
    """jax 2"""
    for seed in (1 << 63, -(1 << 63) - 1):
        refused(ValueError, f"seed must be in [-2**63, 2**63); got {seed}.", make, seed)
    for seed in (1.0, "1", None, True, np.float32(1), np.zeros(2, np.int64), KEY):
        refused(TypeError, "seed must be an integer; got ", make, seed)
    refused(ValueError, "impl must be 'threefry2x32', 'philox4x32', 'rbg' or 'unsafe_rbg'; got 7.", make, 0, impl=7)
    refused(TypeError, "x64 must be True or False; got 1.", make, 0, x64=1)
    assert make(-(1 << 63), x64=True).tolist() == [1 << 31, 0]
    assert make((1 << 63) - 1, x64=True).tolist() == [(1 << 31) - 1, (1 << 32) - 1]
    assert make(np.uint64((1 << 64) - 1), x64=True).tolist() == [(1 << 32) - 1] * 2


class WeaklyTyped(np.ndarray):
    """As much of jax.numpy.array(2.0) as is read: JAX promotes it as a Python float."""

    weak_type = True


def test_types_of_parameters():
    """jax 21"""
    for number, dtype, x64, own in (
        (np.float32(2), "float16", False, "float32"),
        (np.full(3, 2.0), "float16", True, "float64"),
        (np.full(3, 2.0), "float32", True, "float64"),
    ):
        rule = f"scale must be a Python float or have a type that fits in dtype {dtype}; got {own}. "
        mode = {"shape": 3, "dtype": dtype, "x64": x64}
        refused(TypeError, f"{rule}Convert it: scale.astype({dtype!r}).", jax.rayleigh, KEY, number, **mode)
        drawn = jax.rayleigh(KEY, number.astype(dtype), **mode)
        assert drawn.dtype == dtype and drawn.tolist() == jax.rayleigh(KEY, 2.0, **mode).tolist()
    assert jax.pareto(KEY, np.array(2.0).view(WeaklyTyped), shape=3, dtype="float16").dtype == "float16"
    refused(TypeError, "", jax.pareto, KEY, np.float32(2), shape=3, dtype="float16")
    refused(TypeError, "", jax.weibull_min, KEY, np.float32(2), np.float16(1.5), shape=3, dtype="float16")
    assert jax.rayleigh(KEY, np.full(3, 2.0), shape=3).dtype == "float32"  # a float64 is a float32 without x64


def test_items_of_64_bits_keep_their_type():
    """jax 21: JAX makes them 32 bits"""
    items = np.array([2**40, 7, -1])
    assert sorted(jax.permutation(KEY, items).tolist()) == sorted(items.tolist())
    assert jax.permutation(KEY, items).dtype == jax.choice(KEY, items, (2,)).dtype == np.int64
    assert jax.choice(KEY, np.array([0.1, 0.2]), (2,)).dtype == np.float64


def test_the_largest_outputs_of_the_older_layout():
    """jax 5"""
    no_keys = np.zeros((0, 2), np.uint32)  # an output for no keys takes no memory
    most = (1 << 32) - 2
    assert jax.bits(no_keys, most, partitionable=False).shape == (0, most)
    assert jax.bits(no_keys, 2 * most, np.uint16, partitionable=False).shape == (0, 2 * most)
    assert jax.split(no_keys, most // 2, partitionable=False).shape == (0, most // 2, 2)
    rule = "an output without partitionable must take fewer than 2**32 - 1 words; got "
    refused(ValueError, rule + "4294967295.", jax.bits, no_keys, most + 1, partitionable=False)
    refused(ValueError, rule + "4294967295.", jax.bits, no_keys, 2 * most + 1, np.uint16, partitionable=False)
    refused(ValueError, rule + "4294967296.", jax.bits, no_keys, 1 << 31, np.uint64, partitionable=False, x64=True)


def test_orders():
    """jax 15 and 20"""
    for draw, name in ((jax.permutation, "x"), (jax.choice, "a")):
        for x64, bits in ((False, 31), (True, 63)):
            refused(ValueError, f"{name} must be in [0, 2**{bits}); got {1 << bits}.", draw, KEY, 1 << bits, x64=x64)
    rule = "p must hold finite weights of at least 0, not all 0 or subnormal; got "
    for p in ([0.5, -0.1], [np.nan, 1.0], [np.inf, 1.0], [0.0, 0.0]):
        refused(ValueError, rule, jax.choice, KEY, 2, p=p)
    assert jax.choice(KEY, 0, (0, 3)).shape == (0, 3)
    assert jax.permutation(KEY, 0).shape == (0,)


def test_arguments_that_are_not_numbers_or_not_finite_as_in_jax():
    """jax 8, 15, 21, 27 and 28"""
    assert np.isnan(jax.uniform(KEY, 3, minval=np.nan)).all() and np.isinf(jax.uniform(KEY, 3, maxval=np.inf)).all()
    assert jax.poisson(KEY, np.array([0, -1, np.nan])).tolist() == [0, -1, -1]
    assert np.isnan(jax.binomial(KEY, np.array([-1.0, 5, 5]), np.array([0.5, -0.1, 1.5]))).all()
    assert jax.uniform(KEY, np.array([2, 3])).tolist() == jax.uniform(KEY, (2, 3)).tolist()
    assert jax.bits(KEY, (1,) * 64).shape == (1,) * 64
    p = np.float32([0.1, 0.2, 0.7])
    noise = jax.gumbel(KEY, 3, mode="high") + np.log(p)
    assert jax.choice(KEY, 3, (3,), False, p, mode="high").tolist() == np.argsort(-noise).tolist()


def test_rng_bit_generator():
    rule = f"{KEYS} rng_bit_generator key, 4 of uint32 or 2 of uint64; got "
    for call in (jax.rng_bit_generator_state, lambda key: jax.rng_bit_generator(key, 3)):
        refused(TypeError, rule + "list.", call, [0, 0, 0, 0])
        refused(TypeError, rule + "int64 of shape (4,).", call, np.zeros(4, np.int64))
        refused(ValueError, rule + "uint32 of shape (2,).", call, KEY)
        refused(ValueError, rule + "uint32 of shape (6,). Six words are a state, not a key: draw", call, STATE)


def test_key_data_and_dtypes_of_keys():
    """jax 23"""
    assert repr(jax.uniform(jax.key(0))) == "array(0.947667, dtype=float32)"
    words = jax.key_data(KEY)
    assert words.tolist() == KEY.tolist() and not np.shares_memory(words, KEY)
    for dtype in ("rbg", TypedKey("key<rbg>").dtype):
        assert jax.key(7, dtype=dtype).tolist() == jax.key(7, impl="rbg").tolist()


def test_functions_that_are_not_here():
    """jax 25"""
    missing = {
        "clone": "write key.copy()", "key_dtype": "pass impl= instead", "wald": "XLA fuses operations by size",
        "gamma": "it draws gamma numbers", "orthogonal": "it is not reproduced",
    }  # fmt: skip
    for name, reason in missing.items():
        with pytest.raises(AttributeError, match=rf"compat.jax has no {name}: .*{re.escape(reason)}"):
            getattr(jax, name)
        assert name not in dir(jax)
    refused(AttributeError, "module 'dmlrand.compat.jax' has no attribute 'uniforn'", getattr, jax, "uniforn")
    for draw in (jax.gumbel, lambda key, **mode: jax.categorical(key, [0.5, 0.5], **mode)):
        refused(ValueError, "mode must be 'low' or 'high'; got 'highest'.", draw, KEY, mode="highest")
