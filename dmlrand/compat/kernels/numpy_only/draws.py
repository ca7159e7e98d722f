"""The kernels of draws.py in numpy."""

from ....kernels import rules
from ....kernels.numpy_only.words import blocks_at


def draw_blocks(state, numbers, out):
    out[:] = blocks_at(state, numbers).reshape(-1)


def box_muller(u, angles, out):
    out[::2], out[1::2] = rules.pair_of_reals(u, angles)
