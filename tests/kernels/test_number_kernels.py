"""The kernels of numbers: any piece of a draw, vector code, and the same bits on every instruction set.

specs/distributions.md, 1.4, 5.6 and 6.
"""

import gc
import platform
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from numba import njit, typeof
from numba.core.dispatcher import Dispatcher
from numbers_at import STATE
from rule_cases import CASES, kernels_of, parameters_of
from thinning import with_costly

from dmlrand import integers, kernels, make_state, normal, random_generator, uniform
from dmlrand.arrays import filling
from dmlrand.arrays.window import window_region
from dmlrand.compat import kernels as of_systems
from dmlrand.drawing import plan
from dmlrand.drawing.number_rules import DISTRIBUTIONS
from dmlrand.kernels import of_rule
from dmlrand.kernels.fill import FILL_ROW, conversion_loop
from dmlrand.kernels.rules import RULES
from dmlrand.kernels.words import NON_TEMPORAL_MIN_WORDS


@pytest.mark.parametrize("name", with_costly([*FILL_ROW][:2], [*FILL_ROW][2:]))
def test_numbers_made_in_registers_are_those_of_the_rule(name):
    """distributions 1.5: at each lane, over a carry, and with non-temporal stores to outputs of different alignment."""
    dtype, parameters, kernels_of_rule = CASES[name].dtype, parameters_of(name), of_rule(name)
    words_per_number = RULES[name].words
    large = NON_TEMPORAL_MIN_WORDS // words_per_number
    memory = np.empty(large + 100, dtype)
    for lane in range(4):
        for size, start in [
            *((size, size % 7) for size in range(lane, 300, 3)),
            *((large + 5, start) for start in (0, 1, 16) if lane == 2),
        ]:
            state = make_state(counter=2**64 - 9 - size // 3, key=42)
            words = random_generator(state, lane + size * words_per_number).values[lane:]
            expected, out = np.empty(size, dtype), memory[start : start + size]
            memory[start + size] = 77
            kernels_of_rule.convert.compiled(words.copy(), parameters, expected)
            kernels_of_rule.fill.compiled(state, 0, lane, out.size, 0, parameters, out)
            assert out.tobytes() == expected.tobytes() and memory[start + size] == 77, (lane, size, start)


x86 = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the instruction sets named are of x86")


def count_signatures(name):
    """Of the fill that was compiled more often."""
    return max(len(kernel.compiled.signatures) for kernel in (of_rule(name).fill, of_rule(name).fill_region))


@pytest.mark.parametrize("draw", [uniform, normal], ids=lambda draw: draw.__name__)
@pytest.mark.parametrize("name", with_costly(["float32"], ["float16", "float64"]))
def test_a_kernel_is_compiled_once_whatever_the_arguments(draw, name):
    """kernels 2"""
    read_only = STATE.copy()
    read_only.flags.writeable = False
    for state in (STATE, read_only, STATE[::-1].copy()[::-1], STATE.reshape(1, 6), STATE.tolist()):
        for bounds in ((0, 1), (-0.5, np.float32(2)), (np.float64(0.25), 1)):
            given = dict(zip(DISTRIBUTIONS[draw.__name__].parameters, bounds)) | {"dtype": name}
            draw(state, (3, 2), **given)
            draw(state, out=np.zeros((4, 3), name)[::2, 1:], **given)
            draw(state, out=np.zeros(4, name)[::-2], **given)
            draw(state, (3, 2), window=np.s_[:, 1], **given)
    assert count_signatures(f"{draw.__name__}_f{name.removeprefix('float')}") == 1


@pytest.mark.costly
@pytest.mark.parametrize("name", ["int32", "int64", "uint32", "uint64"])
def test_a_kernel_of_integers_is_compiled_once_whatever_the_arguments(name):
    """kernels 2"""
    for low, high in ((0, 1), (np.iinfo(name).min, int(np.iinfo(name).max) + 1), (5, np.iinfo(name).max)):
        integers(STATE, 3, low, high, name)
        integers(STATE, None, low, high, name, out=np.zeros(6, name)[::2])
    assert count_signatures(f"integers_{name[-2:]}") == 1


@pytest.mark.costly
@pytest.mark.parametrize("name", RULES)
def test_a_single_strided_number_compiles_nothing_new(name, monkeypatch):
    """kernels 2: numpy calls such an array contiguous, and numba gives it the type of contiguous ones."""
    monkeypatch.setattr(filling, "THREADING_MIN_BYTES", 0)
    monkeypatch.setattr(filling, "PIECE_ELEMENTS", 4)  # of the pieces of several threads
    rule, dtype = RULES[name], np.dtype(CASES[name].dtype)
    bound = plan.BoundRule(name, dtype, dtype, of_rule(name), parameters_of(name), rule.words, rule.numbers)
    bound = plan.WORDS if name == "word" else bound
    buffer = np.zeros((30, 3), dtype)
    outputs = [buffer[:9, 1], buffer[:9, :2], buffer[8:9, 1], buffer[2:2, 1], buffer[8::-8, 1], buffer[:1, ::2]]
    for out in (*outputs, np.zeros(9, dtype), buffer[:1]):
        for threads in (1, 2):
            plan.fill(out, STATE, 0, bound, None, threads)
            plan.fill(out, STATE, 0, bound, window_region((30, 7), np.s_[: len(out), : out.size // max(len(out), 1)]))
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
@x86
@pytest.mark.parametrize("name", RULES)
def test_the_compiler_makes_vector_code_without_fused_operations(name):
    """distributions 5.6"""
    again = njit(conversion_loop(name).py_func)
    arrays = np.zeros(4, np.uint32), np.zeros(4, CASES[name].dtype)
    again.compile(tuple(map(typeof, (*arrays, parameters_of(name)))))
    code = again.inspect_asm(again.signatures[0])
    if np.issubdtype(RULES[name].parameters, np.floating):
        assert re.search(r"\bv?mulp[sd]\b", code)
    assert not re.search(r"\bvf(n?m)(add|sub)", code)


@pytest.mark.costly
@x86
@pytest.mark.parametrize("name", [name for name in FILL_ROW if RULES[name].parameter_count])
def test_uniforms_are_made_in_the_loop_of_the_rounds_without_fused_operations(name):
    """kernels 1; distributions 5.6"""
    again = njit(of_rule(name).fill.compiled.py_func)
    again(STATE, 0, 0, 1000, 0, parameters_of(name), np.empty(1000, CASES[name].dtype))
    (code,) = again.inspect_asm().values()
    multiply = "mulps" if CASES[name].dtype == np.float32 else "mulpd"
    assert any(block.count("pmuludq") >= 17 and multiply in block for block in re.split(r"\n\S+:", code))
    assert not re.search(r"\bvf(n?m)(add|sub)", code)
