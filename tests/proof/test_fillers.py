"""The fillers of fill.py as a whole: each number of each output is made once, of the words that belong to it.

For all sizes, positions, steps, counts of rows and scratch arrays. What a filler calls is replaced by its claim, which
another proof has: `fill_words` and `draw_groups` draw the words of the groups that they are asked for, `make` makes
number m of group g of its words at g * group + m of its output. Each loop runs once, with any index of its range.
"""

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
    claim,
    code_of,
    larger,
    paths,
    prove,
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
NAMES = dict(uint64=to_uint64, int64=to_int64, min=smaller, max=larger, range=any_index)
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


class Sized(Int64):
    """A size of several rows: divided by the number of rows, it is the size of one."""

    def __floordiv__(self, other):
        return Int64(LENGTH)


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


@claim(Fault("make", "out.size // group", "out.size"), Fault("write_two", "out[2 * i + 1]", "out[i + 1]"), kinds=KINDS)
def test_make(fault, group, group_words):
    """Number m of group g is at g * group + m. It is made of the words g * group_words and on."""
    calls = []

    def function(*words):
        calls.append(words)
        return tuple(range(group)) if group > 1 else 0

    write = code_of(fill.WRITE[group], fault)
    read = fill.READ[group_words].py_func
    code = code_of(
        fill.maker(KINDS[group, group_words]), fault, read=read, write=write, function=function, range=any_index
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


@claim(
    Fault("fill_apart", "position + start * step", "position + start"),
    Fault("fill_apart", "[: numbers.size * group_words]", ""),
    Fault("fill_apart", "(first + i * step) % group", "first % group"),
    Fault("fill_apart", "start + made.size // group]", "start + made.size]"),
    Fault("fill_apart", "out.size, made.size // group", "out.size, made.size"),
    Fault("fill_apart", "made[i * group", "made[i"),
    kinds=KINDS,
)
def test_numbers_apart(fault, group, group_words):
    """Number e of the row, position + e * step, is the right member of its group."""
    step = Factor(LIMIT)
    scratch = z3.If(WORDS < group_words, z3.IntVal(group_words), WORDS)

    def run():
        record = {}
        code = code_of(
            fill.apart_filler(KINDS[group, group_words]), fault, **NAMES,
            group=group, group_words=group_words, np=SimpleNamespace(empty=empty),
            draw_groups=lambda *arguments: record.update(drawn=arguments),
            make=lambda words, numbers, arguments: record.update(made=(words, numbers)),
        )  # fmt: skip
        out = Array(0, Int64(SIZE))
        code("low", "high", "k0", "k1", "lane", Int64(POSITION), step, out, Part(0, Int64(scratch)), ())
        return record, out.stores

    start, i = z3.Ints("index_0 index_1")
    per_pass = scratch / group_words
    for conditions, (record, stores) in paths(run, *BOUNDS):
        passes, copies = ranges()
        prove(z3.And(passes[0] == 0, passes[1] == SIZE, passes[2] == per_pass), *conditions)
        count = z3.If(SIZE - start < per_pass, SIZE - start, per_pass)
        prove(z3.And(copies[0] == 0, copies[1] == count), *conditions)
        *same, first, by, group_given, words_given, drawn = record["drawn"]
        assert (same, by is step) == (["low", "high", "k0", "k1", "lane"], True)
        assert (group_given, words_given) == (group, group_words)
        prove(
            z3.And(first.value == POSITION + Factor.product(start), drawn.size.value == count * group_words),
            *conditions,
        )
        words, made = record["made"]
        prove(z3.And(words.start.value == 0, words.size.value == count * group_words), *conditions)
        prove(z3.And(made.start.value == 0, made.size.value == count * group), *conditions)
        # Group i of the words is that of the number first + i * step.
        ((index, (_, source)),) = stores
        number = POSITION + Factor.product(start + i)
        distributive = Factor.product(start + i) == Factor.product(start) + Factor.product(i)
        prove(z3.And(index.value == start + i, source.value / group == i), *conditions)
        prove(source.value % group == number % group, *conditions, distributive)


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


def rows_names(complete, is_apart):
    """What the rows of a region are: of one step, with starts that are any numbers."""

    def start_of(region, row):
        start = start_of_row(Int64(0).like(row).value)
        assume(z3.And(0 <= start, start < LIMIT, z3.Implies(complete, start % 2 == 0)))
        return Int64(start)

    class Step(Factor):
        def __eq__(self, other):
            assert other == 1
            return not is_apart

        def __ne__(self, other):
            return not self == other

    return NAMES | dict(
        rows_of=lambda region: Int64(ROWS),
        start_of=start_of,
        has_complete_groups=lambda region, length, group: Truth(complete),
        np=SimpleNamespace(empty=empty, uint32=None),
    ), {1: Step(LIMIT)}


ROW_KINDS = [(*kind, is_apart) for kind in KINDS for is_apart in (False, True)]


@claim(
    Fault("fill_short_rows", "position // group * group_words, target", "position * group_words, target"),
    Fault("fill_short_rows", "start_of(region, first + i)", "start_of(region, i)"),
    Fault("fill_short_rows", "(0 if complete else 1)", "0"),
    Fault("fill_short_rows", "min(rows, words.size // (groups * group_words))", "min(rows, words.size // groups)"),
    Fault("fill_short_rows", "out[first * length : (first + count) * length]", "out[first : first + count * length]"),
    Fault("fill_short_rows", "choose_members(region, first,", "choose_members(region, 0,"),
    Fault("fill_short_rows", "rows - first", "rows"),
    kinds=ROW_KINDS,
)
def test_short_rows(fault, group, group_words, is_apart):
    """The words of row R's groups, and where the numbers of its pass go: to the rows of the pass, by their groups."""
    complete = z3.Bool("complete")
    names, region = rows_names(complete, is_apart)
    scratch = (LENGTH + 2) * group_words + WORDS
    bounds = [*BOUNDS, LENGTH <= 128, z3.Implies(complete, LENGTH % group == 0)]

    def run():
        calls = []

        def call(name):
            return lambda *arguments: calls.append((name, arguments))

        code = code_of(
            fill.short_rows_filler(KINDS[group, group_words]), fault, **names, group=group, group_words=group_words,
            **{name: call(name) for name in ("fill_words", "draw_groups", "make", "choose_members")},
        )  # fmt: skip
        out = Array(0, Sized(ROWS * LENGTH))
        code("low", "high", "k0", "k1", Int64(LANE), region, out, Part(0, Int64(scratch)), ())
        return calls

    first, i = z3.Ints("index_0 index_1")
    counter = ("low", "high", "k0", "k1")
    for conditions, calls in paths(run, *bounds):
        passes, rows = ranges()
        count = z3.If(ROWS - first < passes[2], ROWS - first, passes[2])
        prove(z3.And(passes[0] == 0, passes[1] == ROWS, rows[0] == 0, rows[1] == count), *conditions)
        (drawer, drawn), (_, (words, numbers, _)), *chosen = calls
        start, target = start_of_row(first + i), drawn[-1]
        assert drawn[:4] == counter and len(chosen) <= 1
        if is_apart:
            groups = LENGTH
            assert drawer == "draw_groups" and drawn[6] is region[1] and drawn[7:9] == (group, group_words)
            prove(z3.And(drawn[4].value == LANE, drawn[5].value == start), *conditions)
        else:
            groups = LENGTH / group + (1 if chosen and group > 1 else 0)
            assert drawer == "fill_words"
            prove(drawn[4].value == LANE + start / group * group_words, *conditions)
        size = groups * group_words
        prove(z3.And(target.start.value == i * size, target.size.value == size), *conditions)
        prove(z3.And(words.start.value == 0, words.size.value == count * size), *conditions)
        prove(numbers.size.value == count * groups * group, *conditions)
        if chosen:  # test_choose_members says which of the made numbers go where
            (_, (same_region, from_row, of_rows, groups_given, group_given, made, out)) = chosen[0]
            assert same_region is region and group_given == group
            prove(Int64(0).like(from_row).value == first, *conditions)
            prove(z3.And(of_rows.value == count, groups_given.value == groups, made.start.value == 0), *conditions)
            assert made.stores is numbers.stores  # the same array
            prove(z3.And(out.start.value == first * LENGTH, out.size.value == count * LENGTH), *conditions)
        else:  # number g * group + m of row i is made at (i * groups + g) * group + m of the rows of the pass
            prove(z3.And(numbers.start.value == first * LENGTH, groups * group == LENGTH), *conditions)
            prove(start % group == 0, *conditions)


@claim(
    Fault("choose_members", "position % group + j if", "j if"),
    Fault("choose_members", "out[i * length + j]", "out[j]"),
    Fault("choose_members", "i * groups * group + place", "i * groups + place"),
    Fault("choose_members", "(position + j * step) % group", "(position + j) % group"),
    Fault("choose_members", "start_of(region, first + i)", "start_of(region, i)"),
    kinds=ROW_KINDS,
)
def test_the_chosen_members(fault, group, group_words, is_apart):
    """Number j of row i is the member of its group that belongs to it. Group g of the row is made at i * groups + g."""
    names, region = rows_names(z3.BoolVal(False), is_apart)
    first, groups, count = z3.Ints("first groups count")
    code = code_of(fill.choose_members, fault, **names)

    def run():
        out = Array(0, Sized(count * LENGTH))
        code(region, Int64(first), Int64(count), Int64(groups), group, Array(0, Int64(count * groups * group)), out)
        return out.stores

    bounds = [
        1 <= count, count <= 1 << 20, 0 <= first, first < LIMIT, LENGTH >= 1, LENGTH <= 128,
        groups == (LENGTH if is_apart else LENGTH / group + 1),
    ]  # fmt: skip
    i, j = z3.Ints("index_0 index_1")
    for conditions, stores in paths(run, *bounds):
        rows, numbers = ranges()
        prove(z3.And(rows[0] == 0, rows[1] == count, numbers[0] == 0, numbers[1] == LENGTH), *conditions)
        ((index, (_, source)),) = stores
        start = start_of_row(first + i)
        number = start + (Factor.product(j) if is_apart else j)
        g = j if is_apart else number / group - start / group
        prove(index.value == i * LENGTH + j, *conditions)
        prove(z3.And(0 <= g, g < groups), *conditions)
        prove(source.value == i * groups * group + g * group + number % group, *conditions)


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
        names, region = rows_names(z3.BoolVal(False), is_apart)
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
    """The function that row_drawer makes where the vector code runs, whether it runs here or not."""
    plain = dict(njit=lambda function: function, named_after=lambda name: lambda function: function)
    if fault:
        fault = fault._replace(function="row_drawer")
    names = names | plain | dict(DIRECT=(name,), np=SimpleNamespace(uint32=None))
    return code_of(fill.row_drawer, fault, **names)(name, True)


@claim(
    Fault("fill", "out[row * length : (row + 1) * length]", "out[row * length :]"),
    Fault("fill", "length + 2", "length // 2"),
    Fault("fill", "length <= SHORT_ROW", "length <= 2 * SHORT_ROW"),
    Fault("fill", "if blocks:", "if not blocks:"),
    Fault("fill", "not draw_rows", "draw_rows"),
    kinds=ROW_KINDS,
)
def test_the_kernel_of_numbers(fault, group, group_words, is_apart):
    """Every row is drawn once, by the filler of its kind, with a scratch array of the size that it needs."""
    names, region = rows_names(z3.BoolVal(False), is_apart)
    names["rows_of"] = lambda region: Rows(ROWS)
    drew, blocks = z3.Bool("drew"), z3.Int("blocks")

    def run():
        calls = []

        def call(name, answer=None):
            return lambda *arguments: calls.append((name, arguments)) or answer

        drawers = ("fill_consecutive", "fill_apart", "fill_short_rows", "advance")
        code = code_of(
            fill.filler(KINDS[group, group_words]), fault, **names | {name: call(name) for name in drawers},
            load=lambda state: ("low", "high", "k0", "k1"), unpack=lambda parameters: "arguments",
            draw_rows=call("draw_rows", Truth(drew)), group_words=group_words,
        )  # fmt: skip
        code("state", Int64(blocks), "lane", "total", region, "parameters", Array(0, RowsOfLength(TOTAL)))
        return calls

    row = z3.Int("index_0")
    for conditions, calls in paths(run, *ROW_BOUNDS, blocks >= 0):
        moved = [arguments for name, arguments in calls if name == "advance"]
        prove(blocks > 0 if moved else blocks == 0, *conditions)
        (_, given), *rows = [call for call in calls if call[0] != "advance"]
        prove(drew if not rows else z3.Not(drew), *conditions)
        assert given[:7] == ("low", "high", "k0", "k1", "lane", "total", region)
        for name, (*before, words, arguments) in rows:
            assert before[:5] == ["low", "high", "k0", "k1", "lane"] and arguments == "arguments"
            if name == "fill_short_rows":
                prove(z3.And(LENGTH <= fill.SHORT_ROW, words.size.value >= (LENGTH + 1) * group_words), *conditions)
                assert before[5] is region
                continue
            ((start, stop, step),) = ranges()
            position, target = before[5], before[-1]
            prove(z3.And(start == 0, stop == ROWS, step == 1), *conditions)
            prove(
                z3.And(LENGTH > 128, words.size.value >= group_words, position.value == start_of_row(row)), *conditions
            )
            prove(z3.And(target.start.value == before_row(row), target.size.value == LENGTH), *conditions)
            assert (name == "fill_apart", name == "fill_apart" and before[6] is region[1]) == (is_apart, is_apart)
