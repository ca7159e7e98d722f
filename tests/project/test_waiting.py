"""No test may wait for ever: each wait has a limit, and a watchdog ends a test run that hangs."""

import ast
import os
import re
import subprocess
import sys
import threading

import pytest
from paths import PACKAGE_PARENT, SUPPORT, TESTS
from systems import posix
from waiting import LIMIT, Process, join, wait_until

SOURCES = [path for path in sorted(TESTS.rglob("*.py")) if "makers" not in path.parts and path.name != "waiting.py"]

# Calls of the standard library and of Dask that can wait for ever, by the last part of their name. The number says how
# many positional arguments include a limit. None means that only timeout= is a limit. A read from a pipe has no limit,
# but waiting.Process ends the process that writes to the pipe.
LIMIT_POSITIONS = {
    "run": None,  # of subprocess
    "call": None,
    "check_call": None,
    "check_output": None,
    "join": 1,
    "wait": 1,
    "get": 1,
    "result": 1,
    "acquire": 1,
    "recv": 1,
    "recv_bytes": 1,
    "compute": 1,
    "wait_for_workers": 2,
}
REPLACED = {"subprocess.Popen": "waiting.Process", "os.waitpid": "waiting.exit_code", "os.wait": "waiting.exit_code"}
REPLACED |= {"os.system": "subprocess.run", "os.popen": "subprocess.run"}
OF_SUBPROCESS = {"run", "call", "check_call", "check_output"}
MODULE_WAITS = {"distributed.wait": 2, "concurrent.futures.wait": 2}  # the first argument is not the limit


def endless_waits(source):
    """A line for each call in `source` that may wait for ever."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name, short = ast.unparse(node.func), node.func.attr
        if name in REPLACED:
            yield f"line {node.lineno}: use {REPLACED[name]} in place of {name}"
        if short in OF_SUBPROCESS and not name.startswith("subprocess."):
            continue
        position = MODULE_WAITS.get(name, LIMIT_POSITIONS.get(short, 0))
        limited = position is not None and len(node.args) >= position
        if not limited and not {"timeout", "scheduler"} & {keyword.arg for keyword in node.keywords}:
            yield f"line {node.lineno}: {name} has no limit; give it timeout=waiting.LIMIT"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(TESTS).as_posix())
def test_every_wait_has_a_limit(path):
    assert list(endless_waits(path.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "call",
    [
        "subprocess.run(['true'])",
        "subprocess.check_output(['true'], text=True)",
        "subprocess.Popen(['true'])",
        "os.waitpid(child, 0)",
        "os.system('true')",
        "thread.join()",
        "event.wait()",
        "process.wait()",
        "queue.get()",
        "future.result()",
        "lock.acquire()",
        "pipe.recv()",
        "array.compute()",
        "client.wait_for_workers(2)",
        "distributed.wait(futures)",
    ],
)
def test_a_wait_without_a_limit_is_found(call):
    assert len(list(endless_waits(call))) == 1


def test_a_wait_with_a_limit_is_not_found():
    source = """
subprocess.run(["true"], timeout=LIMIT); Process(["true"]).wait(LIMIT); main.run("--help")
", ".join(words); thread.join(LIMIT); event.wait(timeout=1); queue.get(timeout=LIMIT); mapping.get("key")
distributed.wait(futures, LIMIT); client.wait_for_workers(2, LIMIT); array.compute(scheduler="synchronous")
"""
    assert list(endless_waits(source)) == []


# The functions that wait


def test_a_process_is_killed_at_its_limit_and_its_pipe_ends():
    process = Process([sys.executable, "-c", "import time; time.sleep(3600)"], stdout=subprocess.PIPE, limit=0.5)
    assert process.stdout.read() == b""
    assert process.communicate(timeout=LIMIT) == (b"", None)
    assert process.returncode != 0


def test_the_timer_of_a_process_stops_when_the_process_ends():
    process = Process([sys.executable, "-c", ""])
    assert process.wait(LIMIT) == 0
    assert process._killer.finished.is_set()


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


# The watchdog of conftest.py

HANGS = """
import ctypes

def test_before(): pass

def test_that_hangs():
    ctypes.PyDLL(None).pause()  # holds the GIL: no thread and no signal handler can end it

def test_after(): pass
"""


# By default there are workers.
@pytest.mark.parametrize(
    "workers", [pytest.param(0, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.costly)]
)
@posix("signal.pause")
def test_a_test_that_hangs_ends_the_run_and_is_named(tmp_path, workers):
    (tmp_path / "test_it.py").write_text(HANGS)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    paths = os.pathsep.join([str(TESTS), str(SUPPORT), PACKAGE_PARENT])
    environment |= {"DMLRAND_TEST_LIMIT": "3", "PYTHONPATH": paths}
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-c", os.devnull, "-n", str(workers), "test_it.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 1
    assert "Timeout (0:00:03)!" in done.stderr and "in test_that_hangs\n" in done.stderr
    if workers:  # pytest-xdist reports the test and starts another worker
        assert re.search("crashed while running '.*::test_that_hangs'", done.stdout)
        assert "1 failed, 2 passed" in done.stdout
