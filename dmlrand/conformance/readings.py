"""Questions that DirectML's page leaves open, and how the outputs of a device answer them.

An answer is a reading: one way to fill what the page leaves open. The first reading that gives all words and states
of a question's cases is the device's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..operator import random_generator
from ..state import advance_blocks, blocks_for
from .case import UNWRITTEN, Case
from .outputs import OutputError, Outputs

NO_OUTPUT, NOT_RECOGNIZED = "no-output", "not-recognized"
Buffers = tuple[NDArray[np.uint32], NDArray[np.uint32]]


class Answer(NamedTuple):
    """The answer to a question: a stable name, a sentence, and the cases that decide it."""

    question: str
    text: str
    answer: str
    sentence: str
    cases: tuple[str, ...]


class Reading(NamedTuple):
    """One way to read the page. The defaults are those of specs/operator.md.

    `order` has the state elements of the counter's words and of the key's words, lowest word first. Every order here
    is its own inverse. `blocks` says by how many blocks a number of words advances the counter. `place` gives the
    places of the words in the output buffer, in the order of the stream.
    """

    order: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    blocks: Callable[[int], int] = blocks_for
    place: Callable[[Case], NDArray[np.int64]] = Case.value_places

    def buffers(self, case: Case) -> Iterator[Buffers]:
        """The output buffer and the six words of the new state after each draw."""
        state, order = np.array(case.state, np.uint32), list(self.order)
        for _ in range(case.draws):
            values = np.full(case.values_words, UNWRITTEN, np.uint32)
            values[self.place(case)] = random_generator(state[order], case.words).values
            state = advance_blocks(state[order], self.blocks(case.words))[order]
            yield values, state


QUESTIONS: list[tuple[str, str, tuple[str, ...], list[tuple[str, str, Reading]]]] = [
    (
        "word-order",
        "Which state element holds the lowest word?",
        ("order-counter", "order-key", "order-both"),
        [
            (name, f"Element {c} holds the lowest word of the counter, element {k} that of the key.", Reading(order))
            for name, c, k, order in (
                ("lowest-first", 0, 4, (0, 1, 2, 3, 4, 5)),
                ("counter-highest-first", 3, 4, (3, 2, 1, 0, 4, 5)),
                ("key-highest-first", 0, 5, (0, 1, 2, 3, 5, 4)),
                ("highest-first", 3, 5, (3, 2, 1, 0, 5, 4)),
            )
        ],
    ),
    (
        "strided-order",
        "In which order does a tensor with strides hold the words?",
        ("strided-transposed", "strided-column-major", "strided-axes-exchanged", "strided-padded-rows"),
        [
            ("by-index", "Row-major by index, whatever the strides.", Reading()),
            (
                "by-memory",
                "In the order of the elements in memory.",
                Reading(place=lambda case: np.sort(case.value_places())),
            ),
            (
                "packed",
                "The device ignores the strides and writes a packed tensor.",
                Reading(place=lambda case: np.arange(case.words)),
            ),
        ],
    ),
    (
        "unread-words",
        "What happens to the unread words of the last block?",
        ("unread-1", "unread-2", "unread-3"),
        [
            ("discarded", "They are discarded: n words advance the counter by ceil(n / 4).", Reading()),
            (
                "block-repeated",
                "The next draw starts with the same block: n words advance the counter by floor(n / 4).",
                Reading(blocks=lambda words: words // 4),
            ),
            ("per-word", "Each word advances the counter by 1.", Reading(blocks=lambda words: words)),
        ],
    ),
]


def answer_questions(outputs: Mapping[str, Outputs]) -> tuple[Answer, ...]:
    """The answers to all questions whose cases are in the kit. Later questions assume the device's order of words."""
    answers, order = [], Reading().order
    for question, text, cases, readings in QUESTIONS:
        if all(case in outputs for case in cases):
            deciding = [outputs[case] for case in cases]
            answer, sentence, reading = _decide(deciding, readings, order)
            order = reading.order if question == "word-order" else order
            answers.append(Answer(question, text, answer, sentence, cases))
    return tuple(answers)


def _decide(
    outputs: list[Outputs], readings: list[tuple[str, str, Reading]], order: tuple[int, ...]
) -> tuple[str, str, Reading]:
    missing = [each.case.name for each in outputs if not _is_complete(each)]
    if missing:
        return NO_OUTPUT, f"Not known: the case {missing[0]} has no complete output.", Reading()
    for name, sentence, reading in readings:
        if reading.order == Reading().order:
            reading = reading._replace(order=order)
        if all(_fits(reading, each) for each in outputs):
            return name, sentence, reading
    return NOT_RECOGNIZED, "The outputs fit no answer that dmlrand knows. The cases have the details.", Reading()


def _is_complete(outputs: Outputs) -> bool:
    try:
        return all(
            outputs.values(draw) is not None and (not outputs.case.has_new_state or outputs.state(draw) is not None)
            for draw in range(1, outputs.case.draws + 1)
        )
    except OutputError:
        return False


def _fits(reading: Reading, outputs: Outputs) -> bool:
    """Whether the reading gives the elements and the states that were returned. Other words are not compared."""
    case = outputs.case
    for draw, (values, state) in enumerate(reading.buffers(case), 1):
        got, stored = outputs.values(draw), outputs.state(draw)
        places = reading.place(case)
        if got is None or not np.array_equal(got[places], values[places]):
            return False
        if case.has_new_state and (stored is None or not np.array_equal(stored[case.state_places()], state)):
            return False
    return True
