"""specs/directml.md, section 3: running an operator on buffers."""

import array
import math
import mmap
from itertools import product

import numpy as np
import oracle
import pytest
from hypothesis import given, strategies as st

from dmlrand import advance_blocks, blocks_for, make_state, random_generator
from dmlrand.compat.directml import DATA_TYPES, FeatureLevel, RandomGeneratorOperatorDesc, TensorDesc, create_operator

GUARD = 0xA5
WORD = np.dtype("<u4")  # of a buffer, on every machine


@st.composite
def tensors(draw, sizes=None):
    """A tensor of any sizes and strides that do not overlap, and the byte addresses of its elements in order."""
    if sizes is None:
        sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5).filter(lambda sizes: math.prod(sizes) <= 200))
    strides, span = [0] * len(sizes), 1
    for axis in draw(st.permutations(range(len(sizes)))):
        strides[axis] = span + draw(st.integers(0, 3))
        span = strides[axis] * sizes[axis]
    if draw(st.booleans()):
        strides = None
        steps = [math.prod(sizes[axis + 1 :]) for axis in range(len(sizes))]
    else:
        steps = strides
    addresses = [4 * sum(i * s for i, s in zip(index, steps)) for index in product(*map(range, sizes))]
    total = draw(st.sampled_from([None, max(addresses) + 4, max(addresses) + 12]))
    return TensorDesc("UINT32", sizes, strides, TotalTensorSizeInBytes=total), addresses


def write_words(buffer, addresses, words):
    for address, word in zip(addresses, words):
        buffer[address : address + 4] = word.to_bytes(4, "little")


def guarded(tensor, addresses, draw):
    size = max(max(addresses) + 4, tensor.TotalTensorSizeInBytes or 0) + draw(st.sampled_from([0, 1, 5, 16]))
    return bytearray([GUARD]) * size


@given(st.data(), st.integers(0, 2**128 - 1), st.integers(0, 2**64 - 1))
def test_only_the_described_elements_are_written(data, counter, key):
    """directml 3.2, 3.3, 3.5, 4.1, 4.2"""
    state, state_addresses = data.draw(tensors([1] * data.draw(st.integers(0, 3)) + [6]))
    out, out_addresses = data.draw(tensors())
    new_state, new_addresses = data.draw(tensors(state.Sizes))
    buffers = [
        guarded(tensor, addresses, data.draw)
        for tensor, addresses in [(state, state_addresses), (out, out_addresses), (new_state, new_addresses)]
    ]
    write_words(buffers[0], state_addresses, oracle.state_words(counter, key))
    expected = [bytearray(each) for each in buffers]
    write_words(expected[1], out_addresses, oracle.words(counter, key, 0, len(out_addresses)))
    write_words(expected[2], new_addresses, oracle.new_state_words(counter, key, len(out_addresses)))
    names = ("InputStateTensor", "OutputTensor", "OutputStateTensor")
    create_operator(RandomGeneratorOperatorDesc(state, out, new_state)).execute(dict(zip(names, buffers)))
    assert buffers == expected


def operator(n=5, new_state=True, **members):
    state = TensorDesc("UINT32", [1, 6])
    return create_operator(
        RandomGeneratorOperatorDesc(state, TensorDesc("UINT32", [n], **members), state if new_state else None)
    )


