"""Functions with parameters, which are computed from pairs of a right word w and a wrong one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...philox import MASK32
from ..dump import Dump, Hypothesis
from ..generators.variants import WordVariant
from .conversions import WordFunction, word_function

MIN_PAIRS = 32  # with fewer pairs of words, bits could be taken for one another by chance
MIN_PARAMETER_WORDS = 16
PARAMETER_WORDS = 256
MIN_DISTINCT_WORDS = 3
STORE_WORD = "store the word"

Words = NDArray[np.uint32]


def fit_parameters(dump: Dump, variant: WordVariant) -> Iterator[Hypothesis]:
    """The hypotheses of a function with a parameter that gives the first elements, of words in order."""
    if not dump.is_of_words or dump.size < MIN_PARAMETER_WORDS:
        return
    index = np.arange(min(dump.size, PARAMETER_WORDS), dtype=np.int64)
    got, made = dump.at(index), Hypothesis((), variant).elements(dump, index)
    if np.unique(got).size < MIN_DISTINCT_WORDS and got.size < MIN_PAIRS or (got == got[0]).all():
        return
    maps = fit_maps(made, got) if got.size >= MIN_PAIRS else ()
    for found in (*_fit_modulo(made, got), *_fit_scaled(made, got), *fit_constants(made, got), *maps):
        if np.array_equal(found.function(made), got):
            yield Hypothesis((), variant, None, found)


def fit_constants(right: Words, got: Words) -> Iterator[WordFunction]:
    """w ^ constant and w + constant, which the first words give."""
    yield _of_bits({0: MASK32}, int(got[0] ^ right[0]))
    addend = int(got[0]) - int(right[0]) & MASK32
    yield word_function("constant-added", f"w + {addend:#x}", f"w + {addend:#x} modulo 2**32")


def _fit_modulo(words: Words, got: Words) -> Iterator[WordFunction]:
    """low + w % n, with n from the greatest common divisor of w - v."""
    values = got.view(np.int32).astype(np.int64)
    for text, signed in (("w", np.uint32), ("int32(w)", np.int32)):
        wide = words.view(signed).astype(np.int64)
        divisor = int(np.gcd.reduce(np.diff(wide - values)))
        if max(2, int(values.max() - values.min()) + 1) <= divisor < 1 << 31:
            low = int(values[0] - wide[0] % divisor)
            shown = f"{text} % {divisor}" + (f" {'+' if low > 0 else '-'} {abs(low)}" if low else "")
            yield word_function("words-reduced", f"{text}.astype('i8') % {divisor} + {low}", shown, STORE_WORD)


def _fit_scaled(words: Words, got: Words) -> Iterator[WordFunction]:
    """low + (w * n >> 32): n from the bounds that each word sets."""
    values = got.view(np.int32).astype(np.int64)
    order = np.argsort(words, kind="stable")
    wide, values = words[order].astype(object), values[order]
    low = int(values[0])
    if (np.diff(values) < 0).any() or low == values[-1]:
        return
    for start in (low, low - 1, 0):
        pairs = [(int(v) - start, w) for v, w in zip(values, wide) if w]
        if low < start or not pairs:
            continue
        least = max(-(-(v << 32) // w) for v, w in pairs)
        most = min(-(-(v + 1 << 32) // w) - 1 for v, w in pairs)
        if least <= most < 1 << 32 and most - least <= max(least // 8, 2):
            n = _roundest(least, most)
            text = f"w * {n} >> 32" + (f", plus {start}" if start else "")
            calculation = f"(w.astype('u8') * {n} >> 32).astype('i8') + {start}"
            yield word_function("words-reduced", calculation, text, STORE_WORD)
            return


def _roundest(least: int, most: int) -> int:
    """The number between the two with the most zeros at its end, in decimal notation."""
    step: int = 10 ** len(str(most))
    while step > 1 and -(-least // step) * step > most:
        step //= 10
    return max(-(-least // step) * step, 1)


# Maps of bits


def fit_maps(right: Words, got: Words) -> Iterator[WordFunction]:
    """The functions that make each bit of `got` from one bit, or the inverse of one, or leave it constant.

    First those that only clear and set bits, which any number of pairs gives. A map of constants only would say nothing
    of the words.
    """
    cleared, set_bits = (int(np.bitwise_or.reduce(bits)) for bits in (right & ~got, got & ~right))
    kept = MASK32 ^ cleared ^ set_bits
    if kept and not cleared & set_bits:
        yield _of_bits({0: kept}, set_bits)
    if right.size < MIN_PAIRS:
        return
    signs, got_signs = _bit_signs(right), _bit_signs(got)
    agreements = got_signs.T @ signs  # [i, j]: how often bit i of got equals bit j of right, less how often it differs
    sums = got_signs.sum(axis=0)
    moves: dict[int, int] = {}
    inverted = 0
    for bit in range(32):
        sources = np.flatnonzero(np.abs(agreements[bit]) == right.size).tolist()
        if agreements[bit, bit] == right.size:
            sources = [bit]
        elif abs(sums[bit]) == right.size:  # a constant
            inverted |= int(sums[bit] > 0) << bit
            continue
        elif not sources:
            return
        shift = bit - sources[0]
        moves[shift] = moves.get(shift, 0) | 1 << bit
        inverted |= int(agreements[bit, sources[0]] < 0) << bit
    if moves:
        yield _of_bits(moves, inverted)


def _bit_signs(words: Words) -> NDArray[np.float32]:
    """+1 for each bit that is 1 and -1 for each that is 0: a row for each word, the lowest bit first."""
    bits = words[:, None] >> np.arange(32, dtype=np.uint32) & np.uint32(1)
    return bits.astype(np.float32) * 2 - 1


def _of_bits(moves: dict[int, int], inverted: int) -> WordFunction:
    """The function of a map of bits, as an expression of C.

    moves maps a shift to a mask: these bits of the result come from as many places lower, or higher if the shift is
    negative. The bits of `inverted` are then inverted. A bit that is in no mask is constant.
    """
    terms = []
    for shift, mask in sorted(moves.items(), reverse=True):
        moved = "w" if shift == 0 else f"w << {shift}" if shift > 0 else f"w >> {-shift}"
        whole = MASK32 << shift & MASK32 if shift >= 0 else MASK32 >> -shift  # the bits that are not shifted in
        terms.append(moved if mask == whole else f"{moved} & {mask:#x}")
    ones = inverted & ~sum(moves.values())
    flips = inverted ^ ones
    if len(terms) > 1 or ones:
        terms = [f"({term})" for term in terms] + ([f"{ones:#x}"] if ones else [])
    expression = " | ".join(terms)
    if flips:
        expression = f"{expression if expression == 'w' else f'({expression})'} ^ {flips:#x}"
    kept = moves.get(0, 0)
    if moves == {0: MASK32}:
        bits = [bit for bit in range(32) if inverted >> bit & 1]
        remark = f"they differ in bit {bits[0]} alone" if len(bits) == 1 else f"{len(bits)} bits are inverted"
        remark = "every bit is inverted" if len(bits) == 32 else remark
        return word_function("bits-inverted", expression, f"{expression} ({remark})")
    if moves == {0: kept} and inverted == kept ^ MASK32:
        return word_function("bits-set", f"w | {inverted:#x}")
    return word_function("bits-cleared" if moves == {0: kept} and not inverted else "bits-moved", expression)
