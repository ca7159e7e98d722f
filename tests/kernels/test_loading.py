"""The load of numba and of compiled kernels: faults and Ctrl-C in the middle of it. specs/kernels.md, 14.

Each case is a process of its own. Faults are injected at the end of the import of a module.
"""

import os
import subprocess
import sys

import pytest
from paths import PACKAGE_PARENT
from systems import posix
from waiting import LIMIT

pytestmark = pytest.mark.compiled

SCRIPT = """
import errno, importlib.machinery, signal, sys, time, warnings
from dmlrand import advance_blocks, make_state, random_generator
from dmlrand import kernels
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts `pytest &` with SIGINT ignored
state = make_state(counter=2**64 - 1, key=7)
def draw():
    words, right = random_generator(state, 2**20 + 1).values, random_generator(advance_blocks(state, 2**18), 1).values
    return words[:1].tolist() == random_generator(state, 1).values.tolist() and words[-1] == right[0]
def loaded():
    return "CPUDispatcher" in repr(kernels.of_rule("word").fill.run)
faults = []  # (the name of a module, what happens at the end of its import): each happens once, in this order
execute = importlib.machinery.SourceFileLoader.exec_module
def exec_module(loader, module):
    execute(loader, module)
    if faults and module.__name__ == faults[0][0]:
        faults.pop(0)[1]()
importlib.machinery.SourceFileLoader.exec_module = exec_module
def fail(error):
    def fault():
        raise error
    return fault
def interrupt():
    signal.raise_signal(signal.SIGINT)
def draw_interrupted():
    try:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            assert draw()
        raise AssertionError("no KeyboardInterrupt")
    except KeyboardInterrupt:
        pass
"""
# The import of numba itself; its first compilation; a module of this package.
MOMENTS = ["numba.core.typing.context", "numba.experimental.function_type", "dmlrand.kernels.words"]


def run(code, *arguments, **settings):
    """Run the script and this code, where warnings are errors."""
    environment = os.environ | {"PYTHONPATH": PACKAGE_PARENT, "DMLRAND_KERNELS": "", **settings}
    command = [sys.executable, "-W", "error", "-c", SCRIPT + code, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


@pytest.mark.costly
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_load_that_fails_for_a_passing_cause_is_tried_again(moment):
    """kernels 14"""
    code = """
faults = [(sys.argv[1], fail(MemoryError())), (sys.argv[1], fail(OSError(errno.EMFILE, "no descriptors")))]
assert draw() and draw() and not faults and not loaded()
assert draw() and loaded()
"""
    run(code, moment)


@pytest.mark.costly
@posix("a limit on file descriptors")
def test_without_file_descriptors_numpy_draws():
    """kernels 14"""
    code = """
import os, resource
random_generator(advance_blocks(state, 1), 4)  # what a process needs before numba is loaded
random_generator(state, [4])
resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
opened = []
try:
    while True:
        opened.append(os.open(os.devnull, os.O_RDONLY))
except OSError:
    pass
assert draw() and draw() and not loaded()
for each in opened:
    os.close(each)
assert draw() and loaded()
"""
    run(code)


@pytest.mark.costly
def test_a_load_in_a_deep_recursion_is_tried_again():
    """kernels 14"""
    code = """
random_generator(advance_blocks(state, 1), 4)  # what a process needs before numba is loaded
random_generator(state, [4])

def deep(calls):
    return deep(calls - 1) if calls else draw()

assert deep(sys.getrecursionlimit() - 70) and not loaded()
assert draw() and loaded()
"""
    run(code)


@pytest.mark.costly
def test_causes_that_may_pass_are_tried_a_few_times():
    """kernels 14"""
    code = """
faults = [("llvmlite", fail(MemoryError()))] * (kernels.MAX_FAILED_LOADS + 1)
for _ in range(kernels.MAX_FAILED_LOADS - 1):
    assert draw()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert draw() and draw()
(warned,) = caught
assert "which cannot be used: MemoryError. If it is missing" in str(warned.message), warned.message
assert len(faults) == 1
"""
    run(code)


@pytest.mark.costly
def test_another_failure_is_one_true_warning():
    """kernels 14"""
    code = """
for error in (OSError("no object"), AttributeError("no attribute"), RuntimeError("no run"), SystemError("no system")):
    faults = [("llvmlite", fail(error))] * 2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert draw() and draw()
    (warned,) = caught
    assert f"which cannot be used: {type(error).__name__}: {error}. If it is" in str(warned.message), warned.message
    assert len(faults) == 1, "it is not tried again"
    kernels._problems.clear()
    kernels._warned = False
faults = []
assert draw() and loaded()
"""
    run(code)


@pytest.mark.costly
def test_a_kernel_that_numba_cannot_compile_runs_in_numpy():
    """kernels 14"""
    code = """
from dmlrand import random_window
import numba.core.dispatcher as m
compile = m.Dispatcher.compile
def broken(self, signature):
    if self.py_func.__qualname__ == "fill_word":
        raise RuntimeError("no code")
    return compile(self, signature)
m.Dispatcher.compile = broken
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    windows = [random_window(state, 100, slice(3, 30, 5)).tolist() for _ in range(2)]
(warned,) = caught
assert "RuntimeError: no code" in str(warned.message)
assert windows == [random_generator(state, 30).values[3::5].tolist()] * 2
assert draw() and not loaded()
"""
    run(code, DMLRAND_KERNELS="numba")


@pytest.mark.costly
@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_during_the_load_is_raised_and_the_process_works(moment):
    """kernels 14"""
    run("faults = [(sys.argv[1], interrupt)]; draw_interrupted(); assert not faults and draw() and loaded()", moment)


@pytest.mark.costly
def test_a_second_ctrl_c_takes_effect_at_once():
    """kernels 14"""
    code = """
faults = [("numba.experimental.function_type", lambda: (interrupt(), interrupt()))]
draw_interrupted()
assert not faults and "numba" not in sys.modules
assert draw() and loaded()
"""
    run(code)


@pytest.mark.slow
@posix("a timer that sends a signal")
@pytest.mark.parametrize("cold", [False, True])
@pytest.mark.parametrize("moment", range(20))
def test_ctrl_c_at_any_time(tmp_path, cold, moment):
    """kernels 14"""
    code = """
signal.signal(signal.SIGALRM, lambda *_: interrupt())
signal.setitimer(signal.ITIMER_REAL, float(sys.argv[1]))
draw_interrupted()
assert draw() and draw() and loaded()
"""
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)} if cold else {}
    run(code, (0.02 + moment) * (0.2 if cold else 0.05), **cache)
