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
    work = _Work(make_worker, jobs)
    try:
        for _ in range(min(threads, len(work.pending)) - 1):
            try:
                start_new_thread(work.take_part, ())
            except RuntimeError:  # the system has no more threads: the existing ones do all jobs
                break
        work.do_jobs()
    except BaseException as error:  # KeyboardInterrupt, raised outside of do_jobs
        work.errors.append(error)
    while not work.is_over:
        try:
            work.wait_for_threads()
        except BaseException as error:  # KeyboardInterrupt: it is raised when all threads have stopped
            work.errors.append(error)
    if work.errors:
        raise work.errors[0]


class _Work:
    """The jobs of one call, and the threads that do them."""

    def __init__(self, make_worker: Callable[[], Callable[[Any], object]], jobs: Iterable[Any]) -> None:
        self.make_worker, self.pending = make_worker, deque(jobs)
        self.errors: list[BaseException] = []
        self.change = Condition()
        self.working = 0  # started threads that do jobs
        self.closed = False  # a thread that starts later must not begin a job
        self.is_over = False

    def do_jobs(self) -> None:
        try:
            work = self.make_worker()
            while not self.errors:
                try:
                    job = self.pending.popleft()  # atomic
                except IndexError:
                    return
                work(job)
        except BaseException as error:
            self.errors.append(error)

    def take_part(self) -> None:
        """Do jobs on a started thread, unless it starts too late."""
        with self.change:
            if self.closed:
                return
            self.working += 1
        self.do_jobs()
        with self.change:
            self.working -= 1
            self.change.notify()

    def wait_for_threads(self) -> None:
        with self.change:
            self.closed = True
            self.change.wait_for(lambda: self.working == 0)
        self.is_over = True
