"""How kernels are compiled: once, each under a name of its own, to vector code. specs/kernels.md, 1 and 2."""

import gc
import platform
import re
from importlib import import_module
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numba import njit, typeof
from numba.core.dispatcher import Dispatcher
from numbers_at import STATE
from rule_cases import CASES, kernels_of, parameters_of
from thinning import with_costly

from dmlrand import integers, kernels, normal, random_generator, random_window, uniform
from dmlrand.compat import kernels as of_systems
from dmlrand.compat.kernels import xla_kernels
from dmlrand.drawing import filling
from dmlrand.kernels import Kernel, of_rule
from dmlrand.kernels.rules import RULES

x86 = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the instruction sets named are of x86")


def count_signatures(name):
    """Of the fill that was compiled more often."""
    return max(len(kernel.compiled.signatures) for kernel in (of_rule(name).fill, of_rule(name).fill_region))


def states_in_any_layout(folder):
    words = STATE.copy()
    read_only = words.copy()
    read_only.flags.writeable = False
    mapped = np.memmap(folder / "state", np.uint32, "w+", shape=(6,))
    mapped[:] = words
    unaligned = np.frombuffer(b"\0" + words.tobytes(), np.uint32, offset=1)
    arrays = [words, words.tolist(), tuple(words), read_only, np.repeat(words, 2)[::2], words[::-1].copy()[::-1]]
    return [*arrays, mapped, unaligned, *(words.reshape((1,) * rank + (6,)) for rank in range(8))]


def window_of(draw, state, shape, window, **arguments):
    if draw is random_generator:
        return random_window(state, shape, window)
    return draw(state, shape, window=window, **arguments).values


DRAWS = {  # arguments with bounds of several types, by the rule
    "word": (random_generator, [{}]),
    "uniform_f32": (uniform, [{"low": -0.5, "high": np.float32(2)}, {"low": np.float64(0.25), "high": 1}]),
    "normal_f32": (normal, [{}, {"mean": 1, "stddev": np.float32(2)}]),
    "uniform_f16": (uniform, [{"dtype": "float16"}]),
    "normal_f64": (normal, [{"dtype": "float64", "mean": np.int8(3)}]),
    "integers_32": (integers, [{"low": 0, "high": 1}, {"low": -(2**31), "high": 2**31}]),
    "integers_64": (integers, [{"low": 0, "high": 2**64, "dtype": "uint64"}]),
}


def outputs_in_any_layout(folder, dtype):
    """numpy calls an array of one element contiguous, and numba gives it the type of contiguous ones."""
    buffer = np.zeros((30, 3), dtype)
    arrays = [np.empty(24, dtype), np.empty((6, 4), dtype).T, np.empty((24, 1), dtype, order="F"), buffer[:24, 1]]
    arrays += [buffer[:9, :2], buffer[8:9, 1], buffer[2:2, 1], buffer[8::-8, 1], buffer[:1, ::2], buffer[:1]]
    return [*arrays, np.memmap(folder / "out", dtype, "w+", shape=(2, 12))]


@pytest.mark.compiled
@pytest.mark.parametrize("name", with_costly([*DRAWS][:1], [*DRAWS][1:]))
def test_a_kernel_is_compiled_once_whatever_the_arguments(name, tmp_path, monkeypatch):
    """kernels 2"""
    monkeypatch.setattr(filling, "THREADING_MIN_BYTES", 0)
    monkeypatch.setattr(filling, "PIECE_ELEMENTS", 4)  # of the pieces of several threads
    draw, choices = DRAWS[name]
    for arguments in choices:
        expected = draw(STATE, 24, **arguments).values
        for state in states_in_any_layout(tmp_path):
            for out, threads in product(outputs_in_any_layout(tmp_path, expected.dtype), (1, 2)):
                values = draw(state, out=out, threads=threads, **arguments).values
                assert values.ravel().tolist() == expected[: out.size].tolist()
            for window in (slice(np.uint64(3), None, 2), np.int8(-1), slice(4, 9)):
                values = window_of(draw, state, np.int64(24), window, **arguments)
                assert values.tolist() == expected[window].tolist()
    assert count_signatures(name) == 1


@pytest.mark.costly
def test_no_two_compiled_functions_share_a_name():
    """The linker would use one function for both if two had the same module and qualified name."""
    for package in (kernels, of_systems):
        for path in Path(package.__file__).parent.glob("*.py"):
            import_module(f"{package.__name__}.{path.stem}")
    made = [kernel.compiled for name in RULES for kernel in kernels_of(name)]
    # type() and not isinstance: isinstance raises for a weak proxy whose object no longer exists.
    dispatchers = [each for each in gc.get_objects() if issubclass(type(each), Dispatcher)]
    # Those that numba inlines are never linked.
    functions = {id(each.py_func): each.py_func for each in dispatchers if each.targetoptions.get("inline") != "always"}
    names = [(function.__module__, function.__qualname__) for function in functions.values()]
    ours = sorted(name for name in names if name[0].startswith("dmlrand."))
    assert len(ours) > len(made) == 3 * len(RULES)
    assert [name for name, next_one in zip(ours, ours[1:]) if name == next_one] == []


@pytest.mark.costly
def test_kernels_release_the_gil():
    """kernels 3"""
    made = [each for package in (kernels, of_systems) for each in vars(package).values() if isinstance(each, Kernel)]
    made += [kernel for name in RULES for kernel in kernels_of(name)]
    compiled = [kernel.compiled for kernel in made]
    compiled += [each for name, each in vars(xla_kernels).items() if name.startswith("xla_")]
    assert [each for each in compiled if not each.targetoptions.get("nogil")] == []


@pytest.mark.costly
@x86
@pytest.mark.parametrize("name", RULES)
def test_the_compiler_makes_vector_code_without_fused_operations(name):
    """distributions 5.6"""
    from dmlrand.kernels.fill import convert_kernel

    again = njit(convert_kernel(name).py_func)
    arguments = np.zeros(4, np.uint32), parameters_of(name), np.zeros(4, CASES[name].dtype)
    again.compile(tuple(map(typeof, arguments)))
    code = again.inspect_asm(again.signatures[0])
    if np.issubdtype(RULES[name].parameters, np.floating):
        assert re.search(r"\bv?mulp[sd]\b", code)
    assert not re.search(r"\bvf(n?m)(add|sub)", code)
