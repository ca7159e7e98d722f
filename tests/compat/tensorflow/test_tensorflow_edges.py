"""The edges of TensorFlow's rules: normals of exactly 2, ends of int32, seeds beyond 32 bits, draws that broadcast."""

import numpy as np
import pytest

from dmlrand import advance_blocks, random_generator
from dmlrand.compat import tensorflow as tfr
from dmlrand.compat.tensorflow.numbers import standard_normals

pytestmark = pytest.mark.both_kinds

# States whose first normal is exactly 2, found with dmlrand.locate. tensorflow-cpu 2.21.0 also rejects this normal, in
# each of the 44 states where it draws exactly 2. In the last state of each type, 8 words do not fill the group.
OF_EXACTLY_2 = [
    ("float32", 4, [3623450182, 1415557420, 3275879891, 2116825683, 0, 0]),
    ("float32", 4, [3290514089, 3540507977, 2336983520, 850743360, 2, 0]),
    ("float64", 2, [419346900, 60644400, 3488243529, 481927011, 0, 0]),
    ("float64", 2, [3473037273, 4226929843, 2545693842, 3781834049, 22, 0]),
]


@pytest.mark.parametrize("dtype, per_group, state", OF_EXACTLY_2)
def test_a_normal_of_exactly_2_is_rejected(dtype, per_group, state):
    """tensorflow 13: the limit is exclusive"""
    normals = standard_normals(random_generator(state, 64).values, np.dtype(dtype))
    assert normals[0] == 2
    generator = tfr.Generator.from_state([0, 0, 0])
    generator.position.state = state
    accepted = normals[abs(normals) < 2][:per_group]
    assert generator.truncated_normal([per_group], dtype=dtype).tolist() == accepted.tolist()
    generator.position.state = advance_blocks(state, -64 * per_group)  # now it is the second group
    assert generator.truncated_normal([2 * per_group], dtype=dtype)[per_group:].tolist() == accepted.tolist()


# Draws whose parameters have more elements than the shape


BROADCAST = {
    "uniform": lambda source, at, **seed: source.uniform([4], at, at + np.float32(1), **seed),
    "normal": lambda source, at, **seed: source.normal([4], mean=at, **seed),
    "truncated_normal": lambda source, at, **seed: source.truncated_normal([4], mean=at, **seed),
}
COLUMN = np.zeros((3, 1), np.float32)


@pytest.mark.parametrize("name", BROADCAST)
def test_the_state_moves_by_the_shape_not_by_the_values(name):
    """tensorflow 16, 21: 4 values are drawn, 12 returned. Seen in tensorflow-cpu 2.21.0"""
    generator = tfr.Generator.from_state([1, 2, 3])
    assert BROADCAST[name](generator, COLUMN).shape == (3, 4)
    assert generator.state.tolist() == [1025, 2, 3]
    tfr.set_seed(5)
    expected = [BROADCAST[name](tfr, np.float32(0), seed=3).tolist() for _ in range(2)]
    tfr.set_seed(5)
    drawn = [BROADCAST[name](tfr, COLUMN, seed=3)[0].tolist() for _ in range(2)]
    tfr.set_seed(None)
    assert drawn == expected


# Numbers


def test_the_least_int32_is_an_int32():
    """tensorflow 4. Seen in tensorflow-cpu 2.21.0"""
    children = tfr.split([-(2**31), 5], 2)
    assert children.dtype == np.int32
    assert children.tolist() == [[-2113318966, -338957179], [1387497180, 1914220363]]
    below = tfr.split([-(2**31) - 1, 5], 2)
    assert below.dtype == np.int64
    assert below[0].tolist() == [-2756451842506290204, 8537675965186200629]
    assert tfr.fold_in([1, 2], -(2**31)).tolist() == [1105988140, -(2**31)]
    assert tfr.fold_in([1, 2], -(2**31) - 1).tolist() == [7464880146280614444, -(2**31) - 1]


@pytest.mark.parametrize(
    "logits, kind",
    [
        ([[np.float64(100000003), 1e8]], np.float64),
        (((np.float64(100000003), 100000000),), np.float64),
        ([np.array([100000003.0, 1e8])], np.float64),
        ([[100000003.0, np.float64(1e8)]], np.float32),
        ([[np.float32(100000003), np.float64(1e8)]], np.float32),
        ([[1, 100.5], [2, 3]], np.float32),
        ([[np.float16(2049), 2050.0]], np.float16),
        ([[np.float64(1e39), 0.0]], np.float64),
        ([[3.4028235e38, float("inf")]], np.float32),
    ],
)
def test_a_sequence_of_logits_has_the_type_of_its_first_number(logits, kind):
    """tensorflow 28. Seen in tensorflow-cpu 2.21.0: test_tensorflow_peers.py compares these cases"""
    expected = tfr.stateless_categorical(np.array(logits).astype(kind), 20, seed=[1, 2])
    assert tfr.stateless_categorical(logits, 20, seed=[1, 2]).tolist() == expected.tolist()


def test_seeds_of_uint64_are_their_bits_as_int64():
    """tensorflow 1 and 3: the numbers that TensorFlow gives"""
    seed = np.array([1, 2**63], np.uint64)
    assert [f"{number:.8f}" for number in tfr.stateless_uniform([2], seed)] == ["0.35312438", "0.04115307"]
    seed = np.array([1, 2**63 + 5], np.uint64)
    assert tfr.fold_in(seed, 3).tolist() == [-1605795410, 3]
    assert tfr.stateless_shuffle([1, 2, 3], seed).tolist() == [3, 2, 1]
    assert tfr.stateless_categorical([[0.1, 0.2]], 3, seed).tolist() == [[1, 0, 0]]
    signed = seed.view(np.int64)
    assert tfr.stateless_uniform([9], seed).tolist() == tfr.stateless_uniform([9], signed).tolist()
    with pytest.raises(TypeError, match="seed must be int32 or int64 to be split; got an array of uint64"):
        tfr.split(seed)
    with pytest.raises(ValueError, match=r"seed\[1\] must be in"):
        tfr.stateless_uniform([2], [1, 2**63])
