"""All cases: those with known words, and descriptors that DirectML's pages forbid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from .case import ERROR, STATE_SIZES, WORDS, Case, describe, tensor, words_of

KEY = 0x0123456789ABCDEF  # both words differ, and no word has its sign bit set
COUNTER = 0x00000003_00000002_00000001_00000000  # four different words

# Groups of cases that ask for arithmetic which is proved of dmlrand's own code, for every counter and size, so that
# their expected words and states rest on no sample. specs/proofs.md has the proofs.
PROVED = ("carries of the counter", "wrap of the counter", "words modulo 4", "sizes")


def all_cases() -> tuple[Case, ...]:
    """Every case of the kit, in the order in which it is listed."""
    return (
        *_known_answers(),
        *_word_order(),
        *_carries(),
        *_tails(),
        *_ranks(),
        *_lengths(),
        *_states(),
        *_strided(),
        *_descriptors(),
    )


def _valid(
    name: str,
    group: str,
    decides: str,
    state: tuple[int, ...],
    sizes: Sequence[int],
    *,
    strides: Sequence[int] | None = None,
    state_sizes: Sequence[int] = STATE_SIZES,
    state_strides: Sequence[int] | None = None,
    unused_words: int = 0,
    new_state: bool = True,
    draws: int = 0,
) -> Case:
    """A case of which the words are known.

    `unused_words` are behind the output tensor, in its buffer and its size. With `draws`, one buffer is input and
    output state, and there are so many draws.
    """
    span = prod(sizes) if strides is None else 1 + sum((size - 1) * step for size, step in zip(sizes, strides))
    more = {"TotalTensorSizeInBytes": 4 * (span + unused_words)} if unused_words else {}
    state_tensor = tensor(state_sizes, state_strides)
    desc = describe(tensor(sizes, strides, **more), state_tensor, state_tensor if new_state else None)
    return Case(name, group, decides, WORDS, state, desc, draws or 1, draws > 0, span + unused_words)


def _known_answers() -> Iterator[Case]:
    # Random123's vectors of philox4x32-10, and the key of dmlrand's README.
    vectors: list[tuple[str, tuple[int, ...]]] = [
        ("zeros", (0, 0, 0, 0, 0, 0)),
        ("ones", (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF)),
        ("pi", (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0)),
        ("key-42", (0, 0, 0, 0, 42, 0)),
    ]
    decides = "Whether the constants, the rounds and the lanes of a block are right."
    for name, state in vectors:
        yield _valid(f"known-{name}", "known answers", decides, state, (1, 1, 1, 4))


def _word_order() -> Iterator[Case]:
    group = "order of the state's words"
    decides = "Which state element holds the lowest word of the counter and of the key."
    yield _valid("order-counter", group, decides, words_of(COUNTER, 0), (1, 1, 1, 16))
    yield _valid("order-key", group, decides, words_of(0, KEY), (1, 1, 1, 16))
    yield _valid("order-both", group, decides, words_of(COUNTER + 5, KEY), (1, 1, 1, 16))
    for place, counter, key in ((0, 1 << 31, 7), (1, 1 << 63, 7), (4, 0, 1 << 31), (5, 0, 1 << 63)):
        decides = f"Whether state word {place} is read as unsigned."
        yield _valid(f"sign-bit-of-word-{place}", group, decides, words_of(counter, key), (1, 1, 1, 16))


def _carries() -> Iterator[Case]:
    for bits in (32, 64, 96, 128):
        group = "wrap of the counter" if bits == 128 else "carries of the counter"
        what = "wraps at 2^128" if bits == 128 else f"carries out of word {bits // 32 - 1}"
        edge = 1 << bits
        rows = [
            ("inside-a-draw", edge - 2, 16, f"Whether the counter {what} inside a draw."),
            ("at-the-end", edge - 1, 4, f"Whether the stored counter {what} when the last block before 2^{bits} ends."),
            ("in-the-last-block", edge - 1, 5, f"Whether the counter {what} for one word of the next block."),
            ("far-inside", edge - 1000, 8192, f"Whether the counter {what} in a later group of threads."),
        ]
        for place, counter, words, decides in rows:
            yield _valid(f"carry-{bits}-{place}", group, decides, words_of(counter, KEY), (1, 1, 1, words))


def _tails() -> Iterator[Case]:
    for words in (*range(1, 13), 1021, 1022, 1023, 1024):
        decides = f"Whether a draw of n = {words} words writes them all and advances the counter by ceil(n / 4)."
        yield _valid(f"length-{words}", "words modulo 4", decides, words_of(words, KEY), (1, 1, 1, words))


def _ranks() -> Iterator[Case]:
    sizes = [(7,), (3, 5), (2, 3, 5), (2, 3, 4, 5), (2, 1, 3, 2, 5), (1, 2, 3, 1, 2, 5), (2, 1, 2, 3, 1, 1, 5)]
    for shape in [*sizes, (2, 1, 2, 1, 3, 1, 2, 3)]:
        rank = len(shape)
        level = "" if rank == 4 else " Needs DML_FEATURE_LEVEL_4_0."
        decides = f"Whether tensors of {rank} dimensions hold the words in row-major order.{level}"
        state_sizes = (*(1,) * (rank - 1), 6)
        yield _valid(f"rank-{rank}", "ranks", decides, words_of(rank, KEY), shape, state_sizes=state_sizes)
    decides = "Whether the state and the output may have different ranks. Needs DML_FEATURE_LEVEL_4_0."
    yield _valid("rank-1-state-of-rank-4", "ranks", decides, words_of(9, KEY), (30,))
    yield _valid("rank-4-state-of-rank-1", "ranks", decides, words_of(9, KEY), (2, 3, 1, 5), state_sizes=(6,))


def _lengths() -> Iterator[Case]:
    for name, words in [
        ("2-10", 1 << 10),
        ("2-16", 1 << 16),
        ("2-16-and-1", (1 << 16) + 1),
        ("2-18-and-2", (1 << 18) + 2),
        ("2-20-and-3", (1 << 20) + 3),
        ("2-24-and-1", (1 << 24) + 1),
        ("2-26-and-1", (1 << 26) + 1),
    ]:
        decides = f"Whether all {words:,} words are written, whatever the number of groups of threads."
        state = words_of((1 << 64) - words // 8, KEY)  # the counter carries in the middle
        yield _valid(f"size-{name}", "sizes", decides, state, (1, 1, 1, words))
    decides = "Whether a long first axis is the same as a long last axis."
    yield _valid("size-first-axis", "sizes", decides, words_of(5, KEY), (1 << 12, 1, 1, 1))
    yield _valid("size-two-axes", "sizes", decides, words_of(5, KEY), (1, 1, 61, 67))
    decides = "Whether the example on DirectML's page advances HelloFromSeatown to HelloFromSeattle (operator 5.1)."
    state = words_of(int.from_bytes(b"HelloFromSeatown", "big"), 42)
    yield _valid("page-example", "sizes", decides, state, (3, 3, 20, 7219))  # 1,299,420 words


def _states() -> Iterator[Case]:
    group, start = "states", words_of(COUNTER + 5, KEY)  # no carries, so that a lost carry does not hide the answer
    decides = "Whether OutputStateTensor may be absent."
    yield _valid("state-not-stored", group, decides, start, (1, 1, 1, 16), new_state=False)
    decides = "Whether one buffer may be input and output state."
    yield _valid("state-in-place", group, decides, start, (1, 1, 1, 8), draws=1)
    decides = "Whether each draw continues the stream of the one before, in one buffer of state."
    yield _valid("state-in-place-3-draws", group, decides, start, (1, 1, 1, 8), draws=3)
    for words in (5, 6, 7):
        decides = f"Whether the {8 - words} unread words of the last block are discarded before the next draw."
        yield _valid(f"unread-{8 - words}", group, decides, start, (1, 1, 1, words), draws=3)
    decides = "Whether a state with strides is read and written at its places."
    strides = (18, 18, 18, 3)
    yield _valid("state-strided", group, decides, start, (1, 1, 1, 16), state_strides=strides)


def _strided() -> Iterator[Case]:
    group, start = "strides", words_of(COUNTER + 5, KEY)
    order = "Whether a tensor with strides holds the words in the order of its indices or of its memory."
    for name, sizes, strides, decides in [
        ("transposed", (1, 1, 4, 6), (24, 24, 1, 4), order),
        ("column-major", (2, 3, 4, 5), (1, 2, 6, 24), order),
        ("axes-exchanged", (2, 3, 4, 5), (5, 40, 10, 1), order),
        ("every-second-word", (1, 1, 1, 20), (40, 40, 40, 2), "Whether words between the elements stay unwritten."),
        ("padded-rows", (1, 1, 5, 6), (40, 40, 8, 1), "Whether the padding of rows stays unwritten and uses no words."),
        ("padded-planes", (2, 3, 2, 5), (64, 20, 7, 1), "Whether the padding of planes stays unwritten."),
    ]:
        yield _valid(f"strided-{name}", group, decides, start, sizes, strides=strides)
    decides = "Whether words behind the tensor, inside TotalTensorSizeInBytes, stay unwritten."
    yield _valid("unused-words", group, decides, start, (1, 1, 1, 9), unused_words=11)
    yield _valid("unused-words-and-strides", group, decides, start, (1, 1, 3, 4), strides=(1, 1, 1, 3), unused_words=11)


ELEMENT_TYPE, STATE_SIZE = "OutputTensor must be UINT32", "a state must have sizes {1, .., 1, 6}"
# The name, the rule, and the members that differ: of the output, of the state, and of the new state if it is not the
# same as the state.
FORBIDDEN: list[tuple[str, str, *tuple[dict[str, Any], ...]]] = [
    ("values-float32", ELEMENT_TYPE, {"DataType": "FLOAT32"}, {}),
    ("values-int32", ELEMENT_TYPE, {"DataType": "INT32"}, {}),
    ("values-uint16", ELEMENT_TYPE, {"DataType": "UINT16"}, {}),
    ("states-int32", "a state must be UINT32", {}, {"DataType": "INT32"}),
    ("new-state-float32", "OutputStateTensor must be UINT32", {}, {}, {"DataType": "FLOAT32"}),
    ("state-of-5-words", STATE_SIZE, {}, {"Sizes": [1, 1, 1, 5]}),
    ("state-of-7-words", STATE_SIZE, {}, {"Sizes": [1, 1, 1, 7]}),
    ("state-on-the-first-axis", STATE_SIZE, {}, {"Sizes": [6, 1, 1, 1]}),
    ("two-states", STATE_SIZE, {}, {"Sizes": [2, 1, 1, 6]}),
    ("new-state-of-other-sizes", "both states must have the same sizes", {}, {}, {"Sizes": [1, 1, 6, 1]}),
    ("new-state-of-other-rank", "both states must have the same rank", {}, {}, {"Sizes": [1, 1, 6]}),
    ("a-size-of-0", "no size may be 0", {"Sizes": [1, 1, 0, 8]}, {}),
    ("nine-dimensions", "a tensor must have 1 to 8 dimensions", {"Sizes": [1, 1, 1, 1, 1, 1, 1, 1, 8]}, {}),
    ("total-size-too-small", "TotalTensorSizeInBytes must hold the tensor", {"TotalTensorSizeInBytes": 28}, {}),
    ("total-size-of-33", "TotalTensorSizeInBytes must be a multiple of 4", {"TotalTensorSizeInBytes": 33}, {}),
    ("alignment-of-3", "an alignment must be a power of two", {"GuaranteedBaseOffsetAlignment": 3}, {}),
]


def _descriptors() -> Iterator[Case]:
    for name, rule, *changes in FORBIDDEN:
        decides = f"Whether the device refuses a descriptor that breaks this rule: {rule}."
        output, state, *new = changes
        given = tensor(STATE_SIZES) | state
        new_state = tensor(STATE_SIZES) | new[0] if new else given
        desc = describe(tensor((1, 1, 1, 8)) | output, given, new_state)
        yield Case(f"error-{name}", "descriptors that the pages forbid", decides, ERROR, words_of(0, 42), desc)
