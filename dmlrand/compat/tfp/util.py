"""The name of `tfp.util` that is imitated."""

from .samplers import SeedStream

__all__ = ["SeedStream"]
