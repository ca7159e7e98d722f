"""The cases of run.py, with their goals. start_up.py has those that start processes, device_cases.py those of devices.

All runs of a case make the same number of bytes of the same type, and write to preallocated memory where they can.
Where other packages make a new array in each call, a run of dmlrand does so too.

From 1 MiB on, goals are relative to the limits of the processor (limits.py), because processors differ: some multiply
vectors of 512 bits in one cycle, others in two. Small calls and batches have goals relative to NumPy and JAX.
"""

import time
from functools import partial

import device_cases
import limits
import numpy as np
import reference_packages as packages
import start_up
from limits import CONVERSION, MEMSET, ROUNDS
from measurement import LIMIT, OTHER, OURS, STATE, Case, Goal, Run

from dmlrand import batch
from dmlrand.distributions import integers, normal, uniform
from dmlrand.operator import random_generator, random_window
from dmlrand.state import advance_blocks, split
from dmlrand.stream import Stream

NEW_ARRAY, CONTIGUOUS, LOOP = "dmlrand, new array", "contiguous", "loop over random_generator"
ONE_THREAD, TWO_THREADS = "1 thread", "2 threads"
KIB, MIB = 1 << 10, 1 << 20


def cases():
    """All cases: group, title, bytes, the function that makes the runs, goals."""
    yield from map(bits_case, (4 * KIB, 64 * KIB, MIB, 64 * MIB, 1024 * MIB))
    for draw, kinds, reference, least in (
        (uniform, ("float32", "float64", "float16"), ROUNDS, 0.8),
        (normal, ("float32", "float64"), CONVERSION, 0.85),
    ):
        for kind in kinds:
            title = f"{draw.__name__} {kind}, 1 MiB"
            yield Case("numbers", title, MIB, partial(reals, draw, kind), (Goal(OURS, (reference,), least),))
    for method, least in (("random", 0.9), ("standard_normal", 1)):
        goals = (Goal(OURS, (packages.NUMPY_PHILOX,), least),)
        title = f"numpy Generator.{method} over a bit generator, 1 MiB"
        yield Case("generator", title, MIB, partial(generator_numbers, method), goals)
    # Small draws of a JAX key: function, argument, and the goal relative to the same function of JAX, jitted.
    for name, argument, least in (
        ("bits", (8,), 1), ("uniform", (16,), 0.3), ("normal", (16,), 0.4), ("split", 2, 1.5), ("fold_in", 3, 1.5),
    ):  # fmt: skip
        goals = (Goal(OURS, (packages.jitted(name),), least),)
        yield Case("keys", f"JAX's {name}(key, {argument})", 0, partial(of_a_key, name, argument), goals)
    for name, draw, size, kind, goal in (
        ("bits", random_generator, 16 * MIB, "uint32", Goal(TWO_THREADS, (ONE_THREAD,), 1.4)),
        ("bits", random_generator, 64 * MIB, "uint32", Goal(TWO_THREADS, (ONE_THREAD,), 1.4)),
        ("uniform float16", uniform, 64 * MIB, "float16", Goal(TWO_THREADS, (packages.OPENVINO,), 1.2)),
        ("uniform float64", uniform, 64 * MIB, "float64", Goal(TWO_THREADS, (packages.OPENVINO,), 1.2)),
    ):
        yield Case("threads", f"{name}, {size_of(size)}, threads", size, partial(in_threads, draw, size, kind), (goal,))
    yield from SINGLE_CASES
    yield Case("small", "one call for 8 numbers, new array and state", 0, small_calls, SMALL_GOALS)
    yield from start_up.cases()
    yield from device_cases.cases()


def size_of(size):
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"


