"""Elements of another source: another algorithm of the same seed, another key, a counter instead of words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..philox import MASK32, Words4, block
from ..state import counter_of, key_of
from .dump import Dump, Hypothesis
from .generators.others import ALGORITHMS, first_words, hashed_keys
from .generators.variants import Counting, WordVariant, words_of
from .recovery import recover
from .report.result import Finding

MIN_WORDS = 12  # that must be equal
NEAR_KEYS = 1 << 16  # on both sides of the key
SMALL_SEEDS = 1 << 20

Words = NDArray[np.uint32]


def explain_as_other(dump: Dump) -> list[Finding]:
    """The source that gives all elements, or the first ones: another algorithm, key or counter."""
    if dump.size < MIN_WORDS:
        return []
    for search in (_chained, _other_keys, _algorithms):
        findings = list(search(dump))
        if findings:
            return findings
    return []


def explain_counters(dump: Dump) -> list[Finding]:
    """Indexes, counters or keys that were stored in place of words."""
    if not dump.is_of_words or dump.size < MIN_WORDS:
        return []
    index = np.arange(min(dump.size, 1 << 16), dtype=np.int64)
    got = dump.head(index.size)
    c0, c1, c2, c3 = Counting().inputs(dump.six, (index >> 2).astype(np.uint64))[:4]
    of_lane = np.choose(index & 3, [np.broadcast_to(word, index.shape) for word in (c0, c1, c2, c3)]).astype(np.uint32)
    first = np.uint32(dump.six[0])
    for what, made in (
        ("the numbers 0, 1, 2, ...", index.astype(np.uint32)),
        ("the numbers 1, 2, 3, ...", (index + 1).astype(np.uint32)),
        ("the number of each word's block: 0, 0, 0, 0, 1, ...", (index >> 2).astype(np.uint32)),
        ("the counter words of each block", of_lane),
        ("counter word 0, increased by 1 for each element", index.astype(np.uint32) + first),
        ("counter word 0 of each block", (index >> 2).astype(np.uint32) + first),
        ("the six words of the state, again and again", np.array(dump.six, np.uint32)[index % 6]),
        ("the four words of the counter, again and again", np.array(dump.six, np.uint32)[index % 4]),
    ):
        if np.array_equal(got, made):
            return [
                Finding("counter-instead-of-words", f"The dump holds {what}, and no words: store the block's words.")
            ]
    return []


def _chained(dump: Dump) -> Iterator[Finding]:
    """Blocks of which each has the block before it as its counter."""
    if not dump.is_of_words or dump.size < 2 * MIN_WORDS:
        return
    blocks = dump.head(dump.size // 4 * 4 if dump.size < 1 << 20 else 1 << 20)
    blocks = blocks[: blocks.size // 4 * 4].reshape(-1, 4).astype(np.uint64)
    key = key_of(dump.state) & MASK32, key_of(dump.state) >> 32
    for more in (0, 1):
        counter = [blocks[:-1, lane] for lane in range(4)]
        for lane in range(4 if more else 0):
            carried = counter[lane] + np.uint64(1) if lane == 0 else counter[lane] + (counter[lane - 1] == 0)
            counter[lane] = carried & np.uint64(MASK32)
        c0, c1, c2, c3 = counter
        made = np.stack(block((c0, c1, c2, c3), key), 1)
        if np.array_equal(made, blocks[1:]):
            and_one = " plus 1" if more else ""
            yield Finding("counter-overwritten", (
                f"Each block was computed with the block before it{and_one} as its counter: the counter was "
                "overwritten by the words, so keep the counter apart from the block."
            ))  # fmt: skip
            return


def _other_keys(dump: Dump) -> Iterator[Finding]:
    """The right words of another key, at the same counter or at counter 0."""
    key, counter = key_of(dump.state), counter_of(dump.state)
    width = dump.right.width
    got = dump.head(4 // width)
    near = [key + step for distance in range(1, NEAR_KEYS + 1) for step in (distance, -distance)]
    bits = [key ^ 1 << bit for bit in range(64)]
    keys = np.array([k % (1 << 64) for k in bits + near], np.uint64)
    for start in dict.fromkeys((counter, 0)):
        for other in (*_keys_that_give(dump, got, words_of(start), keys), *_small_seeds(dump, start)):
            yield from _about_key(dump, start, int(other), "")
            return
    for text, other in hashed_keys(key):
        for start in dict.fromkeys((counter, 0)):
            found = list(_about_key(dump, start, other, f", which is {text}"))
            if found:
                yield from found
                return


def _small_seeds(dump: Dump, counter: int) -> list[int]:
    """The seeds below SMALL_SEEDS that give the first elements at a counter."""
    elements = dump.head(4)
    if not dump.is_of_words:
        elements = elements.view(dump.values.dtype)
        if not ((elements >= 0) & (elements < 1)).all():
            return []
    try:
        found = recover(elements, keys=range(SMALL_SEEDS), counters=counter, dtype=elements.dtype, threads=1)
    except ImportError:  # no numba
        return []
    return [each.key for each in found]


def _keys_that_give(dump: Dump, got: Any, counter: Words4, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The keys whose block of this counter begins with the dump's first elements."""
    parts = tuple(np.full(keys.shape, word, np.uint64) for word in counter)
    c0, c1, c2, c3 = parts
    made = np.stack(block((c0, c1, c2, c3), (keys & np.uint64(MASK32), keys >> np.uint64(32))), 1).astype(np.uint32)
    if dump.right.width > 1:
        made = made.reshape(keys.size, -1, dump.right.width)
    fits = (dump.right.function(made)[:, : got.size] == got).all(1)
    found: NDArray[np.uint64] = keys[fits]
    return found


def _about_key(dump: Dump, counter: int, key: int, remark: str) -> Iterator[Finding]:
    """The finding if the dump's first elements are those of another key."""
    c0, c1, c2, c3 = words_of(counter)
    read = (c0, c1, c2, c3, key & MASK32, key >> 32)
    variant = WordVariant(Counting(read=lambda words: read))
    count = min(dump.size, 1 << 16)
    made = Hypothesis((), variant, None, dump.right).elements(dump, np.arange(count, dtype=np.int64))
    right = int(np.argmin(np.append(made == dump.head(count), False)))
    if right < MIN_WORDS:
        return
    start = "" if counter == counter_of(dump.state) else f" at counter {counter:#x}"
    what = f"All {dump.unit}s are" if right == dump.size else f"The first {right:,} {dump.unit}s are"
    yield Finding("another-key", (
        f"{what} right for key {key:#x} ({key}){start}{remark}, and not for key {key_of(dump.state):#x} "
        f"({key_of(dump.state)}): check the key, or the seed."
    ))  # fmt: skip


def _algorithms(dump: Dump) -> Iterator[Finding]:
    """Another algorithm with the key as its seed."""
    sorted_dump = np.sort(dump.head(1 << 20))
    for name, make in ALGORITHMS.items():
        try:
            words = first_words(make, dump.six, 64)
        except (ImportError, ValueError):
            continue
        for rule in dump.rules or (dump.right,):
            made = rule.function(words if rule.width == 1 else words.reshape(-1, rule.width))[:MIN_WORDS]
            at = np.minimum(np.searchsorted(sorted_dump, made), sorted_dump.size - 1)
            if np.unique(made[sorted_dump[at] == made]).size * 4 >= 3 * MIN_WORDS:
                yield Finding("another-algorithm", (
                    f"The {dump.unit}s are those of {name}: use Philox4x32-10 with the state's counter and key."
                ))  # fmt: skip
                return
