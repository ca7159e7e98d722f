"""compat.jax against the installed jax, with new random cases on every run. pytest -m peers."""

import os
import re
import textwrap

import numpy as np
import pytest
from numbers_at import dtype_of
from paths import SPECS

from dmlrand.compat import jax as ours

pytestmark = pytest.mark.peers

CASES = int(os.environ.get("DMLRAND_PEERS_CASES", 8))  # of each sampler, with and without x64
IMPLS = ["threefry2x32", "philox4x32", "rbg", "unsafe_rbg"]
LEAST_EXPONENT = {"float32": -126, "bfloat16": -126, "float64": -1022, "float16": -14}  # of a normal number
STEPS = [-6, -2, -1, 0, 0, 1, 2, 5, 20, 24]  # from the exponent of the least normal number
# Few sizes, because JAX compiles each. XLA treats vectors of a few elements and long outputs in other ways.
SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 100, 255, 257, 1000, 4097, 70001]


@pytest.fixture(scope="module")
def jax():
    return pytest.importorskip("jax", reason="jax is not installed")


@pytest.fixture
def rng(chance):
    return np.random.default_rng(chance.getrandbits(64))


@pytest.fixture(params=[False, True], ids=["x32", "x64"])
def x64(request, jax):
    with jax.enable_x64(request.param):
        yield request.param


def new_key(rng, impl="threefry2x32", lead=()):
    return rng.integers(0, 1 << 32, (*lead, 4 if "rbg" in impl else 2), np.uint32)


def theirs_of(jax, key, impl="threefry2x32"):
    return jax.random.wrap_key_data(jax.numpy.asarray(key), impl=impl)


def assert_same(ours, theirs):
    theirs = np.asarray(theirs)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    ours = np.where((ours != ours) & (theirs != theirs), theirs, ours)  # the sign of nan is the processor's: jax 8
    assert ours.tobytes() == theirs.tobytes()


class Case:
    """Random arguments of one call of a sampler: the type of its reals, its shape, and parameters of any size."""

    def __init__(self, rng, x64):
        self.rng, self.x64 = rng, x64
        self.kind = dtype_of(str(rng.choice(["float16", "bfloat16", "float32", *(["float64"] if x64 else [])])))
        count = int(rng.choice(SIZES))
        shapes = [(count,), (count,), (3, count), (count, 5), ()]
        self.shape = shapes[rng.integers(len(shapes) if count < 300 else 1)]

    def reals(self, low, high, near_zero=False):
        """A Python float, or an array for all elements, for each column or for each element."""
        sizes = [None, (), self.shape[-1:], self.shape]
        size = sizes[self.rng.integers(4)]
        numbers = self.rng.uniform(low, high, size)
        if near_zero and self.rng.integers(3) == 0:  # around the least normal number
            step = min(int(self.rng.choice(STEPS)), 10 if self.kind == np.float16 else 24)
            numbers = numbers * 2.0 ** (LEAST_EXPONENT[self.kind.name] + step)
        return numbers if size is None else np.asarray(numbers).astype(self.kind)

    def choose(self, *values):
        return values[self.rng.integers(len(values))]

    def wide(self):
        return dtype_of(self.choose("float32", "float64") if self.x64 else "float32")


def integers_of(case):
    kind = case.choose(
        "int8", "uint8", "int16", "uint16", "int32", "uint32", *(["int64", "uint64"] if case.x64 else [])
    )
    info = np.iinfo(np.int64 if case.x64 and np.iinfo(kind).bits > 16 else np.int32)
    low, high = (int(end) >> int(case.rng.integers(0, 60)) for end in case.rng.integers(info.min, info.max, 2))
    # For types of 8 and 16 bits JAX wraps ints outside int32; ours clip.
    return low, case.choose(high, low, min(np.iinfo(kind).max + 1, info.max), info.max), kind


def choice_of(case):
    count = int(case.rng.integers(1, 400))
    p = case.rng.random(count).astype(case.wide()) if case.rng.integers(2) else None
    if case.rng.integers(2):
        return count, case.shape, True, p
    return count, (int(case.rng.integers(0, count + 1)),), False, p, 0, case.choose("low", "high")


