"""Questions that DirectML's page leaves open, and how the outputs of a device answer them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..state import blocks_for
from ..verification.generators.counters import carry_into_the_key, saturating_128
from .outputs import OutputError, Outputs, written_outside
from .readings import Reading, by_memory, ignoring_strides
from .report import NO_OUTPUT, NOT_RECOGNIZED, Answer

Answers = Sequence[tuple[str, str, Reading]]

NONE_FITS = "The outputs fit none of the answers that dmlrand knows. The results of the cases have the details."
Decision = tuple[str, str]  # the name of an answer, and its sentence
Decide = Callable[[Sequence[Outputs], Reading], Decision]


class Question(NamedTuple):
    """A question, the cases that decide it, and a function from their outputs to the answer.

    The function is also given the reading with the device's order of state words.
    """

    name: str
    text: str
    cases: tuple[str, ...]
    decide: Decide


class _Missing(Exception):
    """A case that decides a question has no output. The text is the name of the case."""


def answer_questions(outputs: Mapping[str, Outputs]) -> tuple[Answer, ...]:
    """The answers to all questions whose cases are in the kit."""
    answers = []
    order = Reading()
    for name, text, cases, decide in QUESTIONS:
        if not all(case in outputs for case in cases):
            continue
        try:
            answer, sentence = decide([outputs[case] for case in cases], order)
        except _Missing as missing:
            answer, sentence = NO_OUTPUT, f"Not known: the case {missing} has no complete output."
        answers.append(Answer(name, text, answer, sentence, cases))
        if name == "word-order":
            order = next((reading for known, _, reading in WORD_ORDERS if known == answer), order)
    return tuple(answers)


def _one_of(answers: Answers) -> Decide:
    """Decide by the first reading that gives all words and states."""

    def decide(outputs: Sequence[Outputs], order: Reading) -> Decision:
        refused = [each.refusal() for each in outputs if not each.exists()]
        if refused and all(refused):
            return "refused", f"The device does not run such a case: {refused[0]}."
        for name, sentence, reading in answers:
            if reading.order == Reading().order:
                reading = reading._replace(order=order.order)
            if all(_fits(reading, each) for each in outputs):
                return name, sentence
        return NOT_RECOGNIZED, NONE_FITS

    return decide


def _fits(reading: Reading, outputs: Outputs) -> bool:
    """Whether the reading gives the elements and the states that were returned. Other words are not compared."""
    case = outputs.case
    for draw, (values, state) in enumerate(reading.buffers(case), 1):
        places = reading.place(case)
        got = _required(outputs, outputs.values, draw)
        if not np.array_equal(got[places], values[places]):
            return False
        if case.has_new_state:
            stored = _required(outputs, outputs.state, draw)[case.state_places()]
            if not np.array_equal(stored, state):
                return False
    return True


def _required(outputs: Outputs, read: Callable[[int], NDArray[np.uint32] | None], draw: int) -> NDArray[np.uint32]:
    try:
        buffer = read(draw)
    except OutputError:
        buffer = None
    if buffer is None:
        raise _Missing(outputs.case.name)
    return buffer


def _unwritten_words(outputs: Sequence[Outputs], order: Reading) -> Decision:
    """Whether any word outside the elements was written."""
    for each in outputs:
        if written_outside(_required(each, each.values, 1), each.case.value_places()).size:
            return "written", f"The device writes words that belong to no element, as in the case {each.case.name}."
    return "untouched", "They stay as they were before the draw."


def _page_sum(outputs: Sequence[Outputs], order: Reading) -> Decision:
    """What becomes of the counters of the page's example. Only the states are compared."""
    forwards, backwards = True, True
    for each in outputs:
        blocks = blocks_for(each.case.words)
        stored = _required(each, each.state, 1)[each.case.state_places()]
        forwards &= bool(np.array_equal(stored, order.state_after(each.case, blocks)))
        backwards &= bool(np.array_equal(stored, order.state_after(each.case, -blocks)))
    if forwards:
        return "swapped", (
            "The page swapped its two numbers: the device adds 324,855 to ...'746f776e and stores ...'74746c65, and it "
            "adds 324,855 to ...'74746c65 and stores ...'7479615c."
        )
    if backwards:
        return "as-printed", "As printed: the device counts backwards from ...'74746c65 to ...'746f776e."
    return NOT_RECOGNIZED, NONE_FITS


