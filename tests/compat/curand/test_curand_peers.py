"""The installed cuRAND, on new random sequences of calls. Run with `pytest -m peers`; it needs no GPU."""

import ctypes
from functools import cache
from importlib.metadata import PackageNotFoundError, files

import numpy as np
import pytest
from curand_oracle import EXACT, NORMALS, ROUND
from normal_bounds import CURAND_MAX_ULP, largest_ulp

from dmlrand.compat.curand import Generator

pytestmark = pytest.mark.peers


FUNCTIONS = {  # the function for each method of compat.curand.Generator, the type it makes, and that of its parameters
    "generate": ("curandGenerate", np.uint32, None),
    "generate_uniform": ("curandGenerateUniform", np.float32, None),
    "generate_uniform_double": ("curandGenerateUniformDouble", np.float64, None),
    "generate_normal": ("curandGenerateNormal", np.float32, ctypes.c_float),
    "generate_normal_double": ("curandGenerateNormalDouble", np.float64, ctypes.c_double),
}


@cache
def load_library():
    """The library of NVIDIA's package, or None."""
    try:
        listed = files("nvidia-curand-cu12") or []
    except PackageNotFoundError:
        return None
    return next((ctypes.CDLL(str(path.locate())) for path in listed if path.name.startswith("libcurand.so")), None)


class HostGenerator:
    """A host generator of cuRAND, which runs on the CPU, with the methods of compat.curand.Generator."""

    def __init__(self, seed=0, offset=0):
        self.handle = ctypes.c_void_p()
        self.call("curandCreateGeneratorHost", ctypes.byref(self.handle), 161)  # CURAND_RNG_PSEUDO_PHILOX4_32_10
        self.set_seed(seed)
        self.set_offset(offset)

    def __del__(self):
        load_library().curandDestroyGenerator(self.handle)

    def call(self, name, *arguments):
        status = getattr(load_library(), name)(*arguments)
        if status:
            raise RuntimeError(f"cuRAND must return status 0; got {status}. curand.h lists the codes.")

    def set_seed(self, seed):
        self.call("curandSetPseudoRandomGeneratorSeed", self.handle, ctypes.c_ulonglong(seed))

    def set_offset(self, offset):
        self.call("curandSetGeneratorOffset", self.handle, ctypes.c_ulonglong(offset))

    def set_order(self, order):
        self.call("curandSetGeneratorOrdering", self.handle, ctypes.c_int(order))

    def draw(self, method, n, *parameters):
        """n numbers of the function for `method`."""
        name, dtype, parameter_type = FUNCTIONS[method]
        values = np.empty(n, dtype)
        converted = [parameter_type(each) for each in parameters] if parameter_type else []
        self.call(name, self.handle, values.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(n), *converted)
        return values


@pytest.fixture(scope="module", autouse=True)
def library():
    if load_library() is None:
        pytest.skip("cuRAND is not installed: pip install nvidia-curand-cu12")


def pair_of_generators(chance):
    """Our generator and cuRAND's, at any seed and offset."""
    near_a_carry = chance.choice([0, ROUND, 2 * ROUND, ROUND << 32, 1 << 63, 1 << 64]) + chance.randint(-9, 9)
    offset = chance.choice([0, near_a_carry % 2**64, chance.getrandbits(chance.randint(1, 64))])
    return new_pair(chance, offset)


def new_pair(chance, offset):
    arguments = chance.getrandbits(64), offset
    return Generator(*arguments), HostGenerator(*arguments)


def random_count(chance):
    return chance.choice([0, 1, 2, 3, 4, 5, chance.randint(6, 5000), ROUND + chance.randint(-9, 9), 2 * ROUND + 3])


def test_new_seeds_and_offsets_between_draws(chance):
    """curand 2 to 9, 14 and 15"""
    compared = 0
    for _ in range(500):
        ours, theirs = pair_of_generators(chance) if chance.random() < 0.3 else new_pair(chance, chance.randint(0, 9))
        for _ in range(chance.randint(1, 8)):
            if chance.random() < 0.4:
                seed = chance.getrandbits(64)
                ours.seed = seed
                theirs.set_seed(seed)
            elif chance.random() < 0.1:
                offset = chance.choice([0, chance.randint(0, 9), chance.getrandbits(64)])
                ours.set_offset(offset), theirs.set_offset(offset)
            method, n = chance.choice(EXACT), random_count(chance) if chance.random() < 0.1 else chance.randint(0, 5)
            assert np.array_equal(getattr(ours, method)(n), theirs.draw(method, n)), (method, n)
            compared += n
    print(f"{compared} numbers are equal")


def test_orders(chance):
    """curand 15"""
    for order in (100, 101, 103):
        ours, theirs = new_pair(chance, 5)
        theirs.set_order(order)
        assert np.array_equal(ours.generate(1000), theirs.draw("generate", 1000))
    for order in (102, 104, 105, 106):
        with pytest.raises(RuntimeError):
            theirs.set_order(order)


@pytest.mark.parametrize("method", NORMALS)
def test_distance_of_normals(chance, method):
    """curand 10 and 11: without scaling; calls for words between them end at the same places."""
    largest = compared = 0
    for _ in range(4):
        ours, theirs = pair_of_generators(chance)
        for n in (chance.randint(1, 9), ROUND + chance.randint(0, 9), chance.randint(1, 5000)):
            got, expected = getattr(ours, method)(n), theirs.draw(method, n, 0, 1)
            largest = max(largest, largest_ulp(got, expected))
            compared += n
            assert np.array_equal(ours.generate(5), theirs.draw("generate", 5))
    print(f"{compared} numbers of {method} are within {largest:.3} ulp")
    assert largest <= CURAND_MAX_ULP[method]


def test_scaling_is_exact(chance):
    """curand 10 and 11: cuRAND's own numbers, scaled, are its scaled numbers."""
    for method in NORMALS:
        seed = chance.getrandbits(64)
        standard, scaled = (
            HostGenerator(seed).draw(method, 100_000, *scale) for scale in ((0, 1), (0.3, -1.7))
        )
        mean, stddev = standard.dtype.type(0.3), standard.dtype.type(-1.7)
        assert np.array_equal(scaled, standard * stddev + mean)
