"""Known faults of Philox generators, as data: a name, a variant with exactly this fault, and an explanation.

Names are stable: programs may compare them. An explanation says what the generator does wrong and what to do.

A new fault needs a row here (and perhaps a step in faulty_steps.py), its name on specs/verify.md, and a generator in
tests/support/faulty_generators.py, from which the tests check that the verifier names this fault and no other.
"""

from __future__ import annotations

from itertools import permutations
from typing import Generic, NamedTuple, TypeVar

from ...philox import M0, M1, ROUNDS, W0, W1
from ...state import blocks_for
from . import faulty_steps as faulty
from .variants import Counting, Rounds, StateVariant, WordVariant

AnyVariant = TypeVar("AnyVariant", WordVariant, StateVariant)


class FaultModel(NamedTuple, Generic[AnyVariant]):
    """A known fault, and a variant of the generator that has this fault and no other."""

    name: str
    variant: AnyVariant
    explanation: str


COUNTER_REVERSED = faulty.word_order(3, 2, 1, 0, 4, 5)
KEY_REVERSED = faulty.word_order(0, 1, 2, 3, 5, 4)
ALL_REVERSED = faulty.word_order(5, 4, 3, 2, 1, 0)
READ_KEY_FIRST = faulty.word_order(2, 3, 4, 5, 0, 1)
STORE_KEY_FIRST = faulty.word_order(4, 5, 0, 1, 2, 3)  # the inverse of READ_KEY_FIRST

