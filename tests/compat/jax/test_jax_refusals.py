"""The errors of compat.jax and their messages."""

import re

import numpy as np
import pytest

import dmlrand
from dmlrand.compat import jax

KEY = jax.PRNGKey(0)
STATE = dmlrand.make_state(key=1)


def refused(error, words, call, *arguments, **options):
    with pytest.raises(error, match="^" + re.escape(words)):
        call(*arguments, **options)


DRAWS = {
    "split": (),
    "fold_in": (1,),
    "bits": (3,),
    "uniform": (3,),
    "normal": (3,),
    "gumbel": (3,),
    "randint": (3, 0, 5),
    "bernoulli": (),
    "categorical": ([0.5, 0.5],),
    "permutation": (3,),
    "choice": (3,),
}


@pytest.mark.parametrize("name", DRAWS)
def test_arguments_that_are_not_keys(name):
    """jax 1"""

    def draw(key, **options):
        return getattr(jax, name)(key, *DRAWS[name], **options)

    rule = "key must hold the 2 words of a threefry2x32 key on its last axis; got uint32 of shape "
    six = "Six words are a state, not a key: draw from it with dmlrand.random_generator."
    refused(ValueError, rule + "(6,). " + six, draw, STATE)
    refused(ValueError, rule + "(1, 6). " + six, draw, STATE.reshape(1, 6))
    refused(
        ValueError, rule + "(4,). Four words are a key of impl='rbg' or 'unsafe_rbg'.", draw, np.zeros(4, np.uint32)
    )
    refused(ValueError, rule + "(2, 3). PRNGKey makes one.", draw, np.zeros((2, 3), np.uint32))
    refused(ValueError, rule + "(). PRNGKey makes one.", draw, np.array(3, np.uint32))
    refused(
        TypeError,
        "key must hold uint32 words; got int64 of shape (2,). "
        "Convert it yourself once its values are known to be in [0, 2**32).",
        draw,
        np.zeros(2, np.int64),
    )
    refused(
        TypeError,
        "key must be a uint32 array whose last axis holds the 2 words of a threefry2x32 key; got list. PRNGKey makes",
        draw,
        [0, 1],
    )
    refused(TypeError, "key must be a uint32 array", draw, np.ma.zeros(2, np.uint32))
    refused(
        ValueError,
        "key must hold the 4 words of a rbg key on its last axis; got uint32 of shape (2,). PRNGKey makes one.",
        draw,
        KEY,
        impl="rbg",
    )
    refused(
        ValueError,
        "impl must be 'threefry2x32', 'philox4x32', 'rbg' or 'unsafe_rbg'; got 'rng'.",
        draw,
        KEY,
        impl="rng",
    )
    refused(
        ValueError,
        "impl must be 'threefry2x32', 'philox4x32', 'rbg' or 'unsafe_rbg'; got ['rbg'].",
        draw,
        KEY,
        impl=["rbg"],
    )
    if name != "fold_in":
        for flag in ("no", 1, None):
            refused(TypeError, f"partitionable must be True or False; got {flag!r}.", draw, KEY, partitionable=flag)
    if name not in ("split", "fold_in"):
        refused(TypeError, "x64 must be True or False; got 'on'.", draw, KEY, x64="on")


@pytest.mark.parametrize(
    "call",
    [
        lambda key: dmlrand.random_generator(key, 3),
        lambda key: dmlrand.random_window(key, 3, 0),
        lambda key: dmlrand.split(key, 2),
        lambda key: dmlrand.fold_in(key, 2),
        dmlrand.counter_of,
        lambda key: dmlrand.uniform(key, 3),
    ],
)
def test_a_key_is_not_a_state(call):
    """jax 1"""
    rule = (
        "state must hold 6 uint32 words (4 of counter, 2 of key) in sizes {1, .., 1, 6} of rank 1 to 8; "
        "got uint32 of shape "
    )
    refused(
        ValueError,
        rule + "(2,). Two words are only a key: make_state(key=low + 2**32 * high) makes a state.",
        call,
        KEY,
    )
    refused(ValueError, rule + "(4,). Append the key: numpy.append(counter, key).", call, jax.PRNGKey(0, impl="rbg"))
    refused(
        ValueError,
        rule + "(3, 2). Two words are only a key: make_state(key=low + 2**32 * high) makes a state.",
        call,
        jax.split(KEY, 3),
    )


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


