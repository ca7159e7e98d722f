"""No test waits for ever: the functions of waiting.py have a limit, and a watchdog ends a test run that hangs."""

import os
import re
import subprocess
import sys
import threading

import pytest
from paths import PACKAGE_PARENT, SUPPORT, TESTS
from systems import posix
from waiting import LIMIT, Process, join, wait_until


def test_a_process_is_killed_at_its_limit_and_its_pipe_ends():
    process = Process([sys.executable, "-c", "import time; time.sleep(3600)"], stdout=subprocess.PIPE, limit=0.5)
    assert process.stdout.read() == b""
    assert process.communicate(timeout=LIMIT) == (b"", None)
    assert process.returncode != 0


def test_waits_fail_at_their_limit():
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait, args=(LIMIT,), name="sleeper")
    thread.start()
    try:
        with pytest.raises(AssertionError, match="sleeper still runs after 0.01 s"):
            join(thread, limit=0.01)
        with pytest.raises(AssertionError, match="not true after 0.01 s"):
            wait_until(stop.is_set, limit=0.01)
    finally:
        stop.set()
    join(thread)
    assert wait_until(stop.is_set)


HANGS = """
import ctypes

def test_before(): pass

def test_that_hangs():
    ctypes.PyDLL(None).pause()  # holds the GIL: no thread and no signal handler can end it

def test_after(): pass
"""


@pytest.mark.costly
@posix("signal.pause")
def test_a_test_that_hangs_ends_the_run_and_is_named(tmp_path):
    (tmp_path / "test_it.py").write_text(HANGS)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    paths = os.pathsep.join([str(TESTS), str(SUPPORT), PACKAGE_PARENT])
    environment |= {"DMLRAND_TEST_LIMIT": "3", "PYTHONPATH": paths}
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-c", os.devnull, "-n", "1", "test_it.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 1
    assert "Timeout (0:00:03)!" in done.stderr and "in test_that_hangs\n" in done.stderr
    # pytest-xdist reports the test and starts another worker
    assert re.search("crashed while running '.*::test_that_hangs'", done.stdout)
    assert "1 failed, 2 passed" in done.stdout
