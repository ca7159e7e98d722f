"""Work shared among a few Python threads. Kernels run without the GIL, so any threads will do.

The threads live for one call. Starting them costs little beside the millisecond and more that the smallest shared call
takes; in return there is no pool to be broken by a fork, blocked by its callers, or shut down. And nobody waits for a
thread to start: on a busy machine that can take longer than all of the work.
"""

from _thread import start_new_thread  # threading's own start waits until the thread runs
from collections import deque
from collections.abc import Callable, Iterable
from threading import RLock
from typing import Any


def share(make_worker: Callable[[], Callable[[Any], object]], jobs: Iterable[Any], threads: int) -> None:
    """Work off all jobs, in any order, on up to `threads` threads, the caller's among them.

    Each thread calls make_worker once, and what it returns with one job after another.
    """
    pending = deque(jobs)
    errors: list[BaseException] = []

    def work_off() -> None:
        try:
            work = make_worker()
            while not errors:
                try:
                    job = pending.popleft()  # atomic
                except IndexError:
                    return
                work(job)
        except BaseException as error:
            errors.append(error)

    def help_out(turn: Any) -> None:
        if turn.acquire(blocking=False):  # else the caller has come to the end meanwhile
            try:
                work_off()
            finally:
                turn.release()

    turns = []  # a lock for each helper: its own while it works, then the caller's for good
    try:
        for _ in range(min(threads, len(pending)) - 1):
            turns.append(RLock())
            try:
                start_new_thread(help_out, (turns[-1],))
            except RuntimeError:  # the system gives no more threads: those there are do the work
                break
        work_off()
    except BaseException as error:  # Ctrl-C, outside of all work
        errors.append(error)
    # Wait until each helper has ended, or keep it from beginning: nobody may write to the caller's memory afterwards.
    # What Ctrl-C raises meanwhile is kept, which also stops the helpers after the jobs in hand.
    while turns:
        try:
            while turns:
                turns[-1].acquire()  # an RLock: the interrupt may come when it is ours already
                turns.pop()
        except BaseException as error:
            errors.append(error)
    if errors:
        raise errors[0]
