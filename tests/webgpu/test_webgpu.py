"""Words on a WebGPU device: those of the operator. specs/webgpu.md, sections 1 to 3. test_webgpu_errors.py has section
4"""

import numpy as np
import oracle
import pytest
from hypothesis import assume, example, given, settings, strategies as st
from optional_backends import skip_without
from strategies import counters, keys, shapes, states

import dmlrand
from dmlrand import make_state, philox
from dmlrand.drawing.plan import WORDS
from dmlrand.webgpu import DeviceArray, Outputs, random_generator, random_window, shader_source, uniform
from dmlrand.webgpu.drawing import fill

GUARD = 0xA5A5A5A5  # what a buffer holds where nothing was written
CARRY = make_state(counter=2**64 - 9, key=2**64 - 7)


@pytest.fixture(scope="module")
def device():
    skip_without("webgpu")
    from dmlrand.webgpu.devices import default_device

    return default_device()


def make_buffer(device, words):
    """A buffer of guard words."""
    import wgpu

    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    return device.create_buffer_with_data(data=np.full(words, GUARD, np.uint32), usage=usage)


def read(device, buffer):
    """All words of a buffer."""
    return np.frombuffer(device.queue.read_buffer(buffer), np.uint32)


def assert_equal(outputs, expected):
    """The values and the new state of random_generator or uniform: dtype, shape and bits."""
    for got, wanted in zip((outputs[0].to_numpy(), outputs[1]), expected):
        assert (got.dtype, got.shape, got.tobytes()) == (wanted.dtype, wanted.shape, wanted.tobytes())


def assert_equal_arrays(state, count):
    """assert_equal of random_generator without copies of the bytes, for large arrays."""
    values, after = random_generator(state, count)
    expected, expected_after = dmlrand.random_generator(state, count)
    assert np.array_equal(values.to_numpy(), expected) and np.array_equal(after, expected_after)


# Section 1 of the page


@pytest.mark.costly
def test_every_size_to_1000(device):
    """webgpu 1.1 and 2.3: all in one buffer, with a guard word after each output"""
    buffer, offset, expected = make_buffer(device, 502_000), 0, []
    for count in range(1, 1001):
        state = make_state(counter=(2**96 - 3 * count) << count % 33, key=0x9E3779B97F4A7C15 * count % 2**64)
        random_generator(state, count, device=device, out=buffer, offset=4 * offset)
        expected += [dmlrand.random_generator(state, count).values, [GUARD]]
        offset += count + 1
    expected = np.concatenate(expected).astype(np.uint32)
    assert np.array_equal(read(device, buffer)[: expected.size], expected)


def test_a_dispatch_of_two_dimensions(device):
    """webgpu 1.1: 2**24 + 3 words need 65,537 workgroups"""
    assert_equal_arrays(make_state(counter=2**128 - 2**21, key=42), 2**24 + 3)


@settings(max_examples=20)
@given(state=states(), shape=shapes())
def test_uniform(device, state, shape):
    """webgpu 1.3, 1.5 and 1.6"""
    assert_equal(uniform(state[0], shape), dmlrand.uniform(state[0], shape))


WINDOWS = [
    ((5, 7, 3), (2, slice(3, 6))),
    ((5, 7, 3), (slice(1, 4),)),
    ((5, 7, 3), (2, 3, 1)),
    ((5, 7, 3), (slice(2, 3), 3, slice(0, 2))),
    ((5, 7, 3), (..., slice(2, 2))),
    ((5, 7, 3), ...),
    ((2**40, 2**20), (2**40 - 1, slice(2**20 - 9, None))),
    ((1, 2**62), (0, slice(2**61 + 1, 2**61 + 70))),
]


@pytest.mark.parametrize("shape, window", WINDOWS)
def test_windows(device, shape, window):
    """webgpu 1.2 and 1.3"""
    words = random_window(CARRY, shape, window)
    expected = dmlrand.random_window(CARRY, shape, window)
    assert words.shape == expected.shape and np.array_equal(words.to_numpy(), expected)
    assert_equal(uniform(CARRY, shape, window=window), dmlrand.uniform(CARRY, shape, window=window))


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
    fill(device, buffer, 4 * before, given_states, lane, count, WORDS, max_binding_bytes)
    expected = [word for start in starts for word in oracle.words(start, key, lane, count)]
    assert read(device, buffer).tolist() == [GUARD] * before + expected + [GUARD]


@pytest.mark.parametrize("entry_point", ["random_generator", "uniform_float32"])
def test_the_entry_points_of_the_shader(device, entry_point):
    """webgpu 3.2: a program that knows the shader alone draws with it"""
    import wgpu

    compiled = device.create_compute_pipeline(
        layout="auto",
        compute={"module": device.create_shader_module(code=shader_source()), "entry_point": entry_point},
    )
    lane, count, first = 3, 1000, 5
    facts = np.array([*CARRY, lane, count, first, 2 * 64, 0, 0], np.uint32)  # two columns, and three rows
    draw = device.create_buffer_with_data(data=facts, usage=wgpu.BufferUsage.UNIFORM)
    buffer = make_buffer(device, first + count + 2)
    entries = [{"binding": i, "resource": {"buffer": each}} for i, each in enumerate((draw, buffer))]
    encoder = device.create_command_encoder()
    compute = encoder.begin_compute_pass()
    compute.set_pipeline(compiled)
    compute.set_bind_group(0, device.create_bind_group(layout=compiled.get_bind_group_layout(0), entries=entries))
    compute.dispatch_workgroups(2, 3, 1)
    compute.end()
    device.queue.submit([encoder.finish()])
    expected = dmlrand.random_generator(CARRY, lane + count).values
    if entry_point == "uniform_float32":
        expected = dmlrand.uniform(CARRY, lane + count).values.view(np.uint32)
    guards = [GUARD] * first, [GUARD] * 2
    assert read(device, buffer).tolist() == guards[0] + expected[lane:].tolist() + guards[1]


@pytest.mark.slow
def test_an_output_of_three_bindings(device):
    """webgpu 1.1"""
    state, count = make_state(counter=2**64 - 2**20, key=42), 2**26 + 5
    if 4 * count <= 2 * device.limits["max-storage-buffer-binding-size"]:
        pytest.skip("this device binds the output in fewer pieces")
    assert_equal_arrays(state, count)


def test_the_shader_has_the_constants_of_philox():
    """webgpu 3.1: tested where no adapter runs the shader, too"""
    source = shader_source()
    for constant in (philox.M0, philox.M1, philox.W0, philox.W1):
        assert source.count(f"0x{constant:X}u") == 1
    assert f"const ROUNDS = {philox.ROUNDS};" in source
    known = " ".join(f"{word:08x}" for word in oracle.words(0, 0x2A, 0, 4))
    assert f"key 42 (k0 = 0x2a, k1 = 0), lanes 0 to 3 are\n//     {known}\n" in source
    assert {line for line in source.splitlines() if "requires" in line or line.startswith("enable")} == set()
    assert max(map(len, source.splitlines())) <= 120 and source.isascii()
