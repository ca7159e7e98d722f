"""Known faults of Philox generators, as data: a name, a variant with exactly this fault, and an explanation.

Names are stable: programs may compare them. An explanation says what the generator does wrong and what to do. The
commonest faults are WORD_FAULT_MODELS and STATE_FAULT_MODELS. The others are families, each with all of its variations,
whose rows share a name. Their tables are in inputs.py (the counter and the key of a block), rounds.py (the block
function) and constants.py.

A new fault needs a row in one of these tables, its name on specs/verify.md, and a generator in
tests/support/faulty_generators.py, from which the tests check that the verifier names this fault and no other.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.tensor import Shape
from ...philox import M0, M1, ROUNDS, W0, W1
from ...state import blocks_for
from .inputs import (
    READ_RIGHT,
    RIGHT_ORDER,
    SAMPLE,
    counting_faults,
    extend_sign,
    faults_of_reading,
    swap_bytes,
    word_order,
    zero_words,
)
from .rounds import (
    LOWER_CARRY,
    expressed,
    faults_of_wiring,
    high_from_pieces,
    keys_missing_in,
    narrow,
    round_faults,
    round_results,
)
from .variants import Counting, FaultModel, Placing, StateVariant, Words6, WordVariant, counting_fault, round_fault

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


ADVANCE = "advance it by 1 for each block, ceil(words / 4)"
COUNTER_REVERSED = word_order(3, 2, 1, 0, 4, 5)
READ_KEY_FIRST = word_order(2, 3, 4, 5, 0, 1)
STORE_KEY_FIRST = word_order(4, 5, 0, 1, 2, 3)  # the inverse of READ_KEY_FIRST


def _placed(name: str, text: str, place: Placing) -> FaultModel[WordVariant]:
    return FaultModel(name, WordVariant(place=place), f"The generator {text}.")


def _multiply(*halves: str) -> tuple[str, str]:
    return (expressed(*halves),) * 2


# fmt: off
WORD_FAULT_MODELS = (
    *(counting_fault(name, f"reads {text}: {READ_RIGHT}", read=read) for name, text, read in (
        ("counter-words-reversed", "the counter's words highest first", COUNTER_REVERSED),
        ("key-words-reversed", "the key's words highest first", word_order(0, 1, 2, 3, 5, 4)),
        ("counter-and-key-words-reversed", "the words of counter and key highest first", word_order(3, 2, 1, 0, 5, 4)),
        ("all-words-reversed", "all six words in reverse order", word_order(5, 4, 3, 2, 1, 0)),
        ("counter-halves-exchanged", "the halves of the counter in reverse order", word_order(2, 3, 0, 1, 4, 5)),
        ("key-before-counter", "the key before the counter", READ_KEY_FIRST),
        ("input-bytes-swapped", "the bytes of each word in reverse order", swap_bytes(*RIGHT_ORDER)),
        ("high-counter-words-ignored", "the upper 64 bits of the counter as 0", zero_words(2, 3)),
        ("high-key-word-ignored", "the upper 32 bits of the key as 0", zero_words(5)),
        ("low-key-word-ignored", "the lower 32 bits of the key as 0", zero_words(4)),
        ("key-ignored", "the key as 0", zero_words(4, 5)),
        ("counter-ignored", "the counter as 0", zero_words(0, 1, 2, 3)),
        ("counter-sign-extended", "counter word 0 as a signed integer, whose sign fills word 1", extend_sign(0)),
        ("key-sign-extended", "key word 0 as a signed integer, whose sign fills key word 1", extend_sign(4)),
    )),
    counting_fault("first-block-skipped", "increments the counter before the first block: compute the block first, "
                   "then increment", skipped_blocks=1),
    _placed("counter-advanced-per-word", "advances the counter by 1 for each word, 4 for each block: advance by 1 for "
            "each block", lambda i, shape: (i >> 2 << 2, i & 3)),
    _placed("one-block-per-element", "computes a block for each element and stores lane 0 only: store all four lanes "
            "of a block", lambda i, shape: (i, i & 0)),
    _placed("reserves-256-blocks-per-value", "reserves 256 blocks for each value, as TensorFlow's samplers do: store "
            "four values of each block", lambda i, shape: (i << 8, i & 0)),
    _placed("column-major", "stores the words in column-major order: let the last axis vary fastest", column_major),
    _placed("lanes-stored-apart", "stores lane 0 of all blocks, then lane 1, and so on: store the lanes of a block "
            "side by side", _lanes_apart),
    _placed("rows-start-blocks", "starts each row of the last axis with a new block: count words through the whole "
            "tensor", _pad_rows),
    _placed("rows-repeat", "stores the same words in each row of the last axis: compute the block number from all axes",
            _repeat_rows),
    round_fault("multipliers-exchanged", f"multiplies counter word 0 by {M1:#x} and word 2 by {M0:#x}: exchange the "
                "two", multipliers=(M1, M0)),
    round_fault("products-not-crossed", "leaves each product in its own half of the block: compute words 0 and 1 from "
                "word 2's product", results=round_results("h0 l0 h1 l1")),
    round_fault("product-halves-exchanged", "exchanges the high and low halves of the products: use the high halves in "
                "words 0 and 2", results=round_results("l1 h1 l0 h0")),
    round_fault("signed-products", "multiplies signed integers, which makes high halves wrong: multiply unsigned 32 by "
                "32 bits to 64", multiply=_multiply("signed(a) * signed(b) >> 32")),
    round_fault("product-carry-lost", "adds up high halves from 16-bit pieces and loses the carry of the lower pieces: "
                "add this carry", multiply=_multiply(high_from_pieces(LOWER_CARRY))),
    round_fault("products-of-24-bits", "multiplies only the low 24 bits of words and constants: multiply 32 by 32 bits "
                "to 64", multiply=_multiply(f"{narrow(24, 24)} >> 32", narrow(24, 24))),
    round_fault("weyl-constants-exchanged", f"adds {W1:#x} to key word 0 and {W0:#x} to word 1 between rounds: "
                "exchange the two", key_steps=(W1, W0)),
    round_fault("key-not-bumped", f"uses one key for all rounds: add {W0:#x} and {W1:#x} to the key's words between "
                "rounds", key_steps=(0, 0)),
    round_fault("key-bumped-early", "bumps the key before the first round: use the unchanged key in the first round",
                bumps=("r + 1", "r + 1")),
    round_fault("key-bumped-late", "uses the unchanged key in the first two rounds: bump the key before the second "
                "round", bumps=("max(r - 1, 0)",) * 2),
    round_fault("key-missing-in-a-round", f"uses no key in round 1: use the bumped key in each of the {ROUNDS} rounds",
                keys=keys_missing_in(0)),
    FaultModel("bytes-swapped", WordVariant(store=lambda words: words.byteswap()), "The generator stores the bytes of "
               "each word in reverse order: store uint32 in the device's byte order."),
    *(counting_fault(f"no-carry-out-of-word-{word}", f"loses the carry out of counter word {word}: when that word "
                     f"wraps, add 1 to word {word + 1}", lost_carry=word)
      for word in range(3)),
    *(round_fault(f"rounds-{rounds}", f"runs {rounds} round{'s' * (rounds != 1)}: run {ROUNDS}", rounds=rounds)
      for rounds in range(1, 12) if rounds != ROUNDS),
    FaultModel("lanes-reversed", WordVariant(lanes=(3, 2, 1, 0)),
               "The generator stores the lanes of each block in the order 3, 2, 1, 0: store 0, 1, 2, 3."),
    _placed("every-block-the-first", "makes the first block for every block, as if each thread began at the same "
            "counter: add the thread's index in the whole dispatch to the counter", lambda i, shape: (i & 0, i & 3)),
    *(_placed(f"groups-of-{blocks}-blocks-repeat", f"repeats its words after every {blocks} blocks, as if a thread "
              "used its index in its group: use the index in the whole dispatch", _repeat_groups(blocks))
      for blocks in (32, 64, 128, 256, 512, 1024)),
)

STATE_FAULT_MODELS = tuple(FaultModel(name, variant, f"The generator {text}.") for name, variant, text in (
    *((name, StateVariant(blocks=blocks), f"advances the counter by {text}: {ADVANCE}") for name, blocks, text in (
        ("state-not-advanced", lambda words: 0, "0"),
        ("state-advanced-by-words", lambda words: words, "1 for each word"),
        ("state-advanced-by-floor", lambda words: words // 4, "floor(words / 4)"),
        ("state-advanced-one-short", lambda words: blocks_for(words) - 1, "one block too few"),
        ("state-advanced-one-far", lambda words: blocks_for(words) + 1, "one block too many"),
        ("state-advanced-256-per-value", lambda words: 256 * words, "256 for each value, as TensorFlow does"),
        ("state-advanced-256-per-block", lambda words: 256 * blocks_for(words), "256 for each block, as OpenVINO does"),
    )),
    ("state-counter-words-reversed", StateVariant(Counting(read=COUNTER_REVERSED), store=COUNTER_REVERSED),
     "advances counter word 3 first: word 0 of the counter is the lowest"),
    ("state-key-before-counter", StateVariant(Counting(read=READ_KEY_FIRST), store=STORE_KEY_FIRST),
     "advances words 2 to 5 as the counter: the counter is words 0 to 3"),
    *((f"state-no-carry-out-of-word-{word}", StateVariant(Counting(lost_carry=word)),
       f"stores a state without the carry out of counter word {word}, at {32 * (word + 1)} bits: "
       f"when that word wraps, add 1 to word {word + 1}")
      for word in range(3)),
))
# fmt: on

# Families


@cache
def reading_faults() -> tuple[FaultModel[WordVariant], ...]:
    return tuple(faults_of_reading({model.variant.counting.read(SAMPLE) for model in WORD_FAULT_MODELS}))


@cache
def wiring_faults() -> tuple[FaultModel[WordVariant], ...]:
    """These are searched alone only."""
    return tuple(faults_of_wiring((*WORD_FAULT_MODELS, *round_faults())))


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
