"""PhiloxBitGenerator: the words behind NumPy's Generator, its position, its copies and seeds.

specs/bit_generator.md. What NumPy asks of it: test_bit_generator_interfaces.py. Beside other packages:
test_bit_generator_peers.py.
"""

import copy
import json
import pickle

import numpy as np
import oracle
import pytest
from bit_generators import as_double, at, joined
from hypothesis import given, settings, strategies as st
from numpy.random import Generator, SeedSequence
from numpy.random.bit_generator import ISeedSequence
from strategies import counters, keys

from dmlrand import PhiloxBitGenerator, Stream, make_state, random_generator, seed_state

BUFFER = 768  # words; the tests must cross its end, wherever it is
lanes = st.integers(0, 3)


# One draw of each kind that takes a fixed count of words: (draw, words, what they make).
KINDS = {
    "uint32": (lambda rng: rng.integers(2**32, dtype=np.uint32), 1, lambda a: a),
    "float32": (lambda rng: rng.random(dtype=np.float32), 1, lambda a: (a >> 8) * 2.0**-24),
    "raw": (lambda rng: rng.bit_generator.random_raw(), 1, lambda a: a),
    "uint64": (lambda rng: rng.integers(2**64, dtype=np.uint64), 2, joined),
    "float64": (lambda rng: rng.random(), 2, as_double),
}


def check_draws(counter, key, lane, kinds):
    rng = Generator(at(counter, key, lane))
    words = oracle.words(counter, key, lane, 2 * len(kinds))
    for kind in kinds:
        draw, count, make = KINDS[kind]
        assert draw(rng) == make(*words[:count]), kind
        del words[:count]
    return rng.bit_generator


# Words


