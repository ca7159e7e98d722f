"""The kernel of cuRAND: blocks in its order. specs/curand.md has the rule. Its numbers are rules of rules.py."""

from ...kernels.compiling import kernel
from ...kernels.philox import load
from ...kernels.words import module

fill_subsequences = module.fill_subsequences  # vector code, or a plain loop where that of words does not work


@kernel
def curand_blocks(state, out):
    """Complete blocks: at the state's counter, then each one 2**64 further. Word 2 must not wrap."""
    low, high, k0, k1 = load(state)
    fill_subsequences(low, high, k0, k1, out)