# fmt: off
WORD_FAULT_MODELS = tuple(FaultModel(*row) for row in [
    ("counter-words-reversed", WordVariant(Counting(read=COUNTER_REVERSED)),
     "The generator reads the counter's words highest first: read state word 0 as the lowest."),
    ("key-words-reversed", WordVariant(Counting(read=KEY_REVERSED)),
     "The generator reads the key's words highest first: read state word 4 as the lower."),
    ("counter-and-key-words-reversed", WordVariant(Counting(read=faulty.word_order(3, 2, 1, 0, 5, 4))),
     "The generator reads the words of counter and key highest first: read state words 0 and 4 as the lowest."),
    ("all-words-reversed", WordVariant(Counting(read=ALL_REVERSED)),
     "The generator reads all six state words in reverse order: the counter is words 0 to 3, the key words 4 and 5."),
    ("counter-halves-exchanged", WordVariant(Counting(read=faulty.word_order(2, 3, 0, 1, 4, 5))),
     "The generator exchanges the counter's halves: state words 0 and 1 are the lower 64 bits."),
    ("key-before-counter", WordVariant(Counting(read=READ_KEY_FIRST)),
     "The generator reads the key before the counter: the counter is state words 0 to 3, the key words 4 and 5."),
    ("input-bytes-swapped", WordVariant(Counting(read=faulty.swap_state_bytes)),
     "The generator reads the bytes of each state word in reverse order: store the state in the device's byte order."),
    ("high-counter-words-ignored", WordVariant(Counting(read=faulty.zero_words(2, 3))),
     "The generator takes 0 for the upper 64 bits of the counter: use all four counter words."),
    ("high-key-word-ignored", WordVariant(Counting(read=faulty.zero_words(5))),
     "The generator takes 0 for the upper 32 bits of the key: use both key words."),
    ("low-key-word-ignored", WordVariant(Counting(read=faulty.zero_words(4))),
     "The generator takes 0 for the lower 32 bits of the key: use both key words."),
    ("key-ignored", WordVariant(Counting(read=faulty.zero_words(4, 5))),
     "The generator takes 0 for the key: the key is state words 4 and 5."),
    ("counter-sign-extended", WordVariant(Counting(read=faulty.extend_sign(0))),
     "The generator widens counter word 0 as a signed integer, so that its sign fills word 1: widen it as unsigned."),
    ("key-sign-extended", WordVariant(Counting(read=faulty.extend_sign(4))),
     "The generator widens key word 0 as a signed integer, so that its sign fills key word 1: widen it as unsigned."),
    ("first-block-skipped", WordVariant(Counting(skipped_blocks=1)),
     "The generator increments the counter before the first block: compute the block first, then increment."),
    ("counter-words-reversed-after-counting", WordVariant(Counting(counter_order=(3, 2, 1, 0))),
     "The generator advances the counter correctly, but uses its words highest first: use word 0 as the lowest."),
    ("counter-halves-exchanged-after-counting", WordVariant(Counting(counter_order=(2, 3, 0, 1))),
     "The generator advances the counter correctly, but then exchanges its halves: use words 0, 1, 2, 3 in order."),
    ("counter-words-paired-after-counting", WordVariant(Counting(counter_order=(1, 0, 3, 2))),
     "The generator advances the counter correctly, but exchanges the words of its halves: use them in order."),
    ("counter-advanced-per-word", WordVariant(place=faulty.advance_per_word),
     "The generator advances the counter by 1 for each word, 4 for each block: advance by 1 for each block."),
    ("one-block-per-element", WordVariant(place=faulty.block_per_element),
     "The generator computes a block for each element and stores lane 0 only: store all four lanes of a block."),
    ("one-block-per-element-turning-lanes", WordVariant(place=faulty.block_per_element_turning_lanes),
     "The generator stores lane i mod 4 of block i as element i: element i is lane i mod 4 of block i div 4."),
    ("reserves-256-blocks-per-value", WordVariant(place=faulty.reserve_256_blocks),
     "The generator reserves 256 blocks for each value, as TensorFlow's samplers do: store four values of each block."),
    ("column-major", WordVariant(place=faulty.column_major),
     "The generator stores the words in column-major order: let the last axis vary fastest."),
    ("lanes-stored-apart", WordVariant(place=faulty.lanes_apart),
     "The generator stores lane 0 of all blocks, then lane 1, and so on: store the lanes of a block side by side."),
    ("rows-start-blocks", WordVariant(place=faulty.pad_rows),
     "The generator starts each row of the last axis with a new block: count words through the whole tensor."),
    ("rows-repeat", WordVariant(place=faulty.repeat_rows),
     "The generator stores the same words in each row of the last axis: compute the block number from all axes."),
    ("multipliers-exchanged", WordVariant(rounds=Rounds(multipliers=(M1, M0))),
     f"The generator multiplies counter word 0 by {M1:#x} and word 2 by {M0:#x}: exchange the two."),
    ("products-not-crossed", WordVariant(rounds=Rounds(products_crossed=False)),
     "The generator leaves each product in its own half of the block: compute words 0 and 1 from word 2's product."),
    ("product-halves-exchanged", WordVariant(rounds=Rounds(halves_exchanged=True)),
     "The generator exchanges the high and low halves of the products: use the high halves in words 0 and 2."),
    ("signed-products", WordVariant(rounds=Rounds(multiply=(faulty.multiply_signed,) * 2)),
     "The generator multiplies signed integers, which makes high halves wrong: multiply unsigned 32 by 32 bits to 64."),
    ("product-carry-lost", WordVariant(rounds=Rounds(multiply=(faulty.multiply_without_carry,) * 2)),
     "The generator adds up high halves from 16-bit pieces and loses the carry of the lower pieces: add this carry."),
    ("products-of-24-bits", WordVariant(rounds=Rounds(multiply=(faulty.multiply_24_bits,) * 2)),
     "The generator multiplies only the low 24 bits of words and constants: multiply 32 by 32 bits to 64."),
    ("low-products-of-24-bits", WordVariant(rounds=Rounds(multiply=(faulty.multiply_low_halves_of_24_bits,) * 2)),
     "The generator computes the low halves of products from the low 24 bits of words and constants: use all 32 bits."),
    ("weyl-constants-exchanged", WordVariant(rounds=Rounds(key_steps=(W1, W0))),
     f"The generator adds {W1:#x} to key word 0 and {W0:#x} to word 1 between rounds: exchange the two."),
    ("key-not-bumped", WordVariant(rounds=Rounds(key_steps=(0, 0))),
     f"The generator uses one key for all rounds: add {W0:#x} and {W1:#x} to the key's words between rounds."),
    ("key-bumped-early", WordVariant(rounds=Rounds(bumps=lambda number: (number + 1, number + 1))),
     "The generator bumps the key before the first round: use the unchanged key in the first round."),
    ("key-bumped-late", WordVariant(rounds=Rounds(bumps=lambda number: (max(number - 1, 0),) * 2)),
     "The generator uses the unchanged key in the first two rounds: bump the key before the second round."),
    ("bytes-swapped", WordVariant(store=faulty.swap_word_bytes),
     "The generator stores the bytes of each word in reverse order: store uint32 in the device's byte order."),
    *((f"no-carry-out-of-word-{word}", WordVariant(Counting(carries=faulty.all_carries_but(word))),
       f"The generator loses the carry out of counter word {word}: when that word wraps, add 1 to word {word + 1}.")
      for word in range(3)),
    *((f"rounds-{rounds}", WordVariant(rounds=Rounds(rounds=rounds)),
       f"The generator runs {rounds} round{'s' * (rounds != 1)}: run {ROUNDS}.")
      for rounds in range(1, 21) if rounds != ROUNDS),
    *(("lanes-reversed" if lanes == (3, 2, 1, 0) else "lanes-ordered-{}{}{}{}".format(*lanes), WordVariant(lanes=lanes),
       f"The generator stores the lanes of each block in the order {', '.join(map(str, lanes))}: store 0, 1, 2, 3.")
      for lanes in permutations(range(4)) if lanes != (0, 1, 2, 3)),
    *((f"groups-of-{blocks}-blocks-repeat", WordVariant(place=faulty.repeat_groups(blocks)),
       f"The generator repeats its words after every {blocks} blocks, as if a thread used its index "
       "in its group: use the index in the whole dispatch.")
      for blocks in (32, 64, 128, 256, 512, 1024)),
])

