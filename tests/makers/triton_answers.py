"""Write new cases of Triton's interpreter, which needs no GPU: python triton_answers.py SEED FILE.npz

tests/compat/triton/test_triton_peers.py runs it, because the interpreter must be chosen before anything imports Triton.
"""

import os
import sys

os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported

import numpy as np
import torch
import triton
import triton.language as tl

FUNCTIONS = {"randint4x": np.uint32, "rand4x": np.float32, "randn4x": np.float32}
FIRST = {"randint": np.uint32, "rand": np.float32, "randn": np.float32}
SEEDS = [0, 1, -1, -(1 << 31), (1 << 31) - 1, 1 << 31, 1 << 32, -(1 << 63), (1 << 63) - 1, (1 << 64) - 1]
TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


@triton.jit
def fill(seed, offsets, words, uniforms, normals, word, uniform, normal, size: tl.constexpr):
    i = tl.arange(0, size)
    offset = tl.load(offsets + i)
    w0, w1, w2, w3 = tl.randint4x(seed, offset)
    tl.store(words + i, w0)
    tl.store(words + size + i, w1)
    tl.store(words + 2 * size + i, w2)
    tl.store(words + 3 * size + i, w3)
    u0, u1, u2, u3 = tl.rand4x(seed, offset)
    tl.store(uniforms + i, u0)
    tl.store(uniforms + size + i, u1)
    tl.store(uniforms + 2 * size + i, u2)
    tl.store(uniforms + 3 * size + i, u3)
    n0, n1, n2, n3 = tl.randn4x(seed, offset)
    tl.store(normals + i, n0)
    tl.store(normals + size + i, n1)
    tl.store(normals + 2 * size + i, n2)
    tl.store(normals + 3 * size + i, n3)
    tl.store(word + i, tl.randint(seed, offset))
    tl.store(uniform + i, tl.rand(seed, offset))
    tl.store(normal + i, tl.randn(seed, offset))


@triton.jit
def fill_philox(seed, counters, words, uniforms, normals, word, rounds: tl.constexpr, size: tl.constexpr):
    i = tl.arange(0, size)
    c0, c1 = tl.load(counters + i), tl.load(counters + size + i)
    c2, c3 = tl.load(counters + 2 * size + i), tl.load(counters + 3 * size + i)
    w0, w1, w2, w3 = tl.philox(seed, c0, c1, c2, c3, rounds)
    tl.store(words + i, w0)
    tl.store(words + size + i, w1)
    tl.store(words + 2 * size + i, w2)
    tl.store(words + 3 * size + i, w3)
    u0, u1 = tl.uint_to_uniform_float(w0), tl.uint_to_uniform_float(w1)
    tl.store(uniforms + i, u0)
    tl.store(uniforms + size + i, u1)
    n0, n1 = tl.pair_uniform_to_normal(u0, u1)
    tl.store(normals + i, n0)
    tl.store(normals + size + i, n1)
    tl.store(word + i, tl.randint(seed, c0, rounds))


def draw_philox(seed, counters, rounds):
    """The numbers of philox, uint_to_uniform_float, pair_uniform_to_normal and randint for an array of counters.

    `counters` has four rows, whose size is a power of two.
    """
    size = counters.shape[1]
    made = {
        "philox": np.zeros((4, size), np.uint32),
        "uint_to_uniform_float": np.zeros((2, size), np.float32),
        "pair_uniform_to_normal": np.zeros((2, size), np.float32),
        "randint": np.zeros(size, np.uint32),
    }
    fill_philox[(1,)](seed, torch.from_numpy(counters), *map(torch.from_numpy, made.values()), rounds, size)
    return made


def philox_cases(rng, size):
    """A seed, counters of 32 bits and a number of rounds from 0 to 12."""
    for kind in ("int32", "uint32"):
        limits = np.iinfo(kind)
        for rounds in (0, 1, 7, 10, 12):
            yield SEEDS[rng.integers(len(SEEDS))], rng.integers(limits.min, limits.max, (4, size), kind, True), rounds


def draw(seed, offsets):
    """The numbers of each function for an array of offsets, whose size is a power of two."""
    made = {name: np.zeros((4, offsets.size), dtype) for name, dtype in FUNCTIONS.items()}
    made |= {name: np.zeros(offsets.size, dtype) for name, dtype in FIRST.items()}
    fill[(1,)](seed, torch.from_numpy(offsets), *map(torch.from_numpy, made.values()), offsets.size)
    return made


def new_cases(rng):
    """Arrays by name: the seed and the offsets of each new case, and its numbers."""
    for case in range(80):
        kind = TYPES[case % len(TYPES)]
        limits = np.iinfo(kind)
        seed = int(rng.integers(-(1 << 63), 1 << 63)) >> int(rng.integers(64))
        if case % 3:
            offsets = rng.integers(limits.min, limits.max, 1024, kind, endpoint=True)
        else:  # consecutive, and wrapping where the type ends
            offsets = np.arange(1024).astype(kind) + rng.integers(limits.min, limits.max, 1, kind)
        made = {"seed": np.array(seed), "offset": offsets} | draw(seed, offsets)
        yield from ((f"{case} {name}", values) for name, values in made.items())
    for case, (seed, counters, rounds) in enumerate(philox_cases(rng, 1024)):
        given = {"seed": np.array(hex(seed)), "counters": counters, "n_rounds": np.array(rounds)}
        made = given | draw_philox(seed, counters, rounds)
        yield from ((f"philox {case} {name}", values) for name, values in made.items())


if __name__ == "__main__":
    np.savez(sys.argv[2], **dict(new_cases(np.random.default_rng(int(sys.argv[1])))))
