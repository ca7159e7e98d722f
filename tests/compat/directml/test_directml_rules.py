"""specs/directml.md, sections 1 and 2: which descriptors are accepted, and the errors for the others."""

from itertools import product

import pytest
from hypothesis import given, strategies as st

from dmlrand.compat.directml import (
    FeatureLevel,
    RandomGeneratorOperator,
    RandomGeneratorOperatorDesc,
    TensorDesc,
    calc_buffer_tensor_size,
    create_operator,
)


def operator_of(state=(1, 1, 1, 6), out=(1, 1, 2, 3), level="4_0", new_state=None, kind="PHILOX_4X32_10", **members):
    out_tensor = TensorDesc(**{"DataType": "UINT32", "Sizes": out, **members})
    new_tensor = None if new_state is None else TensorDesc("UINT32", new_state)
    desc = RandomGeneratorOperatorDesc(TensorDesc("UINT32", state), out_tensor, new_tensor, kind)
    return create_operator(desc, level)


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 12)), min_size=1, max_size=4))
def test_strides_that_give_two_elements_one_place_are_refused(axes):
    """directml 1.6: found by listing the place of every element."""
    sizes, strides = map(list, zip(*axes))
    places = [sum(map(int.__mul__, index, strides)) for index in product(*map(range, sizes))]
    try:
        desc = operator_of(out=sizes, Strides=strides).desc
    except ValueError as error:
        assert str(error).startswith("OutputTensor.Strides must give every element its own place; got ")
    else:
        assert len(set(places)) == len(places)
        assert desc.OutputTensor.TotalTensorSizeInBytes == 4 * max(places) + 4


WORDING = [
    ({"out": [1, 1, 0, 8]}, "Sizes[2] must be in [1, 2**32); got 0."),
    ({"out": [2, 3.0]}, "Sizes[1] must be an integer; got 3.0 of type float. Pass an int."),
    ({"out": "23"}, "Sizes must be a sequence of ints; got '23'. Pass a list."),
    ({"out": [2, 3], "level": "3_0"}, "Sizes must have exactly 4 dimensions at DML_FEATURE_LEVEL_3_0; got {2, 3}. Add "
     "axes of size 1, merge axes, or choose another feature level."),
    ({"out": [1] * 9}, "Sizes must have 1 to 8 dimensions at DML_FEATURE_LEVEL_4_0; got {1, 1, 1, 1, 1, 1, 1, 1, 1}. "
     "Add axes of size 1, merge axes, or choose another feature level."),
    ({"DataType": "FLOAT32"}, "DataType must be UINT32, with or without DML_TENSOR_DATA_TYPE_; got 'FLOAT32'."),
    ({"Flags": "OWNED_BY_DML"}, "Flags must be NONE, with or without DML_TENSOR_FLAG_; got 'OWNED_BY_DML'."),
    ({"DimensionCount": 3}, "DimensionCount must be 4, the length of Sizes; got 3. Omit it for this value."),
    ({"Strides": [6, 6, 2, 1]}, "Strides must give every element its own place; got {6, 6, 2, 1} for sizes {1, 1, 2, 3}"
     ", where a stride is below what the smaller strides span. Omit Strides for a packed tensor."),
    ({"out": [2**31, 2**30]}, "Sizes must span fewer than 2**63 bytes; got 9223372036854775808. Use several smaller "
     "tensors."),
    ({"out": [2**31, 2], "Strides": [2**31, 1]}, "Strides must span fewer than 2**63 bytes; got "
     f"{2**64 - 2**33 + 8}. Use several smaller tensors."),
    ({"out": [2**32 - 1] * 3, "Strides": [0] * 3}, "Strides must give every element its own place; got {0, 0, 0} for "
     "sizes {4294967295, 4294967295, 4294967295}, where a stride is below what the smaller strides span. Omit Strides "
     "for a packed tensor."),
    ({"Strides": [3, 1]}, "Strides must have one stride for each of the 4 sizes; got 2."),
    ({"TotalTensorSizeInBytes": 26}, "TotalTensorSizeInBytes must be a multiple of 4 and at least 24, which Sizes and "
     "Strides require; got 26. Omit it for the least value."),
    ({"GuaranteedBaseOffsetAlignment": 2}, "GuaranteedBaseOffsetAlignment must be 0 or a power of two of at least 4, "
     "the size of a UINT32; got 2."),
]  # fmt: skip
STATES = [
    ({"kind": "PHILOX"}, "Type must be PHILOX_4X32_10, with or without DML_RANDOM_GENERATOR_TYPE_; got 'PHILOX'."),
    ({"state": [1, 1, 1, 4]}, "InputStateTensor.Sizes must be {1, .., 1, 6}, for 4 words of counter and 2 of key; got "
     "{1, 1, 1, 4}."),
    ({"new_state": [1, 6]}, "OutputStateTensor.Sizes must equal InputStateTensor.Sizes, {1, 1, 1, 6}; got {1, 6}. Use "
     "one TensorDesc for both."),
]  # fmt: skip


