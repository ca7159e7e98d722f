"""Generators that each have exactly one fault, in plain ints: the verifier must distinguish them.

They share no code with dmlrand. A generator takes the six words of a state and a shape, and returns its words in
row-major order. A state update takes the six words of a state and the number of words drawn, and returns six words.
"""

from math import prod

import oracle
from oracle import M0, M1, W0, W1, from_words, low_words

MASK32 = 2**32 - 1


def bumped(k, number, weyl=(W0, W1)):
    """The key words of a round."""
    return [(k[i] + number * weyl[i]) & MASK32 for i in (0, 1)]


def right_round(c, k, a, b):
    """The counter words after a round. a and b are products, each as its high and its low half."""
    return [b[0] ^ c[1] ^ k[0], b[1], a[0] ^ c[3] ^ k[1], a[1]]


def halves_exchanged(c, k, a, b):
    return right_round(c, k, a[::-1], b[::-1])


def philox(
    c,
    k,
    rounds=10,
    multipliers=(M0, M1),
    weyl=(W0, W1),
    high=lambda a, b: a * b >> 32,
    low=lambda a, b: a * b & MASK32,
    round_key=None,
    one_round=right_round,
):
    """The block of counter words c and key words k. The other arguments replace a step."""
    for number in range(rounds):
        a, b = ((high(word, factor), low(word, factor)) for word, factor in zip(c[::2], multipliers))
        c = one_round(c, round_key(k, number) if round_key else bumped(k, number, weyl), a, b)
    return c


def count(c, i):
    """Counter words c plus i."""
    return low_words((from_words(c) + i) % 2**128, 4)


