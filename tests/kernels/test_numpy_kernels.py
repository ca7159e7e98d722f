"""The kernels in numpy alone give the bits of the compiled ones; when each kind runs. specs/kernels.md, 7 to 9."""

from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given, strategies as st
from rule_cases import CASES, each_rule, kernels_of, parameters_of
from strategies import counters, edge_ints, keys

from dmlrand import kernels
from dmlrand.compat import kernels as of_systems
from dmlrand.compat.kernels.xla import fma
from dmlrand.kernels import Kernel, of_rule
from dmlrand.kernels.rules import RULES

F = np.float32


def named(name):
    """The kernel of this name, which is not of a rule."""
    if name.startswith("xla_"):
        return of_systems.of_xla(name)
    return getattr(kernels, name, None) or getattr(of_systems, name)


def assert_same(kernel, make_arguments, out):
    """Both kinds give the same bits, in the output and in all other arguments, and return the same."""
    results = []
    for form in (kernel.numpy, kernel.compiled):
        arguments, written = make_arguments(), out.copy()
        returned = form(*arguments, written)
        results.append([each.tobytes() for each in (*arguments, written) if isinstance(each, np.ndarray)] + [returned])
    assert results[0] == results[1]


def state_of(counter, key):
    return np.array(oracle.state_words(counter, key), np.uint32)


def test_which_kernels_exist_only_compiled():
    """kernels 7"""
    from dmlrand.compat.kernels import xla_kernels

    without = {name for name in vars(xla_kernels) if name.startswith("xla_") and named(name).numpy is None}
    assert without == {f"xla_{name}64" for name in ("erf", "erfinv", "exp", "log", "log1p")} | {"xla_power", "xla_tan"}
    others = [each for package in (kernels, of_systems) for each in vars(package).values() if isinstance(each, Kernel)]
    assert len(others) == 11 and all(kernel.numpy for kernel in others)
    assert all(kernel.numpy for name in RULES for kernel in kernels_of(name))


ORDERS = [  # the rows, the columns and the items of a Feistel network, and a step
    (2, 1, 1, 1), (4, 2, 5, 1), (16, 15, 240, 7), (256, 2, 257, 1), (258, 256, 65_537, 31),
    (2**31, 2**31, 2**62, 2**61),
]  # fmt: skip


