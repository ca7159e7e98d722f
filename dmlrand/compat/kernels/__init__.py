"""Kernels that only imitated systems need: Threefry, the arithmetic of XLA, cuRAND's order, masks of attention."""

from functools import cache

from ...kernels import Kernel


def _of(module: str, name: str) -> Kernel:
    return Kernel(f"{__name__}.{module}", name)


@cache
def of_xla(name: str) -> Kernel:
    """A kernel of XLA's arithmetic, by its name in xla_kernels.py."""
    return _of("xla_kernels", name)


threefry_bits, threefry_pairs = _of("threefry_draws", "threefry_bits"), _of("threefry_draws", "threefry_pairs")
threefry_halves, threefry_fold = _of("threefry_draws", "threefry_halves"), _of("threefry_draws", "threefry_fold")
curand_blocks = _of("curand", "curand_blocks")
flash_mask = _of("attention", "flash_mask")
draw_blocks, box_muller = _of("draws", "draw_blocks"), _of("draws", "box_muller")
