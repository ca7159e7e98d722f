"""numba's side of rules.py: the rules compiled, and for each rule a fill. It draws words, makes numbers of them and
writes these to its output.

A fill draws words to a scratch array, which stays in a core's L1 cache. A plain loop, which the compiler vectorises,
then calls the rule. (It would not vectorise a loop whose words and numbers share memory.) Where the vector code of
philox_simd.py runs, words themselves and uniform float32 and float64 need no scratch array: it makes them in registers.
"""

from functools import cache

import numpy as np
from numba import njit, uint64

from . import philox, rules
from .compiling import kernel, named_after
from .numba_dialect import compile_functions
from .philox import add_blocks, advance, block_at, load
from .words import NON_TEMPORAL_MIN_ROW_WORDS, NON_TEMPORAL_MIN_WORDS, fill_words

SCRATCH_WORDS = 3840  # words drawn at a time: a multiple of the words that the vector code has in flight
SHORT_ROW = 128  # numbers
DIRECT = ("word", "uniform_f32", "uniform_f64") if fill_words is not philox.fill_words else ()

FUNCTIONS = compile_functions(rules, rules.RULES)
pair_of_reals = FUNCTIONS["pair_of_reals"]


# Words of group i, numbers of group i, and parameters: as tuples, by their count.
inlined = njit(inline="always")
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


@njit(inline="always")
def write_one(out, i, number):
    out[i] = number


@njit(inline="always")
def write_two(out, i, numbers):
    out[2 * i], out[2 * i + 1] = numbers


WRITE = {1: write_one, 2: write_two}


