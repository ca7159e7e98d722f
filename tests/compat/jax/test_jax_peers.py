"""compat.jax against the installed jax, with new random cases on every run. pytest -m peers."""

import os
import re
import secrets
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from numbers_at import dtype_of
from paths import SPECS

import dmlrand
from dmlrand.compat import jax as ours

pytestmark = pytest.mark.peers

SEED = int(os.environ.get("DMLRAND_PEERS_SEED", secrets.randbits(32)))
ROUNDS = 2  # cases of each test; most of the time goes to JAX, which compiles every new shape


@pytest.fixture(scope="module")
def jax():
    return pytest.importorskip("jax", reason="jax is not installed")


@pytest.fixture
def rng(request):
    print(f"DMLRAND_PEERS_SEED={SEED} draws these cases again")  # pytest shows it where a test fails
    return np.random.default_rng([SEED, *request.node.name.encode()])


@pytest.fixture(params=[False, True], ids=["x32", "x64"])
def x64(request, jax):
    with jax.enable_x64(request.param):
        yield request.param


def new_key(rng, impl="threefry2x32"):
    return rng.integers(0, 1 << 32, 4 if "rbg" in impl else 2, np.uint32)


def new_shape(rng, limit=2000):
    shape = tuple(rng.integers(0, 40, rng.integers(0, 4)).tolist())
    return shape if np.prod(shape) <= limit else (int(rng.integers(0, limit)),)


def theirs_of(jax, key, impl="threefry2x32"):
    return jax.random.wrap_key_data(jax.numpy.asarray(key), impl=impl)


def assert_same(ours, theirs):
    theirs = np.asarray(theirs)
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    assert ours.tobytes() == theirs.tobytes()


def floats(x64):
    return ["float16", "bfloat16", "float32", *(["float64"] if x64 else [])]


IMPLS = ["threefry2x32", "philox4x32", "rbg", "unsafe_rbg"]
RBG = IMPLS[2:]


@pytest.mark.parametrize("impl", IMPLS)
@pytest.mark.parametrize("partitionable", [True, False])
def test_keys_and_bits(jax, rng, x64, impl, partitionable):
    """jax 2 to 5"""
    with jax.threefry_partitionable(partitionable):
        for _ in range(ROUNDS):
            seed = int(rng.integers(-(1 << 63), (1 << 63) - 1)) >> int(rng.integers(0, 64))
            assert_same(ours.PRNGKey(seed, impl=impl, x64=x64), jax.random.PRNGKey(seed, impl=impl))
            key, shape = new_key(rng, impl), new_shape(rng)
            their_key = theirs_of(jax, key, impl)
            layout = {"impl": impl, "partitionable": partitionable}
            num = shape if rng.integers(2) else int(rng.integers(0, 200))
            assert_same(ours.split(key, num, **layout), jax.random.key_data(jax.random.split(their_key, num)))
            data = int(rng.integers(0, 1 << 32))
            assert_same(ours.fold_in(key, data, impl=impl), jax.random.key_data(jax.random.fold_in(their_key, data)))
            for width in (8, 16, 32, 64) if x64 else (8, 16, 32):
                dtype = f"uint{width}"
                assert_same(ours.bits(key, shape, dtype, x64=x64, **layout), jax.random.bits(their_key, shape, dtype))


@pytest.mark.parametrize("impl", IMPLS)
def test_reals(jax, rng, x64, impl):
    """jax 8, 9 and 14"""
    for _ in range(ROUNDS):
        key, shape = new_key(rng, impl), new_shape(rng)
        their_key = theirs_of(jax, key, impl)
        bounds = np.sort(rng.normal(0, 10.0 ** rng.integers(-3, 4), 2)).tolist()
        for dtype in floats(x64):
            assert_same(
                ours.uniform(key, shape, dtype, *bounds, impl=impl, x64=x64),
                jax.random.uniform(their_key, shape, dtype, *bounds),
            )
            assert_same(ours.normal(key, shape, dtype, impl=impl, x64=x64), jax.random.normal(their_key, shape, dtype))
            assert_same(ours.gumbel(key, shape, dtype, impl=impl, x64=x64), jax.random.gumbel(their_key, shape, dtype))


