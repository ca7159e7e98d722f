"""Work shared among a few Python threads. Kernels release the GIL, so Python threads run them at the same time.

Threads live for one call: starting one takes microseconds, compared with the smallest work that is shared, and without
a pool there is nothing that a fork can break or that has to be shut down.
"""

from _thread import start_new_thread  # threading.Thread.start waits until the thread runs: long on a busy machine
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import Condition
from typing import Any


def share(work: Callable[[Any], object], jobs: Iterable[Any], threads: int) -> None:
    """Do all jobs, in any order, on up to `threads` threads. The caller's thread is one of them.

    The first error stops all threads after their current jobs, and is raised here.
    """
    pending, change, busy = deque(jobs), Condition(), 0
    errors: list[BaseException] = []

    def do_jobs() -> None:
        nonlocal busy
        while True:
            with change:
                if errors or not pending:  # always so for a thread that starts late
                    return
                job, busy = pending.popleft(), busy + 1
            try:
                work(job)
            except BaseException as error:
                errors.append(error)
            with change:
                busy -= 1
                change.notify()

    with suppress(RuntimeError):  # the system has no more threads: the existing ones do all jobs
        for _ in range(min(threads, len(pending)) - 1):
            start_new_thread(do_jobs, ())
    do_jobs()
    with change:
        change.wait_for(lambda: not busy)
    if errors:
        raise errors[0]
