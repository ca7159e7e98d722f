"""The block function and the fills: the words of the oracle, vector code, and one compilation of each kernel."""

import ast
import math
import platform
import re
from pathlib import Path

import numpy as np
import oracle
import pytest
from hypothesis import given, strategies as st
from numba import njit
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target
from recorded import each
from rule_cases import kernels_of
from strategies import counters, edge_ints, keys

from dmlrand import kernels, philox, random_generator, random_window
from dmlrand.arrays.filling import MAX_PIECE_ELEMENTS
from dmlrand.arrays.window import StridedRegion
from dmlrand.compat import kernels as of_systems
from dmlrand.compat.kernels import xla_kernels
from dmlrand.drawing.plan import WHOLE, WORDS
from dmlrand.kernels import Kernel, philox as plain
from dmlrand.kernels.philox import block
from dmlrand.kernels.rules import RULES


def as_state(counter, key):
    return np.array(oracle.state_words(counter, key), np.uint32)


def fill_words(state, out):
    WORDS.kernels.fill(state, 3, 0, out.size, WHOLE, 0, WORDS.parameters, out)


def drawn(counter, key, n):
    """The words that the kernel of words makes, and the state after them."""
    state, out = as_state(counter, key), np.full(n, 0xDEADBEEF, np.uint32)
    fill_words(state, out)
    return out.tolist(), state.tolist()


# The block


@each("random123", op="philox4x32", rounds=10)
def test_block_gives_random123_s_answers(case):
    """words 11 to 13"""
    assert list(block(*case["counter"], *case["key"])) == case["result"]
    assert list(philox.block(tuple(case["counter"]), tuple(case["key"]))) == case["result"]


@given(counter=counters, key=keys)
def test_both_blocks_equal_the_oracle(counter, key):
    """words 11 to 13"""
    words = oracle.state_words(counter, key)
    assert list(block(*words)) == oracle.block(counter, key)
    assert list(philox.block(tuple(words[:4]), tuple(words[4:]))) == oracle.block(counter, key)


@given(rows=st.lists(st.tuples(counters, keys), min_size=1, max_size=5))
def test_the_plain_block_reads_arrays_of_uint64(rows):
    """words 11 to 13"""
    columns = np.array([oracle.state_words(*row) for row in rows], np.uint64).T
    lanes = philox.block(tuple(columns[:4]), tuple(columns[4:]))
    assert np.transpose(lanes).tolist() == [oracle.block(*row) for row in rows]


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64, np.int64])
def test_block_in_a_users_own_code(dtype):
    """kernels 4"""

    @njit
    def last_lanes(words, n):
        """Lane 3 of n blocks in a row, from a counter of one low word."""
        out = np.empty(n, np.uint32)
        for i in range(n):
            out[i] = block(words[0] + i, words[1], words[2], words[3], words[4], words[5])[3]
        return out

    counter, key = 2**128 - 2**32 + 5, 2**64 - 3
    words = np.array(oracle.state_words(counter, key), dtype)
    assert last_lanes(words, 5).tolist() == [oracle.block(counter + i, key)[3] for i in range(5)]


def test_block_returns_32_bit_words_to_a_users_own_code():
    """kernels 4"""

    @njit
    def lanes(word):
        return np.array(block(word, word, word, word, word, word))

    assert lanes(np.uint32(0xFFFFFFFF)).dtype == np.uint32


# The kernels


@given(counter=counters, key=keys, n=st.integers(0, 70))
def test_draw_gives_the_words_and_the_next_state(counter, key, n):
    """operator 1.1 and 2.1"""
    words, state = drawn(counter, key, n)
    assert words == oracle.words(counter, key, 0, n)
    assert state == oracle.new_state_words(counter, key, n)


@pytest.mark.parametrize("boundary", [2**32, 2**64, 2**96, 2**128])
@pytest.mark.parametrize("before", range(5))
@pytest.mark.parametrize("n", [1, 4, 15, 16, 17, 18, 19, 67, 513])
def test_draw_carries_across_each_boundary(boundary, before, n):
    """operator 1.1"""
    counter, key = boundary - before & 2**128 - 1, 0x0123456789ABCDEF
    words, state = drawn(counter, key, n)
    assert words == oracle.words(counter, key, 0, n)
    assert state == oracle.new_state_words(counter, key, n)


def test_the_standard_s_ten_thousandth_word():
    """words 13"""
    words, _ = drawn(0, 20111115, 10_000)
    assert words[-1] == 1955073260


