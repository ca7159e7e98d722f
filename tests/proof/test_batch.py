"""Words of many states: each word of each row comes from the right state, block and lane."""

from types import SimpleNamespace

import pytest
from symbolic import (
    Fault,
    Int64,
    Integer,
    claim,
    loop_of,
    paths,
    prove,
    smaller,
    to_uint64,
    z3,
)

pytest.importorskip("numba")

from dmlrand.kernels import batch

START, LENGTH, FIRST, ROWS, STATE, LANE = z3.Ints("start length first rows state lane")


def short_rows():
    """The function inside batch_words_by, which no module holds by name."""
    made = batch.batch_words_by(
        SimpleNamespace(load_columns=None, store_blocks=None, fill_long_row=None, words_in_flight=None)
    )
    function = made
    while not hasattr(function, "py_func"):
        function = next(
            value
            for name in ("dispatcher", "compiled", "__wrapped__", "function", "run")
            if (value := getattr(function, name, None)) is not None
        )
    code = function.py_func
    cells = dict(zip(code.__code__.co_freevars, (cell.cell_contents for cell in code.__closure__)))
    return cells["fill_short_rows"].py_func


@claim(
    Fault("fill_short_rows", "start * length + first, length) if", "start * length, length) if"),
    Fault("fill_short_rows", "(words, 0, 4)", "(words, 0, 3)"),
    Fault("fill_short_rows", "first >> 2", "first >> 3"),
    Fault("fill_short_rows", "rows == STATES and lanes == 4", "lanes == 4"),
    Fault("fill_short_rows", "lanes, out, start * length + first", "lanes, out, start * length"),
)
def test_short_rows(fault):
    """Words first to first + 3 of 32 rows from row `start` on: the loop over blocks, from any values on.

    store_blocks stores the block of state i at place + i * stride; copy_blocks copies the first `lanes` words of each.
    """
    calls = []
    names = dict(
        STATES=32,
        min=smaller,
        uint64=to_uint64,
        store_blocks=lambda columns, *arguments: calls.append(arguments),
        copy_blocks=lambda *arguments: calls.append(arguments),
    )
    body = loop_of(short_rows(), number=1, fault=fault, **names)

    def run():
        calls.clear()
        body(
            start=Integer(START), length=Integer(LENGTH), first=Integer(FIRST), rows=Integer(ROWS), columns=None,
            words="words", out="out",
        )  # fmt: skip
        return list(calls)

    row = START + STATE
    bounds = [
        0 <= START, 0 < ROWS, ROWS <= 32, 0 <= FIRST, FIRST < LENGTH, FIRST % 4 == 0, LENGTH < 1 << 40,
        0 <= STATE, STATE < ROWS,
    ]  # fmt: skip
    lanes = z3.If(LENGTH - FIRST < 4, LENGTH - FIRST, z3.IntVal(4))
    for conditions, made in paths(run, *bounds):
        number, target, place, stride = made[0]
        prove(number.value == FIRST / 4, *conditions)
        place, stride = Int64(0).like(place).value, Int64(0).like(stride).value
        if target == "out":
            assert len(made) == 1
            prove(z3.And(ROWS == 32, lanes == 4), *conditions)  # all 32 states and all lanes are stored
            prove(place + STATE * stride == row * LENGTH + FIRST, *conditions)
        else:
            _, (source, rows, copied, out, to, by) = made
            assert (target, source, out) == ("words", "words", "out")
            prove(z3.And(place == 0, stride == 4, rows.value == ROWS, copied.value == lanes), *conditions)
            prove(to.value + STATE * by.value == row * LENGTH + FIRST, *conditions)


@claim(
    Fault("copy_blocks", "4 * row + lane", "row + lane"), Fault("copy_blocks", "place + row * stride", "row * stride")
)
def test_copied_words(fault):
    stores, place, stride, row = {}, *z3.Ints("place stride row")

    class Words:
        def __getitem__(self, index):
            return index

    body = loop_of(batch.copy_blocks, number=1, fault=fault)
    store = type("Out", (), {"__setitem__": lambda self, index, value: stores.update(index=index, value=value)})()
    body(place=Integer(place), row=Integer(row), stride=Integer(stride), lane=Integer(LANE), words=Words(), out=store)
    prove(stores["index"].value == place + row * stride + LANE)
    prove(stores["value"].value == 4 * row + LANE)
