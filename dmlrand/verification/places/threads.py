"""Elements of GPU threads that each have a subsequence of their own: counter words 2 and 3 hold the thread's number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...philox import MASK32
from ..dump import Dump, Hypothesis, Place, Places
from ..generators.variants import Counting, Words6, WordVariant, add_blocks

MIN_THREADS = 8
THREAD_SHIFT = 32  # of the thread's number, in the number of a block


def _count(first: Words6, block: Any) -> Words6:
    low = add_blocks(first, block & MASK32)
    upper = add_blocks((low[2], low[3], 0, 0, 0, 0), block >> THREAD_SHIFT)
    return low[0], low[1], upper[0], upper[1], first[4], first[5]


SUBSEQUENCES = WordVariant(Counting(rule=_count))


def thread_orders(dump: Dump) -> Iterator[Hypothesis]:
    """The orders of subsequences whose first elements are those of a dump."""
    width = dump.right.width
    if dump.size < MIN_THREADS:
        return
    base = Hypothesis((), SUBSEQUENCES, None, dump.right)

    def element(thread: Places, number: Places) -> Places:
        return (thread << 2 + THREAD_SHIFT) + number * width

    index = np.arange(MIN_THREADS, dtype=np.int64)
    threads = Place("", lambda i: element(i, i * 0), "")
    if not np.array_equal(base._replace(place=threads).elements(dump, index), dump.head(MIN_THREADS)):
        return
    second = base._replace(place=Place("", lambda i: element(i, i * 0 + 1), "")).elements(dump, index[:2])
    got = dump.head(1 << 22)
    ends = np.flatnonzero((got[:-1] == second[0]) & (got[1:] == second[1])) if got.size > 2 else index[:0]
    if not ends.size:
        yield base._replace(place=Place("thread-subsequences", lambda i: element(i, i * 0), (
            "The generator stores as element i the first element of subsequence i, with counter words 2, 3 increased "
            "by the thread's number i, as cuRAND's curand_init does: count blocks through the whole tensor."
        )))  # fmt: skip
        return
    count = int(ends[0])
    yield base._replace(place=Place("thread-subsequences", lambda i: element(i % count, i // count), (
        f"The generator has {count:,} threads, each with a subsequence of its own (counter words 2, 3), and thread t "
        f"stores elements t, t + {count:,}, t + {2 * count:,}, ..., as PyTorch's CUDA kernels do: count blocks through "
        "the whole tensor."
    )))  # fmt: skip