def _undocumented(outputs: Sequence[Outputs], order: Reading) -> Decision:
    """Whether the device accepts one descriptor."""
    (only,) = outputs
    if only.exists():
        return "accepted", "The device accepts it."
    refusal = only.refusal()
    if refusal is None:
        raise _Missing(only.case.name)
    if refusal.crashed:
        return "crashed", f"The run crashed: {refusal}."
    return "refused", f"The device refuses it: {refusal}."


WORD_ORDERS: Answers = [
    ("lowest-first", "Element 0 holds the lowest word of the counter, element 4 that of the key.", Reading()),
    (
        "counter-highest-first",
        "Element 3 holds the lowest word of the counter, element 4 that of the key.",
        Reading(order=(3, 2, 1, 0, 4, 5)),
    ),
    (
        "key-highest-first",
        "Element 0 holds the lowest word of the counter, element 5 that of the key.",
        Reading(order=(0, 1, 2, 3, 5, 4)),
    ),
    (
        "highest-first",
        "Element 3 holds the lowest word of the counter, element 5 that of the key.",
        Reading(order=(3, 2, 1, 0, 5, 4)),
    ),
]
WRAPS: Answers = [
    ("modulo", "The counter is taken modulo 2^128: 0 follows 2^128 - 1.", Reading()),
    ("into-key", "The carry goes into the key.", Reading(rule=carry_into_the_key)),
    ("saturates", "The counter stays at 2^128 - 1.", Reading(rule=saturating_128)),
]
STRIDED_ORDERS: Answers = [
    ("by-index", "Row-major by index, whatever the strides.", Reading()),
    ("by-memory", "In the order of the elements in memory.", Reading(place=by_memory)),
    ("packed", "The device ignores the strides and writes a packed tensor.", Reading(place=ignoring_strides)),
]
UNREAD_WORDS: Answers = [
    ("discarded", "They are discarded: n words advance the counter by ceil(n / 4).", Reading()),
    (
        "block-repeated",
        "The next draw starts with the same block: n words advance the counter by floor(n / 4).",
        Reading(blocks=lambda words: words // 4),
    ),
    ("per-word", "Each word advances the counter by 1.", Reading(blocks=lambda words: words)),
]
IN_PLACE: Answers = [("continues", "Yes. Each draw continues the stream.", Reading())]

QUESTIONS = (
    Question(
        "word-order",
        "Which state element holds the lowest word?",
        ("order-counter", "order-key", "order-both"),
        _one_of(WORD_ORDERS),
    ),
    Question(
        "wrap",
        "What follows the counter 2^128 - 1?",
        ("carry-128-inside-a-draw", "carry-128-at-the-end", "carry-128-in-the-last-block"),
        _one_of(WRAPS),
    ),
    Question(
        "strided-order",
        "In which order does a tensor with strides hold the words?",
        ("strided-transposed", "strided-column-major", "strided-axes-exchanged", "strided-padded-rows"),
        _one_of(STRIDED_ORDERS),
    ),
    Question(
        "words-between-elements",
        "What happens to words of the buffer that belong to no element?",
        ("strided-every-second-word", "strided-padded-rows", "strided-padded-planes", "unused-words"),
        _unwritten_words,
    ),
    Question(
        "unread-words",
        "What happens to the unread words of the last block?",
        ("unread-1", "unread-2", "unread-3"),
        _one_of(UNREAD_WORDS),
    ),
    Question(
        "one-state-buffer",
        "May one buffer be input and output state?",
        ("state-in-place", "state-in-place-3-draws"),
        _one_of(IN_PLACE),
    ),
    Question(
        "page-example",
        "Which sum does the page's example mean?",
        ("page-seattle-lowest-first", "page-seatown-lowest-first"),
        _page_sum,
    ),
    Question(
        "broadcast-state",
        "Does the device accept a state whose strides are all 0?",
        ("unknown-broadcast-state",),
        _undocumented,
    ),
    Question(
        "overlapping-values",
        "Does the device accept an output whose elements overlap?",
        ("unknown-overlapping-values",),
        _undocumented,
    ),
    Question(
        "values-owned-by-dml",
        "Does the device accept the flag OWNED_BY_DML for the output?",
        ("unknown-values-owned-by-dml",),
        _undocumented,
    ),
)
