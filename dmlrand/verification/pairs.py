"""Two faults at once: the variants that have two of the twenty commonest faults."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

from .fault_models import WORD_FAULT_MODELS, FaultModel
from .variants import WordVariant

COMMON_FAULTS = (
    "counter-words-reversed",
    "key-words-reversed",
    "key-before-counter",
    "input-bytes-swapped",
    "high-counter-words-ignored",
    "high-key-word-ignored",
    "first-block-skipped",
    "counter-advanced-per-word",
    "column-major",
    "multipliers-exchanged",
    "products-not-crossed",
    "product-halves-exchanged",
    "signed-products",
    "weyl-constants-exchanged",
    "key-not-bumped",
    "key-bumped-early",
    "bytes-swapped",
    "no-carry-out-of-word-0",
    "rounds-7",
    "lanes-reversed",
)
COMPOSED_FIELDS = ("read", "store")  # steps that can be two steps, one after the other


@cache
def fault_pairs() -> tuple[FaultModel[WordVariant], ...]:
    """A model for each two common faults that can occur together. Two steps of one field are put in both orders."""
    common = [model for model in WORD_FAULT_MODELS if model.name in COMMON_FAULTS]
    pairs: dict[WordVariant, FaultModel[WordVariant]] = {}
    for first, second in combinations(common, 2):
        name = f"{first.name}+{second.name}"
        explanation = f"The generator has two faults: it {_clause(first)}, and it {_clause(second)}."
        for one, other in ((first, second), (second, first)):
            variant = _combined(one.variant, other.variant)
            if variant is not None:
                pairs.setdefault(variant, FaultModel(name, variant, explanation))
    return tuple(pairs.values())


def _combined(one: WordVariant, other: WordVariant) -> WordVariant | None:
    """The variant with the faults of both, those of `one` first. None if both replace one step."""
    changed: dict[str, Any] = {}
    for field, default in WordVariant._field_defaults.items():
        mine, others = getattr(one, field), getattr(other, field)
        if others == default or mine == default:
            changed[field] = mine if others == default else others
        elif field in COMPOSED_FIELDS:
            changed[field] = _composed(mine, others)
        else:
            return None
    return WordVariant(**changed)


def _composed(first: Callable[[Any], Any], second: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda words: second(first(words))


def _clause(model: FaultModel[WordVariant]) -> str:
    """An explanation, which is "The generator does this: do that.", as a part of a longer sentence."""
    fault, _, remedy = model.explanation.removeprefix("The generator ").removesuffix(".").partition(": ")
    return f"{fault} ({remedy})"
