"""How other packages do the work that the benchmark measures.

Each function returns runs by name. A package that is not installed has no run. The group `peers` installs them. Runs of
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
    """`count` uint32 words, by the function of each package that converts them least. Those of torch have 31 bits."""
    makers = {NUMPY_PHILOX: np.random.Philox, NUMPY_PCG64: np.random.PCG64, NUMPY_SFC64: np.random.SFC64}
    runs = {name: _new(partial(make(1).random_raw, count // 2)) for name, make in makers.items()}
    runs |= _mkl("bytes", 4 * count) | _torch("random_", count, "int32") | jax_draw("bits", (count,), "uint32")
    return runs | _openvino(OPENVINO_INTEGERS, count, np.int32, 0, 2**31 - 1)


def small_calls(count):
    """One call for a few words or numbers."""
    generator = _numpy_generator()
    runs = {
        NUMPY_DOUBLES: _new(lambda: generator.random(count)),
        NUMPY_FLOATS: _new(lambda: generator.random(count, np.float32)),
        NUMPY_NORMALS: _new(lambda: generator.standard_normal(count, np.float32)),
    }
    return runs | jax_draw("bits", (count,), "uint32") | _torch("random_", count, "int32")


def uniforms(out):
    """Uniform numbers of [0, 1), as many and of the same type as `out`."""
    runs = {}
    if out.itemsize > 2:  # NumPy draws no float16
        runs[NUMPY_PHILOX] = _given(partial(_numpy_generator().random, dtype=out.dtype, out=out))
    return runs | openvino_uniforms(out) | _of_frameworks("uniform", out)


def openvino_uniforms(out):
    """Uniform numbers of [0, 1) by OpenVINO, as many and of the same type as `out`."""
    return _openvino(OPENVINO, out.size, out.dtype)


def integers(count, low, high):
    """int32 numbers of [low, high)."""
    runs = {NUMPY_PHILOX: _new(partial(_numpy_generator().integers, low, high, count, np.int32))}
    return runs | _openvino(OPENVINO, count, np.int32, low, high) | _torch("random_", count, "int32", low, high)


def normals(out):
    """Standard normals, as many and of the same type as `out`."""
    runs = {NUMPY_PHILOX: _given(partial(_numpy_generator().standard_normal, dtype=out.dtype, out=out))}
    if out.itemsize == 8:
        runs |= _mkl("standard_normal", out.size)
    return runs | _of_frameworks("normal", out)


def _of_frameworks(name, out):
    """Numbers of a distribution, uniform or normal, by torch and JAX."""
    runs = _torch(f"{name}_", out.size, out.dtype.name)
    return runs | (jax_draw(name, out.shape, out.dtype) if out.itemsize < 8 else {})


def jax_draw(name, *arguments):
    """A function of jax.random, of a key and these arguments."""
    if find_spec("jax") is None:
        return {}
    import jax

    draw = jax.jit(lambda key: getattr(jax.random, name)(key, *arguments))
    key = jax.random.key(1)
    return {jitted(name): _new(lambda: draw(key).block_until_ready())}


def jax_rows(count, length):
    """`length` words of each of `count` keys."""
    if find_spec("jax") is None:
        return {}
    import jax

    draw = jax.jit(jax.vmap(lambda key: jax.random.bits(key, (length,), "uint32")))
    keys = jax.random.split(jax.random.key(1), count)
    return {JAX_ROWS: _new(lambda: draw(keys).block_until_ready())}


def _numpy_generator():
    return np.random.Generator(np.random.Philox(1))


def _mkl(method, count):
    """A method of both generators of mkl_random."""
    if find_spec("mkl_random") is None:
        return {}
    import mkl_random

    states = {brng: mkl_random.MKLRandomState(1, brng=brng) for brng in ("PHILOX4X32X10", "ARS5")}
    return {f"mkl_random {brng}": _new(partial(getattr(state, method), count)) for brng, state in states.items()}


def _torch(method, count, kind, *bounds):
    """A method that fills a tensor."""
    if find_spec("torch") is None:
        return {}
    import torch

    tensor = torch.empty(count, dtype=getattr(torch, kind))
    return {f"torch {method}": _given(partial(getattr(tensor, method), *bounds))}


def _openvino(name, count, kind, low=0, high=1):
    """A model with one RandomUniform."""
    if find_spec("openvino") is None:
        return {}
    import openvino
    from openvino import opset8

    output_type = {"int32": "i32", "float16": "f16", "float32": "f32", "float64": "f64"}[np.dtype(kind).name]
    bounds = [opset8.constant(np.array(bound, kind)) for bound in (low, high)]
    node = opset8.random_uniform(opset8.constant(np.array([count])), *bounds, output_type, 1, 2)
    options = {"INFERENCE_NUM_THREADS": OPENVINO_THREADS}
    request = openvino.Core().compile_model(openvino.Model([node], []), "CPU", options).create_infer_request()
    return {name: _given(partial(request.infer, share_outputs=True))}  # else each call copies the numbers
