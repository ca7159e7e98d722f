"""Objects in several threads and in forked children. Every wait has a limit."""

import os
import select
import signal
import threading
import traceback
from contextlib import contextmanager

from waiting import exit_code

LIMIT = 60  # seconds for work of milliseconds, on a machine however busy


def start(work):
    """A running thread. As a daemon it cannot keep the test run from ending."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def wait_for(*threads):
    for thread in threads:
        thread.join(LIMIT)
        assert not thread.is_alive(), f"a thread did not end within {LIMIT} s"


def run_in_threads(work, count):
    """What work(i) returns, for `count` values of i in as many threads that start together."""
    together, results, errors = threading.Barrier(count), [None] * count, []

    def run(i):
        try:
            together.wait(LIMIT)
            results[i] = work(i)
        except BaseException as error:  # raised below, in the main thread, where it fails the test
            errors.append(error)

    wait_for(*[start(lambda i=i: run(i)) for i in range(count)])
    if errors:
        raise errors[0]
    return results


@contextmanager
def another_thread_in(enter):
    """Within the block another thread is inside of the context manager that `enter` returns."""
    entered, leave = threading.Event(), threading.Event()

    def stay():
        with enter():
            entered.set()
            leave.wait(LIMIT)

    thread = start(stay)
    assert entered.wait(LIMIT)
    try:
        yield
    finally:
        leave.set()
        wait_for(thread)


def in_a_forked_child(work, limit=20):
    """The bytes that `work` returns in a forked child, which is killed after `limit` seconds."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, work())
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writer)
    try:
        ready, _, _ = select.select([reader], [], [], limit)
        assert ready, f"the forked child did not answer within {limit} s"
        return os.read(reader, 1 << 16)
    finally:
        os.kill(child, signal.SIGKILL)
        exit_code(child)
        os.close(reader)
