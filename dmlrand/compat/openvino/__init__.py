"""OpenVINO's RandomUniform (RandomUniform-8), bit for bit, in either of its two implementations.

The arguments have OpenVINO's names and meanings. specs/openvino.md has the rules, and says where OpenVINO's page is
wrong.
"""

from .generator import ALIGNMENTS, IMPLEMENTATIONS, RandomUniform
from .output_types import OUTPUT_TYPES

__all__ = ["ALIGNMENTS", "IMPLEMENTATIONS", "OUTPUT_TYPES", "RandomUniform"]
