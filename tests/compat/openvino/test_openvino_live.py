"""The installed OpenVINO, on new random cases. Run with `pytest -m peers`.

The bits of bf16 are those of a processor with AVX512_BF16: specs/openvino.md, 4.9.
"""

import os
import subprocess
import sys

import numpy as np
import pytest
from numbers_at import dtype_of
from openvino_nodes import as_tensor, assert_agree, node_of

from dmlrand.compat.openvino import ALIGNMENTS, IMPLEMENTATIONS, OUTPUT_TYPES, RandomUniform

pytestmark = pytest.mark.peers
CASES = 45


@pytest.fixture(scope="module")
def openvino():
    return pytest.importorskip("openvino", reason="openvino is not installed: pip install --group peers")


def draw_seed(chance):
    return chance.choice([0, 1, chance.getrandbits(10), chance.getrandbits(32), chance.getrandbits(63), (1 << 63) - 1])


def draw_seeds(chance):
    seeds = draw_seed(chance), draw_seed(chance)
    return seeds if any(seeds) else (1, 0)


def draw_bounds(chance, kind, implementation):
    """Two bounds as 0-dim arrays: often the whole range, zero, or close to each other."""
    while True:
        if kind.kind == "i":
            bits = 31 if implementation == "cpu_plugin" or chance.random() < 0.3 else 8 * kind.itemsize - 1
            any_end = chance.randrange(-(1 << bits), 1 << bits)
            ends = [-(1 << bits), (1 << bits) - 1, 0, 1, any_end, chance.randrange(99)]
            low, high = chance.choice(ends), chance.choice(ends)
            if chance.random() < 0.3:
                high = min(low + chance.choice([1, 2, 3, 100, 1 << 24]), (1 << bits) - 1)
            close = abs(high - low) < 1 << 12 and abs(high) > 1 << 50  # OpenVINO compares int64 bounds as doubles
        else:
            scale = chance.choice([1, 1, 100, 1e-3, 2e-4, 6e4, *([1e30, 1e-38] if kind.itemsize > 2 else [1])])
            other = chance.choice([chance.uniform(-scale, scale), 0.0, scale])
            low, high = sorted([chance.uniform(-scale, scale), other])
            if chance.random() < 0.2:
                low, high = 0.0, 1.0
            if chance.random() < 0.2:
                high = low + abs(low) * chance.choice([2**-6, 2**-9, 2**-20])
            close = np.float32(low) >= np.float32(high)  # and float64 bounds as float32
        bounds = np.array(low, kind), np.array(high, kind)
        with np.errstate(over="ignore"):
            finite = kind.kind == "i" or np.isfinite(bounds[1] - bounds[0])
        if bounds[0] < bounds[1] and finite and not close:
            return bounds


def draw_shape(chance, implementation):
    if chance.random() < 0.1:
        return [chance.choice([4096, 50_000, 131_073])]
    if chance.random() < 0.2:
        rank = chance.choice([0, 9, 12, 32])
        return (
            [1] if (rank, implementation) == (0, "cpu_plugin") else [chance.choice([1, 1, 1, 2]) for _ in range(rank)]
        )
    return [chance.choice([0, 1, 1, 2, 3, 5, 17, 33]) for _ in range(chance.randrange(1, 4))]


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("alignment", ALIGNMENTS)
@pytest.mark.parametrize("output_type", OUTPUT_TYPES)
def test_calls_of_a_node(openvino, chance, output_type, alignment, implementation):
    """openvino 2.4, 3.1 to 3.8, 4.1 to 4.8, 5.1 to 5.5"""
    kind = dtype_of(output_type)
    for _ in range(CASES):
        seeds, shape = draw_seeds(chance), draw_shape(chance, implementation)
        bounds = draw_bounds(chance, kind, implementation)
        node = node_of(openvino, shape, bounds, output_type, seeds, alignment)
        op = RandomUniform(output_type, *seeds, alignment, implementation)
        inputs = [as_tensor(openvino, array) for array in (np.array(shape, np.int64), *bounds)]
        if implementation == "cpu_plugin":
            compiled = openvino.Core().compile_model(openvino.Model([node], []), "CPU")
        for _ in range(chance.randrange(1, 4)):
            if implementation == "cpu_plugin":
                theirs = compiled.create_infer_request().infer()[0]
            else:
                output = openvino.Tensor(node.output(0).element_type, openvino.Shape(shape))
                assert node.evaluate([output], inputs)
                theirs = output.data
            assert_agree(theirs, op, shape, bounds)


def test_the_ir_that_openvino_writes(openvino, chance, tmp_path):
    """openvino 2.7"""
    for _ in range(CASES):
        output_type, alignment = chance.choice(["i32", "i64", "f16", "f32", "f64"]), chance.choice(ALIGNMENTS)
        kind, seeds = dtype_of(output_type), draw_seeds(chance)
        bounds = draw_bounds(chance, kind, "reference")
        node = node_of(openvino, [3, 5], bounds, output_type, seeds, alignment)
        openvino.serialize(openvino.Model([node], []), tmp_path / "model.xml")
        op = RandomUniform.from_ir((tmp_path / "model.xml").read_text())
        assert repr(op) == repr(RandomUniform(output_type, *seeds, alignment))


BFLOAT16 = """
import sys
import numpy as np, openvino
from numbers_at import dtype_of
from openvino_nodes import assert_agree, node_of
from dmlrand.compat.openvino import RandomUniform
rng, kind = np.random.default_rng(int(sys.argv[2])), dtype_of("bf16")
for case in range(60):
    size = 2.0 ** (rng.integers(-130, -100) if case % 4 > 1 else rng.integers(-10, 60))  # near zero, or not
    bounds = [np.array(each) for each in np.sort(rng.uniform(-size, size, 2)).astype(kind)]
    if not bounds[0] < bounds[1]:
        continue
    alignment, seed = ("tensorflow", "pytorch")[case % 2], int(rng.integers(1, 1 << 60))
    node = node_of(openvino, [500], bounds, "bf16", (seed, 9), alignment)
    hint = {"INFERENCE_PRECISION_HINT": "f32"} if sys.argv[1] == "AVX2" else {}
    compiled = openvino.Core().compile_model(openvino.Model([node], []), "CPU", hint)
    op = RandomUniform("bf16", seed, 9, alignment, "cpu_plugin", instruction_set=sys.argv[1])
    assert_agree(compiled.create_infer_request().infer()[0], op, [500], bounds)
"""


@pytest.mark.parametrize("instruction_set", ["AVX512_CORE", "AVX2"])
def test_bfloat16_of_other_processors(openvino, chance, instruction_set):
    """openvino 4.9: in a process that OpenVINO limits to their instructions"""
    path = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "ONEDNN_MAX_CPU_ISA": instruction_set, "PYTHONPATH": path}
    command = [sys.executable, "-c", BFLOAT16, instruction_set, str(chance.getrandbits(32))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