def test_parameters_of_distributions():
    """jax 25"""
    rule = "lower must broadcast to shape (3,); got shape (2,)."
    refused(ValueError, rule, jax.truncated_normal, KEY, np.zeros(2, np.float32), 1.0, (3,))
    for b in (0.0, -1, float("nan")):
        refused(ValueError, f"b must be above 0; got {b!r}.", jax.pareto, KEY, b)
    refused(ValueError, "p must be in [0, 1]; got 1.5.", jax.geometric, KEY, 1.5)
    refused(ValueError, "scale must broadcast to shape (3,); got shape (2,).", jax.rayleigh, KEY, np.ones(2), 3)
    refused(TypeError, "scale must hold reals; got int64.", jax.rayleigh, KEY, np.ones(2, np.int64), 2)
    refused(TypeError, "concentration must be a real number", jax.weibull_min, KEY, 1.0, "1")
    refused(TypeError, "dtype must be int8, int16, int32, int64, uint8", jax.rademacher, KEY, 2, "complex64")
    refused(TypeError, "dtype must be int8, int16, int32, int64, uint8", jax.geometric, KEY, 0.5, 2, "float32")
    refused(ValueError, "mode must be 'low' or 'high'; got 'highest'.", jax.gumbel, KEY, 2, mode="highest")
    refused(ValueError, "mode must be 'low' or 'high'; got None.", jax.bernoulli, KEY, 0.5, mode=None)
    for name in ("exponential", "laplace", "logistic", "cauchy"):
        refused(TypeError, "dtype must be float16", getattr(jax, name), KEY, 3, "int32")


class WeaklyTyped(np.ndarray):
    """As much of jax.numpy.array(2.0) as is read: JAX promotes it as a Python float."""

    weak_type = True


@pytest.mark.parametrize("name", ["weibull_min", "rayleigh", "pareto"])
def test_types_of_parameters(name):
    """jax 21"""
    draw = getattr(jax, name)
    rest = {"concentration": np.float16(1.5)} if name == "weibull_min" else {}
    first = "b" if name == "pareto" else "scale"
    for number, dtype, x64, own in (
        (np.float32(2), "float16", False, "float32"),
        (np.float64(2), "float16", False, "float64"),
        (np.full(3, 2.0), "float16", True, "float64"),
        (np.full(3, 2.0), "float32", True, "float64"),
    ):
        rule = f"{first} must be a Python float or have a type that fits in dtype {dtype}; got {own}. "
        remedy = f"Convert it: {first}.astype({dtype!r})."
        refused(TypeError, rule + remedy, draw, KEY, number, shape=3, dtype=dtype, x64=x64, **rest)
        drawn = draw(KEY, number.astype(dtype), shape=3, dtype=dtype, x64=x64, **rest)
        assert drawn.dtype == dtype and drawn.tolist() == draw(KEY, 2.0, shape=3, dtype=dtype, x64=x64, **rest).tolist()
    assert draw(KEY, np.array(2.0).view(WeaklyTyped), shape=3, dtype="float16", **rest).dtype == "float16"
    assert draw(KEY, np.full(3, 2.0), shape=3, **rest).dtype == "float32"  # a float64 is a float32 without x64
    if rest:
        rule = "concentration must be a Python float or have a type that fits in dtype float16; got float32. "
        refused(TypeError, rule, draw, KEY, 2.0, np.float32(1.5), 3, "float16")


def test_items_of_64_bits_keep_their_type():
    """jax 21: JAX makes them 32 bits"""
    items = np.array([2**40, 7, -1])
    assert sorted(jax.permutation(KEY, items).tolist()) == sorted(items.tolist())
    assert jax.permutation(KEY, items).dtype == jax.choice(KEY, items, (2,)).dtype == np.int64
    assert jax.choice(KEY, np.array([0.1, 0.2]), (2,)).dtype == np.float64


