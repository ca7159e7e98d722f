"""The fills of fill.py as a whole: each number of each output is made once, of the words that belong to it.

For all sizes, positions, steps, counts of rows and scratch arrays. What a function calls is replaced by its claim,
which another proof has: `fill_words` and `draw_apart` draw the words of the groups that they are asked for, `make`
makes number m of group g of its words at g * group + m of its output. Each loop runs once, with any index of its range.
"""

from functools import partial
from types import SimpleNamespace

import pytest
from symbolic import (
    Factor,
    Fault,
    Int64,
    Part,
    Truth,
    any_index,
    assume,
    before_loop,
    claim,
    code_of,
    loop_of,
    paths,
    prove,
    prove_here,
    ranges,
    smaller,
    to_int64,
    to_uint64,
    z3,
)  # fmt: skip

pytest.importorskip("numba")

from dmlrand.kernels import fill

LANE, POSITION, SIZE, WORDS, ROWS, LENGTH = z3.Ints("lane position size words rows length")
KINDS = {(1, 1): "uniform_f32", (1, 2): "uniform_f64", (2, 2): "normal_f32", (2, 4): "normal_f64"}
LIMIT = 1 << 60  # of positions
NAMES = dict(uint64=to_uint64, int64=to_int64, min=smaller, range=any_index)
BOUNDS = [
    0 <= LANE, LANE < 4, 0 <= POSITION, POSITION < LIMIT, 1 <= SIZE, SIZE < 1 << 58, 1 <= WORDS, WORDS <= 1 << 20,
    1 <= ROWS, 1 <= LENGTH, ROWS * LENGTH < 1 << 58, ROWS < 1 << 58,
]  # fmt: skip
start_of_row = z3.Function("start_of_row", z3.IntSort(), z3.IntSort())  # the number that a row begins with


class Array(Part):
    """An array that numpy's slices clip. Its elements can be read, as pairs of the array and the index."""

    dtype = None

    def __getitem__(self, part):
        if not isinstance(part, slice):
            return self, self.start + part
        stop = None if part.stop is None else smaller(part.stop, self.size)
        return super().__getitem__(slice(part.start, stop))


# The same without products, which the solver takes longer for. before_row(n) is n * LENGTH.
TOTAL = z3.Int("total")
before_row = z3.Function("before_row", z3.IntSort(), z3.IntSort())
ROW_BOUNDS = [0 <= LANE, LANE < 4, 1 <= ROWS, ROWS <= TOTAL, 1 <= LENGTH, LENGTH <= TOTAL, TOTAL < 1 << 58]


class Length(Int64):
    def __mul__(self, other):
        n = Int64(0).like(other).value
        facts = z3.And(0 <= before_row(n), before_row(n) <= TOTAL, before_row(n + 1) == before_row(n) + LENGTH)
        assume(z3.Implies(z3.And(0 <= n, n <= ROWS), facts))
        return Int64(before_row(n))

    __rmul__ = __mul__


class Rows(Int64):
    def __rmul__(self, other):
        product = z3.Int("product_with_rows")  # of a number up to 4 * (LENGTH + 2)
        assume(z3.And(other.value <= product, product < 1 << 62))
        return Int64(product)


class RowsOfLength(Int64):
    def __floordiv__(self, other):
        return Length(LENGTH)


def empty(size, kind):
    return Array(0, size)


@claim(
    Fault("convert_words", "out.size // group", "out.size"),
    Fault("write_two", "out[2 * i + 1]", "out[i + 1]"),
    kinds=KINDS,
)
def test_make(fault, group, group_words):
    """Number m of group g is at g * group + m. It is made of the words g * group_words and on."""
    calls = []

    def function(*words):
        calls.append(words)
        return tuple(range(group)) if group > 1 else 0

    write = code_of(fill.WRITE[group], fault)
    read = fill.READ[group_words].py_func
    code = code_of(
        fill.conversion_loop(KINDS[group, group_words]),
        fault,
        read=read,
        write=write,
        function=function,
        range=any_index,
    )

    def run():
        calls.clear()
        out = Array(0, Int64(SIZE) * group)
        code(Array(0, Int64(SIZE) * group_words), out, ())
        return calls[0], out.stores

    for conditions, (words, stores) in paths(run, *BOUNDS):
        ((start, stop, step),) = ranges()
        prove(z3.And(start == 0, stop == SIZE, step == 1), *conditions)
        g = z3.Int("index_0")
        assert len(words) == group_words and [value for _, value in stores] == list(range(group))
        for j, (_, index) in enumerate(words):
            prove(index.value == g * group_words + j, *conditions)
        for m, (index, _) in enumerate(stores):
            prove(index.value == g * group + m, *conditions)