@pytest.mark.parametrize("changes, message", STATES + [(each, f"OutputTensor.{words}") for each, words in WORDING])
def test_the_wording_of_errors(changes, message):
    """directml 1.2 to 1.7, 2.2, 2.3"""
    with pytest.raises((TypeError, ValueError)) as caught:
        operator_of(**changes)
    assert str(caught.value) == message


def test_the_largest_numbers_of_a_desc():
    """directml 1.5, 1.6 and 4.4: their types are UINT64 and UINT"""
    assert operator_of(out=[2**31, 4]).desc.OutputTensor.TotalTensorSizeInBytes == 2**35
    desc = operator_of(TotalTensorSizeInBytes=2**64 - 4, GuaranteedBaseOffsetAlignment=2**31).desc
    assert desc.OutputTensor.TotalTensorSizeInBytes == 2**64 - 4
    assert desc.OutputTensor.GuaranteedBaseOffsetAlignment == 2**31
    for name, beyond in (("TotalTensorSizeInBytes", 2**64), ("GuaranteedBaseOffsetAlignment", 2**32)):
        with pytest.raises(ValueError, match=f"^OutputTensor.{name} must be in "):
            operator_of(**{name: beyond})


LEVEL = FeatureLevel.DML_FEATURE_LEVEL_4_0


def test_feature_levels():
    """directml 2.1: by their values or their names"""
    for level in ("DML_FEATURE_LEVEL_4_0", "4_0", "4.0", 0x4000, LEVEL):
        assert operator_of(level=level).feature_level is LEVEL
    for level in ("2_1", "7_7", "", 0x2100, 0x4001, 4.0, None):  # without the operator, or no levels
        with pytest.raises((TypeError, ValueError), match="^feature_level must be"):
            operator_of(level=level)


@pytest.mark.parametrize(
    "data_type, sizes, strides, size",
    [
        ("UINT32", [2, 3], None, 24),
        ("UINT32", [2, 3], [3, 1], 24),
        ("UINT32", [2, 3], [1, 2], 24),
        ("UINT32", [2, 3], [8, 2], 52),
        ("FLOAT16", [5], None, 12),  # 10, rounded up to a multiple of 4
        ("UINT8", [3], [3], 8),
        ("DML_TENSOR_DATA_TYPE_INT64", [3], [0], 8),
    ],
)
def test_the_size_rule(data_type, sizes, strides, size):
    """directml 1.5"""
    assert calc_buffer_tensor_size(data_type, sizes, strides) == size


def test_the_operator_holds_every_default():
    """directml 1.2, 1.5, 2.4, 2.5"""
    operator = operator_of(out=[2, 3], Strides=[8, 2])
    desc = operator.desc
    assert isinstance(operator, RandomGeneratorOperator)
    assert desc.OutputTensor == TensorDesc("UINT32", (2, 3), (8, 2), "NONE", 2, 52, 0)
    assert desc.OutputStateTensor is None and desc.Type == "PHILOX_4X32_10"
    assert create_operator(desc).desc == desc


def test_arguments_that_are_no_descs():
    """directml 1.1"""
    state = TensorDesc("UINT32", [6])
    for desc, name in [(None, "desc"), (RandomGeneratorOperatorDesc(state, [2, 3]), "OutputTensor")]:
        with pytest.raises(TypeError, match=f"^{name} must be a "):
            create_operator(desc)
