"""Elements of GPU threads that each read a part of the stream of their own: the thread's number is in the counter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...philox import MASK32
from ...state import counter_of, key_of
from ..dump import Dump, Hypothesis, Place
from ..generators.variants import COUNTERS, Counting, Words6, WordVariant
from ..inverse import locate

MIN_THREADS = 8
THREAD_SHIFT = 32  # of the thread's number, in the number of a block
MAX_HEAD = 1 << 22  # elements in which the second element of a thread is looked for
COUNT_ALL = "count blocks through the whole tensor"


def _in_groups(blocks: int, step: int) -> WordVariant:
    """The generator in which each group of so many blocks begins `step` blocks after the group before it."""

    def rule(first: Words6, block: Any) -> Words6:
        number, carry = block // blocks, block % blocks
        counter = []
        for place in range(4):
            total = first[place] + number * (step >> 32 * place & MASK32) + carry
            counter.append(total & MASK32)
            carry = total >> 32
        return (*counter, first[4], first[5])  # type: ignore[return-value]

    return WordVariant(Counting(rule=rule))


def explain_groups(dump: Dump, first: int) -> Iterator[Hypothesis]:
    """Groups of blocks at one distance, the first of which is right. `first` is the flat index of the second one."""
    if not dump.is_of_words or not first or first % 4 or dump.size < 2 * first + 4:
        return
    words = dump.at(np.arange(first, first + 4, dtype=np.int64)).tolist()
    step = (locate(words, key_of(dump.state)) - counter_of(dump.state)) % COUNTERS
    blocks = first // 4
    group = "Block i of the tensor is" if blocks == 1 else f"Group i of {blocks:,} blocks of the tensor begins at"
    distance = step if step < COUNTERS // 2 else step - COUNTERS
    explanation = f"{group} block i * {distance:,} of the stream: add the block's number to the counter."
    yield Hypothesis((("thread-ids-in-counter", explanation),), _in_groups(blocks, step))


def thread_orders(dump: Dump) -> Iterator[Hypothesis]:
    """The orders of subsequences whose first elements are those of a dump."""
    if dump.size < MIN_THREADS:
        return
    threads, width = np.arange(MIN_THREADS, dtype=np.int64), dump.right.width
    base = Hypothesis((), _in_groups(1 << THREAD_SHIFT, 1 << 64), None, dump.right)

    def stored(name: str, count: int, explanation: str) -> Hypothesis:
        """Thread t stores elements t, t + count, t + 2 * count, ..."""
        place = Place(name, lambda i: (i % count << 2 + THREAD_SHIFT) + i // count * width, explanation)
        return base._replace(place=place)

    one_each = stored("thread-subsequences", dump.size, (
        "The generator stores as element i the first element of subsequence i, with counter words 2, 3 increased "
        f"by the thread's number i, as cuRAND's curand_init does: {COUNT_ALL}."
    ))  # fmt: skip
    if not np.array_equal(one_each.elements(dump, threads), dump.head(MIN_THREADS)):
        return
    second = stored("", 2, "").elements(dump, np.arange(2, 4, dtype=np.int64))
    got = dump.head(MAX_HEAD)
    ends = np.flatnonzero((got[:-1] == second[0]) & (got[1:] == second[1]))
    if not ends.size:
        yield one_each
        return
    count = int(ends[0])
    yield stored("thread-subsequences", count, (
        f"The generator has {count:,} threads, each with a subsequence of its own (counter words 2, 3), and thread t "
        f"stores elements t, t + {count:,}, t + {2 * count:,}, ..., as PyTorch's CUDA kernels do: {COUNT_ALL}."
    ))  # fmt: skip
