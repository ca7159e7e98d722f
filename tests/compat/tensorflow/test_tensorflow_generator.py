"""Generator: recorded sequences, and the rules of its state (specs/tensorflow.md, section 4)."""

import pickle

import numpy as np
import pytest
from numbers_at import dtype_of
from recorded import each, numbers_of, to_int
from tf_answers import assert_answer, assert_near, number_of

from dmlrand.compat import tensorflow as tfr
from dmlrand.compat.tensorflow import Generator

pytestmark = pytest.mark.both_kinds


def ints(numbers):
    return [to_int(number) for number in numbers]


# Recorded


@each("tf_generator", kind="from_seed")
def test_from_seed(case):
    """tensorflow 18"""
    seed = to_int(case["seed"]) if case["seed_is"] == "python int" else ints(case["seed"])
    assert Generator.from_seed(seed).state.tolist() == ints(case["state"])
    if case["seed_is"] == "vector":
        assert Generator.from_seed(np.array(seed)).state.tolist() == ints(case["state"])
    generator = Generator.from_seed(99)
    generator.reset_from_seed(seed)
    assert generator.state.tolist() == ints(case["state"])


@each("tf_generator", kind="from_key_counter")
def test_from_key_counter(case):
    """tensorflow 15"""
    generator = Generator.from_key_counter(to_int(case["key"]), ints(case["counter"]))
    assert generator.state.tolist() == ints(case["state"])
    assert generator.key == to_int(case["key"])


@each("tf_generator", kind="sequence")
def test_recorded_sequences(case):
    """tensorflow 16 to 19"""
    generator = Generator.from_state(ints(case["state"]))
    for step in case["steps"]:
        run_step(generator, step)
        assert generator.state.tolist() == ints(step["state_after"]), step


def run_step(generator, step):
    op = step["op"]
    if op.startswith("reset"):
        given = [step[name] for name in ("to", "seed", "key", "counter") if name in step]
        getattr(generator, op)(*(ints(each) if isinstance(each, list) else to_int(each) for each in given))
    elif op == "skip":
        assert generator.skip(to_int(step["delta"])).tolist() == ints(step["returned"])
    elif op == "split":
        assert [child.state.tolist() for child in generator.split(step["count"])] == [ints(s) for s in step["states"]]
    elif op == "make_seeds":
        assert_answer(generator.make_seeds(step["count"]), step)
    else:
        run_draw(generator, step)


def run_draw(generator, step):
    shape, dtype = step["shape"], dtype_of(step["dtype"])
    ours = getattr(generator, step["op"].replace("uniform_int", "uniform"))(shape, *bounds_of(step), dtype=dtype)
    if "normal" in step["op"]:
        assert list(ours.shape) == shape
        assert_near(ours, numbers_of(step["bits"], ours.dtype))
    else:
        assert_answer(ours, step)


def bounds_of(step):
    return [number_of(step, name) for name in ("minval", "maxval") if name in step]


# Rules of the state


def test_seeds_of_other_lengths():
    """tensorflow 18"""
    assert Generator.from_seed([]).state.tolist() == [0, 0, 0]
    assert Generator.from_seed([1, 2, 3, 4]).state.tolist() == [1, 2, 3]
    assert Generator.from_seed(np.uint64(2**64 - 1)).state.tolist() == [0, 0, -1]
    assert Generator.from_seed(np.arange(4).reshape(2, 2)).state.tolist() == [0, 1, 2]


def test_copies_are_independent():
    generator = Generator.from_seed(5, alg=3)
    generator.uniform([3])
    for twin in (Generator(copy_from=generator), pickle.loads(pickle.dumps(generator))):
        assert repr(twin) == "Generator(state=[773, 0, 0], alg=3)"
        twin.uniform([3])
        assert generator.state.tolist() == [773, 0, 0]


def test_the_global_generator():
    """tensorflow 36"""
    first = tfr.get_global_generator()
    assert tfr.get_global_generator() is first
    generator = Generator.from_seed(7)
    tfr.set_global_generator(generator)
    assert tfr.get_global_generator() is generator
    tfr.set_seed(5)
    tfr.set_seed(None)
    assert tfr.get_global_generator() is generator and generator.state.tolist() == [7, 0, 0]
    with pytest.raises(TypeError, match="^generator must be a Generator; got 7. Generator.from_seed makes one.$"):
        tfr.set_global_generator(7)
