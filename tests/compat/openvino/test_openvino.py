"""OpenVINO's RandomUniform: recorded answers, the page's examples, the state, and the ranges of the values."""

import numpy as np
import oracle
import pytest
from hypothesis import given, strategies as st
from numbers_at import dtype_of
from recorded import assert_recorded, each, numbers_of, to_int
from strategies import edge_ints

from dmlrand import advance_blocks, make_state
from dmlrand.compat.openvino import ALIGNMENTS, IMPLEMENTATIONS, INSTRUCTION_SETS, RandomUniform, openvino_float16

pytestmark = pytest.mark.both_kinds

seeds = edge_ints(63)
implementations = st.sampled_from(IMPLEMENTATIONS)
alignments = st.sampled_from(ALIGNMENTS)


def bounds_of(call, kind):
    """The recorded bounds: integers as written, floats by their bits."""
    if kind.kind == "i":
        return [np.array(to_int(call[name]), kind) for name in ("minval", "maxval")]
    return numbers_of([call[f"{name}_bits"] for name in ("minval", "maxval")], kind)


def replay(case, implementation):
    kind = dtype_of(case["output_type"])
    op = RandomUniform(
        case["output_type"], to_int(case["global_seed"]), to_int(case["op_seed"]), case["alignment"], implementation
    )
    for answer in case["calls"]:
        call = case | answer  # a dynamic model got its shape and bounds with each call
        assert_recorded(op(call["shape"], *bounds_of(call, kind)), call)


@each("openvino_evaluate")
def test_the_evaluator_of_openvino(case):
    """openvino 1.1, 7.3; promises 3; openvino 3.1 to 3.8, 5.1 to 5.5"""
    replay(case, "reference")


@each("openvino_cpu")
def test_the_cpu_plugin_of_openvino(case):
    """promises 3; openvino 1.2, 4.1 to 4.8, 5.1 to 5.5"""
    replay(case, "cpu_plugin")


# OpenVINO's page


PAGE = [
    ("f32", [150, 10], [3, 3], [0.0, 1.0], IMPLEMENTATIONS,
     "0.7011236 0.30539632 0.93931055 0.9456035 0.11694777 0.50770056 0.5197197 0.22727466 0.991374"),
    ("double", [80, 100], [2, 2], [2, 10], ["reference"], "5.65927959 4.23122376 2.67008206 2.36423758"),
    ("i32", [80, 100], [2, 3], [50, 100], IMPLEMENTATIONS, "65 70 56 59 82 92"),
]  # fmt: skip


@pytest.mark.parametrize("kind, seeds, shape, bounds, implementations, printed", PAGE)
def test_the_examples_of_the_page(kind, seeds, shape, bounds, implementations, printed):
    """openvino 7.1, 7.2"""
    for implementation in implementations:
        values = RandomUniform(kind, *seeds, implementation=implementation)(np.array(shape, np.int32), *bounds).ravel()
        assert np.allclose(values, np.array(printed.split()).astype(values.dtype), rtol=0, atol=1e-8)


def test_float16_as_openvino_rounds_it():
    """openvino 3.4"""
    units = np.array([511.875, 511.87, 512, 1023.99, 1.9999999, 0.49999997, 0.25, 3.9999998e-6], np.float32)
    rounded = openvino_float16(units * np.float32(2**-24))
    assert rounded.view(np.uint16).tolist() == [1024, 512, 512, 1024, 4, 1, 0, 0]
    assert openvino_float16(-units[:1] * np.float32(2**-24)).view(np.uint16).tolist() == [0x8400]


# The state


types = st.sampled_from(["i32", "i64", "f16", "f32", "f64"])


