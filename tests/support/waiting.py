"""Waits with a limit, because no test may wait for ever."""

import os
import subprocess
import threading
import time

# Seconds. The longest default test takes a minute on an idle machine. The longest wait is for a process that compiles
# kernels, half a minute of a processor. A wait of LIMIT means that something hangs. Emulated processors need more.
TEST_LIMIT = int(os.environ.get("DMLRAND_TEST_LIMIT", 900))
LIMIT = TEST_LIMIT / 3


class Process(subprocess.Popen):
    """A process that is killed after `limit` seconds, so that reads from its pipes end too: they have no timeout."""

    def __init__(self, *arguments, limit=LIMIT, **options):
        super().__init__(*arguments, **options)
        self._killer = threading.Timer(limit, self.kill)
        self._killer.daemon = True
        self._killer.start()

    def wait(self, timeout=None):
        """As Popen.wait, which communicate() also calls. On POSIX, a process killed at the limit has exit code -9."""
        code = super().wait(timeout)
        self._killer.cancel()
        return code


def join(thread, limit=LIMIT):
    """Wait for the end of a thread or a multiprocessing.Process."""
    thread.join(limit)
    assert not thread.is_alive(), f"{thread.name} still runs after {limit} s"


def wait_until(condition, limit=LIMIT, pause=0.001):
    """Wait until condition() is true, and return its value. For events that cannot be waited for in another way."""
    deadline = time.monotonic() + limit
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not true after {limit} s: {condition}"
        time.sleep(pause)
    return value


def exit_code(child):
    """The exit code of a child that os.fork made."""
    _, status = wait_until(lambda: (ended := os.waitpid(child, os.WNOHANG))[0] and ended)
    return os.waitstatus_to_exitcode(status)
