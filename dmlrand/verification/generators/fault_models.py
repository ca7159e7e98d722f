"""Known faults of Philox generators, as data: a name, a variant with exactly this fault, and an explanation.

Names are stable: programs may compare them. An explanation says what the generator does wrong and what to do. The
commonest faults are WORD_FAULT_MODELS and STATE_FAULT_MODELS. round_faults and counting_faults are families, each with
all of its variations, whose rows share a name.

A new fault needs a row here, its name on specs/verify.md, and a generator in tests/support/faulty_generators.py, from
which the tests check that the verifier names this fault and no other.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from functools import cache, partial
from itertools import permutations, product
from math import prod
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from ...arrays.tensor import Shape
from ...philox import M0, M1, MASK32, ROUNDS, W0, W1, block
from ...state import blocks_for
from .counters import faulty_counters
from .products import by_pieces, faulty_products, narrow_product, signed_product
from .variants import (
    Change,
    Counting,
    Placing,
    Rounds,
    StateVariant,
    Words6,
    WordVariant,
    combine_by_xor,
    multiply_unsigned,
)

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


# Steps of reading and storing the state


def word_order(*places: int) -> Change:
    """Take the words at these places."""
    return lambda words: tuple(words[place] for place in places)  # type: ignore[return-value]


def _zero_words(*places: int) -> Change:
    return lambda words: tuple(0 if i in places else word for i, word in enumerate(words))  # type: ignore[return-value]


def _extend_sign(widened: int) -> Change:
    """Widen a word as a signed integer, which sets all bits of the next word where the sign bit is set."""
    return lambda words: tuple(  # type: ignore[return-value]
        word | (i == widened + 1) * MASK32 * (words[widened] >> 31) for i, word in enumerate(words)
    )


def _bump_stored_key(times: int) -> Change:
    return lambda words: (*words[:4], words[4] + times * W0 & MASK32, words[5] + times * W1 & MASK32)


def _store_block(words: Words6) -> Words6:
    return (*block(words[:4], words[4:]), *words[4:])


def _swap_state_bytes(words: Words6) -> Words6:
    return tuple(int.from_bytes(word.to_bytes(4, "little"), "big") for word in words)  # type: ignore[return-value]


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


COUNTER_REVERSED = word_order(3, 2, 1, 0, 4, 5)
KEY_REVERSED = word_order(0, 1, 2, 3, 5, 4)
ALL_REVERSED = word_order(5, 4, 3, 2, 1, 0)
READ_KEY_FIRST = word_order(2, 3, 4, 5, 0, 1)
STORE_KEY_FIRST = word_order(4, 5, 0, 1, 2, 3)  # the inverse of READ_KEY_FIRST

# fmt: off
WORD_FAULT_MODELS = _models([
    ("counter-words-reversed", _counting(read=COUNTER_REVERSED),
     "reads the counter's words highest first: read state word 0 as the lowest"),
    ("key-words-reversed", _counting(read=KEY_REVERSED),
     "reads the key's words highest first: read state word 4 as the lower"),
    ("counter-and-key-words-reversed", _counting(read=word_order(3, 2, 1, 0, 5, 4)),
     "reads the words of counter and key highest first: read state words 0 and 4 as the lowest"),
    ("all-words-reversed", _counting(read=ALL_REVERSED),
     "reads all six state words in reverse order: the counter is words 0 to 3, the key words 4 and 5"),
    ("counter-halves-exchanged", _counting(read=word_order(2, 3, 0, 1, 4, 5)),
     "exchanges the counter's halves: state words 0 and 1 are the lower 64 bits"),
    ("key-before-counter", _counting(read=READ_KEY_FIRST),
     "reads the key before the counter: the counter is state words 0 to 3, the key words 4 and 5"),
    ("input-bytes-swapped", _counting(read=_swap_state_bytes),
     "reads the bytes of each state word in reverse order: store the state in the device's byte order"),
    ("high-counter-words-ignored", _counting(read=_zero_words(2, 3)),
     "takes 0 for the upper 64 bits of the counter: use all four counter words"),
    ("high-key-word-ignored", _counting(read=_zero_words(5)),
     "takes 0 for the upper 32 bits of the key: use both key words"),
    ("low-key-word-ignored", _counting(read=_zero_words(4)),
     "takes 0 for the lower 32 bits of the key: use both key words"),
    ("key-ignored", _counting(read=_zero_words(4, 5)),
     "takes 0 for the key: the key is state words 4 and 5"),
    ("counter-ignored", _counting(read=_zero_words(0, 1, 2, 3)),
     "takes 0 for the counter: the counter is state words 0 to 3"),
    ("counter-sign-extended", _counting(read=_extend_sign(0)),
     "widens counter word 0 as a signed integer, so that its sign fills word 1: widen it as unsigned"),
    ("key-sign-extended", _counting(read=_extend_sign(4)),
     "widens key word 0 as a signed integer, so that its sign fills key word 1: widen it as unsigned"),
    ("first-block-skipped", _counting(skipped_blocks=1),
     "increments the counter before the first block: compute the block first, then increment"),
    ("counter-words-reversed-after-counting", _counting(counter_order=(3, 2, 1, 0)),
     "advances the counter correctly, but uses its words highest first: use word 0 as the lowest"),
    ("counter-halves-exchanged-after-counting", _counting(counter_order=(2, 3, 0, 1)),
     "advances the counter correctly, but then exchanges its halves: use words 0, 1, 2, 3 in order"),
    ("counter-words-paired-after-counting", _counting(counter_order=(1, 0, 3, 2)),
     "advances the counter correctly, but exchanges the words of its halves: use them in order"),
    ("counter-advanced-per-word", WordVariant(place=lambda i, shape: (i >> 2 << 2, i & 3)),
     "advances the counter by 1 for each word, 4 for each block: advance by 1 for each block"),
    ("one-block-per-element", WordVariant(place=lambda i, shape: (i, i & 0)),
     "computes a block for each element and stores lane 0 only: store all four lanes of a block"),
    ("one-block-per-element-turning-lanes", WordVariant(place=lambda i, shape: (i, i & 3)),
     "stores lane i mod 4 of block i as element i: element i is lane i mod 4 of block i div 4"),
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
    ("products-not-crossed", _rounds(products_crossed=False),
     "leaves each product in its own half of the block: compute words 0 and 1 from word 2's product"),
    ("product-halves-exchanged", _rounds(halves_exchanged=True),
     "exchanges the high and low halves of the products: use the high halves in words 0 and 2"),
    ("signed-products", _rounds(multiply=(signed_product(3),) * 2),
     "multiplies signed integers, which makes high halves wrong: multiply unsigned 32 by 32 bits to 64"),
    ("product-carry-lost", _rounds(multiply=(by_pieces("loses the carry of the lower pieces"),) * 2),
     "adds up high halves from 16-bit pieces and loses the carry of the lower pieces: add this carry"),
    ("products-of-24-bits", _rounds(multiply=(narrow_product(24, 3, 3),) * 2),
     "multiplies only the low 24 bits of words and constants: multiply 32 by 32 bits to 64"),
    ("low-products-of-24-bits", _rounds(multiply=(narrow_product(24, 3, 2),) * 2),
     "computes the low halves of products from the low 24 bits of words and constants: use all 32 bits"),
    ("weyl-constants-exchanged", _rounds(key_steps=(W1, W0)),
     f"adds {W1:#x} to key word 0 and {W0:#x} to word 1 between rounds: exchange the two"),
    ("key-not-bumped", _rounds(key_steps=(0, 0)),
     f"uses one key for all rounds: add {W0:#x} and {W1:#x} to the key's words between rounds"),
    ("key-bumped-early", _rounds(bumps=lambda number: (number + 1, number + 1)),
     "bumps the key before the first round: use the unchanged key in the first round"),
    ("key-bumped-late", _rounds(bumps=lambda number: (max(number - 1, 0),) * 2),
     "uses the unchanged key in the first two rounds: bump the key before the second round"),
    ("key-missing-in-a-round", _rounds(unkeyed=(0,)),
     f"uses no key in round 1: use the bumped key in each of the {ROUNDS} rounds"),
    ("bytes-swapped", WordVariant(store=lambda words: words.byteswap()),
     "stores the bytes of each word in reverse order: store uint32 in the device's byte order"),
    *((f"no-carry-out-of-word-{word}", _counting(lost_carry=word),
       f"loses the carry out of counter word {word}: when that word wraps, add 1 to word {word + 1}")
      for word in range(3)),
    *((f"rounds-{rounds}", _rounds(rounds=rounds),
       f"runs {rounds} round{'s' * (rounds != 1)}: run {ROUNDS}")
      for rounds in range(1, 21) if rounds != ROUNDS),
    *(("lanes-reversed" if lanes == (3, 2, 1, 0) else "lanes-ordered-{}{}{}{}".format(*lanes), WordVariant(lanes=lanes),
       f"stores the lanes of each block in the order {', '.join(map(str, lanes))}: store 0, 1, 2, 3")
      for lanes in permutations(range(4)) if lanes != (0, 1, 2, 3)),
    *((f"groups-of-{blocks}-blocks-repeat", WordVariant(place=_repeat_groups(blocks)),
       f"repeats its words after every {blocks} blocks, as if a thread used its index in its group: use the index in "
       "the whole dispatch")
      for blocks in (32, 64, 128, 256, 512, 1024)),
])

STATE_FAULT_MODELS = _models([
    ("state-not-advanced", StateVariant(blocks=lambda words: 0),
     "stores the state that it was given: advance the counter by ceil(words / 4) blocks"),
    ("state-advanced-by-words", StateVariant(blocks=lambda words: words),
     "advances the counter by 1 for each word: advance by 1 for each block, ceil(words / 4)"),
    ("state-advanced-by-floor", StateVariant(blocks=lambda words: words // 4),
     "advances the counter by floor(words / 4): round up, because a block that was begun is used up"),
    ("state-advanced-one-short", StateVariant(blocks=lambda words: blocks_for(words) - 1),
     "stores the counter of the last block that it used: store the counter of the next block"),
    ("state-advanced-one-far", StateVariant(blocks=lambda words: blocks_for(words) + 1),
     "advances the counter by one block too many: advance by ceil(words / 4)"),
    ("state-advanced-256-per-value", StateVariant(blocks=lambda words: 256 * words),
     "advances the counter by 256 for each value, as TensorFlow does: advance by ceil(words / 4)"),
    ("state-advanced-256-per-block", StateVariant(blocks=lambda words: 256 * blocks_for(words)),
     "advances the counter by 256 per block, as OpenVINO's reference does: advance by ceil(words / 4)"),
    ("state-counter-words-reversed", StateVariant(Counting(read=COUNTER_REVERSED), store=COUNTER_REVERSED),
     "advances counter word 3 first: word 0 of the counter is the lowest"),
    ("state-counter-stored-reversed", StateVariant(store=COUNTER_REVERSED),
     "stores the new counter's words highest first: store the lowest in word 0"),
    ("state-key-stored-reversed", StateVariant(store=KEY_REVERSED),
     "stores the key's words in reverse order: store the key unchanged"),
    ("state-stored-reversed", StateVariant(store=ALL_REVERSED),
     "stores the six words of the new state in reverse order: store the counter first, then the key"),
    ("state-words-stepped-backwards", StateVariant(Counting(read=ALL_REVERSED), store=ALL_REVERSED),
     "reads and stores all six words in reverse order: the counter is words 0 to 3, word 0 the lowest"),
    ("state-key-before-counter", StateVariant(Counting(read=READ_KEY_FIRST), store=STORE_KEY_FIRST),
     "advances words 2 to 5 as the counter: the counter is words 0 to 3"),
    ("state-stored-key-first", StateVariant(store=STORE_KEY_FIRST),
     "stores the key before the new counter: store the counter in words 0 to 3"),
    ("state-counter-overwritten", StateVariant(blocks=lambda words: blocks_for(words) - 1, store=_store_block),
     "stores the last block's words as the counter: keep the counter apart from the block"),
    ("state-advanced-in-another-word", StateVariant(blocks=lambda words: blocks_for(words) << 32),
     "adds the number of blocks to counter word 1: add it to the 128-bit counter, word 0 the lowest"),
    ("state-counter-restarted", StateVariant(Counting(read=_zero_words(0, 1, 2, 3))),
     "stores the number of blocks as the counter: add it to the old counter"),
    ("state-bytes-stored-swapped", StateVariant(store=_swap_state_bytes),
     "stores the bytes of each word of the new state in reverse order: use the device's order"),
    ("state-key-bumped", StateVariant(store=_bump_stored_key(ROUNDS - 1)),
     "stores the key of the last round: store the key unchanged"),
    ("state-key-bumped", StateVariant(store=_bump_stored_key(ROUNDS)),
     "stores the key as bumped after the last round: store the key unchanged"),
    *((f"state-no-carry-out-of-word-{word}", StateVariant(Counting(lost_carry=word)),
       f"stores a state without the carry out of counter word {word}, at {32 * (word + 1)} bits: "
       f"when that word wraps, add 1 to word {word + 1}")
      for word in range(3)),
])
# fmt: on

# Families

# Of the two products, or of the two halves of a round.
HALVES = {3: "", 1: ", in the product of counter word 0 only", 2: ", in the product of counter word 2 only"}
WORDS = {3: "", 1: " in words 0 and 1", 2: " in words 2 and 3"}
KEYS = {(1, 1): "key", (1, 0): "key word 0", (0, 1): "key word 1"}
BUMPS = {-1: ("key-bump-missing", "does not bump the {}"), 1: ("key-bump-doubled", "bumps the {} twice")}
# Expressions that are used in place of high ^ counter ^ key, and shown in sentences.
COMBINATIONS = (
    *("(high ^ counter) + key", "(high + counter) ^ key", "high ^ (counter + key)", "high + counter + key"),
    *("(high + key) ^ counter", "high + (counter ^ key)", "(high ^ counter) | key", "(high | counter) ^ key"),
    *("high ^ (counter | key)", "high | counter | key", "(high ^ key) | counter", "high | (counter ^ key)"),
    *("high ^ counter", "high ^ key", "counter ^ key"),
)


@cache
def counting_faults() -> tuple[FaultModel[WordVariant], ...]:
    """Faults of the counter and the key of a block."""
    return _models((name, _counting(rule=rule), text) for name, rule, text in faulty_counters())


@cache
def round_faults() -> tuple[FaultModel[WordVariant], ...]:
    """Faults of the block function."""
    return _models((name, WordVariant(rounds=rounds), text) for name, rounds, text in _faulty_rounds())


# fmt: off
def _faulty_rounds() -> Iterator[tuple[str, Rounds, str]]:
    for (name, multiply, text), (halves, where) in product(faulty_products(), HALVES.items()):
        used = _of_halves(halves, multiply, multiply_unsigned)
        yield name, Rounds(multiply=used), f"{text}{where}: multiply unsigned 32 by 32 bits to 64"
    for number, (words, key), (step, (name, what)) in product(range(1, ROUNDS), KEYS.items(), BUMPS.items()):
        where = f"before round {number + 1}: bump it once before every round but the first"
        yield name, Rounds(bumps=partial(_bumps, number, words, step)), f"{what.format(key)} {where}"
    for expression, (halves, where) in product(COMBINATIONS, WORDS.items()):
        combine = eval(f"lambda high, counter, key: {expression}")
        yield ("xor-replaced", Rounds(combine=_of_halves(halves, combine, combine_by_xor)),
               f"computes {expression}{where} of a round: use high ^ counter ^ key")
    for number in range(1, ROUNDS):
        yield ("key-missing-in-a-round", Rounds(unkeyed=(number,)),
               f"uses no key in round {number + 1}: use the bumped key in each of the {ROUNDS} rounds")
    yield ("key-bumped-as-64-bits", Rounds(bump_carries=True),
           "bumps the key as one number of 64 bits: add to both words without a carry between them")
    yield ("key-bumped-as-64-bits", Rounds(bump_carries=True, key_steps=(W0, 0)),
           f"adds {W0:#x} to the key as a number of 64 bits: add {W0:#x} to word 0 and {W1:#x} to word 1")
    yield ("key-bumped-by-xor", Rounds(bump=operator.xor, bumps=lambda number: (number & 1, number & 1)),
           "combines the key with its steps by xor between rounds: add the steps")
    yield ("key-bumped-by-xor", Rounds(bump=operator.xor),
           "combines the key with multiples of its steps by xor: add the multiples")
    yield ("round-keys-reversed", Rounds(bumps=lambda number: (ROUNDS - 1 - number, ROUNDS - 1 - number)),
           "uses the keys of the rounds in reverse order: use the unchanged key in the first round")
    yield ("counter-words-1-3-exchanged-in-rounds", Rounds(kept=(3, 1)),
           "exchanges counter words 1 and 3 in each round: combine word 1 with the product of word 2")
    yield ("key-words-exchanged-in-rounds", Rounds(keys=(1, 0)),
           "exchanges the key words in each round: use key word 0 for counter word 0")
    yield ("key-bump-saturates", Rounds(bump=lambda key, more: np.minimum(key + more, MASK32)),
           "clamps the key at 0xffffffff when it is bumped: add modulo 2^32")
    for word in range(4):
        yield ("counter-word-overwritten-in-rounds", Rounds(changed_early=word),
               f"overwrites counter word {word} in each round before its old value was used: "
               "compute both halves of a round from the old words")
    for lanes in ((0,), (1,), (2,), (3,), (0, 1), (2, 3)):
        which = f"word{'s' * (len(lanes) > 1)} {' and '.join(map(str, lanes))}"
        yield ("words-a-round-early", Rounds(early=lanes),
               f"stores {which} of each block as {'they are' if len(lanes) > 1 else 'it is'} before the last round: "
               f"store the words after {ROUNDS} rounds")
    yield ("fed-forward", Rounds(feed=np.bitwise_xor),
           "combines the block with its counter by xor: store the block")
    yield "fed-forward", Rounds(feed=np.add), "adds the counter to the block: store the block"
# fmt: on


def _of_halves(halves: int, wrong: Any, right: Any) -> tuple[Any, Any]:
    """The step of both halves: wrong in the first one (1), in the second one (2), or in both (3)."""
    return wrong if halves & 1 else right, wrong if halves & 2 else right


def _bumps(first: int, words: tuple[int, int], more: int, number: int) -> tuple[int, int]:
    """The bumps before a round: so many more from round `first` on, for one or both words of the key."""
    return number + more * words[0] * (number >= first), number + more * words[1] * (number >= first)
