"""What this processor can do: a memset, and runs that compute the same numbers without storing them to memory.

Those runs use the vector code of the kernels: limit_kernels.py, which is compiled when the first of them is made.
"""

from functools import partial

import numpy as np
from measurement import LIMIT, Run

from dmlrand.drawing.number_rules import integers_rule
from dmlrand.operator import random_generator
from dmlrand.state import make_state

MEMSET = "memset"
ROUNDS = "rounds alone"
CONVERSION = "rounds and conversion alone"
PORTS = "as many vector instructions, independent"  # the bound of the processor's ports for the rounds

START = make_state(key=0x0123456789ABCDEF)
L1_WORDS = 3840  # 15 KiB: they stay in a core's L1 cache


def memset(out):
    """Zeros in the output, by the C library: NumPy calls it for elements of one byte, and is slower for larger ones."""
    return {MEMSET: Run(partial(out.view(np.uint8).fill, 0), LIMIT)}


def philox_rounds(words, name=ROUNDS, arguments=()):
    """The rounds for this number of words; with the arguments of a conversion, also the numbers that the words make."""
    import limit_kernels

    return {name: Run(partial(limit_kernels.philox_rounds, START, words, arguments), LIMIT)}


def ports(words):
    """As many vector instructions as the rounds for this number of words have, none of which waits for another."""
    import limit_kernels

    limit_kernels.philox_rounds(START, 0, ())  # compiles it: instructions_per_word reads its assembly
    count = round(limit_kernels.instructions_per_word() * words)
    return {PORTS: Run(partial(limit_kernels.vector_instructions, count), LIMIT)}


def threefry_rounds(words):
    """The rounds for this number of words of JAX's bits."""
    import limit_kernels

    return {ROUNDS: Run(partial(limit_kernels.threefry_rounds, START[4:], words), LIMIT)}


def uniforms(dtype, words):
    """The rounds for this number of words, and the uniform numbers of float32 or float64 that the words make."""
    kind = np.dtype(dtype).type
    return {} if dtype == "float16" else philox_rounds(words, CONVERSION, (kind(0), kind(1)))


def integers(words, low, high):
    """The rounds for this number of words, and the int32 of [low, high) that the words make."""
    return philox_rounds(words, CONVERSION, tuple(integers_rule(low, high, "int32").parameters))


def normals(dtype, words):
    """The rounds for this number of words, then the conversion of as many words in the L1 cache to normals."""
    import limit_kernels

    convert = {"float32": limit_kernels.normal_32, "float64": limit_kernels.normal_64}[dtype]
    kind, l1_words = np.dtype(dtype).type, random_generator(START, L1_WORDS).values

    def run():
        limit_kernels.philox_rounds(START, words, ())
        convert(l1_words, -(-words // L1_WORDS), kind(0), kind(1))

    return {CONVERSION: Run(run, LIMIT)}