def test_counts_and_data():
    """jax 3"""
    refused(ValueError, "num must be at least 0; got -1.", jax.split, KEY, -1)
    refused(ValueError, "num[1] must be at least 0; got -1.", jax.split, KEY, (2, -1))
    refused(TypeError, "num must be an integer; got 2.0 of type float.", jax.split, KEY, 2.0)
    for data in (-1, 1 << 32, np.array([0, -1]), np.array([1 << 32, 0])):
        refused(ValueError, "data must be in [0, 2**32); got ", jax.fold_in, KEY, data)
    refused(TypeError, "data must be an integer; got 1.5 of type float.", jax.fold_in, KEY, 1.5)
    refused(TypeError, "data must hold integers; got float64 of shape (1,).", jax.fold_in, KEY, np.array([1.0]))


def test_shapes_and_types():
    refused(ValueError, "shape[1] must be at least 0; got -3.", jax.bits, KEY, (2, -3))
    refused(TypeError, "shape must be an integer; got None of type NoneType.", jax.bits, KEY, None)
    refused(
        ValueError, "shape must have rank 32 at most and fewer than 2**58 elements; got (1, ", jax.bits, KEY, (1,) * 33
    )
    assert jax.bits(KEY, (1,) * 32).shape == (1,) * 32
    refused(
        ValueError, "shape must have rank 32 at most and fewer than 2**58 elements; got (288", jax.bits, KEY, 1 << 58
    )
    refused(
        TypeError,
        "dtype must be uint8, uint16, uint32 or uint64, in native byte order; got <class 'numpy.int32'>.",
        jax.bits,
        KEY,
        3,
        np.int32,
    )
    for draw in (jax.uniform, jax.normal, jax.gumbel):
        refused(
            TypeError,
            "dtype must be float16, float32, float64 or bfloat16, in native byte order; got 'int32'.",
            draw,
            KEY,
            3,
            "int32",
        )
        refused(
            TypeError,
            "dtype must be float16, float32, float64 or bfloat16, in native byte order; got 'complex64'.",
            draw,
            KEY,
            3,
            "complex64",
        )
    refused(
        TypeError,
        "dtype must be int8, int16, int32, int64, uint8, uint16, uint32 or uint64, in native byte order; got "
        "'float32'.",
        jax.randint,
        KEY,
        3,
        0,
        5,
        "float32",
    )
    refused(
        ValueError,
        "an output without partitionable must take fewer than 2**32 - 1 words; got 4294967296.",
        jax.bits,
        KEY,
        1 << 32,
        partitionable=False,
    )


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


def test_bounds():
    refused(
        TypeError,
        "minval must be a real number or an array of them; got 1j of type complex.",
        jax.uniform,
        KEY,
        3,
        minval=1j,
    )
    refused(
        TypeError,
        "maxval must be a real number or an array of them; got '1' of type str.",
        jax.uniform,
        KEY,
        3,
        maxval="1",
    )
    refused(ValueError, "maxval must be in [-2**63, 2**63); got", jax.uniform, KEY, 3, maxval=2**70)
    refused(ValueError, "minval must broadcast to shape (3,); got shape (2,).", jax.uniform, KEY, 3, minval=np.zeros(2))
    refused(
        ValueError,
        "maxval must broadcast to shape (3,); got shape (2, 3).",
        jax.uniform,
        KEY,
        3,
        maxval=np.ones((2, 3)),
    )
    refused(TypeError, "minval must be an integer; got 0.5 of type float.", jax.randint, KEY, 3, 0.5, 3)
    refused(TypeError, "maxval must be an integer; got True of type bool.", jax.randint, KEY, 3, 0, True)
    refused(TypeError, "maxval must hold integers; got float64 of shape (3,).", jax.randint, KEY, 3, 0, np.ones(3))
    refused(
        ValueError, "minval must broadcast to shape (3,); got shape (2,).", jax.randint, KEY, 3, np.zeros(2, int), 3
    )
    assert np.isnan(jax.uniform(KEY, 3, minval=np.nan)).all()  # as in JAX
    assert np.isinf(jax.uniform(KEY, 3, maxval=np.inf)).all()


def test_chances():
    """jax 13"""
    for p in (-0.1, 1.5, np.nan):
        refused(ValueError, f"p must be in [0, 1]; got {p!r}.", jax.bernoulli, KEY, p)
    refused(
        TypeError, "p must hold reals; got int64. Convert it: numpy.asarray(p, numpy.float32).", jax.bernoulli, KEY, 1
    )
    refused(ValueError, "p must broadcast to shape (3,); got shape (2,).", jax.bernoulli, KEY, [0.5, 0.5], 3)