@pytest.mark.parametrize("impl", RBG)
@pytest.mark.parametrize("partitionable", [True, False])
def test_draws_of_rbg_keys_on_both_layouts(jax, rng, impl, partitionable):
    """jax 17 and 23: every draw"""
    mode = {"impl": impl, "partitionable": partitionable}
    items = np.arange(24, dtype=np.int32).reshape(6, 4)
    p = np.float32([0.1, 0.2, 0.3, 0.4])
    with jax.threefry_partitionable(partitionable):
        for _ in range(ROUNDS):
            key, shape = new_key(rng, impl), new_shape(rng)
            for name, arguments in (
                ("bits", (shape,)),
                ("uniform", (shape, "float32", -2.5, 7)),
                ("normal", (shape,)),
                ("gumbel", (shape,)),
                ("randint", (shape, -7, 90)),
                ("bernoulli", (0.3, shape)),
                ("categorical", (p, -1, shape)),
                ("permutation", (2000,)),
                ("permutation", (items, 1, True)),
                ("choice", (items, shape, True, p, 1)),
                ("choice", (items, (3,), False, p, 1)),
            ):
                theirs = getattr(jax.random, name)(theirs_of(jax, key, impl), *arguments)
                assert_same(getattr(ours, name)(key, *arguments, **mode), theirs)


@pytest.mark.parametrize("impl", IMPLS)
def test_typed_keys_and_arrays_of_jax(jax, rng, impl):
    """jax 24"""
    random, jnp = jax.random, jax.numpy
    key, keys = random.key(int(rng.integers(1 << 31)), impl=impl), random.split(random.key(3, impl=impl), (2, 3))
    words = np.asarray(random.key_data(key))
    for same in (key, words, random.key_data(key)):
        given = {} if same is key else {"impl": impl}
        assert_same(ours.key_data(same, **given), words)
        assert_same(ours.bits(same, (3, 5), **given), random.bits(key, (3, 5)))
        assert_same(ours.fold_in(same, 5, **given), random.key_data(random.fold_in(key, 5)))
        assert_same(ours.fold_in(same, jnp.uint32(5), **given), random.key_data(random.fold_in(key, 5)))
        assert_same(ours.split(same, 3, **given), random.key_data(random.split(key, 3)))
    assert_same(ours.normal(key, 9, impl=impl), random.normal(key, (9,)))
    assert_same(ours.key_data(keys), random.key_data(keys))
    assert_same(ours.bits(keys, 4), jax.vmap(jax.vmap(lambda one: random.bits(one, (4,))))(keys))
    assert_same(ours.key_data(random.key_data(key), impl=impl), words)
    assert_same(ours.key_data(random.wrap_key_data(words, impl=impl)), words)
    assert_same(ours.key(jnp.int32(-7), impl=impl), random.key_data(random.key(jnp.int32(-7), impl=impl)))
    low, high, p = jnp.float32([0, -1]), jnp.float32(3.5), jnp.float32([0.2, 0.8])
    items = jnp.arange(6).reshape(3, 2)
    for name, arguments in (
        ("uniform", ((3, 2), jnp.float32, low, high)),
        ("uniform", ((3, 2), jnp.bfloat16)),
        ("randint", ((3, 2), jnp.int32([0, -9]), jnp.int32(9))),
        ("bernoulli", (p,)),
        ("categorical", (p,)),
        ("permutation", (items, 1)),
        ("permutation", (jnp.int32(9),)),
        ("choice", (items, (4,), True, p, 1)),
        ("choice", (jnp.int32(9),)),
    ):
        assert_same(getattr(ours, name)(key, *arguments), getattr(random, name)(key, *arguments))
    for name in IMPLS:
        if name != impl:
            with pytest.raises(ValueError, match=f"impl must be None or '{impl}', the impl of key; got '{name}'"):
                ours.bits(key, impl=name)


