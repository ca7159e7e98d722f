"""Record tests/vectors/jax_gumbel.json, jax_cumsum.json, jax_unsafe_rbg.json,
jax_distributions.json, jax_further.json and jax_shapes.json.

Run it with jax 0.10.2 on a CPU with fused multiply-add.
"""

import sys

import jax
import numpy as np
from recording import bits_of, write

MAKER = "tests/makers/jax_more.py"
SOURCE = f"jax {jax.__version__}, CPU (x86-64 with FMA): "


def gumbels(rng):
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        for count in (1, 40, 300):
            key = rng.integers(0, 1 << 32, 2, np.uint32)
            with jax.enable_x64(dtype == "float64"):
                bits = bits_of(jax.random.gumbel(key, (count,), dtype))
            yield {"dtype": dtype, "key": key.tolist(), "shape": [count], "bits": bits}


def running_sums(rng):
    for dtype in ("float32", "float64"):
        for count in (1, 16, 17, 257, 300):
            with jax.enable_x64(dtype == "float64"):
                values = rng.random(count).astype(dtype)
                yield {"dtype": dtype, "values": bits_of(values), "bits": bits_of(jax.numpy.cumsum(values))}


def unsafe_rbg(rng):
    def key_of(words):
        return jax.random.wrap_key_data(words, impl="unsafe_rbg")

    def data(keys):
        return bits_of(jax.random.key_data(keys))

    for partitionable in (True, False):
        with jax.threefry_partitionable(partitionable):
            for shape in ((), (1,), (17,), (2, 3)):
                words = rng.integers(0, 1 << 32, 4, np.uint32)
                number = int(rng.integers(0, 1 << 32))
                if shape:  # the counter carries within the draw
                    words[2:] = 0xFFFFFFFF
                case = {"partitionable": partitionable, "key": words.tolist(), "shape": list(shape)}
                key = key_of(words)
                yield case | {"op": "split", "bits": data(jax.random.split(key, shape))}
                yield case | {"op": "fold_in", "data": number, "bits": data(jax.random.fold_in(key, number))}
                yield case | {"op": "bits", "bits": bits_of(jax.random.bits(key, shape))}
                yield case | {"op": "randint", "bits": bits_of(jax.random.randint(key, shape, -7, 90))}
                yield case | {"op": "permutation", "bits": bits_of(jax.random.permutation(key, 9))}
    words = rng.integers(0, 1 << 32, (3, 4), np.uint32)
    numbers = rng.integers(0, 1 << 32, 3, np.uint32)
    case = {"partitionable": True, "key": words.tolist(), "shape": [2]}
    under = {
        "split": lambda key, number: jax.random.key_data(jax.random.split(key, 2)),
        "fold_in": lambda key, number: jax.random.key_data(jax.random.fold_in(key, number)),
        "bits": lambda key, number: jax.random.bits(key, (2,)),
        "randint": lambda key, number: jax.random.randint(key, (2,), -7, 90),
    }
    for op, call in under.items():
        drawn = jax.vmap(call)(key_of(words), numbers)
        yield case | {"op": op, "data": numbers.tolist(), "vmap": True, "bits": bits_of(drawn)}