def test_categories():
    refused(TypeError, "logits must hold reals; got int64.", jax.categorical, KEY, np.array([1, 2]))
    refused(ValueError, "logits must have an axis of categories; got the scalar 1.0.", jax.categorical, KEY, 1.0)
    refused(
        ValueError, "axis must be in [-2, 2) for an array of rank 2; got 2.", jax.categorical, KEY, np.ones((2, 3)), 2
    )
    refused(
        ValueError,
        "logits without axis must broadcast to shape (3,); got shape (2,).",
        jax.categorical,
        KEY,
        np.ones((2, 3)),
        -1,
        (3,),
    )
    refused(
        ValueError, "logits must have at least one category; got shape (2, 0).", jax.categorical, KEY, np.ones((2, 0))
    )
    refused(
        ValueError,
        "shape without replacement must be at most 3 draws, one for each category, in front of (2,); got (4, 2).",
        jax.categorical,
        KEY,
        np.ones((2, 3)),
        -1,
        (4, 2),
        False,
    )
    refused(
        ValueError,
        "shape without replacement must be at most 3 draws, one for each category, in front of (1,); got (2,).",
        jax.categorical,
        KEY,
        np.ones((1, 3)),
        -1,
        (2,),
        False,
    )
    row = np.ones(3, np.float32)
    refused(ValueError, "axis must be in [-1, 1) for an array of rank 1; got 1.", jax.categorical, KEY, row, 1)
    refused(ValueError, "logits must have at least one category; got shape (0,).", jax.categorical, KEY, row[:0])
    refused(TypeError, "replace must be True or False; got None.", jax.categorical, KEY, np.ones(3), replace=None)


def test_orders():
    refused(ValueError, "x must be in [0, 2**31); got -1.", jax.permutation, KEY, -1)
    for draw, name in ((jax.permutation, "x"), (jax.choice, "a")):
        for x64, bits in ((False, 31), (True, 63)):
            refused(ValueError, f"{name} must be in [0, 2**{bits}); got {1 << bits}.", draw, KEY, 1 << bits, x64=x64)
    refused(TypeError, "x must be an array of one axis or more, or an int; got list.", jax.permutation, KEY, [1, 2])
    refused(TypeError, "x must be an array of one axis or more, or an int; got float.", jax.permutation, KEY, 5.0)
    refused(ValueError, "axis must be in [-1, 1) for an array of rank 1; got 1.", jax.permutation, KEY, 5, 1)
    refused(TypeError, "independent must be True or False; got 1.", jax.permutation, KEY, 5, 0, 1)
    refused(ValueError, "a must hold an element to draw from; got none.", jax.choice, KEY, 0)
    refused(
        ValueError,
        "shape without replacement must be at most 3 draws, the elements of a; got 4.",
        jax.choice,
        KEY,
        3,
        4,
        False,
    )
    refused(
        ValueError, "p must have a weight for each of the 3 elements; got shape (2,).", jax.choice, KEY, 3, p=[0.5, 0.5]
    )
    for p in ([0.5, -0.1], [np.nan, 1.0], [np.inf, 1.0], [0.0, 0.0]):
        for given in (p, np.float32(p)):
            refused(
                ValueError,
                "p must hold finite weights of at least 0, not all 0 or subnormal; got ",
                jax.choice,
                KEY,
                2,
                p=given,
            )
    refused(TypeError, "p must hold reals; got int64.", jax.choice, KEY, 2, p=[0, 1])
    refused(TypeError, "p must be float32 or float64; got float16.", jax.choice, KEY, 2, p=np.ones(2, np.float16))
    assert jax.choice(KEY, 0, (0, 3)).shape == (0, 3)
    assert jax.permutation(KEY, 0).shape == (0,)


