"""Numbers on a WebGPU device, and draws from many states: those of dmlrand. specs/webgpu.md, sections 1, 5 and 6"""

import gc
import re
import threading
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from number_oracle import ORACLES
from numbers_at import bounds_of
from optional_backends import skip_without
from strategies import shapes, states
from waiting import LIMIT

import dmlrand
from dmlrand import batch, make_state, split, webgpu
from dmlrand.drawing import number_rules
from dmlrand.kernels import rules
from dmlrand.webgpu import devices
from dmlrand.webgpu.drawing import fill

# The distributions with parameters: those of their oracles, and those whose arithmetic has a special case.
DRAWS = [
    *((name, bounds_of(name)) for name in ORACLES),
    ("uniform", {"low": -3.7, "high": 11.3}),
    ("uniform", {"low": 1.0, "high": 1.0000002}),
    ("normal", {"mean": 0.3, "stddev": 1.7}),
    ("normal", {"mean": -5.0, "stddev": 0.0}),
    ("exponential", {"scale": 2.5}),
    ("integers", {"low": -5, "high": 1000}),
    ("integers", {"low": 7, "high": 8, "dtype": "uint32"}),
    ("integers", {"low": 0, "high": 2**32, "dtype": "uint32"}),
    ("integers", {"low": -(2**31), "high": 2**31}),
    ("integers", {"low": 0, "high": 2**31 + 1, "dtype": "uint32"}),
    ("bernoulli", {"p": 0.3}),
    ("bernoulli", {"p": 0}),
    ("bernoulli", {"p": 1}),
    ("bernoulli", {"p": 2**-32}),
]
CARRY = make_state(counter=2**64 - 9, key=2**64 - 7)


@pytest.fixture(scope="module")
def device():
    skip_without("webgpu")
    return devices.default_device()


def assert_equal(outputs, expected):
    """The values and the new state: dtype, shape and bits."""
    for got, wanted in zip((outputs[0].to_numpy(), outputs[1]), expected, strict=True):
        assert (got.dtype, got.shape, got.tobytes()) == (wanted.dtype, wanted.shape, wanted.tobytes())


@pytest.mark.parametrize("name, parameters", DRAWS, ids=str)
@settings(max_examples=8)
@given(state=states(), shape=shapes())
def test_numbers_and_new_state(device, name, parameters, state, shape):
    """webgpu 1.3"""
    assert_equal(
        getattr(webgpu, name)(state[0], shape, **parameters),
        getattr(dmlrand, name)(state[0], shape, **parameters),
    )


@pytest.mark.parametrize("name, parameters", DRAWS, ids=str)
def test_many_numbers_over_a_carry(device, name, parameters):
    """webgpu 1.3: 2**128 - 900 blocks, so that every word of the counter carries"""
    state = make_state(counter=2**128 - 900, key=2**63)
    assert_equal(
        getattr(webgpu, name)(state, 20_001, **parameters),
        getattr(dmlrand, name)(state, 20_001, **parameters),
    )


@pytest.mark.parametrize("name", ["uniform", "normal", "exponential"])
@pytest.mark.parametrize("window", [slice(0, 1), slice(1, 2), slice(3, 1000), slice(1001, 1001), 7])
def test_windows(device, name, window):
    """webgpu 1.2 and 1.3: the second number of a pair alone, and blocks that are read in part"""
    expected = getattr(dmlrand, name)(CARRY, 1001, window=window)
    assert_equal(getattr(webgpu, name)(CARRY, 1001, window=window), expected)


def test_bools_are_words_on_the_device(device):
    """webgpu 2.1"""
    values = webgpu.bernoulli(CARRY, (3, 7), 0.4).values
    assert (values.dtype, values.nbytes, values.buffer.size) == (np.bool_, 84, 84)
    words = np.frombuffer(device.queue.read_buffer(values.buffer), np.uint32)
    assert words.tolist() == dmlrand.bernoulli(CARRY, 21, 0.4).values.tolist()


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: webgpu.normal(CARRY, 3, dtype="float64"), TypeError, "dtype must not be float16, bfloat16, float64"),
        (lambda: webgpu.uniform(CARRY, 3, low=2.0, high=1.0), ValueError, "low must be below high"),
        (lambda: webgpu.normal(CARRY, 3, offset=4), TypeError, "offset must be left out without out; got 4."),
        (lambda: webgpu.batch.normal(CARRY, 3), ValueError, "states must have the shape (B, 6)"),
        (lambda: webgpu.batch.integers([CARRY], 3, 5, 5), ValueError, "low must be below high"),
        (lambda: webgpu.batch.random_generator([CARRY], 3, out=bytearray(12)), TypeError, "device must be given with"),
    ],
)
def test_wrong_arguments(device, call, error, message):
    """webgpu 1.3 and 5.1"""
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        call()


