"""OpenVINO's own RandomUniform beside ours: its inputs, its nodes, and the comparison of bits."""

import numpy as np
from numbers_at import bits_of


def as_tensor(openvino, array):
    if array.dtype.name == "bfloat16":
        return openvino.Tensor(np.atleast_1d(array).view(np.uint16), openvino.Shape(array.shape), openvino.Type.bf16)
    return openvino.Tensor(np.ascontiguousarray(array))


def node_of(openvino, shape, bounds, output_type, seeds, alignment):
    from openvino import opset8
    from openvino.op import Constant

    inputs = [Constant(as_tensor(openvino, array)) for array in (np.array(shape, np.int64), *bounds)]
    return opset8.random_uniform(*inputs, output_type, *seeds, alignment=alignment)


def assert_agree(theirs, op, shape, bounds):
    ours = op(shape, *bounds)
    assert list(theirs.shape) == shape
    different = [i for i, pair in enumerate(zip(bits_of(theirs), bits_of(ours), strict=True)) if pair[0] != pair[1]]
    assert not different, (op, shape, bounds, len(different), different[:9])
