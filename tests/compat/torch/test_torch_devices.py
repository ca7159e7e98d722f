"""What CUDA devices drew: numbers that their owners published, the search for a geometry, and attention's dropout."""

import math

import numpy as np
import oracle
import pytest
from hypothesis import given, settings, strategies as st
from recorded import each, to_int
from refusing import refused
from strategies import edge_ints, keys

from dmlrand.compat.torch import (
    DEVICES,
    CUDAGenerator,
    attention_dropout_mask,
    find_geometry,
    flash_attn_dropout_mask,
)

pytestmark = pytest.mark.both_kinds

F = np.float32
HALF_A_DECIMAL = 0.5e-4 + 1e-9


def generator_of(case):
    generator = CUDAGenerator(case["seed"], *case["geometry"])
    generator.set_offset(case["offset"])
    return generator


@each("torch_cuda_printed")
def test_numbers_that_devices_printed(case):
    """torch 2.6: draws of less than one wave and of many"""
    draw = getattr(generator_of(case), case["draw"])
    values = draw(case["shape"], *case["arguments"]).reshape(-1)[case["places"]]
    assert np.abs(values.astype(float) - case["printed"]).max() <= HALF_A_DECIMAL
    if case["device"]:
        assert DEVICES[case["device"]] == tuple(case["geometry"])


@each("torch_cuda_dropout")
def test_dropout_of_devices(case):
    """torch 2.6 and 2.9"""
    kept = generator_of(case).dropout_mask(case["shape"], case["p"], vectorized=case["vectorized"])
    if "kept" in case:
        assert kept.sum() == case["kept"]
        assert kept.sum() != generator_of(case).dropout_mask(case["shape"], case["p"]).sum()
    else:
        dropped = np.flatnonzero(~kept)
        assert [*dropped[:3].tolist(), *dropped[-3:].tolist()] == case["dropped_ends"]


# Which device it was