STATE_FAULT_MODELS = tuple(FaultModel(*row) for row in [
    ("state-not-advanced", StateVariant(blocks=lambda words: 0),
     "The generator stores the state that it was given: advance the counter by ceil(words / 4) blocks."),
    ("state-advanced-by-words", StateVariant(blocks=lambda words: words),
     "The generator advances the counter by 1 for each word: advance by 1 for each block, ceil(words / 4)."),
    ("state-advanced-by-floor", StateVariant(blocks=lambda words: words // 4),
     "The generator advances the counter by floor(words / 4): round up, because a block that was begun is used up."),
    ("state-advanced-one-short", StateVariant(blocks=lambda words: blocks_for(words) - 1),
     "The generator stores the counter of the last block that it used: store the counter of the next block."),
    ("state-advanced-one-far", StateVariant(blocks=lambda words: blocks_for(words) + 1),
     "The generator advances the counter by one block too many: advance by ceil(words / 4)."),
    ("state-advanced-256-per-value", StateVariant(blocks=lambda words: 256 * words),
     "The generator advances the counter by 256 for each value, as TensorFlow does: advance by ceil(words / 4)."),
    ("state-advanced-256-per-block", StateVariant(blocks=lambda words: 256 * blocks_for(words)),
     "The generator advances the counter by 256 per block, as OpenVINO's reference does: advance by ceil(words / 4)."),
    ("state-counter-words-reversed", StateVariant(read=COUNTER_REVERSED, store=COUNTER_REVERSED),
     "The generator advances counter word 3 first: word 0 of the counter is the lowest."),
    ("state-counter-stored-reversed", StateVariant(store=COUNTER_REVERSED),
     "The generator stores the new counter's words highest first: store the lowest in word 0."),
    ("state-key-stored-reversed", StateVariant(store=KEY_REVERSED),
     "The generator stores the key's words in reverse order: store the key unchanged."),
    ("state-stored-reversed", StateVariant(store=ALL_REVERSED),
     "The generator stores the six words of the new state in reverse order: store the counter first, then the key."),
    ("state-words-stepped-backwards", StateVariant(read=ALL_REVERSED, store=ALL_REVERSED),
     "The generator reads and stores all six words in reverse order: the counter is words 0 to 3, word 0 the lowest."),
    ("state-key-before-counter", StateVariant(read=READ_KEY_FIRST, store=STORE_KEY_FIRST),
     "The generator advances words 2 to 5 as the counter: the counter is words 0 to 3."),
    ("state-stored-key-first", StateVariant(store=STORE_KEY_FIRST),
     "The generator stores the key before the new counter: store the counter in words 0 to 3."),
    ("state-bytes-stored-swapped", StateVariant(store=faulty.swap_state_bytes),
     "The generator stores the bytes of each word of the new state in reverse order: use the device's order."),
    ("state-key-bumped", StateVariant(store=faulty.bump_stored_key(ROUNDS - 1)),
     "The generator stores the key of the last round: store the key unchanged."),
    ("state-key-bumped", StateVariant(store=faulty.bump_stored_key(ROUNDS)),
     "The generator stores the key as bumped after the last round: store the key unchanged."),
    *((f"state-no-carry-out-of-word-{word}", StateVariant(carries=faulty.all_carries_but(word)),
       f"The generator stores a state without the carry out of counter word {word}, at {32 * (word + 1)} bits: "
       f"when that word wraps, add 1 to word {word + 1}.")
      for word in range(3)),
])