@pytest.mark.costly
@pytest.mark.parametrize("rows, columns, n, step", ORDERS)
@given(st.lists(edge_ints(32), min_size=4, max_size=4), edge_ints(62), st.sampled_from([0, 1, 7, 2049, 20_000]))
def test_positions_of_an_order(rows, columns, n, step, key, start, count):
    """kernels 7"""
    start %= n
    count = min(count, (n - start + step - 1) // step)
    out = start + np.arange(count) * step
    for inverse in (False, True):
        assert_same(named("permute"), lambda: (np.array(key, np.uint32), rows, columns, n, inverse), out)


@pytest.mark.parametrize("name", each_rule("word", "uniform_f32", "normal_f32", "integers_32"))
def test_numbers_of_given_words(name):
    """kernels 7 and, for the rules of cuRAND, curand 12"""
    words = np.arange(4000, dtype=np.uint32) * np.uint32(2654435761)
    words[:8] = [0, 0, 0xFFFFFFFF, 0xFFFFFFFF, 1, 0x7FFFFF, 0x800000, 0]
    words[8:20] = [0, 0, 0, 0, 0xFFFFFFFF, 0xFFFFFFFF, 0x1FFFFF, 0xFFFFFFFF, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFF80]
    out = np.zeros(4000 // RULES[name].words * RULES[name].numbers, CASES[name].dtype)
    for choice in range(len(CASES[name].choices)):
        parameters = parameters_of(name, choice)
        assert_same(of_rule(name).convert, lambda parameters=parameters: (words, parameters), out)


@pytest.mark.costly
@given(st.lists(st.tuples(counters, keys), min_size=1, max_size=40), st.sampled_from([1, 2, 3, 4, 5, 31, 32, 33, 100]))
def test_rows_of_words(numbers, n):
    """kernels 7"""
    states = np.array([oracle.state_words(*each) for each in numbers], np.uint32)
    assert_same(named("batch_words"), lambda: (states,), np.zeros(n * len(states), np.uint32))


@pytest.mark.costly
@given(st.lists(st.tuples(counters, keys), min_size=1, max_size=40), edge_ints(64), edge_ints(64))
def test_positions_of_many_states(numbers, low, high):
    """kernels 7"""
    states = np.array([oracle.state_words(*each) for each in numbers], np.uint32)
    low, high = (np.array([first + i & 2**64 - 1 for i in range(len(numbers))], np.uint64) for first in (low, high))
    assert_same(named("move_states"), lambda: (states, low, high[:1]), np.zeros_like(states))
    assert_same(named("move_states"), lambda: (states, low[:1], high), np.zeros_like(states))


@pytest.mark.costly
@given(counters, keys, st.lists(edge_ints(64), max_size=20))
def test_blocks_at_any_place(counter, key, numbers):
    """kernels 7"""
    out = np.zeros(4 * len(numbers), np.uint32)
    assert_same(named("draw_blocks"), lambda: (state_of(counter, key), np.array(numbers, np.uint64)), out)
    named("draw_blocks").numpy(state_of(counter, key), np.array(numbers, np.uint64), out)
    assert out.tolist() == [word for i in numbers for word in oracle.block((counter + i) % 2**128, key)]


@pytest.mark.costly
def test_normals_of_given_radii_and_angles():
    """kernels 7"""
    u = np.concatenate([[2.0**-1022, 2.0**-54, 0.5, 1 - 2.0**-53, 1.0], np.linspace(1e-9, 1, 1000)])
    angles = np.concatenate([[0.0, np.pi / 4, np.pi, 7 * np.pi / 4, 2 * np.pi], np.linspace(0, 2 * np.pi, 1000)])
    assert_same(named("box_muller"), lambda: (u, angles), np.zeros(2 * u.size))


def check_blocks_of_curand():
    for blocks in (*range(1, 150), 9001):
        counter = (1 << 128) - (blocks << 64) - 5  # word 2 of the last block is the largest: it must not wrap
        assert_same(named("curand_blocks"), lambda: (state_of(counter, blocks),), np.zeros(4 * blocks, np.uint32))


@pytest.mark.costly
def test_blocks_of_curand():
    """kernels 1 and 7"""
    from dmlrand.kernels import philox_simd

    check_blocks_of_curand()
    assert 3 * philox_simd.GROUP * philox_simd.GROUPS[512] < 150  # or the widest step was taken fewer than three times


@pytest.mark.costly
@given(counters, keys, st.integers(0, 300), st.integers(0, 300), st.integers(1, 20), st.integers(1, 4))
def test_masks_of_attention(counter, key, row, column, rows, columns):
    """kernels 7"""
    state = state_of(counter % 2**64, key)
    tiles = np.zeros((rows, 16, columns, 32), np.uint8)
    assert_same(named("flash_mask"), lambda: (state, row, column, key % 256), tiles)


def check_words_of_jax_s_keys():
    """Each length, counters that carry into the high word and wrap at 2**64, and several keys."""
    some = np.arange(34, dtype=np.uint32) * np.uint32(2654435761)
    for rows, n, first in [
        *((1, n, 0) for n in range(400)),
        *((1, n, 2**bits - 16 * i) for bits in (32, 33, 62, 63, 64) for i in range(1, 15) for n in (1, 16, 97, 400)),
        *((rows, n, 48) for rows in (2, 17) for n in (0, 1, 7, 8, 9, 40_001)),
    ]:
        for name, size in (("threefry_bits", n * rows), ("threefry_pairs", 2 * n * rows)):
            assert_same(named(name), lambda: (some[: 2 * rows], np.uint64(first)), np.zeros(size, np.uint32))


@pytest.mark.costly
def test_words_of_jax_s_keys():
    """kernels 1 and 7"""
    from dmlrand.compat.kernels import threefry_simd
    from dmlrand.kernels import philox_simd

    check_words_of_jax_s_keys()
    assert threefry_simd.GROUP * max(philox_simd.GROUPS.values()) < 200  # or the longest step was never taken twice
    some = np.arange(34, dtype=np.uint32) * np.uint32(2654435761)
    for rows in (1, 2, 17):
        for n in (0, 1, 2, 7, 8, 9, 100):
            assert_same(named("threefry_halves"), lambda: (some[: 2 * rows],), np.zeros(n * rows, np.uint32))
    assert_same(named("threefry_fold"), lambda: (some, some[::2].copy()), np.zeros(34, np.uint32))


reals32 = edge_ints(32).map(lambda bits: np.uint32(bits).view(F)).filter(lambda number: not np.isnan(number))


@pytest.mark.costly
@given(st.lists(edge_ints(32), max_size=70), reals32, reals32, st.booleans())
def test_uniform_numbers_of_jax(words, low, high, repeated):
    """kernels 7"""
    count = len(words) if repeated else 1
    bounds = [np.full(count, bound) for bound in (low, high)]
    results = []
    for kernel in (named("xla_uniform").numpy, named("xla_uniform").compiled):
        out = np.zeros(len(words), np.float32)
        kernel(np.array(words, np.uint32), *bounds, out)
        results.append(np.where(np.isnan(out), F(0.5), out).tobytes())  # the sign of a nan is the processor's
    assert results[0] == results[1]


LOGARITHMS = [0, 2.0**-149, 2.0**-126, 2.0**-24, 2.0**-23, 0.5**0.5, 0.644, 0.9966, 0.99664, 1 - 2.0**-24, 1]
FUNCTIONS = {  # an interval, and numbers where the computation changes or the result is special
    "xla_erfinv32": (-1, 1, [*LOGARITHMS, *(-x for x in LOGARITHMS)]),
    "xla_log32": (0, 1, [*LOGARITHMS, 2, 1.5, 88, 3e38]),
    "xla_log1p32": (-1, 0, [-1, 0, -0.0, -0.41421357, -0.4142136, 2.0**-24 - 1]),
    "xla_exp32": (-90, 90, [0, -0.0, 88, 88.5, 89, 1e30, np.inf, -87, -88, -1e30]),
    "xla_erf32": (-6, 6, [0, -0.0, 3.743921, 3.7439213, 3.7439215, -3.7439213, np.inf, -np.inf]),
}


@pytest.mark.costly
@pytest.mark.parametrize("name", FUNCTIONS)
def test_elementary_functions_of_jax(name):
    """kernels 7"""
    low, high, edges = FUNCTIONS[name]
    steps = F(low) + F(high - low) * (np.arange(1 << 17, dtype=F) * F(2.0**-17))
    numbers = np.concatenate([steps, F(edges), np.nextafter(F(edges), F((low + high) / 2))])
    assert_same(named(name), lambda: (numbers,), np.zeros(numbers.size, F))


@pytest.mark.costly
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_integers_of_jax_in_spans_of_their_own(dtype):
    """kernels 7"""
    top = np.iinfo(dtype).max
    words = (np.arange(600, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(3)).astype(dtype)
    spans = np.array([0, 1, 2, 3, top, top - 1, top // 2, (1 << 4 * np.dtype(dtype).itemsize)] * 75, dtype)
    for span in (spans, spans[:1], spans[4:5]):
        assert_same(
            named("xla_randint"), lambda: (words, words[::-1].copy(), span, span[::-1].copy()), np.zeros(600, dtype)
        )


finite = reals32.filter(np.isfinite)


@given(finite, finite, finite | st.none(), st.integers(-3, 3))
def test_products_and_sums_are_rounded_once(x, y, z, step):
    """kernels 7: against exact fractions. Without z, one that nearly cancels the product, or ties with it."""
    with np.errstate(all="ignore"):
        z = np.nextafter(-F(x * y), F(step)) if z is None else z
        got = fma(np.array([x]), np.array([y]), np.array([z]))[0]
    exact = Fraction(float(x)) * Fraction(float(y)) + (Fraction(float(z)) if np.isfinite(z) else 0)
    if not np.isfinite(z) or abs(exact) >= 2**127:
        return
    below, above = np.nextafter(got, F("-inf")), np.nextafter(got, F("inf"))
    distance = abs(exact - Fraction(float(got)))
    for other in (below, above):
        gap = abs(exact - Fraction(float(other)))
        assert distance < gap or (distance == gap and not int(got.view(np.uint32)) & 1)