def binomial_of(case):
    case.kind = case.wide()
    if np.prod(case.shape) > 5000:
        case.shape = (4097,)
    return case.reals(1, case.choose(8, 30, 300)), case.reals(0, 1), case.shape, case.kind


def categorical_of(case):
    logits = case.rng.normal(0, 3, int(case.rng.integers(1, 20))).astype(case.kind)
    if case.rng.integers(2):
        return logits, -1, case.shape, True, case.choose("low", "high")
    return logits, -1, (int(case.rng.integers(0, logits.size + 1)),), False


def permutation_of(case):
    if case.rng.integers(2):
        return (int(case.rng.choice(SIZES)),)
    items = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    return items, int(case.rng.integers(-3, 3)), bool(case.rng.integers(2))


def real(case, *parameters):
    return (*parameters, case.shape, case.kind)


WORDS = ["uint8", "uint16", "uint32"]
SAMPLERS = {  # the arguments after the key
    "split": lambda c: (c.choose(*SIZES[:-2], (2, 3)),),
    "fold_in": lambda c: (int(c.rng.integers(0, 1 << 32)),),
    "bits": lambda c: (c.shape, c.choose(*WORDS, *(["uint64"] if c.x64 else []))),
    "uniform": lambda c: (*real(c), c.reals(-5, 0, True), c.reals(0, 9, True)),
    "normal": real,
    "exponential": real,
    "laplace": real,
    "logistic": real,
    "cauchy": real,
    "gumbel": lambda c: (*real(c), c.choose(None, "high")),
    "truncated_normal": lambda c: real(c, c.reals(-4, 1, True), c.reals(-1, 4, True)),
    "rayleigh": lambda c: real(c, c.reals(0.1, 3, True)),
    "weibull_min": lambda c: real(c, c.reals(0.1, 3, True), c.reals(0.3, 3)),
    "pareto": lambda c: real(c, c.reals(0.3, 5, True)),
    "lognormal": lambda c: real(c, c.reals(0.1, 2)),
    "triangular": lambda c: real(c, c.reals(-3, -1), c.reals(-1, 1), c.reals(1, 3)),
    "randint": lambda c: (c.shape, *integers_of(c)),
    "bernoulli": lambda c: (c.reals(0, 1, True), c.shape, c.choose("low", "high")),
    "rademacher": lambda c: (c.shape, c.choose("int8", "int32", "float16", "float32", "uint8", "bool")),
    "geometric": lambda c: (c.reals(0.001, 0.9, True), c.shape, c.choose("int8", "int32", "uint16")),
    "poisson": lambda c: (c.reals(0, c.choose(5, 15, 200)), c.shape),
    "binomial": binomial_of,
    "categorical": categorical_of,
    "choice": choice_of,
    "permutation": permutation_of,
}


def is_known_to_differ(name, case):
    """jax 25: log of float32 in rayleigh, if the last axis has 3 to 8 elements and the processor has AVX-512."""
    return name == "rayleigh" and case.kind != np.float64 and 3 <= (case.shape or (0,))[-1] <= 8


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_sampler(jax, rng, x64, name):
    """jax 2 to 9, 11 to 15, 17, 18, 21 to 25, 27 and 28: each kind of keys, both layouts, one key or three

    The keys and the parameters are arrays of numpy or of JAX, and keys may be typed.
    """
    for _ in range(CASES):
        case = Case(rng, x64)
        arguments = SAMPLERS[name](case)
        impl = "threefry2x32" if name == "poisson" else case.choose(*IMPLS, IMPLS[0])
        few = np.prod(case.shape) <= 5000 and (name, "rbg" in impl) != ("binomial", True)
        lead = case.choose((), (), (3,)) if few else ()
        mode = {"impl": impl, "partitionable": case.choose(True, True, False), "x64": x64}
        if is_known_to_differ(name, case):
            continue
        key = new_key(rng, impl, lead)

        def draw(one):
            drawn = getattr(jax.random, name)(one, *arguments)  # noqa: B023
            return jax.random.key_data(drawn) if name in ("split", "fold_in") else drawn

        with jax.threefry_partitionable(mode["partitionable"]):
            theirs = (jax.vmap(draw) if lead else draw)(theirs_of(jax, key, impl))
        given = case.choose(key, jax.numpy.asarray(key), theirs_of(jax, key, impl))
        if case.rng.integers(2):
            arguments = [jax.numpy.asarray(each) if isinstance(each, np.ndarray) else each for each in arguments]
        accepted = {"split": ("impl", "partitionable"), "fold_in": ("impl",)}.get(name, mode)
        mine = getattr(ours, name)(given, *arguments, **{option: mode[option] for option in accepted})
        try:
            assert_same(mine, theirs)
        except AssertionError as error:
            raise AssertionError(f"{name} {arguments} of keys {lead}, {mode}") from error