def test_rng_bit_generator():
    rule = "key must be a uint32 array of shape (..., 4) or a uint64 array of shape (..., 2); got "
    for call in (jax.rng_bit_generator_state, lambda key: jax.rng_bit_generator(key, 3)):
        refused(TypeError, rule + "list.", call, [0, 0, 0, 0])
        refused(TypeError, rule + "int64 of shape (4,).", call, np.zeros(4, np.int64))
        refused(ValueError, rule + "uint32 of shape (2,).", call, KEY)
        refused(ValueError, rule + "uint32 of shape (6,). Six words are a state, not a key: draw", call, STATE)
    refused(
        ValueError,
        "algorithm must be 'RNG_DEFAULT' or 'RNG_PHILOX'; got 'RNG_THREE_FRY'.",
        jax.rng_bit_generator,
        np.zeros(4, np.uint32),
        3,
        algorithm="RNG_THREE_FRY",
    )
    refused(
        ValueError,
        "key must be a single key; got shape (2, 4).",
        jax.rng_bit_generator_state,
        np.zeros((2, 4), np.uint32),
    )


def test_bfloat16_names_its_extra_where_it_is_missing():
    try:
        import ml_dtypes  # noqa: F401
    except ImportError:
        refused(
            ImportError,
            "dtype bfloat16 needs ml_dtypes, which is not installed. Install it: pip install ml_dtypes. "
            "The extra 'bfloat16' of dmlrand includes it.",
            jax.normal,
            KEY,
            3,
            "bfloat16",
        )
    else:
        assert jax.normal(KEY, 3, "bfloat16").dtype.name == "bfloat16"


class TypedKey:
    """As much of a typed key as is read before JAX is needed."""

    def __init__(self, name):
        self.dtype = type("KeyTy", (), {"name": name})()
        self.shape = ()


def test_typed_keys_of_other_kinds():
    """jax 24"""
    rule = "key must be a typed key of key<fry>, key<phx4>, key<rbg> or key<urbg>; got key<fry4>."
    refused(ValueError, rule, jax.bits, TypedKey("key<fry4>"))
    rule = "impl must be None or 'rbg', the impl of key; got 'threefry2x32'."
    refused(ValueError, rule, jax.bits, TypedKey("key<rbg>"), impl="threefry2x32")
    refused(TypeError, "key must hold uint32 words; got object", jax.bits, TypedKey(7))


def test_words_of_keys():
    """jax 24"""
    words = jax.key_data(KEY)
    assert words.tolist() == KEY.tolist() and not np.shares_memory(words, KEY)
    assert jax.key_data(np.zeros((3, 4), np.uint32), impl="unsafe_rbg").shape == (3, 4)
    refused(ValueError, "key must hold the 2 words of a threefry2x32 key", jax.key_data, np.zeros(4, np.uint32))
    refused(TypeError, "key must be a uint32 array", jax.key_data, [0, 1])


# What to write instead of the statements of jax.random's page


def test_the_examples_of_the_page():
    """jax 28 and 29"""
    key = jax.key(0)
    assert repr(key) == "array([0, 0], dtype=uint32)"
    assert repr(jax.uniform(key)) == "array(0.947667, dtype=float32)"
    key, subkey = jax.split(key)
    assert f"{jax.uniform(subkey):.8f}" == "0.00729382"
    assert jax.split(key, (2, 3)).shape[:-1] == (2, 3)
    assert "key_dtype" not in dir(jax)
    for dtype in ("rbg", TypedKey("key<rbg>").dtype):
        assert jax.key(7, dtype=dtype).tolist() == jax.key(7, impl="rbg").tolist()
    refused(
        ValueError, "dtype must be None if impl is given; got 'rbg' and 'rbg'.", jax.key, 7, impl="rbg", dtype="rbg"
    )
    refused(ValueError, "impl must be 'threefry2x32', 'philox4x32'", jax.key, 7, dtype="fry")


def test_words_do_not_carry_their_implementation():
    """jax 30"""
    key = jax.key(0, impl="rbg")
    refused(ValueError, "key must hold the 2 words of a threefry2x32 key", jax.uniform, key)
    assert jax.uniform(key, impl="rbg").shape == ()
    key = jax.key(0, impl="philox4x32")
    assert jax.bits(key) == jax.bits(key, impl="threefry2x32") != jax.bits(key, impl="philox4x32")


