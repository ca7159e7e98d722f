"""How other packages do the work that the benchmark measures.

Each function returns runs by name. A package that is not installed has no run. The extra `peers` installs them. Runs of
functions that cannot write to a given array are marked.
"""

from functools import partial
from importlib.util import find_spec

import numpy as np
from measurement import OTHER, Run

NUMPY_PHILOX, NUMPY_PCG64, NUMPY_SFC64 = "numpy Philox", "numpy PCG64", "numpy SFC64"
NUMPY_DOUBLES, NUMPY_FLOATS = "numpy Generator.random", "numpy Generator.random, float32"
NUMPY_NORMALS = "numpy Generator.standard_normal, float32"
OPENVINO_THREADS = 2
OPENVINO = f"openvino, {OPENVINO_THREADS} threads"
OPENVINO_INTEGERS = f"openvino int32 of [0, 2**31 - 1), {OPENVINO_THREADS} threads"  # it draws no words


def _given(call):
    """A run that writes to one array in each call."""
    return Run(call, OTHER)


def _new(call):
    """A run that makes a new array in each call."""
    return Run(call, OTHER, new_array=True)


def jitted(name):
    """The name of the run of a function of jax.random."""
    return f"jax.random.{name}, jitted"


JAX = jitted("bits")
JAX_ROWS = "jax.vmap(jax.random.bits), jitted"


def words(count):
    """`count` uint32 words, by the function of each package that converts them least."""
    runs = _numpy_words(count)
    for package, make in _WORDS.items():
        if find_spec(package) is not None:
            runs |= make(count)
    return runs


def small_calls(count):
    """One call for a few words or numbers."""
    generator = _numpy_generator()
    runs = {
        NUMPY_DOUBLES: _new(lambda: generator.random(count)),
        NUMPY_FLOATS: _new(lambda: generator.random(count, np.float32)),
        NUMPY_NORMALS: _new(lambda: generator.standard_normal(count, np.float32)),
        "numpy Generator.integers, int32": _new(lambda: generator.integers(0, 100, count, np.int32)),
        "numpy random_raw": _new(lambda: generator.bit_generator.random_raw(count)),
    }
    for package in ("jax", "torch"):
        if find_spec(package) is not None:
            runs |= _WORDS[package](count)
    return runs


def uniforms(out):
    """Uniform numbers of [0, 1), as many and of the same type as `out`."""
    kind, count = out.dtype, out.size
    runs = {}
    if kind.itemsize > 2:  # NumPy draws no float16
        runs[NUMPY_PHILOX] = _given(partial(_numpy_generator().random, dtype=kind, out=out))
    runs |= openvino_uniforms(out)
    return runs | _of_frameworks("uniform", count, kind)


def openvino_uniforms(out):
    """Uniform numbers of [0, 1) by OpenVINO, as many and of the same type as `out`."""
    return {} if find_spec("openvino") is None else {OPENVINO: _given(_openvino_request(out.size, out.dtype))}


def integers(count, low, high):
    """int32 numbers of [low, high)."""
    runs = {NUMPY_PHILOX: _new(partial(_numpy_generator().integers, low, high, count, np.int32))}
    if find_spec("openvino") is not None:
        runs[OPENVINO] = _given(_openvino_request(count, np.dtype(np.int32), low, high))
    if find_spec("torch") is not None:
        runs["torch random_"] = _given(partial(_torch_empty(count, np.dtype(np.int32)).random_, low, high))
    return runs


def normals(out):
    """Standard normals, as many and of the same type as `out`."""
    kind, count = out.dtype, out.size
    runs = {NUMPY_PHILOX: _given(partial(_numpy_generator().standard_normal, dtype=kind, out=out))}
    if find_spec("mkl_random") is not None and kind.itemsize == 8:
        import mkl_random

        for brng in ("PHILOX4X32X10", "ARS5"):
            state = mkl_random.MKLRandomState(1, brng=brng)
            runs[f"mkl_random {brng}"] = _new(partial(state.standard_normal, count))
    return runs | _of_frameworks("normal", count, kind)


