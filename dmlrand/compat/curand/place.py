"""Where a call of a cuRAND generator begins: 65536 threads take turns, and each has its own subsequence of blocks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

THREADS = 1 << 16
MAX_RUN = 1 << 14  # visits in a run: the words of a run stay in a core's L2 cache

# Pairs (first thread, block), sorted. The next block of a thread is that of the last pair whose thread is not above it.
# There are more than two pairs only after calls for doubles.
Blocks = tuple[tuple[int, int], ...]


class Run(NamedTuple):
    """`visits` consecutive threads visited once, from `thread` on, at one block of their subsequences."""

    thread: int
    block: int
    visits: int


class Place(NamedTuple):
    """The thread that makes the next number, the place of that number among the four of the visit, and the next blocks.

    `offset` is the last offset that was set, and `drawn` the count of numbers since. Only a new seed uses them.
    """

    thread: int
    lane: int
    blocks: Blocks
    offset: int = 0
    drawn: int = 0

    def runs(self, visits: int, step: int) -> Iterator[Run]:
        """The next visits in turn. At each visit, a thread takes `step` blocks."""
        starts = [start for start, _ in self.blocks] + [THREADS]
        done = 0
        while done < visits:
            rounds, before = divmod(done, THREADS)
            thread = (self.thread + done) % THREADS
            pair = bisect_right(starts, thread) - 1
            count = min(visits - done, THREADS - before, starts[pair + 1] - thread, MAX_RUN)
            yield Run(thread, self.blocks[pair][1] + rounds * step, count)
            done += count

    def after(self, numbers: int, step: int) -> Place:
        """The place after `numbers` numbers. A visit that is not complete starts again, at its next number."""
        visits, lane = divmod(self.lane + numbers, 4)
        rounds, rest = divmod(visits, THREADS)
        end = self.thread + rest
        blocks = _add(self.blocks, 0, THREADS, rounds * step)
        blocks = _add(blocks, self.thread, min(end, THREADS), step)
        blocks = _add(blocks, 0, end - THREADS, step)
        return Place(end % THREADS, lane, blocks, self.offset, self.drawn + numbers)

    def at_new_seed(self) -> Place:
        """The place at which another seed begins: curand 16."""
        offset = (self.offset + (self.offset % 4 + self.drawn) // 4) % (1 << 64)
        return place_at(offset) if offset else place_at(0).after((self.offset + self.drawn) % 4, 1)


def place_at(offset: int) -> Place:
    """The place that curandSetGeneratorOffset sets: after `offset` words, also if numbers of two words are drawn."""
    return Place(0, 0, ((0, 0),)).after(offset, 1)._replace(offset=offset, drawn=0)


def _add(blocks: Blocks, start: int, stop: int, step: int) -> Blocks:
    """`blocks` with `step` added for the threads of [start, stop)."""
    if start >= stop:
        return blocks
    firsts = [first for first, _ in blocks]
    added: list[tuple[int, int]] = []
    for first in sorted({*firsts, start, stop} - {THREADS}):
        block = blocks[bisect_right(firsts, first) - 1][1] + step * (start <= first < stop)
        if not added or added[-1][1] != block:
            added.append((first, block))
    return tuple(added)