@pytest.mark.proof
def test_passes_cover_a_range():
    """range(0, n, step) with min(step, n - start) numbers from each start on: each number below n comes once.

    The number q * step + r, with r < step, is in the pass from q * step on, and in no other one.
    """
    n, step, q, r, other = z3.Ints("n step q r other")
    bounds = [0 < n, 0 < step, 0 <= q, 0 <= r, r < step, q * step + r < n]
    prove(z3.And(q * step < n, r < z3.If(n - q * step < step, n - q * step, step)), *bounds)
    # If pass `other` held it too, (other - q) * step would be in (-step, step). A multiple of step in there is 0.
    k = z3.Int("k")
    prove(k * step >= step, k >= 1, 0 < step)
    prove(-step < (other - q) * step, *bounds, other * step <= q * step + r, q * step + r < other * step + step)
    prove((other - q) * step < step, *bounds, other * step <= q * step + r, q * step + r < other * step + step)


def rows_names(is_apart):
    """What the rows of a region are: of one step, with starts that are any numbers."""

    def start_of(region, row):
        start = start_of_row(Int64(0).like(row).value)
        assume(z3.And(0 <= start, start < LIMIT))
        return Int64(start)

    class Step(Factor):
        def __eq__(self, other):
            assert other == 1
            return not is_apart

        def __ne__(self, other):
            return not self == other

        def __mul__(self, other):
            return super().__mul__(other) if is_apart else Int64(0).like(other)

        __rmul__ = __mul__

    return NAMES | dict(start_of=start_of, np=SimpleNamespace(empty=empty, uint32=None)), {1: Step(LIMIT)}


ROW_KINDS = [(*kind, is_apart) for kind in KINDS for is_apart in (False, True)]


# The loops of draw_next and choose_members go from one row to the next. One iteration of each stands for all: it begins
# with number START of the output, which is number INDEX of row ROW.
ROW, INDEX, START, DRAWN, FREE, STOP, SOURCE, MADE = z3.Ints("row index start drawn free stop source made")
IN_ROW = [0 <= ROW, ROW <= START, 0 <= INDEX, INDEX < LENGTH, 0 <= START, LENGTH - INDEX <= SIZE - START]