def each_block(words, shape, block, counter=count, skip=0):
    """A loop over blocks that stores the first n words."""
    n = prod(shape)
    lanes = []
    for i in range(-(-n // 4)):
        lanes += block(counter(words[:4], i + skip), words[4:])
    return lanes[:n]


def with_step(**steps):
    return lambda words, shape: each_block(words, shape, lambda c, k: philox(c, k, **steps))


def reading(*elements):
    return lambda words, shape: each_block([words[e] for e in elements], shape, philox)


def changing_state(change):
    return lambda words, shape: each_block(change(list(words)), shape, philox)


def with_lanes(order):
    return lambda words, shape: each_block(words, shape, lambda c, k: [philox(c, k)[lane] for lane in order])


def element_by_element(block_and_lane):
    """Element i is the word at the block and the lane that block_and_lane(i, shape) returns."""

    def generate(words, shape):
        made = []
        for i in range(prod(shape)):
            block, lane = block_and_lane(i, shape)
            made.append(philox(count(words[:4], block), words[4:])[lane])
        return made

    return generate


def byte_swapped(word):
    return int.from_bytes(word.to_bytes(4, "big"), "little")


def losing_carry(word):
    """Counter words plus i, word by word, without the carry out of one word."""

    def add(c, i):
        c, carry = list(c), i
        for place in range(4):
            total = c[place] + carry
            c[place], carry = total % 2**32, 0 if place == word else total // 2**32
        return c

    return add


def signed(word):
    return word - 2**32 if word >= 2**31 else word


def signed_high(a, b):
    return signed(a) * signed(b) >> 32 & MASK32


def high_without_carry(a, b):
    a1, a0, b1, b0 = a >> 16, a & 0xFFFF, b >> 16, b & 0xFFFF
    return a1 * b1 + (a1 * b0 >> 16) + (a0 * b1 >> 16) & MASK32


def sign_extended(place):
    def change(words):
        wide = signed(words[place]) & (2**64 - 1)
        words[place + 1] |= wide >> 32
        return words

    return change


def low_24_bits(word):
    return word & 0xFFFFFF


def high_of_24_bits(a, b):
    return low_24_bits(a) * low_24_bits(b) >> 32


def low_of_24_bits(a, b):
    return low_24_bits(a) * low_24_bits(b) & MASK32


def zeroed(*places):
    return lambda words: [0 if place in places else word for place, word in enumerate(words)]


def column_major(words, shape):
    """Store the correct words with the first axis fastest, and read them with the last axis fastest."""
    made = each_block(words, shape, philox)
    strides = [prod(shape[:axis]) for axis in range(len(shape))]
    return [made[sum(i * s for i, s in zip(index, strides))] for index in indices(shape)]


def indices(shape):
    if not shape:
        return [()]
    return [(i, *rest) for i in range(shape[0]) for rest in indices(shape[1:])]


def lanes_apart(words, shape):
    n = prod(shape)
    made = [philox(count(words[:4], i), words[4:]) for i in range(-(-n // 4))]
    return [block[lane] for lane in range(4) for block in made][:n]


def rows_start_blocks(words, shape):
    row, made, block = shape[-1], [], 0
    for _ in range(prod(shape) // row):
        lanes = []
        while len(lanes) < row:
            lanes += philox(count(words[:4], block), words[4:])
            block += 1
        made += lanes[:row]
    return made


def rows_repeat(words, shape):
    return each_block(words, shape[-1:], philox) * (prod(shape) // shape[-1])


def groups_repeat(blocks):
    def generate(words, shape):
        n = prod(shape)
        group = each_block(words, (4 * blocks,), philox)
        return (group * (n // len(group) + 1))[:n]

    return generate


GENERATORS = {
    "counter-words-reversed": reading(3, 2, 1, 0, 4, 5),
    "key-words-reversed": reading(0, 1, 2, 3, 5, 4),
    "counter-and-key-words-reversed": reading(3, 2, 1, 0, 5, 4),
    "all-words-reversed": reading(5, 4, 3, 2, 1, 0),
    "counter-halves-exchanged": reading(2, 3, 0, 1, 4, 5),
    "key-before-counter": reading(2, 3, 4, 5, 0, 1),
    "input-bytes-swapped": changing_state(lambda words: [byte_swapped(word) for word in words]),
    "high-counter-words-ignored": changing_state(zeroed(2, 3)),
    "high-key-word-ignored": changing_state(zeroed(5)),
    "low-key-word-ignored": changing_state(zeroed(4)),
    "key-ignored": changing_state(zeroed(4, 5)),
    "counter-ignored": changing_state(zeroed(0, 1, 2, 3)),
    "counter-sign-extended": changing_state(sign_extended(0)),
    "key-sign-extended": changing_state(sign_extended(4)),
    "first-block-skipped": lambda words, shape: each_block(words, shape, philox, skip=1),
    "counter-advanced-per-word": element_by_element(lambda i, shape: (i - i % 4, i % 4)),
    "one-block-per-element": element_by_element(lambda i, shape: (i, 0)),
    "reserves-256-blocks-per-value": element_by_element(lambda i, shape: (256 * i, 0)),
    "column-major": column_major,
    "lanes-stored-apart": lanes_apart,
    "rows-start-blocks": rows_start_blocks,
    "rows-repeat": rows_repeat,
    "multipliers-exchanged": with_step(multipliers=(M1, M0)),
    "products-not-crossed": with_step(one_round=lambda c, k, a, b: right_round(c, k, b, a)),
    "product-halves-exchanged": with_step(one_round=halves_exchanged),
    "signed-products": with_step(high=signed_high),
    "product-carry-lost": with_step(high=high_without_carry),
    "products-of-24-bits": with_step(high=high_of_24_bits, low=low_of_24_bits),
    "weyl-constants-exchanged": with_step(weyl=(W1, W0)),
    "key-not-bumped": with_step(weyl=(0, 0)),
    "key-bumped-early": with_step(round_key=lambda k, number: bumped(k, number + 1)),
    "key-bumped-late": with_step(round_key=lambda k, number: bumped(k, max(number - 1, 0))),
    "bytes-swapped": lambda words, shape: [byte_swapped(word) for word in each_block(words, shape, philox)],
    **{
        f"no-carry-out-of-word-{word}": lambda words, shape, word=word: each_block(
            words, shape, philox, losing_carry(word)
        )
        for word in range(3)
    },
    **{f"rounds-{rounds}": with_step(rounds=rounds) for rounds in range(1, 12) if rounds != 10},
    "lanes-reversed": with_lanes((3, 2, 1, 0)),
    "every-block-the-first": element_by_element(lambda i, shape: (0, i % 4)),
    **{f"groups-of-{blocks}-blocks-repeat": groups_repeat(blocks) for blocks in (32, 64, 128, 256, 512, 1024)},
}


def advancing(blocks):
    return lambda words, n: count(words[:4], blocks(n)) + list(words[4:])


def right_state(words, n):
    return oracle.new_state_words(from_words(words[:4]), from_words(words[4:]), n)


def advancing_without_carry(word):
    return lambda words, n: losing_carry(word)(words[:4], -(-n // 4)) + list(words[4:])


def counting_reversed(words, n):
    return count(words[3::-1], -(-n // 4))[::-1] + list(words[4:])


def key_first(words, n):
    return list(words[:2]) + count(words[2:], -(-n // 4))


# Pairs, because two faults share a name.
STATE_UPDATES = [
    ("state-not-advanced", advancing(lambda n: 0)),
    ("state-advanced-by-words", advancing(lambda n: n)),
    ("state-advanced-by-floor", advancing(lambda n: n // 4)),
    ("state-advanced-one-short", advancing(lambda n: -(-n // 4) - 1)),
    ("state-advanced-one-far", advancing(lambda n: -(-n // 4) + 1)),
    ("state-advanced-256-per-value", advancing(lambda n: 256 * n)),
    ("state-advanced-256-per-block", advancing(lambda n: 256 * -(-n // 4))),
    ("state-no-carry-out-of-word-0", advancing_without_carry(0)),
    ("state-no-carry-out-of-word-1", advancing_without_carry(1)),
    ("state-no-carry-out-of-word-2", advancing_without_carry(2)),
    ("state-counter-words-reversed", counting_reversed),
    ("state-key-before-counter", key_first),
    ("state-key-changed", lambda words, n: right_state(words, n)[:4] + [words[4] ^ 1, words[5]]),
    ("state-not-written", lambda words, n: [0] * 6),
    ("state-not-written", lambda words, n: [0xCDCDCDCD] * 6),
]
