"""cuRAND's order of threads (place.py): each number's thread and block after any number of draws."""

from itertools import combinations, product
from types import SimpleNamespace

from symbolic import Fault, Integer, claim, code_of, loop_of, paths, prove, z3

from dmlrand.compat import curand as place

THREADS = place.THREADS
THREAD, DONE, VISITS, FIRST, LANE, NUMBERS, VISIT = z3.Ints("thread done visits first lane numbers visit")
BOUNDS = [0 <= FIRST, FIRST < THREADS, 0 <= LANE, LANE < 4, 0 <= NUMBERS]


def least(*values):
    smallest, *rest = (Integer(0).like(value).value for value in values)
    for value in rest:
        smallest = z3.If(value < smallest, value, smallest)
    return Integer(smallest)


@claim(
    Fault("after", "_add(blocks, 0, end - THREADS, step)", "_add(blocks, 0, 0, step)"),
    Fault("after", "0, THREADS, rounds * step", "0, THREADS, rounds"),
    Fault("after", "self.lane + numbers", "numbers"),
    Fault("after", "min(end, THREADS)", "end - 1"),
    kinds=[(1,), (2,)],
)
def test_the_blocks_of_each_thread_after_a_draw(fault, step):
    """A thread's next block has grown by `step` for each of its visits, for any number of visits from any thread on."""

    def run():
        added = []

        def add(blocks, start, stop, by):
            added.append([Integer(0).like(value).value for value in (start, stop, by)])

        after = code_of(place.Place.after, fault, _add=add, min=least, Place=lambda *members: members)
        here = SimpleNamespace(thread=Integer(FIRST), lane=Integer(LANE), blocks=None, offset=None, drawn=Integer(0))
        return added, after(here, Integer(NUMBERS), step)

    visits = (LANE + NUMBERS) / 4
    before = (THREAD - FIRST) % THREADS  # visits of other threads before the first one of this thread
    own = (visits - before + THREADS - 1) / THREADS
    for conditions, (added, (thread, lane, *_)) in paths(run, *BOUNDS, 0 <= THREAD, THREAD < THREADS):
        grown = sum(z3.If(z3.And(start <= THREAD, THREAD < stop), by, 0) for start, stop, by in added)
        prove(grown == own * step, *conditions)
        prove(z3.And(thread.value == (FIRST + visits) % THREADS, lane.value == (LANE + NUMBERS) % 4), *conditions)


@claim(
    Fault("runs", "rounds * step", "step"),
    Fault("runs", "THREADS - before", "THREADS"),
    Fault("runs", "starts[pair + 1] - thread", "starts[pair + 1]"),
    Fault("runs", "(self.thread + done)", "done"),
    Fault("runs", "visits - done", "visits"),
    kinds=[(1,), (2,)],
)
def test_runs(fault, step):
    """Visit i is of thread (first + i) mod 65536, at its next block + step for each of its visits before.

    The loop, from any number of visits that are done: its run covers the next visits, at least one, and no others.
    """
    start, stop, block = z3.Ints("start stop block")  # the threads that have the same next block as `thread`
    names = dict(min=least, bisect_right=lambda starts, thread: 1, Run=lambda *members: members)
    body = loop_of(place.Place.runs, fault=fault, **names)
    thread = (FIRST + DONE) % THREADS

    def run():
        here = SimpleNamespace(thread=Integer(FIRST), blocks=[(None, Integer(block))])
        starts = [Integer(start), Integer(stop)]
        loop = body(self=here, starts=starts, done=Integer(DONE), visits=Integer(VISITS), step=step)
        made = next(loop)
        try:
            next(loop)
        except StopIteration as end:
            return made, end.value

    bounds = [*BOUNDS, 0 <= DONE, DONE < VISITS, start <= thread, thread < stop, stop <= THREADS]
    for conditions, ((first, at, count), after) in paths(run, *bounds):
        prove(z3.And(count.value >= 1, DONE + count.value <= VISITS), *conditions)
        prove(after["done"].value == DONE + count.value, *conditions)
        in_run = [*conditions, DONE <= VISIT, VISIT < DONE + count.value]
        here = first.value + (VISIT - DONE)
        prove(z3.And(here == (FIRST + VISIT) % THREADS, start <= here, here < stop), *in_run)
        prove(at.value == block + VISIT / THREADS * step, *in_run)


def all_blocks(threads):
    """The next blocks of a ring of few threads: every division of it, with blocks that differ or are equal."""
    for count in range(threads):
        for firsts in combinations(range(1, threads), count):
            for blocks in product(range(3), repeat=count + 1):
                if all(a != b for a, b in zip(blocks, blocks[1:])):
                    yield tuple(zip((0, *firsts), blocks))


def block_of(blocks, thread):
    return [block for first, block in blocks if first <= thread][-1]


@claim(
    Fault("_add", "start <= first < stop", "start <= first <= stop"),
    Fault("_add", "- {THREADS}", ""),
    Fault("_add", "start, stop}", "start}"),
    Fault("_add", "not added or", "not added or first or"),
)
def test_blocks_that_grow(fault):
    """Tried for all divisions of a ring of 5 threads: those of [start, stop) have grown, and equal ones are joined."""
    threads = 5
    add = code_of(place._add, fault, THREADS=threads)
    right = True
    for blocks in all_blocks(threads):
        for start, stop, step in product(range(threads), range(threads + 1), (1, 2)):
            grown = add(blocks, start, stop, step)
            for thread in range(threads):
                expected = block_of(blocks, thread) + step * (start <= thread < stop)
                right = right and block_of(grown, thread) == expected
            right = right and all(a[0] < b[0] < threads and a[1] != b[1] for a, b in zip(grown, grown[1:]))
    prove(z3.BoolVal(right))
