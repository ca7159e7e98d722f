"""cuRAND's host API with the generator CURAND_RNG_PSEUDO_PHILOX4_32_10, without cuRAND and without a GPU.

Words and uniform numbers are cuRAND's, bit for bit. Normals and log-normals are within a few ulp of cuRAND's.
specs/curand.md has the rules, the distances and the traps.
"""

from .generator import Generator

__all__ = ["Generator"]