def distributions(rng):
    """Arguments are float32 numbers, or arrays that are recorded as nested lists."""
    column, full = [[0.5], [2.0], [3.25]], np.linspace(0.25, 4, 30, dtype=np.float32).reshape(3, 10).tolist()
    plain = [(name, {}) for name in ("exponential", "laplace", "logistic", "cauchy")] + [("gumbel", {"mode": "high"})]
    with_parameters = [
        ("truncated_normal", {"lower": lower, "upper": upper})
        for lower, upper in (
            (-2.0, 2.0),
            (0.0, 1.5),
            (-1.0, 0.0),
            (5.0, 6.5),
            (-9.0, 9.0),
            (-1e-30, 1e-30),
            (1.0, -1.0),
            (-3.05, -0.685),
        )
    ]
    for b in (0.7, 3.0, column, full):
        with_parameters += [("pareto", {"b": b}), ("rayleigh", {"scale": b})]
        with_parameters += [("weibull_min", {"scale": b, "concentration": 1.5})]
    with_parameters += [("rayleigh", {"scale": 2.0**-126}), ("weibull_min", {"scale": 2.0, "concentration": column})]
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        with jax.enable_x64(dtype == "float64"):
            for op, arguments in plain + with_parameters:
                seed = int(rng.integers(0, 1 << 31))
                given = {k: jax.numpy.asarray(v, dtype) if isinstance(v, list) else v for k, v in arguments.items()}
                shape = (3, 10)
                drawn = getattr(jax.random, op)(jax.random.key(seed), shape=shape, dtype=dtype, **given)
                case = {"op": op, "seed": seed, "arguments": arguments, "dtype": dtype, "shape": list(shape)}
                yield case | {"bits": bits_of(drawn)}
    for dtype in ("float32", "float64"):
        with jax.enable_x64(dtype == "float64"):
            for p in (0.3, 0.001, 0.0, 1.0, [[0.25], [0.5], [0.9]], (np.array(full) / 5).tolist()):
                seed, kind = int(rng.integers(0, 1 << 31)), "int32" if dtype == "float32" else "int64"
                given = p if isinstance(p, float) else jax.numpy.asarray(p, dtype)
                drawn = jax.random.geometric(jax.random.key(seed), given, (3, 10))
                case = {"op": "geometric", "seed": seed, "arguments": {"p": p}, "dtype": dtype, "shape": [3, 10]}
                yield case | {"bits": bits_of(drawn), "out": kind}
            for p in (0.3, 1e-4):
                seed = int(rng.integers(0, 1 << 31))
                drawn = jax.random.bernoulli(jax.random.key(seed), p, (3, 10), mode="high")
                case = {"op": "bernoulli", "seed": seed, "arguments": {"p": p, "mode": "high"}, "dtype": dtype}
                yield case | {"shape": [3, 10], "bits": bits_of(drawn), "out": "bool"}
            for replace in (True, False):
                seed = int(rng.integers(0, 1 << 31))
                given = {"logits": [0.5, -1.0, 2.0, 0.25], "replace": replace, "mode": "high"}
                drawn = jax.random.categorical(
                    jax.random.key(seed),
                    jax.numpy.asarray(given["logits"], dtype),
                    shape=(4,),
                    replace=replace,
                    mode="high",
                )
                case = {"op": "categorical", "seed": seed, "arguments": given, "dtype": dtype, "shape": [4]}
                yield case | {"bits": bits_of(drawn), "out": str(drawn.dtype)}
            for kind in ("int8", "int32", "float32", dtype):
                seed = int(rng.integers(0, 1 << 31))
                drawn = jax.random.rademacher(jax.random.key(seed), (3, 10), kind)
                case = {"op": "rademacher", "seed": seed, "arguments": {}, "dtype": kind, "shape": [3, 10]}
                yield case | {"bits": bits_of(drawn), "x64": dtype == "float64"}


