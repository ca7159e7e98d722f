"""A Philox4x32 generator with exchangeable steps, in plain NumPy: the correct one by default, and its faulty variants.

The defaults are the generator of specs/operator.md. Words are Python ints, or uint64 arrays of values below 2**32.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from types import CodeType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...philox import M0, M1, MASK32, ROUNDS, W0, W1, Words4

Words6 = tuple[Any, Any, Any, Any, Any, Any]  # the counter, then the key
Change = Callable[[Words6], Words6]
Rule = Callable[[Words6, Any], Words6]  # from the words of the first block to those of a block, by number
COUNTERS = 1 << 128
COUNTER = ("c0", "c1", "c2", "c3")
MULTIPLY = "(a * b >> 32, a * b & M)"
# In the expressions of steps.
NAMES = {
    "M": MASK32,
    "M0_M1": M0 ^ M1,
    "signed": lambda word: np.asarray(word, np.uint32).view(np.int32).astype(np.int64).astype(np.uint64),
    "u": lambda word: (word & MASK32) >> 16,
    "s": lambda word: ((word & MASK32) >> 16) + (word >> 31 & 1) * 0xFFFF0000,
    "float32": lambda word: np.asarray(word, np.uint64).astype(np.float32),
    "double": lambda word: np.asarray(word, np.uint64).astype(np.float64),
    "integer": lambda number: number.astype(np.uint64),
}


def blocks_between(start: int, end: int) -> int:
    """How many blocks counter `end` is after counter `start`, by the shorter way: negative if it is before."""
    blocks = (end - start) % COUNTERS
    return blocks - COUNTERS * (blocks > COUNTERS // 2)


def unchanged(words: Any) -> Any:
    return words


def add_blocks(first: Words6, blocks: Any, lost_carry: int = 3) -> Words6:
    """The words with blocks added to the counter. The carry out of counter word `lost_carry` is lost.

    blocks is an int, or an array of fewer than 2**64.
    """
    words, carry = list(first), 0
    for place, addend in enumerate((blocks & MASK32, blocks >> 32, 0, 0)):
        total = first[place] + addend + carry
        words[place], carry = total & MASK32, 0 if place == lost_carry else total >> 32
    return tuple(words)  # type: ignore[return-value]


def words_of(counter: int) -> Words4:
    """The words of a counter, modulo 2**128."""
    c0, c1, c2, c3 = (counter >> bits & MASK32 for bits in (0, 32, 64, 96))
    return c0, c1, c2, c3


@cache
def _round(bumps: str, keys: str, factors: tuple[str, str], results: str) -> CodeType:
    steps = f"s0, s1 = {bumps}; s0 *= W0; s1 *= W1; q0, q1 = {keys}"
    products = f"h0, l0 = first({factors[0]}, M0); h1, l1 = second({factors[1]}, M1)"
    return compile(f"{steps}; {products}; c0, c1, c2, c3 = {results}", "round", "exec")


@cache
def multiplication(text: str) -> Callable[[Any, Any], tuple[Any, Any]]:
    """The function of both halves of a product: of word a, constant b, and their 16-bit halves a1, a0, b1 and b0."""
    if not re.search("[ab][01]", text):
        return eval(f"lambda a, b: {text}", NAMES)  # type: ignore[no-any-return]
    calculate = eval(f"lambda a, b, a0, a1, b0, b1: {text}", NAMES)
    return lambda a, b: calculate(a, b, a & 0xFFFF, a >> 16, b & 0xFFFF, b >> 16)  # type: ignore[no-any-return]


class Variant(NamedTuple):
    """The steps by which a generator makes its words. A fault replaces some of them; the defaults are right.

    The steps of round r are expressions, in the order in which they run. They may use the words c0 to c3 of the round
    before, the key, k0 and k1, the round's number r, the constants, the mask M, and the results of the steps before.
    """

    # The counter and the key of a block
    read: Change = unchanged  # the state
    skipped_blocks: int = 0  # between the state's counter and the first block, in [0, 2**128)
    lost_carry: int = 3  # the counter word of which the carry is lost, in add_blocks
    rule: Rule | None = None  # in place of add_blocks
    # The block function
    m0: Any = M0  # each constant is an int, or an array of shape (values, 1), to try many of them
    m1: Any = M1
    w0: Any = W0
    w1: Any = W1
    bumps: tuple[str, str] = ("r", "r")  # how many key steps make the sums s0 and s1
    keys: tuple[str, str] = ("k0 + s0 & M", "k1 + s1 & M")  # q0 and q1, the round's key
    factors: tuple[str, str] = ("c0", "c2")  # that are multiplied
    multiply: tuple[str, str] = (MULTIPLY,) * 2  # the halves h0 and l0, h1 and l1, in the names of `multiplication`
    results: tuple[str, ...] = ("h1 ^ c1 ^ q0", "l1", "h0 ^ c3 ^ q1", "l0")  # c0 to c3 of this round
    rounds: int = ROUNDS

    def inputs(self, state: Words6, block: Any) -> Words6:
        """The counter and key words of blocks by number, which are an int or a uint64 array."""
        first = add_blocks(self.read(state), self.skipped_blocks)
        words = self.rule(first, block) if self.rule else add_blocks(first, block, self.lost_carry)
        # Arrays, because NumPy's scalars warn of products that wrap.
        arrays = np.empty((6, *(np.shape(block) or (1,))), np.uint64)
        for place, word in enumerate(words):
            arrays[place] = word
        return tuple(arrays)  # type: ignore[return-value]

    def blocks(self, inputs: Words6) -> Words4:
        """The words of blocks."""
        names = dict(zip((*COUNTER, "k0", "k1"), inputs))
        names |= {"M0": self.m0, "M1": self.m1, "W0": self.w0, "W1": self.w1}
        names |= dict(zip(("first", "second"), map(multiplication, self.multiply)))
        code = _round(", ".join(self.bumps), ", ".join(self.keys), self.factors, ", ".join(self.results))
        for number in range(self.rounds):
            names["r"] = number
            exec(code, NAMES, names)
        return tuple(names[word] for word in COUNTER)  # type: ignore[return-value]

    def words(self, state: Words6, places: NDArray[np.int64]) -> NDArray[np.uint32]:
        """The words at places of this generator's stream, which are not negative."""
        block, lane = places >> 2, places & 3
        # Neighbouring words mostly share a block, so each run of equal block numbers is computed once.
        starts = np.ones(block.size, bool)
        starts[1:] = block[1:] != block[:-1]
        inputs = self.inputs(state, block[starts].astype(np.uint64))
        made = np.array(np.broadcast_arrays(*self.blocks(inputs)), np.uint32)
        words: NDArray[np.uint32] = made[lane, np.cumsum(starts) - 1]
        return words
