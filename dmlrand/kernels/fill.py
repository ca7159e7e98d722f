"""numba's side of rules.py: the rules compiled, and for each rule a fill, which draws words and makes numbers of them.

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
from .philox import advance, check_size, load
from .simd import prefer_wide_vectors
from .words import NON_TEMPORAL_MIN_ROW_WORDS, NON_TEMPORAL_MIN_WORDS, module

SCRATCH_WORDS = 3840  # words drawn at a time: a multiple of the words that the vector code has in flight
DIRECT = ("uniform_f32", "uniform_f64") if module is not philox else ()

FUNCTIONS = compile_functions(rules, rules.RULES)
inlined = njit(inline="always")

# Words of group i, numbers of group i, and parameters: as tuples, by their count.
READ = {
    1: inlined(lambda words, i: (words[i],)),
    2: inlined(lambda words, i: (words[2 * i], words[2 * i + 1])),
    4: inlined(lambda words, i: (words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3])),
}
UNPACK = {
    0: inlined(lambda parameters: ()),
    1: inlined(lambda parameters: (parameters[0],)),
    2: inlined(lambda parameters: (parameters[0], parameters[1])),
    3: inlined(lambda parameters: (parameters[0], parameters[1], parameters[2])),
}


@inlined
def write_one(out, i, number):
    out[i] = number


@inlined
def write_two(out, i, numbers):
    out[2 * i], out[2 * i + 1] = numbers


WRITE = {1: write_one, 2: write_two}


@cache
def conversion_loop(name):
    """The loop that makes numbers of given words: convert_words(words, out, arguments)."""
    rule, function = rules.RULES[name], FUNCTIONS[name]
    group, read, write = rule.numbers, READ[rule.words], WRITE[rule.numbers]

    @njit(error_model="numpy")
    @named_after(name)
    def convert_words(words, out, arguments):
        prefer_wide_vectors()
        for i in range(out.size // group):
            write(out, i, function(*(read(words, i) + arguments)))

    return convert_words


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


@inlined
def draw_no_rows(low, high, k0, k1, lane, total, region, start, out, arguments):
    return False


def direct_rows(name):
    """The function that fills the rows of an output without a scratch array. It returns whether it could."""
    group_words = rules.RULES[name].words
    if name == "word":

        @inlined
        def fill_row(low, high, k0, k1, offset, out, non_temporal, no_bounds):
            fill_words(low, high, k0, k1, offset, out, non_temporal)

    elif name in DIRECT:
        fill_row = module.fill_words
    else:
        return draw_no_rows

    @inlined
    def draw_rows(low, high, k0, k1, lane, total, region, start, out, arguments):
        length, done = region[-2], 0
        if region[-1] != 1 or lane % group_words:  # numbers apart, or numbers that lie in two elements of a vector
            return False
        non_temporal = total * group_words >= NON_TEMPORAL_MIN_WORDS
        non_temporal = non_temporal and length * group_words >= NON_TEMPORAL_MIN_ROW_WORDS
        while done < out.size:
            offset = lane + position_of(region, start + done) * group_words
            count = min(length - (start + done) % length, out.size - done)
            target = out[done : done + count].view(np.uint32)
            fill_row(low, high, k0, k1, offset, target, non_temporal, arguments)
            done += count
        return True

    return draw_rows


@cache
def fill_kernel(name):
    """The kernel fill(state, padding, lane, total, region, start, parameters, out): numbers of a region, by a rule.

    `region` holds its first number, then the size and the stride of each axis. `out` takes elements start, start + 1,
    ... of it, in row-major order. `lane` is the lane of the state's block that number 0 begins with. In the end the
    state is advanced in place past `total` numbers, by (words + padding) // 4 blocks.
    """
    rule, convert_words, draw_rows = rules.RULES[name], conversion_loop(name), direct_rows(name)
    group, group_words, unpack = rule.numbers, rule.words, UNPACK[rule.parameter_count]
    draw_next = drawer_of(group, group_words)

    @kernel
    @named_after(name)
    def fill(state, padding, lane, total, region, start, parameters, out):
        check_size(state)
        low, high, k0, k1 = load(state)
        arguments = unpack(parameters)
        if out.size and not draw_rows(low, high, k0, k1, lane, total, region, start, out, arguments):
            words = np.empty(min(SCRATCH_WORDS, (out.size + 1) * group_words), np.uint32)
            progress, first, end = np.empty(3, np.int64), start, start + out.size
            while first < end:
                progress[0] = first
                draw_next(low, high, k0, k1, lane, region, progress, end, words)
                stop, drawn, exactly = progress[0], progress[1], progress[2] != 0
                target = out[first - start : stop - start]
                if group == 1 or exactly:
                    convert_words(words[:drawn], target, arguments)
                else:
                    made = np.empty(drawn // group_words * group, out.dtype)
                    convert_words(words[:drawn], made, arguments)
                    choose_members(region, first, stop, group, made, target)
                first = stop
        advance(state, (lane + (total + group - 1) // group * group_words + padding) >> 2)

    return fill


@cache
def convert_kernel(name):
    """The kernel convert(words, parameters, out): numbers of given words, of complete groups."""
    convert_words, unpack = conversion_loop(name), UNPACK[rules.RULES[name].parameter_count]

    @kernel
    @named_after(name)
    def convert(words, parameters, out):
        convert_words(words, out, unpack(parameters))

    return convert