def test_what_the_page_configures_is_an_argument():
    """jax 31 and 34: the bits that JAX draws from key(0) with jax_threefry_partitionable=False"""
    assert jax.bits(KEY, 3, partitionable=False).tolist() == [4146024105, 1351547692, 2718843009]
    assert jax.uniform(KEY, dtype="float32").dtype == jax.uniform(KEY, dtype=np.float32).dtype == np.float32
    assert jax.uniform(KEY, dtype=np.float64, x64=True).dtype == np.float64
    refused(TypeError, "dtype float64 needs x64=True", jax.uniform, KEY, dtype="float64")
    refused(TypeError, "dtype must be float16", jax.normal, KEY, dtype="complex64")


@pytest.mark.parametrize("impl, name", [("threefry4x32", "key<fry4>"), ("philox2x32", "key<phx2>")])
def test_implementations_that_are_not_here(impl, name):
    """jax 32"""
    refused(ValueError, "impl must be 'threefry2x32', 'philox4x32'", jax.key, 0, impl=impl)
    refused(
        ValueError,
        f"key must be a typed key of key<fry>, key<phx4>, key<rbg> or key<urbg>; got {name}.",
        jax.bits,
        TypedKey(name),
    )


def test_many_keys_need_no_vmap():
    """jax 33"""
    keys = jax.split(KEY, 3)
    assert jax.normal(keys).tolist() == [jax.normal(key) for key in keys]
    rule = "unexpected argument 'out_sharding'. Beside its own arguments, a function takes impl, partitionable and x64."
    for draw in (jax.uniform, jax.bits, jax.bernoulli, jax.rademacher):
        refused(TypeError, rule, draw, KEY, out_sharding=None)


def test_functions_that_are_not_here():
    """jax 26, 29, 35 and 39"""
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


def test_arguments_of_counts():
    """jax 36 and 37"""
    inf = float("inf")
    refused(ValueError, "lam must not be infinite, for which JAX's draw does not end; got inf.", jax.poisson, KEY, inf)
    refused(ValueError, "n must not be infinite, for which JAX's draw does not end", jax.binomial, KEY, inf, 0.5)
    refused(ValueError, "lam must broadcast to shape (3,); got shape (2,).", jax.poisson, KEY, np.ones(2), 3)
    refused(TypeError, "p must be float32 or float64; got float16.", jax.binomial, KEY, 5.0, np.float16(0.5))
    rbg = jax.split(jax.key(0, impl="rbg"), 2, impl="rbg")
    rule = "poisson takes keys of impl 'threefry2x32', as in JAX; got 'rbg'."
    refused(ValueError, rule, jax.poisson, rbg[0], 3.0, impl="rbg")
    refused(
        ValueError,
        "key must be a single key for impl 'rbg'; got shape (2,). Draw them one by one.",
        jax.binomial,
        rbg,
        5.0,
        0.5,
        impl="rbg",
    )
    assert jax.poisson(KEY, np.array([0, -1, np.nan])).tolist() == [0, -1, -1]
    assert np.isnan(jax.binomial(KEY, np.array([-1.0, 5, 5]), np.array([0.5, -0.1, 1.5]))).all()
    assert jax.poisson(jax.split(KEY, 2), 40.0, (3,)).tolist() == [
        jax.poisson(key, 40.0, (3,)).tolist() for key in jax.split(KEY, 2)
    ]


def test_arguments_of_further_reals():
    """jax 25"""
    refused(
        TypeError,
        "sigma must be a Python float or have a type that fits",
        jax.lognormal,
        KEY,
        np.float32(1),
        2,
        "float16",
    )


def test_shapes_given_as_arrays_and_the_mode_of_choice():
    """jax 38"""
    assert jax.uniform(KEY, np.array([2, 3])).tolist() == jax.uniform(KEY, (2, 3)).tolist()
    refused(TypeError, "shape[0] must be an integer", jax.uniform, KEY, np.array([2.5]))
    p = np.float32([0.1, 0.2, 0.7])
    drawn = jax.choice(KEY, 3, (3,), False, p, mode="high")
    noise = jax.gumbel(KEY, 3, mode="high") + np.log(p)
    assert drawn.tolist() == np.argsort(-noise).tolist()
    refused(
        ValueError, "mode must be 'low' or 'high'; got 'highest'.", jax.choice, KEY, 3, (3,), False, p, mode="highest"
    )
