"""Faults of the counter and the key of a block: a state read wrongly, another key, a counter counted wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from ...philox import MASK32, MASK64, ROUNDS, W0, W1
from ..dump import Hypothesis, fault
from .variants import Change, Rule, Words6, add_blocks

WORDS = ("counter word 0", "counter word 1", "counter word 2", "counter word 3", "key word 0", "key word 1")
COUNTER = (0, 1, 2, 3)
ADVANCE = "add the block's number to the 128-bit counter"
GOLDEN = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio, odd: the step of SplitMix64


# How the state is read


def bytes_swapped(word: Any) -> Any:
    """The low 32 bits of a number, or of each number of an array, with their bytes in reverse order."""
    return (word & 0xFF) << 24 | (word & 0xFF00) << 8 | word >> 8 & 0xFF00 | word >> 24 & 0xFF


def read_as(words: str) -> Change:
    """Read a state as these six expressions of its words c0 to c3, k0 and k1.

    B reverses the bytes of a word. S is the upper half of a word that is widened as a signed integer.
    """
    names = {"B": bytes_swapped, "S": lambda word: word // 2**31 * MASK32}
    read = eval(f"lambda c0, c1, c2, c3, k0, k1: ({words})", names)
    return lambda words: read(*words)  # type: ignore[no-any-return]


COUNTER_REVERSED = "c3, c2, c1, c0, k0, k1"
KEY_FIRST = "c2, c3, k0, k1, c0, c1"
READINGS = tuple(
    fault(name, (
        f"reads {text}: the counter is words 0 to 3, word 0 the lowest, and the key words 4 and 5"
    ), read=read_as(words))
    for name, text, words in (
        ("counter-words-reversed", "the counter's words highest first", COUNTER_REVERSED),
        ("key-words-reversed", "the key's words highest first", "c0, c1, c2, c3, k1, k0"),
        ("counter-and-key-words-reversed", "the words of counter and key highest first", "c3, c2, c1, c0, k1, k0"),
        ("all-words-reversed", "all six words in reverse order", "k1, k0, c3, c2, c1, c0"),
        ("counter-halves-exchanged", "the halves of the counter in reverse order", "c2, c3, c0, c1, k0, k1"),
        ("key-before-counter", "the key before the counter", KEY_FIRST),
        ("input-words-reordered", "the words of each half of the counter highest first", "c1, c0, c3, c2, k0, k1"),
        ("input-words-reordered", "the words of each 64 bits highest first", "c1, c0, c3, c2, k1, k0"),
        ("input-bytes-swapped", "the bytes of each word in reverse order", "B(c0), B(c1), B(c2), B(c3), B(k0), B(k1)"),
        ("input-bytes-swapped", "the bytes of each counter word in reverse order",
         "B(c0), B(c1), B(c2), B(c3), k0, k1"),
        ("input-bytes-swapped", "the bytes of each key word in reverse order", "c0, c1, c2, c3, B(k0), B(k1)"),
        ("high-counter-words-ignored", "the upper 64 bits of the counter as 0", "c0, c1, 0, 0, k0, k1"),
        ("high-counter-words-ignored", "the upper 96 bits of the counter as 0", "c0, 0, 0, 0, k0, k1"),
        ("counter-ignored", "the counter as 0", "0, 0, 0, 0, k0, k1"),
        ("high-key-word-ignored", "the upper 32 bits of the key as 0", "c0, c1, c2, c3, k0, 0"),
        ("low-key-word-ignored", "the lower 32 bits of the key as 0", "c0, c1, c2, c3, 0, k1"),
        ("key-ignored", "the key as 0", "c0, c1, c2, c3, 0, 0"),
        ("counter-sign-extended", "counter word 0 as a signed integer, whose sign fills word 1",
         "c0, c1 | S(c0), c2, c3, k0, k1"),
        ("key-sign-extended", "key word 0 as a signed integer, whose sign fills key word 1",
         "c0, c1, c2, c3, k0, k1 | S(k0)"),
    )
)  # fmt: skip


# Another key


def splitmix(number: int) -> int:
    """The first number of SplitMix64 from this state on."""
    x = number + GOLDEN & MASK64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK64
    return x ^ x >> 31


def faults_of_keys(key: int) -> Iterator[Hypothesis]:
    """Hashes and parts of the key that a generator may use in its place."""
    low, high = key & MASK32, key >> 32
    first, second = np.random.SeedSequence(key).generate_state(2).tolist()
    for used, text in (
        (splitmix(key), "SplitMix64 of the key"),
        (splitmix(low), "SplitMix64 of the key's lower word"),
        (first | second << 32, "NumPy's SeedSequence of the key"),
        (int.from_bytes(key.to_bytes(8, "little"), "big"), "the key with its bytes reversed"),
        (low << 32, "the key's lower word as the upper one"),
        (high, "the key's upper word as the lower one"),
        (key & (1 << 53) - 1, "the low 53 bits of the key"),
        (key + 1 & MASK64, "greater by 1"),
    ):
        if used != key:
            yield fault("another-key", (
                f"uses key {used:#x} ({used}), which is {text}, in place of key {key:#x} ({key}): check the key, or "
                "the seed"
            ), read=read_as(f"c0, c1, c2, c3, {used & MASK32}, {used >> 32}"))  # fmt: skip


# How blocks are counted

NAMES = {"W0": W0, "W1": W1, "M": MASK32}
FIRST_BLOCK_SKIPPED = fault(
    "first-block-skipped",
    "increments the counter before the first block: compute the block first, then increment",
    skipped_blocks=1,
)
# What is made of word a and a number, by what a sentence says.
OPERATIONS = {"adds {} to {}": "a + {}", "xors {} into {}": "a ^ {}", "puts {} into {}": "{}"}


def counting_rule(changed: dict[int, str], blocks: str = "n") -> Rule:
    """Add `blocks` to the counter, and then change words, modulo 2**32.

    Expressions may use the words f of the first block, the block's number n, and the word a that they change.
    """
    arguments = "lambda f, n, a=0:"
    count = eval(f"{arguments} {blocks}", NAMES)
    changes = {place: eval(f"{arguments} {text}", NAMES) for place, text in changed.items()}

    def rule(first: Words6, block: Any) -> Words6:
        words = add_blocks(first, count(first, block))
        return _put(words, {place: change(first, block, words[place]) for place, change in changes.items()})

    return rule


def _put(words: Words6, changed: dict[int, Any]) -> Words6:
    """The words with others at some places, modulo 2**32."""
    return tuple(changed[i] & MASK32 if i in changed else word for i, word in enumerate(words))  # type: ignore[return-value]


@cache
def counting_faults() -> tuple[Hypothesis, ...]:
    """Blocks whose counter or key is computed wrongly from their number."""
    rules = (fault(name, text, rule=rule) for name, rule, text in _rules())
    lost_carries = (
        fault(f"no-carry-out-of-word-{word}", (
            f"loses the carry out of counter word {word}: when that word wraps, add 1 to word {word + 1}"
        ), lost_carry=word)
        for word in range(3)
    )  # fmt: skip
    return (FIRST_BLOCK_SKIPPED, *lost_carries, *rules)


def _rules() -> Iterator[tuple[str, Rule, str]]:
    yield from _numbers_in_words()
    for times, group in product((1, ROUNDS - 1, ROUNDS), (0, 2, 4, 8, 16, 32, 64)):
        bumps = f"{times} * {f'(n % {group})' if group else 'n'}"
        resets = f"resets it every {group} blocks" if group else "keeps it"
        yield "key-not-reset", counting_rule({4: f"a + {bumps} * W0", 5: f"a + {bumps} * W1"}), (
            f"bumps the key {times} times in each block and {resets}: start each block with the state's key"
        )  # fmt: skip
    for places, words in ((COUNTER, "all counter words"), ((0, 1, 2), "counter words 0, 1 and 2"),
                          ((1, 2), "counter words 1 and 2"), ((4, 5), "both key words")):  # fmt: skip
        rule = counting_rule(dict.fromkeys(places, "a + n"), "0")
        yield "number-added-to-all-words", rule, f"adds the block's number to {words}: {ADVANCE}"
    yield from carries()


def _numbers_in_words() -> Iterator[tuple[str, Rule, str]]:
    name = "block-number-in-a-word"
    for (place, word), (text, made) in product(enumerate(WORDS), OPERATIONS.items()):
        what, four = (text.format(f"{times}the block's number", word) for times in ("", "4 times "))
        alone = " alone" + ", as a thread's subsequence of curand_init" * (place == 2 and text.startswith("adds"))
        if place or not text.startswith("adds"):  # no-carry-out-of-word-0
            yield name, counting_rule({place: made.format("n")}, "0"), f"{what}{alone}: {ADVANCE}"
        yield name, counting_rule({place: made.format("4 * n")}, "0"), f"{four} alone: {ADVANCE}"
        if place:
            also = f"{what}, and advances the counter too: {ADVANCE} only"
            yield name, counting_rule({place: made.format("n")}), also
        for group in (2**power for power in range(1, 11)) if place and not text.startswith("xors") else ():
            number = text.format(f"the number of the group of {group} blocks", word)
            also = f"{number}, and the number in the group to word 0: {ADVANCE}"
            yield "group-number-in-a-word", counting_rule({place: made.format(f"n // {group}")}, f"n % {group}"), also


def carries() -> Iterator[tuple[str, Rule, str]]:
    """Wrong carries out of counter word 0, which has carried if (f[0] + n & M) < f[0]."""
    carried = "(f[0] + n >> 32)"
    for targets, words in (((2,), "2"), ((3,), "3"), ((1, 2), "1 and 2"), ((1, 3), "1 and 3"), ((1, 2, 3), "1 to 3")):
        rule = counting_rule({0: "a + n"} | dict.fromkeys(targets, f"a + {carried}"), "0")
        yield "carry-into-another-word", rule, (
            f"adds the carry out of counter word 0 to word{'s' * (len(words) > 1)} {words}: add it to word 1 only"
        )  # fmt: skip
    yield "carries-not-nested", _carries_not_nested, (
        "adds 1 to word 2 whenever word 1 is 0, and to word 3 whenever word 2 is 0, also without a carry: test word 1 "
        "only after word 0 has wrapped, and word 2 only after word 1 has"
    )  # fmt: skip
    yield "number-added-to-all-words", _adds_until_zero, (
        "adds 1 to each counter word up to one that was 0, as `if (x++ == 0) return` does: add 1 to the next word only "
        "if a word has become 0"
    )  # fmt: skip
    for name, carry, text in (
        ("carry-signed", "(f[0] + n & M ^ 1 << 31) < (f[0] ^ 1 << 31)", "finds the carry out of counter word 0 by a "
         "signed comparison: compare unsigned words"),
        ("carry-early", "(f[0] + n & M) <= f[0]", "adds a carry to word 1 for the first block, because it compares "
         "with <=: compare with <"),
        ("carry-early", "(f[0] + n & M) <= n", "adds a carry to word 1 for all blocks, because it compares word 0 with "
         "the block's number by <=: compare with <"),
        ("carry-lost", "(f[0] + n & M) == 0", "carries out of counter word 0 only for the block where that word is 0: "
         "carry for all later blocks too"),
        ("carry-early", "(f[0] + n + 1 >> 32) - (f[0] + 1 >> 32)", "carries out of counter word 0 one block early, as "
         "that word becomes 0xffffffff: carry when it becomes 0"),
        ("carry-late", "(f[0] + n + M >> 32) - (f[0] + M >> 32)", "carries out of counter word 0 one block late, as "
         "`if (x++ == 0) y++` does: test the word after 1 was added"),
        ("carry-signed", "(f[0] + n & M) >> 31", "adds a carry to word 1 where word 0 is negative as int32: carry at "
         "2^32"),
        ("carry-signed", "-((f[0] + n & M) >> 31)", "adds counter word 0 to word 1 as a signed integer, which is -1 in "
         "its upper 32 bits from 2^31 on: carry at 2^32"),
        ("carry-signed", "(f[0] + n >> 31) - (f[0] >> 31) + 1 >> 1", "carries out of counter word 0 when its sign bit "
         "changes, at 2^31: carry at 2^32"),
    ):  # fmt: skip
        yield name, counting_rule({0: "a + n", 1: f"a + ({carry})"}, "0"), text


def _carries_not_nested(first: Words6, block: Any) -> Words6:
    """Count block by block, where each step tests every word for 0 by itself."""
    wrapped = np.maximum(block + first[0], MASK32) - MASK32  # steps from the one in which word 0 becomes 0
    # The steps in which word 1 is 0, and those in which word 2 stays 0 if it was.
    steps, idle = {0: (block - wrapped, 0), MASK32: (wrapped, block - wrapped)}.get(first[1], (0, block))
    carried = first[2] + steps >> 32 if first[2] else idle
    return _put(add_blocks(first, block), {2: first[2] + steps, 3: first[3] + carried})


def _adds_until_zero(first: Words6, block: Any) -> Words6:
    """Count block by block, where each step adds 1 to every word up to one that was 0."""
    words, steps = {}, block
    for place in COUNTER:
        words[place] = first[place] + steps
        steps = steps - (steps > -first[place] % (1 << 32))
    return _put(first, words)
