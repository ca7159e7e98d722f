"""OpenVINO's RandomUniform from IR: accepted texts, and refused ones with the wording of their errors. openvino 2.7"""

import re

import pytest

from dmlrand.compat.openvino import RandomUniform

PAGE = """
 <layer ... name="RandomUniform" type="RandomUniform">
     <data output_type="f32" global_seed="234" op_seed="148"/>
     <input>
         <port id="0" precision="I32">  <!-- shape value: [2, 3, 10] -->
             <dim>3</dim>
         </port>
         <port id="1" precision="FP32"/> <!-- min value -->
         <port id="2" precision="FP32"/> <!-- max value -->
     </input>
     <output>
         <port id="3" precision="FP32" names="RandomUniform:0">
             <dim>2</dim>
             <dim>3</dim>
             <dim>10</dim>
         </port>
     </output>
 </layer>"""
DATA = '<data output_type="i64" global_seed="1" op_seed="0" alignment="pytorch"/>'
LAYER = f'<layer id="3" name="a" type="RandomUniform" version="opset8">{DATA}</layer>'


def net(*layers):
    other = '<layer id="0" name="c" type="Const"><data element_type="i64" shape="3" offset="0" size="24"/></layer>'
    return f'<?xml version="1.0"?><net name="m" version="11"><layers>{other}{"".join(layers)}</layers></net>'


def test_the_layer_of_the_page():
    """openvino 2.7, 8.1"""
    op = RandomUniform.from_ir(PAGE)
    assert (
        repr(op)
        == repr(RandomUniform.from_ir(PAGE.encode()))
        == ("RandomUniform('f32', global_seed=234, op_seed=148, alignment='tensorflow', implementation='reference')")
    )
    assert op([2, 3, 10], 0.0, 1.0).tolist() == RandomUniform("f32", 234, 148)([2, 3, 10], 0.0, 1.0).tolist()


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
        with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
            RandomUniform.from_ir(xml, name=given)


@pytest.mark.parametrize(
    "names", [("f64", "double", "FP64", "F64", "Double"), ("f32", "FP32"), ("f16", "FP16"), ("i32", "I32")]
)
def test_names_of_types(names):
    """openvino 2.1, 2.7"""
    kind = names[0]
    expected = repr(RandomUniform(kind, 1, 2))
    for name in names:
        assert repr(RandomUniform(name, 1, 2)) == expected
        data = f'<data output_type="{name}" global_seed="1" op_seed="2"/>'
        for precision in names:
            xml = layer(data, f'<input><port id="1" precision="{precision}"/></input>')
            assert repr(RandomUniform.from_ir(xml)) == expected


@pytest.mark.parametrize("xml", [LAYER, net(LAYER), net(LAYER).encode()])
def test_a_layer_alone_or_in_a_net(xml):
    """openvino 2.7"""
    op = RandomUniform.from_ir(xml, implementation="cpu_plugin")
    assert repr(op) == (
        "RandomUniform('i64', global_seed=1, op_seed=0, alignment='pytorch', implementation='cpu_plugin')"
    )


def test_absent_attributes_have_their_defaults():
    """openvino 2.7, 7.4"""
    op = RandomUniform.from_ir('<layer type="RandomUniform"><data output_type="f16"/></layer>')
    assert (op.global_seed, op.op_seed, op.alignment) == (0, 0, "tensorflow")


def layer(data, ports=""):
    return f'<layer type="RandomUniform">{data}{ports}</layer>'


@pytest.mark.parametrize(
    "xml, error, words",
    [
        (7, TypeError, "xml must be the text of an IR, str or bytes; got int. Read a file with read_bytes()."),
        (
            "model.xml",
            ValueError,
            "xml must be well-formed XML; syntax error: line 1, column 0. Pass the text, not a path.",
        ),
        (net(), ValueError, "xml must hold a <layer> of type RandomUniform; got none under <net>."),
        (
            net(LAYER, LAYER.replace('"a"', '"b"')),
            ValueError,
            "name must be given for an IR with several layers of type RandomUniform; they are 'a', 'b'.",
        ),
        (layer(""), ValueError, "xml must give the layer one <data> element; got 0."),
        (
            layer('<data global_seed="1"/>'),
            ValueError,
            'xml must give <data> an output_type; got none. Add one, such as output_type="f32".',
        ),
        (
            layer('<data output_type="f32" globalseed="1"/>'),
            ValueError,
            "xml must hold no <data> attributes but ['alignment', 'global_seed', 'op_seed', 'output_type']; "
            "got ['globalseed']. Remove them.",
        ),
        (
            layer('<data output_type="f32" op_seed="0x10"/>'),
            ValueError,
            "xml must give op_seed as a decimal integer; got '0x10'.",
        ),
        (layer(2 * '<data output_type="f32"/>'), ValueError, "xml must give the layer one <data> element; got 2."),
        (
            layer('<data output_type="f32" op_seed="\u0661"/>'),
            ValueError,
            "xml must give op_seed as a decimal integer; got '\u0661'.",
        ),
        (
            layer(f'<data output_type="f32" op_seed="{"9" * 5000}"/>'),
            ValueError,
            f"xml must give op_seed as a decimal integer; got '{'9' * 97}...{'9' * 98}'.",
        ),
        (layer('<data output_type="f32" op_seed="-1"/>'), ValueError, "op_seed must be in [0, 2**63); got -1."),
        (
            layer('<data output_type="f8"/>'),
            ValueError,
            "output_type must be 'i32', 'i64', 'f16', 'bf16', 'f32' or 'f64'; got 'f8'.",
        ),
        (
            layer('<data output_type="f32" alignment="x"/>'),
            ValueError,
            "alignment must be 'tensorflow' or 'pytorch'; got 'x'.",
        ),
        (
            layer('<data output_type="f32"/>', '<output><port id="3" precision="FP16"/></output>'),
            ValueError,
            "xml must give port 3 the precision FP32 of output_type f32; got FP16.",
        ),
        *[
            (
                layer('<data output_type="f32"/>', f'<input><port id="0" precision="{precision}"/></input>'),
                ValueError,
                f"xml must give port 0, the shape, the precision I32 or I64; got {precision}.",
            )
            for precision in ("FP32", "U64", "I8", "")
        ],
    ],
)
def test_the_reader_refuses(xml, error, words):
    """openvino 2.7"""
    with pytest.raises(error, match=f"^{re.escape(words)}$"):
        RandomUniform.from_ir(xml)


@pytest.mark.parametrize("precision", ["I32", "I64"])
def test_the_shape_has_either_integer_type(precision):
    """openvino 2.7"""
    xml = layer('<data output_type="f32" op_seed="3"/>', f'<input><port id="0" precision="{precision}"/></input>')
    assert RandomUniform.from_ir(xml)([3], 0, 1).tolist() == RandomUniform("f32", 0, 3)([3], 0, 1).tolist()
