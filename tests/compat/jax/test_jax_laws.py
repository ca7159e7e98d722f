"""compat.jax against the formulas of specs/jax.md in Python integers and exact fractions, and many keys against one."""

from hashlib import sha256

import numpy as np
import pytest
import threefry_oracle as oracle
from hypothesis import example, given, settings, strategies as st
from strategies import edge_ints

from dmlrand.compat import jax

pytestmark = pytest.mark.both_kinds

words = st.tuples(edge_ints(32), edge_ints(32))


def as_key(pair):
    return np.array(pair, np.uint32)


def children(key, count):
    return [oracle.at(i, key) for i in range(count)]


def bits_of(key, count, width=32):
    return [x0 ^ x1 if width == 32 else x0 * 2**32 + x1 for x0, x1 in children(key, count)]


# One key, in Python integers


@given(
    key=words,
    dtype=st.sampled_from(["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]),
    low=st.integers(-(2**65), 2**65) | edge_ints(64),
    high=st.integers(-(2**65), 2**65) | edge_ints(64),
    as_arrays=st.booleans(),
)
def test_randint_is_a_remainder_of_twice_the_bits(key, dtype, low, high, as_arrays):
    """jax 11"""
    info = np.iinfo(dtype)
    bottom, top = min(max(low, info.min), info.max), min(max(high, info.min), info.max + 1)
    bits = 64 if info.bits == 64 else 32
    span = max(1, top - bottom) % 2**bits
    if span:
        factor = (2 ** (bits // 2) % span) ** 2 % 2**bits % span
        upper, lower = (bits_of(child, 6, bits) for child in children(key, 2))
        offsets = [(high % span * factor % 2**bits + low % span) % 2**bits % span for high, low in zip(upper, lower)]
    else:
        offsets = bits_of(children(key, 2)[1], 6, bits)
    expected = [(bottom + offset - info.min) % 2**info.bits + info.min for offset in offsets]
    bounds = [low, high]
    if as_arrays and all(-(2**63) <= bound < 2**63 for bound in bounds):
        bounds = [np.full((3, 1), low), np.full(2, high)]
    values = jax.randint(as_key(key), (3, 2), *bounds, dtype, x64=True)
    assert values.dtype == dtype
    assert values.ravel().tolist() == expected


@pytest.mark.parametrize("low, high", [(0, np.inf), (-np.inf, np.inf), (0, -np.nan), (65504, -65504)])
def test_a_nan_of_float16_has_no_sign(low, high):
    """jax 8: JAX gave the same."""
    drawn = jax.uniform(jax.PRNGKey(5), 9999, "float16", low, high)
    nans = np.isnan(drawn)
    assert nans.any()
    assert set(drawn[nans].view(np.uint16).tolist()) == {0x7E00}


def shuffled(key, items):
    rounds = 0 if len(items) < 2 else 1 if len(items) < 1626 else 2
    for _ in range(rounds):
        key, drawn = children(key, 2)
        order = bits_of(drawn, len(items))
        items = [items[i] for i in sorted(range(len(items)), key=order.__getitem__)]
    return items


@pytest.mark.parametrize("n", [1625, 1626])
def test_long_ranges_are_sorted_twice(n):
    """jax 12: from 1626 on"""
    assert jax.permutation(as_key((3, 4)), n).tolist() == shuffled((3, 4), list(range(n)))


reals16 = st.floats(-(2**13), 2**13, width=16)


@settings(max_examples=20)
@example(key=(0, 1), ends=(5.466e-05, 2582.0))  # rounding to float32 first would be rounding twice
@given(key=words, ends=st.tuples(reals16, reals16).map(sorted))
def test_float16_where_product_and_sum_are_rounded_once(key, ends):
    """jax 8: with avx512_fp16 the sum is the float16 nearest to the exact one, and the width is rounded before"""
    low, high = map(np.float16, ends)
    fractions = jax.bits(as_key(key), 2000, "uint16") >> 6
    exact = [float(low) + int(k) / 1024 * float(np.float16(high - low)) for k in fractions]  # exact in float64
    drawn = jax.uniform(as_key(key), 2000, "float16", low, high, avx512_fp16=True)
    assert drawn.tolist() == np.maximum(np.float16(exact), low).tolist()
    unit = jax.uniform(as_key(key), 50, "float16", avx512_fp16=True)
    assert unit.tolist() == jax.uniform(as_key(key), 50, "float16").tolist()


def test_which_draws_avx512_fp16_changes():
    """jax 8: numbers between bounds, and no other type"""
    key = jax.key(0)

    def changes(draw, *arguments):
        return (draw(key, *arguments, avx512_fp16=True) != draw(key, *arguments)).any()

    assert changes(jax.uniform, 1000, "float16", -0.37, 2.9)
    assert changes(jax.truncated_normal, -2, 2, 1000, "float16")
    assert not any(changes(draw, 99, "float16") for draw in (jax.normal, jax.exponential, jax.gumbel))
    assert not changes(jax.uniform, 99, "float32", -0.37, 2.9)
    with pytest.raises(TypeError, match="avx512_fp16 must be True or False; got 1."):
        jax.normal(key, avx512_fp16=1)


# Many keys


CALLS = {
    "split": [(), (3,), ((2, 2),)],
    "fold_in": [(7,)],
    "bits": [((),), ((3, 5),), (4, "uint64"), (5, "uint8")],
    "uniform": [((3, 5),), (4, "float64", -3, np.arange(4.0)), (4, "float16")],
    "normal": [(7,), (7, "float64"), (7, "float16")],
    "truncated_normal": [(-1.0, 2, (3, 5))],
    "rayleigh": [(2, (3, 5)), (np.float32([1, 2, 3]),)],
    "weibull_min": [(np.float32([1, 2, 3]), 1.5, (2, 3))],
    "pareto": [(np.float32([1, 2, 3]), (2, 3))],  # jax 24: a repeated parameter is a factor
    "randint": [((3, 5), -7, 90), (4, np.arange(4), 10, "uint8")],
    "bernoulli": [(), (np.float32([0.2, 0.8]),), (0.3, (3, 2))],
    "categorical": [([0.1, 2.0, 0.3],), (np.eye(3, 4, dtype=np.float32), 0, (5, 4)), (np.eye(3, 4), -1, (2, 3), False)],
    "permutation": [(9,), (np.arange(12).reshape(3, 4), 1), (np.arange(12).reshape(3, 4), -1, True)],
    "choice": [
        (5,),
        (np.arange(12).reshape(3, 4), (2, 2), True, None, 1),
        (4, (2,), False, [0.1, 0.2, 0.3, 0.4]),
        (np.arange(12).reshape(3, 4), (6,), True, np.float64([1, 2, 3, 0]), 1),
        (np.arange(12).reshape(3, 4), (3,), False, None, 1),
    ],
}


PAIRS = [((3,), {}), ((1,), {"partitionable": False}), ((0,), {}), ((2, 3), {"impl": "philox4x32"})]  # pairwise


@pytest.mark.parametrize("lead, mode", PAIRS, ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_many_keys_give_the_draws_of_each_key(name, mode, lead):
    """jax 6"""
    draw = getattr(jax, name)
    if name == "fold_in":
        mode = {key: value for key, value in mode.items() if key == "impl"}
    keys = jax.split(jax.PRNGKey(9), lead)
    for arguments in CALLS[name]:
        if any(isinstance(argument, str) and argument.endswith("64") for argument in arguments):
            mode = mode | {"x64": True}
        many = draw(keys, *arguments, **mode)
        single = draw(jax.PRNGKey(9), *arguments, **mode)
        assert many.dtype == single.dtype
        assert many.shape == lead + single.shape
        for index in np.ndindex(*lead):
            assert np.array_equal(many[index], draw(keys[index], *arguments, **mode))


def test_keys_of_rbg_share_one_draw():
    """jax 6 and 17"""
    keys = jax.split(jax.PRNGKey(9, impl="rbg"), (2, 3), impl="rbg")
    assert keys.shape == (2, 3, 4)
    assert np.array_equal(jax.bits(keys, 5, impl="rbg"), jax.bits(keys[0, 0], (2, 3, 5), impl="rbg"))
    new_keys, values = jax.rng_bit_generator(keys, 5)
    first, expected = jax.rng_bit_generator(keys[0, 0], (2, 3, 5))
    assert np.array_equal(values, expected)
    assert np.array_equal(new_keys[0, 0], first)
    assert np.array_equal(new_keys.reshape(-1, 4)[1:], keys.reshape(-1, 4)[1:])


@given(lead=st.lists(st.integers(0, 3), max_size=2).map(tuple), data=st.lists(edge_ints(32), min_size=1, max_size=3))
def test_fold_in_takes_a_number_for_each_key(lead, data):
    """jax 3 and 6"""
    for impl in ("threefry2x32", "philox4x32", "rbg"):
        keys = jax.split(jax.PRNGKey(2, impl=impl), (*lead, len(data)), impl=impl)
        folded = jax.fold_in(keys, np.array(data), impl=impl)
        assert folded.shape == keys.shape
        for index in np.ndindex(*lead, len(data)):
            assert np.array_equal(folded[index], jax.fold_in(keys[index], data[index[-1]], impl=impl))
    assert np.array_equal(jax.fold_in(jax.PRNGKey(2), np.array(data)), [jax.fold_in(jax.PRNGKey(2), d) for d in data])


def test_the_memory_layout_of_keys_and_parameters_changes_no_bit():
    key, row = jax.PRNGKey(77, x64=True) + np.uint32(5), np.linspace(0, 1, 9, dtype=np.float32)
    locked = key.copy()
    locked.flags.writeable = False
    unaligned = np.frombuffer(b"\0" + key.tobytes(), np.uint32, offset=1)
    draws = [
        lambda k, _: jax.split(k, 9),
        lambda k, p: jax.uniform(k, 9, minval=p, maxval=2.0),
        lambda k, _: jax.randint(k, 9, -5, 1 << 40),
        lambda k, _: jax.permutation(k, np.arange(9)[::-1]),
        jax.categorical,
        lambda k, p: jax.choice(k, 9, p=p),
    ]
    for draw in draws:
        expected = draw(key, row).tolist()
        for other in (locked, np.repeat(key, 3)[::3], key[::-1].copy()[::-1], unaligned):
            for numbers in (row.repeat(2)[::2], row.astype(np.float64), row.astype(">f4")):
                assert draw(other, numbers).tolist() == expected


def test_triangular_of_float16_for_several_keys():
    """jax 24: the digest is of jax 0.10.2's jax.vmap over the three keys. XLA does not round the reciprocals."""
    right = np.linspace(1, 3, 3000).astype(np.float16)
    low, mode = np.float16([-2.5, 0.5])
    drawn = jax.triangular(jax.split(jax.key(0), 3), low, mode, right, 3000, np.float16)
    assert sha256(drawn.tobytes()).hexdigest()[:16] == "b76758779042651c"


def digest():
    """Print a digest of normal, Gumbel-distributed and uniform reals of each type on this instruction set."""
    import hashlib

    key = jax.PRNGKey(3)
    values = [jax.normal(key, 5000), jax.normal(key, 5000, np.float64, x64=True), jax.normal(key, 5000, np.float16)]
    values += [jax.gumbel(key, 5000), jax.pareto(key, 3.0, 5000), jax.truncated_normal(key, -1.0, 2.0, 5000)]
    values += [jax.uniform(key, 5000, minval=-3, maxval=5.5), jax.uniform(key, 5000, float, -3, 5.5, x64=True)]
    print(hashlib.sha256(b"".join(value.tobytes() for value in values)).hexdigest())


@pytest.mark.parametrize("dtype, wide, least, top", [("int4", "int8", -8, 8), ("uint2", "uint8", 0, 4)])
def test_integers_of_2_and_4_bits(dtype, wide, least, top):
    """jax 11"""
    pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    key = jax.PRNGKey(5)
    drawn = jax.randint(key, 99, -20, 20, dtype)
    assert drawn.dtype.name == dtype
    assert drawn.astype(int).tolist() == jax.randint(key, 99, least, top, wide).tolist()
