"""Families of generators that each have exactly one fault: many share the name of their fault."""

from math import prod

from faulty_generators import (
    MASK32,
    bumped,
    byte_swapped,
    changing_state,
    count,
    each_block,
    philox,
    reading,
    right_round,
    signed,
    with_step,
)
from oracle import M0, M1, W0, W1, from_words, low_words


def with_counter_word_0(change):
    """The words 0 and 1 of the counter are those that change(c, i) returns."""
    return lambda words, shape: each_block(words, shape, philox, lambda c, i: [*change(c, i), *c[2:]])


def key_bumped_in_place(bumps, group):
    """Each block begins with the key that the one before left, but for the first one of each group."""

    def generate(words, shape):
        made = []
        for i in range(-(-prod(shape) // 4)):
            made += philox(count(words[:4], i), bumped(words[4:], bumps * (i % group)))
        return made[: prod(shape)]

    return generate


def with_product(product):
    """A wrong product of 64 bits, which may be negative, is used for both halves."""
    return with_step(high=lambda a, b: product(a, b) >> 32 & MASK32, low=lambda a, b: product(a, b) & MASK32)


def high_with_signed_shifts(*sites):
    """The high half as in Hacker's Delight, in Java: these shifts are >> and not >>>."""

    def shift(site, word):
        return (signed(word & MASK32) if site in sites else word & MASK32) >> 16

    def high(a, b):
        a1, b1, a0, b0 = shift("a", a), shift("b", b), a & 0xFFFF, b & 0xFFFF
        middle = a1 * b0 + shift("low", a0 * b0)
        second = a0 * b1 + (middle & 0xFFFF)
        return a1 * b1 + shift("middle", middle) + shift("second", second) & MASK32

    return with_step(high=high)


def overwriting(place):
    """A round that overwrites a counter word before its old value was used."""

    def one_round(c, k, a, b):
        c = [*c[:place], right_round(c, k, a, b)[place], *c[place + 1 :]]
        return right_round(c, k, divmod(c[0] * M0, 2**32), divmod(c[2] * M1, 2**32))

    return with_step(one_round=one_round)


def with_key(change):
    return changing_state(lambda words: [*words[:4], *low_words(change(from_words(words[4:])) % 2**64, 2)])


def high_of_middle(middle):
    """The high half from the product of the upper 16 bits, and a wrong sum of the other three products."""

    def high(a, b):
        low, one, two = (a & 0xFFFF) * (b & 0xFFFF) >> 16, (a & 0xFFFF) * (b >> 16), (a >> 16) * (b & 0xFFFF)
        return (a >> 16) * (b >> 16) + middle(low, one, two) & MASK32

    return with_step(high=high)


def counting(counter):
    return lambda words, shape: each_block(words, shape, philox, counter)


def bumped_as_64_bits(k, number):
    return low_words((from_words(k) + number * from_words([W0, W1])) % 2**64, 2)


# a and b are the high and the low half of the products of counter words 0 and 2.
WRONG_ROUNDS = [
    # gpgpu-rs before its correction
    ("round-wired-wrongly", lambda c, k, a, b: [b[0] ^ c[3] ^ k[1], a[1], a[0] ^ c[1] ^ k[0], b[1]]),
    ("round-wired-wrongly", lambda c, k, a, b: [b[0] ^ c[1] ^ k[0], b[1], a[0] ^ c[1] ^ k[1], a[1]]),
    ("round-wired-wrongly", lambda c, k, a, b: [b[0] ^ c[1] ^ k[0], b[1], a[0] ^ k[1], a[1]]),
    ("round-wired-wrongly", lambda c, k, a, b: [b[0] ^ c[1] ^ k[0], b[1], a[0] ^ c[3], a[1]]),
    ("counter-word-overwritten-in-rounds", lambda c, k, a, b: [b[0] ^ b[1] ^ k[0], b[1], a[0] ^ a[1] ^ k[1], a[1]]),
    ("round-wired-wrongly", lambda c, k, a, b: [b[1], b[0] ^ c[1] ^ k[0], a[1], a[0] ^ c[3] ^ k[1]]),
    ("high-halves-exchanged", lambda c, k, a, b: [a[0] ^ c[1] ^ k[0], b[1], b[0] ^ c[3] ^ k[1], a[1]]),
    ("low-halves-exchanged", lambda c, k, a, b: [b[0] ^ c[1] ^ k[0], a[1], a[0] ^ c[3] ^ k[1], b[1]]),
    ("counter-words-1-3-exchanged-in-rounds", lambda c, k, a, b: [b[0] ^ c[3] ^ k[0], b[1], a[0] ^ c[1] ^ k[1], a[1]]),
    ("key-words-exchanged-in-rounds", lambda c, k, a, b: [b[0] ^ c[1] ^ k[1], b[1], a[0] ^ c[3] ^ k[0], a[1]]),
]

# Faults of families, as pairs, because several share a name.
FAMILIES = [
    ("product-half-zero", with_step(high=lambda a, b: 0)),
    ("product-half-repeated", with_step(high=lambda a, b: a * b & MASK32)),
    ("product-shift-signed", high_with_signed_shifts("low")),
    ("product-shift-signed", high_with_signed_shifts("low", "middle", "second")),
    ("product-shift-signed", high_with_signed_shifts("a", "b", "low", "middle", "second")),
    ("product-through-float", with_product(lambda a, b: int(float(a) * float(b)))),
    ("product-of-other-multiplier", with_step(high=lambda a, b: a * (M0 + M1 - b) >> 32)),
    ("product-operand-narrow", with_product(lambda a, b: a % 2**16 * b)),
    ("operand-signed", with_step(high=lambda a, b: signed(a) * b >> 32 & MASK32)),
    *((name, with_step(one_round=one_round)) for name, one_round in WRONG_ROUNDS),
    # The C++ draft N4988, which LWG issue 4134 corrected.
    (
        "round-wired-wrongly",
        with_step(
            multipliers=(M1, M0),
            one_round=lambda c, k, a, b: [a[1], a[0] ^ c[3] ^ k[0], b[1], b[0] ^ c[1] ^ k[1]],
        ),
    ),
    ("counter-word-overwritten-in-rounds", overwriting(0)),
    ("counter-word-overwritten-in-rounds", overwriting(1)),
    ("key-bump-missing", with_step(round_key=lambda k, number: bumped(k, number // 2))),
    ("key-missing-in-a-round", with_step(round_key=lambda k, number: bumped(k, number) if number else (0, 0))),
    ("key-bumped-as-64-bits", with_step(round_key=bumped_as_64_bits)),
    ("block-of-the-block", lambda words, shape: each_block(words, shape, lambda c, k: philox(philox(c, k), k))),
    ("another-key", with_key(lambda key: key + 1)),
    ("another-key", with_key(lambda key: key >> 32)),
    ("key-not-reset", key_bumped_in_place(9, 4)),
    ("key-not-reset", key_bumped_in_place(10, 16)),
    (
        "product-carry-lost",
        high_of_middle(lambda low, one, two: (one >> 16) + (two >> 16) + (low + one % 2**16 >> 16)),
    ),
    ("product-carry-lost", high_of_middle(lambda low, one, two: (one + two & MASK32) >> 16)),
    ("counter-too-slow", counting(lambda c, i: count(c, i // 4))),
    ("counter-too-fast", counting(lambda c, i: count(c, 256 * i))),
    ("number-added-to-all-words", counting(lambda c, i: [*((word + i) % 2**32 for word in c[:3]), c[3]])),
    ("input-bytes-swapped", changing_state(lambda words: [*map(byte_swapped, words[:4]), *words[4:]])),
    ("input-words-reordered", reading(1, 0, 3, 2, 4, 5)),
]


def with_carry_into(*targets):
    """The carry out of counter word 0 is added to these words."""

    def add(c, i):
        carry = (c[0] + i) // 2**32
        return [(c[0] + i) % 2**32, *((c[word] + carry * (word in targets)) % 2**32 for word in (1, 2, 3))]

    return lambda words, shape: each_block(words, shape, philox, add)


# Faults that show where counter word 0 passes a power of two.
COUNTER_FAMILIES = [
    *((32, "carry-into-another-word", with_carry_into(*words)) for words in ((2,), (3,), (1, 2), (1, 3), (1, 2, 3))),
    (32, "carry-early", with_counter_word_0(lambda c, i: ((c[0] + i) % 2**32, c[1] + ((c[0] + i) % 2**32 <= c[0])))),
    (32, "carry-early", with_counter_word_0(lambda c, i: ((c[0] + i) % 2**32, c[1] + (c[0] + i + 1) // 2**32))),
    (32, "carry-late", with_counter_word_0(lambda c, i: ((c[0] + i) % 2**32, c[1] + (c[0] + i - 1) // 2**32))),
    (
        31,
        "carry-signed",
        with_counter_word_0(lambda c, i: ((c[0] + i) % 2**32, c[1] + (signed(c[0] + i) < signed(c[0])))),
    ),
    (32, "carry-lost", with_counter_word_0(lambda c, i: ((c[0] + i) % 2**32, c[1] + (c[0] + i == 2**32)))),
]