@claim(
    Fault("draw_next", "position // group * group_words, target", "position * group_words, target"),
    Fault("draw_next", "start_of(region, row) + index * step", "start_of(region, row)"),
    Fault("draw_next", "(lead + count + group - 1)", "(count + group - 1)"),
    Fault("draw_next", "free * group - lead", "free * group"),
    Fault("draw_next", "groups * group == count", "count % group == 0"),
    Fault("draw_next", "exactly and group == 1", "exactly"),
    Fault("draw_next", "drawn + groups * group_words]", "drawn + groups]"),
    Fault("draw_next", "free - groups", "free"),
    Fault("draw_next", "start + count, drawn", "start + groups, drawn"),
    Fault("draw_next", "row, index = row + 1, 0", "row, index = row, 0"),
    kinds=ROW_KINDS,
)
def test_the_words_of_a_row(fault, group, group_words, is_apart):
    """An iteration draws the groups of the next numbers of its row, and no others, behind the words drawn before.

    It reaches the end of the row, or all of the scratch is drawn, and the loop ends.
    """
    names, region = rows_names(is_apart)

    def run():
        calls = []
        draw = dict(
            fill_words=lambda *given: calls.append(("fill_words", given)),
            draw_apart=lambda *given: calls.append(("draw_apart", given)),
        )
        after = loop_of(fill.draw_next, fault=fault, **names, **draw)(
            low="low", high="high", k0="k0", k1="k1", lane=Int64(LANE), region=region, step=region[1],
            length=Int64(LENGTH), start=Int64(START), size=Int64(SIZE), group=group, group_words=group_words,
            words=Part(0, Int64(WORDS)), row=Int64(ROW), index=Int64(INDEX), drawn=Int64(DRAWN), free=Int64(FREE),
            exactly=True,
        )  # fmt: skip
        return calls, after

    bounds = [*BOUNDS, *IN_ROW, 1 <= FREE, 0 <= DRAWN, DRAWN + FREE * group_words <= WORDS]
    for conditions, (calls, after) in paths(run, *bounds):
        ((name, (*counter, place, target)),) = [(name, parts_of(given)) for name, given in calls]
        assert counter == ["low", "high", "k0", "k1"] and name == ("draw_apart" if is_apart else "fill_words")
        position = start_of_row(ROW) + (Factor.product(INDEX) if is_apart else INDEX)
        count = after["start"].value - START
        prove(z3.And(1 <= count, INDEX + count <= LENGTH), *conditions)
        if is_apart:
            groups = count
            lane, here, step, *kind = place
            assert step is region[1] and kind == [group, group_words]
            prove(z3.And(lane.value == LANE, here.value == position), *conditions)
        else:
            groups = (position + count - 1) / group - position / group + 1
            prove(place[0].value == LANE + position / group * group_words, *conditions)
        prove(z3.And(target.start.value == DRAWN, target.size.value == groups * group_words), *conditions)
        prove(after["drawn"].value == DRAWN + groups * group_words, *conditions)
        prove(after["free"].value == FREE - groups, *conditions)
        prove(z3.Or(after["free"].value == 0, INDEX + count == LENGTH), *conditions)
        prove(z3.And(after["row"].value == ROW + 1, Int64(0).like(after["index"]).value == 0), *conditions)
        # Whether number m of group g is number g * group + m of those drawn: a Truth or a bool.
        exactly = Int64(0).like(after["exactly"]).value == 1
        prove(exactly == z3.And(position % group == 0, groups * group == count), *conditions)


def parts_of(given):
    """The arguments of a call that draws words: the counter and the key, which words, and where they go."""
    return [*given[:4], given[4:-1], given[-1]]


@claim(
    Fault("draw_next", "start // length", "start"),
    Fault("draw_next", "start - row * length", "start"),
    Fault("choose_members", "start // length", "start"),
    Fault("choose_members", "start - row * length", "start"),
    Fault("draw_next", "words.size // group_words", "words.size"),
    kinds=KINDS,
)
def test_the_row_of_a_number(fault, group, group_words):
    """Both functions begin with the row and the index of number START, and with all of the scratch."""
    region = {1: "step"}
    for function, variables in (
        (fill.draw_next, dict(start=Int64(START), words=Part(0, Int64(WORDS)), group_words=group_words)),
        (fill.choose_members, dict(start=Int64(START))),
    ):
        begin = before_loop(function, fault)
        run = partial(begin, region=region, length=Int64(LENGTH), **variables)
        for conditions, found in paths(run, *BOUNDS, 0 <= START, START < SIZE):
            row, index = found["row"].value, found["index"].value
            prove(z3.And(row * LENGTH + index == START, 0 <= index, index < LENGTH, 0 <= row), *conditions)
            assert found["step"] == "step"
            if function is fill.draw_next:
                assert (found["drawn"], found["exactly"]) == (0, True)
                prove(found["free"].value == WORDS / group_words, *conditions)
            else:
                assert found["source"] == 0


