"""compat.jax against every answer recorded from jax 0.10.2: specs/jax.md."""

import math
import platform

import numpy as np
import pytest
from numbers_at import dtype_of
from recorded import assert_bits, assert_recorded, digest, each, each_of, load, numbers_of, to_int

from dmlrand import random_generator
from dmlrand.compat import jax, kernels
from dmlrand.compat.jax.selections import running_sums

pytestmark = pytest.mark.both_kinds


def key_of(case, dtype=np.uint32):
    return np.array([to_int(word) for word in case["key"]], dtype)


def impl_of(case):
    if case.get("op", "").startswith("rbg "):
        return {"impl": "rbg"}
    return {"impl": "philox4x32"} if case["id"].startswith("jax_philox4x32") else {}


def layout(case):
    return {"partitionable": case.get("threefry_partitionable", True)} | impl_of(case)


def mode_of(case):
    """x64=True if the recorded type has 64 bits: JAX does not draw such types without x64."""
    return {"x64": case["dtype"] in ("f64", "float64", "int64", "uint64")}


def op_of(case):
    """The recorded function. Most recordings are of one, which their name says."""
    return case.get("op", case["id"].partition("-")[0].removeprefix("jax_")).removeprefix("rbg ")


RECORDINGS = "keys bits uniform normal gumbel randint philox4x32 rng_bit_generator".split()
CASES = [case for name in RECORDINGS for case in load(f"jax_{name}")]


@each_of([case for case in CASES if op_of(case) == "seed"])
def test_seed(case):
    """jax 2, 17 and 18"""
    seed = to_int(case["seed"])
    if case.get("seed_type", "python int") != "python int":
        seed = np.dtype(case["seed_type"].removeprefix("numpy ")).type(seed)
    for make in (jax.PRNGKey, jax.key):
        key = make(seed, x64=case["x64"], **impl_of(case))
        assert key.dtype == np.uint32
        assert key.tolist() == case["result"]


CALLS = {
    "split": lambda c: jax.split(key_of(c), tuple(c["num"]) if isinstance(c["num"], list) else c["num"], **layout(c)),
    "fold_in": lambda c: jax.fold_in(key_of(c), to_int(c["data"]), **impl_of(c)),
    "bits": lambda c: jax.bits(key_of(c), c["shape"], f"uint{c['width']}", x64=c["width"] == 64, **layout(c)),
    "uniform": lambda c: jax.uniform(
        key_of(c), c["shape"], dtype_of(c["dtype"]), c["minval"], c["maxval"], **mode_of(c), **impl_of(c)
    ),
    "normal": lambda c: jax.normal(key_of(c), c["shape"], dtype_of(c["dtype"]), **mode_of(c)),
    "gumbel": lambda c: jax.gumbel(key_of(c), c["shape"], dtype_of(c["dtype"]), **mode_of(c)),
    "randint": lambda c: jax.randint(
        key_of(c), c["shape"], to_int(c["minval"]), to_int(c["maxval"]), c["dtype"], **mode_of(c)
    ),
}


@each_of([case for case in CASES if op_of(case) in CALLS])
def test_one_key(case):
    """jax 3 to 5, 8, 9, 11, 14, 17 and 18"""
    drawn = CALLS[op_of(case)](case)
    if "result" in case:
        assert list(drawn.shape) == case.get("shape", [*drawn.shape[:-1], len(case["key"])])
        assert drawn.ravel().tolist() == case["result"]
    else:
        assert drawn.dtype == (f"uint{case['width']}" if "width" in case else dtype_of(case["dtype"]))
        assert_recorded(drawn, case)


@each("jax_cumsum")
def test_the_order_of_a_running_sum(case):
    """jax 15"""
    assert_bits(running_sums(numbers_of(case["values"], case["dtype"])), case["bits"])