@st.composite
def boxes(draw):
    """(offset, sizes, strides) of a strided region of the stream, in words."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    strides = [draw(st.one_of(st.integers(1, 9), st.integers(1, 1 << 59))) for _ in sizes]
    return draw(st.one_of(st.integers(0, 40), edge_ints(60))), sizes, strides


@given(counter=counters, key=keys, box=boxes())
def test_fill_gives_any_strided_region_of_the_stream(counter, key, box):
    """operator 1.1"""
    offset, sizes, strides = box
    out = np.full(math.prod(sizes), 0xDEADBEEF, np.uint32)
    state = as_state(counter, key)
    parameters, region = WORDS.parameters, StridedRegion(offset, tuple(sizes), tuple(strides)).for_kernels()
    WORDS.kernels.fill.compiled(state, 3, 0, out.size, region, 0, parameters, out)
    places = [offset + sum(map(int.__mul__, index, strides)) for index in np.ndindex(*sizes)]
    assert out.tolist() == [oracle.words(counter, key, place, 1)[0] for place in places]
    assert state.tolist() == oracle.state_words((counter + -(-out.size // 4)) % 2**128, key)


@given(counter=counters, key=keys, offset=st.integers(0, 40), n=st.integers(1, 40))
def test_fill_starts_and_ends_on_any_lane(counter, key, offset, n):
    """operator 1.1"""
    out = np.empty(n, np.uint32)
    WORDS.kernels.fill.compiled(as_state(counter, key), 3, 0, n, WHOLE, offset, WORDS.parameters, out)
    assert out.tolist() == oracle.words(counter, key, offset, n)


# How they are compiled


@njit
def plain_fill(low, high, k0, k1, out):
    """The plain loop. On little-endian machines only tests run it."""
    plain.fill_words(low, high, k0, k1, 0, out)


@pytest.mark.costly
def test_the_plain_fill_is_vectorised():
    """kernels 1"""
    _, processor, features = cpu_target.target_context.codegen().magic_tuple()
    if platform.machine().lower() not in ("x86_64", "amd64"):
        pytest.skip("not x86-64: the names of the vector multiplies are known for that machine only")
    if "+sse4.1" not in features:
        pytest.skip(f"numba compiles for {processor} without SSE4.1, where the compiler leaves the fill scalar")
    zero = np.uint64(0)
    plain_fill(zero, zero, np.uint32(0), np.uint32(0), np.empty(64, np.uint32))
    (assembly,) = plain_fill.inspect_asm().values()
    # This instruction multiplies 32 x 32 -> 64 bits in all elements of a register. Without it the fill is several times
    # slower and gives the same words, so no other test would fail.
    multiplies = re.findall(r"v?pmuludq\b.*%[xyz]mm\d+", assembly)
    assert len(multiplies) >= 19  # two in each of 10 rounds, but the first product of word 2 is the same for all blocks


def test_each_kernel_is_compiled_once_whatever_the_arguments(tmp_path):
    """kernels 2"""
    words = np.array([1, 2, 3, 4, 5, 6], np.uint32)
    read_only = words.copy()
    read_only.flags.writeable = False
    mapped = np.memmap(tmp_path / "state", np.uint32, "w+", shape=(6,))
    mapped[:] = words
    unaligned = np.frombuffer(b"\0" + words.tobytes(), np.uint32, offset=1)
    same = [words, words.tolist(), tuple(words), read_only, np.repeat(words, 2)[::2], words[::-1].copy()[::-1]]
    same += [mapped, unaligned, *(words.reshape((1,) * rank + (6,)) for rank in range(8))]
    outs = [np.empty(24, np.uint32), np.empty(48, np.uint32)[::2], np.empty((6, 4), np.uint32).T]
    outs += [np.memmap(tmp_path / "out", np.uint32, "w+", shape=(2, 12)), np.empty((24, 1), np.uint32, order="F")]
    expected = oracle.words(oracle.from_words([1, 2, 3, 4]), oracle.from_words([5, 6]), 0, 24)
    for state in same:
        for out in outs:
            assert random_generator(state, out=out).values.ravel().tolist() == expected
        assert random_generator(state, (3, np.int16(8))).values.ravel().tolist() == expected
        assert random_window(state, 24, slice(np.uint64(3), None, 2)).tolist() == expected[3::2]
        assert random_window(state, (2, 2**61), (1, np.int32(0))).shape == ()
    assert len(WORDS.kernels.fill.compiled.signatures) == 1
    shared = np.empty(2 * (4 * MAX_PIECE_ELEMENTS + 1), np.uint32)[::2]  # whose last piece is a single word
    unaligned = np.empty(99, np.uint8)[1:97].view(np.uint32)[::2]
    for out in (*outs, shared, unaligned):
        random_generator(words, out=out, threads=2)
    assert len(WORDS.kernels.fill.compiled.signatures) == 1


@pytest.mark.costly
def test_kernels_release_the_gil():
    """kernels 3"""
    packages = kernels, of_systems
    both = [each for package in packages for each in vars(package).values() if isinstance(each, Kernel)]
    named = {each.name: each.compiled for each in both}
    named |= {name: each for name, each in vars(xla_kernels).items() if name.startswith("xla_")}
    named |= {kernel.name: kernel.compiled for name in RULES for kernel in kernels_of(name)}
    compiled = {name: kernel for name, kernel in named.items() if isinstance(kernel, Dispatcher)}
    assert compiled == named
    assert [name for name, kernel in compiled.items() if not kernel.targetoptions.get("nogil")] == []


def is_compiled(function):
    """Whether the decorators of a function say that numba compiles it, or inlines it into compiled functions."""
    names = {ast.unparse(decorator).partition("(")[0] for decorator in function.decorator_list}
    return bool(names & {"kernel", "njit", "callback"})


@pytest.mark.parametrize(
    "path",
    [path for package in (kernels, of_systems) for path in sorted(Path(package.__file__).parent.glob("*.py"))],
    ids=lambda path: path.stem,
)
def test_kernels_check_nothing_and_raise_nothing(path):
    """Only kernels that draw from a state raise an error."""
    functions = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)]
    compiled = [function for function in functions if is_compiled(function) and function.name != "check_size"]
    inside = [node for function in compiled for node in ast.walk(function)]
    assert [ast.unparse(node) for node in inside if isinstance(node, (ast.Raise, ast.Assert, ast.Try))] == []


@pytest.mark.compiled
@pytest.mark.parametrize("state", [np.zeros(5, np.uint32), np.zeros(7, np.uint32), np.zeros(6), np.uint32(1)])
def test_kernels_refuse_what_is_no_state(state):
    """A state of another type, rank or size."""
    out = np.empty(4, np.uint32)
    fill_words(np.zeros(6, np.uint32), out)  # a compiled kernel takes the types of its first call
    with pytest.raises(TypeError):
        fill_words(state, out)


def test_an_unknown_kernel_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"module 'dmlrand\.kernels' has no attribute 'drow'"):
        kernels.drow  # noqa: B018
