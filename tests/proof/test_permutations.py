"""The network of random orders: a bijection for every n and key. Given its random numbers, each round can be undone."""

import pytest
from symbolic import Fault, claim, loop_of, prove, z3
from symbolic_numbers import Truth, Unsigned, reduced, where

pytest.importorskip("numba")

from dmlrand.kernels import permutations

HALF, SIZE, W0, W1, P0, P1 = z3.Ints("half size w0 w1 p0 p1")


@claim(
    Fault("apply_round", "total - size", "total"),
    Fault("apply_round", "reduced < total", "total < reduced"),
    Fault("apply_round", "uint64(w0) * width >> WORD_BITS", "uint64(w0) * width"),
)
def test_a_round_adds_a_number_below_the_size_modulo_the_size(fault):
    """The half after a round is (half + r) mod size, with r = floor((w0 + 2**32 * w1) * size / 2**64), r < size.

    The inverse subtracts r in the same way.

    For a given r that is a bijection of [0, size), and r depends on the other half alone, which the round keeps. So
    each round is a bijection of all pairs of halves, and so is the network. Walking along the cycles of a bijection of
    rows * columns numbers, until a number below n comes, is a bijection of the numbers below n.
    """
    prove(z3.And(0 <= W0 * SIZE, W0 * SIZE <= ((1 << 32) - 1) * SIZE), 0 <= W0, W0 < 1 << 32, 0 < SIZE)
    bounds = [0 <= HALF, HALF < SIZE, 0 < SIZE, SIZE <= 1 << 31]
    bounds += [z3.And(0 <= product, product <= ((1 << 32) - 1) * SIZE) for product in (P0, P1)]
    import ast

    class Choose(ast.NodeTransformer):
        def visit_IfExp(self, node):
            return ast.Call(ast.Name("choose", ast.Load()), [node.test, node.body, node.orelse], [])

    products = []  # of w0 and of w1 with the width
    body = loop_of(
        permutations.apply_round,
        fault=fault,
        transform=Choose(),
        uint32=reduced(32),
        uint64=reduced(64),
        WORD_BITS=32,
        block=lambda *_: (Unsigned(W0, products), Unsigned(W1, products), None, None),
        choose=where,
    )
    keys = {f"k{i}": None for i in range(4)}
    r = (P0 + (1 << 32) * P1) / (1 << 64)
    prove(z3.And(0 <= r, r < SIZE), *bounds)
    for inverse in (False, True):
        products[:] = [P0, P1]
        changed = [Unsigned(HALF, products)]
        sizes = {"size": Unsigned(SIZE, products), "width": Unsigned(SIZE, products)}
        side = Truth(z3.BoolVal(inverse))
        body(i=0, inverse=side, changed=changed, given=[None], number=None, **sizes, **keys)
        total = HALF + (SIZE - r if inverse else r)
        prove(changed[0].value == z3.If(total < SIZE, total, total - SIZE), *bounds)
