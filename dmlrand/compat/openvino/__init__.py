"""OpenVINO's RandomUniform (RandomUniform-8), bit for bit, in either of its two implementations. specs/openvino.md has
the rules, and says where OpenVINO's page is wrong.

>>> RandomUniform("f32", 150, 10, ALIGNMENTS[0], IMPLEMENTATIONS[0])([3], 0.0, 1.0)
array([0.7011236 , 0.30539632, 0.93931055], dtype=float32)
"""

from .generator import ALIGNMENTS, IMPLEMENTATIONS, INSTRUCTION_SETS, OUTPUT_TYPES, RandomUniform

__all__ = ["ALIGNMENTS", "IMPLEMENTATIONS", "INSTRUCTION_SETS", "OUTPUT_TYPES", "RandomUniform"]
