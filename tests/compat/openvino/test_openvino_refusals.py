"""Every refused input of OpenVINO's RandomUniform, with the wording of its error. No refused call moves the state."""

import re

import numpy as np
import pytest

from dmlrand.compat.openvino import RandomUniform

DATA = '<data output_type="i64" global_seed="1" op_seed="0" alignment="pytorch"/>'
LAYER = f'<layer id="3" name="a" type="RandomUniform" version="opset8">{DATA}</layer>'
TYPES = "output_type must be 'i32', 'i64', 'f16', 'bf16', 'f32' or 'f64'; got "


def plugin(output_type, alignment="tensorflow"):
    return RandomUniform(output_type, 1, 2, alignment, "cpu_plugin")


def refuses(call, words):
    """The error has exactly these words. It is a TypeError where they complain of a type."""
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(words)}$") as caught:
        call()
    given = r" of type (int|float|bool|str|list)\.|of type int\. Pass \[|keyword argument"
    about_a_type = re.search(rf"{given}|sequence of ints|must be of the output type", words)
    assert caught.type is (TypeError if about_a_type else ValueError)


NODES = [
    (["u8"], f"{TYPES}'u8'."),
    (["f32", -1], "global_seed must be in [0, 2**63); got -1."),
    (["f32", True], "global_seed must be an integer; got True of type bool. Pass an int."),
    (["f32", 0, 2**63], "op_seed must be in [0, 2**63); got 9223372036854775808."),
    (["f32", 1, 2, "jax"], "alignment must be 'tensorflow' or 'pytorch'; got 'jax'."),
    (["f32", 1, 2, "pytorch", "GPU"], "implementation must be 'reference' or 'cpu_plugin'; got 'GPU'."),
]


@pytest.mark.parametrize("arguments, words", NODES)
def test_the_node_refuses(arguments, words):
    """openvino 2.1, 2.2"""
    refuses(lambda: RandomUniform(*arguments), words)


def test_the_instruction_sets():
    """openvino 4.9"""
    rule = "instruction_set must be 'AVX512_BF16', 'AVX512_CORE' or 'AVX2'; got 'AVX'."
    refuses(lambda: RandomUniform("bf16", 1, instruction_set="AVX"), rule)
    refuses(lambda: RandomUniform.from_ir(LAYER, instruction_set="AVX"), rule)


F32 = RandomUniform("f32", 1, 2)
F16, F64, I32, I64 = (RandomUniform(kind, 1, 2) for kind in ("f16", "f64", "i32", "i64"))
SHAPES = [
    (F32, 5, "shape must be a sequence of ints; got 5. Write [3] for three values, [] for one."),
    (F32, np.array([[2]]), "shape must be a sequence of ints; got array([[2]]). Write [3] for three values, [] for "
     "one."),
    (F32, [-1], "shape[0] must be at least 0; got -1."),
    (plugin("f32"), [], "shape must have at least one size, because OpenVINO's CPU plugin returns uninitialized "
     "memory for rank 0; got none. Pass [1]."),
    (F32, [1] * 33, "shape must have at most 32 sizes; got 33. Merge axes."),
    (F64, [2**60], "shape must describe fewer than 2**63 bytes; got (1152921504606846976,) with 8 bytes an element. "
     "Use several smaller tensors, or windows of it."),
]  # fmt: skip
NARROW = "Every output would be infinite or NaN: narrow the range."
FLOATS = "minval and maxval must be finite and differ in float32, in which the CPU plugin computes float64; got "
RANGES = [
    (F32, 2.0, 1.0, "minval must be below maxval in float32; got minval 2.0 and maxval 1.0."),
    (F32, 1.0, 1 + 1e-12, "minval must be below maxval in float32; got minval 1.0 and maxval 1.000000000001."),
    (F32, 0.0, float("inf"), "maxval must be finite as a float32; got inf. Pass a finite number that the type can "
     "hold."),
    (F16, 0.0, 7e4, "maxval must be finite as a float16; got 70000.0. Pass a finite number that the type can hold."),
    (F32, 0, 2**24 + 1, "maxval must be representable in float32; got the int 16777217. Pass a float to round it."),
    (F64, 0, 10**400, "maxval must be finite as a float64; got an int of 1329 bits. Pass a finite number that the "
     "type can hold."),
    (I32, 0, 2**31, "maxval must be in [-2**31, 2**31); got 2147483648."),
    (I32, 0.0, 5, "minval must be an integer; got 0.0 of type float. Pass an int."),
    (F32, [0.0], 1.0, "minval must be a real number; got [0.0] of type list. Pass a float."),
    (F32, 0.0, np.float64(1), "maxval must be of the output type, float32; got float64. Convert it: "
     "maxval.astype('float32')."),
    (F32, np.zeros(2, np.float32), 1.0, "minval must be a scalar or a 1D tensor of 1 element; got shape (2,). All "
     "elements share one range."),
    (F32, -3e38, 3e38, f"maxval - minval must be finite in float32; got minval -3e+38 and maxval 3e+38. {NARROW}"),
    (plugin("f64"), 0.0, 1e300, f'{FLOATS}0.0 and 1e+300. The "reference" implementation accepts them.'),
    (plugin("f64"), 1.0, 1 + 1e-12, f'{FLOATS}1.0 and 1.000000000001. The "reference" implementation accepts them.'),
    (plugin("i64", "pytorch"), 2**40, 2**41, "minval and maxval must differ after clamping to int32, in which the CPU "
     'plugin computes int64; got 1099511627776 and 2199023255552. The "reference" implementation accepts them.'),
]  # fmt: skip
CALLS = [(op, [shape, 0.0, 1.0], words) for op, shape, words in SHAPES]
CALLS += [(op, [[2], low, high], words) for op, low, high, words in RANGES]


