"""How other packages do the work that `dmlrand bench` measures.

Each function returns runs by name. A package that is not installed has no run. The extra `peers` installs them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import curand_library
from .case import Runs

NUMPY_PHILOX, NUMPY_PCG64, NUMPY_SFC64 = "numpy Philox", "numpy PCG64", "numpy SFC64"
CURAND = "cuRAND host generator"
OPENVINO_THREADS = 2
OPENVINO = f"openvino CPU, {OPENVINO_THREADS} threads"


def jitted(name: str) -> str:
    """The name of the run of a function of jax.random."""
    return f"jax.random.{name}, jitted"


JAX = jitted("bits")
JAX_ROWS = "jax.vmap(jax.random.bits), jitted"


def words(count: int) -> Runs:
    """`count` uint32 words, by the function of each package that converts them least."""
    runs = _numpy_words(count)
    for package, make in _WORDS.items():
        if find_spec(package) is not None:
            runs |= make(count)
    return runs


def curand_words(out: NDArray[Any]) -> Runs:
    """Words of cuRAND's generator on the CPU, if its library is installed."""
    if curand_library.load_library() is None:
        return {}
    return {CURAND: partial(curand_library.HostGenerator(1).draw, "generate", out.size, out=out)}


def small_calls(count: int) -> Runs:
    """One call for a small number of words."""
    runs: Runs = {}
    for package in ("jax", "torch"):
        if find_spec(package) is not None:
            runs |= _WORDS[package](count)
    return runs


def uniforms(out: NDArray[Any]) -> Runs:
    """Uniform numbers of [0, 1), as many and of the same type as `out`."""
    kind, count = out.dtype, out.size
    runs: Runs = {}
    if kind.itemsize > 2:  # NumPy draws no float16
        runs[NUMPY_PHILOX] = partial(np.random.Generator(np.random.Philox(1)).random, dtype=kind, out=out)
    runs |= openvino_uniforms(out)
    if find_spec("torch") is not None:
        runs["torch uniform_"] = _torch_empty(count, kind).uniform_
    if kind.itemsize < 8:
        runs |= jax_draw("uniform", (count,), kind)
    if find_spec("tensorflow") is not None:
        import tensorflow as tf

        runs["tensorflow stateless_uniform"] = lambda: tf.random.stateless_uniform([count], [1, 2], dtype=kind)
    return runs


def openvino_uniforms(out: NDArray[Any]) -> Runs:
    """Uniform numbers of [0, 1) by OpenVINO, as many and of the same type as `out`."""
    return {} if find_spec("openvino") is None else {OPENVINO: _openvino_request(out.size, out.dtype)}


def integers(count: int, low: int, high: int) -> Runs:
    """int32 numbers of [low, high)."""
    generator = np.random.Generator(np.random.Philox(1))
    runs: Runs = {NUMPY_PHILOX: lambda: generator.integers(low, high, count, np.int32)}
    if find_spec("openvino") is not None:
        runs[OPENVINO] = _openvino_request(count, np.dtype(np.int32), low, high)
    if find_spec("torch") is not None:
        out = _torch_empty(count, np.dtype(np.int32))
        runs["torch random_"] = lambda: out.random_(low, high)
    return runs


def normals(out: NDArray[Any]) -> Runs:
    """Standard normals, as many and of the same type as `out`."""
    kind, count = out.dtype, out.size
    generator = np.random.Generator(np.random.Philox(1))
    runs: Runs = {NUMPY_PHILOX: partial(generator.standard_normal, dtype=kind, out=out)}
    if find_spec("mkl_random") is not None and kind.itemsize == 8:
        import mkl_random

        for brng in ("PHILOX4X32X10", "ARS5"):
            state = mkl_random.MKLRandomState(1, brng=brng)
            runs[f"mkl_random {brng}"] = partial(state.standard_normal, count)
    if find_spec("torch") is not None:
        runs["torch normal_"] = _torch_empty(count, kind).normal_
    if kind.itemsize < 8:
        runs |= jax_draw("normal", (count,), kind)
    if find_spec("tensorflow") is not None:
        import tensorflow as tf

        runs["tensorflow stateless_normal"] = lambda: tf.random.stateless_normal([count], [1, 2], dtype=kind)
    return runs