def numbers_of_fractions(device, monkeypatch, words, v, w):
    """Normals of the device for chosen words in place of those of a block, and the right ones."""
    text, block = devices.shader_source(), "block(add_blocks(draw.counter, i), draw.key)"
    assert text.count(block) == 1
    monkeypatch.setattr(devices, "shader_source", lambda: text.replace(block, words))
    monkeypatch.setitem(vars(device), "_dmlrand_pipelines", {})
    count = 2 * v.size
    buffer = device.create_buffer(size=4 * count, usage=0x84)  # STORAGE and COPY_SRC
    rule = number_rules.normal_rule(0.0, 1.0, "float32")
    fill(device, buffer, 0, CARRY.reshape(1, 6), 0, count, rule)
    right = np.stack(rules.normal_f32(v, w, *rule.parameters), 1).ravel()
    return np.frombuffer(device.queue.read_buffer(buffer), np.uint32), right.view(np.uint32)


@pytest.mark.costly
@pytest.mark.parametrize("angle", [0, 77_777])
def test_every_radius_of_normals(device, monkeypatch, angle):
    """webgpu 1.4: an angle of 0 shows the radius itself"""
    v = np.arange(2**23, dtype=np.uint32)
    words = f"vec4<u32>(2u * i, {angle}u, 2u * i + 1u, {angle}u)"
    got, right = numbers_of_fractions(device, monkeypatch, words, v, np.full_like(v, angle))
    assert np.array_equal(got, right)


@pytest.mark.costly
@pytest.mark.parametrize("radius", [1, 5_000_000])
def test_every_angle_of_normals(device, monkeypatch, radius):
    """webgpu 1.4"""
    w = np.arange(2**23, dtype=np.uint32)
    words = f"vec4<u32>({radius}u, 2u * i, {radius}u, 2u * i + 1u)"
    got, right = numbers_of_fractions(device, monkeypatch, words, np.full_like(w, radius), w)
    assert np.array_equal(got, right)


@pytest.mark.parametrize("error", ["+ 3u", "- 3u"])
def test_a_device_with_a_loose_square_root(device, monkeypatch, error):
    """webgpu 1.4: WGSL's sqrt only begins a search"""
    text, old = devices._numbers(), "<< 23u))));"
    assert text.count(old) == 1
    monkeypatch.setattr(devices, "_numbers", lambda: text.replace(old, f"<< 23u)))) {error};"))
    monkeypatch.setitem(vars(device), "_dmlrand_pipelines", {})
    assert_equal(webgpu.normal(CARRY, 3001), dmlrand.normal(CARRY, 3001))


# Section 5


def states_near_carries(count):
    """States of different keys whose counters carry at each of the four words."""
    return np.array([make_state(counter=(2 ** (32 * (i % 4) + 32) - i % 7) % 2**128, key=i**9) for i in range(count)])


@pytest.mark.parametrize("shape", [1, 4, 7, (2, 3), (65, 1), 0], ids=str)
@pytest.mark.parametrize("count", [0, 1, 2, 37])
def test_rows_of_words(device, shape, count):
    """webgpu 5.1"""
    given_states = states_near_carries(count).reshape(-1, 6).astype(np.uint32)
    assert_equal(webgpu.batch.random_generator(given_states, shape), batch.random_generator(given_states, shape))


@pytest.mark.parametrize("name, parameters", DRAWS, ids=str)
def test_rows_of_numbers(device, name, parameters):
    """webgpu 5.1: rows of an odd length"""
    given_states = states_near_carries(40)
    expected = getattr(batch, name)(given_states, (3, 7), **parameters)
    assert_equal(getattr(webgpu.batch, name)(given_states, (3, 7), **parameters), expected)


def test_many_rows(device):
    """webgpu 5.1 and 5.2: 2**16 rows of 65 blocks need 66,560 workgroups, so a dispatch of two dimensions"""
    given_states = split(make_state(key=5), 2**16)
    values, after = webgpu.batch.random_generator(given_states, 257)
    expected, expected_after = batch.random_generator(given_states, 257)
    assert np.array_equal(values.to_numpy(), expected) and np.array_equal(after, expected_after)


def test_rows_in_a_buffer_of_the_caller(device):
    """webgpu 2.3 and 5.1"""
    given_states = states_near_carries(5)
    buffer = webgpu.random_generator(CARRY, 40).values.buffer
    before = np.frombuffer(device.queue.read_buffer(buffer), np.uint32).tolist()
    values = webgpu.batch.normal(given_states, 7, device=device, out=buffer, offset=8).values
    assert values.buffer is buffer
    after = np.frombuffer(device.queue.read_buffer(buffer), np.uint32)
    expected = batch.normal(given_states, 7).values.view(np.uint32).ravel().tolist()
    assert after.tolist() == before[:2] + expected + before[37:]


# Section 6


def test_what_is_kept_is_freed_with_the_device(device):
    """A device's shaders are freed with it."""
    other = devices.default_adapter().request_device_sync()
    webgpu.normal(CARRY, 100, device=other).values.to_numpy()
    gone = weakref.ref(other)
    del other
    gc.collect()
    assert gone() is None


def test_threads_draw_at_once(device):
    """webgpu 6.1"""
    expected = {key: dmlrand.normal(make_state(key=key), 999).values.tolist() for key in range(4)}
    wrong = []

    def work(key):
        for _ in range(20):
            if webgpu.normal(make_state(key=key), 999).values.to_numpy().tolist() != expected[key]:
                wrong.append(key)

    threads = [threading.Thread(target=work, args=(key,), daemon=True) for key in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    assert not any(thread.is_alive() for thread in threads) and wrong == []