@claim(
    Fault("choose_members", "lead + j]", "j]"),
    Fault("choose_members", "out[start : start + count]", "out[: start + count]"),
    Fault("choose_members", "stop - start", "length"),
    Fault("choose_members", "source + groups * group]", "source + groups * 2]"),
    Fault("choose_members", "(position + j * step) % group", "(position + j) % group"),
    Fault("choose_members", "start_of(region, row)", "start_of(region, 0)"),
    Fault("choose_members", "source += numbers.size", "source += count"),
    kinds=ROW_KINDS,
)
def test_the_chosen_members(fault, group, group_words, is_apart):
    """Number j of those that an iteration of draw_next drew is the member of its group that belongs to it."""
    names, region = rows_names(is_apart)
    count = z3.Int("count")  # of draw_next: it ends with the row, or with the last number
    position = start_of_row(ROW) + (Factor.product(INDEX) if is_apart else INDEX)
    groups = count if is_apart else (position + count - 1) / group - position / group + 1
    ends = z3.Or(START + count == STOP, z3.And(START + count <= STOP, INDEX + count == LENGTH))
    bounds = [
        *BOUNDS, *IN_ROW, STOP <= SIZE, 1 <= count, INDEX + count <= LENGTH, ends, 0 <= position, position < LIMIT,
        0 <= SOURCE, SOURCE + groups * group <= MADE, MADE < 1 << 58,
    ]  # fmt: skip

    def run():
        out = Array(0, Int64(SIZE))
        after = loop_of(fill.choose_members, fault=fault, **names)(
            region=region, step=region[1], length=Int64(LENGTH), start=Int64(START), stop=Int64(STOP), group=group,
            made=Array(0, Int64(MADE)), out=out, row=Int64(ROW), index=Int64(INDEX),
            source=Int64(SOURCE),
        )  # fmt: skip
        return out.stores, after

    j = z3.Int("index_0")
    for conditions, (stores, after) in paths(run, *bounds):
        ((start, stop, step),) = ranges()
        prove(z3.And(start == 0, stop == count, step == 1), *conditions)
        ((index, (_, source)),) = stores
        number = position + (Factor.product(j) if is_apart else j)
        g = j if is_apart else number / group - position / group
        prove(z3.And(0 <= g, g < groups, index.value == START + j), *conditions)
        prove(source.value == SOURCE + g * group + number % group, *conditions)
        prove(after["source"].value == SOURCE + groups * group, *conditions)
        prove(after["start"].value == START + count, *conditions)
        prove(z3.And(after["row"].value == ROW + 1, Int64(0).like(after["index"]).value == 0), *conditions)


@claim(
    Fault("draw_rows", "lane + start_of(region, row) * group_words", "lane + start_of(region, row)"),
    Fault("draw_rows", "(row + 1) * length", "row + length"),
    Fault("draw_rows", "or lane % group_words", ""),
    Fault("draw_rows", "region[1] != 1 or", ""),
    kinds=[("word",), ("uniform_f32",), ("uniform_f64",)],
)
def test_rows_of_vector_code(fault, name):
    """Each row is filled from the word of its first number on. Rows of other steps and lanes are refused."""
    from dmlrand.kernels.rules import RULES

    assert RULES[name].numbers == 1
    group_words = RULES[name].words
    for is_apart in False, True:
        names, region = rows_names(is_apart)
        names["rows_of"] = lambda region: Rows(ROWS)
        calls = []
        code = drawer_of(fault, name, names | dict(fill_words=lambda *arguments: calls.append(arguments)))

        def run():
            calls.clear()
            out = Viewed(0, RowsOfLength(TOTAL))
            drew = code("low", "high", "k0", "k1", Int64(LANE), Int64(TOTAL), region, out, ())
            return drew, list(calls)

        row = z3.Int("index_0")
        for conditions, (drew, made) in paths(run, *ROW_BOUNDS):
            assert drew is bool(made)
            if not drew:
                continue
            prove(z3.And(z3.BoolVal(not is_apart), LANE % group_words == 0), *conditions)
            ((*counter, offset, target, _, _),) = made
            assert counter == ["low", "high", "k0", "k1"]
            ((start, stop, step),) = ranges()
            prove(z3.And(start == 0, stop == ROWS, step == 1), *conditions)
            prove(offset.value == LANE + start_of_row(row) * group_words, *conditions)
            prove(z3.And(target.start.value == before_row(row), target.size.value == LENGTH), *conditions)


class Viewed(Array):
    def view(self, kind):
        return self


def drawer_of(fault, name, names):
    """The function that direct_rows makes where the vector code runs, whether it runs here or not."""
    plain = dict(njit=lambda function: function, named_after=lambda name: lambda function: function)
    if fault:
        fault = fault._replace(function="direct_rows")
    names = names | plain | dict(DIRECT=(name,), np=SimpleNamespace(uint32=None))
    return code_of(fill.direct_rows, fault, **names)(name, True)