def test_arrays_of_jax_in_rng_bit_generator(jax, rng):
    """jax 24"""
    key = jax.numpy.asarray(new_key(rng, "rbg"))
    for our, their in zip(ours.rng_bit_generator(key, (5,)), jax.lax.rng_bit_generator(key, (5,))):
        assert_same(our, their)


def test_seeds_of_jax_arrays(jax, rng, x64):
    """jax 2 and 24"""
    for seed in (jax.numpy.int32(-5), np.array(-5, np.int32), jax.numpy.asarray(np.int64(-5))):
        assert_same(ours.PRNGKey(seed, x64=x64), jax.random.PRNGKey(seed))


def test_bounds_of_many_elements(jax, rng):
    for _ in range(ROUNDS):
        key, sizes = new_key(rng), tuple(rng.integers(1, 20, 2).tolist())
        low, high = rng.normal(size=sizes).astype(np.float32), rng.normal(size=(1, sizes[1])).astype(np.float32)
        for dtype in ("float16", "float32"):
            assert_same(ours.uniform(key, sizes, dtype, low, high), jax.random.uniform(key, sizes, dtype, low, high))
        low, high = rng.integers(-500, 500, sizes, np.int32), rng.integers(-500, 500, (sizes[0], 1), np.int32)
        for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32"):
            assert_same(ours.randint(key, sizes, low, high, dtype), jax.random.randint(key, sizes, low, high, dtype))


@pytest.mark.parametrize("low, high", [(0, np.inf), (-np.inf, np.inf), (np.inf, 0), (0, -np.nan), (65504, -65504)])
def test_bounds_of_float16_that_give_nan(jax, rng, low, high):
    """jax 8"""
    key = new_key(rng)
    assert_same(ours.uniform(key, 5000, "float16", low, high), jax.random.uniform(key, (5000,), "float16", low, high))


@pytest.mark.parametrize("impl", IMPLS)
def test_randint(jax, rng, x64, impl):
    """jax 11"""
    for _ in range(ROUNDS):
        key, shape = new_key(rng, impl), new_shape(rng)
        their_key = theirs_of(jax, key, impl)
        for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", *(["int64", "uint64"] if x64 else [])):
            # The Python ints that JAX takes. For types of 8 and 16 bits JAX wraps ints outside int32; ours clip.
            info = np.iinfo(np.int64 if x64 and np.iinfo(dtype).bits > 16 else np.int32)
            ends = [int(end) >> int(rng.integers(0, 60)) for end in rng.integers(info.min, info.max, 2)]
            ends[1] = int(rng.choice([ends[1], ends[0], min(np.iinfo(dtype).max + 1, info.max), info.max]))
            assert_same(
                ours.randint(key, shape, *ends, dtype, impl=impl, x64=x64),
                jax.random.randint(their_key, shape, *ends, dtype),
            )


@pytest.mark.parametrize("partitionable", [True, False])
def test_orders_and_selections(jax, rng, x64, partitionable):
    """jax 12 and 15"""
    mode = {"x64": x64, "partitionable": partitionable}
    work = np.float64 if x64 else np.float32
    with jax.threefry_partitionable(partitionable):
        for _ in range(ROUNDS):
            key, shape = new_key(rng), new_shape(rng, 300)
            n = int(rng.integers(1, 3000))
            assert_same(ours.permutation(key, n, **mode), jax.random.permutation(key, n))
            items = rng.integers(0, 1000, tuple(rng.integers(1, 30, rng.integers(1, 4)).tolist()), np.int32)
            axis, independent = int(rng.integers(-items.ndim, items.ndim)), bool(rng.integers(2))
            assert_same(
                ours.permutation(key, items, axis, independent, **mode),
                jax.random.permutation(key, items, axis, independent),
            )
            p = rng.random()
            assert_same(ours.bernoulli(key, p, shape, **mode), jax.random.bernoulli(key, p, shape))
            assert_same(ours.choice(key, n, shape, **mode), jax.random.choice(key, n, shape))
            assert_same(
                ours.choice(key, items, shape, axis=axis, **mode), jax.random.choice(key, items, shape, axis=axis)
            )
            draws = int(rng.integers(0, n + 1))
            assert_same(ours.choice(key, n, (draws,), False, **mode), jax.random.choice(key, n, (draws,), False))
            p = rng.random(n).astype(work) * (rng.random(n) < 0.9)
            p[0] = 1
            p = p.astype(work)
            assert_same(ours.choice(key, n, shape, True, p, **mode), jax.random.choice(key, n, shape, True, p))
            if (p > 0).sum() >= draws:
                assert_same(
                    ours.choice(key, n, (draws,), False, p, **mode), jax.random.choice(key, n, (draws,), False, p)
                )


