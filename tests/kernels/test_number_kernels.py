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
from numba import from_dtype, njit
from numba.core.dispatcher import Dispatcher
from numbers_at import STATE
from paths import PACKAGE_PARENT
from waiting import LIMIT

import dmlrand
from dmlrand import advance_blocks, integers, kernels, make_state, normal, random_generator, uniform
from dmlrand.distributions import standard_normals
from dmlrand.kernels import convert, half, normal as normals
from dmlrand.kernels.words import NON_TEMPORAL_MIN_WORDS

PATHS = os.pathsep.join([PACKAGE_PARENT, os.environ.get("PYTHONPATH", "")])

KERNELS = {
    "bernoulli": (np.uint8, (2**31,)),
    "uniform_f16": (np.uint16, (-1.0, 3.0)),
    "uniform_bf16": (np.uint16, (-1.0, 3.0)),
    "uniform_32": (np.float32, (-1.0, 3.0)),
    "uniform_64": (np.float64, (-1.0, 3.0)),
    "integers_32": (np.uint32, (np.array([5, 1000, 2**32 // 1000], np.uint32),)),
    "integers_64": (np.uint64, (np.array([5, 1000, 2**64 // 1000], np.uint64),)),
    "normal_f16": (np.uint16, (0.0, 1.0)),
    "normal_bf16": (np.uint16, (0.0, 1.0)),
    "normal_32": (np.float32, (0.0, 1.0)),
    "normal_64": (np.float64, (0.0, 1.0)),
}


@pytest.mark.parametrize("name", KERNELS)
def test_a_number_depends_on_its_position_alone(name):
    """Pieces of any size from any position, which start or end inside a pair, a block or the scratch array."""
    dtype, arguments = KERNELS[name]

    def make(position, size):
        guarded = np.full(size + 8, 77, dtype)
        getattr(kernels, name)(STATE, 0, np.array([position]), *arguments, guarded[4 : 4 + size])
        assert (guarded[:4] == 77).all() and (guarded[4 + size :] == 77).all()
        return guarded[4 : 4 + size]

    scratch = convert.SCRATCH_WORDS
    whole = make(0, 2 * scratch + 100)
    for position in [*range(9), scratch // 2 - 1, scratch // 2, scratch - 3, scratch - 1, scratch]:
        for size in [*range(9), scratch // 2 - 1, scratch // 2 + 1, scratch - 1, scratch, scratch + 2]:
            assert np.array_equal(make(position, size), whole[position : position + size]), (position, size)
    far = 2**40 + 3  # beyond 32 bits of words
    per_block = 2 if np.dtype(dtype).itemsize == 8 else 4
    state = advance_blocks(STATE, far // per_block)
    near = np.empty(9, dtype)
    getattr(kernels, name)(state, 0, np.array([far % per_block]), *arguments, near)
    assert np.array_equal(make(far, 9), near)
    positions = np.array([5, 4, far, 0, 5])  # rows start anywhere
    rows = np.empty((5, 9), dtype)
    getattr(kernels, name)(STATE, 0, positions, *arguments, rows.reshape(-1))
    assert all(np.array_equal(row, make(position, 9)) for row, position in zip(rows, positions))


def test_every_kernel_of_numbers_is_tested():
    homes = dmlrand.kernels._MODULE_OF
    numbers = {name for name, home in homes.items() if home in ("convert", "normal", "half")}
    of_words = {"_of_words".join(re.fullmatch(r"([a-z]+)(.*)", name).groups()) for name in KERNELS}  # take no position
    assert numbers - set(KERNELS) == of_words | {"box_muller"}


@pytest.mark.parametrize(
    "fill, rule, dtype",
    [(convert.uniform_32, convert.read_f32, np.float32), (convert.uniform_64, convert.read_f64, np.float64)],
)
def test_uniforms_made_in_registers_are_those_of_the_rule(fill, rule, dtype):
    """kernels 17: at each lane, over a carry, and with non-temporal stores to outputs of different alignment."""
    words_per_number = np.dtype(dtype).itemsize // 4
    low, width = dtype(-0.3), dtype(1.7)
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
            rule(words.copy(), expected, low, width)
            fill(state, lane, np.zeros(1, np.int64), float(low), float(width), out)
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
    made = [uniform(state, count, -0.3, 1.7, name).values for name in (np.float32, np.float64, np.float16)]
    wide = normal(state, count, 1e3, 2e4, np.float16).values  # some are infinite
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


@pytest.mark.parametrize("draw", [uniform, normal], ids=lambda draw: draw.__name__)
@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_a_kernel_is_compiled_once_whatever_the_arguments(draw, name):
    read_only = STATE.copy()
    read_only.flags.writeable = False
    for state in (STATE, read_only, STATE[::-1].copy()[::-1], STATE.reshape(1, 6), STATE.tolist()):
        for low, high in ((0, 1), (-0.5, np.float32(2)), (np.float64(0.25), 1)):
            draw(state, (3, 2), low, high, name)
            draw(state, None, low, high, name, out=np.zeros((4, 3), name)[::2, 1:])
    suffixes = {"float16": "f16", "float32": "32", "float64": "64"}
    assert len(getattr(kernels, f"{draw.__name__}_{suffixes[name]}").signatures) == 1


@pytest.mark.parametrize("name", ["int32", "uint32", "int64", "uint64"])
def test_a_kernel_of_integers_is_compiled_once_whatever_the_arguments(name):
    for low, high in ((0, 1), (np.iinfo(name).min, int(np.iinfo(name).max) + 1), (5, np.iinfo(name).max)):
        integers(STATE, 3, low, high, name)
    assert len(getattr(kernels, f"integers_{name[-2:]}").signatures) == 1


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
    assert cached == {"convert.uniform_32", "normal.normal_32", "words.draw"}  # or nothing was cached that could mix
    assert run(both) == alone
    assert alone[0] != alone[1]


@pytest.mark.costly
def test_no_two_compiled_functions_share_a_name():
    """The linker would use one function for both if two had the same module and qualified name."""
    for path in Path(kernels.__file__).parent.glob("*.py"):
        import_module(f"dmlrand.kernels.{path.stem}")
    # type() and not isinstance: isinstance raises for a weak proxy whose object no longer exists.
    functions = {id(each.py_func): each.py_func for each in gc.get_objects() if issubclass(type(each), Dispatcher)}
    names = [(function.__module__, function.__qualname__) for function in functions.values()]
    ours = sorted(name for name in names if name[0].startswith("dmlrand."))
    assert len(ours) > 40 and len(set(ours)) == len(ours)


PACKED = {  # of each rule, the vector instructions that show its loop was not left scalar
    convert.read_bool: ("u1", ["u8"], ["pcmpn?l[te]uq|pcmpgt[dq]"]),
    convert.read_f32: ("f4", ["f4", "f4"], ["cvtdq2ps", "mulps"]),
    convert.read_f64: ("f8", ["f8", "f8"], ["subpd|addpd", "mulpd"]),
    convert.read_u32: ("u4", ["u4"] * 3, ["pmuludq|pmulld"]),
    convert.read_u64: ("u8", ["u8"] * 3, ["pmuludq|pmullq"]),
    normals.read_pairs_32: ("f4", ["f4", "f4"], ["mulps", "sqrtps"]),
    normals.read_pairs_64: ("f8", ["f8", "f8"], ["mulpd", "sqrtpd", "divpd"]),
    half.read_f16: ("u2", ["f4", "f4"], ["cvtdq2ps", "mulps"]),
    half.read_bf16: ("u2", ["f4", "f4"], ["cvtdq2ps", "mulps"]),
    half.read_pairs_f16: ("u2", ["f4", "f4"], ["mulps", "sqrtps"]),
    half.read_pairs_bf16: ("u2", ["f4", "f4"], ["mulps", "sqrtps"]),
}


@pytest.mark.costly
@x86
@pytest.mark.parametrize("rule", PACKED, ids=lambda rule: rule.__name__)
def test_the_compiler_makes_vector_code_without_fused_operations(rule):
    """distributions 5.6"""
    out, scalars, instructions = PACKED[rule]
    words, numbers, *arguments = (from_dtype(np.dtype(code)) for code in ("u4", out, *scalars))
    signature = (words[::1], numbers[::1], *arguments)
    again = njit(**{"error_model": "numpy"} if "pairs" in rule.__name__ else {})(rule.py_func)
    again.compile(signature)
    code = again.inspect_asm(again.signatures[0])
    for wanted in instructions:
        assert re.search(rf"\bv?({wanted})\b", code), wanted
    assert not re.search(r"\bvf(n?m)(add|sub)", code)


@pytest.mark.costly
@x86
@pytest.mark.parametrize("fill, dtype", [(convert.uniform_32, np.float32), (convert.uniform_64, np.float64)])
def test_uniforms_are_made_in_the_loop_of_the_rounds_without_fused_operations(fill, dtype):
    """kernels 17; distributions 5.6"""
    again = njit(fill.py_func)
    again(STATE, 0, np.zeros(1, np.int64), 0.0, 1.0, np.empty(1000, dtype))
    (code,) = again.inspect_asm().values()
    multiply = "mulps" if dtype == np.float32 else "mulpd"
    assert any(block.count("pmuludq") >= 17 and multiply in block for block in re.split(r"\n\S+:", code))
    assert not re.search(r"\bvf(n?m)(add|sub)", code)
