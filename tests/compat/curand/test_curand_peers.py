"""The installed cuRAND, on new random sequences of calls. Run with `pytest -m peers`; it needs no GPU.

The seed is printed; DMLRAND_PEERS_SEED=... repeats a run.
"""

import os
import random
import secrets

import curand_library
import numpy as np
import pytest
from curand_oracle import EXACT, LOG_NORMALS, NORMALS, ROUND
from normal_bounds import CURAND_MAX_ULP

from dmlrand.compat.curand import Generator

pytestmark = pytest.mark.peers


@pytest.fixture(scope="module", autouse=True)
def library():
    if curand_library.load_library() is None:
        pytest.skip("cuRAND is not installed: pip install nvidia-curand-cu12")


@pytest.fixture
def chance(request):
    seed = int(os.environ.get("DMLRAND_PEERS_SEED", secrets.randbits(64)))
    print(f"DMLRAND_PEERS_SEED={seed}")  # pytest shows it with a failure, and always with -s
    return random.Random(f"{seed} {request.node.name}")


def pair_of_generators(chance):
    """Our generator and cuRAND's, at any seed and offset."""
    near_a_carry = chance.choice([0, ROUND, 2 * ROUND, ROUND << 32, 1 << 63, 1 << 64]) + chance.randint(-9, 9)
    offset = chance.choice([0, near_a_carry % 2**64, chance.getrandbits(chance.randint(1, 64))])
    arguments = chance.getrandbits(64), offset
    return Generator(*arguments), curand_library.HostGenerator(*arguments)


def random_count(chance):
    return chance.choice([0, 1, 2, 3, 4, 5, chance.randint(6, 5000), ROUND + chance.randint(-9, 9), 2 * ROUND + 3])


def test_sequences_of_calls_are_exact(chance):
    """curand 2 to 9"""
    compared = 0
    for _ in range(12):
        ours, theirs = pair_of_generators(chance)
        for _ in range(6):
            if chance.random() < 0.1:
                offset = chance.getrandbits(40)
                ours.set_offset(offset), theirs.set_offset(offset)
            method, n = chance.choice(EXACT), random_count(chance)
            assert np.array_equal(getattr(ours, method)(n), theirs.draw(method, n)), (method, n)
            compared += n
    print(f"{compared} numbers are equal")


def test_a_seed_that_replaces_another(chance):
    """curand 16: after k numbers of any kind, from any offset"""
    for k in (*range(10), 1000, 262144, 262146, chance.randint(0, 600_000)):
        for offset in (0, chance.randint(1, 9), chance.randint(1, 1 << 40)):
            method = chance.choice(EXACT)
            theirs = curand_library.HostGenerator(chance.getrandbits(64), offset)
            theirs.draw(method, k)
            seed = chance.getrandbits(64)
            theirs.set_seed(seed)
            place = offset + (offset % 4 + k) // 4 if offset or k >= 4 else k
            assert np.array_equal(Generator(seed, place).generate(2000), theirs.draw("generate", 2000)), (k, offset)


@pytest.mark.parametrize("method", NORMALS + LOG_NORMALS)
def test_distance_of_normals(chance, method):
    """curand 10 to 12: without scaling; calls for words between them end at the same places."""
    largest = compared = 0
    for _ in range(4):
        ours, theirs = pair_of_generators(chance)
        for n in (chance.randint(1, 9), ROUND + chance.randint(0, 9), chance.randint(1, 5000)):
            got, expected = getattr(ours, method)(n), theirs.draw(method, n, 0, 1)
            distance = np.abs(got.astype(np.longdouble) - expected)
            if method in LOG_NORMALS:
                distance /= np.maximum(1, np.abs(np.log(expected)))
            largest = max(
                largest, np.max(distance / np.spacing(expected if method in LOG_NORMALS else np.abs(expected)))
            )
            compared += n
            assert np.array_equal(ours.generate(5), theirs.draw("generate", 5))
    print(f"{compared} numbers of {method} are within {largest:.3} ulp")
    assert largest <= CURAND_MAX_ULP[method]


def test_scaling_is_exact(chance):
    """curand 10 and 11: cuRAND's own numbers, scaled, are its scaled numbers."""
    for method in NORMALS:
        seed = chance.getrandbits(64)
        standard, scaled = (
            curand_library.HostGenerator(seed).draw(method, 100_000, *scale) for scale in ((0, 1), (0.3, -1.7))
        )
        mean, stddev = standard.dtype.type(0.3), standard.dtype.type(-1.7)
        assert np.array_equal(scaled, standard * stddev + mean)