@given(edge_ints(128), edge_ints(64), implementations, st.integers(0, 40))
def test_any_state_can_be_set(counter, key, implementation, count):
    """openvino 3.1, 3.8, 4.6, 4.10: also a state whose counter carries during the call"""
    op = RandomUniform("i32", 1, implementation=implementation)
    op.state = make_state(counter=counter, key=key)
    words = oracle.words(counter, key, 0, count)
    assert op([count], -5, 95).tolist() == [word % 100 - 5 for word in words]
    blocks = 256 * (count if implementation == "cpu_plugin" else -(-count // 4))
    assert op.state.tolist() == advance_blocks(make_state(counter=counter, key=key), blocks).tolist()


@given(alignments, types, implementations, seeds, seeds, st.integers(0, 50))
def test_a_state_resumes(alignment, output_type, implementation, global_seed, op_seed, count):
    """openvino 3.8, 4.8, 5.1"""
    op = RandomUniform(output_type, global_seed, op_seed, alignment, implementation)
    op([3, 5], 0, 7)
    saved = op.state
    fresh = RandomUniform(output_type, 9, 9, alignment, implementation)
    fresh.state = saved.reshape(1, 1, 6)
    assert fresh([count], 0, 7).tolist() == op([count], 0, 7).tolist()
    assert fresh.state.shape == (6,)
    if global_seed or op_seed:
        assert fresh.state.tolist() == op.state.tolist()


def test_without_seeds_no_two_nodes_agree():
    """openvino 2.3: Under pytorch, only calls of the plugin repeat."""
    for implementation in IMPLEMENTATIONS:
        first, second = (RandomUniform("i64", implementation=implementation) for _ in range(2))
        assert first([4], 0, 2**31 - 1).tolist() != second([4], 0, 2**31 - 1).tolist()
        assert first.state[:4].tolist() == [256 * (2 if implementation == "reference" else 4), 0, 0, 0]
        op = RandomUniform("f32", alignment="pytorch", implementation=implementation)
        repeats = op([9], 0.0, 1.0).tolist() == op([9], 0.0, 1.0).tolist()
        assert repeats == (implementation == "cpu_plugin")


# Ends of ranges, and traps


UNIT = 2.0**-24  # the smallest float16


def test_float16_of_the_reference_leaves_small_ranges():
    """openvino 6.2. Bounds and the farthest value in units of 2**-24"""
    for alignment, *numbers in (
        ("tensorflow", 1027, 1540, 2052), ("pytorch", 0, 513, 1024), ("pytorch", -512, -511, -1024),
    ):  # fmt: skip
        low, high, far = (np.float16(number * UNIT) for number in numbers)
        assert far in RandomUniform("f16", 1, 1, alignment)([99_999], low, high)


def test_maxval_comes_out():
    """openvino 6.1, 7.4"""
    for implementation in IMPLEMENTATIONS:
        op = RandomUniform("f32", 1, implementation=implementation)
        share = np.mean(op([4096], 1.0, 1 + 2**-22) == np.float32(1 + 2**-22))
        assert 0.2 < share < 0.3
    reference, plugin = (RandomUniform("f16", 1, implementation=each)([200_000], 0.0, 1.0) for each in IMPLEMENTATIONS)
    assert (reference == 1).sum() == 0 and 20 < (plugin == 1).sum() < 90


def test_wide_int32_ranges_of_the_plugin():
    """openvino 4.6, 4.7"""
    words = oracle.words(2 << 64, 1, 0, 50)
    for low, high, modulus in ((-(2**31), 2**31 - 1, 1), (-(2**31), 0, 2**31), (-(2**30), 2**31 - 1, 2**30 + 1)):
        wrapped = [(word % modulus + low + 2**31) % 2**32 - 2**31 for word in words]
        assert RandomUniform("i32", 1, 2, implementation="cpu_plugin")([50], low, high).tolist() == wrapped
    i64, clamped = (RandomUniform("i64", 1, 2, implementation="cpu_plugin") for _ in "ab")
    assert i64([50], -(2**40), 2**40).tolist() == clamped([50], -(2**31), 2**31 - 1).tolist()


BFLOAT16 = {  # bits of 8 numbers of [-1.3, 2.6), seeds 7 and 9, for each instruction set: openvino 2026.4.1
    ("AVX512_BF16", "tensorflow"): [16397, 49046, 16048, 16174, 16408, 16403, 16343, 16378],
    ("AVX512_CORE", "tensorflow"): [16397, 49046, 16048, 16172, 16408, 16403, 16342, 16378],
    ("AVX2", "tensorflow"): [16202, 16139, 16130, 16183, 16310, 16324, 16417, 49043],
    ("AVX512_BF16", "pytorch"): [16302, 16343, 49002, 16412, 48782, 16372, 16255, 16009],
    ("AVX512_CORE", "pytorch"): [16302, 16343, 49002, 16412, 48782, 16372, 16255, 16009],
    ("AVX2", "pytorch"): [16200, 48902, 16290, 16289, 48840, 16054, 48891, 16276],
}


@pytest.mark.parametrize("instruction_set, alignment", BFLOAT16)
def test_bfloat16_of_each_instruction_set(instruction_set, alignment):
    """openvino 4.9: test_openvino_live.py draws new cases from OpenVINO"""
    kind = dtype_of("bf16")
    op = RandomUniform("bf16", 7, 9, alignment, "cpu_plugin", instruction_set=instruction_set)
    assert op([8], -1.3, 2.6).view(np.uint16).tolist() == BFLOAT16[instruction_set, alignment]
    zeros = op([500], kind.type(0), kind.type(2.0**-127))  # bounds of AVX2 are those of f32: openvino 4.11
    assert zeros.any() == (instruction_set != "AVX2" and (alignment, instruction_set) != ("tensorflow", "AVX512_BF16"))
    for other in ("f16", "f32", "f64", "i32"):
        ops = [RandomUniform(other, 7, 9, alignment, "cpu_plugin", instruction_set=each) for each in INSTRUCTION_SETS]
        assert len({op([8], -1, 2).tobytes() for op in ops}) == 1
