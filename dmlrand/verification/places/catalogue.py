"""Places with a name: those of known faults, and of narrow types of an index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ..dump import Dump, Place, Places
from ..generators.fault_models import WORD_FAULT_MODELS, column_major
from ..generators.variants import Counting, Rounds, WordVariant, unchanged

COLUMN_MAJOR = next(model for model in WORD_FAULT_MODELS if model.name == "column-major")
NARROW_TYPES = (np.uint16, np.int16)


def catalogue(dump: Dump, width: int) -> Iterator[Place]:
    """All places with a name, for elements of so many words. Those of known faults also occur in columns that are
    stored as rows."""
    known = [*known_places(dump, width)]
    yield from known
    yield from _of_elements(_narrow_indexes(dump.size, width), width)
    if width == 1 and sum(size > 1 for size in dump.shape) > 1:
        columns = _rule_of(dump, COLUMN_MAJOR.variant, width)
        for place in known:
            if place.name != COLUMN_MAJOR.name:
                name, explanation = (f"{COLUMN_MAJOR[part]}\n{place[part]}" for part in (0, 2))
                yield Place(name, lambda index, rule=place.rule: rule(columns(index)), explanation)  # type: ignore[misc]


def _of_elements(places: Iterator[Place], width: int) -> Iterator[Place]:
    """The places of elements of so many words, if the rules give the elements."""
    for place in places:
        yield place._replace(rule=lambda index, rule=place.rule: rule(index) * width)  # type: ignore[misc]


def known_places(dump: Dump, width: int) -> Iterator[Place]:
    """The faults of the catalogue that store right words at other places."""
    for name, variant, explanation in WORD_FAULT_MODELS:
        if (variant.counting, variant.rounds, variant.store) == (Counting(), Rounds(), unchanged):
            of_words = variant.place is not column_major
            yield Place(name, _rule_of(dump, variant, width), explanation, of_words=of_words)


def _rule_of(dump: Dump, variant: WordVariant, width: int) -> Callable[[Places], Places]:
    lanes, shape = np.array(variant.lanes), dump.shape
    if variant.place is not column_major:
        shape, width = (*shape[:-1], shape[-1] * width), 1

    def rule(index: Places) -> Places:
        block, lane = variant.place(index.astype(np.uint64), shape)
        return ((block << 2).astype(np.int64) + lanes[lane.astype(np.int64)]) * width  # type: ignore[no-any-return]

    return rule


def _narrow_indexes(size: int, width: int) -> Iterator[Place]:
    """The index of an element, or the number of its block, in a type that cannot hold it."""

    def narrow(dtype: Any, count: int, index: Places) -> Places:
        number, rest = np.divmod(index, count)
        return number.astype(dtype).astype(np.int64) * count + rest  # type: ignore[no-any-return]

    for (what, count), dtype in product((("index", 1), ("block's number", 4 // width)), map(np.dtype, NARROW_TYPES)):
        text = f"The generator computes the {what} as {dtype}, which keeps only 16 of its bits: use uint32."
        yield Place("index-narrow", partial(narrow, dtype, count), text)
    for limit in (1 << 16, 4 << 16):
        if limit < size:  # the last of the words with one index stays
            yield Place("index-narrow", lambda i, limit=limit: (  # type: ignore[misc]
                np.where(i < limit, i + (size - 1 - i) // limit * limit, i)
            ), (
                f"The generator stores word p as element p mod {limit:,}, so that later words overwrite earlier ones: "
                "compute the index of the element as uint32."
            ), (0, limit, size))  # fmt: skip
