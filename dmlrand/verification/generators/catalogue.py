"""All faults of generators, and which of them are common.

A new fault needs a row in the tables of inputs.py (the counter and the key of a block) or rounds.py (the block
function), its name on specs/verify.md, and a generator in tests/support/, in faulty_generators.py or
faulty_families.py. Names are stable: programs may compare them.
"""

from __future__ import annotations

from functools import cache

from ..dump import Hypothesis
from .inputs import READINGS, counting_faults
from .rounds import round_faults, wiring_faults

# The faults that are likelier than others, and that are searched together with others.
COMMON = {each.name for each in READINGS} | {f"rounds-{rounds}" for rounds in range(1, 12)}
COMMON |= {"first-block-skipped", *(f"no-carry-out-of-word-{word}" for word in range(3))}
COMMON |= {"multipliers-exchanged", "weyl-constants-exchanged", "products-not-crossed", "product-halves-exchanged"}
COMMON |= {"key-not-bumped", "key-bumped-early", "key-bumped-late", "key-missing-in-a-round"}
COMMON |= {"signed-products", "product-carry-lost", "products-of-24-bits", "product-half-zero", "product-half-repeated"}
MIN_ROUNDS = 4  # fewer rounds make words that follow the counters so simply that a few of them prove nothing


@cache
def counting_part() -> tuple[Hypothesis, ...]:
    """The faults of the counter and the key of a block, but those that depend on the key."""
    return (*READINGS, *counting_faults())


@cache
def common(faults: tuple[Hypothesis, ...]) -> tuple[Hypothesis, ...]:
    """The common ones of these faults, in both products, that leave at least MIN_ROUNDS rounds."""
    return tuple(each for each in both_products(faults) if each.name in COMMON and each.variant.rounds >= MIN_ROUNDS)


def both_products(faults: tuple[Hypothesis, ...]) -> tuple[Hypothesis, ...]:
    """The faults without those of one product."""
    return tuple(each for each in faults if len({*each.variant.multiply}) == 1)


@cache
def all_faults() -> tuple[Hypothesis, ...]:
    """All faults but those that depend on the key."""
    return (*counting_part(), *round_faults(), *wiring_faults())
