"""How generators misread or miswrite the six words of a state: in another order, or changed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product
from typing import Any

from ...philox import MASK32
from .variants import Change

Row = tuple[str, Change, str]  # the end of a fault's name, the change, and what becomes of which words
WORDS = ("counter word 0", "counter word 1", "counter word 2", "counter word 3", "key word 0", "key word 1")
RIGHT_ORDER = (0, 1, 2, 3, 4, 5)
COUNTER = (0, 1, 2, 3)
TOGETHER = (*((place,) for place in RIGHT_ORDER), (0, 1), (2, 3), (4, 5), COUNTER, RIGHT_ORDER)  # changed words


def bytes_swapped(word: Any) -> Any:
    """The low 32 bits of a number, or of each number of an array, with their bytes in reverse order."""
    return (word & 0xFF) << 24 | (word & 0xFF00) << 8 | word >> 8 & 0xFF00 | word >> 24 & 0xFF


def word_order(*places: int) -> Change:
    """Take the words at these places."""
    return lambda words: tuple(words[place] for place in places)  # type: ignore[return-value]


def zero_words(*places: int) -> Change:
    return lambda words: tuple(0 if i in places else word for i, word in enumerate(words))  # type: ignore[return-value]


def swap_bytes(*places: int) -> Change:
    return lambda words: tuple(  # type: ignore[return-value]
        bytes_swapped(word) if i in places else word for i, word in enumerate(words)
    )


def extend_sign(widened: int, *filled: int) -> Change:
    """Widen a word as a signed integer, which sets all bits of the next words where the sign bit is set."""
    return lambda words: tuple(  # type: ignore[return-value]
        word | (i in filled) * MASK32 * (words[widened] >> 31) for i, word in enumerate(words)
    )


def misreadings() -> Iterator[Row]:
    """The rows of all changes, to follow "reads" or "stores"."""
    for count in (3, 2, 1, 4):
        for places in combinations(COUNTER, count):
            yield "words-zero", zero_words(*places), f"{listed(places)} as 0"
    for places in TOGETHER:
        text = f"{listed(places)} with the bytes of each word in reverse order"
        yield "bytes-swapped", swap_bytes(*places), text
    text = "counter word 1 as a signed integer, whose sign fills words 2 and 3"
    yield "words-sign-extended", extend_sign(1, 2, 3), text
    for order in _orders():
        yield "words-reordered", word_order(*order), f"the six words in the order {', '.join(map(str, order))}"


def listed(places: tuple[int, ...]) -> str:
    if places == RIGHT_ORDER:
        return "all six words"
    if len(places) == 1:
        return WORDS[places[0]]
    if places == (4, 5):
        return "both key words"
    return f"counter words {', '.join(map(str, places[:-1]))} and {places[-1]}"


def _orders() -> Iterator[tuple[int, ...]]:
    """Orders of the counter's words or the key's, words from another beginning on, and keys from other places."""
    orders = [(*counter, *key) for counter, key in product(permutations(COUNTER), ((4, 5), (5, 4)))]
    orders += [tuple((place + first) % 6 for place in RIGHT_ORDER) for first in range(6)]
    orders += [(*COUNTER, *key) for key in product(range(6), repeat=2)]
    orders += [RIGHT_ORDER[::-1], (4, 5, 2, 3, 0, 1)]
    return (order for order in dict.fromkeys(orders) if order != RIGHT_ORDER)