@claim(
    Fault("fill", "out[start:stop]", "out[stop:]"),
    Fault("fill", "start = stop", "start = stop + 1"),
    Fault("fill", "group == 1 or exactly", "True"),
    Fault("fill", "words[:drawn]", "words"),
    Fault("fill", "drawn // group_words * group,", "drawn,"),
    Fault("fill", "(out.size + 1) * group_words", "out.size"),
    Fault("fill", "(total + group - 1)", "total"),
    Fault("fill", "(lane + (total", "((total"),
    Fault("fill", "+ padding", "+ 3"),
    Fault("fill", "not draw_rows", "draw_rows"),
    kinds=ROW_KINDS,
)
def test_the_kernel_of_numbers(fault, group, group_words, is_apart):
    """Each pass makes the numbers of the words that draw_next drew, and stores those of the output there.

    The next pass begins after them. In the end the state moves past the words of complete groups: past the block of the
    last one too if `padding` is 3.
    """
    names, region = rows_names(is_apart)
    names["rows_of"] = lambda region: Rows(ROWS)
    drew, every = z3.Bools("drew exactly")
    padding, total = z3.Ints("padding numbers")
    lane, numbers = Int64(LANE), Int64(total)

    class Passes(Exception):
        pass

    def run():
        calls = []

        def call(name, answer=None):
            return lambda *arguments: calls.append((name, arguments)) or answer

        def draw_next(*arguments):
            calls.append(("draw_next", arguments))
            if len([name for name, _ in calls if name == "draw_next"]) > 1:
                raise Passes  # the second pass begins
            start, words = Int64(0).like(arguments[7]).value, arguments[-1].size.value
            prove_here(words >= group_words)
            assume(z3.And(start < STOP, STOP <= TOTAL, group_words <= DRAWN, DRAWN <= words, DRAWN % group_words == 0))
            assume(z3.Implies(z3.Or(every, group == 1), DRAWN / group_words * group == STOP - start))
            return Int64(STOP), Int64(DRAWN), Truth(every)

        code = code_of(
            fill.fill_kernel(KINDS[group, group_words]), fault, **names, check_size=lambda state: None,
            load=lambda state: ("low", "high", "k0", "k1"),
            **{name: call(name) for name in ("convert_words", "choose_members", "advance")}, draw_next=draw_next,
            unpack=lambda parameters: "arguments", draw_rows=call("draw_rows", Truth(drew)), group_words=group_words,
            group=group,
        )  # fmt: skip
        try:
            code("state", Int64(padding), lane, numbers, region, "parameters", Array(0, RowsOfLength(TOTAL)))
        except Passes:
            pass
        return calls

    bounds = [*ROW_BOUNDS, z3.Or(padding == 0, padding == 3), 0 <= total, total < 1 << 58]
    for conditions, calls in paths(run, *bounds):
        (_, given), *rest = calls
        assert given[:4] == ("low", "high", "k0", "k1")
        assert given[4] is lane and given[5] is numbers and given[6] is region
        prove(drew if rest[0][0] == "advance" else z3.Not(drew), *conditions)
        *passes, (last, ending) = rest
        if last == "advance":
            state, blocks = ending
            words_read = LANE + -(-total / group) * group_words
            prove(blocks.value == z3.If(padding == 3, -(-words_read / 4), words_read / 4), *conditions)
            assert state == "state"
            if passes:
                prove(STOP == TOTAL, *conditions)
        else:
            prove(z3.And(Int64(0).like(ending[7]).value == STOP, STOP < TOTAL), *conditions)
        if passes:
            (_, first), (_, (words, made, arguments)), *chosen = passes
            assert first[:4] == ("low", "high", "k0", "k1") and first[4] is lane and first[5] is region
            assert arguments == "arguments" and first[9:11] == (group, group_words)
            length, start, size = first[6:9]
            prove(z3.And(length.value == LENGTH, Int64(0).like(start).value == 0, size.value == TOTAL), *conditions)
            prove(z3.And(words.start.value == 0, words.size.value == DRAWN), *conditions)
            prove(z3.And(made.start.value == 0, made.size.value == DRAWN / group_words * group), *conditions)
            if chosen:
                (_, (same_region, same_length, begin, end, same_group, made_too, out)) = chosen[0]
                assert same_region is region and same_length is length and same_group == group
                assert made_too.stores is made.stores
                prove(z3.And(Int64(0).like(begin).value == 0, end.value == STOP, out.size.value == TOTAL), *conditions)
            else:
                prove(z3.Or(every, group == 1), *conditions)