def test_categorical(jax, rng, x64):
    """jax 14"""
    for _ in range(ROUNDS):
        key = new_key(rng)
        sizes = tuple(rng.integers(1, 9, rng.integers(1, 4)).tolist())
        axis = int(rng.integers(-len(sizes), len(sizes)))
        batch = tuple(np.delete(sizes, axis).tolist())
        logits = rng.normal(0, 3, sizes).astype(np.float64 if x64 else np.float32)
        front = tuple(rng.integers(0, 5, rng.integers(0, 3)).tolist())
        for shape in (None, front + batch):
            assert_same(
                ours.categorical(key, logits, axis, shape, x64=x64), jax.random.categorical(key, logits, axis, shape)
            )
        if np.prod(front) <= sizes[axis]:
            assert_same(
                ours.categorical(key, logits, axis, front + batch, False, x64=x64),
                jax.random.categorical(key, logits, axis, front + batch, False),
            )


@pytest.mark.parametrize("impl", IMPLS)
def test_many_keys_are_drawn_from_as_under_vmap(jax, rng, impl):
    """jax 6"""
    for lead in ((3,), (1,), (2, 4)):
        key = rng.integers(0, 1 << 32, (*lead, 4 if "rbg" in impl else 2), np.uint32)
        their_key = theirs_of(jax, key, impl)
        logits = np.float32([[0.1, 2, 0.3], [1, -1, 0]])
        items = np.arange(12, dtype=np.int32).reshape(3, 4)
        p = np.float32([0.1, 0.2, 0.3, 0.4])
        for name, arguments in (
            ("bits", ((3, 5),)),
            ("uniform", ((3, 5), np.float32, -1.5, 2)),
            ("normal", ((7,), "float16")),
            ("gumbel", ((7,),)),
            ("randint", ((3, 5), -7, 90)),
            ("bernoulli", (np.float32([0.2, 0.8]), (3, 2))),
            ("categorical", (logits, 0)),
            ("categorical", (logits, -1, (4, 2))),
            ("categorical", (logits, -1, (2, 2), False)),
            ("permutation", (9,)),
            ("permutation", (items, 1)),
            ("permutation", (items, 1, True)),
            ("choice", (items, (2, 2), True, None, 1)),
            ("choice", (4, (2,), False, p)),
            ("choice", (items, (5,), True, p, 1)),
            ("split", (3,)),
            ("split", ((2, 3),)),
            ("fold_in", (77,)),
            ("fold_in", (np.uint32(77),)),
        ):
            call = lambda one: getattr(jax.random, name)(one, *arguments)  # noqa: B023, E731
            for _ in lead:
                call = jax.vmap(call)
            theirs = call(their_key)
            if name in ("split", "fold_in"):
                theirs = jax.random.key_data(theirs)
            try:
                assert_same(getattr(ours, name)(key, *arguments, impl=impl), theirs)
            except AssertionError as error:
                raise AssertionError(f"{name}{arguments} of keys {lead}") from error


