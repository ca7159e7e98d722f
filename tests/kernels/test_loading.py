"""numba that cannot be imported, or cannot compile a kernel. specs/kernels.md, 9.

Each case is a process of its own. Faults are injected at the end of the import of a module.
"""

import os
import subprocess
import sys

import pytest
from paths import PACKAGE_PARENT
from waiting import LIMIT

pytestmark = pytest.mark.compiled

SCRIPT = """
import warnings
from dmlrand import advance_blocks, make_state, random_generator, random_window
from dmlrand import kernels
state = make_state(counter=2**64 - 1, key=7)
def draw():
    words, right = random_generator(state, 2**20 + 1).values, random_generator(advance_blocks(state, 2**18), 1).values
    return words[:1].tolist() == random_generator(state, 1).values.tolist() and words[-1] == right[0]
def loaded():
    return "CPUDispatcher" in repr(kernels.of_rule("word").fill.run)
"""


def run(code, **settings):
    """Run the script and this code, where warnings are errors."""
    environment = os.environ | {"PYTHONPATH": PACKAGE_PARENT, "DMLRAND_KERNELS": "", **settings}
    command = [sys.executable, "-W", "error", "-c", SCRIPT + code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


@pytest.mark.costly
@pytest.mark.parametrize("error", ["MemoryError()", "OSError('no object')", "AttributeError('no attribute')"])
def test_an_import_that_fails_is_one_true_warning(error):
    """kernels 9"""
    code = f"""
import sys
error = {error}
class Fail:
    def find_spec(self, name, path, target=None):
        if name == "llvmlite":
            raise error
sys.meta_path.insert(0, Fail())
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert draw() and draw() and not loaded()
(warned,) = caught
cause = f"{{type(error).__name__}}: {{error}}".removesuffix(": ")
assert f"which cannot be used: {{cause}}. If it is missing" in str(warned.message), warned.message
"""
    run(code)


@pytest.mark.costly
def test_a_kernel_that_numba_cannot_compile_runs_in_numpy():
    """kernels 9"""
    code = """
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
