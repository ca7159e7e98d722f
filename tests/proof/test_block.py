"""The block function: its round and the inverse of the round, in all places where it is written."""

from symbolic import Fault, claim, code_of, loop_of, prove, z3
from symbolic_numbers import Word, joined, uint64, words

from dmlrand import philox
from dmlrand.kernels import philox as loops
from dmlrand.verification import inverse


def small_words(names):
    """Words of 64 bits that are below 2**32, as the definition has them."""
    return [Word(z3.ZeroExt(32, z3.BitVec(name, 32))) for name in names.split()]


def equal(ours, theirs):
    return z3.And(*(a.resized(64) == b.resized(64) for a, b in zip(ours, theirs, strict=True)))


@claim(Fault("undo_round", "INVERSE_M0", "INVERSE_M1"), Fault("undo_round", "^ key[1]", "^ key[0]"))
def test_undo_round_inverts_a_round(fault):
    """In both directions, so a round is a bijection for each key, and with it the block function."""
    undo = code_of(inverse.undo_round, fault)
    counter, key = small_words("c0 c1 c2 c3"), small_words("k0 k1")
    prove(equal(undo(philox.apply_round(counter, key), key), counter))
    prove(equal(philox.apply_round(undo(counter, key), key), counter))


@claim(
    Fault("block", "c0 & LOW_HALF", "c0"),
    Fault("block", "c2 & LOW_HALF", "c2"),
    Fault("block", "^ c3 ^ k1", "^ c3 ^ k0"),
    Fault("block", "product1 >> WORD_BITS", "product0 >> WORD_BITS"),
    Fault("block", "k0 + W0", "k0 + W1"),
)
def test_a_round_of_the_plain_kernels(fault):
    """The loop body of `block`, from anything in the high halves of all words on: only the low halves count."""
    constants = {name: Word(int(getattr(loops, name))) for name in ("M0", "M1", "W0", "W1", "LOW_HALF", "WORD_BITS")}
    names = "c0 c1 c2 c3 k0 k1"
    before = words(names)
    after = loop_of(loops.block, fault=fault, **constants, uint64=uint64)(**dict(zip(names.split(), before)))
    defined = [Word(z3.ZeroExt(32, word.resized(32))) for word in before]
    expected = [*philox.apply_round(defined[:4], defined[4:]), *philox.bump_key(defined[4:])]
    prove(joined([after[name] for name in names.split()]) == joined(expected))
