"""Words and numbers on a WebGPU device: those of dmlrand. specs/webgpu.md. test_webgpu_errors.py has section 4"""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import oracle
import pytest
from hypothesis import assume, example, given, settings, strategies as st
from number_oracle import ORACLES
from numbers_at import bounds_of
from optional_backends import skip_without
from strategies import counters, keys, shapes
from waiting import LIMIT

import dmlrand
from dmlrand import batch, make_state, webgpu
from dmlrand.drawing import number_rules
from dmlrand.drawing.plan import WORDS
from dmlrand.kernels import rules
from dmlrand.webgpu import (
    DeviceArray,
    Outputs,
    devices,
    drawing,
    random_generator,
    uniform,
)

GUARD = 0xA5A5A5A5  # what a buffer holds where nothing was written
CARRY = make_state(counter=2**64 - 9, key=2**64 - 7)


@pytest.fixture(scope="module")
def device():
    skip_without("webgpu")
    return devices.default_device()


def make_buffer(device, words):
    """A buffer of guard words."""
    import wgpu

    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    return device.create_buffer_with_data(data=np.full(words, GUARD, np.uint32), usage=usage)


def read(device, buffer):
    """All words of a buffer."""
    return np.frombuffer(device.queue.read_buffer(buffer), np.uint32)


def assert_equal(outputs, expected):
    """The values and the new state: dtype, shape and bits."""
    for got, wanted in zip((outputs[0].to_numpy(), outputs[1]), expected, strict=True):
        assert (got.dtype, got.shape, got.tobytes()) == (wanted.dtype, wanted.shape, wanted.tobytes())


# Section 1 of the page

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


@pytest.mark.parametrize("name, parameters", DRAWS, ids=str)
def test_many_numbers_over_a_carry(device, name, parameters):
    """webgpu 1.3 and 1.5: 2**128 - 900 blocks, so that every word of the counter carries"""
    state = make_state(counter=2**128 - 900, key=2**63)
    assert_equal(
        getattr(webgpu, name)(state, 20_001, **parameters),
        getattr(dmlrand, name)(state, 20_001, **parameters),
    )


@pytest.mark.parametrize("workgroups", [1, 3, 7])
def test_a_dispatch_of_two_dimensions(device, monkeypatch, workgroups):
    """webgpu 1.1 and 5.2: more workgroups than the device allows in one dimension"""
    monkeypatch.setitem(device.limits, "max-compute-workgroups-per-dimension", workgroups)
    assert_equal(random_generator(CARRY, 2051), dmlrand.random_generator(CARRY, 2051))
    given_states = states_near_carries(50)
    assert_equal(webgpu.batch.random_generator(given_states, 41), batch.random_generator(given_states, 41))


@pytest.mark.parametrize("name", ["uniform", "normal", "exponential"])
@pytest.mark.parametrize("window", [slice(0, 1), slice(1, 2), slice(3, 1000), slice(1001, 1001), 7])
def test_windows_of_numbers(device, name, window):
    """webgpu 1.2 and 1.3: the second number of a pair alone, and blocks that are read in part"""
    expected = getattr(dmlrand, name)(CARRY, 1001, window=window)
    assert_equal(getattr(webgpu, name)(CARRY, 1001, window=window), expected)


def numbers_of_fractions(device, monkeypatch, words, v, w):
    """Normals of the device for chosen words in place of those of a block, and the right ones."""
    text, block = devices.shader_source(), "block(add_blocks(draw.counter, i), draw.key)"
    assert text.count(block) == 1
    monkeypatch.setattr(devices, "shader_source", lambda: text.replace(block, words))
    monkeypatch.setitem(vars(device), "_dmlrand_pipelines", {})
    count = 2 * v.size
    buffer = device.create_buffer(size=4 * count, usage=0x84)  # STORAGE and COPY_SRC
    rule = number_rules.normal_rule(0.0, 1.0, "float32")
    drawing.fill(device, buffer, 0, CARRY.reshape(1, 6), 0, count, rule)
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


# Section 2


def test_the_attributes_of_an_array(device):
    """webgpu 2.1 and 2.2"""
    import wgpu

    outputs = uniform(CARRY, (3, 5))
    values = outputs.values
    assert isinstance(outputs, Outputs) and isinstance(values, DeviceArray)
    assert (values.device, values.offset, values.shape, values.dtype) == (device, 0, (3, 5), np.float32)
    assert (values.size, values.nbytes, values.buffer.size) == (15, 60, 60)
    assert values.buffer.usage == wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST
    assert not np.shares_memory(values.to_numpy(), values.to_numpy())
    assert random_generator(CARRY, (3, 0)).values.buffer is None