def state_of(counter, key=42):
    return np.array(oracle.state_words(counter, key), WORD)


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("strides", [None, [1], [3]])
def test_one_buffer_as_both_states_continues_the_stream(monkeypatch, strides, order):
    """directml 3.4, 3.7 and 4.3: Of the two byte orders, this machine has one. The test makes buffers of the other."""
    kind = np.dtype(f"{order}u4")
    monkeypatch.setitem(DATA_TYPES, "UINT32", kind)
    rng, out = state_of(2**128 - 1).astype(kind), np.zeros(30, kind)
    run = operator(10, Strides=strides).bind({"InputStateTensor": rng, "OutputTensor": out, "OutputStateTensor": rng})
    for start in (0, 12):
        run()
        step = strides[0] if strides else 1
        assert out[: 10 * step : step].tolist() == oracle.words(2**128 - 1, 42, start, 10)
        assert rng.tolist() == oracle.state_words(2 + start // 4, 42)


@pytest.mark.parametrize(
    "make",
    [
        bytearray,
        lambda size: memoryview(bytearray(size)),
        lambda size: mmap.mmap(-1, size),
        lambda size: array.array("d", [0.0] * (-(-size // 8))),
        lambda size: np.zeros(size // 4, np.float32),
        lambda size: np.zeros(size + 1, np.uint8)[1:],
    ],
)
def test_any_writable_contiguous_buffer_is_accepted(make):
    """directml 3.1"""
    out = make(20)
    operator(new_state=False).execute({"InputStateTensor": state_of(3).tobytes(), "OutputTensor": out})
    assert np.frombuffer(out, np.uint8)[:20].tobytes() == np.array(oracle.words(3, 42, 0, 5), WORD).tobytes()


SMALL = "must be bound to at least {} bytes, its TotalTensorSizeInBytes; got {}. Bind a larger buffer."
EACH_TENSOR = (
    "bindings must hold a buffer for each tensor of the desc, InputStateTensor, OutputTensor{}, and no other; "
)
MEMORY = np.full(11, GUARD, WORD)
OVERLAP = "OutputTensor must share no element with "
REFUSED = [
    (ValueError, "InputStateTensor " + SMALL.format(24, 23), {"InputStateTensor": bytes(23)}),
    (ValueError, "OutputTensor " + SMALL.format(20, 0), {"OutputTensor": bytearray()}),
    (ValueError, "OutputStateTensor " + SMALL.format(24, 20), {"OutputStateTensor": bytearray(20)}),
    (ValueError, "OutputTensor must be bound to writable memory; got a read-only bytes.", {"OutputTensor": bytes(20)}),
    (ValueError, "OutputStateTensor must be bound to writable", {"OutputStateTensor": memoryview(bytes(24))}),
    (TypeError, "OutputTensor must be bound to a buffer of contiguous memory; got int", {"OutputTensor": 20}),
    (TypeError, "OutputTensor must be bound to a buffer of contiguous memory; got ndarray",
     {"OutputTensor": np.zeros(10, WORD)[::2]}),
    (TypeError, "OutputTensor must be bound to memory without Python objects", {"OutputTensor": np.zeros(5, object)}),
    (ValueError, EACH_TENSOR.format(", OutputStateTensor") + "got InputStateTensor, OutputTensor.",
     {"OutputStateTensor": None}),
    (ValueError, EACH_TENSOR.format(", OutputStateTensor"), {"InputTensor": bytes(24)}),
    (ValueError, OVERLAP + "OutputStateTensor", {"OutputTensor": MEMORY[:5], "OutputStateTensor": MEMORY[4:10]}),
    (ValueError, OVERLAP + "InputStateTensor", {"OutputTensor": MEMORY[5:], "InputStateTensor": MEMORY}),
]  # fmt: skip


@pytest.mark.parametrize("error, message, bindings", REFUSED)
def test_buffers_are_all_checked_before_anything_is_written(error, message, bindings):
    """directml 3.1, 3.4 and 3.6"""
    rng, out, new = state_of(3), np.full(5, GUARD, WORD), np.full(6, GUARD, WORD)
    buffers = {"InputStateTensor": rng, "OutputTensor": out, "OutputStateTensor": new} | bindings
    with pytest.raises(error) as caught:
        operator().execute({name: each for name, each in buffers.items() if each is not None})
    assert str(caught.value).startswith(message)
    assert rng.tolist() == oracle.state_words(3, 42) and {*out.tolist(), *new.tolist(), *MEMORY.tolist()} == {GUARD}


def test_bindings_are_those_of_a_desc_without_a_new_state():
    """directml 3.1"""
    with pytest.raises(TypeError, match="^bindings must map tensor names to buffers; got list"):
        operator().execute([])
    buffers = {"InputStateTensor": state_of(0), "OutputTensor": bytearray(20), "OutputStateTensor": bytearray(24)}
    with pytest.raises(ValueError, match="^" + EACH_TENSOR.format("")):
        operator(new_state=False).execute(buffers)


def test_the_statements_of_the_page():
    """directml 3.1: the page's example, with and without an OutputStateTensor"""
    state, out = (TensorDesc("DML_TENSOR_DATA_TYPE_UINT32", sizes) for sizes in ([1, 1, 1, 6], [3, 3, 20, 7219]))
    kind, counter = "DML_RANDOM_GENERATOR_TYPE_PHILOX_4X32_10", 0x48656C6C_6F46726F_6D536561_746F776E
    before = make_state(counter=counter, key=42).reshape(1, 1, 1, 6).astype(WORD)
    values, after = np.empty((2, 3 * 3 * 20 * 7219), WORD), np.empty(6, WORD)
    buffers = {"InputStateTensor": before, "OutputTensor": values[0]}
    level = FeatureLevel.DML_FEATURE_LEVEL_3_0
    create_operator(RandomGeneratorOperatorDesc(state, out, None, kind), level).execute(buffers)
    buffers |= {"OutputTensor": values[1], "OutputStateTensor": after}
    create_operator(RandomGeneratorOperatorDesc(state, out, state, kind), level).execute(buffers)
    words = random_generator(before.astype(np.uint32), [3, 3, 20, 7219], type=kind).values.ravel()
    assert np.array_equal(values[0], words) and np.array_equal(values[1], words)
    assert after.tolist() == oracle.state_words(counter + 324_855, 42)
    assert after.tolist() == advance_blocks(before.astype(np.uint32).ravel(), blocks_for(values[0].size)).tolist()
