"""Helpers for tests of objects in several threads and in forked children. Every wait has a limit."""

import os
import select
import signal
import threading
import traceback
from contextlib import contextmanager

from waiting import exit_code, join

LIMIT = 60  # seconds, for work that takes milliseconds on an idle machine


def start(work):
    """A running thread. It is a daemon, so that it cannot prevent the end of the test run."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def run_in_threads(work, count):
    """The results of work(0) to work(count - 1), each called in its own thread. The threads start together."""
    together, results, errors = threading.Barrier(count), [None] * count, []

    def run(i):
        try:
            together.wait(LIMIT)
            results[i] = work(i)
        except BaseException as error:  # raised below, in the main thread, where it fails the test
            errors.append(error)

    for thread in [start(lambda i=i: run(i)) for i in range(count)]:
        join(thread, LIMIT)
    if errors:
        raise errors[0]
    return results


@contextmanager
def another_thread_in(enter):
    """During the block, another thread is inside the context manager that enter() returns."""
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
        join(thread, LIMIT)


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