def test_the_default_types_are_those_of_the_mode():
    """jax 7"""
    key = jax.PRNGKey(0)
    for x64, bits in ((False, 32), (True, 64)):
        assert jax.bits(key, x64=x64).dtype == f"uint{bits}"
        assert jax.uniform(key, x64=x64).dtype == jax.normal(key, x64=x64).dtype == f"float{bits}"
        assert jax.gumbel(key, x64=x64).dtype == f"float{bits}"
        assert jax.randint(key, (), 0, 9, x64=x64).dtype == f"int{bits}"
        assert jax.permutation(key, 3, x64=x64).dtype == jax.choice(key, 3, x64=x64).dtype == f"int{bits}"
        assert jax.categorical(key, [0.5, 0.5], x64=x64).dtype == f"int{bits}"
        assert np.array_equal(jax.normal(key, 5, "float32", x64=x64), jax.normal(key, 5))
    assert np.array_equal(jax.normal(key, 5, x64=True), jax.normal(key, 5, np.float64, x64=True))


@each("jax_discrete")
def test_discrete_draws(case):
    """jax 12 to 15, 19"""
    key, op = key_of(case), case["op"].split(" of ")[0]
    p = np.array(case["p_f32_bits"], np.uint32).view(np.float32) if "p_f32_bits" in case else None
    shape = tuple(case["shape"]) if "shape" in case else None
    if op == "bernoulli":
        draws = [jax.bernoulli(key, each, shape) for each in (p, case["p"])]
    elif op == "categorical":
        logits = np.array(case["logits_f32_bits"], np.uint32).view(np.float32)
        draws = [jax.categorical(key, logits, shape=shape)]
    elif op == "choice":
        draws = [jax.choice(key, case["n"], shape, case["replace"], p)]
    elif "n" in case:
        draws = [jax.permutation(key, case["n"]), jax.permutation(key, np.arange(case["n"]))]
    else:
        items = np.arange(math.prod(shape)).reshape(shape)
        draws = [jax.permutation(key, items, case["axis"], case["independent"])]
    for drawn in draws:
        assert shape is None or drawn.shape == shape
        if "result" in case:
            assert drawn.astype(int).ravel().tolist() == case["result"]
        else:
            assert digest(drawn.astype(np.int32)) == case["sha256_le"]


# rng_bit_generator and the other implementations


@each_of([c for c in load("jax_rng_bit_generator", op="rng_bit_generator") if c["algorithm"] != "RNG_THREE_FRY"])
def test_rng_bit_generator(case):
    """jax 16"""
    key = key_of(case, case["key_dtype"])
    before = key.copy()
    dtype = f"uint{case['width']}"
    new_key, values = jax.rng_bit_generator(key, tuple(case["shape"]), dtype, case["algorithm"], x64=dtype == "uint64")
    assert_recorded(values, case)
    assert new_key.dtype == case["key_dtype"]
    assert new_key.tolist() == [to_int(word) for word in case["new_key"]]
    assert np.array_equal(key, before)


@pytest.mark.parametrize("algorithm", ["RNG_PHILOX", "RNG_DEFAULT"])
def test_its_key_is_a_state_of_six_words(algorithm):
    """jax 16"""
    cases = load("jax_rng_bit_generator", op="rng_bit_generator", algorithm=algorithm, width=32)
    for case in cases:
        state = jax.rng_bit_generator_state(key_of(case, case["key_dtype"]))
        values = random_generator(state, tuple(case["shape"]) or 1).values
        assert_recorded(values.reshape(case["shape"]), case)


@each("jax_unsafe_rbg")
def test_unsafe_rbg(case):
    """jax 6 and 22"""
    op, key = case["op"], np.array(case["key"], np.uint32)
    arguments = {
        "fold_in": lambda: (np.array(case["data"], np.uint32),),
        "randint": lambda: (case["shape"], -7, 90),
        "permutation": lambda: (9,),
    }.get(op, lambda: (tuple(case["shape"]),))()
    mode = {} if op == "fold_in" else {"partitionable": case["partitionable"]}
    assert_bits(getattr(jax, op)(key, *arguments, impl="unsafe_rbg", **mode), case["bits"])


