"""Work shared among a few Python threads. Kernels release the GIL, so Python threads run them at the same time.

The threads live for one call. Starting them costs little compared with the smallest work that is shared, and without a
pool there is nothing that a fork can break or that has to be shut down. The caller never waits for a thread to start:
on a busy machine a start can take longer than all of the work.
"""

from _thread import start_new_thread  # threading.Thread.start waits until the thread runs
from collections import deque
from collections.abc import Callable, Iterable
from threading import Condition
from typing import Any


def share(make_worker: Callable[[], Callable[[Any], object]], jobs: Iterable[Any], threads: int) -> None:
    """Do all jobs, in any order, on up to `threads` threads. The caller's thread is one of them.

    Each thread calls make_worker once, and calls the result with one job after another. The first error stops all
    threads after their current jobs, and is raised here. No thread works on a job after this function has returned.
    """
    pending = deque(jobs)
    errors: list[BaseException] = []
    change = Condition()
    working = 0  # started threads that do jobs
    closed = False  # a thread that starts later must not begin a job

    def do_jobs() -> None:
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

    def do_jobs_unless_closed() -> None:
        nonlocal working
        with change:
            if closed:
                return
            working += 1
        do_jobs()
        with change:
            working -= 1
            change.notify()

    try:
        for _ in range(min(threads, len(pending)) - 1):
            try:
                start_new_thread(do_jobs_unless_closed, ())
            except RuntimeError:  # the system has no more threads: the existing ones do all jobs
                break
        do_jobs()
    except BaseException as error:  # KeyboardInterrupt, raised outside of do_jobs
        errors.append(error)
    waiting = True
    while waiting:
        try:
            with change:
                closed = True
                change.wait_for(lambda: working == 0)
            waiting = False
        except BaseException as error:  # KeyboardInterrupt: it is raised when all threads have stopped
            errors.append(error)
    if errors:
        raise errors[0]