def test_bools_are_words_on_the_device(device):
    """webgpu 2.1"""
    values = webgpu.bernoulli(CARRY, (3, 7), 0.4).values
    assert (values.dtype, values.nbytes, values.buffer.size) == (np.bool_, 84, 84)
    words = np.frombuffer(device.queue.read_buffer(values.buffer), np.uint32)
    assert words.tolist() == dmlrand.bernoulli(CARRY, 21, 0.4).values.tolist()


def test_large_arrays_are_read_in_pieces(device, monkeypatch):
    """webgpu 2.2"""
    monkeypatch.setattr("dmlrand.webgpu.device_array.READ_PIECE_BYTES", 64)
    assert_equal(random_generator(CARRY, 1001), dmlrand.random_generator(CARRY, 1001))


@settings(max_examples=20)
@given(before=st.integers(0, 300), shape=shapes(max_rank=3), numbers=st.booleans())
def test_a_buffer_of_the_caller(device, before, shape, numbers):
    """webgpu 2.3: no other word of the buffer is written"""
    count = int(np.prod(shape))
    buffer = make_buffer(device, before + count + 7)
    draw, expected = (uniform, dmlrand.uniform) if numbers else (random_generator, dmlrand.random_generator)
    outputs = draw(CARRY, shape, device=device, out=buffer, offset=4 * before)
    assert outputs.values.buffer is buffer and outputs.values.offset == 4 * before
    assert_equal(outputs, expected(CARRY, shape))
    words = read(device, buffer).tolist()
    assert words[:before] == [GUARD] * before and words[before + count :] == [GUARD] * 7


# Section 3


@settings(max_examples=20)
@given(
    counter=counters, key=keys, lane=st.integers(0, 3), count=st.integers(1, 700), before=st.integers(0, 99),
    states=st.integers(1, 9), max_binding_bytes=st.integers(128, 2048),
)  # fmt: skip
@example(counter=0, key=7, lane=3, count=256, before=0, states=1, max_binding_bytes=2048)  # 65 blocks
@example(counter=2**128 - 1, key=7, lane=1, count=3, before=1, states=9, max_binding_bytes=300)
def test_outputs_larger_than_a_binding(device, counter, key, lane, count, before, states, max_binding_bytes):
    """webgpu 1.1 and 5.2"""
    assume(max_binding_bytes >= device.limits["min-storage-buffer-offset-alignment"] + 24)
    buffer = make_buffer(device, before + states * count + 1)
    starts = [(counter + 5 * row) % 2**128 for row in range(states)]
    given_states = np.array([make_state(counter=start, key=key) for start in starts])
    sizes, dispatch = [], drawing._dispatch

    def recorded(device, binding, *rest):
        sizes.append(binding["size"])
        dispatch(device, binding, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "_dispatch", recorded)
        patch.setattr(drawing, "MAX_BINDING_BYTES", max_binding_bytes)
        drawing.fill(device, buffer, 4 * before, given_states, lane, count, WORDS)
    assert max(sizes) <= max_binding_bytes
    expected = [word for start in starts for word in oracle.words(start, key, lane, count)]
    assert read(device, buffer).tolist() == [GUARD] * before + expected + [GUARD]


# Section 5


def states_near_carries(count):
    """States of different keys whose counters carry at each of the four words."""
    return np.array([make_state(counter=(2 ** (32 * (i % 4) + 32) - i % 7) % 2**128, key=i**9) for i in range(count)])


@pytest.mark.parametrize("shape", [1, 4, 7, (2, 3), (65, 1), 0], ids=str)
@pytest.mark.parametrize("count", [0, 1, 2, 37])
def test_rows_of_words(device, shape, count):
    """webgpu 1.6 and 5.1"""
    given_states = states_near_carries(count).reshape(-1, 6).astype(np.uint32)
    assert_equal(webgpu.batch.random_generator(given_states, shape), batch.random_generator(given_states, shape))


@pytest.mark.parametrize("name, parameters", DRAWS, ids=str)
def test_rows_of_numbers(device, name, parameters):
    """webgpu 5.1: rows of an odd length"""
    given_states = states_near_carries(40)
    expected = getattr(batch, name)(given_states, (3, 7), **parameters)
    assert_equal(getattr(webgpu.batch, name)(given_states, (3, 7), **parameters), expected)


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

    def draws(key):
        return [webgpu.normal(make_state(key=key), 999).values.to_numpy().tolist() for _ in range(20)]

    with ThreadPoolExecutor(4) as pool:
        for key, made in enumerate(pool.map(draws, range(4), timeout=LIMIT)):
            assert made == [dmlrand.normal(make_state(key=key), 999).values.tolist()] * 20