def test_rng_bit_generator(jax, rng, x64):
    """jax 16"""
    for _ in range(ROUNDS * 3):
        dtype = f"uint{rng.choice([8, 16, 32, 64] if x64 else [8, 16, 32])}"
        wide = x64 and rng.integers(2)
        key = rng.integers(0, 1 << 64, 2, np.uint64) if wide else rng.integers(0, 1 << 32, 4, np.uint32)
        if rng.integers(2):  # near a carry
            key[-1 if wide else slice(2, None)] = np.iinfo(key.dtype).max
        shape = new_shape(rng)
        for algorithm in ("RNG_DEFAULT", "RNG_PHILOX"):
            theirs = jax.lax.rng_bit_generator(key, shape, dtype, algorithm=getattr(jax.lax.RandomAlgorithm, algorithm))
            for our, their in zip(ours.rng_bit_generator(key, shape, dtype, algorithm, x64=x64), theirs):
                assert_same(our, their)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("impl", ["threefry2x32", "unsafe_rbg"])
def test_distributions(jax, rng, dtype, impl):
    """jax 25 and 26"""
    x64 = dtype == "float64"
    with jax.enable_x64(x64):
        for _ in range(ROUNDS):
            # jax 26: with a short last axis, a number of rayleigh can differ in its last bit.
            key, shape = new_key(rng, impl), (int(rng.integers(1, 300)), int(rng.integers(16, 300)))
            their_key = theirs_of(jax, key, impl)
            lower = float(rng.normal())
            b = np.asarray(jax.numpy.asarray(rng.random((shape[0], int(rng.choice([1, shape[1]])))) * 5 + 0.1, dtype))
            scale, power = float(rng.exponential()), float(rng.random() * 3 + 0.1)
            for name, arguments, options in (
                ("exponential", (), {}),
                ("laplace", (), {}),
                ("logistic", (), {}),
                ("cauchy", (), {}),
                ("gumbel", (), {"mode": "high"}),
                ("truncated_normal", (lower, lower + scale), {}),
                ("rayleigh", (scale,), {}),
                ("rayleigh", (b,), {}),
                ("pareto", (power,), {}),
                ("pareto", (b,), {}),
                ("weibull_min", (scale, power), {}),
                ("weibull_min", (b, b), {}),
            ):
                theirs = getattr(jax.random, name)(their_key, *arguments, shape, dtype, **options)
                mine = getattr(ours, name)(key, *arguments, shape, dtype, impl=impl, x64=x64, **options)
                try:
                    assert_same(mine, theirs)
                except AssertionError as error:
                    raise AssertionError(f"{name}{np.shape(arguments)} {shape}") from error


def test_counts_and_modes(jax, rng, x64):
    """jax 13, 14 and 25"""
    kind = np.dtype("float64" if x64 else "float32")
    for _ in range(ROUNDS):
        key, shape = new_key(rng), tuple(rng.integers(1, 100, 2).tolist())
        for p in (rng.random(), 1e-5, 0.0, 1.0, rng.random(shape[1]).astype(kind), rng.random(shape).astype(kind)):
            assert_same(ours.geometric(key, p, shape, x64=x64), jax.random.geometric(key, p, shape))
            high = ours.bernoulli(key, p, shape, mode="high", x64=x64)
            assert_same(high, jax.random.bernoulli(key, p, shape, mode="high"))
        for dtype in (None, "int8", "int16", "int32", "float16", "float32"):
            assert_same(ours.rademacher(key, shape, dtype, x64=x64), jax.random.rademacher(key, shape, dtype))
        logits = rng.normal(size=(5, 40)).astype(kind)
        for replace in (True, False):
            arguments = (key, logits, -1, (7, 5), replace, "high")
            assert_same(ours.categorical(*arguments, x64=x64), jax.random.categorical(*arguments))


