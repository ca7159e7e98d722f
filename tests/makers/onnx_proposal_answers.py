"""Record tests/vectors/onnx_proposal.json: the numbers of the reference implementation of the proposal onnx/onnx#8161.

usage: onnx_proposal_answers.py FILE

FILE is onnx/reference/ops/_op_common_random.py of the proposal's branch, with the attribute seed_int64 and the input
offset. It needs the packages onnx and ml_dtypes.
"""

import importlib.util
import sys

import numpy as np
from recording import bits_of, write

MAKER = "tests/makers/onnx_proposal_answers.py"
SHAPES = [[3, 4], [5, 7], [2, 3, 1, 5], [2, 3]]
RANGES = [(0.0, 1.0), (-1.0, 1.0), (5.0, 10.0), (0.1, 0.3), (-1e30, 3e30)]
SEEDS = [0, 42, 2024, -1, -(2**63), 2**63 - 1]
OFFSETS = [0, 1, 2**32 - 1, 2**32, -1, -(2**63)]

spec = importlib.util.spec_from_file_location("proposal", sys.argv[1])
proposal = importlib.util.module_from_spec(spec)
spec.loader.exec_module(proposal)

cases = []
for i in range(30):
    (low, high), shape, seed, offset = (
        each[i % len(each)] for each in (RANGES, SHAPES, SEEDS, OFFSETS[i // 6 :] + OFFSETS)
    )
    drawn = proposal._CommonRandom._deterministic_uniform(
        "philox4x32_10", None, seed, shape, np.dtype(np.float32), low, high, np.array(offset)
    )
    assert drawn.dtype == np.float32
    cases.append(
        {"shape": shape, "low": low, "high": high, "seed_int64": seed, "offset": offset, "bits": bits_of(drawn)}
    )
source = (
    "_deterministic_uniform of onnx/reference/ops/_op_common_random.py in the branch of the proposal onnx/onnx#8161"
)
write("onnx_proposal", f"{source}, which is in no release of onnx; read on 23 November 2026", cases, MAKER)
