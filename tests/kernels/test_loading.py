"""When compiled kernels run, and when those in numpy alone. specs/kernels.md, 8 and 9.

Each case is a process of its own.
"""

import oracle
import pytest
from commands import python
from thinning import with_costly

from dmlrand import kernels

SCRIPT = """
import sys, warnings
import numpy as np
from dmlrand import Stream, make_state, normal, random_generator, random_window, uniform
state = make_state(counter=2**64 - 1, key=7)
def loaded():
    return "numba" in sys.modules
{}
"""


def run(code, kind=""):
    return python(SCRIPT.format(code), DMLRAND_KERNELS=kind, PYTHONWARNINGS="error").split()


WORDS = oracle.words(2**64 - 1, 7, 0, 8)
DRAW = "print(*random_generator(state, 8).values.tolist())\n"


def test_small_work_loads_no_numba():
    """kernels 8"""
    code = """
stream = Stream(state)
stream.words(5), stream.normal(3), uniform(state, 1000), normal(state, (2, 3), dtype="float16")
random_window(state, (2**30, 2**30), (5, slice(7, 99)))
from dmlrand import locate, split, verify
verify(state, random_generator(state, 1000).values), locate([1, 2, 3, 4], 5), split(state, 3)
from dmlrand.compat import jax, openvino, tensorflow
jax.uniform(jax.fold_in(jax.key(0), 7), (2, 3)), jax.randint(jax.key(1), (3,), 0, 9), jax.split(jax.key(2))
jax.normal(jax.key(0), 9), jax.gumbel(jax.key(1), 9), jax.choice(jax.key(2), 9, p=[1.0] * 9)
openvino.RandomUniform("f32", 150, 10)([3, 3], 0.0, 1.0)
tensorflow.stateless_uniform([2, 3], seed=[1, 2]), tensorflow.stateless_normal([3], seed=[1, 2])
from dmlrand.compat import curand, torch, triton
curand.Generator(1).generate_normal(9), curand.Generator(1).generate_uniform_double(9), triton.randn(1, np.arange(9))
torch.CUDAGenerator(1).randn(9), torch.compiled_randn(1, 9), torch.func_normal((1, 2), 9)
assert not loaded()
"""
    assert run(code + DRAW) == list(map(str, WORDS))


@pytest.mark.compiled
@pytest.mark.parametrize(
    "work", with_costly(["random_generator(state, 2**20 + 1)"], ["[random_generator(state, 1) for _ in range(10001)]"])
)
def test_much_work_loads_numba(work):
    """kernels 8"""
    before = work.replace("+ 1", "- 8").replace("10001", "9999")
    assert run(f"{before}\nassert not loaded()\n{work}\nassert loaded()\n{DRAW}") == list(map(str, WORDS))


@pytest.mark.costly
@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["numpy", "numba"])
def test_a_variable_forces_either_kind(kind):
    """kernels 8"""
    work = f"random_generator(state, 2**21)\n{DRAW}print(loaded())"
    assert run(work, kind) == [*map(str, WORDS), str(kind == "numba")]


def test_the_variable_is_checked(monkeypatch):
    """kernels 8"""
    monkeypatch.setattr(kernels, "forced", "cuda")
    message = "^DMLRAND_KERNELS must be numpy or numba, or not be set; got 'cuda'. Unset it.$"
    with pytest.raises(ValueError, match=message):
        kernels.Kernel("dmlrand.kernels.batch", "move_states").numpy


# What makes numba unusable, and what the warning says of it.
UNUSABLE = {
    "sys.modules['numba'] = None": "import of numba halted; None in sys.modules",
    "import numba; numba.config.DISABLE_JIT = 1": "NUMBA_DISABLE_JIT is set. Unset it to draw at full speed",
}


# A kernel without a form in numpy, and one of which numpy lacks a type.
ONLY_COMPILED = """
from dmlrand import PhiloxBitGenerator
from dmlrand.compat import jax
for draw in (lambda: PhiloxBitGenerator(state).random_raw(), lambda: jax.uniform(jax.key(1), 3, "float64", x64=True)):
    for sys.platform in (sys.platform, "emscripten"):
        try:
            draw()
        except ImportError as error:
            print(str(error).partition(", which cannot be used: ")[0].replace(" ", "_"))
            no_numba_exists = str(error).endswith(". There is no numba for WebAssembly.")
            assert no_numba_exists == (sys.platform == "emscripten"), error
"""


@pytest.mark.compiled
@pytest.mark.parametrize("change", with_costly([*UNUSABLE][:1], [*UNUSABLE][1:]))
def test_numba_that_cannot_be_used_is_one_warning_and_an_error_where_numpy_cannot_draw(change):
    """kernels 9"""
    code = f"""
{change}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(2):
        random_generator(state, 2**20 + 1), uniform(state, 4), random_window(state, 9, slice(1, 8, 3))
(warned,) = caught
assert warned.category is RuntimeWarning
start = "dmlrand draws slowly, with numpy alone: compiled code needs numba, which cannot be used: "
assert str(warned.message).startswith(start)
assert {UNUSABLE[change]!r} in str(warned.message), warned.message
assert str(warned.message).endswith("If it is missing or broken: pip install --force-reinstall numba.")
assert warned.filename == "<string>", "the warning is about the line of the user's program that draws"
{ONLY_COMPILED}
"""
    refused = ["dmlrand.kernels.bitgen_needs_numba"] * 2 + ["kernels.xla_uniform_of_float64_needs_numba"] * 2
    assert run(code + DRAW) == [*refused, *map(str, WORDS)]


@pytest.mark.costly
@pytest.mark.compiled
def test_a_kernel_that_numba_cannot_compile_runs_in_numpy():
    """kernels 9"""
    code = """
import numba.core.dispatcher as m
compile = m.Dispatcher.compile
def broken(self, signature):
    if self.py_func.__qualname__ == "fill_region_word":
        raise RuntimeError("no code")
    return compile(self, signature)
m.Dispatcher.compile = broken
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    windows = [random_window(state, 100, slice(3, 30, 5)).tolist() for _ in range(2)]
(warned,) = caught
assert "RuntimeError: no code" in str(warned.message)
assert windows == [random_generator(state, 30).values[3::5].tolist()] * 2
"""
    assert run(code + DRAW, "numba") == list(map(str, WORDS))
