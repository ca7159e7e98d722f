"""The names of `tfp.random`."""

from typing import TYPE_CHECKING

from ...imports import lazy_attributes
from .samplers import rademacher, sanitize_seed, split_seed

__all__ = ["rademacher", "sanitize_seed", "split_seed"]

_REASON = "Its bits depend on the C library and on Eigen's vector code, so it is not imitated: specs/tfp.md, clause 21."
if not TYPE_CHECKING:  # hidden from type checkers, which would take every misspelt name for a lazy one
    _absent = dict.fromkeys(("rayleigh", "spherical_uniform"), _REASON)
    __getattr__, __dir__ = lazy_attributes(__name__, {}, _absent)
