"""How far a counter moved, as text: which wrong rule gives this distance."""

from __future__ import annotations

from ..state import blocks_for
from .report.segment_text import format_count

# Sizes of groups of threads, and of what they reserve: the common ones first, because several may fit.
SIZES = sorted((1 << power for power in range(4, 17)), key=lambda size: size not in (256, 1024))


def meanings(moved: int, words: int) -> list[str]:
    """Where a distance in blocks after so many words may come from, the likelier rules first."""
    right = blocks_for(words)
    distances = [
        (right, "the right number"),
        (0, "not at all"),
        (2 * right, "twice as many"),
        (4 * right, "4 times as many"),
        (words, "one for each word"),
        (4 * words, "the number of bytes"),
        (16 * right, "the number of bytes of all blocks"),
        (2 * words, "twice the number of words"),
        (8 * words, "8 for each word"),
        (words // 4, "words // 4, without the last block if it is used in part"),
        (words // 4 + 1, "words // 4 + 1"),
        (right - 1, "the last block that was used"),
        (right // 2, "half as many"),
        (3 * right, "3 times as many"),
        (-right, "backwards"),
        *((right << 32 * word, f"as many in counter word {word}") for word in (1, 2, 3)),
        *((1 << 32 * word, f"1 in counter word {word}") for word in (1, 2, 3)),
    ]
    for size in SIZES:
        distances += [
            (-(-right // size) * size, f"rounded up to a multiple of {size:,}"),
            (-(-words // size) * size, f"the words rounded up to a multiple of {size:,}"),
            (-(-words // size) * size // 4, f"for the words rounded up to a multiple of {size:,}"),
            (size * right, f"{size:,} for each block"),
        ]
    return [text for distance, text in distances if distance == moved]


def distance_text(moved: int, words: int) -> str:
    """How far a counter moved in place of the right distance, and what distance that is."""
    why = meanings(moved, words)[:1]
    blocks = f"{format_count(moved)} block{'s' * (moved != 1)} instead of {blocks_for(words):,}"
    return ", ".join([blocks, *why])
