"""Places with a name: those of known faults, and of an index of 16 bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..dump import Dump, Place, Places
from ..generators.fault_models import WORD_FAULT_MODELS, column_major
from ..generators.variants import Counting, Rounds, WordVariant, unchanged


def known_places(dump: Dump, width: int) -> Iterator[Place]:
    """The faults of the catalogue that store right words at other places, for elements of so many words."""
    for name, variant, explanation in WORD_FAULT_MODELS:
        if (variant.counting, variant.rounds, variant.store) == (Counting(), Rounds(), unchanged):
            rule = _rule_of(dump, variant, width)
            yield Place(name, rule, explanation, of_words=variant.place is not column_major)


def named_places(dump: Dump, width: int) -> Iterator[Place]:
    """All places with a name. Those of known faults also occur in columns that are stored as rows."""
    known = [*known_places(dump, width)]
    yield from known
    yield from _narrow_indexes(dump.size, width)
    if width == 1 and sum(size > 1 for size in dump.shape) > 1:
        columns = next(place for place in known if place.name == "column-major")
        for place in known:
            if place is not columns:
                name, explanation = (f"{columns[part]}\n{place[part]}" for part in (0, 2))
                yield Place(name, lambda index, rule=place.rule: rule(columns.rule(index)), explanation)  # type: ignore[misc]


def _rule_of(dump: Dump, variant: WordVariant, width: int) -> Callable[[Places], Places]:
    lanes, shape = np.array(variant.lanes), dump.shape
    if variant.place is not column_major:
        shape, width = (*shape[:-1], shape[-1] * width), 1

    def rule(index: Places) -> Places:
        block, lane = variant.place(index.astype(np.uint64), shape)
        return ((block << 2).astype(np.int64) + lanes[lane.astype(np.int64)]) * width  # type: ignore[no-any-return]

    return rule


def _narrow_indexes(size: int, width: int) -> Iterator[Place]:
    """The index of an element, or the number of its block, in 16 bits: where words are computed, or stored."""

    def stored(index: Places, limit: int) -> Places:
        """The last word with an index stays."""
        return np.where(index < limit, index + (size - 1 - index) // limit * limit, index)

    for limit in (1 << 16, 4 // width << 16):
        yield Place("index-narrow", lambda i, limit=limit: i % limit * width, (  # type: ignore[misc]
            f"The generator computes element p as element p mod {limit:,}, by an index of 16 bits: use uint32."
        ))  # fmt: skip
        if limit < size:
            yield Place("index-narrow", lambda i, limit=limit: stored(i, limit) * width, (  # type: ignore[misc]
                f"The generator stores word p as element p mod {limit:,}, so that later words overwrite earlier ones: "
                "compute the index of the element as uint32."
            ), (0, limit, size))  # fmt: skip
