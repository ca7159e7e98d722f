"""Work shared among a few Python threads. Kernels run without the GIL, so any threads will do.

The threads live for one call. Starting them costs some 50 us, little beside the millisecond and more that the
smallest shared call takes; in return there is no pool to be broken by a fork, blocked by its callers, or shut down.
"""

from collections import deque
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def share(make_worker: "Callable[[], Callable[[Any], object]]", jobs: "Iterable[Any]", threads: int) -> None:
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

    def help_out(ended: Event) -> None:
        work_off()
        ended.set()

    started = []
    for _ in range(min(threads, len(pending)) - 1):
        ended = Event()
        helper = Thread(target=help_out, args=(ended,), name="dmlrand", daemon=True)
        try:
            helper.start()
        except RuntimeError:  # the system gives no more threads: those there are do the work
            break
        started.append((helper, ended))
    work_off()
    for helper, ended in started:
        _join(helper, ended, errors)
    if errors:
        raise errors[0]


def _join(helper: Thread, ended: Event, errors: list[BaseException]) -> None:
    """Wait for a helper, also when Ctrl-C comes meanwhile: nobody may write to the caller's memory after share ends.

    What came is kept, which also stops the helpers after the jobs in hand.
    """
    while True:
        try:
            ended.wait()  # Thread.join alone, once interrupted, takes a running thread for an ended one (Python 3.11)
            return helper.join()
        except BaseException as error:
            errors.append(error)
