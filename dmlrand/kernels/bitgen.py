"""The four C functions that NumPy's distributions call for random bits. They take words from a buffer.

NumPy's bitgen_t holds pointers to functions that take one pointer, here to memory of `layout`. NumPy calls them
for each number, so they only take words from the buffer. When it is empty, they call `refill`, which runs the vector
code. They call it through a pointer: if it were compiled into each function, every call would be slower, not only
every 768th.

The logical position is that of the next word. It follows from `state` and `next`, and does not depend on the words in
the buffer.
"""

import numpy as np
from llvmlite import ir
from numba import carray, float64, njit, types, uint32, uint64

from .compiling import callback
from .philox import LOW_HALF, WORD_BITS, advance, load
from .simd import I64, emits
from .words import fill_words

BUFFER_WORDS = 768  # a multiple of the words that the vector code has in flight

# The counter and key of the first block after the buffer, the index of the next word, the address of `refill`, words.
OFFSETS = 0, 24, 32, 64  # bytes
layout = np.dtype(
    {
        "names": ["state", "next", "refill", "words"],
        "formats": [(np.uint32, 6), np.uint32, np.uint64, (np.uint32, BUFFER_WORDS)],
        "offsets": OFFSETS,
        "itemsize": OFFSETS[-1] + 4 * BUFFER_WORDS,
    }
)
NEXT, REFILL, WORDS = (np.uint64(offset // 4) for offset in OFFSETS[1:])  # places, counted in uint32

MEMORY = types.CPointer(types.uint32)
BUFFER_SIZE, ONE, TWO = np.uint32(BUFFER_WORDS), np.uint32(1), np.uint32(2)
TOP27, BITS26, LOST6 = np.uint64(37), np.uint64(26), np.uint64(6)
STEP53 = 2.0**-53


@callback(types.void(MEMORY))
def refill(memory):
    """Fill the buffer with the next words.

    `next` is BUFFER_WORDS, or up to 3 more where a lane was set. It becomes smaller by BUFFER_WORDS.
    """
    fields = carray(memory, WORDS + BUFFER_WORDS, np.uint32)
    low, high, k0, k1 = load(fields)
    fill_words(low, high, k0, k1, 0, fields[WORDS:].ctypes, BUFFER_WORDS, False)
    advance(fields, BUFFER_WORDS // 4)
    memory[NEXT] = uint32(memory[NEXT] - BUFFER_SIZE)


@emits(types.void)
def call_refill(context, builder, given, memory):
    """Call the function whose address the memory holds."""
    function = ir.FunctionType(ir.VoidType(), [memory.type]).as_pointer()
    place = builder.gep(memory, [ir.Constant(I64, int(REFILL))])
    builder.call(builder.load(builder.bitcast(place, function.as_pointer())), [memory])


@njit(inline="always")
def take(memory):
    """The next word."""
    if memory[NEXT] >= BUFFER_SIZE:
        call_refill(memory)
    position = memory[NEXT]
    memory[NEXT] = uint32(position + ONE)
    return memory[uint64(position) + WORDS]


@njit(inline="always")
def take_pair(memory):
    """The next two words, the first one in the upper half, as in randomgen's Philox(number=4, width=32)."""
    position = memory[NEXT]
    if uint32(position + ONE) < BUFFER_SIZE:
        memory[NEXT] = uint32(position + TWO)
        place = uint64(position) + WORDS
        return uint64(uint64(memory[place]) << WORD_BITS | uint64(memory[place + uint64(1)]))
    first = take(memory)
    return uint64(uint64(first) << WORD_BITS | uint64(take(memory)))


@callback(types.uint64(MEMORY))
def next_word(memory):
    """NumPy's next_raw, and also its next_uint32, which reads the lower half of the register.

    A callback that returns uint32 would be half as fast: numba returns a result through the stack, where it would write
    four bytes and read eight.
    """
    return uint64(take(memory))


@callback(types.uint64(MEMORY))
def next_uint64(memory):
    return take_pair(memory)


@callback(types.float64(MEMORY))
def next_double(memory):
    """The upper 27 bits of a word and the upper 26 of the next, divided by 2**53, as in randomgen with 32-bit words."""
    pair = take_pair(memory)
    return float64(uint64(pair >> TOP27 << BITS26 | uint64(pair & LOW_HALF) >> LOST6)) * STEP53


# The addresses in the order of NumPy's bitgen_t.
callbacks = (next_uint64.address, next_word.address, next_double.address, next_word.address)
