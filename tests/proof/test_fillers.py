"""The loop that makes numbers of words: each number is made once, of the words that belong to it, for all sizes.

The loop runs once, with any index of its range.
"""

import pytest
from symbolic import (
    Fault,
    Int64,
    Part,
    any_index,
    claim,
    code_of,
    paths,
    prove,
    ranges,
    z3,
)  # fmt: skip

pytest.importorskip("numba")

from dmlrand.kernels import fill

SIZE = z3.Int("size")
KINDS = {(1, 1): "uniform_f32", (1, 2): "uniform_f64", (2, 2): "normal_f32", (2, 4): "normal_f64"}


class Array(Part):
    """An array whose elements can be read, as pairs of the array and the index."""

    def __getitem__(self, index):
        return self, self.start + index


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
        prefer_wide_vectors=lambda: None,
    )

    def run():
        calls.clear()
        out = Array(0, Int64(SIZE) * group)
        code(Array(0, Int64(SIZE) * group_words), out, ())
        return calls[0], out.stores

    for conditions, (words, stores) in paths(run, 1 <= SIZE, SIZE < 1 << 58):
        ((start, stop, step),) = ranges()
        prove(z3.And(start == 0, stop == SIZE, step == 1), *conditions)
        g = z3.Int("index_0")
        assert len(words) == group_words and [value for _, value in stores] == list(range(group))
        for j, (_, index) in enumerate(words):
            prove(index.value == g * group_words + j, *conditions)
        for m, (index, _) in enumerate(stores):
            prove(index.value == g * group + m, *conditions)