def further(rng):
    """Lists are arrays of the type `of`, in which the reals are drawn. `dtype` is the type of the result."""
    row, full = [0.5, 1.25, 2.0], np.linspace(0.25, 4, 30, dtype=np.float32).reshape(10, 3).tolist()
    reals = [("lognormal", {"sigma": sigma}) for sigma in (0.5, row, full)]
    reals += [("triangular", {"left": -1.0, "mode": mode, "right": 3.0}) for mode in (0.3, row)]
    cases = [
        (op, given, of, of, (10, 3)) for op, given in reals for of in ("float16", "bfloat16", "float32", "float64")
    ]
    for lam in (0.0, 3.5, 9.9, 25.0, 1e4, full):
        cases += [("poisson", {"lam": lam}, "float32", kind, (10, 3)) for kind in ("int8", "int32", "uint16", "int64")]
    for n, p in ((10.0, 0.3), (100.0, 0.3), (1000.0, 0.7), (7.0, full), (200.0, row), (-1.0, 0.5)):
        cases += [("binomial", {"n": n, "p": p}, of, of, (10, 3)) for of in ("float32", "float64")]
    cases += [("geometric", {"p": 0.01}, "float32", kind, (30,)) for kind in ("int8", "uint8", "int16", "uint32")]
    cases += [("rademacher", {}, "float32", kind, (30,)) for kind in ("uint8", "uint16", "uint32", "bool")]
    for op, given, of, dtype, shape in cases:
        seed, x64 = int(rng.integers(0, 1 << 31)), "64" in of + dtype
        with jax.enable_x64(x64):
            arrays = {k: jax.numpy.asarray(v, of) if isinstance(v, list) else v for k, v in given.items()}
            drawn = getattr(jax.random, op)(jax.random.key(seed), shape=shape, dtype=dtype, **arrays)
            case = {"op": op, "seed": seed, "arguments": given, "of": of, "dtype": dtype, "x64": x64}
            yield case | {"shape": list(shape), "bits": bits_of(drawn)}


SAMPLERS = {
    "uniform": {}, "normal": {}, "bits": {}, "exponential": {}, "laplace": {}, "logistic": {}, "cauchy": {},
    "gumbel": {}, "rademacher": {}, "randint": {"minval": -5, "maxval": 90}, "bernoulli": {"p": 0.3},
    "truncated_normal": {"lower": -1.0, "upper": 2.0}, "rayleigh": {"scale": 2.0},
    "weibull_min": {"scale": 2.0, "concentration": 1.5}, "pareto": {"b": 3.0}, "lognormal": {"sigma": 0.5},
    "triangular": {"left": -1.0, "mode": 0.0, "right": 2.0}, "geometric": {"p": 0.25}, "poisson": {"lam": 2.0},
    "binomial": {"n": 10, "p": 0.3}, "categorical": {"logits": [0.1, 0.2, 0.7]}, "choice": {"a": 7},
}  # fmt: skip


def shapes(rng):
    """Each sampler with its default shape (None), scalars, empty arrays and vectors, for one key and two keys."""
    for op, arguments in SAMPLERS.items():
        given = {k: jax.numpy.asarray(v, "float32") if isinstance(v, list) else v for k, v in arguments.items()}
        for shape in (None, (), (0,), (3,), (2, 0)):
            shaped = {} if shape is None and op != "randint" else {"shape": shape or ()}
            for keys in ((2,), (2, 2)):
                words = rng.integers(0, 1 << 32, keys, np.uint32)
                case = {"op": op, "arguments": arguments, "shape": shape, "key": words.tolist()}

                def draw(key):
                    return getattr(jax.random, op)(key, **given, **shaped)

                drawn = draw(words) if words.ndim == 1 else jax.vmap(draw)(words)
                yield case | {"out_shape": list(drawn.shape), "dtype": str(drawn.dtype), "bits": bits_of(drawn)}


if __name__ == "__main__":
    for name, call, cases, seed in (
        ("jax_gumbel", "jax.random.gumbel(key, shape, dtype), impl threefry2x32", gumbels, 1),
        ("jax_cumsum", "jax.numpy.cumsum(values)", running_sums, 2),
        ("jax_unsafe_rbg", 'jax.random, keys of impl "unsafe_rbg"', unsafe_rbg, 4),
        ("jax_distributions", "jax.random.OP(key(seed), ..., shape=shape, dtype=dtype)", distributions, 5),
        ("jax_further", "jax.random.OP(key(seed), ..., shape=shape, dtype=dtype)", further, 6),
        ("jax_shapes", "jax.random.OP(key, ..., shape=shape), under jax.vmap for two keys", shapes, 7),
    ):
        if name in sys.argv[1:] or len(sys.argv) == 1:
            write(name, SOURCE + call, cases(np.random.default_rng(seed)), MAKER)
