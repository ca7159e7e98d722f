"""Record draws near zero, where numbers are flushed, how dtypes are read, and answers that other makers do not record.

The files are tests/vectors/{jax,tf,openvino}_subnormals.json, {jax,tf}_dtypes.json, jax_gumbel_of_zero.json,
jax_erfinv.json, jax_x64_discrete.json and tf_more.json. Run `python near_zero_answers.py jax`, then the same with `tf`
and with `openvino`. The packages are jax 0.10.2, tensorflow-cpu 2.21.0 and openvino 2026.4.1, on x86-64 with fused
multiply-add and AVX512_BF16.
"""

import os
import sys
import warnings
from functools import partial

import ml_dtypes
import numpy as np
import recording
from recording import bits_of

TYPES = {"float32": -126, "bfloat16": -126, "float64": -1022, "float16": -14}
STEPS = [
    (0, 0.85),
    (0, 1),
    (0, 4),
    (1, 2),
    (-1, 1),
    (-1, 0),
    (0.01, 2),
    (-0.5, 1),
    (0.25, 0.75),
    (-2, -1.5),
    (0, 300.0),
    (0, 1e6),
]
# Parameters of further distributions, in units of the least normal number. Those written as text are taken as they are.
DRAWS = [
    *[("truncated_normal", pair) for pair in ((0, 1.3), (0, 1.7), (-3, 2), (0, 8), (-8, 0.5), (0.5, 0.75), (1, 1e6))],
    *[("rayleigh", (scale,)) for scale in (0.5, 1, -1.2, 8)],
    *[("weibull_min", pair) for pair in ((4, "1"), (4, "0.25"), (0.5, "1"), (-2, "3"), (1e6, "0.0625"), ("1", 2))],
    *[
        ("weibull_min", pair)
        for pair in (("1", "0.02"), ("1", "0.008"), ("1", "0.0012"), ("1e-9", "0.01"), ("9", "2e38"))
    ],
    *[("geometric", (p,)) for p in (0.5, 1, 1.5)],
    *[("pareto", (b,)) for b in (0.5, 1, 300)],
]
write = partial(recording.write, maker="tests/makers/near_zero_answers.py")
CODES = {"float32": "f32", "bfloat16": "bf16", "float64": "f64", "float16": "f16"}
# Every spelling: Python's types, NumPy's types, NumPy's dtypes, strings.
SPELLINGS = ["int", "float", "bool", "complex", "None"]
SPELLINGS += [f"np.{name}" for name in ("float64", "float32", "float16", "int64", "int32", "uint64", "uint32", "uint8")]
SPELLINGS += [f"np.{name}" for name in ("double", "single", "half", "intp", "longlong")]
SPELLINGS += [f"np.dtype({name!r})" for name in ("float32", "float64", "int32", "int64", ">f4", ">i4")]
SPELLINGS += [
    repr(name) for name in ("float", "double", "single", "half", "int", "uint", "intp", "f8", "f4", "f2", "<f4")
]
SPELLINGS += [
    repr(name) for name in (">f4", "i8", "i4", "u4", "d", "f", "e", "l", "i", "q", "float64", "float32", "float16")
]
SPELLINGS += [repr(name) for name in ("bfloat16", "int64", "int32", "uint64", "uint32", "bool", "Float32", "")]