def test_the_recipe_for_jit_and_vmap(jax):
    """jax 27: the program of the page."""
    page = (SPECS / "jax.md").read_text("utf-8")
    (block,) = re.findall(r" *```python\n(.*?)```", page, re.DOTALL)
    names = {}
    exec(textwrap.dedent(block), names)
    random = jax.random
    for impl in IMPLS:
        key = random.key(7, impl=impl)
        drawn = jax.jit(names["normal"], static_argnums=1)(key, (3, 4))
        assert_same(np.asarray(drawn), random.normal(key, (3, 4)))
        keys = random.split(key, (2, 5))
        many = jax.jit(jax.vmap(jax.vmap(lambda one: names["normal"](one, (3, 4)))))(keys)
        assert_same(np.asarray(many), jax.vmap(jax.vmap(lambda one: random.normal(one, (3, 4))))(keys))
    states = dmlrand.split(dmlrand.make_state(key=7), 3)
    words, following = jax.jit(jax.vmap(lambda state: names["words"](state, 10)))(states)
    for i, state in enumerate(states):
        expected = dmlrand.random_generator(state, 10)
        assert_same(np.asarray(words[i]), expected.values)
        assert_same(np.asarray(following[i]), expected.state)


def test_inside_jit_and_vmap_without_the_recipe(jax):
    """jax 24"""
    for key in (jax.random.key(0), jax.numpy.uint32([0, 1])):
        with pytest.raises(jax.errors.TracerArrayConversionError):
            jax.jit(ours.bits)(key)
    with pytest.raises(jax.errors.TracerArrayConversionError):
        jax.vmap(ours.bits)(jax.random.split(jax.random.key(0), 3))


def test_names_that_are_not_here(jax):
    """jax 35: the functions of the page, but for those that the clauses refuse"""
    names = "gamma loggamma beta dirichlet t chisquare f generalized_normal ball"
    names += " multinomial multivariate_normal orthogonal random_gamma_p key_dtype"
    theirs = {name for name in dir(jax.random) if name[0] != "_"}
    assert theirs - set(ours.__all__) == set(names.split())


REALS = {  # the arguments between key and shape
    "uniform": (), "normal": (), "exponential": (), "laplace": (), "logistic": (), "cauchy": (), "gumbel": (),
    "truncated_normal": (-1.0, 2.0), "rayleigh": (1.5,), "weibull_min": (2.0, 1.5), "pareto": (3.0,),
    "lognormal": (0.7,), "triangular": (-1.0, 0.5, 2.0),
}  # fmt: skip
OTHERS = {  # all arguments after key
    "bits": ((16,),), "randint": ((16,), -7, 90), "bernoulli": (0.3, (16,)), "rademacher": ((16,),),
    "geometric": (0.2, (16,)), "poisson": (12.0, (16,)), "binomial": (50.0, 0.4, (16,)), "permutation": (16,),
    "categorical": (np.float32([0.1, 2, 0.3]), -1, (16,)), "choice": (20, (16,), False),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted({**REALS, **OTHERS}))
def test_a_thousand_new_keys_of_each_sampler(jax, rng, x64, name):
    """jax 26: a draw of 16 by each key, in each type of reals"""
    keys = rng.integers(0, 1 << 32, (1000, 2), np.uint32)
    calls = [(*REALS[name], (16,), dtype) for dtype in floats(x64)] if name in REALS else [OTHERS[name]]
    for arguments in calls:
        theirs = jax.vmap(lambda one: getattr(jax.random, name)(one, *arguments))(keys)  # noqa: B023
        assert_same(getattr(ours, name)(keys, *arguments, x64=x64), theirs)


def test_the_table_has_each_sampler():
    others = "PRNGKey fold_in key key_data rng_bit_generator rng_bit_generator_state split"
    assert {**REALS, **OTHERS}.keys() == set(ours.__all__) - set(others.split())


def test_a_million_of_each(jax, rng, x64):
    key = new_key(rng)
    for dtype in floats(x64):
        assert_same(ours.normal(key, 1_000_003, dtype, x64=x64), jax.random.normal(key, (1_000_003,), dtype))
    for name in ("gumbel", "exponential", "laplace", "logistic", "cauchy"):
        assert_same(getattr(ours, name)(key, 1_000_003, x64=x64), getattr(jax.random, name)(key, (1_000_003,)))
    p = rng.random(20_011).astype(np.float32)
    assert_same(ours.choice(key, p.size, 100_000, p=p, x64=x64), jax.random.choice(key, p.size, (100_000,), p=p))


