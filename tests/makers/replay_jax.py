"""The calls of JAX that tests/vectors/jax_*.json record, on a CPU. See replay.py; jax_more.py records the others."""

import os

os.environ["JAX_PLATFORMS"] = "cpu"

import math

import jax
import numpy as np
from replay import answer, to_int

DTYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
random = jax.random


def configured(call):
    """`call`, made with the JAX settings that its case names."""

    def run(case):
        with (
            jax.enable_x64(case.get("x64", False)),
            jax.threefry_partitionable(case.get("threefry_partitionable", True)),
        ):
            return call(case)

    return run


def key_of(case, impl="threefry2x32"):
    return random.wrap_key_data(np.array([to_int(word) for word in case["key"]], np.uint32), impl=impl)


def words_of(keys):
    return {"result": np.asarray(random.key_data(keys)).ravel().tolist()}


def key_call(case, op, impl="threefry2x32"):
    if op == "seed":
        kind = case.get("seed_type", "python int").removeprefix("numpy ")
        seed = to_int(case["seed"])
        return words_of(random.key(seed if kind == "python int" else np.dtype(kind).type(seed), impl=impl))
    if op == "split":
        num = case["num"]
        return words_of(random.split(key_of(case, impl), tuple(num) if isinstance(num, list) else num))
    return words_of(random.fold_in(key_of(case, impl), to_int(case["data"])))


def bits(case, impl="threefry2x32"):
    return answer(random.bits(key_of(case, impl), case["shape"], f"uint{case['width']}"), case)


def uniform(case, impl="threefry2x32"):
    bounds = case["minval"], case["maxval"]
    return answer(random.uniform(key_of(case, impl), case["shape"], DTYPES[case["dtype"]], *bounds), case)


def normal(case):
    return answer(random.normal(key_of(case), case["shape"], DTYPES[case["dtype"]]), case)


def randint(case):
    bounds = [to_int(case[name]) for name in ("minval", "maxval")]
    return answer(random.randint(key_of(case), case["shape"], *bounds, case["dtype"]), case)


def discrete(case):
    key, op = key_of(case), case["op"]
    if op == "bernoulli":
        p = np.array(case["p_f32_bits"], np.uint32).view(np.float32)
        drawn = random.bernoulli(key, p, tuple(case["shape"]))
    elif op == "permutation":
        drawn = random.permutation(key, case["n"])
    elif op == "categorical":
        logits = np.array(case["logits_f32_bits"], np.uint32).view(np.float32)
        drawn = random.categorical(key, logits, shape=tuple(case["shape"]))
    elif op == "choice":
        p = np.array(case["p_f32_bits"], np.uint32).view(np.float32) if "p_f32_bits" in case else None
        drawn = random.choice(key, case["n"], tuple(case["shape"]), case["replace"], p)
    else:
        items = np.arange(math.prod(case["shape"])).reshape(case["shape"])
        drawn = random.permutation(key, items, case["axis"], case["independent"])
    return answer(drawn, case) if "sha256_le" in case else {"result": np.asarray(drawn).astype(int).ravel().tolist()}


def rng_bit_generator(case):
    if case["op"] != "rng_bit_generator":
        op = case["op"].removeprefix("rbg ")
        return bits(case, "rbg") if op == "bits" else key_call(case, op, "rbg")
    key = np.array([to_int(word) for word in case["key"]], case["key_dtype"])
    algorithm = getattr(jax.lax.RandomAlgorithm, case["algorithm"])
    new_key, drawn = jax.lax.rng_bit_generator(key, case["shape"], f"uint{case['width']}", algorithm=algorithm)
    return answer(drawn, case) | {"new_key": np.asarray(new_key).tolist()}


def philox(case):
    if case["op"] in ("bits", "uniform"):
        return {"bits": bits, "uniform": uniform}[case["op"]](case, "philox4x32")
    return key_call(case, case["op"], "philox4x32")


CALLS = {
    "jax_keys": lambda case: key_call(case, case["op"]),
    "jax_bits": bits,
    "jax_uniform": uniform,
    "jax_normal": normal,
    "jax_randint": randint,
    "jax_discrete": discrete,
    "jax_rng_bit_generator": rng_bit_generator,
    "jax_philox4x32": philox,
}
CALLS = {name: configured(call) for name, call in CALLS.items()}
