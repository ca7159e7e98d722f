"""Philox4x32-10 in plain Python: the constants, the round, the block function.

Source: Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC'11.

All other code of dmlrand must agree with this definition. A counter is four words and a key is two words, lowest word
first. A block is the four words that `block` makes from a counter and a key, lane 0 first. Words are Python ints,
uint64 arrays of values below 2**32, or nodes of an ONNX graph (dmlrand.onnx). The same expressions work for all,
because no product of two 32-bit words exceeds 64 bits.
"""

from typing import Any

Words4 = tuple[Any, Any, Any, Any]
Words2 = tuple[Any, Any]

M0, M1 = 0xD2511F53, 0xCD9E8D57  # multipliers of counter words 0 and 2
W0, W1 = 0x9E3779B9, 0xBB67AE85  # Weyl steps of the key: golden ratio, sqrt(3) - 1
ROUNDS = 10
MASK32, MASK64 = (1 << 32) - 1, (1 << 64) - 1


def apply_round(counter: Words4, key: Words2) -> Words4:
    """One of the 10 rounds: two 32x32-bit products, whose halves change places and are combined with the key."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    product0, product1 = c0 * M0, c2 * M1
    return (product1 >> 32) ^ c1 ^ k0, product1 & MASK32, (product0 >> 32) ^ c3 ^ k1, product0 & MASK32


def bump_key(key: Words2) -> Words2:
    """The key of the next round."""
    return (key[0] + W0) & MASK32, (key[1] + W1) & MASK32


def add_blocks(counter: Words4, blocks: Any) -> Words4:
    """The counter that is `blocks` further, modulo 2**128. `blocks` is any int, or an ONNX node of up to 2**62.

    >>> add_blocks((0xFFFFFFFF, 0xFFFFFFFF, 0, 0), 1)
    (0, 0, 1, 0)
    """
    words, carry = [], blocks
    for word in counter:
        total = word + carry
        words.append(total & MASK32)
        carry = total >> 32
    return words[0], words[1], words[2], words[3]


def block(counter: Words4, key: Words2, rounds: int = ROUNDS) -> Words4:
    """The four words of one counter and key: lanes 0 to 3 of a block.

    >>> [hex(word) for word in block((0, 0, 0, 0), (0, 0))]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    for _ in range(rounds - 1):
        counter = apply_round(counter, key)
        key = bump_key(key)
    return apply_round(counter, key)
