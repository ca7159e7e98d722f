"""Places with a name: those of known faults, of narrow types of an index, and of swizzles."""

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
NARROW_TYPES = (np.int8, np.uint16, np.int16, np.float16, np.float32)  # uint8: groups-of-64-blocks-repeat, and of 256
LARGEST_FLOAT16 = 65504
PUT_RIGHT = "store word p as element p"

Rows = set[tuple[int, int]]  # the length of a row, and of the runs of words in it


def catalogue(dump: Dump, width: int, rows: Rows) -> Iterator[Place]:
    """All places with a name, for elements of so many words. `rows` are those that the words may have.

    Those of known faults and of rows also occur in columns that are stored as rows.
    """
    known = [*known_places(dump, width)]
    yield from known
    yield from _of_elements(_narrow_indexes(dump.size, width), width)
    yield from _of_elements(_swizzles(dump.size, dump.shape[-1]), width)
    yield from _of_elements(_turning_rows({*rows, (dump.shape[-1], 1)}, dump.size), width)
    if width == 1 and sum(size > 1 for size in dump.shape) > 1:
        columns = _rule_of(dump, COLUMN_MAJOR.variant, width)
        for place in (*known, *_of_elements(_turning_rows({(dump.shape[0], 1)}, dump.size), width)):
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
        number = np.minimum(number, LARGEST_FLOAT16) if dtype == np.float16 else number
        return number.astype(dtype).astype(np.int64) * count + rest  # type: ignore[no-any-return]

    for (what, count), dtype in product((("index", 1), ("block's number", 4 // width)), map(np.dtype, NARROW_TYPES)):
        name = "index-rounded" if dtype.kind == "f" else "index-narrow"
        harm = "rounds it" if dtype.kind == "f" else f"keeps only {8 * dtype.itemsize} of its bits"
        text = f"The generator computes the {what} as {dtype}, which {harm}: use uint32."
        yield Place(name, partial(narrow, dtype, count), text)
    for limit in (1 << 8, 4 << 8, 1 << 16, 4 << 16):
        if limit < size:  # the last of the words with one index stays
            yield Place("index-narrow", lambda i, limit=limit: (  # type: ignore[misc]
                np.where(i < limit, i + (size - 1 - i) // limit * limit, i)
            ), (
                f"The generator stores word p as element p mod {limit:,}, so that later words overwrite earlier ones: "
                "compute the index of the element as uint32."
            ), (0, limit, size))  # fmt: skip


def _turning_rows(rows: Rows, size: int) -> Iterator[Place]:
    """Rows of which every second one is reversed, or each is rotated by its number. Two or more rows are changed."""
    turning = sorted((row, run) for row, run in rows if 1 < row < size / 3 and row % run == 0)
    for (row, run), odd in product(turning, (1, 0)):
        what = f"the runs of {run:,} words in " if run > 1 else ""
        yield Place("words-in-snake-order", lambda i, row=row, run=run, odd=odd: (  # type: ignore[misc]
            np.where(i // row % 2 == odd, i // row * row + row - run - i % row // run * run + i % run, i)
        ), (
            f"The generator stores {what}every second row of {row:,} words backwards (snake order), from row {odd} on: "
            f"{PUT_RIGHT}."
        ))  # fmt: skip
    for (row, _), step in product(turning, (1, -1)):
        yield Place("words-swizzled", lambda i, row=row, step=step: (  # type: ignore[misc]
            i // row * row + (i % row + step * (i // row)) % row
        ), (
            f"The generator rotates rows: row y, column x holds column (x {'-+'[step > 0]} y) mod {row}: {PUT_RIGHT}."
        ))  # fmt: skip


def _swizzles(size: int, row: int) -> Iterator[Place]:
    for mask in (1, 3, 7, 15, 31):
        if row % (mask + 1) == 0 and size > row:
            text = f"The generator swizzles columns: row y, column x holds column x ^ (y & {mask}): {PUT_RIGHT}."
            yield Place("words-swizzled", lambda i, mask=mask: i ^ (i // row & mask), text)  # type: ignore[misc]
        if mask > 1:
            text = f"The generator stores word p ^ {mask} as element p: {PUT_RIGHT}."
            yield Place("words-swizzled", lambda i, mask=mask: (  # type: ignore[misc]
                np.where((i ^ mask) < size, i ^ mask, i)
            ), text)  # fmt: skip
