"""Settings of every test: the examples of hypothesis, the kind of kernels, and time limits."""

import faulthandler
import gc
import importlib.util
import os
import re
import sys
import sysconfig

import pytest

# numba's simulator runs kernels of CUDA, also where there is a device. numba reads this when it is imported.
os.environ.setdefault("NUMBA_ENABLE_CUDASIM", "1")

# Workers and the processes of tests write bytecode beside the modules, as the kernels' machine code is. Where this
# variable is set, each of some 200 processes would compile the modules anew, a quarter of its time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Python without the GIL warns on stderr when it imports fontTools, which enables the GIL. Tests expect that
# processes write nothing there.
if sysconfig.get_config_var("Py_GIL_DISABLED"):
    os.environ.setdefault("PYTHONWARNINGS", "ignore:The global interpreter lock:RuntimeWarning")

from hypothesis import Phase, settings
from kernel_kinds import COMPILED
from optional_backends import NEEDS, skip_without
from waiting import TEST_LIMIT

from dmlrand import kernels

# The same examples on every run, so that a test that fails keeps failing until the fault is fixed. No deadline, because
# the first call of a kernel compiles it. A failing example is not shrunk, because that takes minutes where a test is
# slow; `pytest --hypothesis-profile=shrink` tries more examples and shrinks.
settings.register_profile("shrink", max_examples=50, derandomize=True, deadline=None, print_blob=True)
settings.register_profile(
    "dmlrand",
    settings.get_profile("shrink"),
    max_examples=20,
    phases=[phase for phase in Phase if phase.name not in ("shrink", "explain")],
)
settings.load_profile("dmlrand")

# Compiling takes most of a test's time. So only tests of kernels and of what uses few kernels run with compiled ones.
# All others run with the forms in numpy, which test_numpy_kernels.py compares with the compiled kernels, word by word.
COMPILED_FIRST = ("kernels/", "operator/")


def kinds_of(item):
    """The kinds of kernels that a test may run with, the default first."""
    if not COMPILED:
        return ["numpy"]
    if item.get_closest_marker("compiled"):
        return ["numba"]
    first = "numba" if item.nodeid.removeprefix("tests/").startswith(COMPILED_FIRST) else "numpy"
    return sorted(("numba", "numpy"), key=lambda kind: kind != first)


def pytest_generate_tests(metafunc):
    """Tests marked both_kinds run with the other kind of kernels, too, as costly tests."""
    item = metafunc.definition
    if item.get_closest_marker("both_kinds"):
        # A slow test of the second kind stays slow: with both marks, `pytest -m costly` would run it.
        second = [] if item.get_closest_marker("slow") else [pytest.mark.costly]
        first, *others = kinds_of(item)
        kinds = [first, *(pytest.param(kind, marks=second) for kind in others)]
        metafunc.parametrize("kind_of_kernels", kinds, indirect=True, scope="module")


@pytest.fixture(scope="module", autouse=True)  # pytest drops a fixture that pytest_generate_tests adds to a test
def kind_of_kernels(request):
    """What pytest_generate_tests chose, or None."""
    return getattr(request, "param", None)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    callspec = getattr(item, "callspec", None)
    kind = callspec and callspec.params.get("kind_of_kernels") or kinds_of(item)[0]
    if kind != kernels.forced:
        kernels.forced = kind
        for kernel in kernels.all_kernels:
            kernel.run = kernel._run  # which chooses the form again


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Nothing that collection makes is freed before the end. So the garbage collector need not search it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


FIRST = ("test_state.py", "operator/", "project/test_oracle.py")  # what everything else builds on


def pytest_collection_modifyitems(items):
    """The tests of the six words and of the operator run first, so that a fault there shows at once.

    Examples of docstrings stand beside the tests of their module, so that one worker imports what both need.
    """

    def place(item):
        return not item.nodeid.removeprefix("tests/").startswith(FIRST), re.split(r"[/.]", item.nodeid)[1]

    items.sort(key=place)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """kernels 9: Without numba, skip a test that uses a kernel of which numpy_only has no version."""
    if item.get_closest_marker("compiled") and not COMPILED:
        pytest.skip("numba is not installed")
    try:
        return (yield)
    except ImportError as error:
        if COMPILED or "needs numba, which cannot be used" not in str(error):
            raise
        pytest.skip(str(error))


stderr = None  # a copy of descriptor 2, which pytest captures during a test and during its start


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """A test that hangs ends its process at a limit, with the traceback of every thread. Slow tests take half an hour.

    faulthandler's timer is a thread in C, which needs neither the GIL nor a signal handler. pytest-xdist reports the
    test of a worker that ended, and starts a new worker.
    """
    limit = 6 * TEST_LIMIT if item.get_closest_marker("slow") else TEST_LIMIT
    faulthandler.dump_traceback_later(limit, exit=True, file=stderr)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


def pytest_enter_pdb():
    faulthandler.cancel_dump_traceback_later()  # a person who debugs has no time limit


class BackendExamples:
    """Skips an example in a docstring of a backend that cannot run here. The examples are not below tests/."""

    def pytest_runtest_setup(self, item):
        if isinstance(item, pytest.DoctestItem) and (module := item.name.split(".")[1:2]) and module[0] in NEEDS:
            skip_without(module[0])


def pytest_configure(config):
    global stderr
    stderr = os.dup(2)
    config.pluginmanager.register(BackendExamples(), "dmlrand-backend-examples")
    if config.option.markexpr == "peers" and importlib.util.find_spec("triton"):
        importlib.import_module("triton")  # if TensorFlow comes first, importing Triton crashes the process