def bits_case(size):
    def prepare():
        out = np.empty(size // 4, np.uint32)
        runs = {OURS: Run(lambda: random_generator(STATE, out=out))}
        if size <= 64 * MIB:  # with more bytes, slow packages would take minutes
            runs[NEW_ARRAY] = Run(lambda: random_generator(STATE, out.shape), new_array=True)
            runs |= packages.words(size // 4)
        return runs | limits.philox_rounds(out.size) | limits.ports(out.size) | limits.memset(out)

    goal = Goal(OURS, (ROUNDS, MEMSET), 0.95) if size >= MIB else Goal(OURS, (NEW_ARRAY,), 0.95)
    clock = time.process_time if size > MIB else time.perf_counter  # calls that are longer than a turn
    return Case("bits", f"bits, {size_of(size)}", size, prepare, (goal,), clock)


def numbers(draw, out, *parameters):
    """The runs of dmlrand that make numbers of one type, with a given and with a new array."""
    return {
        OURS: Run(lambda: draw(STATE, None, *parameters, dtype=out.dtype, out=out)),
        NEW_ARRAY: Run(lambda: draw(STATE, out.shape, *parameters, dtype=out.dtype), new_array=True),
    }


def reals(draw, dtype):
    out = np.empty(MIB // np.dtype(dtype).itemsize, dtype)
    words = out.size * (2 if dtype == "float64" else 1)
    others, converted = (getattr(module, f"{draw.__name__}s") for module in (packages, limits))
    return numbers(draw, out) | others(out) | limits.philox_rounds(words) | converted(dtype, words)


def whole_numbers():
    out, bounds = np.empty(MIB // 4, np.int32), (-1000, 999_999)
    limit = limits.philox_rounds(out.size) | limits.integers(out.size, *bounds)
    return numbers(integers, out, *bounds) | packages.integers(out.size, *bounds) | limit


def generator_numbers(method):
    from dmlrand.bit_generator import PhiloxBitGenerator

    out = np.empty(MIB // 8)
    ours, numpys = (np.random.Generator(bits) for bits in (PhiloxBitGenerator(STATE), np.random.Philox(1)))
    return {
        OURS: Run(partial(getattr(ours, method), out=out)),
        packages.NUMPY_PHILOX: Run(partial(getattr(numpys, method), out=out), OTHER),
    }


def words_of_curand():
    from dmlrand.compat.curand import Generator

    return {
        OURS: Run(partial(Generator(1).generate, MIB // 4), new_array=True),
        NEW_ARRAY: Run(lambda: random_generator(STATE, MIB // 4), new_array=True),
    }


def of_a_key(name, argument):
    from dmlrand.compat import jax

    return {OURS: Run(partial(getattr(jax, name), jax.key(1), argument), new_array=True)} | packages.jax_draw(
        name, argument
    )


def large_bits_of_a_key():
    return of_a_key("bits", (MIB // 4,)) | limits.threefry_rounds(MIB // 4)


def windows():
    out = np.empty(1 << 18, np.uint32)
    runs = {CONTIGUOUS: Run(lambda: random_generator(STATE, out=out))}
    for length in (1024, 64):
        target = out.reshape(-1, length)
        shape, window = (len(target), length + 37), np.s_[:, 5 : 5 + length]
        runs[f"rows of {length}"] = Run(partial(random_window, STATE, shape, window, out=target))
    return runs


def strided_windows():
    shape, window = (512, 1024), np.s_[:, ::2]
    words, fractions, whole = (np.empty((512, 512), dtype) for dtype in ("uint32", "float32", "int32"))
    return {
        "words": Run(lambda: random_window(STATE, shape, window, out=words)),
        "uniform float32": Run(lambda: uniform(STATE, shape, window=window, out=fractions)),
        "int32 below 100": Run(lambda: integers(STATE, shape, 0, 100, window=window, out=whole)),
    }


STRIDES = {
    "every second": lambda: np.empty((1 << 10, 1 << 9), np.uint32)[:, ::2],
    "every sixteenth": lambda: np.empty((1 << 10, 1 << 12), np.uint32)[:, ::16],
    "reversed": lambda: np.empty((1 << 10, 1 << 8), np.uint32)[::-1, ::-1],
    "transposed": lambda: np.empty((1 << 8, 1 << 10), np.uint32).T,
}


def strides():
    ready, runs = np.ones((1 << 10, 1 << 8), np.uint32), {}
    for name, make in STRIDES.items():
        out = make()
        runs[name] = Run(partial(random_generator, STATE, out=out))
        runs[f"{name}, copyto"] = Run(partial(np.copyto, out, ready), LIMIT)
    return runs


def in_threads(draw, size, dtype):
    out = np.empty(size // np.dtype(dtype).itemsize, dtype)
    given = {"out": out} if draw is random_generator else {"out": out, "dtype": dtype}
    runs = {
        TWO_THREADS: Run(partial(draw, STATE, **given, threads=2)),
        ONE_THREAD: Run(partial(draw, STATE, **given)),
    }
    return runs | (limits.memset(out) if draw is random_generator else packages.openvino_uniforms(out))


STREAM = Stream(STATE)
# Each call, the call of NumPy that it is compared with, and the most that its time may be relative to that.
SMALL = {
    "random_generator(state, 8)": (lambda: random_generator(STATE, 8), packages.NUMPY_DOUBLES, 1.6),
    "random_generator(state, 8, threads=2)": (
        lambda: random_generator(STATE, 8, threads=2), packages.NUMPY_DOUBLES, 1.6
    ),
    "uniform(state, 8)": (lambda: uniform(STATE, 8), packages.NUMPY_FLOATS, 2),
    "integers(state, 8, 0, 100)": (lambda: integers(STATE, 8, 0, 100), packages.NUMPY_DOUBLES, 2),
    "normal(state, 8)": (lambda: normal(STATE, 8), packages.NUMPY_NORMALS, 2.5),
    "Stream.words(8)": (lambda: STREAM.words(8), packages.NUMPY_DOUBLES, 4),
    "Stream.uniform(8)": (lambda: STREAM.uniform(8), packages.NUMPY_FLOATS, 4),
}  # fmt: skip
SMALL_GOALS = tuple(Goal(name, (reference,), 1 / most) for name, (_, reference, most) in SMALL.items())
SMALL_GOALS += (Goal("random_generator(state, 8)", (packages.JAX,), 4),)


def small_calls():
    runs = {name: Run(call, new_array=True) for name, (call, _, _) in SMALL.items()}
    runs["advance_blocks(state, 2)"] = Run(lambda: advance_blocks(STATE, 2), new_array=True)
    return runs | packages.small_calls(8)


def rows(count, length):
    states, out = split(STATE, count), np.empty((count, length), np.uint32)
    return states, out, {
        OURS: Run(lambda: batch.random_generator(states, out=out)),
        CONTIGUOUS: Run(lambda: random_generator(STATE, out=out)),
    }  # fmt: skip


def short_rows():
    count, length = 100_000, 8
    states, out, runs = rows(count, length)
    after = np.empty_like(states)

    def loop():
        for row in range(count):
            out[row], after[row] = random_generator(states[row], length)

    runs[NEW_ARRAY] = Run(lambda: batch.random_generator(states, length), new_array=True)
    runs[LOOP] = Run(loop)
    return runs | packages.jax_rows(count, length)


def long_rows():
    return rows(4096, 256)[2]


SINGLE_CASES = [
    Case("numbers", "int32 in a range of 1,000,999, 1 MiB", MIB, whole_numbers, (Goal(OURS, (CONVERSION,), 0.85),)),
    Case("curand", "cuRAND's words, 1 MiB", MIB, words_of_curand, (Goal(OURS, (NEW_ARRAY,), 0.4),)),
    Case("keys", "JAX's bits of a key, 1 MiB", MIB, large_bits_of_a_key, (Goal(OURS, (ROUNDS,), 0.85),)),
    Case("windows", "windows, 1 MiB", MIB, windows,
         (Goal("rows of 1024", (CONTIGUOUS,), 0.6), Goal("rows of 64", (CONTIGUOUS,), 0.2))),
    Case("windows", "every second column, 1 MiB", MIB, strided_windows,
         tuple(Goal(run, ("words",), 0.5) for run in ("uniform float32", "int32 below 100"))),
    Case("strides", "strided out, 1 MiB of words", MIB, strides,
         tuple(Goal(name, (f"{name}, copyto",), 0.6) for name in STRIDES)),
    Case("batch", "rows of 8 words of 100,000 states, processor time", 3_200_000, short_rows,  # JAX uses many threads
         (Goal(OURS, (LOOP,), 100), Goal(NEW_ARRAY, (packages.JAX_ROWS,), 8)), time.process_time),
    Case("batch", "rows of 256 words of 4,096 states", 4 * MIB, long_rows, (Goal(OURS, (CONTIGUOUS,), 0.85),)),
]  # fmt: skip
