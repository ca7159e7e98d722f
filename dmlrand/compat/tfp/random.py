"""The names of `tfp.random`. Its samplers rademacher, rayleigh and spherical_uniform are not imitated."""

from .samplers import sanitize_seed, split_seed

__all__ = ["sanitize_seed", "split_seed"]