@given(counters, keys, lanes, st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=12))
def test_each_draw_takes_its_own_count_of_words(counter, key, lane, kinds):
    """bit_generator 2, 3 and 13"""
    bits = check_draws(counter, key, lane, kinds)
    used = lane + sum(KINDS[kind][1] for kind in kinds)
    assert bits.state["state"].tolist() == oracle.state_words((counter + used // 4) % 2**128, key)
    assert bits.state["lane"] == used % 4


@pytest.mark.parametrize("short", range(-2, 6))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("counter", [0, 2**32 - BUFFER // 4, 2**64 - BUFFER // 4, 2**128 - BUFFER // 4])
def test_draws_cross_the_end_of_the_buffer(counter, kind, short):
    """bit_generator 2: the counter also carries at the end of the buffer."""
    rng = Generator(at(counter))
    rng.bit_generator.random_raw(BUFFER - short)
    draw, count, make = KINDS[kind]
    words = oracle.words(counter, 7, BUFFER - short, 5 * count)
    for i in range(5):
        assert draw(rng) == make(*words[i * count : (i + 1) * count])


def test_the_order_is_that_of_randomgen():
    """bit_generator 3: recorded from randomgen 2.5.0, Philox(key=42, counter=2**128 - 1, number=4, width=32)"""
    mine = lambda: Generator(at(0, 42))  # noqa: E731
    assert mine().integers(2**64, size=3, dtype=np.uint64).tolist() == [
        11307114055752567099, 1350887118657991639, 18220193170249641213,
    ]  # fmt: skip
    rng = mine()
    assert rng.integers(2**32, dtype=np.uint32) == 2632642643
    assert rng.integers(2**64, size=2, dtype=np.uint64).tolist() == [8643895577873961133, 6287785770004193575]
    rng = mine()
    rng.random(dtype=np.float32)
    assert rng.random() == 0.4685865124555806


@given(counters, keys, st.integers(0, 999))
def test_bytes_are_the_words_of_random_generator(counter, key, n):
    """bit_generator 4"""
    words = random_generator(make_state(counter=counter, key=key), n).values
    assert Generator(at(counter, key)).bytes(4 * n) == words.astype("<u4").tobytes()


# Position


@given(counters, keys, lanes, st.integers(0, 3 * BUFFER))
def test_raw_draws_and_the_position_after_them(counter, key, lane, n):
    """bit_generator 1 and 5: the words of the stream, and a state without the buffer"""
    bits, there = at(counter, key, lane), Stream(make_state(counter=counter, key=key), lane)
    words = bits.random_raw(n)
    assert words.dtype == np.uint64 and np.array_equal(words, there.words(n))
    assert set(bits.state) == {"bit_generator", "state", "lane"}
    assert bits.state["bit_generator"] == "PhiloxBitGenerator" and type(bits.state["lane"]) is int
    assert Stream(bits.state["state"], bits.state["lane"]) == there
    fresh = PhiloxBitGenerator(there.state, there.lane)
    assert pickle.dumps(fresh.state) == pickle.dumps(bits.state) and repr(fresh) == repr(bits)


@given(counters, keys, lanes, st.integers(0, 2 * BUFFER), st.integers(0, 9))
def test_setting_state_goes_to_that_position(counter, key, lane, before, n):
    """bit_generator 5"""
    bits = at(1, 2)
    bits.random_raw(before)
    saved = {"bit_generator": "PhiloxBitGenerator", "state": make_state(counter=counter, key=key), "lane": lane}
    bits.state = saved
    assert bits.random_raw(n).tolist() == oracle.words(counter, key, lane, n)
    assert saved["state"].tolist() == oracle.state_words(counter, key)


def test_a_state_dict_goes_through_json():
    """bit_generator 5"""
    bits = PhiloxBitGenerator(make_state(counter=2**128 - 1, key=2**64 - 1).reshape(1, 6), 2)
    bits.random_raw(5)
    saved = json.loads(json.dumps(bits.state_dict()))
    assert saved == {"bit_generator": "PhiloxBitGenerator", "state": bits.state["state"].ravel().tolist(), "lane": 3}
    again = PhiloxBitGenerator(seed=1)
    again.state = saved
    assert again.random_raw(9).tolist() == bits.random_raw(9).tolist()


@given(counters, lanes, st.integers(0, BUFFER), st.integers(-(2**130), 2**130))
def test_advance_moves_by_blocks_and_keeps_the_lane(counter, lane, n, blocks):
    """bit_generator 6"""
    bits = at(counter, lane=lane)
    bits.random_raw(n)
    assert bits.advance(blocks) is bits
    place = (4 * counter + lane + n + 4 * blocks) % 2**130
    assert bits.random_raw(5).tolist() == oracle.words(place // 4, 7, place % 4, 5)


@given(counters, lanes, st.integers(0, 9), st.integers(-3, 2**64 - 1))
def test_jumped_is_a_new_one_2_64_blocks_away(counter, lane, n, jumps):
    """bit_generator 6"""
    bits = at(counter, lane=lane)
    bits.random_raw(n)
    before = repr(bits)
    other = bits.jumped(jumps)
    place = 4 * (counter + 2**64 * jumps) + lane + n
    assert other.random_raw(5).tolist() == oracle.words(place // 4 % 2**128, 7, place % 4, 5)
    assert repr(bits) == before
    assert repr(bits.jumped()) == repr(bits.jumped(1))


# Copies and seeds


def test_a_seed_sequence_makes_a_state_and_stays():
    """bit_generator 8"""
    seed = SeedSequence(12345)
    bits = PhiloxBitGenerator(seed)
    assert bits.seed_seq is seed
    assert bits.state["state"].tolist() == seed_state(SeedSequence(12345)).tolist()
    bits.random_raw(3)
    first = bits.spawn(2)
    again = pickle.loads(pickle.dumps(bits))
    assert repr(again) == repr(bits) and again.seed_seq.n_children_spawned == 2
    second = again.spawn(1)
    expected = [seed_state(child).tolist() for child in SeedSequence(12345).spawn(3)]
    assert [child.state["state"].tolist() for child in first + second] == expected
    assert [repr(child.bit_generator) for child in Generator(bits).spawn(1)] == [repr(second[0])]
    assert bits.jumped().seed_seq is seed
    assert PhiloxBitGenerator(SeedSequence(1), lane=3).state["lane"] == 3


def test_a_state_spawns_too():
    """bit_generator 8: the children depend on the six words and the lane of the first position."""
    bits = at(5, 6, 1)
    bits.random_raw(100)
    children = bits.spawn(2) + Generator(bits).bit_generator.spawn(1) + pickle.loads(pickle.dumps(bits)).spawn(1)
    expected = [seed_state(child).tolist() for child in SeedSequence([5, 0, 0, 0, 6, 0, 1]).spawn(4)]
    assert [child.state["state"].tolist() for child in children] == expected
    assert at(5, 6, 2).spawn(1)[0].random_raw() != at(5, 6, 1).spawn(1)[0].random_raw()


# Refusals

DICT = (
    "state must be a mapping with the keys 'bit_generator', 'state', 'lane' and no other; got {}. Pass a dict from "
    ".state."
)
GOOD = {"bit_generator": "PhiloxBitGenerator", "state": make_state(counter=5, key=7), "lane": 0}


@pytest.mark.parametrize(
    "value, error, wording",
    [
        ({"bit_generator": "PCG64", "state": 1}, TypeError, DICT.format("{'bit_generator': 'PCG64', 'state': 1}")),
        (
            {**GOOD, "bit_generator": "Philox"},
            ValueError,
            "state must be the state of a PhiloxBitGenerator; got one of a 'Philox'. Pass a dict from .state.",
        ),
        ({**GOOD, "lane": 4}, ValueError, 'state["lane"] must be in [0, 4); got 4.'),
        (
            {**GOOD, "state": np.zeros(6)},
            TypeError,
            'state["state"] must hold uint32 words; got float64 of shape (6,). '
            "If all its values are in [0, 2**32), convert it with astype(numpy.uint32), or "
            "to(torch.uint32) in PyTorch.",
        ),
    ],
)
def test_anything_but_a_state_is_refused_and_the_position_stays(value, error, wording):
    """bit_generator 5"""
    bits = at(5)
    bits.random_raw(3)
    with pytest.raises(error) as caught:
        bits.state = value
    assert str(caught.value) == wording
    assert bits.random_raw() == oracle.words(5, 7, 3, 1)[0]


@pytest.mark.parametrize(
    "call, error, wording",
    [
        (lambda: PhiloxBitGenerator(), TypeError, "exactly one of state and seed must be given; got neither. Pass an "
        "int as seed, or seed_state(None) as state to take a seed from the system."),  # fmt: skip
        (lambda: PhiloxBitGenerator(make_state(), 4), ValueError, "lane must be in [0, 4); got 4."),
        (lambda: at(0).advance(1.0), TypeError, "delta must be an integer; got 1.0 of type float. Pass an int."),
        (lambda: at(0).jumped(2**64), ValueError, "jumps must be in [-2**63, 2**64); got 18446744073709551616. A key "
        "has 2**64 ranges. fold_in(state, data) makes a state with another key."),  # fmt: skip
    ],
)
def test_bad_arguments_are_refused(call, error, wording):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == wording


class OwnSeeds(ISeedSequence):
    """A seed sequence of a user, which cannot spawn."""

    def generate_state(self, n_words, dtype=np.uint32):
        return np.arange(5, 5 + n_words, dtype=dtype)


def test_a_seed_sequence_of_a_user_is_taken_as_numpys_generators_take_it():
    """bit_generator 8, state 1.2"""
    seeds = OwnSeeds()
    for generator in (PhiloxBitGenerator(seed=seeds), PhiloxBitGenerator(seeds)):
        assert generator.seed_seq is seeds
        assert generator.state["state"].tolist() == seed_state(seeds).tolist() == [0, 0, 0, 0, 5, 6]
    with pytest.raises(TypeError, match="does not implement spawning"):
        generator.spawn(2)


class Mine(PhiloxBitGenerator):
    """A subclass of a user."""


@given(counters, keys, lanes, st.integers(0, BUFFER + 9))
@settings(max_examples=30)
def test_copies_begin_at_the_same_position(counter, key, lane, n):
    """bit_generator 7"""
    rng = Generator(Mine(make_state(counter=counter, key=key), lane))
    rng.bit_generator.random_raw(n)
    expected = Generator(eval(repr(rng.bit_generator))).normal(size=9).tolist()
    for other in (Generator(copy.copy(rng.bit_generator)), copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))):
        assert type(other.bit_generator) is Mine and other.bit_generator is not rng.bit_generator
        assert other.normal(size=9).tolist() == expected
    assert rng.normal(size=9).tolist() == expected
