"""Places with a name: those of known faults, of narrow types of an index, and of swizzles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..dump import Dump, Place, Places
from ..generators.fault_models import WORD_FAULT_MODELS, column_major
from ..generators.variants import Counting, Rounds, WordVariant, unchanged

COLUMN_MAJOR = next(model for model in WORD_FAULT_MODELS if model.name == "column-major")
NARROW_TYPES = (np.int8, np.uint16, np.int16, np.float16, np.float32)  # uint8: groups-of-64-blocks-repeat, and of 256
LARGEST_FLOAT16 = 65504
PUT_RIGHT = "store word p as element p"


def catalogue(dump: Dump, width: int) -> Iterator[Place]:
    """All places with a name, for elements of so many words. Those of known faults also of columns stored as rows."""
    known = [*known_places(dump, width)]
    yield from known
    yield from _narrow_indexes(width)
    yield from _swizzles(dump.size, dump.shape[-1], width)
    if width == 1 and sum(size > 1 for size in dump.shape) > 1:
        columns = _rule_of(dump, COLUMN_MAJOR.variant, width)
        for place in known:
            if place.name != COLUMN_MAJOR.name:
                name, explanation = (f"{COLUMN_MAJOR[part]}\n{place[part]}" for part in (0, 2))
                yield Place(name, lambda index, rule=place.rule: rule(columns(index)), explanation)  # type: ignore[misc]


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


def _narrow_indexes(width: int) -> Iterator[Place]:
    """The index of an element, or the number of its block, in a type that cannot hold it."""
    for what, words in (("index", width), ("block's number", 4)):
        for dtype in map(np.dtype, NARROW_TYPES):
            name = "index-rounded" if dtype.kind == "f" else "index-narrow"
            harm = "rounds it" if dtype.kind == "f" else f"keeps only {8 * dtype.itemsize} of its bits"

            def rule(index: Places, words: int = words, dtype: Any = dtype) -> Places:
                number, rest = np.divmod(index * width, words)
                if dtype == np.float16:
                    number = np.minimum(number, LARGEST_FLOAT16)
                return number.astype(dtype).astype(np.int64) * words + rest  # type: ignore[no-any-return]

            yield Place(name, rule, f"The generator computes the {what} as {dtype}, which {harm}: use uint32.")


def _swizzles(size: int, row: int, width: int) -> Iterator[Place]:
    for mask in (1, 3, 7, 15, 31):
        if row % (mask + 1) == 0 and size > row:
            yield Place("words-swizzled", lambda i, m=mask: (i ^ (i // row & m)) * width, (  # type: ignore[misc]
                f"The generator swizzles columns: row y, column x holds column x ^ (y & {mask}): {PUT_RIGHT}."
            ))  # fmt: skip
        if mask > 1:
            yield Place("words-swizzled", lambda i, m=mask: np.where((i ^ m) < size, i ^ m, i) * width, (  # type: ignore[misc]
                f"The generator stores word p ^ {mask} as element p: {PUT_RIGHT}."
            ))  # fmt: skip
