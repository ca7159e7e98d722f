"""The kernels of numbers: any piece of a draw, vector code, and the same bits on every instruction set.

specs/distributions.md, 1.4, 5.6 and 6.
"""

import gc
import os
import platform
import re
import subprocess
import sys
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from numba import njit, typeof
from numba.core.dispatcher import Dispatcher
from numbers_at import STATE
from paths import PACKAGE_PARENT
from rule_cases import CASES, EACH_RULE, kernels_of, parameters_of
from waiting import LIMIT

from dmlrand import advance_blocks, integers, kernels, make_state, normal, random_generator, uniform
from dmlrand.arrays import filling
from dmlrand.arrays.window import window_region
from dmlrand.compat import kernels as of_systems
from dmlrand.compat.tensorflow.numbers import standard_normals
from dmlrand.drawing import plan
from dmlrand.drawing.number_rules import DISTRIBUTIONS
from dmlrand.kernels import of_rule
from dmlrand.kernels.fill import DIRECT, SCRATCH_WORDS, conversion_loop
from dmlrand.kernels.rules import RULES
from dmlrand.kernels.words import NON_TEMPORAL_MIN_WORDS

PATHS = os.pathsep.join([PACKAGE_PARENT, os.environ.get("PYTHONPATH", "")])


@pytest.mark.parametrize("name", EACH_RULE)
def test_a_number_depends_on_its_position_alone(name):
    """Pieces of any size from any position, which start or end inside a pair, a block or the scratch array."""
    fill, parameters, dtype = of_rule(name).fill.compiled, parameters_of(name), CASES[name].dtype

    def make(position, size):
        guarded = np.full(size + 8, 77, dtype)
        fill(STATE.copy(), 3, 0, size, plan.WHOLE, position, parameters, guarded[4 : 4 + size])
        assert (guarded[:4] == 77).all() and (guarded[4 + size :] == 77).all()
        return guarded[4 : 4 + size]

    scratch = SCRATCH_WORDS
    whole = make(0, 2 * scratch + 100)
    for position in [*range(9), scratch // 2 - 1, scratch // 2, scratch - 3, scratch - 1, scratch]:
        for size in [*range(9), scratch // 2 - 1, scratch // 2 + 1, scratch - 1, scratch, scratch + 2]:
            assert np.array_equal(make(position, size), whole[position : position + size]), (position, size)
    far = 2**40 + 3  # beyond 32 bits of words
    per_block = 2 if np.dtype(dtype).itemsize == 8 else 4
    state = advance_blocks(STATE, far // per_block)
    near = np.empty(9, dtype)
    fill(state, 3, 0, 9, plan.WHOLE, far % per_block, parameters, near)
    assert np.array_equal(make(far, 9), near)
    rows = np.empty((2, 3, 9), dtype)  # rows start anywhere
    fill(STATE.copy(), 3, 0, 54, np.array([5, 2, far, 3, 4, 9, 1]), 0, parameters, rows.reshape(-1))
    for i, j in np.ndindex(2, 3):
        assert np.array_equal(rows[i, j], make(5 + i * far + j * 4, 9))


@pytest.mark.parametrize("name", DIRECT)
def test_numbers_made_in_registers_are_those_of_the_rule(name):
    """distributions 1.5: at each lane, over a carry, and with non-temporal stores to outputs of different alignment."""
    dtype, parameters, kernels_of_rule = CASES[name].dtype, parameters_of(name), of_rule(name)
    words_per_number = RULES[name].words
    large = NON_TEMPORAL_MIN_WORDS // words_per_number
    memory = np.empty(large + 100, dtype)
    for lane in range(4):
        for size, start in [
            *((size, size % 7) for size in range(300)),
            (large + 5, 0),
            (large + 5, 1),
            (large + 5, 16),
        ]:
            state = make_state(counter=2**64 - 9 - size // 3, key=42)
            words = random_generator(state, lane + size * words_per_number).values[lane:]
            expected, out = np.empty(size, dtype), memory[start : start + size]
            memory[start + size] = 77
            kernels_of_rule.convert.compiled(words.copy(), parameters, expected)
            kernels_of_rule.fill.compiled(state, 0, lane, out.size, plan.WHOLE, 0, parameters, out)
            assert out.tobytes() == expected.tobytes() and memory[start + size] == 77, (lane, size, start)


# The same bits everywhere

LONG = """
import numpy as np
from dmlrand import integers, normal, uniform
state, n = [2**32 - 5, 2**32 - 1, 0, 0, 42, 0], 10**6 + 1
made = [draw(state, n, 0.3, 1.7, name).values for draw in (uniform, normal) for name in ("f2", "f4", "f8")]
made += [integers(state, n, -5, 10**6, name).values for name in ("int32", "int64")]
"""
SHOW = """
from hashlib import sha256
print(*(sha256(values.tobytes()).hexdigest() for values in made))
"""
RELEASED = [
    "b552187df85ec535",
    "ce75803eed22041d",
    "65fdee094e36deeb",
    "026a3526259ce322",
    "442711e86328bb68",
    "6069e6a9aa190f97",
]  # on little-endian machines
x86 = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the instruction sets named are of x86")
LOWER = [{"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": ""} for name in ("haswell", "x86-64")]  # AVX2; SSE2


def hashes(script, cache, settings):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment |= {"PYTHONPATH": PATHS, "NUMBA_CACHE_DIR": str(cache), "DMLRAND_KERNELS": "numba", **settings}
    done = subprocess.run(
        [sys.executable, "-c", script + SHOW], capture_output=True, text=True, env=environment, timeout=LIMIT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def some_numbers():
    """Normals of float32 and float64, uniforms of float32, float64 and float16, then normals of float16."""
    words = np.arange(2_000_004, dtype=np.uint32) * np.uint32(2654435761)
    state, count = [5, 0, 0, 0, 42, 0], 10**6 + 1
    made = [
        uniform(state, count, low=-0.3, high=1.7, dtype=name).values for name in (np.float32, np.float64, np.float16)
    ]
    wide = normal(state, count, mean=1e3, stddev=2e4, dtype=np.float16).values  # some are infinite
    return [standard_normals(words), standard_normals(words, np.float64), *made, wide]


def digest():
    """Print a digest of each on this instruction set."""
    print(*(sha256(values.tobytes()).hexdigest() for values in some_numbers()))


def test_the_bits_are_those_of_this_release_line():
    """distributions 5.8; promises 1 and 2"""
    assert [sha256(values.tobytes()).hexdigest()[:16] for values in some_numbers()] == RELEASED


@x86
@pytest.mark.slow
def test_lower_instruction_sets_give_the_same_bits_of_everything(tmp_path):
    own = hashes(LONG, tmp_path / "own", {})
    assert len(set(own)) == 8
    for settings in LOWER:
        assert hashes(LONG, tmp_path / settings["NUMBA_CPU_NAME"], settings) == own


def count_signatures(name):
    return len(of_rule(name).fill.compiled.signatures)


@pytest.mark.parametrize("draw", [uniform, normal], ids=lambda draw: draw.__name__)
@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
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


@pytest.mark.parametrize("name", ["int32", "uint32", "int64", "uint64"])
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
    monkeypatch.setattr(filling, "MAX_PIECE_ELEMENTS", 4)  # of the pieces of several threads
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


@pytest.mark.slow  # it compiles for ten seconds. By default test_no_two_compiled_functions_share_a_name stands for it
def test_kernels_cached_by_different_processes_do_not_mix(tmp_path):
    """Two processes compile one kernel each, as pytest's workers do. Then one process loads both."""
    script = "from dmlrand import make_state, normal, uniform; print(*{}(make_state(key=42), 4, 0, 1).values.tolist())"
    both = script.format("normal") + "; " + script.partition("; ")[2].format("uniform")
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": PATHS, "DMLRAND_KERNELS": "numba"}

    def run(code):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=LIMIT
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    alone = run(script.format("normal")) + run(script.format("uniform"))
    cached = {path.name.partition("-")[0] for path in tmp_path.rglob("*.nbc")}
    assert cached == {
        "fill.fill_normal_f32",
        "fill.fill_uniform_f32",
        "words.draw",
    }  # or nothing was cached that could mix
    assert run(both) == alone
    assert alone[0] != alone[1]


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
    assert len(ours) > len(made) == 2 * len(RULES)
    assert [name for name, next_one in zip(ours, ours[1:]) if name == next_one] == []


PACKED = {  # of some rules, the vector instructions that show its loop was not left scalar
    "word": ["movd?q?[au](ps|32|64)?"],
    "bernoulli": ["pcmpn?l[te]uq|pcmpgt[dq]"],
    "uniform_f32": ["cvtdq2ps", "mulps"],
    "uniform_f64": ["subpd|addpd", "mulpd"],
    "uniform_f16": ["cvtdq2ps", "mulps"],
    "uniform_bf16": ["cvtdq2ps", "mulps"],
    "integers_32": ["pmuludq|pmulld"],
    "integers_64": ["pmuludq|pmullq"],
    "normal_f32": ["mulps", "sqrtps"],
    "normal_f64": ["mulpd", "sqrtpd", "divpd"],
    "normal_f16": ["mulps", "sqrtps"],
    "normal_bf16": ["mulps", "sqrtps"],
    "curand_uniform_32": ["cvtu?dq2ps", "mulps"],
    "curand_uniform_64": ["mulpd"],
    "curand_normal_32": ["mulpd", "sqrtpd", "divpd"],
    "curand_normal_64": ["mulpd", "sqrtpd", "divpd"],
}


@pytest.mark.costly
@x86
@pytest.mark.parametrize("name", RULES)
def test_the_compiler_makes_vector_code_without_fused_operations(name):
    """distributions 5.6"""
    again = njit(conversion_loop(name).py_func)
    arrays = np.zeros(4, np.uint32), np.zeros(4, CASES[name].dtype)
    again.compile(tuple(map(typeof, (*arrays, tuple(parameters_of(name))))))
    code = again.inspect_asm(again.signatures[0])
    product = "mulps" if RULES[name].parameters is np.float32 else "mulpd"  # at least, of any rule of reals
    for wanted in PACKED.get(name, [product]):
        assert re.search(rf"\bv?({wanted})\b", code), wanted
    assert not re.search(r"\bvf(n?m)(add|sub)", code)


@pytest.mark.costly
@x86
@pytest.mark.parametrize("name", [name for name in DIRECT if RULES[name].parameter_count])
def test_uniforms_are_made_in_the_loop_of_the_rounds_without_fused_operations(name):
    """kernels 1; distributions 5.6"""
    again = njit(of_rule(name).fill.compiled.py_func)
    again(STATE, 0, 0, 1000, plan.WHOLE, 0, parameters_of(name), np.empty(1000, CASES[name].dtype))
    (code,) = again.inspect_asm().values()
    multiply = "mulps" if CASES[name].dtype == np.float32 else "mulpd"
    assert any(block.count("pmuludq") >= 17 and multiply in block for block in re.split(r"\n\S+:", code))
    assert not re.search(r"\bvf(n?m)(add|sub)", code)
