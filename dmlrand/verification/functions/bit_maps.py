"""Find a map of bits from right to wrong words: masks, inverted bits, shifts, rotations, bits in other places."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...philox import MASK32
from .conversions import WordFunction, calculated

MIN_PAIRS = 32  # with fewer pairs of words, bits could be taken for one another by chance

Words = NDArray[np.uint32]


class BitMap(NamedTuple):
    """A function of words that makes each bit from one bit, or the inverse of one, or leaves it constant.

    moves maps a shift to a mask: these bits of the result come from as many places lower, or higher if the shift is
    negative. The bits of `inverted` are then inverted. A bit that is in no mask is constant.
    """

    moves: dict[int, int]
    inverted: int


BYTES_SWAPPED = {24: 0xFF000000, 8: 0x00FF0000, -8: 0x0000FF00, -24: 0x000000FF}
BITS_REVERSED = {2 * bit - 31: 1 << bit for bit in range(32)}


@cache
def common_bit_maps() -> tuple[WordFunction, ...]:
    """The maps that need no pairs of words to be found."""
    maps = [BitMap(BYTES_SWAPPED, 0), BitMap(BITS_REVERSED, 0)]
    for bits in range(1, 32):
        maps.append(BitMap({0: MASK32 >> bits}, 0))
        maps.append(BitMap({bits: _mask(bits), bits - 32: _mask(bits - 32)}, 0))
        maps += [BitMap({shift: _mask(shift)}, 0) for shift in (bits, -bits)]
    return tuple(map(of_bit_map, maps))


def fit_mask(right: Words, got: Words) -> BitMap | None:
    """The bits that are cleared or set in the words `got`, from any number of pairs. None if no bit is left of w."""
    cleared, set_bits = (int(np.bitwise_or.reduce(bits)) for bits in (right & ~got, got & ~right))
    kept = MASK32 ^ cleared ^ set_bits
    return BitMap({0: kept}, set_bits) if kept and not cleared & set_bits else None


def fit_bit_map(right: Words, got: Words) -> BitMap | None:
    """The map that gives the words `got`, or None. A map of constants only would say nothing of the words."""
    if right.size < MIN_PAIRS:
        return None
    signs, got_signs = _bit_signs(right), _bit_signs(got)
    agreements = got_signs.T @ signs  # [i, j]: how often bit i of got equals bit j of right, less how often it differs
    sums = got_signs.sum(axis=0)
    moves: dict[int, int] = {}
    inverted = 0
    for bit in range(32):
        sources = np.flatnonzero(np.abs(agreements[bit]) == right.size).tolist()
        constant = abs(sums[bit]) == right.size
        if agreements[bit, bit] == right.size:
            sources = [bit]
        elif not constant and not sources:
            return None
        if constant and sources != [bit]:
            inverted |= int(sums[bit] > 0) << bit
        else:
            shift = bit - sources[0]
            moves[shift] = moves.get(shift, 0) | 1 << bit
            inverted |= int(agreements[bit, sources[0]] < 0) << bit
    return BitMap(moves, inverted) if moves else None


def _bit_signs(words: Words) -> NDArray[np.float32]:
    """+1 for each bit that is 1 and -1 for each that is 0: a row for each word, the lowest bit first."""
    bits = words[:, None] >> np.arange(32, dtype=np.uint32) & np.uint32(1)
    return bits.astype(np.float32) * 2 - 1


def of_bit_map(bit_map: BitMap) -> WordFunction:
    """The function that a map is, with the name of the fault, and a remark after the expression."""
    moves, inverted = bit_map
    kept = moves.get(0, 0)
    calculation = expression = _expression(bit_map)
    name = "bits-moved"
    whole = not inverted and all(mask == _mask(shift) for shift, mask in moves.items())
    if moves == {0: MASK32}:
        name, expression = "bits-inverted", f"{expression} ({_inverted_bits(inverted)})"
    elif moves == {0: kept} and inverted == kept ^ MASK32:
        name, expression = "bits-set", f"w | {inverted:#x}"
    elif moves in (BYTES_SWAPPED, BITS_REVERSED) and not inverted:
        what = "bytes" if moves == BYTES_SWAPPED else "bits"
        name, expression = f"{what}-{'swapped' if what == 'bytes' else 'reversed'}", f"the {what} of w in reverse order"
    elif moves == {0: kept} and not inverted:
        name = "bits-cleared"
    elif whole and len(moves) == 2 and max(moves) - min(moves) == 32:
        remark = "its 16-bit halves exchanged" if 16 in moves else f"rotated left by {max(moves)} bits"
        name, expression = "bits-rotated", f"{expression} ({remark})"
    elif whole and len(moves) == 1:
        name = "bits-shifted"
    return WordFunction(name, calculated(calculation), expression)


def _mask(shift: int) -> int:
    """The bits that a shift does not fill with zeros."""
    return MASK32 << shift & MASK32 if shift >= 0 else MASK32 >> -shift


def _inverted_bits(mask: int) -> str:
    bits = [bit for bit in range(32) if mask >> bit & 1]
    if len(bits) == 1:
        return f"they differ in bit {bits[0]} alone"
    return "every bit is inverted" if len(bits) == 32 else f"{len(bits)} bits are inverted"


def _expression(bit_map: BitMap) -> str:
    """The map in the notation of C."""
    terms = []
    for shift, mask in sorted(bit_map.moves.items(), reverse=True):
        moved = "w" if shift == 0 else f"w << {shift}" if shift > 0 else f"w >> {-shift}"
        terms.append(moved if mask == _mask(shift) else f"{moved} & {mask:#x}")
    ones = bit_map.inverted & ~sum(bit_map.moves.values())
    flips = bit_map.inverted ^ ones
    if len(terms) > 1 or ones:
        terms = [f"({term})" for term in terms] + ([f"{ones:#x}"] if ones else [])
    joined = " | ".join(terms)
    if not flips:
        return joined
    return f"{joined if joined == 'w' else f'({joined})'} ^ {flips:#x}"
