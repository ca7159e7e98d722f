"""How integers are made of words: remainders for all divisors."""

import pytest
from symbolic import Fault, claim, code_of, paths, prove, z3
from symbolic_numbers import Unsigned, Word, reduced, uint32, uint64, where, words

pytest.importorskip("numba")

from dmlrand.kernels import numba_dialect, rules

N, M, D, S, Q, E, X, A, B = z3.Ints("n m d s q e x a b")


@claim(kinds=[(32,), (64,)])
def test_the_quotient_is_right_or_one_less(fault, bits):
    """0 <= n - q * d < 2 * d for q = floor(n * m / 2**N), m = min(floor(2**N / d), 2**N - 1) and every n and d.

    With s = 2**N - m * d and e the remainder of n * m by 2**N: (n - q * d) * 2**N = n * s + e * d, an identity of
    polynomials. s <= d, so both products on the right are at most (2**N - 1) * d. The rest is linear.
    """
    size = 1 << bits
    for divisor_is_1 in (False, True):
        bounds = [D == 1, M == size - 1] if divisor_is_1 else [D > 1, D < size, M * D <= size, size < M * D + D]
        prove(z3.And(0 <= size - M * D, size - M * D <= D), *bounds)
    power = M * D + S
    difference = (N - Q * D) * power - (N * S + (N * M - Q * power) * D)
    prove(z3.simplify(difference, som=True) == 0)
    prove(z3.And(0 <= N * S, N * S <= (size - 1) * D), 0 <= N, N < size, 0 <= S, S <= D)
    products = [0 <= A, A <= (size - 1) * D, 0 <= B, B <= (size - 1) * D]
    prove(z3.And(0 <= X, X < 2 * D), X * size == A + B, D > 0, *products)


ON_WORDS = dict(
    U32=uint32,
    U64=uint64,
    WORD_BITS=Word(32, 64),
    where=lambda condition, yes, no: Word(z3.If(condition.condition, yes.value, no.value), 32),
)

@claim(
    Fault("integers_32", "rest - divisor", "rest + divisor"),
    Fault("integers_32", "reduced < rest", "rest < reduced"),
    Fault("integers_32", ">> WORD_BITS", ""),
    Fault("integers_32", "+ low", ""),
)
def test_integers_32(fault):
    """The rule gives low + n mod d, modulo 2**32, for every word, divisor and low: given the quotient of the lemma."""
    low, product, multiple = z3.Ints("low product multiple")
    symbols = [product, multiple]  # n * m, and quotient * d
    arguments = [Unsigned(value, symbols) for value in (N, low, D, M)]
    names = dict(U32=reduced(32), U64=reduced(64), where=where, WORD_BITS=32)
    result = code_of(rules.integers_32, fault, **names)(*arguments).value
    bounds = [
        0 <= N, N < 1 << 32, 0 < D, D < 1 << 32, 0 <= low, low < 1 << 32, 0 <= product, product < 1 << 64,
        0 <= multiple, multiple <= N, N - multiple < 2 * D,
    ]  # fmt: skip
    rest = z3.If(N - multiple < D, N - multiple, N - multiple - D)  # n mod d, because multiple is one of d
    prove(result == (rest + low) % (1 << 32), *bounds)
    # The quotient that is multiplied is floor(n * m / 2**32): computed on words, which the solver has no trouble with.
    n, m, d, z = words("n m d z", 32)
    seen = []

    def spy(value):
        seen.append(value)
        return Word(value.resized(32), 32)

    code_of(rules.integers_32, fault, **ON_WORDS | dict(U32=spy))(n, z, d, m)
    product = z3.ZeroExt(32, n.value) * z3.ZeroExt(32, m.value)
    prove(z3.Extract(31, 0, seen[0].resized(64)) == z3.Extract(63, 32, product))


@claim(
    Fault("remainder_64", "rest - divisor", "rest + divisor"),
    Fault("remainder_64", "reduced < rest", "rest < reduced"),
)
def test_remainder_64(fault):
    product, multiple = z3.Ints("product multiple")
    symbols = [multiple]
    quotient = Unsigned(Q, symbols)
    names = dict(uint64=reduced(64), high_product=lambda a, b: quotient)

    bounds = [0 <= N, N < 1 << 64, 0 < D, D < 1 << 64, 0 <= multiple, multiple <= N, N - multiple < 2 * D]

    def run():
        symbols[:] = [multiple]
        code = code_of(numba_dialect.remainder_64, fault, **names)
        return code(Unsigned(N, symbols), Unsigned(D, symbols), Unsigned(M, symbols)).value

    rest = z3.If(N - multiple < D, N - multiple, N - multiple - D)
    for conditions, result in paths(run, *bounds):
        prove(result == rest, *conditions)


@pytest.mark.proof
def test_the_divisor_of_the_whole_range():
    """0 stands for 2**32, with the reciprocal 1: the result is the word plus low."""
    n, low = words("n low", 32)
    result = code_of(rules.integers_32, **ON_WORDS)(n, low, Word(0, 32), Word(1, 32))
    prove(result.value == n.value + low.value)


@claim(kinds=[(32,), (64,)])
def test_how_often_each_integer_comes(fault, bits):
    """distributions 4.4: r comes for m + 1 words if r < 2**bits mod d, else for m, with m = floor(2**bits / d).

    The words are r, r + d, r + 2 * d, ...: as many as q + 1, for the last q with q * d + r < 2**bits.
    """
    r, multiple = z3.Ints("r multiple")  # multiple is m * d
    size = 1 << bits
    bounds = [0 < D, D <= size, 0 <= r, r < D, multiple <= size, size < multiple + D]
    more = r < size - multiple
    last = z3.If(more, multiple, multiple - D)  # q * d, with q = m or m - 1
    prove(z3.And(last + r < size, size <= last + D + r), *bounds)
