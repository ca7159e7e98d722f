"""OpenVINO's RandomUniform (RandomUniform-8), bit for bit, in either of its two implementations.

The names and the meaning of the arguments are OpenVINO's. The rules, and where OpenVINO's page is wrong, are in
specs/openvino.md.
"""

from .random_uniform import ALIGNMENTS, IMPLEMENTATIONS, OUTPUT_TYPES, RandomUniform

__all__ = ["ALIGNMENTS", "IMPLEMENTATIONS", "OUTPUT_TYPES", "RandomUniform"]
