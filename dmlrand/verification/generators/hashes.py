"""Well-known hashes of a word, which generators use in place of Philox, for keys, or after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...philox import W0

Hash = Callable[[Any], Any]  # of an int, or of a uint64 array of values below 2**32
GOLDEN = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio, odd
# PCG of 32 bits of state: the next state, and the number made of a state.
PCG_STEP, PCG_OUTPUT = "x * 747796405 + 2891336453", "(x >> (x >> 28) + 4 ^ x) * 277803737; x ^ x >> 22"


def rotated(word: Any, places: Any, bits: int = 32) -> Any:
    """A word rotated to the left."""
    return (word << places | word >> bits - places) & (1 << bits) - 1


NAMES = {"W0": W0, "GOLDEN": GOLDEN, "rotated": rotated}


def in_steps(text: str, bits: int = 32) -> Hash:
    """The function that takes these steps. Each replaces x, and keeps its low bits. w is the argument."""
    steps = [eval(f"lambda x, w: {step}", NAMES) for step in text.split("; ")]
    mask = (1 << bits) - 1

    def made(word: Any) -> Any:
        x = word
        for step in steps:
            x = step(x, word) & mask
        return x

    return made


def _of_bytes(start: str, step: str) -> str:
    """The steps of a hash that takes the word's bytes b one after another, the lowest first."""
    return "; ".join([start, *(step.replace("b", f"(w >> {shift} & 0xff)") for shift in (0, 8, 16, 24))])


# fmt: off
HASHES: dict[str, Hash] = {name: in_steps(text) for name, text in {
    "Wang's hash": "x ^ 61 ^ x >> 16; x * 9; (x ^ x >> 4) * 0x27D4EB2D; x ^ x >> 15",
    "MurmurHash3's fmix32": "(x ^ x >> 16) * 0x85EBCA6B; (x ^ x >> 13) * 0xC2B2AE35; x ^ x >> 16",
    "the hash lowbias32": "(x ^ x >> 16) * 0x7FEB352D; (x ^ x >> 15) * 0x846CA68B; x ^ x >> 16",
    "the hash lowbias32 of 2022": "(x ^ x >> 16) * 0x21F0AAAD; (x ^ x >> 15) * 0xD35A2D97; x ^ x >> 15",
    "SplitMix32's hash": "(x ^ x >> 16) * 0x21F0AAAD; (x ^ x >> 15) * 0x735A2D97; x ^ x >> 15",
    "the hash triple32":
        "(x ^ x >> 17) * 0xED5AD4BB; (x ^ x >> 11) * 0xAC4C1B51; (x ^ x >> 15) * 0x31848BAB; x ^ x >> 14",
    "xxHash32's avalanche": "(x ^ x >> 15) * 0x85EBCA77; (x ^ x >> 13) * 0xC2B2AE3D; x ^ x >> 16",
    "xxHash32": "x * 0xC2B2AE3D + 0x165667B5; rotated(x, 17) * 0x27D4EB2F; "
                "(x ^ x >> 15) * 0x85EBCA77; (x ^ x >> 13) * 0xC2B2AE3D; x ^ x >> 16",
    # RXS-M-XS of 32 bits, as in Jarzynski and Olano, "Hash Functions for GPU Rendering".
    "the PCG hash": f"{PCG_STEP}; {PCG_OUTPUT}",
    "Jenkins' hash of 32 bits": "x + 0x7ED55D16 + (x << 12); x ^ 0xC761C23C ^ x >> 19; x + 0x165667B1 + (x << 5); "
                                "x + 0xD3A2646C ^ x << 9; x + 0xFD7046C5 + (x << 3); x ^ 0xB55A4F09 ^ x >> 16",
    "Jenkins' one-at-a-time hash":  # as shaders use it, for a whole word
        "x + (x << 10); x ^ x >> 6; x + (x << 3); x ^ x >> 11; x + (x << 15)",
    "Wang's hash of 1997": "x + ~(x << 15); x ^ x >> 10; x + (x << 3); x ^ x >> 6; x + ~(x << 11); x ^ x >> 16",
    "the ESGTSA hash of Unity": "(x ^ 2747636419) * W0; (x ^ x >> 16) * W0; (x ^ x >> 16) * W0",
    "Hugo Elias's noise": "x ^ x << 13; x * (x * x * 15731 + 789221) + 1376312589; x & 0x7fffffff",
    "FNV-1a": _of_bytes("0x811C9DC5", "(x ^ b) * 0x01000193"),
    "FNV-1": _of_bytes("0x811C9DC5", "x * 0x01000193 ^ b"),
    "Knuth's multiplicative hash": "x * 0x9E3779B1",
    "the Fibonacci hash": "x * W0",
}.items()}
# fmt: on
SPLITMIX_64 = "(x ^ x >> 30) * 0xBF58476D1CE4E5B9; (x ^ x >> 27) * 0x94D049BB133111EB; x ^ x >> 31"
splitmix = in_steps(f"x + GOLDEN; {SPLITMIX_64}", 64)
murmur_64 = in_steps("(x ^ x >> 33) * 0xFF51AFD7ED558CCD; (x ^ x >> 33) * 0xC4CEB9FE1A85EC53; x ^ x >> 33", 64)


def hash_words(made: Hash, words: NDArray[Any]) -> NDArray[np.uint32]:
    return made(words.astype(np.uint64)).astype(np.uint32)  # type: ignore[no-any-return]
