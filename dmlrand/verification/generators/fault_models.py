"""Known faults of Philox generators, as data: a name, a variant with exactly this fault, and an explanation.

Names are stable: programs may compare them. An explanation says what the generator does wrong and what to do. The
commonest faults are WORD_FAULT_MODELS and STATE_FAULT_MODELS. The others are families, each with all of its variations,
whose rows share a name. Their tables are in readings.py (how the state is read), counters.py, products.py and rounds.py
(the block function), keys.py and constants.py.

A new fault needs a row in one of these tables, its name on specs/verify.md, and a generator in
tests/support/faulty_generators.py, from which the tests check that the verifier names this fault and no other.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import permutations
from math import prod
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...arrays.tensor import Shape
from ...philox import M0, M1, ROUNDS, W0, W1
from ...state import blocks_for
from .counters import faulty_counters
from .products import LOWER_CARRY, expressed, high_from_pieces, narrow
from .readings import RIGHT_ORDER, extend_sign, misreadings, swap_bytes, word_order, zero_words
from .rounds import faulty_rounds, keys_missing_in, round_results, wired_rounds
from .variants import Counting, Placing, Rounds, StateVariant, Words6, WordVariant

AnyVariant = TypeVar("AnyVariant", WordVariant, StateVariant)


class FaultModel(NamedTuple, Generic[AnyVariant]):
    """A known fault, and a variant of the generator that has this fault and no other."""

    name: str
    variant: AnyVariant
    explanation: str


def _models(rows: Iterable[tuple[str, AnyVariant, str]]) -> tuple[FaultModel[AnyVariant], ...]:
    """The models of rows, whose texts say what the generator does, and what it should do instead."""
    return tuple(FaultModel(name, variant, f"The generator {text}.") for name, variant, text in rows)


def _counting(**steps: Any) -> WordVariant:
    return WordVariant(Counting(**steps))


def _rounds(**steps: Any) -> WordVariant:
    return WordVariant(rounds=Rounds(**steps))


def _multiply(*halves: str) -> WordVariant:
    return _rounds(multiply=(expressed(*halves),) * 2)


# Places: from flat indexes to blocks and lanes


def column_major(index: Any, shape: Shape) -> tuple[Any, Any]:
    flat, stride = index & 0, prod(shape)
    for size in reversed(shape):
        stride //= size
        index, place = np.divmod(index, np.uint64(size))
        flat = flat + place * np.uint64(stride)
    return flat >> 2, flat & 3


def _lanes_apart(index: Any, shape: Shape) -> tuple[Any, Any]:
    return np.divmod(index, np.uint64(blocks_for(prod(shape))))[::-1]


def _pad_rows(index: Any, shape: Shape) -> tuple[Any, Any]:
    row, column = np.divmod(index, np.uint64(shape[-1]))
    return row * np.uint64(blocks_for(shape[-1])) + (column >> 2), column & 3


def _repeat_rows(index: Any, shape: Shape) -> tuple[Any, Any]:
    return index % np.uint64(shape[-1]) >> 2, index % np.uint64(shape[-1]) & 3


def _repeat_groups(blocks: int) -> Placing:
    return lambda index, shape: ((index >> 2) % np.uint64(blocks), index & 3)


READ_RIGHT = "the counter is words 0 to 3, word 0 the lowest, and the key words 4 and 5"
STORE_RIGHT = "store the new counter in words 0 to 3, word 0 the lowest, and then the unchanged key"
ADVANCE = "advance it by 1 for each block, ceil(words / 4)"
COUNTER_REVERSED = word_order(3, 2, 1, 0, 4, 5)
KEY_REVERSED = word_order(0, 1, 2, 3, 5, 4)
ALL_REVERSED = word_order(5, 4, 3, 2, 1, 0)
READ_KEY_FIRST = word_order(2, 3, 4, 5, 0, 1)
STORE_KEY_FIRST = word_order(4, 5, 0, 1, 2, 3)  # the inverse of READ_KEY_FIRST

# fmt: off
WORD_FAULT_MODELS = _models([
    *((name, _counting(read=read), f"reads {text}: {READ_RIGHT}") for name, read, text in (
        ("counter-words-reversed", COUNTER_REVERSED, "the counter's words highest first"),
        ("key-words-reversed", KEY_REVERSED, "the key's words highest first"),
        ("counter-and-key-words-reversed", word_order(3, 2, 1, 0, 5, 4), "the words of counter and key highest first"),
        ("all-words-reversed", ALL_REVERSED, "all six words in reverse order"),
        ("counter-halves-exchanged", word_order(2, 3, 0, 1, 4, 5), "the halves of the counter in reverse order"),
        ("key-before-counter", READ_KEY_FIRST, "the key before the counter"),
        ("input-bytes-swapped", swap_bytes(*RIGHT_ORDER), "the bytes of each word in reverse order"),
        ("high-counter-words-ignored", zero_words(2, 3), "the upper 64 bits of the counter as 0"),
        ("high-key-word-ignored", zero_words(5), "the upper 32 bits of the key as 0"),
        ("low-key-word-ignored", zero_words(4), "the lower 32 bits of the key as 0"),
        ("key-ignored", zero_words(4, 5), "the key as 0"),
        ("counter-ignored", zero_words(0, 1, 2, 3), "the counter as 0"),
        ("counter-sign-extended", extend_sign(0, 1), "counter word 0 as a signed integer, whose sign fills word 1"),
        ("key-sign-extended", extend_sign(4, 5), "key word 0 as a signed integer, whose sign fills key word 1"),
    )),
    ("first-block-skipped", _counting(skipped_blocks=1),
     "increments the counter before the first block: compute the block first, then increment"),
    ("counter-advanced-per-word", WordVariant(place=lambda i, shape: (i >> 2 << 2, i & 3)),
     "advances the counter by 1 for each word, 4 for each block: advance by 1 for each block"),
    ("one-block-per-element", WordVariant(place=lambda i, shape: (i, i & 0)),
     "computes a block for each element and stores lane 0 only: store all four lanes of a block"),
    ("reserves-256-blocks-per-value", WordVariant(place=lambda i, shape: (i << 8, i & 0)),
     "reserves 256 blocks for each value, as TensorFlow's samplers do: store four values of each block"),
    ("column-major", WordVariant(place=column_major),
     "stores the words in column-major order: let the last axis vary fastest"),
    ("lanes-stored-apart", WordVariant(place=_lanes_apart),
     "stores lane 0 of all blocks, then lane 1, and so on: store the lanes of a block side by side"),
    ("rows-start-blocks", WordVariant(place=_pad_rows),
     "starts each row of the last axis with a new block: count words through the whole tensor"),
    ("rows-repeat", WordVariant(place=_repeat_rows),
     "stores the same words in each row of the last axis: compute the block number from all axes"),
    ("multipliers-exchanged", _rounds(multipliers=(M1, M0)),
     f"multiplies counter word 0 by {M1:#x} and word 2 by {M0:#x}: exchange the two"),
    ("products-not-crossed", _rounds(results=round_results("h0 l0 h1 l1")),
     "leaves each product in its own half of the block: compute words 0 and 1 from word 2's product"),
    ("product-halves-exchanged", _rounds(results=round_results("l1 h1 l0 h0")),
     "exchanges the high and low halves of the products: use the high halves in words 0 and 2"),
    ("signed-products", _multiply("signed(a) * signed(b) >> 32"),
     "multiplies signed integers, which makes high halves wrong: multiply unsigned 32 by 32 bits to 64"),
    ("product-carry-lost", _multiply(high_from_pieces(LOWER_CARRY)),
     "adds up high halves from 16-bit pieces and loses the carry of the lower pieces: add this carry"),
    ("products-of-24-bits", _multiply(f"{narrow(24, 24)} >> 32", narrow(24, 24)),
     "multiplies only the low 24 bits of words and constants: multiply 32 by 32 bits to 64"),
    ("weyl-constants-exchanged", _rounds(key_steps=(W1, W0)),
     f"adds {W1:#x} to key word 0 and {W0:#x} to word 1 between rounds: exchange the two"),
    ("key-not-bumped", _rounds(key_steps=(0, 0)),
     f"uses one key for all rounds: add {W0:#x} and {W1:#x} to the key's words between rounds"),
    ("key-bumped-early", _rounds(bumps=("r + 1", "r + 1")),
     "bumps the key before the first round: use the unchanged key in the first round"),
    ("key-bumped-late", _rounds(bumps=("max(r - 1, 0)",) * 2),
     "uses the unchanged key in the first two rounds: bump the key before the second round"),
    ("key-missing-in-a-round", _rounds(keys=keys_missing_in(0)),
     f"uses no key in round 1: use the bumped key in each of the {ROUNDS} rounds"),
    ("bytes-swapped", WordVariant(store=lambda words: words.byteswap()),
     "stores the bytes of each word in reverse order: store uint32 in the device's byte order"),
    *((f"no-carry-out-of-word-{word}", _counting(lost_carry=word),
       f"loses the carry out of counter word {word}: when that word wraps, add 1 to word {word + 1}")
      for word in range(3)),
    *((f"rounds-{rounds}", _rounds(rounds=rounds),
       f"runs {rounds} round{'s' * (rounds != 1)}: run {ROUNDS}")
      for rounds in range(1, 12) if rounds != ROUNDS),
    *(("lanes-reversed" if lanes == (3, 2, 1, 0) else "lanes-ordered-{}{}{}{}".format(*lanes), WordVariant(lanes=lanes),
       f"stores the lanes of each block in the order {', '.join(map(str, lanes))}: store 0, 1, 2, 3")
      for lanes in permutations(range(4)) if lanes != (0, 1, 2, 3)),
    ("every-block-the-first", WordVariant(place=lambda i, shape: (i & 0, i & 3)),
     "makes the first block for every block, as if each thread began at the same counter: add the thread's index in "
     "the whole dispatch to the counter"),
    *((f"groups-of-{blocks}-blocks-repeat", WordVariant(place=_repeat_groups(blocks)),
       f"repeats its words after every {blocks} blocks, as if a thread used its index in its group: use the index in "
       "the whole dispatch")
      for blocks in (32, 64, 128, 256, 512, 1024)),
])

STATE_FAULT_MODELS = _models([
    *((name, StateVariant(blocks=blocks), f"advances the counter by {text}: {ADVANCE}") for name, blocks, text in (
        ("state-not-advanced", lambda words: 0, "0"),
        ("state-advanced-by-words", lambda words: words, "1 for each word"),
        ("state-advanced-by-floor", lambda words: words // 4, "floor(words / 4)"),
        ("state-advanced-one-short", lambda words: blocks_for(words) - 1, "one block too few"),
        ("state-advanced-one-far", lambda words: blocks_for(words) + 1, "one block too many"),
        ("state-advanced-256-per-value", lambda words: 256 * words, "256 for each value, as TensorFlow does"),
        ("state-advanced-256-per-block", lambda words: 256 * blocks_for(words), "256 for each block, as OpenVINO does"),
        ("state-advanced-in-another-word", lambda words: blocks_for(words) << 32, "the blocks in counter word 1"),
    )),
    ("state-counter-words-reversed", StateVariant(Counting(read=COUNTER_REVERSED), store=COUNTER_REVERSED),
     "advances counter word 3 first: word 0 of the counter is the lowest"),
    ("state-key-before-counter", StateVariant(Counting(read=READ_KEY_FIRST), store=STORE_KEY_FIRST),
     "advances words 2 to 5 as the counter: the counter is words 0 to 3"),
    ("state-counter-restarted", StateVariant(Counting(read=zero_words(0, 1, 2, 3))),
     "stores the number of blocks as the counter: add it to the old counter"),
    *((name, StateVariant(store=store), f"stores {text}: {STORE_RIGHT}") for name, store, text in (
        ("state-counter-stored-reversed", COUNTER_REVERSED, "the new counter's words highest first"),
        ("state-key-stored-reversed", KEY_REVERSED, "the key's words in reverse order"),
        ("state-stored-key-first", STORE_KEY_FIRST, "the key before the new counter"),
        ("state-bytes-stored-swapped", swap_bytes(*RIGHT_ORDER), "the bytes of each word in reverse order"),
    )),
    *((f"state-no-carry-out-of-word-{word}", StateVariant(Counting(lost_carry=word)),
       f"stores a state without the carry out of counter word {word}, at {32 * (word + 1)} bits: "
       f"when that word wraps, add 1 to word {word + 1}")
      for word in range(3)),
])
# fmt: on

# Families

SAMPLE: Words6 = (0x9A3B5C7D, 0x81234567, 0xFEDCBA98, 0xE1D2C3B4, 0x9F8E7D6C, 0xC5B6A798)  # different in each change


@cache
def counting_faults() -> tuple[FaultModel[WordVariant], ...]:
    """Faults of the counter and the key of a block."""
    return _models((name, _counting(rule=rule), text) for name, rule, text in faulty_counters())


@cache
def reading_faults() -> tuple[FaultModel[WordVariant], ...]:
    """Faults of reading the state."""
    known = {model.variant.counting.read(SAMPLE) for model in WORD_FAULT_MODELS}
    rows = []
    for name, read, text in misreadings():
        made = read(SAMPLE)
        if made not in known:
            name = "another-key" if made[:4] == SAMPLE[:4] else f"input-{name}"
            rows.append((name, _counting(read=read), f"reads {text}: {READ_RIGHT}"))
    return _models(rows)


@cache
def round_faults() -> tuple[FaultModel[WordVariant], ...]:
    """Faults of the block function."""
    return _models((name, WordVariant(rounds=rounds), text) for name, rounds, text in faulty_rounds())


@cache
def wiring_faults() -> tuple[FaultModel[WordVariant], ...]:
    """Rounds that are wired otherwise, which are searched alone only."""
    known = [fault.variant.rounds for fault in (*WORD_FAULT_MODELS, *round_faults())]
    return _models((name, WordVariant(rounds=rounds), text) for name, rounds, text in wired_rounds(known))


def words_with_fault(finding: tuple[str, str], state: Any, sizes: Shape, count: int) -> NDArray[np.uint32] | None:
    """The first `count` words of a draw by the generator that a finding names. None if no model has that name."""
    for model in (*WORD_FAULT_MODELS, *counting_faults(), *reading_faults(), *round_faults(), *wiring_faults()):
        if (model.name, model.explanation) == tuple(finding):
            return model.variant.words(_six(state), np.arange(count, dtype=np.uint64), sizes)
    return None


def state_with_fault(finding: tuple[str, str], state: Any, words: int) -> Words6 | None:
    """The state after a draw by the generator that a finding names. None if no model has that name."""
    for model in STATE_FAULT_MODELS:
        if (model.name, model.explanation) == tuple(finding):
            return model.variant.next_state(_six(state), words)
    return None


def _six(state: Any) -> Words6:
    c0, c1, c2, c3, k0, k1 = map(int, state)
    return c0, c1, c2, c3, k0, k1
