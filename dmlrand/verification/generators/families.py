"""Families of faulty generators: products, steps of a round, and counters, each with all of its variations.

A row is a FaultModel as in fault_models.py, whose rows are the commonest faults. Rows of one family share a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from ...philox import MASK32, ROUNDS, W0, W1
from .fault_models import FaultModel
from .faulty_steps import multiply_signed, put_word
from .variants import Counting, Multiply, Rounds, Words6, WordVariant, combine_by_xor, multiply_unsigned

WordFault = FaultModel[WordVariant]

MULTIPLY_RIGHT = "multiply unsigned 32 by 32 bits to 64"
HALVES = ("the product of counter word 0", "the product of counter word 2")


@cache
def round_faults() -> tuple[WordFault, ...]:
    """Faults of the block function."""
    return tuple(_with_rounds(*row) for row in (*_product_rows(), *_round_rows()))


@cache
def counting_faults() -> tuple[WordFault, ...]:
    """Faults of the counter and the key of a block."""
    return tuple(
        FaultModel(name, WordVariant(Counting(rule=rule)), f"The generator {clause}.")
        for name, rule, clause in _counting_rows()
    )


def _with_rounds(name: str, rounds: Rounds, clause: str) -> WordFault:
    return FaultModel(name, WordVariant(rounds=rounds), f"The generator {clause}.")


# Products


def _product_rows() -> Iterator[tuple[str, Rounds, str]]:
    for name, multiply, clause in _multiplications():
        yield name, Rounds(multiply=(multiply, multiply)), f"{clause}: {MULTIPLY_RIGHT}"
        for which in (0, 1):
            chosen: list[Multiply] = [multiply_unsigned, multiply_unsigned]
            chosen[which] = multiply
            yield name, Rounds(multiply=(chosen[0], chosen[1])), f"{clause}, in {HALVES[which]} only: {MULTIPLY_RIGHT}"


def _multiplications() -> Iterator[tuple[str, Multiply, str]]:
    joins = {
        "right": "",
        "middle wraps": "loses the carry of the middle sum",
        "first wraps": "loses the carry of the sum of the two middle pieces",
        "second wraps": "loses the carry of the third piece of the middle sum",
        "second carries": "adds the low piece to the second middle piece only, and loses the carry of the third piece",
        "first carries": "adds the low piece to the first middle piece only, and loses the carry of the third piece",
        "none": "loses the carry of the lower pieces",
    }
    for join, lost in joins.items():
        for keeps_low in (True, False):
            for signed in (0, 1, 2, 3):
                if (join in ("right", "none") and keeps_low and not signed) or (join == "none" and not keeps_low):
                    continue
                clauses = [lost] if lost else []
                clauses += [] if keeps_low else ["drops the carry of the low piece"]
                clauses += ["shifts middle pieces as signed integers"] if signed else []
                name = (
                    "product-carry-lost"
                    if clauses[0] != "shifts middle pieces as signed integers"
                    else "product-shift-signed"
                )
                made = _by_pieces(join, keeps_low, signed)
                yield name, made, f"adds up high halves from 16-bit pieces and {' and '.join(clauses)}"
    for signed in (1, 2, 3):
        for shifted in (0, 3) if signed < 3 else (0,):  # signed and shifted pieces of both are a signed product
            what = ("", "the word", "the constant", "the word and the constant")[signed]
            text = f"cuts {what} into 16-bit pieces with a signed shift"
            yield "product-shift-signed", _by_pieces("right", True, shifted, signed), text
    yield "signed-products", multiply_signed, "multiplies signed integers"
    yield "operand-signed", _signed_operand(True), "multiplies a signed word by an unsigned constant"
    yield "operand-signed", _signed_operand(False), "multiplies an unsigned word by a signed constant"
    for name, dtype in (("float32", np.float32), ("double", np.float64)):
        for high, low in ((True, True), (True, False), (False, True)):
            halves = "" if high and low else " for the high half" if high else " for the low half"
            made = _float_product(dtype, high, low)
            yield "product-through-float", made, f"computes products as {name} numbers{halves}, which rounds them"
    for bits in (16, 24):
        for sides in (1, 2, 3):
            for half in (1, 2, 3):
                if (bits, sides, half) in ((24, 3, 3), (24, 3, 2)):
                    continue  # in fault_models.py
                what = ("", "the word", "the constant", "the word and of the constant")[sides]
                where = ("", " in the high half", " in the low half", "")[half]
                text = f"multiplies only the low {bits} bits of {what}{where}"
                yield "product-operand-narrow", _narrow_product(bits, sides, half), text
    yield "product-half-zero", lambda a, b: (a & 0, a * b & MASK32), "takes 0 for the high half of a product"
    yield "product-half-zero", lambda a, b: (a * b >> 32, a & 0), "takes 0 for the low half of a product"


def _by_pieces(join: str, keeps_low: bool, signed: int, signed_pieces: int = 0) -> Multiply:
    """The high half from 16-bit pieces. Bits of `signed` are the middle pieces that are shifted as signed integers."""

    def upper(piece: Any, is_signed: int) -> Any:
        return (piece >> 16) + (piece >> 31) * 0xFFFF0000 if is_signed else piece >> 16

    def multiply(a: Any, b: int) -> tuple[Any, Any]:
        a1, b1 = upper(a, signed_pieces & 1), upper(b, signed_pieces & 2)
        one, other, top = ((p * q) & MASK32 for p, q in ((a & 0xFFFF, b1), (a1, b & 0xFFFF), (a1, b1)))
        low = (a & 0xFFFF) * (b & 0xFFFF) >> 16 if keeps_low else 0
        both = one + other
        if join == "right":
            middle = low + (one & 0xFFFF) + (other & 0xFFFF)
            high = upper(one, signed & 1) + upper(other, signed & 2) + (middle >> 16)
        elif join == "middle wraps":
            high = upper(both + low & MASK32, signed)
        elif join == "first wraps":
            high = upper((both & MASK32) + low, signed)
        elif join == "second wraps":
            high = (both >> 32 << 16) + upper((both & MASK32) + low & MASK32, signed)
        elif join == "second carries":
            high = upper(one, signed & 1) + upper(other + low, signed & 2)
        elif join == "first carries":
            high = upper(one + low, signed & 1) + upper(other, signed & 2)
        else:
            high = upper(one, signed & 1) + upper(other, signed & 2)
        return top + high & MASK32, a * b & MASK32

    return multiply


def _signed_operand(of_word: bool) -> Multiply:
    def multiply(a: Any, b: int) -> tuple[Any, Any]:
        product = a * b
        return (product >> 32) - ((a >> 31) * b if of_word else a * (b >> 31)) & MASK32, product & MASK32

    return multiply


def _float_product(dtype: Any, high: bool, low: bool) -> Multiply:
    def multiply(a: Any, b: int) -> tuple[Any, Any]:
        product = (np.asarray(a, np.uint64).astype(dtype) * dtype(b)).astype(np.float64)
        of_high = np.minimum(np.floor(product / 2.0**32), MASK32).astype(np.uint64)
        of_low = np.fmod(product, 2.0**32).astype(np.uint64)
        return of_high if high else a * b >> 32, of_low if low else a * b & MASK32

    return multiply


def _narrow_product(bits: int, sides: int, halves: int) -> Multiply:
    mask = (1 << bits) - 1

    def multiply(a: Any, b: int) -> tuple[Any, Any]:
        narrow = (a & mask if sides & 1 else a) * (b & mask if sides & 2 else b)
        whole = a * b
        return (narrow if halves & 1 else whole) >> 32, (narrow if halves & 2 else whole) & MASK32

    return multiply


# Steps of a round


def _round_rows() -> Iterator[tuple[str, Rounds, str]]:
    for number in range(1, ROUNDS):
        for words, text in (((1, 1), "key"), ((1, 0), "key word 0"), ((0, 1), "key word 1")):
            for step, what in ((-1, "does not bump the {} before"), (1, "bumps the {} twice before")):
                where = f"round {number + 1}: bump it once before every round but the first"
                yield (
                    "key-bump-missing" if step < 0 else "key-bump-doubled",
                    Rounds(bumps=_bumps(number, words, step)),
                    (f"{what.format(text)} {where}"),
                )
    for number in range(ROUNDS):
        text = f"uses no key in round {number + 1}: use the bumped key in each of the {ROUNDS} rounds"
        yield "key-missing-in-a-round", Rounds(unkeyed=(number,)), text
    yield (
        "key-bumped-as-64-bits",
        Rounds(bump_carries=True),
        "bumps the key as one number of 64 bits: add to both words without a carry between them",
    )
    yield (
        "key-bumped-as-64-bits",
        Rounds(bump_carries=True, key_steps=(W0, 0)),
        f"adds {W0:#x} to the key as a number of 64 bits: add {W0:#x} to word 0 and {W1:#x} to word 1",
    )
    for (name, combine), halves in ((row, halves) for row in _COMBINATIONS.items() for halves in (3, 1, 2)):
        where = ("", " in words 0 and 1", " in words 2 and 3", "")[halves]
        used = combine if halves & 1 else combine_by_xor, combine if halves & 2 else combine_by_xor
        yield "xor-replaced", Rounds(combine=used), f"computes {name}{where} of a round: use high ^ counter ^ key"
    yield (
        "counter-words-1-3-exchanged-in-rounds",
        Rounds(kept=(3, 1)),
        "exchanges counter words 1 and 3 in each round: combine word 1 with the product of word 2",
    )
    yield (
        "key-words-exchanged-in-rounds",
        Rounds(keys=(1, 0)),
        "exchanges the key words in each round: use key word 0 for counter word 0",
    )
    yield "fed-forward", Rounds(feed=np.bitwise_xor), "combines the block with its counter by xor: store the block"
    yield "fed-forward", Rounds(feed=np.add), "adds the counter to the block: store the block"


def _bumps(number: int, words: tuple[int, int], step: int) -> Callable[[int], tuple[int, int]]:
    return lambda n: (n + step * words[0] * (n >= number), n + step * words[1] * (n >= number))


_COMBINATIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "(high ^ counter) + key": lambda half, word, key: (half ^ word) + key,
    "(high + counter) ^ key": lambda half, word, key: (half + word & MASK32) ^ key,
    "high ^ (counter + key)": lambda half, word, key: half ^ (word + key & MASK32),
    "high + counter + key": lambda half, word, key: half + word + key,
    "(high + key) ^ counter": lambda half, word, key: (half + key & MASK32) ^ word,
    "high + (counter ^ key)": lambda half, word, key: half + (word ^ key),
    "(high ^ counter) | key": lambda half, word, key: (half ^ word) | key,
    "(high | counter) ^ key": lambda half, word, key: (half | word) ^ key,
    "high ^ (counter | key)": lambda half, word, key: half ^ (word | key),
    "high | counter | key": lambda half, word, key: half | word | key,
    "(high ^ key) | counter": lambda half, word, key: (half ^ key) | word,
    "high | (counter ^ key)": lambda half, word, key: half | (word ^ key),
    "high ^ counter": lambda half, word, key: half ^ word,
    "high ^ key": lambda half, word, key: half ^ key,
    "counter ^ key": lambda half, word, key: word ^ key,
}


# Counters and keys of blocks

_NAMES = tuple(f"counter word {i}" for i in range(4)) + ("key word 0", "key word 1")
ADVANCE = "add the block's number to the 128-bit counter"
Rule = Callable[[Words6, Any], Words6]


def _counting_rows() -> Iterator[tuple[str, Rule, str]]:
    operations: dict[str, Callable[[Any, Any], Any]] = {
        "adds {} to {}": lambda word, number: word + number & MASK32,
        "xors {} into {}": lambda word, number: word ^ number & MASK32,
        "ors {} into {}": lambda word, number: word | number & MASK32,
        "puts {} into {}": lambda word, number: (word & 0) + (number & MASK32),
    }
    for place, name in enumerate(_NAMES):
        for text, operation in operations.items():
            what = text.format("the block's number", name)
            if (place, text) != (0, "adds {} to {}"):  # no-carry-out-of-word-0
                yield "block-number-in-a-word", _rule(place, operation, lambda b: b), f"{what} alone: {ADVANCE}"
            four = text.format("4 times the block's number", name)
            yield "block-number-in-a-word", _rule(place, operation, lambda b: 4 * b), f"{four} alone: {ADVANCE}"
            if place > 0:
                more = f"{what}, and advances the counter too: {ADVANCE} only"
                yield "block-number-in-a-word", _rule(place, operation, lambda b: b, lambda b: b), more
            for power in range(1, 11) if place and not text.startswith(("xors", "ors")) else ():
                group = 1 << power
                what_group = text.format(f"the number of the group of {group} blocks", name)
                rule = _rule(place, operation, lambda b, n=power: b >> n, lambda b, n=group - 1: b & n)
                yield "group-number-in-a-word", rule, f"{what_group}, and the number in the group to word 0: {ADVANCE}"
    for period in (2, 3, 4):
        for place in (4, 5):
            turning = lambda b, n=period: b % n  # noqa: E731
            text = f"{_NAMES[place]} of block i is increased by i mod {period}: use one key for all blocks"
            rule = _rule(place, operations["adds {} to {}"], turning, lambda b: b)
            yield "key-alternates", rule, f"changes the key from block to block, so that {text}"
    for number in (ROUNDS - 1, ROUNDS):
        yield (
            "key-not-reset",
            _bumped_in_place(number),
            (
                f"bumps the key {number} times in each block and keeps it for the next: start each block with the "
                "state's key"
            ),
        )
    for shift in (1, 2, 3):
        text = f"advances the counter by 1 for {1 << shift} blocks, so that each is made {1 << shift} times: {ADVANCE}"
        yield "counter-too-slow", _slow(shift), text
    yield "counter-runs-backwards", lambda c, b: _subtracted(c, b), f"subtracts the block's number: {ADVANCE}"
    yield (
        "number-added-to-all-words",
        lambda c, b: (*(w + b & MASK32 for w in c[:4]), *c[4:]),
        (f"adds the block's number to each counter word: {ADVANCE}"),
    )
    yield from _carry_rows()


def _carry_rows() -> Iterator[tuple[str, Rule, str]]:
    for word, target in ((0, 2), (0, 3), (0, 4), (0, 5), (1, 3), (1, 4), (3, 4), (3, 0)):
        text = f"adds the carry out of counter word {word} to {_NAMES[target]}: "
        text += "wrap modulo 2^128" if word == 3 else f"add it to word {word + 1}"
        yield "carry-into-another-word", _carrying(word, target=target), f"{text}"
    for word in range(3):
        right = f"add 1 to word {word + 1} when word {word} wraps"
        yield "carry-doubled", _carrying(word, times=2), f"adds the carry out of counter word {word} twice: {right}"
        late = f"adds the carry out of counter word {word} one block late: {right}"
        yield "carry-late", _carrying(word, late=1), late
        early = f"adds the carry out of counter word {word} one block early: {right}"
        yield "carry-early", _carrying(word, late=-1), early
        yield (
            "carry-subtracted",
            _carrying(word, times=-1),
            (f"subtracts the carry out of counter word {word}: {right}"),
        )
    for limit in (MASK32, MASK32 >> 1):
        yield (
            "counter-saturates",
            _saturating(limit),
            (f"stops counter word 0 at {limit:#x}: {ADVANCE}"),
        )
    yield "counter-saturates", _saturated_128, "stops the counter at 2^128 - 1: wrap modulo 2^128"
    yield (
        "carry-signed",
        _signed_carry,
        ("finds the carry out of counter word 0 by a signed comparison: compare unsigned words"),
    )
    yield (
        "carry-signed",
        lambda c, b: _at_sign(c, b),
        ("carries out of counter word 0 when its sign bit changes, at 2^31: carry at 2^32"),
    )


def _rule(place: int, operation: Any, number: Any, advance: Any = None) -> Rule:
    def rule(first: Words6, block: Any) -> Words6:
        words = first if advance is None else _added(first, advance(block))
        return put_word(words, place, operation(words[place], number(block)))

    return rule


def _added(first: Words6, blocks: Any) -> Words6:
    words, carry = [], blocks & 0
    for word, addend in zip(first[:4], (blocks & MASK32, blocks >> 32, 0, 0)):
        total = word + addend + carry
        words.append(total & MASK32)
        carry = total >> 32
    return (*words, first[4], first[5])  # type: ignore[return-value]


def _subtracted(first: Words6, blocks: Any) -> Words6:
    """The complement of a counter plus blocks is the complement of the counter less blocks."""
    inverted = _added((*(word ^ MASK32 for word in first[:4]), first[4], first[5]), blocks)  # type: ignore[arg-type]
    return (*(word ^ MASK32 for word in inverted[:4]), first[4], first[5])  # type: ignore[return-value]


def _bumped_in_place(times: int) -> Rule:
    def rule(first: Words6, block: Any) -> Words6:
        words = _added(first, block)
        number = times * block & MASK32
        return (*words[:4], first[4] + number * W0 & MASK32, first[5] + number * W1 & MASK32)

    return rule


def _carrying(word: int, target: int | None = None, times: int = 1, late: int = 0) -> Rule:
    """Count with the carry out of one word added to another word, several times, or some blocks late."""

    def rule(first: Words6, block: Any) -> Words6:
        right = _added(first, block)
        lower = sum(first[i] << 32 * i for i in range(word + 1))
        last = (1 << 32 * (word + 1)) - lower  # blocks until the word wraps
        carry = block * 0 + (block >= last if last < 1 << 63 else 0)
        delayed = block * 0 + (block >= last + late if 0 <= last + late < 1 << 63 else 0)
        place = word + 1 if target is None else target
        words = list(right)
        if word < 3:
            words[word + 1] = words[word + 1] - carry & MASK32
        words[place] = words[place] + (delayed * times if times > 0 else -delayed) & MASK32
        return tuple(words)  # type: ignore[return-value]

    return rule


def _slow(shift: int) -> Rule:
    return lambda first, block: _added(first, block >> shift)


def _saturating(most: int) -> Rule:
    def rule(first: Words6, block: Any) -> Words6:
        total = first[0] + block
        return put_word(first, 0, np.where(total > most, max(most, first[0]), total))

    return rule


def _saturated_128(first: Words6, block: Any) -> Words6:
    counter = sum(word << 32 * i for i, word in enumerate(first[:4]))
    return _added(first, np.minimum(block, min((1 << 128) - 1 - counter, (1 << 63) - 1)))


def _signed_carry(first: Words6, block: Any) -> Words6:
    total = first[0] + block & MASK32
    sign = 1 << 31
    carry = (total ^ sign) < (first[0] ^ sign)
    return put_word(put_word(first, 0, total), 1, first[1] + carry & MASK32)


def _at_sign(first: Words6, block: Any) -> Words6:
    total = first[0] + block
    carry = (total >> 31) - (first[0] >> 31)
    return put_word(put_word(first, 0, total & MASK32), 1, first[1] + (carry + 1 >> 1) & MASK32)