@cache
def maker(name):
    """The loop that makes numbers of given words: make(words, out, arguments)."""
    rule, function = rules.RULES[name], FUNCTIONS[name]
    group, read, write = rule.numbers, READ[rule.words], WRITE[rule.numbers]

    @njit(error_model="numpy")
    @named_after(name)
    def make(words, out, arguments):
        for i in range(out.size // group):
            write(out, i, function(*(read(words, i) + arguments)))

    return make


@njit
def draw_apart(low, high, k0, k1, lane, position, step, group, group_words, words):
    """The groups of the numbers position, position + step, ...: one block for each, of which the group is a part."""
    for i in range(words.size // group_words):
        offset = lane + (position + i * step) // group * group_words
        block_low, block_high = add_blocks(low, high, uint64(offset >> 2))
        w0, w1, w2, w3 = block_at(block_low, block_high, k0, k1)
        first, second = (w0, w1) if offset & 3 < 2 else (w2, w3)
        if group_words == 1:
            words[i] = second if offset & 1 else first
        elif group_words == 2:
            words[2 * i], words[2 * i + 1] = first, second
        else:
            words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3] = w0, w1, w2, w3


@njit
def draw_groups(low, high, k0, k1, lane, position, step, group, group_words, words):
    """The groups of the numbers position, position + step, ..., which may lie in two blocks each."""
    if lane % group_words == 0:
        draw_apart(low, high, k0, k1, lane, position, step, group, group_words, words)
        return
    for i in range(words.size // group_words):
        offset = lane + (position + i * step) // group * group_words
        fill_words(low, high, k0, k1, offset, words[group_words * i : group_words * (i + 1)])


@njit(inline="always")
def rows_of(region):
    """How many rows a region has: see `filler`."""
    rows = 1
    for axis in range(2, region.size, 2):
        rows *= region[axis]
    return rows


@njit(inline="always")
def start_of(region, row):
    """The number that a row of a region begins with."""
    position = region[0]
    for axis in range(region.size - 2, 1, -2):
        position += row % region[axis] * region[axis + 1]
        row //= region[axis]
    return position


@cache
def consecutive_filler(name):
    """The function that fills a long row with the numbers position, position + 1, ..., made of words in a scratch."""
    rule, make = rules.RULES[name], maker(name)
    group, group_words = rule.numbers, rule.words

    @njit
    @named_after(name)
    def fill_consecutive(low, high, k0, k1, lane, position, out, words, arguments):
        lead = position % group  # numbers of the first group before the row
        first = lane + position // group * group_words
        groups, step = (lead + out.size + group - 1) // group, words.size // group_words
        for start in range(0, groups, step):
            drawn = words[: min(step, groups - start) * group_words]
            fill_words(low, high, k0, k1, first + start * group_words, drawn)
            begin = start * group - lead
            end = begin + drawn.size // group_words * group
            inside = begin >= 0 and end <= out.size
            numbers = out[begin:end] if inside else np.empty(end - begin, out.dtype)
            make(drawn, numbers, arguments)
            if not inside:
                for i in range(max(begin, 0), min(end, out.size)):
                    out[i] = numbers[i - begin]

    return fill_consecutive


@cache
def apart_filler(name):
    """As consecutive_filler, for the numbers position, position + step, ...."""
    rule, make = rules.RULES[name], maker(name)
    group, group_words = rule.numbers, rule.words

    @njit
    @named_after(name)
    def fill_apart(low, high, k0, k1, lane, position, step, out, words, arguments):
        made = np.empty(words.size // group_words * group, out.dtype)
        for start in range(0, out.size, made.size // group):
            numbers = out[start : start + made.size // group]
            drawn, first = words[: numbers.size * group_words], position + start * step
            draw_groups(low, high, k0, k1, lane, first, step, group, group_words, drawn)
            make(drawn, made[: numbers.size * group], arguments)
            for i in range(numbers.size):
                numbers[i] = made[i * group + (first + i * step) % group]

    return fill_apart


@cache
def short_rows_filler(name):
    """The function that fills rows of at most SHORT_ROW numbers. It makes the numbers of many rows at a time."""
    rule, make = rules.RULES[name], maker(name)
    group, group_words = rule.numbers, rule.words

    @njit
    @named_after(name)
    def fill_short_rows(low, high, k0, k1, lane, region, out, words, arguments):
        rows, step = rows_of(region), region[1]
        length = out.size // rows
        complete = group == 1 or (step == 1 and has_complete_groups(region, length, group))
        groups = length if step != 1 else length // group + (0 if complete else 1)
        per_pass = min(rows, words.size // (groups * group_words))
        made = np.empty(0 if complete else per_pass * groups * group, out.dtype)
        for first in range(0, rows, per_pass):
            count = min(per_pass, rows - first)
            drawn = words[: count * groups * group_words]
            for i in range(count):
                target = drawn[i * groups * group_words : (i + 1) * groups * group_words]
                position = start_of(region, first + i)
                if step == 1:
                    fill_words(low, high, k0, k1, lane + position // group * group_words, target)
                else:
                    draw_groups(low, high, k0, k1, lane, position, step, group, group_words, target)
            numbers = out[first * length : (first + count) * length]
            if complete:
                make(drawn, numbers, arguments)
            else:
                make(drawn, made[: count * groups * group], arguments)
                choose_members(region, first, count, groups, group, made, numbers)

    return fill_short_rows


@njit
def choose_members(region, first, count, groups, group, made, out):
    """Copy to `out` the numbers of `count` rows, from row `first` on. Each row has made `groups` groups."""
    step, length = region[1], out.size // count
    for i in range(count):
        position = start_of(region, first + i)
        for j in range(length):
            place = position % group + j if step == 1 else j * group + (position + j * step) % group
            out[i * length + j] = made[i * groups * group + place]


@njit(inline="always")
def has_complete_groups(region, length, group):
    """Whether each row of a region, of step 1, begins and ends with a complete group."""
    complete = length % group == 0 and region[0] % group == 0
    for axis in range(3, region.size, 2):
        complete = complete and region[axis] % group == 0
    return complete


@njit
def draw_no_rows(low, high, k0, k1, lane, total, region, out, arguments):
    return False


def row_drawer(name, contiguous):
    """The function that fills the rows of an output by vector code alone. It returns whether it could."""
    group_words = rules.RULES[name].words
    if not contiguous or name not in DIRECT:
        return draw_no_rows

    @njit
    @named_after(name)
    def draw_rows(low, high, k0, k1, lane, total, region, out, arguments):
        if region[1] != 1 or lane % group_words:  # else a number lies in two elements of a vector
            return False
        length = out.size // rows_of(region)
        bypass = total * group_words >= NON_TEMPORAL_MIN_WORDS and length * group_words >= NON_TEMPORAL_MIN_ROW_WORDS
        for row in range(rows_of(region)):
            target = out[row * length : (row + 1) * length].view(np.uint32)
            fill_words(low, high, k0, k1, lane + start_of(region, row) * group_words, target, bypass, arguments)
        return True

    return draw_rows


@cache
def filler(name, contiguous=True):
    """The kernel fill(state, padding, lane, total, region, parameters, out): numbers of a region, by a rule.

    `region` holds the first number and the distance between two numbers of a row, then the size and the stride of each
    axis above the rows. `lane` is the lane of the state's block that number 0 begins with. `out` is a piece of an
    output of `total` numbers. In the end the state is advanced in place past the blocks of `total` numbers: of a block
    of which words are unread, if `padding` is 3, and not if it is 0.
    """
    rule, draw_rows = rules.RULES[name], row_drawer(name, contiguous)
    fill_consecutive, fill_apart, fill_short_rows = (
        consecutive_filler(name),
        apart_filler(name),
        short_rows_filler(name),
    )
    group, group_words, unpack = rule.numbers, rule.words, UNPACK[rule.parameter_count]

    @kernel
    @named_after(name if contiguous else f"{name}_strided")
    def fill(state, padding, lane, total, region, parameters, out):
        low, high, k0, k1 = load(state)
        arguments = unpack(parameters)
        if out.size and not draw_rows(low, high, k0, k1, lane, total, region, out, arguments):
            rows, step = rows_of(region), region[1]
            length = out.size // rows
            words = np.empty(min(SCRATCH_WORDS, (length + 2) * group_words * rows), np.uint32)
            if length <= SHORT_ROW:
                fill_short_rows(low, high, k0, k1, lane, region, out, words, arguments)
            else:
                for row in range(rows):
                    position, target = start_of(region, row), out[row * length : (row + 1) * length]
                    if step == 1:
                        fill_consecutive(low, high, k0, k1, lane, position, target, words, arguments)
                    else:
                        fill_apart(low, high, k0, k1, lane, position, step, target, words, arguments)
        advance(state, (lane + (total + group - 1) // group * group_words + padding) >> 2)

    return fill


@cache
def of_words(name):
    """The kernel of_words(words, parameters, out): numbers of given words, of complete groups."""
    make, unpack = maker(name), UNPACK[rules.RULES[name].parameter_count]

    @kernel
    @named_after(name)
    def of_words(words, parameters, out):
        make(words, out, unpack(parameters))

    return of_words


@kernel
def box_muller(u, angles, out):
    """The two float64 normals of each u in (0, 1] and each angle in [0, 2 * pi]: the sine's, then the cosine's."""
    for i in range(u.size):
        out[2 * i], out[2 * i + 1] = pair_of_reals(u[i], angles[i])
