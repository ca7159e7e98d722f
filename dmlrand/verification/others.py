"""Elements of another source: another algorithm of the same seed, another key, a counter instead of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from ..philox import MASK32, block
from ..state import counter_of, key_of
from .dump import Dump, Hypothesis, least_hits
from .generators.others import algorithms, first_words, hashed_keys
from .generators.variants import Counting, WordVariant, add_blocks, words_of
from .recovery import recover
from .report.result import Finding

MIN_WORDS = 12  # that must be equal
MAX_COMPARED = 1 << 20  # elements
NEAR_KEYS = 1 << 16  # on both sides of the key
SMALL_SEEDS = 1 << 20
FALSE_FINDINGS = 1e-9  # that are accepted in a search of foreign elements


def explain_as_other(dump: Dump) -> list[Finding]:
    """The source that gives all elements, or the first ones: another algorithm, key or counter."""
    searches = (_chained, _other_keys, _algorithms) if dump.size >= MIN_WORDS else ()
    return next((found for search in searches if (found := list(search(dump)))), [])


def explain_counters(dump: Dump) -> list[Finding]:
    """Indexes, counters or keys that were stored in place of words."""
    if not dump.is_of_words or dump.size < MIN_WORDS:
        return []
    index = np.arange(min(dump.size, 1 << 16), dtype=np.int64)
    blocks, six, got = index >> 2, np.array(dump.six, np.uint64), dump.head(index.size)
    counters = np.stack(Counting().inputs(dump.six, blocks.astype(np.uint64)), 1)
    for what, made in (
        ("the numbers 0, 1, 2, ...", index),
        ("the numbers 1, 2, 3, ...", index + 1),
        ("the number of each word's block: 0, 0, 0, 0, 1, ...", blocks),
        ("the counter words of each block", counters[index, index & 3]),
        ("counter word 0, increased by 1 for each element", index + dump.six[0]),
        ("counter word 0 of each block", blocks + dump.six[0]),
        ("the six words of the state, again and again", six[index % 6]),
        ("the four words of the counter, again and again", six[index % 4]),
    ):
        if np.array_equal(got, made.astype(np.uint32)):
            sentence = f"The dump holds {what}, and no words: store the block's words."
            return [Finding("counter-instead-of-words", sentence)]
    return []


def _chained(dump: Dump) -> Iterator[Finding]:
    """Blocks of which each has the block before it as its counter."""
    if not dump.is_of_words or dump.size < 2 * MIN_WORDS:
        return
    words = dump.head(min(dump.size, MAX_COMPARED) // 4 * 4).reshape(-1, 4).astype(np.uint64)
    k0, k1 = dump.six[4:]
    for more, and_one in ((0, ""), (1, " plus 1")):
        c0, c1, c2, c3, *_ = add_blocks((*words[:-1].T, k0, k1), more)
        if np.array_equal(np.stack(block((c0, c1, c2, c3), (k0, k1)), 1), words[1:]):
            sentence = (
                f"Each block was computed with the block before it{and_one} as its counter: the counter was "
                "overwritten by the words, so keep the counter apart from the block."
            )
            yield Finding("counter-overwritten", sentence)
            return


def _other_keys(dump: Dump) -> Iterator[Finding]:
    """The right elements of another key, at the same counter or at counter 0."""
    key, counters = key_of(dump.state), dict.fromkeys((counter_of(dump.state), 0))
    near, hashed = range(max(key - NEAR_KEYS, 0), min(key + 1 + NEAR_KEYS, 1 << 64)), hashed_keys(key)
    for start, keys in product(counters, ([key ^ 1 << bit for bit in range(64)], near, range(SMALL_SEEDS), [*hashed])):
        for other in _recovered(dump, keys, start):
            yield from _about_key(dump, start, other, f", which is {hashed[other]}" if other in hashed else "")
            return


def _recovered(dump: Dump, keys: Sequence[int], counter: int) -> list[int]:
    """The keys other than the dump's own that give the first elements at a counter."""
    elements: Any = dump.head(4)
    if not dump.is_of_words:
        elements = elements.view(dump.values.dtype)
        if not ((elements >= 0) & (elements < 1)).all():
            return []
    try:
        found = recover(elements, keys=keys, counters=counter, dtype=elements.dtype, threads=1)
    except ImportError:  # no numba
        return []
    return [each.key for each in found if each.key != key_of(dump.state)]


def _about_key(dump: Dump, counter: int, key: int, remark: str) -> Iterator[Finding]:
    """The finding if the dump's first elements are those of another key."""
    c0, c1, c2, c3 = words_of(counter)
    read = (c0, c1, c2, c3, key & MASK32, key >> 32)
    count = min(dump.size, 1 << 16)
    of_key = Hypothesis((), WordVariant(Counting(read=lambda words: read)), None, dump.right)
    made = of_key.elements(dump, np.arange(count, dtype=np.int64))
    right = int(np.argmin(np.append(made == dump.head(count), False)))
    if right >= MIN_WORDS:
        start = "" if counter == counter_of(dump.state) else f" at counter {counter:#x}"
        what = f"All {dump.unit}s are" if right == dump.size else f"The first {right:,} {dump.unit}s are"
        own = key_of(dump.state)
        sentence = (
            f"{what} right for key {key:#x} ({key}){start}{remark}, and not for key {own:#x} ({own}): "
            "check the key, or the seed."
        )
        yield Finding("another-key", sentence)


def _algorithms(dump: Dump) -> Iterator[Finding]:
    """Another algorithm with the key as its seed."""
    sorted_dump, rules = np.sort(dump.head(MAX_COMPARED)), dump.rules or (dump.right,)
    made_by = algorithms(dump.size)
    for name, make in made_by.items():
        try:
            words = first_words(make, dump.six, 64)
        except (ImportError, ValueError):
            continue
        for rule in rules:
            made = rule.function(words if rule.width == 1 else words.reshape(-1, rule.width))[:MIN_WORDS]
            at = np.minimum(np.searchsorted(sorted_dump, made), sorted_dump.size - 1)
            hits = np.unique(made[sorted_dump[at] == made]).size
            if hits * 4 < 3 * MIN_WORDS:
                continue
            chance, tried = sorted_dump.size / 2.0 ** dump.known_bits(rule), len(rules) * len(made_by)
            if hits >= least_hits(made.size, chance, tried, FALSE_FINDINGS):
                sentence = f"The {dump.unit}s are those of {name}: use Philox4x32-10 with the state's counter and key."
                yield Finding("another-algorithm", sentence)
                return
