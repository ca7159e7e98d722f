"""The same arithmetic where it is written again: the shader of WebGPU, and products of halves."""

import re
from types import SimpleNamespace

import pytest
from paths import SPECS
from port import function_of, prove_step
from symbolic import Fault, Refuted, claim, code_of, prove, z3

from dmlrand import counter_of
from dmlrand.shaders import source

SHADER = source("wgsl")


@claim(
    Fault("add_blocks", "x < blocks && y == 0u && z == 0u", "z == 0u"),
    Fault("add_blocks", "(x < blocks && y == 0u);", "(y == 0u);"),
    Fault("add_blocks", "(x < blocks);", "(x > blocks);"),
)
def test_add_blocks_of_the_shaders(fault):
    for language in ("hlsl", "glsl", "wgsl"):
        prove_step(function_of(source(language), "add_blocks", fault))


class Half:
    """The lower (0) or the upper (1) half of a or b. Its product with a half of the other one is an unknown number."""

    def __init__(self, products, of_a, which):
        self.products, self.of_a, self.which = products, of_a, which

    def __mul__(self, other):
        assert self.of_a != other.of_a
        first, second = (self, other) if self.of_a else (other, self)
        return Sum(self.products[first.which, second.which])


class Sum:
    """An integer that must fit in a word, where `fits` is called, and whose halves are those of such a word."""

    bits = 0

    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return Sum(self.value + other.value)

    def __and__(self, mask):
        return Sum(self.value % (1 << self.bits))

    def __rshift__(self, bits):
        return Sum(self.value / (1 << self.bits))


def prove_high_product(function, bits):
    """function(names) gives code for the upper half of a product a * b of two words of 2 * bits.

    With the products p_ij of their halves, each any number up to (2**bits - 1)**2, a * b is
    p_11 * 2**(2 * bits) + (p_10 + p_01) * 2**bits + p_00. No sum in the code exceeds a word, and the result is right.
    """
    products = {(i, j): z3.Int(f"p{i}{j}") for i in (0, 1) for j in (0, 1)}
    whole = products[1, 1] * (1 << 2 * bits) + (products[1, 0] + products[0, 1]) * (1 << bits) + products[0, 0]
    bounds = [z3.And(0 <= p, p <= ((1 << bits) - 1) ** 2) for p in products.values()]
    bounds.append(whole < 1 << 4 * bits)
    Sum.bits = bits

    def word(value):
        if isinstance(value, Sum):
            prove(z3.And(0 <= value.value, value.value < 1 << 2 * bits), *bounds)
        return value

    class Factor:
        def __init__(self, of_a):
            self.of_a = of_a

        def __and__(self, mask):
            return Half(products, self.of_a, 0)

        def __rshift__(self, shift):
            return Half(products, self.of_a, 1)

    result = word(function(word)(Factor(True), Factor(False)))
    prove(result.value == whole / (1 << 2 * bits), *bounds)


@claim(
    Fault("multiply_high", "a_low * b_high", "a_high * b_high"),
    Fault("multiply_high", "(middle & 0xFFFFu)", "middle"),
    Fault("multiply_high", "(other_middle >> 16u)", "(middle >> 16u)"),
)
def test_multiply_high_of_the_shader(fault):
    """For all 2**64 pairs of words."""
    for language in ("wgsl", "hlsl"):
        prove_high_product(lambda word: function_of(source(language), "multiply_high", fault), 16)


@claim(
    Fault("high_product", "middle & LOW_HALF", "middle"),
    Fault("high_product", "other >> WORD_BITS", "middle >> WORD_BITS"),
    Fault("high_product", "a0 * b1", "a1 * b1"),
)
def test_high_product_of_the_kernels(fault):
    """For all 2**128 pairs of 64-bit words."""
    pytest.importorskip("numba")
    from dmlrand.kernels import numba_dialect

    prove_high_product(lambda word: code_of(numba_dialect.high_product, fault, uint64=word), 32)


@claim(Fault("store", "4u * i + lane - draw.lane", "4u * i + lane + draw.lane"), Fault("store", "4u * i", "5u * i"))
def test_the_shader_stores_each_word_once_and_no_other(fault):
    """Of any invocation below 2**29, which the limit of 2**31 bytes for a binding keeps."""
    (text,) = re.findall(r"let word = (.*);", SHADER)
    assert "if (word < draw.count)" in SHADER
    text = fault.change(text) if fault else text
    i, lane, first_lane, count = z3.BitVecs("i lane first_lane count", 32)
    draw = SimpleNamespace(lane=first_lane, count=count)
    word = eval(re.sub(r"(\d)u", r"\1", text), dict(i=i, lane=lane, draw=draw))
    stored = z3.ULT(word, count)
    position, begin = z3.ZeroExt(32, i) * 4 + z3.ZeroExt(32, lane), z3.ZeroExt(32, first_lane)
    wanted = z3.And(z3.UGE(position, begin), z3.ULT(position, begin + z3.ZeroExt(32, count)))
    bounds = z3.ULT(i, 1 << 29), z3.ULT(lane, 4), z3.ULT(first_lane, 4), z3.ULE(count, 1 << 29)
    prove(stored == wanted, *bounds)
    prove(z3.Implies(stored, z3.ZeroExt(32, word) == position - begin), *bounds)


@pytest.mark.proof
def test_a_lost_carry_gives_a_state_to_try():
    """The program of specs/proofs.md. Its message has the form that the page quotes."""
    page = SPECS.joinpath("proofs.md").read_text()
    program, message = re.search(r"```python\n(.*?)```.*?ends with\s*`symbolic\.Refuted: (.*?)`", page, re.S).groups()
    with pytest.raises(Refuted) as caught:
        exec(program, {})
    blocks, *state = map(int, re.findall(r"\d+", str(caught.value)))
    assert re.sub(r"\d+", "N", str(caught.value)) == re.sub(r"\d+", "N", message)
    assert counter_of(state) % (1 << 64) + blocks >= 1 << 64  # a carry from word 1 to word 2


C_TEXT = """
static inline uint4 skip(uint4 c, uint32_t n)
{
    uint32_t x = c.x + n;  // may wrap
    uint32_t y = c.y + (x < n);
    uint32_t z = c.z + ((x < n) && y == 0u);
    uint32_t w = c.w + ((x < n) && y == 0u && z == 0u);
    return make_uint4(x, y, z, w);
}
"""


@pytest.mark.proof
def test_a_step_in_c():
    """The text of a C function: proved, and refuted without its last carry."""
    prove_step(function_of(C_TEXT, "skip"))
    with pytest.raises(Refuted, match=r"^wrong \d+ blocks after state \[\d+, \d+, \d+, \d+, 0, 0\]$"):
        prove_step(function_of(C_TEXT.replace(" && z == 0u", ""), "skip"))
