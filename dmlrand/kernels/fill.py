"""numba's side of rules.py: the rules compiled, and for each rule fills, which draw words and make numbers of them.

A fill draws words to a scratch array, which stays in a core's L1 cache. A plain loop, which the compiler vectorises,
then calls the rule. (It would not vectorise a loop whose words and numbers share memory.) Words themselves need no
scratch array, nor do uniform float32 and float64 where the vector code of philox_simd.py makes them in registers.
"""

from functools import cache

import numpy as np
from numba import njit

from . import philox, rules
from .compiling import kernel, named_after
from .groups import drawer_of, fill_words, position_of
from .numba_dialect import compile_functions
from .philox import advance, load
from .simd import prefer_wide_vectors
from .words import NON_TEMPORAL_MIN_WORDS, module

SCRATCH_WORDS = 3840  # words drawn at a time: a multiple of the words that the vector code has in flight

FUNCTIONS = compile_functions(rules, rules.RULES)
inlined = njit(inline="always")

# So many elements of an array, from array[i] on, as a tuple.
TAKE = {
    0: inlined(lambda array, i: ()),
    1: inlined(lambda array, i: (array[i],)),
    2: inlined(lambda array, i: (array[i], array[i + 1])),
    3: inlined(lambda array, i: (array[i], array[i + 1], array[i + 2])),
    4: inlined(lambda array, i: (array[i], array[i + 1], array[i + 2], array[i + 3])),
}


@inlined
def write_one(out, i, number):
    out[i] = number


@inlined
def write_two(out, i, numbers):
    out[2 * i], out[2 * i + 1] = numbers


WRITE = {1: write_one, 2: write_two}


# Rules whose numbers fill_words makes in registers, of the memory of the output as words.
IN_REGISTERS = ("word",) if module is philox else ("word", "uniform_f32", "uniform_f64")