def _of_frameworks(name, count, kind):
    """Numbers of a distribution, uniform or normal, by torch, JAX and TensorFlow."""
    runs = {}
    if find_spec("torch") is not None:
        runs[f"torch {name}_"] = _given(getattr(_torch_empty(count, kind), f"{name}_"))
    if kind.itemsize < 8:
        runs |= jax_draw(name, (count,), kind)
    if find_spec("tensorflow") is not None:
        import tensorflow as tf

        draw = partial(getattr(tf.random, f"stateless_{name}"), [count], [1, 2], dtype=kind)
        runs[f"tensorflow stateless_{name}"] = _new(draw)
    return runs


def jax_draw(name, *arguments):
    """A function of jax.random, of a key and these arguments, if JAX is installed."""
    if find_spec("jax") is None:
        return {}
    import jax

    draw = jax.jit(lambda key: getattr(jax.random, name)(key, *arguments))
    key = jax.random.key(1)
    return {jitted(name): _new(lambda: draw(key).block_until_ready())}


def jax_rows(count, length):
    """`length` words of each of `count` keys, if JAX is installed."""
    if find_spec("jax") is None:
        return {}
    import jax

    draw = jax.jit(jax.vmap(lambda key: jax.random.bits(key, (length,), "uint32")))
    keys = jax.random.split(jax.random.key(1), count)
    return {JAX_ROWS: _new(lambda: draw(keys).block_until_ready())}


def _numpy_words(count):
    makers = {NUMPY_PHILOX: np.random.Philox, NUMPY_PCG64: np.random.PCG64, NUMPY_SFC64: np.random.SFC64}
    runs = {name: _new(partial(maker(1).random_raw, count // 2)) for name, maker in makers.items()}
    runs["numpy Philox integers uint32"] = _new(partial(_numpy_generator().integers, 0, 1 << 32, count, np.uint32))
    return runs


def _numpy_generator():
    return np.random.Generator(np.random.Philox(1))


def _randomgen_words(count):
    import randomgen

    return {"randomgen Philox(4, 32)": _new(partial(randomgen.Philox(1, number=4, width=32).random_raw, count))}


def _mkl_words(count):
    import mkl_random

    return {
        f"mkl_random {brng}": _new(partial(mkl_random.MKLRandomState(1, brng=brng).bytes, 4 * count))
        for brng in ("PHILOX4X32X10", "ARS5")
    }


def _torch_words(count):
    return {"torch random_, 31 bits": _given(_torch_empty(count, np.dtype(np.int32)).random_)}


def _torch_empty(count, kind):
    import torch

    return torch.empty(count, dtype=getattr(torch, kind.name))


def _jax_words(count):
    import jax

    generate = jax.jit(lambda key: jax.lax.rng_bit_generator(key, (count,), "uint32"))
    key = np.arange(4, dtype=np.uint32)
    generator = _new(lambda: generate(key)[1].block_until_ready())
    return jax_draw("bits", (count,), "uint32") | {"jax.lax.rng_bit_generator, jitted": generator}


def _tensorflow_words(count):
    import tensorflow as tf

    key, counter = tf.constant([1], tf.uint64), tf.constant([1, 2], tf.uint64)
    draw = tf.raw_ops.StatelessRandomUniformFullIntV2
    words = partial(draw, shape=[count], key=key, counter=counter, alg=1, dtype=tf.uint32)
    return {"tensorflow full int": _new(words)}


def _openvino_words(count):
    return {OPENVINO_INTEGERS: _given(_openvino_request(count, np.dtype(np.int32), 0, 2**31 - 1))}


def _openvino_request(count, kind, low=0, high=1):
    import openvino
    from openvino import opset8

    output_type = {"int32": "i32", "float16": "f16", "float32": "f32", "float64": "f64"}[kind.name]
    bounds = [opset8.constant(np.array(bound, kind)) for bound in (low, high)]
    node = opset8.random_uniform(opset8.constant(np.array([count])), *bounds, output_type, 1, 2)
    options = {"INFERENCE_NUM_THREADS": OPENVINO_THREADS}
    request = openvino.Core().compile_model(openvino.Model([node], []), "CPU", options).create_infer_request()
    return partial(request.infer, share_outputs=True)  # else each call copies the numbers to a new array


_WORDS = {
    "randomgen": _randomgen_words,
    "mkl_random": _mkl_words,
    "torch": _torch_words,
    "jax": _jax_words,
    "tensorflow": _tensorflow_words,
    "openvino": _openvino_words,
}
