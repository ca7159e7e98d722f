"""The vector code of philox_simd.py: its own functions with a builder that computes on symbolic elements.

The elements have 64 bits, whose high halves hold anything: only the low halves are words. One round is proved for any
words and any high halves, so all rounds are right by induction.
"""

from types import SimpleNamespace

import pytest
from symbolic import Fault, Word, claim, code_of, prove, z3

from dmlrand import philox

pytest.importorskip("llvmlite")

from dmlrand.kernels import philox_simd as simd

GROUP = simd.GROUP


class Builder:
    """The LLVM instructions that the vector code uses, as LLVM defines them, on lists of bit vectors."""

    def and_(self, a, b):
        return [x & y for x, y in zip(a, b, strict=True)]

    def xor(self, a, b):
        return [x ^ y for x, y in zip(a, b, strict=True)]

    def add(self, a, b):
        return [x + y for x, y in zip(a, b, strict=True)]

    def mul(self, a, b):
        if isinstance(a, list):
            return [x * y for x, y in zip(a, b, strict=True)]
        return a * b

    def zext(self, word, kind):
        return z3.ZeroExt(64 - word.size(), word)

    def bitcast(self, vector, kind):
        if kind == vector[0].size():
            return vector
        if kind == 32:
            return [half for element in vector for half in (z3.Extract(31, 0, element), z3.Extract(63, 32, element))]
        return [z3.Concat(high, low) for low, high in zip(vector[::2], vector[1::2])]


def shuffle(builder, a, b, picks):
    return [(a + b)[i] for i in picks]


def constant(kind, values):
    return [z3.BitVecVal(value, kind) for value in values] if isinstance(values, list) else z3.BitVecVal(values, kind)


NAMES = dict(
    ELEMENTS=64,
    HALVES=32,
    I64=64,
    LOW_HALVES=constant(32, [philox.MASK32, 0] * GROUP),
    ir=SimpleNamespace(Constant=constant),
    shuffle=shuffle,
    splat=lambda builder, value, count: [value] * count,
    _constant=lambda values: constant(64, values),
)


def words_class(fault):
    """The class Words with symbolic meanings of the names that it uses."""
    methods = {}
    made = type("Words", (), {})
    for name, member in vars(simd.Words).items():
        if isinstance(member, property):
            setattr(made, name, property(code_of(member.fget, fault, **NAMES, Words=made)))
        elif callable(member):
            methods[name] = code_of(member, fault, **NAMES, Words=made)
    for name, method in methods.items():
        setattr(made, name, method)
    return made


def vectors(made, names):
    """Words of which each element holds anything, and the same words as the definition has them, by element."""
    ours = [made(Builder(), [z3.BitVec(f"{name}_{i}", 64) for i in range(GROUP)]) for name in names.split()]
    defined = [[Word(z3.ZeroExt(32, low(each.elements[i]))) for each in ours] for i in range(GROUP)]
    return ours, defined


def low(value):
    return z3.Extract(31, 0, value)


def prove_equal(ours, defined):
    """The low halves of vectors are the words that the definition gives for each element."""
    for i in range(GROUP):
        prove(z3.And(*(low(each.elements[i]) == low(word.value) for each, word in zip(ours, defined[i], strict=True))))


ROUND_FAULTS = (
    Fault("__mul__", "low, _constant", "self.elements, _constant"),
    Fault("__rshift__", "i ^ 1", "i"),
    Fault("__rshift__", "i ^ 1", "i ^ 3"),
    Fault("__xor__", "builder.xor", "builder.and_"),
)


@claim(*ROUND_FAULTS)
def test_a_round_for_any_high_halves(fault):
    made = words_class(fault)
    counter, defined = vectors(made, "c0 c1 c2 c3")
    key, defined_key = vectors(made, "k0 k1")
    after = philox.apply_round(counter, key)
    prove_equal(after, [philox.apply_round(*pair) for pair in zip(defined, defined_key)])


@claim(Fault("__add__", "[number] * GROUP", "[number ^ 1] * GROUP"))
def test_the_next_key_for_any_high_halves(fault):
    key, defined = vectors(words_class(fault), "k0 k1")
    prove_equal(philox.bump_key(key), [philox.bump_key(each) for each in defined])


