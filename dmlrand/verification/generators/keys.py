"""Keys that are used in place of the right one: hashes of the key, parts of it, and keys near it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...philox import MASK32, MASK64
from .fault_models import FaultModel
from .variants import Counting, Words6, WordVariant

GOLDEN = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio, odd: the step of SplitMix64


def splitmix(number: int) -> int:
    """The first number of SplitMix64 from this state on."""
    x = number + GOLDEN & MASK64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK64
    return x ^ x >> 31


def other_keys(key: int) -> Iterator[tuple[int, str]]:
    """Keys that a generator may use by mistake, each with where it comes from."""
    low, high = key & MASK32, key >> 32
    yield splitmix(key), "SplitMix64 of the key"
    yield splitmix(low), "SplitMix64 of the key's lower word"
    first, second = np.random.SeedSequence(key).generate_state(2).tolist()
    yield first | second << 32, "NumPy's SeedSequence of the key"
    yield int.from_bytes(key.to_bytes(8, "little"), "big"), "the key with its bytes reversed"
    yield low << 32, "the key's lower word as the upper one"
    yield high, "the key's upper word as the lower one"
    yield key & (1 << 53) - 1, "the low 53 bits of the key"
    for step in (1, 2, 4):
        yield key + step & MASK64, f"greater by {step}"
        yield key - step & MASK64, f"smaller by {step}"


def key_faults(key: int) -> list[FaultModel[WordVariant]]:
    """The models of generators that use one of these keys."""
    return [key_model(other, key, f", which is {text},") for other, text in other_keys(key) if other != key]


def key_model(used: int, right: int, remark: str = "", from_zero: bool = False) -> FaultModel[WordVariant]:
    """The model of a generator that uses another key, and the state's counter or counter 0."""

    def read(words: Words6) -> Words6:
        return (*((0,) * 4 if from_zero else words[:4]), used & MASK32, used >> 32)  # type: ignore[return-value]

    start = " and the counter 0" if from_zero else ""
    return FaultModel("another-key", WordVariant(Counting(read=read)), (
        f"The generator uses key {used:#x} ({used}){remark}{start} in place of key {right:#x} ({right}): "
        "check the key, or the seed."
    ))  # fmt: skip
