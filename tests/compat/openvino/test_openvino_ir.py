"""RandomUniform from the text of an IR, and arguments in every allowed form: specs/openvino.md, section 2."""

from fractions import Fraction

import numpy as np
import pytest

from dmlrand.compat.openvino import RandomUniform

PAGE = """
 <layer name="RandomUniform" type="RandomUniform">
     <data output_type="f32" global_seed="234" op_seed="148"/>
     <input>
         <port id="0" precision="I32">  <!-- shape value: [2, 3, 10] -->
             <dim>3</dim>
         </port>
     </input>
 </layer>"""


def test_the_layer_of_the_page():
    """openvino 2.7"""
    op = RandomUniform.from_ir(PAGE)
    expected = "RandomUniform('f32', global_seed=234, op_seed=148, alignment='tensorflow', implementation='reference')"
    assert repr(op) == repr(RandomUniform.from_ir(PAGE.encode())) == expected
    assert op([2, 3, 10], 0.0, 1.0).tolist() == RandomUniform("f32", 234, 148)([2, 3, 10], 0.0, 1.0).tolist()
    core = RandomUniform.from_ir(PAGE, "cpu_plugin", instruction_set="AVX512_CORE")
    assert repr(core) == repr(eval(repr(core))) and "'cpu_plugin', instruction_set='AVX512_CORE')" in repr(core)


@pytest.mark.parametrize("names", [("f64", "double", "FP64", "F64", "Double"), ("f16", "FP16"), ("i32", "I32")])
def test_names_of_types(names):
    """openvino 2.1, 2.7"""
    expected = repr(RandomUniform(names[0], 1, 2))
    for name in names:
        assert repr(RandomUniform(name, 1, 2)) == expected
        data = f'<data output_type="{name}" global_seed="1" op_seed="2"/>'
        assert repr(RandomUniform.from_ir(f'<layer type="RandomUniform">{data}</layer>')) == expected


def test_absent_attributes_have_their_defaults():
    """openvino 2.7, 7.4"""
    op = RandomUniform.from_ir('<layer type="RandomUniform"><data output_type="f16"/></layer>')
    assert (op.global_seed, op.op_seed, op.alignment) == (0, 0, "tensorflow")


@pytest.mark.parametrize("implementation", ["reference", "cpu_plugin"])
def test_bounds_of_every_allowed_form(implementation):
    """openvino 2.5"""

    def values(low, high):
        return RandomUniform("f32", 1, 2, implementation=implementation)([4], low, high).tolist()

    expected = values(0.0, 1.0)
    assert values(0, 1) == values(np.zeros((), np.float32), 1) == expected
    assert values(np.float32(0), np.ones(1, np.float32)) == expected
    assert values(0.1, 0.7) == values(np.float32(0.1), np.float32(0.7)) == values(Fraction(1, 10), 0.7)


def test_bounds_closer_than_openvino_compares_them():
    """openvino 2.9: openvino 2026.4.1 returned these for bounds that are inputs of the model"""
    values = RandomUniform("f64", 1, 2)([4], 1.0, 1 + 1e-12)
    expected = ["0x1.000000000046bp+0", "0x1.00000000007ccp+0", "0x1.000000000053bp+0", "0x1.0000000000489p+0"]
    assert [float(value).hex() for value in values] == expected
    assert RandomUniform("i64", 1, 2)([4], 2**53, 2**53 + 1).tolist() == [2**53] * 4
