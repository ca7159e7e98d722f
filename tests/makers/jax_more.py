"""Record tests/vectors/jax_gumbel.json, jax_cumsum.json and jax_three_fry.json.

Run it with jax 0.10.2 on a CPU with fused multiply-add.
"""

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


def three_fry(rng):
    algorithm = jax.lax.RandomAlgorithm.RNG_THREE_FRY
    for shape in ((), (1,), (3, 5), (3, 5, 7), (5, 3), (3, 3), (1, 2), (3, 4, 2), (0, 3), (3, 0), (7, 1, 9)):
        for width in (16, 32):
            key = rng.integers(0, 1 << 32, 4, np.uint32)
            new_key, bits = jax.lax.rng_bit_generator(key, shape, f"uint{width}", algorithm=algorithm)
            made = {"shape": list(shape), "bits": bits_of(bits), "new_key": bits_of(new_key)}
            yield {"algorithm": algorithm.name, "key_dtype": "uint32", "key": key.tolist(), "width": width} | made


if __name__ == "__main__":
    for name, call, cases, seed in (
        ("jax_gumbel", "jax.random.gumbel(key, shape, dtype), impl threefry2x32", gumbels, 1),
        ("jax_cumsum", "jax.numpy.cumsum(values)", running_sums, 2),
        ("jax_three_fry", "jax.lax.rng_bit_generator(key, shape, dtype, algorithm)", three_fry, 3),
    ):
        write(name, SOURCE + call, cases(np.random.default_rng(seed)), MAKER)
