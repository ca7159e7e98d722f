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
def common_faults() -> tuple[Hypothesis, ...]:
    """The common faults, in both products, that leave at least MIN_ROUNDS rounds."""
    return tuple(
        each
        for each in (*READINGS, *counting_faults(), *both_products())
        if each.name in COMMON and each.variant.rounds >= MIN_ROUNDS
    )


@cache
def both_products() -> tuple[Hypothesis, ...]:
    """The faults of rounds without those of one product."""
    return tuple(each for each in round_faults() if len({*each.variant.multiply}) == 1)


@cache
def all_faults() -> tuple[Hypothesis, ...]:
    """All faults but those that depend on the key."""
    return (*READINGS, *counting_faults(), *round_faults(), *wiring_faults())
