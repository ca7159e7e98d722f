"""What NumPy's distributions call for bits: four C functions over a buffer of words.

NumPy's bitgen_t holds pointers to functions that take one pointer, here to memory of `bitgen_layout`. They must cost
next to nothing, so they only take words from a buffer; the vector code fills it when it is empty. They reach that
code through a pointer of its own: compiled into each of them it would weigh on every call, not on every 768th.

The logical position is the word that comes next. It is worked out from `state` and `next`, and says nothing of what
lies in the buffer.
"""

import numpy as np
from llvmlite import ir
from numba import carray, float64, njit, types, uint32, uint64
from numba.extending import intrinsic

from .compiling import callback
from .philox import HALF, add_blocks, load
from .words import fill_row

BUFFER = 768  # words: a multiple of what the vector code makes at once

bitgen_layout = np.dtype(
    {
        "names": ["state", "next", "refill", "words"],
        "formats": [(np.uint32, 6), np.uint32, np.uint64, (np.uint32, BUFFER)],
        # The counter and key of the block behind the buffer; the word to take next; the address of `refill`.
        "offsets": [0, 24, 32, 64],  # bytes
        "itemsize": 64 + 4 * BUFFER,
    }
)

# Places in uint32.
NEXT = np.uint64(6)
REFILL = 8
WORDS = np.uint64(16)
END = 16 + BUFFER

MEMORY = types.CPointer(types.uint32)
SIZE, ONE, TWO = np.uint32(BUFFER), np.uint32(1), np.uint32(2)
BLOCKS = np.uint64(BUFFER // 4)
TOP27, LOW32 = np.uint64(37), np.uint64(0xFFFFFFFF)
BITS26, LOST6 = np.uint64(26), np.uint64(6)
STEP53 = 2.0**-53


@callback(types.void(MEMORY))
def refill(memory):
    """The buffer's next fill. `next` is at BUFFER, or up to 3 behind where a lane was set, and goes back by BUFFER."""
    whole = carray(memory, END, np.uint32)
    low, high, k0, k1 = load(whole)
    fill_row(low, high, k0, k1, 0, whole[16:])
    low, high = add_blocks(low, high, BLOCKS)
    whole[0], whole[1] = uint32(low), uint32(low >> HALF)
    whole[2], whole[3] = uint32(high), uint32(high >> HALF)
    whole[6] = uint32(whole[6] - SIZE)


@intrinsic
def call_refill(typingctx, memory):
    """Call the function whose address lies in memory."""

    def codegen(context, builder, signature, args):
        function = ir.FunctionType(ir.VoidType(), [args[0].type]).as_pointer()
        place = builder.gep(args[0], [ir.Constant(ir.IntType(64), REFILL)])
        builder.call(builder.load(builder.bitcast(place, function.as_pointer())), [args[0]])
        return context.get_dummy_value()

    return types.void(memory), codegen


@njit(inline="always")
def take(memory):
    """The next word."""
    if memory[NEXT] >= SIZE:
        call_refill(memory)
    position = memory[NEXT]
    memory[NEXT] = uint32(position + ONE)
    return memory[uint64(position) + WORDS]


@njit(inline="always")
def take_pair(memory):
    """The next two words, the first one in the upper half: as randomgen's Philox(number=4, width=32) joins them."""
    position = memory[NEXT]
    if uint32(position + ONE) < SIZE:
        memory[NEXT] = uint32(position + TWO)
        place = uint64(position) + WORDS
        return uint64(uint64(memory[place]) << HALF | uint64(memory[place + uint64(1)]))
    first = take(memory)
    return uint64(uint64(first) << HALF | uint64(take(memory)))


@callback(types.uint64(MEMORY))
def next_word(memory):
    """NumPy's next_raw, and its next_uint32 too: that reads the lower half of the register.

    Its own callback, of uint32, would be half as fast: numba returns by way of the stack, where four bytes are read
    back as part of eight.
    """
    return uint64(take(memory))


@callback(types.uint64(MEMORY))
def next_uint64(memory):
    return take_pair(memory)


@callback(types.float64(MEMORY))
def next_double(memory):
    """The upper 27 bits of a word and the upper 26 of the next, over 2**53: as randomgen does with words of 32 bits."""
    pair = take_pair(memory)
    return float64(uint64(pair >> TOP27 << BITS26 | uint64(pair & LOW32) >> LOST6)) * STEP53


# In the order of NumPy's bitgen_t, and the one that the buffer needs.
bitgen_callbacks = (next_uint64.address, next_word.address, next_double.address, next_word.address)
bitgen_refill = refill.address