def test_every_name_of_jax_random_is_here_or_has_a_reason(jax):
    """jax 26, 29 and 35"""
    for name in (name for name in dir(jax.random) if not name.startswith("_")):
        if name not in ours.__all__:
            with pytest.raises(AttributeError, match=f"'{name}'. This function of jax.random is not reproduced: specs"):
                getattr(ours, name)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_bounds_of_truncated_normals(jax, rng, dtype):
    """jax 25: arrays of bounds, with a shape and without one"""
    x64, kind = dtype == "float64", dtype_of(dtype)
    with jax.enable_x64(x64):
        for low, high, shape in (
            ((7,), (7,), None),
            ((), (300,), None),
            ((40, 50), (40, 1), None),
            ((40, 1), (1, 50), None),
            ((3,), (3,), (500, 3)),
            ((40, 50), (), (40, 50)),
        ):
            key, scale = new_key(rng), rng.choice([1.0, 5.0, 1e-4, 1e-37])
            bounds = [(rng.normal(size=each) * scale).astype(kind) for each in (low, high)]
            theirs = jax.random.truncated_normal(key, *bounds, shape, dtype)
            assert_same(ours.truncated_normal(key, *bounds, shape, dtype, x64=x64), theirs)


def test_types_of_parameters(jax, rng, x64):
    """jax 21: JAX accepts what ours accept, and refuses or widens the result where ours refuse"""
    key, number = new_key(rng), rng.uniform(0.5, 3)
    kinds = [dtype_of(name) for name in floats(x64)]
    for kind in kinds:
        for own in kinds:
            given = np.array(number, own)
            for name, parameters in (
                ("weibull_min", (given, 1.5)),
                ("weibull_min", (1.5, given)),
                ("rayleigh", (given,)),
                ("pareto", (given,)),
            ):
                try:
                    theirs = getattr(jax.random, name)(key, *parameters, (400,), kind)
                except ValueError:  # TypePromotionError
                    theirs = None
                if theirs is None or theirs.dtype != kind:
                    with pytest.raises(TypeError, match="must be a Python float or have a type that fits in dtype"):
                        getattr(ours, name)(key, *parameters, (400,), kind, x64=x64)
                else:
                    assert_same(getattr(ours, name)(key, *parameters, (400,), kind, x64=x64), theirs)


def test_items_of_64_bits(jax, rng):
    """jax 21"""
    items, key = np.arange(9) + 2**33, new_key(rng)
    for name, arguments in (("permutation", ()), ("choice", ((5,),))):
        drawn = getattr(ours, name)(key, items, *arguments)
        assert drawn.dtype == np.int64
        assert_same(drawn.astype(np.int32), getattr(jax.random, name)(key, items, *arguments))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_further_reals(jax, rng, dtype):
    """jax 25 and 26: 1,000 numbers and more of each, one by one under vmap too"""
    x64, kind = dtype == "float64", dtype_of(dtype)
    with jax.enable_x64(x64):
        for shape in ((1000,), (20, 50), (1365,), (1366,), (7, 200)):
            key = new_key(rng)
            number, last, full = [rng.uniform(0.1, 3, size).astype(kind) for size in ((1,), shape[-1:], shape)]
            for name, arguments in (
                ("lognormal", (float(rng.uniform(0.1, 2)),)),
                ("lognormal", (last,)),
                ("lognormal", (full,)),
                ("triangular", (-1.0, float(rng.uniform(-1, 3)), 3.0)),
                ("triangular", (-last, number / kind.type(4), full + kind.type(1))),
            ):
                theirs = getattr(jax.random, name)(key, *arguments, shape, dtype)
                assert_same(getattr(ours, name)(key, *arguments, shape, dtype, x64=x64), theirs)
        keys = ours.split(new_key(rng), 3)
        for name, arguments in (("lognormal", (0.7,)),):
            theirs = jax.vmap(lambda one: getattr(jax.random, name)(one, *arguments, (500,), dtype))(keys)  # noqa: B023
            assert_same(getattr(ours, name)(keys, *arguments, (500,), dtype, x64=x64), theirs)


