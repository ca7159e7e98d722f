"""The words of the numbers of a region, drawn to a scratch array: a C function for each size of groups.

A group is the words that a rule reads at a time, or the numbers that it makes of them.
"""

from functools import cache

from numba import carray, int64, njit, types, uint32, uint64

from .compiling import call_by_symbol, callback, named_after
from .philox import add_blocks, block_at, word_at
from .words import module

fill_words = module.fill_words  # inlined: in short rows a call would take longer than the words
INTS, WORDS = types.CPointer(int64), types.CPointer(uint32)


@njit(forceinline=True)
def position_of(region, index):
    """The index, in the stream of numbers, of element `index` of a region: see `fill_region_kernel`."""
    position = region[0]
    for axis in range(region.size - 2, 1, -2):  # all but the first axis, which needs no division
        position += index % region[axis] * region[axis + 1]
        index //= region[axis]
    return position + index * region[2]


@njit
def draw_apart(low, high, k0, k1, lane, position, step, group, group_words, words):
    """Draw the groups of the numbers position, position + step, ... to `words`.

    numba does not inline it. Otherwise LLVM would load the constants of this loop before each row, even if no row needs
    them, and windows with rows of 64 normals would take a third longer.
    """
    in_one_block = lane % group_words == 0
    for i in range(words.size // group_words):
        offset = lane + (position + i * step) // group * group_words
        if not in_one_block:
            for j in range(group_words):
                words[i * group_words + j] = word_at(low, high, k0, k1, offset + j)
            continue
        block_low, block_high = add_blocks(low, high, uint64(offset >> 2))
        made = block_at(block_low, block_high, k0, k1)
        if group_words > 1:
            for j in range(group_words):
                words[i * group_words + j] = made[(offset & 3) + j]
        else:  # an index into the block would keep the compiler from vectorising
            first, second = (made[0], made[1]) if offset & 3 < 2 else (made[2], made[3])
            words[i] = second if offset & 1 else first


@cache
def drawer_of(group, group_words):
    """The function that draws the words of groups of so many numbers and words. Compiled once for all of their rules.

    The sizes are constants of its code, because divisions by them would take most of its time.
    """

    @callback(int64(uint64, uint64, uint32, uint32, int64, INTS, int64, int64, int64, WORDS, int64))
    @named_after(f"{group}_{group_words}")
    def draw_groups(low, high, k0, k1, lane, region, entries, first, end, words, size):
        """Draw the groups of elements first, first + 1, ... of a region, before element `end`, as `words` has room.

        Returns the element after the last one that is drawn.
        """
        region, words = carray(region, entries), carray(words, size)
        length, step, drawn = region[-2], region[-1], 0
        while first < end and drawn < size:
            position, free = position_of(region, first), (size - drawn) // group_words
            count = min(length - first % length, end - first)
            lead = position % group  # how many numbers of the first group are before this one
            if step == 1:
                count = min(count, free * group - lead)
                target = words[drawn : drawn + (lead + count + group - 1) // group * group_words]
                fill_words(low, high, k0, k1, lane + position // group * group_words, target)
            else:
                count = min(count, free)
                target = words[drawn : drawn + count * group_words]
                draw_apart(low, high, k0, k1, lane, position, step, group, group_words, target)
            first, drawn = first + count, drawn + target.size
        return first

    return call_by_symbol(f"dmlrand_draw_groups_{group}_{group_words}", draw_groups)