@pytest.mark.parametrize("op, arguments, words", CALLS)
def test_a_call_refuses(op, arguments, words):
    """openvino 2.4, 2.5, 2.6, 2.8, 4.3, 4.7"""
    before = op.state.tolist()
    refuses(lambda: op(*arguments), words)
    assert op.state.tolist() == before


def test_an_output_that_does_not_fit_leaves_the_state():
    """openvino 2.8"""
    for op in (RandomUniform("f32", 1), plugin("f32"), plugin("f32", "pytorch")):
        before = op.state.tolist()
        with pytest.raises(MemoryError):
            op([2**60], 0.0, 1.0)
        assert op.state.tolist() == before


# from_ir


def net(*layers):
    other = '<layer id="0" name="c" type="Const"><data element_type="i64" shape="3" offset="0" size="24"/></layer>'
    return f'<?xml version="1.0"?><net name="m" version="11"><layers>{other}{"".join(layers)}</layers></net>'


def layer(data):
    return f'<layer type="RandomUniform"><data output_type="f32" {data}/></layer>'


LAYERS = "name must be that of exactly one <layer> of type RandomUniform, which are 'a', 'b'; got None. Pass the text "
LAYERS += "of one layer alone if names are not unique."
TEXTS = [
    ("model.xml", "xml must be well-formed XML; syntax error: line 1, column 0. Pass the text, not a path."),
    (net(), LAYERS.replace("'a', 'b'", "none")),
    (net(LAYER, LAYER.replace('"a"', '"b"')), LAYERS),
    *[(f'<layer type="RandomUniform">{data}</layer>', "xml must give the layer a <data> element with an output_type, "
       'such as "f32"; got none.') for data in ("", '<data global_seed="1"/>')],
    (layer('globalseed="1"'), "RandomUniform.__init__() got an unexpected keyword argument 'globalseed'"),
    *[(layer(f'op_seed="{seed}"'), f"op_seed must be an integer; got '{seed}' of type str. Pass an int.")
      for seed in ("0x10", "\u0661", "9" * 41)],
    (layer('op_seed="-1"'), "op_seed must be in [0, 2**63); got -1."),
    (layer("").replace("f32", "f8"), f"{TYPES}'f8'."),
    (layer('alignment="x"'), "alignment must be 'tensorflow' or 'pytorch'; got 'x'."),
]  # fmt: skip


@pytest.mark.parametrize("xml, words", TEXTS)
def test_from_ir_refuses(xml, words):
    """openvino 2.7"""
    refuses(lambda: RandomUniform.from_ir(xml), words)


def test_a_layer_by_its_name():
    """openvino 2.7"""
    others = [LAYER.replace('"a"', f'"{name}"').replace('"i64"', '"f16"') for name in ("b", "c", "c")]
    body = f'<layer id="9" name="loop" type="Loop"><body><layers>{others[0]}</layers></body></layer>'
    for xml in (net(LAYER, body), net(LAYER, body).encode("utf-16")):
        assert RandomUniform.from_ir(xml, name="a").output_type == "i64"
        assert RandomUniform.from_ir(xml, "cpu_plugin", "b").output_type == "f16"
    for given, names in [("d", "'a', 'b'"), (3, "'a', 'b'"), ("c", "'a', 'c', 'c'")]:
        xml = net(LAYER, *(others[1:] if given == "c" else others[:1]))
        words = (
            f"name must be that of exactly one <layer> of type RandomUniform, which are {names}; got {given!r}. "
            "Pass the text of one layer alone if names are not unique."
        )
        refuses(lambda: RandomUniform.from_ir(xml, name=given), words)  # noqa: B023
