"""Keys that are used in place of the right one: hashes of it, conversions of it, and keys near it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ...philox import MASK32
from .fault_models import FaultModel
from .hashes import GOLDEN, HASHES, murmur_64, splitmix
from .variants import Counting, Words6, WordVariant

Keys = Iterator[tuple[int, str]]  # each with where it comes from
MASK64 = (1 << 64) - 1
PATTERNS = (0xCDCDCDCD, 0xCCCCCCCC, 0xBAADF00D, 0xFEEEFEEE, 0xDEADBEEF, 0xABABABAB, 0xA5A5A5A5, MASK32)


def other_keys(key: int) -> Keys:
    """Keys that a generator may use by mistake."""
    low, high = key & MASK32, key >> 32
    yield splitmix(key), "SplitMix64 of the key"
    yield splitmix(low), "SplitMix64 of the key's lower word"
    yield splitmix(key + GOLDEN), "the second number of SplitMix64 of the key"
    yield splitmix(key - GOLDEN), "SplitMix64 of the key without the first step"
    yield murmur_64(key), "MurmurHash3's finalizer of the key"
    first, second = np.random.SeedSequence(key).generate_state(2).tolist()
    yield first | second << 32, "NumPy's SeedSequence of the key"
    yield int.from_bytes(key.to_bytes(8, "little"), "big"), "the key with its bytes reversed"
    yield -key & MASK64, "the key, negated"
    yield low ^ high, "the xor of the key's words"
    yield (low ^ high) << 32 | low ^ high, "the xor of the key's words, twice"
    yield low >> 16 | (high >> 16) << 32, "the upper 16 bits of each key word"
    yield low << 32, "the key's lower word as the upper one"
    yield high, "the key's upper word as the lower one"
    yield key & (1 << 53) - 1, "the low 53 bits of the key"
    yield int(float(key)) & MASK64, "the key rounded to float64"
    yield int(np.float32(key)) & MASK64, "the key rounded to float32"
    yield int(str(key), 16) & MASK64, "the key's decimal digits read as hexadecimal"
    for text, digits in (("decimal", str(key)), ("hexadecimal", f"{key:x}")):
        yield int.from_bytes(digits.encode()[:8], "little"), f"the first bytes of the key's {text} text"
    for pattern in PATTERNS:
        yield pattern | pattern << 32, "memory that was never written"
        yield pattern, "memory that was never written"
    for step in (1, 2, 4):
        yield key + step & MASK64, f"greater by {step}"
        yield key - step & MASK64, f"smaller by {step}"


def hashed_keys(key: int) -> Keys:
    """Keys with well-known hashes of the key's words."""
    low, high = key & MASK32, key >> 32
    for name, made in HASHES.items():
        yield made(low) | high << 32, f"the key with {name} of its lower word"
        yield made(low) | made(high) << 32, f"{name} of each word of the key"
        yield made(low), f"{name} of the key's lower word"
        yield made(low) | made(made(low)) << 32, f"{name} of the key's lower word, and of the result"


def key_faults(key: int, others: Callable[[int], Keys] = other_keys) -> list[FaultModel[WordVariant]]:
    """The models of generators that use one of these keys."""
    return [key_model(other, key, f", which is {text},") for other, text in others(key) if other != key]


def key_model(used: int, right: int, remark: str = "", from_zero: bool = False) -> FaultModel[WordVariant]:
    """The model of a generator that uses another key, and the state's counter or counter 0."""

    def read(words: Words6) -> Words6:
        return (*((0,) * 4 if from_zero else words[:4]), used & MASK32, used >> 32)  # type: ignore[return-value]

    start = " and the counter 0" if from_zero else ""
    return FaultModel("another-key", WordVariant(Counting(read=read)), (
        f"The generator uses key {used:#x} ({used}){remark}{start} in place of key {right:#x} ({right}): "
        "check the key, or the seed."
    ))  # fmt: skip
