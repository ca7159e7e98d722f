"""compat.curand against recorded answers of cuRAND, and its refusals."""

import copy

import numpy as np
import pytest
from curand_oracle import EXACT, NORMALS
from normal_bounds import CURAND_MAX_ULP
from recorded import assert_recorded, each, numbers_of, to_int
from refusing import refused

from dmlrand import kernels
from dmlrand.compat.curand import Generator

pytestmark = pytest.mark.both_kinds

F = np.float32
METHODS = EXACT + NORMALS


def assert_near(method, generator, call):
    """The numbers of a call are within the bounds of specs/curand.md of the recorded ones."""
    mean, stddev = call["scale"]
    standard = getattr(copy.copy(generator), method)(call["n"])
    ours = getattr(generator, method)(call["n"], mean, stddev)
    theirs = numbers_of(call["bits"], ours.dtype)
    distance = np.abs(ours.astype(np.float64) - theirs)
    bound = CURAND_MAX_ULP[method] * np.spacing(np.abs(standard)).astype(np.float64)
    if [mean, stddev] != [0, 1]:
        scaled = np.abs(standard) * standard.dtype.type(stddev)
        bound = bound * stddev + np.spacing(scaled) + np.spacing(scaled + abs(mean))
    assert (distance <= bound).all(), (method, (distance / bound).max())


@each("curand")
def test_recorded_calls(case):
    """curand 1 to 11"""
    generator = Generator(to_int(case["seed"]), to_int(case["offset"]))
    for call in case["calls"]:
        method = call["method"]
        if method == "set_offset":
            generator.set_offset(to_int(call["offset"]))
        elif method not in EXACT:
            assert_near(method, generator, call)
        else:
            assert_recorded(getattr(generator, method)(call["n"]), call)


# The numbers


def test_uniform_numbers_at_the_ends():
    """curand 8 and 9"""
    words = np.array([0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFF7F, 0xFFFFFF80, 0xFFFFFFFF], np.uint32)
    out = np.empty(words.size, F)
    kernels.of_rule("curand_uniform_32").convert.run(words, np.empty(0, F), out)
    assert out.tolist() == [2.0**-33, F(2.0**-32 + 2.0**-33), 0.5, 0.5, 1 - 2.0**-24, 1.0, 1.0]
    pairs = np.array([0, 0, 1, 0, 0, 1, 0x001FFFFF, 0xFFFFFFFF], np.uint32)
    doubles = np.empty(4)
    kernels.of_rule("curand_uniform_64").convert.run(pairs, np.empty(0), doubles)
    assert doubles.tolist() == [2.0**-54, 2.0**-53 + 2.0**-54, 2.0**-32 + 2.0**-54, 1.0]


# The object


def test_refusals():
    """curand 13: a refused call draws nothing."""
    generator = Generator(7)
    refused(TypeError, "seed must be an integer; got 1.5 of type float. Pass an int.", Generator, 1.5)
    message = "seed must be in [0, 2**64); got -1. Reduce it yourself: seed % 2**64."
    refused(ValueError, message, Generator, -1)
    for call in (lambda offset: Generator(7, offset), generator.set_offset):
        message = "offset must be in [0, 2**64); got 18446744073709551616. Reduce it yourself: offset % 2**64."
        refused(ValueError, message, call, 2**64)
    for method in METHODS:
        draw = getattr(generator, method)
        refused(TypeError, "n must be an integer; got '5' of type str. Pass an int.", draw, "5")
        refused(ValueError, "n must be in [0, 2**59); got -1.", draw, -1)
    for method in NORMALS:
        draw = getattr(generator, method)
        refused(TypeError, "mean must be a real number; got '0' of type str. Pass a float.", draw, 2, "0")
        refused(ValueError, "stddev must be finite", draw, 2, 0, np.inf)
    assert generator.generate(1) == Generator(7).generate(1)


OFFSETS = {"offset": 7, "last offset": 2**64 - 1}
# The word at which cuRAND 10.3.10 begins with a new seed, after draws of this many words, offsets and other seeds.
PLACES_OF_NEW_SEEDS = [
    ([8, "seed", 8], 4),
    ([8, "seed", 3], 3),
    ([3, "seed", 3], 1),
    ([3, "seed", "seed"], 3),
    ([3, "seed", 9], 3),
    ([1, 1, 1], 3),
    ([100, "seed", 100, "seed", 100], 75),
    (["offset", 10, "seed", 1], 10),
    ([10, "offset", 10], 10),
    (["offset", 10, "seed", 10], 13),
    (["last offset", 4], 3),
]


@pytest.mark.parametrize("calls, place", PLACES_OF_NEW_SEEDS)
def test_seeds_and_offsets_in_turn(calls, place):
    """curand 14"""
    generator = Generator(5)
    for call in calls:
        if call == "seed":
            generator.seed = 6
        elif call in OFFSETS:
            generator.set_offset(OFFSETS[call])
        else:
            generator.generate_uniform(call)
    generator.seed = 99
    assert generator.generate(9).tolist() == Generator(99, place).generate(9).tolist()


def test_orders():
    """curand 15"""
    refused(ValueError, "mean must be finite as a float32; got nan.", Generator(7).generate_normal, 2, np.nan)
    assert Generator(7, order=100).generate(3).tolist() == Generator(7, 0, 103).generate(3).tolist()
    message = "order must be 100, 101 or 103, as for this generator of cuRAND; got 102."
    refused(ValueError, message, Generator, 7, 0, 102)
    refused(TypeError, "order must be an integer; got '100' of type str.", Generator, 7, 0, "100")


def test_absent_methods_say_what_to_write_instead():
    remedy = "Write numpy.exp(generator.generate_normal_double(n, mean, stddev)), which is near"
    message = f"'Generator' object has no attribute 'generate_log_normal_double'. {remedy}"
    refused(AttributeError, message, getattr, Generator(), "generate_log_normal_double")