@settings(max_examples=3)  # of 300,000 numbers each
@given(keys, st.sampled_from(sorted(DEVICES)), st.sampled_from(["rand", "randn"]), edge_ints(40))
def test_geometries_of_any_device(seed, device, draw, quarter):
    """torch 2.12"""
    shape = (3, 100_003)
    generator = CUDAGenerator(seed, *DEVICES[device])
    generator.set_offset(4 * quarter)
    values = getattr(generator, draw)(shape)
    some = {
        (2, -1): values[2, -1],
        -2: values[2, -2],
        (-1, 100_000): values[2, 100_000],
        299_000: values.ravel()[299_000],
    }
    found = find_geometry(some, seed, shape, draw, offset=4 * quarter)
    assert any(device in one.devices and DEVICES[device] in one.choices for one in found) and len(found) < 9
    for one in found:
        assert {sms * (threads // 256) * 256 for sms, threads in one.choices} == {one.threads}
    assert find_geometry(some | {300_000: 7.0}, seed, shape, draw, offset=4 * quarter) == []


# Attention


@each("flash_mask")
def test_masks_of_flash_attention(case):
    """torch 5.2 and 5.3"""
    shape = tuple(case["shape"])
    bits = np.frombuffer(bytes.fromhex(case["mask"]), np.uint8)
    expected = np.unpackbits(bits, count=math.prod(shape)).reshape(shape).astype(bool)
    seed, offset = to_int(case["seed"]), to_int(case["offset"])
    assert np.array_equal(attention_dropout_mask(shape, case["p"], seed, offset), expected)
    state = np.array([seed, offset], np.uint64)
    assert np.array_equal(flash_attn_dropout_mask(shape, case["p"], state), expected)
    assert np.array_equal(flash_attn_dropout_mask(shape, case["p"], state.view(np.int64), window=0), expected[0])


def flash_byte(seed, offset, head, row, column):
    """The byte of an element, by the rule: its tile, its lane, and which of the lane's 16 bytes it is."""
    y, x = row % 16, column % 32
    lane = y % 8 * 4 + x % 8 // 2
    byte = x // 8 * 4 + y // 8 * 2 + x % 2
    counter = (offset + 32 * head + lane) % 2**64 + (row // 16 << 64) + (column // 32 << 96)
    return oracle.block(counter, seed, rounds=7)[byte // 4] >> 8 * (byte % 4) & 255


@given(keys, edge_ints(62), st.integers(0, 5), st.integers(0, 10**6), st.integers(0, 10**6), st.floats(0, 0.999))
def test_an_element_of_a_large_flash_mask(seed, quarter, head, row, column, p):
    """torch 5.2 and 5.4"""
    shape = (2, 3, 10**6 + 1, 10**6 + 1)
    window = (head // 3, head % 3, slice(row, row + 2), column)
    got = attention_dropout_mask(shape, p, seed, 4 * quarter, window=window)
    limit = math.floor(float(F(1) - F(p)) * 255)
    rows = range(row, min(row + 2, 10**6 + 1))
    assert got.tolist() == [flash_byte(seed, 4 * quarter, head, y, column) <= limit for y in rows]


@given(keys, edge_ints(62), st.integers(0, 10**10), st.floats(0, 1))
def test_elements_of_the_memory_efficient_mask(seed, quarter, element, p):
    """torch 5.5"""
    shape = (2, 5, 10**5, 10**4)
    place = tuple(int(index) for index in np.unravel_index(element % math.prod(shape), shape))
    word = oracle.block(quarter + np.ravel_multi_index(place, shape).item() // 4, seed)[place[-1] % 4]
    got = attention_dropout_mask(shape, p, seed, 4 * quarter, "efficient", window=place)
    assert got.shape == () and bool(got) == (F(word) * F(2.0**-32) + F(2.0**-33) > F(p))


windows = [..., 0, (1, -1), (slice(None), 2, slice(1, 50, 3)), (..., slice(3, None, 7)), (0, 0, 5, 5), (slice(0, 0),)]


@pytest.mark.parametrize("kernel", ["flash", "efficient"])
@pytest.mark.parametrize("window", windows)
def test_windows_of_masks(kernel, window):
    """torch 5.4"""
    shape = (2, 3, 60, 70)
    whole = attention_dropout_mask(shape, 0.3, 7, 8, kernel)
    part = attention_dropout_mask(shape, 0.3, 7, 8, kernel, window=window)
    assert whole.dtype == part.dtype == bool and np.array_equal(part, whole[window])
    assert abs(whole.mean() - 0.7) < 0.02


def test_refusals():
    """torch 1.2, 2.12 and 5.7"""
    shape = (1, 2, 3, 4)
    message = "shape must be (batch, heads, queries, keys); got (3, 4)."
    refused(ValueError, message, attention_dropout_mask, (3, 4), 0.1, 1, 0)
    refused(ValueError, "offset must be a multiple of 4, as in torch; got 3.", attention_dropout_mask, shape, 0.1, 1, 3)
    refused(ValueError, "p must be in [0, 1]; got 1.5.", attention_dropout_mask, shape, 1.5, 1, 0)
    message = "p must be below 1 for the kernel flash, as in FlashAttention; got 1."
    refused(ValueError, message, attention_dropout_mask, shape, 1, 1, 0)
    message = "kernel must be 'flash' or 'efficient'; got 'cudnn'."
    refused(ValueError, message, attention_dropout_mask, shape, 0.1, 1, 0, "cudnn")
    refused(IndexError, "window[1] must be in [-2, 2); got 2.", attention_dropout_mask, shape, 0.1, 1, 0, window=(0, 2))
    message = "rng_state must be two ints, the seed and the offset; got 5."
    refused(TypeError, message, flash_attn_dropout_mask, shape, 0.1, 5)
    refused(TypeError, "values must be a mapping of indices to numbers; got {}.", find_geometry, {}, 1, 5)
    message = "an index of values must have 2 ints, as the shape (3, 4); got (1, 2, 3)."
    refused(ValueError, message, find_geometry, {(1, 2, 3): 0.5}, 1, (3, 4))
    refused(ValueError, "an index of values must be in [-3, 3); got 3.", find_geometry, {(3, 0): 0.5}, 1, (3, 4))
    refused(TypeError, "each value must be a real number; got 'x' of type str.", find_geometry, {0: "x"}, 1, 5)
    refused(ValueError, "draw must be 'rand' or 'randn'; got 'randint'.", find_geometry, {0: 1}, 1, 5, "randint")
