"""Places with a name: those of known faults, and those of other packages' kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dump import Dump, Place, Places
from ..generators.fault_models import WORD_FAULT_MODELS, column_major
from ..generators.variants import Counting, Rounds

COLUMN_MAJOR = next(model for model in WORD_FAULT_MODELS if model.name == "column-major")
PUT_RIGHT = "store word p as element p"


def catalogue(dump: Dump, width: int) -> Iterator[Place]:
    """All places with a name, for elements of so many words. Those of known faults also of columns stored as rows."""
    yield from _known_places(dump, width)
    yield from _other_places(dump, width)
    if width == 1 and sum(size > 1 for size in dump.shape) > 1:
        for place in _known_places(dump, width):
            if place.name != COLUMN_MAJOR.name:
                yield Place(
                    f"{COLUMN_MAJOR.name}\n{place.name}",
                    _after_columns(dump, place),
                    f"{COLUMN_MAJOR.explanation}\n{place.explanation}",
                )


def _known_places(dump: Dump, width: int) -> Iterator[Place]:
    for model in WORD_FAULT_MODELS:
        variant = model.variant
        if variant.counting == Counting() and variant.rounds == Rounds() and model.name != "bytes-swapped":
            yield Place(model.name, _of_variant(dump, variant, width), model.explanation)


def _other_places(dump: Dump, width: int) -> Iterator[Place]:
    n, row = dump.size, dump.shape[-1]
    for bits in (8, 16):
        mask = (1 << bits) - 1
        half = 1 << bits - 1
        yield Place("index-narrow", lambda i, m=mask: (i & m) * width, (  # type: ignore[misc]
            f"The generator keeps only {bits} bits of the index, so that the words repeat: use 32 bits or more."
        ))  # fmt: skip
        yield Place("index-narrow", lambda i, m=mask, h=half: ((i + h & m) - h) * width, (  # type: ignore[misc]
            f"The generator keeps the index as a signed number of {bits} bits: use 32 bits or more, unsigned."
        ))  # fmt: skip
        yield Place("index-narrow", lambda i, m=mask: _by_block(i * width, lambda b: b & m), (  # type: ignore[misc]
            f"The generator keeps only {bits} bits of the block's number: use 32 bits or more."
        ))  # fmt: skip
        yield Place("index-narrow", lambda i, m=mask, h=half: _by_block(i * width, lambda b: (b + h & m) - h), (  # type: ignore[misc]
            f"The generator keeps the block's number as a signed number of {bits} bits: use 32 bits or more, unsigned."
        ))  # fmt: skip
    for dtype, name in ((np.float16, "float16"), (np.float32, "float32")):
        yield Place("index-rounded", lambda i, d=dtype: _rounded(i, d) * width, (  # type: ignore[misc]
            f"The generator computes the index as a {name} number, which rounds it: use integers."
        ))  # fmt: skip
        yield Place("index-rounded", lambda i, d=dtype: _by_block(i * width, lambda b: _rounded(b, d)), (  # type: ignore[misc]
            f"The generator computes the block's number as a {name} number, which rounds it: use integers."
        ))  # fmt: skip
    for mask in (1, 3, 7, 15, 31):
        if row % (mask + 1) == 0 and n > row:
            yield Place("words-swizzled", lambda i, m=mask: (i ^ (i // row & m)) * width, (  # type: ignore[misc]
                f"The generator swizzles columns: row y, column x holds column x ^ (y & {mask}): {PUT_RIGHT}."
            ))  # fmt: skip
        if mask > 1:
            yield Place("words-swizzled", lambda i, m=mask: np.where((i ^ m) < n, i ^ m, i) * width, (  # type: ignore[misc]
                f"The generator stores word p ^ {mask} as element p: {PUT_RIGHT}."
            ))  # fmt: skip


def _after_columns(dump: Dump, place: Place) -> Any:
    columns = _of_variant(dump, COLUMN_MAJOR.variant, 1)
    return lambda index: place.rule(columns(index))


def _of_variant(dump: Dump, variant: Any, width: int) -> Any:
    lanes = np.array(variant.lanes)

    def rule(index: Places) -> Places:
        if variant.place is column_major:
            block, lane = variant.place(index.astype(np.uint64), dump.shape)
            of_block: Places = (block << 2 | lane).astype(np.int64) * width
            return of_block
        shape = dump.shape_of_words(width)
        block, lane = variant.place((index * width).astype(np.uint64), shape)
        places: Places = (block << 2).astype(np.int64) + lanes[lane.astype(np.int64)]
        return places

    return rule


def _by_block(words: Places, change: Any) -> Places:
    made: Places = change(words >> 2) * 4 + (words & 3)
    return made


def _rounded(numbers: Places, dtype: Any) -> Places:
    rounded = np.minimum(numbers, 65504 if dtype == np.float16 else 1 << 62).astype(dtype)
    made: Places = rounded.astype(np.int64)
    return made
