"""compat.tensorflow gives the recorded answers of TensorFlow, bit for bit. Normals: test_tensorflow_normals.py."""

from functools import partial

import numpy as np
import pytest
from numbers_at import dtype_of
from recorded import each, each_of, load, to_int
from tf_answers import assert_answer, logits_of, number_of, seed_of

from dmlrand import make_state, random_generator
from dmlrand.compat import tensorflow as tfr

pytestmark = pytest.mark.both_kinds


@each("tf_seed")
def test_key_and_counter(case):
    """tensorflow 1 and 2"""
    for seed in (seed_of(case), [to_int(number) for number in case["seed"]]):
        key, counter = tfr.stateless_random_get_key_counter(seed)
        assert (key.dtype, counter.dtype) == (np.uint64, np.uint64)
        assert key.tolist() == [to_int(number) for number in case["key"]]
        assert counter.tolist() == [to_int(number) for number in case["counter"]]
    state = tfr.state_of_key_counter(key, counter)
    words = tfr.stateless_uniform([9], seed_of(case), minval=None, maxval=None, dtype="uint32")
    assert words.tolist() == random_generator(state, 9).values.tolist()
    back = tfr.key_counter_of_state(state)
    assert (back.key.tolist(), back.counter.tolist()) == (key.tolist(), counter.tolist())


def test_keys_and_counters_may_be_signed():
    """tensorflow 2"""
    state = tfr.state_of_key_counter(-1, [-2, 5])
    assert state.tolist() == make_state(counter=2**64 - 2 + (5 << 64), key=2**64 - 1).tolist()
    assert state.tolist() == tfr.state_of_key_counter(2**64 - 1, np.array([2**64 - 2, 5], np.uint64)).tolist()


def test_python_ints_are_int32_where_all_of_them_fit():
    """tensorflow 4: an array keeps its type."""
    for seed, dtype in (
        ([1, 2], np.int32),
        ([-(2**31), 2**31 - 1], np.int32),
        ([1, 2**31], np.int64),
        (np.array([1, 2], np.int64), np.int64),
        (np.array([1, 2], np.int32), np.int32),
    ):
        assert tfr.split(seed).dtype == dtype
        assert tfr.fold_in(seed, 3).dtype == np.int32  # the type of the data (clause 3)
    expected = tfr.stateless_uniform([3], [1, 2]).tolist()
    for dtype in (np.uint8, np.int16, np.uint32, np.uint64):
        assert tfr.stateless_uniform([3], np.array([1, 2], dtype)).tolist() == expected


def uniform(case):
    bounds = number_of(case, "minval"), number_of(case, "maxval")
    return tfr.stateless_uniform(case["shape"], seed_of(case), *bounds, dtype_of(case["dtype"]))


CALLS = {  # of the recorded operations; recordings that name none are of stateless_uniform
    None: uniform,
    "split": lambda c: tfr.split(seed_of(c), c["num"]),
    "fold_in": lambda c: tfr.fold_in(seed_of(c), np.dtype(c["data_dtype"]).type(to_int(c["data"]))),
    "stateless_shuffle": lambda c: tfr.stateless_shuffle(np.arange(c["n"], dtype=np.int32), seed_of(c)),
    "index_shuffle": lambda c: tfr.index_shuffle(to_int(c["index"]), seed_of(c), to_int(c["max_index"])),
    "stateless_categorical": lambda c: tfr.stateless_categorical(logits_of(c), c["num_samples"], seed_of(c)),
}
RECORDINGS = ["tf_stateless_int", "tf_stateless_uniform", "tf_split_fold_in", "tf_shuffle"]


@each_of([case for name in RECORDINGS for case in load(name)])
def test_stateless(case):
    """tensorflow 3, 6, 7, 26 to 28; promises 3"""
    assert_answer(CALLS[case.get("op")](case), case)


@each("tf_legacy_stateful")
def test_stateful(case):
    """tensorflow 21, 23 and 24"""
    if case["op"].startswith("raw_ops."):
        name, dtype = case["op"].removeprefix("raw_ops."), dtype_of(case["dtype"])
        op = getattr(tfr, name)(dtype, to_int(case["seed"]), to_int(case["seed2"]))
        bounds = () if case["minval"] is None else (case["minval"], case["maxval"])
    else:
        assert case["op"] == "tf.random.set_seed(g); tf.random.uniform(shape, seed=s) repeatedly"
        tfr.set_seed(to_int(case["global_seed"]))
        op, bounds = partial(tfr.uniform, seed=to_int(case["op_seed"])), ()
    for call in case["calls"]:
        assert_answer(op(call["shape"], *bounds), call | {"dtype": case["dtype"]})


def test_python_floats_are_rounded_twice_on_their_way_to_a_small_type():
    """tensorflow 9

    Seen in tensorflow-cpu 2.21.0: 1 + 2**-11 + 2**-40 becomes 1.0 as a float16 by way of float32, and 1.001 directly.
    """
    bound = 1 + 2**-11 + 2**-40

    def drawn(minval):
        return tfr.stateless_uniform([50], [1, 2], minval, 1.5, "float16").tolist()

    assert drawn(bound) == drawn([bound]) == drawn(1)
    assert drawn(np.float64(bound)) == drawn(1 + 2**-10) != drawn(1)


@each("tf_more", op="fold_in")
def test_fold_in_of_unsigned_data(case):
    """tensorflow 3"""
    data = np.dtype(case["dtype"]).type(int(case["data"], 16))
    assert_answer(tfr.fold_in(case["seed"], data), case)


@each("tf_more", op="categorical")
def test_a_list_of_logits_is_float32(case):
    """tensorflow 28"""
    drawn = tfr.stateless_categorical(case["logits"], 200, case["seed"])
    assert drawn.tolist() == case["samples"] and drawn.dtype == np.int64