@cache
def convert_kernel(name):
    """The kernel convert(words, parameters, out): numbers of given words, of complete groups."""
    rule, function = rules.RULES[name], FUNCTIONS[name]
    group, group_words, write = rule.numbers, rule.words, WRITE[rule.numbers]
    take_words, take_parameters = TAKE[rule.words], TAKE[rule.parameter_count]

    @kernel
    @named_after(name)
    def convert(words, parameters, out):
        prefer_wide_vectors()
        arguments = take_parameters(parameters, 0)
        for i in range(out.size // group):
            write(out, i, function(*(take_words(words, group_words * i) + arguments)))

    return convert


@inlined
def consists_of_groups(region, start, end, group):
    """Whether elements start to end - 1 of a region are all numbers of some groups, one group after the other."""
    rest = start % group + end % group + region[0] % group + region[-2] % group
    for i in range(2, region.size - 2, 2):  # the strides of rows
        rest += region[i] % group
    return group == 1 or region[-1] == 1 and rest == 0


@inlined
def choose_members(region, first, end, group, made, out):
    """Copy elements first to end - 1 of a region from `made`, which holds all numbers of the groups drawn."""
    length, step, source, done = region[-2], region[-1], 0, 0  # made[source] is the first number of the next group
    while first < end:
        position = position_of(region, first)
        count, lead = min(length - first % length, end - first), position % group
        target = out[done : done + count]
        groups = (lead + count + group - 1) // group if step == 1 else count
        numbers = made[source : source + groups * group]
        for j in range(count):  # indexes that cannot be negative let the compiler vectorise these loops
            if step == 1:
                target[j] = numbers[lead + j]
            else:
                target[j] = numbers[j * group + (position + j * step) % group]
        first, done, source = first + count, done + count, source + numbers.size


@cache
def fill_kernel(name):
    """The kernel fill(state, padding, lane, total, first, parameters, out): numbers first, first + 1, ..., by a rule.

    `lane` is the lane of the state's block that number 0 begins with. `total` is the size of the whole output, of which
    `out` may be a piece. In the end the state is advanced in place past `total` numbers, by (words + padding) // 4
    blocks.
    """
    rule, in_registers, convert = rules.RULES[name], name in IN_REGISTERS, convert_kernel(name)
    group, group_words, take_parameters = rule.numbers, rule.words, TAKE[rule.parameter_count]

    @kernel
    @named_after(name)
    def fill(state, padding, lane, total, first, parameters, out):
        if state.size != 6:  # numba itself refuses other types and ranks
            raise TypeError("the kernel takes a state of 6 words")
        low, high, k0, k1 = load(state)
        if in_registers and lane % group_words == 0:  # numba compiles no branch that a constant rules out
            non_temporal = total * group_words >= NON_TEMPORAL_MIN_WORDS
            offset = lane + first * group_words
            fill_words(low, high, k0, k1, offset, out.view(np.uint32), non_temporal, take_parameters(parameters, 0))
        elif group_words > 1 or not in_registers:
            words = np.empty(min(SCRATCH_WORDS, (out.size // group + 2) * group_words), np.uint32)
            done = 0
            while done < out.size:
                group_index, lead = divmod(first + done, group)  # lead: how many numbers of the group come before
                groups = min(words.size // group_words, (lead + out.size - done + group - 1) // group)
                count = min(groups * group - lead, out.size - done)
                drawn, target = words[: groups * group_words], out[done : done + count]
                fill_words(low, high, k0, k1, lane + group_index * group_words, drawn)
                if groups * group == count:
                    convert(drawn, parameters, target)
                else:
                    made = np.empty(groups * group, out.dtype)
                    convert(drawn, parameters, made)
                    for i in range(count):
                        target[i] = made[lead + i]
                done += count
        advance(state, (lane + (total + group - 1) // group * group_words + padding) >> 2)

    return fill


@inlined
def fill_rows(low, high, k0, k1, lane, region, first, group_words, bounds, out):
    """Fill `out` with elements first, first + 1, ... of a region of rows, in registers."""
    done = 0
    while done < out.size:
        offset = lane + position_of(region, first + done) * group_words
        count = min(region[-2] - (first + done) % region[-2], out.size - done)
        fill_words(low, high, k0, k1, offset, out[done : done + count].view(np.uint32), False, bounds)
        done += count


@cache
def fill_region_kernel(name):
    """The kernel fill_region(state, lane, region, start, parameters, out): numbers of a region, by a rule.

    `region` holds its first number, then the size and the stride of each axis. `out` takes elements start, start + 1,
    ... of it, in row-major order. A kernel of its own, because it takes longer to compile than the fill of consecutive
    numbers, which most processes use alone.
    """
    rule, in_registers = rules.RULES[name], name in IN_REGISTERS
    group, group_words, take_parameters = rule.numbers, rule.words, TAKE[rule.parameter_count]
    draw_groups, convert = drawer_of(group, group_words), convert_kernel(name)

    @kernel
    @named_after(name)
    def fill_region(state, lane, region, start, parameters, out):
        low, high, k0, k1 = load(state)
        if in_registers and region[-1] == 1 and lane % group_words == 0:  # a tenth faster
            fill_rows(low, high, k0, k1, lane, region, start, group_words, take_parameters(parameters, 0), out)
            return
        first, end = start, start + out.size
        room = min(SCRATCH_WORDS // group_words, out.size)  # groups
        words, made = np.empty(room * group_words, np.uint32), np.empty(room * group, out.dtype)
        complete = consists_of_groups(region, start, end, group)
        while first < end:
            stop = draw_groups(
                low, high, k0, k1, lane, region.ctypes, region.size, first, end, words.ctypes, words.size
            )
            target = out[first - start : stop - start]
            if complete:
                convert(words[: target.size // group * group_words], parameters, target)
            else:
                convert(words, parameters, made)
                choose_members(region, first, stop, group, made, target)
            first = stop

    return fill_region