def numpy_dtype(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def widths_that_round_up(fractions, kind, least):
    """Widths for which fraction * width is just below the least normal number, but rounds to it if it is subnormal."""
    digits = 24 if kind.itemsize == 4 else 53
    for fraction in fractions.tolist():
        if fraction:
            width = kind.type((1 - 0.75 * 2.0**-digits) / fraction)
            # Its neighbours are tried too, because float64 loses 2**-54.
            for near in (width, np.nextafter(width, kind.type(0)), np.nextafter(width, kind.type(9))):
                (m, n), (p, q) = fraction.as_integer_ratio(), float(near).as_integer_ratio()
                # 1 - 2**-digits <= fraction * width < 1 - 2**-(digits + 1), in integers
                scaled = m * p << digits + 1
                if ((1 << digits + 1) - 2) * n * q <= scaled < ((1 << digits + 1) - 1) * n * q:
                    yield kind.type(near * kind.type(2.0**least))


def bounds_of(name, fractions):
    kind, least = numpy_dtype(name), TYPES[name]
    with np.errstate(over="ignore"):
        yield from ((kind.type(low * 2.0**least), kind.type(high * 2.0**least)) for low, high in STEPS)
    if name in ("float32", "float64"):
        yield from ((kind.type(0), width) for width in list(widths_that_round_up(fractions, kind, least))[:3])


def parameters_of(numbers, name):
    least = 2.0 ** TYPES[name]
    with np.errstate(over="ignore"):
        return [numpy_dtype(name).type(float(each) if isinstance(each, str) else each * least) for each in numbers]


def powers_near_zero(kind, least):
    """Numbers and exponents whose powers are near the least normal number, some of them within its last rounding."""
    exponents = np.random.default_rng(6).uniform(3, 60, 200_000).astype(kind)
    values = (2.0 ** (least / exponents.astype(np.float64))).astype(kind)
    powers = values.astype(np.longdouble) ** exponents.astype(np.longdouble) / np.longdouble(2.0**least)
    closest = np.argsort(np.abs(powers - (1 - np.finfo(kind).epsneg / 2)))[:20]
    return values[[*closest, *range(20)]], exponents[[*closest, *range(20)]]


def spelling_result(draw, spelling):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            values = np.asarray(draw(eval(spelling)))
        except Exception as error:
            return {"refused": type(error).__name__}
    cut = any("truncated" in str(warning.message) for warning in caught)
    return {"dtype": values.dtype.name, "cut": cut, "bits": bits_of(values)}


def record_jax():
    import jax

    source = f"jax {jax.__version__}, CPU (x86-64 with FMA): "
    rng = np.random.default_rng(5)

    def cases():
        for name in TYPES:
            kind = numpy_dtype(name)
            with jax.enable_x64(name == "float64"):
                key = rng.integers(0, 1 << 32, 2, np.uint32)
                head = {"dtype": name, "key": key.tolist(), "shape": [60]}
                fractions = np.asarray(jax.random.uniform(key, (60,), kind))
                for low, high in bounds_of(name, fractions):
                    bits = bits_of(jax.random.uniform(key, (60,), kind, low, high))
                    ends = {"minval": bits_of([low])[0], "maxval": bits_of([high])[0]}
                    yield {"op": "uniform"} | head | ends | {"bits": bits}
                chance = kind.type(0.5 * 2.0 ** TYPES[name])
                shape = [1 << 25 if name == "float32" else 4000]
                count = int(np.asarray(jax.random.bernoulli(key, chance, shape)).sum())
                yield {"op": "bernoulli"} | head | {"shape": shape, "p": bits_of([chance])[0], "count": count}
                if name in ("float32", "float64"):
                    for weights in ([0.5, 1.5, 0.1, 4], [1, 0.9, 1, 2], [3, 2, 1, 0.0], [100, 1, 30, 0.5]):
                        p = np.array(weights, kind) * kind.type(2.0 ** TYPES[name])
                        result = np.asarray(jax.random.choice(key, 4, (60,), True, p)).tolist()
                        yield {"op": "choice"} | head | {"p": bits_of(p), "replace": True, "result": result}
                        result = np.asarray(jax.random.choice(key, 4, (4,), False, p)).tolist()
                        yield (
                            {"op": "choice"}
                            | head
                            | {"shape": [4], "p": bits_of(p), "replace": False, "result": result}
                        )

                for op, numbers in DRAWS:
                    values = parameters_of(numbers, name)
                    typed = {} if op == "geometric" else {"dtype": kind}
                    drawn = np.asarray(getattr(jax.random, op)(key, *values, shape=(60,), **typed))
                    assert drawn.dtype == (kind if typed else np.dtype(f"int{64 if name == 'float64' else 32}"))
                    yield {"op": op} | head | {"parameters": bits_of(values), "bits": bits_of(drawn)}
                if name == "bfloat16":  # its largest subnormal float32 rounds up, but a float64 does not
                    for x64 in (False, True):
                        with jax.enable_x64(x64):
                            scale = 2.0**-126 * (1 - 2.0**-12)
                            bits = bits_of(jax.random.rayleigh(key, scale, (60,), kind))
                            yield {"op": "rayleigh"} | head | {"scale": scale, "x64": x64, "bits": bits}
                if name == "float16":  # a float64 is first rounded to float32
                    for x64 in (False, True):
                        with jax.enable_x64(x64):
                            low = 1 + 2.0**-11 + 2.0**-40
                            bits = bits_of(jax.random.uniform(key, (60,), kind, low, low))
                            yield {"op": "uniform of a float"} | head | {"low": low, "x64": x64, "bits": bits}
                if name in ("float32", "float64"):
                    values, exponents = powers_near_zero(kind, TYPES[name])
                    bits = bits_of(jax.jit(jax.numpy.power)(values, exponents))
                    points = {"values": bits_of(values), "exponents": bits_of(exponents)}
                    yield {"op": "power", "dtype": name} | points | {"bits": bits}

    call = "jax.random's uniform, bernoulli, choice and OP(key, *parameters) near zero, and jax.numpy.power"
    write("jax_subnormals", source + call, cases())

    def types():
        key = np.array([7, 9], np.uint32)
        draws = {
            "uniform": lambda kind: jax.random.uniform(key, (3,), kind),
            "randint": lambda kind: jax.random.randint(key, (3,), 0, 1000, kind),
            "bits": lambda kind: jax.random.bits(key, (3,), kind),
        }
        for x64 in (False, True):
            with jax.enable_x64(x64):
                for op, draw in draws.items():
                    for spelling in SPELLINGS:
                        yield {"op": op, "x64": x64, "spelling": spelling} | spelling_result(draw, spelling)

    write(
        "jax_dtypes",
        source + "uniform(key, (3,), dtype), randint(key, (3,), 0, 1000, dtype), bits(key, (3,), dtype)",
        types(),
    )

    def gumbels():
        for x64, name, key, count in ((False, "float16", [0, 3], 2000), (False, "bfloat16", [0, 3], 300)):
            with jax.enable_x64(x64):
                key = np.array(key, np.uint32)
                zero = int(np.argmin(np.asarray(jax.random.uniform(key, (count,), name))))
                values = np.asarray(jax.random.gumbel(key, (count,), name))
                yield {
                    "dtype": name,
                    "key": key.tolist(),
                    "count": count,
                    "place": zero,
                    "bits": bits_of(values[zero : zero + 1]),
                }

    write(
        "jax_gumbel_of_zero",
        source + "jax.random.gumbel(key, (count,), dtype), the element where uniform is 0",
        gumbels(),
    )

    def inverses():
        for name in ("float32", "float64"):
            digits = 24 if name == "float32" else 53
            near_one = [1 - k * 2.0**-digits for k in (1, 2, 3, 100, 12345)]
            ends = [4.9, 4.999, 6.24, 6.26, 15.9, 15.999, 16.001, 16.2, 17, 20, 30, *np.linspace(5, 5.1, 60)]
            tails = [-np.expm1(-w) for w in ends]
            points = np.array(near_one + [float(np.sqrt(each)) for each in tails] + [0.0, 1e-3, 0.5, 0.9], name)
            points = points[points < 1]  # the draws of a normal are below 1
            points = np.concatenate([points, -points])
            with jax.enable_x64(name == "float64"):
                yield {"dtype": name, "points": bits_of(points), "bits": bits_of(jax.jit(jax.lax.erf_inv)(points))}

    write("jax_erfinv", source + "jax.jit(jax.lax.erf_inv)(points), the tails of every range", inverses())

    def discrete():
        key = np.array([7, 9], np.uint32)
        head = {"key": key.tolist(), "x64": True}
        with jax.enable_x64(True):
            for name in ("float64", "float32", "float16"):
                p, logits = np.array([0.3, 0.7], name), np.array([0.1, 2, 0.3], name)
                result = np.asarray(jax.random.bernoulli(key, p, (50, 2))).astype(int).ravel().tolist()
                yield {
                    "op": "bernoulli",
                    "dtype": name,
                    "shape": [50, 2],
                    "values": p.tolist(),
                    "result": result,
                } | head
                result = np.asarray(jax.random.categorical(key, logits, shape=(60,))).tolist()
                yield {
                    "op": "categorical",
                    "dtype": name,
                    "shape": [60],
                    "values": logits.tolist(),
                    "result": result,
                } | head

    write(
        "jax_x64_discrete",
        source + "bernoulli(key, p, shape), categorical(key, logits, shape=shape), x64 on",
        discrete(),
    )


def record_tf():
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf

    source = f"tensorflow-cpu {tf.__version__}, eager, CPU: "

    def cases():
        for name in TYPES:
            kind, seed = numpy_dtype(name), [11, -5]
            head = {"dtype": name, "seed": seed, "shape": [60]}
            fractions = tf.random.stateless_uniform([60], seed, dtype=kind).numpy()
            for low, high in bounds_of(name, fractions):
                bits = bits_of(tf.random.stateless_uniform([60], seed, low, high, kind))
                ends = {"minval": bits_of([low])[0], "maxval": bits_of([high])[0]}
                yield {"op": "uniform"} | head | ends | {"bits": bits}

    write("tf_subnormals", source + "tf.random.stateless_uniform(shape, seed, minval, maxval, dtype)", cases())

    def types():
        draws = {
            "uniform": lambda kind: tf.random.stateless_uniform([3], [1, 2], 0, 1000, kind),
            "full": lambda kind: tf.random.stateless_uniform([3], [1, 2], None, None, kind),
            "normal": lambda kind: tf.random.stateless_normal([3], [1, 2], dtype=kind),
        }
        for op, draw in draws.items():
            for spelling in SPELLINGS:
                yield {"op": op, "spelling": spelling} | spelling_result(draw, spelling)

    write(
        "tf_dtypes", source + "stateless_uniform([3], [1, 2], 0, 1000 or None, None, dtype), stateless_normal", types()
    )

    def more():
        for name, data in (("uint32", 7), ("uint32", 2**32 - 1), ("uint64", 7), ("uint64", 2**64 - 1)):
            bits = bits_of(tf.random.fold_in([1, 2], np.dtype(name).type(data)))
            yield {"op": "fold_in", "seed": [1, 2], "dtype": name, "data": f"{data:016x}", "bits": bits}
        logits = [[16777217.0, 16777216.0], [0.5, 1.5]]  # the first two are equal as float32 only
        samples = tf.random.stateless_categorical(logits, 200, [1, 2]).numpy().tolist()
        yield {"op": "categorical", "seed": [1, 2], "logits": logits, "samples": samples}

    write("tf_more", source + "tf.random.fold_in(seed, data), stateless_categorical(logits, num_samples, seed)", more())


def record_openvino():
    import openvino
    from openvino import opset8
    from openvino.op import Constant

    def tensor(array):
        if array.dtype.name == "bfloat16":
            return openvino.Tensor(
                np.atleast_1d(array).view(np.uint16), openvino.Shape(array.shape), openvino.Type.bf16
            )
        return openvino.Tensor(np.ascontiguousarray(array))

    def cases():
        for name, code in CODES.items():
            for alignment in ("tensorflow", "pytorch"):
                for low, high in STEPS:
                    least = TYPES["float32" if name == "float64" else name]
                    ends = [np.array(each * 2.0**least).astype(numpy_dtype(name)) for each in (low, high)]
                    inputs = [tensor(each) for each in (np.array([60]), *ends)]
                    node = opset8.random_uniform(*[Constant(each) for each in inputs], code, 7, 9, alignment=alignment)
                    head = {"dtype": code, "alignment": alignment, "seeds": [7, 9], "shape": [60]}
                    head |= {"minval": bits_of(ends[0])[0], "maxval": bits_of(ends[1])[0]}
                    output = openvino.Tensor(node.output(0).element_type, openvino.Shape([60]))
                    assert node.evaluate([output], inputs)
                    yield head | {"implementation": "reference", "bits": bits_of(output.data)}
                    compiled = openvino.Core().compile_model(openvino.Model([node], []), "CPU")
                    yield head | {
                        "implementation": "cpu_plugin",
                        "bits": bits_of(compiled.create_infer_request().infer()[0]),
                    }

    source = (
        f"openvino {openvino.__version__}: node.evaluate, "
        "and models compiled for CPU (AVX512_BF16) with constant bounds"
    )
    write("openvino_subnormals", source, cases())


if __name__ == "__main__":
    {"jax": record_jax, "tf": record_tf, "openvino": record_openvino}[sys.argv[1]]()