def arguments_of(case, kind):
    """Recorded lists are arrays of the type `kind`."""
    return {
        name: np.array(value, "float32").astype(dtype_of(kind)) if isinstance(value, list) else value
        for name, value in case["arguments"].items()
    }


def assert_near(drawn, case, by_the_c_library):
    """The recorded bits, or with other C libraries those of one of the four nearest numbers: 2 ulp."""
    if not by_the_c_library or platform.libc_ver() == ("glibc", "2.36"):
        return assert_recorded(drawn, case)
    words = drawn.view(f"u{drawn.dtype.itemsize}").ravel().tolist()
    assert list(drawn.shape) == case["shape"]
    assert max(abs(word - to_int(bits)) for word, bits in zip(words, case["bits"], strict=True)) <= 2


@each_of(load("jax_distributions") + load("jax_further"))
def test_distributions(case):
    """jax 13, 14, 24, 25, 27 and 28"""
    kind = case.get("of", case["dtype"])  # of the parameters
    mode = {"shape": tuple(case["shape"]), "x64": case.get("x64", kind == "float64"), **arguments_of(case, kind)}
    if "out" not in case:  # the type of others is that of their parameter
        mode["dtype"] = case["dtype"]
    drawn = getattr(jax, case["op"])(jax.key(case["seed"]), **mode)
    assert drawn.dtype.name == case.get("out", case["dtype"])
    assert_near(drawn, case, case["op"] in ("cauchy", "weibull_min") or "float64" in (kind, drawn.dtype.name))


@each("jax_erfinv")
def test_the_inverse_of_erf_in_every_range(case):
    """jax 9: 1 draw of float64 in 10 million uses the third polynomial, for w >= 16."""
    points = numbers_of(case["points"], case["dtype"])
    values = np.empty_like(points)
    kernels.of_xla("xla_erfinv64" if case["dtype"] == "float64" else "xla_erfinv32")(points, values)
    assert_bits(values, case["bits"])
    if case["dtype"] == "float64":
        assert ((1 - points**2) < np.exp(-16)).sum() >= 10


@each("jax_x64_discrete")
def test_chances_and_logits_are_drawn_in_their_own_type_with_x64(case):
    """jax 7, 13 and 14"""
    key, numbers, shape = key_of(case), np.array(case["values"], case["dtype"]), tuple(case["shape"])
    assert getattr(jax, case["op"])(key, numbers, shape=shape, x64=True).ravel().tolist() == case["result"]
    if case["op"] == "bernoulli" and case["dtype"] == "float64":
        truths = [jax.bernoulli(key, kind(case["values"][0]), 50, x64=True).tolist() for kind in (float, np.float64)]
        assert truths[0] == truths[1]


@each("jax_shapes")
def test_every_sampler_draws_every_shape(case):
    """jax 6, 24, 27 and 28: the default shape (null), scalars, empty arrays and vectors, for one key and for two"""
    arguments = {name: np.float32(v) if isinstance(v, list) else v for name, v in case["arguments"].items()}
    shape = case["shape"]
    shaped = {} if shape is None else {"shape": tuple(shape)}
    if case["op"] == "randint":
        shaped = {"shape": tuple(shape or ())}
    drawn = getattr(jax, case["op"])(np.array(case["key"], np.uint32), **arguments, **shaped)
    assert list(drawn.shape) == case["out_shape"] and drawn.dtype == case["dtype"]
    assert_bits(drawn, case["bits"])


def test_many_counts_by_rejection():
    """jax 27, 28: small errors of a constant change few counts. The draws of jax 0.10.2 were these."""
    key = jax.PRNGKey(0)
    counts = jax.binomial(key, 1000, 0.3, (20_000,)).astype("i4"), jax.poisson(key, 1000.0, (20_000,))
    assert [digest(each) for each in counts] == [
        "6482a6ed72f5be92d090c60431cd6a6431e4daffe77d7de1f5d3af307c431a47",
        "86cef52b82990030f3d6e803c6766a945330dea2486b2639e4f117a3c639fc2c",
    ]