def test_further_counts(jax, rng, x64):
    """jax 25, 36 and 37"""
    kind, n = ("float64" if x64 else "float32"), 20_000
    for lam in (0.0, 4.5, 12.0, 1e3, rng.uniform(-1, 40, n).astype("float32")):
        key = new_key(rng)
        for dtype in ("int32", "int16", "uint8"):
            assert_same(ours.poisson(key, lam, n, dtype, x64=x64), jax.random.poisson(key, lam, (n,), dtype))
    chances = rng.uniform(0, 1, n).astype(kind)
    for trials, p in ((12.0, 0.3), (500.0, 0.3), (80.0, 0.75), (40.0, chances), (np.arange(n).astype(kind), chances)):
        key = new_key(rng)
        assert_same(ours.binomial(key, trials, p, n, kind, x64=x64), jax.random.binomial(key, trials, p, (n,), kind))
    key = new_key(rng)
    for dtype in ("int8", "uint8", "int16", "uint16", "uint32"):
        assert_same(ours.geometric(key, 0.01, 1000, dtype, x64=x64), jax.random.geometric(key, 0.01, (1000,), dtype))
        assert_same(ours.rademacher(key, 1000, dtype, x64=x64), jax.random.rademacher(key, (1000,), dtype))
    assert_same(ours.rademacher(key, 1000, "bool", x64=x64), jax.random.rademacher(key, (1000,), "bool"))
    keys = ours.split(key, 3)
    theirs = jax.vmap(lambda one: jax.random.poisson(one, np.float32(30), (50,)))(keys)
    assert_same(ours.poisson(keys, 30.0, 50, x64=x64), theirs)
    p = rng.uniform(0, 1, 50).astype(kind)
    theirs = jax.random.choice(key, 50, (20,), False, p, mode="high")
    assert_same(ours.choice(key, 50, (20,), False, p, mode="high", x64=x64), theirs)


@pytest.mark.parametrize("dtype", ["int2", "uint2", "int4", "uint4"])
def test_randint_of_short_types(jax, rng, dtype):
    """jax 11"""
    key, low, high = new_key(rng), int(rng.integers(-10, 5)), int(rng.integers(2, 20))
    for bounds in ((low, high), (-9, 17), (np.int8([[0], [1], [-3]]), np.int8(3))):
        theirs = jax.random.randint(key, (3, 1000), *bounds, dtype=dtype)
        for given in (dtype, getattr(jax.numpy, dtype), theirs.dtype):
            assert_same(ours.randint(key, (3, 1000), *bounds, given), theirs)


def test_names_of_keys(jax):
    """jax 29"""
    for impl in IMPLS:
        key = jax.random.key(7, impl=impl)
        for dtype in (key.dtype, impl):
            assert_same(ours.key(7, dtype=dtype), jax.random.key_data(jax.random.key(7, dtype=dtype)))
    assert_same(ours.uniform(key, jax.numpy.array([2, 3])), jax.random.uniform(key, jax.numpy.array([2, 3])))


def test_rayleigh_with_a_short_last_axis(tmp_path):
    """jax 26: JAX gives other last bits with AVX-512, so it runs in a process without it"""
    program = (
        "import numpy as np, jax; from dmlrand.compat import jax as ours; key = np.uint32([1, 2])\n"
        "for n in range(1, 11):\n"
        "    theirs = np.asarray(jax.random.rayleigh(key, 1.3, (20000, n)))\n"
        "    assert ours.rayleigh(key, 1.3, (20000, n)).tobytes() == theirs.tobytes(), n\n"
    )
    environment = {**os.environ, "XLA_FLAGS": "--xla_cpu_max_isa=AVX2"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