@claim(
    Fault("low_halves", "LOW_HALVES", "self.halves"),
    Fault("last_round", "c1 ^ key[0]", "c3 ^ key[0]"),
    Fault("last_round", "(c3 ^ key[1]).low_halves()", "(c3 ^ key[1])"),
)
def test_the_last_round_packs_pairs_of_words(fault):
    made = words_class(fault)
    counter, defined = vectors(made, "c0 c1 c2 c3")
    key, defined_key = vectors(made, "k0 k1")
    words01, words23 = code_of(simd.last_round, fault)(counter, key)
    for i in range(GROUP):
        w0, w1, w2, w3 = (low(word.value) for word in philox.apply_round(defined[i], defined_key[i]))
        prove(words01.elements[i] == z3.Concat(w1, w0))
        prove(words23.elements[i] == z3.Concat(w3, w2))


@claim(
    Fault("growing_products", "GROUP * group + block", "GROUP * group + block + 1"),
    Fault("growing_products", "GROUP * group", "group"),
    Fault("first_rounds", "^ c1 ^ key[0]", "^ c3 ^ key[0]"),
    kinds=[(0,), (2,)],
)
def test_the_first_round(fault, growing):
    """Of each block of the six groups in flight: word 0 or 2 of the counter is larger by the number of the block.

    multiplier * (word + block) is made by additions. So the word must not wrap: that is a condition of the code.
    """
    made, groups = words_class(fault), simd.WIDE_GROUPS
    builder = Builder()
    names = NAMES | dict(Words=made)
    names |= {name: code_of(getattr(simd, name), fault, **names) for name in ("same", "growing_products")}
    counter = z3.BitVecs("c0 c1 c2 c3", 32)
    key, defined_key = vectors(made, "k0 k1")
    after = list(code_of(simd.first_rounds, fault, **names)(builder, groups, counter, key, growing))
    assert len(after) == groups
    last = GROUP * groups - 1
    for group in range(groups):
        for i, block in enumerate(simd.BLOCK_OF):
            start = [Word(z3.ZeroExt(32, word)) for word in counter]
            start[growing] = start[growing] + (GROUP * group + block)
            expected = philox.apply_round(start, defined_key[i])
            same = [low(each.elements[i]) == low(word.value) for each, word in zip(after[group], expected)]
            prove(z3.And(*same), z3.ULE(counter[growing], philox.MASK32 - last))


@claim(
    Fault("block_vectors", "side in (0, GROUP)", "side in (GROUP, 0)"),
    Fault("block_vectors", "pair + element", "pair + 1 - element"),
)
def test_the_words_are_stored_in_order(fault):
    """The shuffles of block_vectors put word `lane` of block b of group g at 32 * g + 4 * b + lane. No word is lost."""
    groups = simd.WIDE_GROUPS

    def token(group, place, pair):
        return ((group, simd.BLOCK_OF[place], 2 * pair), (group, simd.BLOCK_OF[place], 2 * pair + 1))

    def last_round(counter, key):
        return tuple(SimpleNamespace(elements=[token(counter, i, pair) for i in range(GROUP)]) for pair in (0, 1))

    names = dict(
        same=lambda builder, word: word,
        first_rounds=lambda builder, groups, *_: range(groups),
        philox=SimpleNamespace(ROUNDS=10, bump_key=lambda key: key, apply_round=lambda counter, key: counter),
        last_round=last_round,
        shuffle=shuffle,
    )
    builder = SimpleNamespace(bitcast=lambda vector, kind: [word for pair in vector for word in pair])
    stored = code_of(simd.block_vectors, fault, **names)(builder, groups, *range(6))
    order = [word for vector in stored for word in vector]
    right = [(group, block, lane) for group in range(groups) for block in range(GROUP) for lane in range(4)]
    prove(z3.BoolVal(order == right))


@claim(
    Fault("block_vectors", "philox.ROUNDS - 2", "philox.ROUNDS - 1"),
    Fault("block_vectors", "key = philox.bump_key(key) for", "for"),
)
def test_ten_rounds_with_ten_keys(fault):
    """block_vectors applies a first round, eight rounds and a last one, each with the key of its number."""
    used = []
    names = dict(
        same=lambda builder, word: 0,
        first_rounds=lambda builder, groups, counter, key, growing: [used.append(key[0]) or 0],
        philox=SimpleNamespace(
            ROUNDS=philox.ROUNDS,
            bump_key=lambda key: (key[0] + 1, key[1] + 1),
            apply_round=lambda counter, key: used.append(key[0]),
        ),
        last_round=lambda counter, key: used.append(key[0]) or [],
    )
    try:
        list(code_of(simd.block_vectors, fault, **names)(None, 1, *range(6)))
    except ValueError:  # the last round gave nothing to store
        pass
    prove(z3.BoolVal(used == list(range(10))))