def test_the_table_has_each_sampler():
    others = "PRNGKey key key_data rng_bit_generator rng_bit_generator_state"
    assert SAMPLERS.keys() == set(ours.__all__) - set(others.split())


def test_seeds(jax, rng, x64):
    """jax 2 and 23"""
    seeds = [int(rng.integers(-(1 << 63), (1 << 63) - 1)) >> int(rng.integers(0, 64)) for _ in range(20)]
    for seed in (*seeds, jax.numpy.int32(-5), np.array(-5, np.int32), jax.numpy.asarray(np.int64(-5))):
        for impl in IMPLS:
            assert_same(ours.PRNGKey(seed, impl=impl, x64=x64), jax.random.PRNGKey(seed, impl=impl))


@pytest.mark.parametrize("impl", IMPLS)
def test_typed_keys_and_arrays_of_jax(jax, rng, impl):
    """jax 23"""
    random, jnp = jax.random, jax.numpy
    key, keys = random.key(int(rng.integers(1 << 31)), impl=impl), random.split(random.key(3, impl=impl), (2, 3))
    words = np.asarray(random.key_data(key))
    for same in (key, words, random.key_data(key), random.wrap_key_data(words, impl=impl)):
        assert_same(ours.key_data(same, impl=impl), words)
    assert_same(ours.key_data(key), words)
    assert_same(ours.fold_in(key, jnp.uint32(5)), random.key_data(random.fold_in(key, 5)))
    assert_same(ours.key_data(keys), random.key_data(keys))
    assert_same(ours.bits(keys, 4), jax.vmap(jax.vmap(lambda one: random.bits(one, (4,))))(keys))
    assert_same(ours.key(jnp.int32(-7), impl=impl), random.key_data(random.key(jnp.int32(-7), impl=impl)))
    for name in ("permutation", "choice"):
        assert_same(getattr(ours, name)(key, jnp.int32(9)), getattr(random, name)(key, jnp.int32(9)))
    for name in IMPLS:
        if name != impl:
            with pytest.raises(ValueError, match=f"impl must be None or '{impl}', the impl of key; got '{name}'"):
                ours.bits(key, impl=name)


def test_rng_bit_generator(jax, rng, x64):
    """jax 16 and 23: keys are arrays of numpy or of JAX"""
    for _ in range(6):
        dtype = f"uint{rng.choice([8, 16, 32, 64] if x64 else [8, 16, 32])}"
        wide = x64 and rng.integers(2)
        key = rng.integers(0, 1 << 64, 2, np.uint64) if wide else rng.integers(0, 1 << 32, 4, np.uint32)
        if rng.integers(2):  # near a carry
            key[-1 if wide else slice(2, None)] = np.iinfo(key.dtype).max
        shape = tuple(rng.integers(0, 40, rng.integers(0, 3)).tolist())
        for algorithm, given in (("RNG_DEFAULT", key), ("RNG_PHILOX", jax.numpy.asarray(key))):
            theirs = jax.lax.rng_bit_generator(key, shape, dtype, algorithm=getattr(jax.lax.RandomAlgorithm, algorithm))
            for our, their in zip(ours.rng_bit_generator(given, shape, dtype, algorithm, x64=x64), theirs):
                assert_same(our, their)


def test_the_recipe_for_jit_and_vmap(jax):
    """jax 26: the program of the page."""
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


def test_every_name_of_jax_random_is_here_or_has_a_reason(jax):
    """jax 25"""
    for name in {name for name in dir(jax.random) if name[0] != "_"} - set(ours.__all__):
        with pytest.raises(AttributeError, match=f"compat.jax has no {name}: .*. See specs/jax.md"):
            getattr(ours, name)