def jax_draw(name: str, *arguments: Any) -> Runs:
    """A function of jax.random, of a key and these arguments, if JAX is installed."""
    if find_spec("jax") is None:
        return {}
    import jax

    draw = jax.jit(lambda key: getattr(jax.random, name)(key, *arguments))
    key = jax.random.key(1)
    return {jitted(name): lambda: draw(key).block_until_ready()}


def jax_rows(count: int, length: int) -> Runs:
    """`length` words of each of `count` keys, if JAX is installed."""
    if find_spec("jax") is None:
        return {}
    import jax

    draw = jax.jit(jax.vmap(lambda key: jax.random.bits(key, (length,), "uint32")))
    keys = jax.random.split(jax.random.key(1), count)
    return {JAX_ROWS: lambda: draw(keys).block_until_ready()}


def _numpy_words(count: int) -> Runs:
    makers = {NUMPY_PHILOX: np.random.Philox, NUMPY_PCG64: np.random.PCG64, NUMPY_SFC64: np.random.SFC64}
    runs: Runs = {name: partial(maker(1).random_raw, count // 2) for name, maker in makers.items()}
    generator = np.random.Generator(np.random.Philox(1))
    runs["numpy Philox integers uint32"] = lambda: generator.integers(0, 1 << 32, count, np.uint32)
    return runs


def _randomgen_words(count: int) -> Runs:
    import randomgen

    return {"randomgen Philox(4, 32)": partial(randomgen.Philox(1, number=4, width=32).random_raw, count)}


def _mkl_words(count: int) -> Runs:
    import mkl_random

    return {
        f"mkl_random {brng}": partial(mkl_random.MKLRandomState(1, brng=brng).bytes, 4 * count)
        for brng in ("PHILOX4X32X10", "ARS5")
    }


def _torch_words(count: int) -> Runs:
    out = _torch_empty(count, np.dtype(np.int32))
    return {"torch random_, 31 bits": lambda: out.random_()}


def _torch_empty(count: int, kind: np.dtype[Any]) -> Any:
    import torch

    return torch.empty(count, dtype=getattr(torch, kind.name))


def _jax_words(count: int) -> Runs:
    import jax

    generate = jax.jit(lambda key: jax.lax.rng_bit_generator(key, (count,), "uint32"))
    key = np.arange(4, dtype=np.uint32)
    generator: Runs = {"jax.lax.rng_bit_generator, jitted": lambda: generate(key)[1].block_until_ready()}
    return jax_draw("bits", (count,), "uint32") | generator


def _tensorflow_words(count: int) -> Runs:
    import tensorflow as tf

    key, counter = tf.constant([1], tf.uint64), tf.constant([1, 2], tf.uint64)
    draw = tf.raw_ops.StatelessRandomUniformFullIntV2
    return {"tensorflow full int": lambda: draw(shape=[count], key=key, counter=counter, alg=1, dtype=tf.uint32)}


def _openvino_words(count: int) -> Runs:
    return {OPENVINO: _openvino_request(count, np.dtype(np.int32), 0, 2**31 - 1)}


def _openvino_request(count: int, kind: np.dtype[Any], low: float = 0, high: float = 1) -> Callable[[], Any]:
    import openvino
    from openvino import opset8

    output_type = {"int32": "i32", "float16": "f16", "float32": "f32", "float64": "f64"}[kind.name]
    bounds = [opset8.constant(np.array(bound, kind)) for bound in (low, high)]
    node = opset8.random_uniform(opset8.constant(np.array([count])), *bounds, output_type, 1, 2)
    options = {"INFERENCE_NUM_THREADS": OPENVINO_THREADS}
    request = openvino.Core().compile_model(openvino.Model([node], []), "CPU", options).create_infer_request()
    infer: Callable[[], Any] = request.infer
    return infer


_WORDS = {
    "randomgen": _randomgen_words,
    "mkl_random": _mkl_words,
    "torch": _torch_words,
    "jax": _jax_words,
    "tensorflow": _tensorflow_words,
    "openvino": _openvino_words,
}
