"""The fills of words: every word of every output, of any size, offset and counter, comes from the right block.

Loops are not run: one iteration of each is proved, from any values of its variables on. The proof of a function then
collects the calls of such a loop with the part of the output that each one fills. It asks for a word j of the output
for which the calls are wrong, or that is not written exactly once. There is none.
"""

from types import SimpleNamespace

import pytest
from symbolic import Fault, claim, code_of, loop_of, paths, prove, z3
from symbolic_numbers import Int64, Part, larger, smaller, to_int64, to_uint64

from dmlrand.kernels import philox

LOW, HIGH, OFFSET, SIZE, J = z3.Ints("low high offset size j")
NAMES = dict(
    uint64=to_uint64, int64=to_int64, WORD_BITS=32, min=smaller, max=larger, ONE=Int64(1, True),
    np=SimpleNamespace(int64=to_int64),
)  # fmt: skip
COUNTER_BOUNDS = [0 <= LOW, LOW < 1 << 64, 0 <= HIGH, HIGH < 1 << 64]
BOUNDS = [*COUNTER_BOUNDS, 0 <= OFFSET, OFFSET < (1 << 63) - (1 << 61), 0 <= SIZE, SIZE < 1 << 61]


def counter_of(low, high):
    return low.value + high.value * (1 << 64)


def right_place(block, lane):
    """The word at `lane` of the block at this counter is word OFFSET + J of the stream."""
    right_block = (LOW + HIGH * (1 << 64) + (OFFSET + J) / 4) % (1 << 128)
    return z3.And(block == right_block, lane == (OFFSET + J) % 4)


def inside(out):
    return z3.And(J >= out.start.value, J < out.start.value + out.size.value)


def calls_of_fill_words(fault):
    """(conditions, calls) of the plain fill, for each of its paths."""

    def run():
        calls = []
        fill = code_of(
            philox.fill_words,
            fault,
            **NAMES,
            add_blocks=code_of(philox.add_blocks, fault, **NAMES),
            fill_blocks=lambda low, high, k0, k1, out: calls.append(("blocks", low, high, None, out)),
            fill_within_block=lambda low, high, k0, k1, lane, out: calls.append(
                ("within", low, high, Int64(0).like(lane), out)
            ),
        )
        fill(Int64(LOW, True), Int64(HIGH, True), "k0", "k1", Int64(OFFSET), Part(0, SIZE_64))
        return calls

    return paths(run, *BOUNDS)


SIZE_64 = Int64(SIZE)


@claim(
    Fault("fill_words", "add_blocks(low, high, ONE)", "low, high"),
    Fault("fill_words", "add_blocks(low, high, uint64(first))", "low, high"),
    Fault("fill_words", "uint64(0) - low", "uint64(1) - low"),
    Fault("fill_words", "to_carry < uint64(blocks)", "to_carry <= uint64(0)"),
    Fault("fill_words", "out.size - head", "out.size"),
    Fault("fill_words", "(4 - lane) & 3", "lane"),
    Fault("fill_words", "tail < out.size", "tail + 1 < out.size"),
    Fault("add_blocks", "total < low", "total < total"),
)
def test_the_plain_fill_writes_every_word_once(fault):
    for conditions, calls in calls_of_fill_words(fault):
        conditions = [*conditions, 0 <= J, J < SIZE]
        covers = []
        for kind, low, high, lane, out in calls:
            covers.append(z3.If(inside(out), z3.IntVal(1), z3.IntVal(0)))
            index, size = J - out.start.value, out.size.value
            if kind == "blocks":  # the condition of fill_blocks: the low half does not wrap before the last block
                complete = z3.And(size % 4 == 0, low.value + size / 4 <= 1 << 64)
                prove(z3.Or(size == 0, complete), *conditions)
                place = right_place(counter_of(low, high) + index / 4, index % 4)
            else:
                prove(size + lane.value <= 4, *conditions)
                place = right_place(counter_of(low, high), index + lane.value)
            prove(place, *conditions, inside(out))
        prove(z3.Sum([z3.IntVal(0), *covers]) == 1, *conditions)


I = z3.Int("i")  # noqa: E741
BLOCK_FAULTS = (
    Fault("fill_blocks", "low + uint64(i)", "low"),
    Fault("fill_blocks", "out[4 * i + 2] = w2", "out[4 * i + 2] = w3"),
    Fault("fill_blocks", "out[4 * i + 1]", "out[4 * i]"),
    Fault("fill_blocks", "high + uint64(i)", "high + uint64(i) + uint64(1)"),
)


@claim(*BLOCK_FAULTS)
def test_the_loop_over_blocks(fault):
    """Iteration i stores the four words of block i at out[4 * i] and on, in both ways to count."""
    for growing in 0, 2:
        names = NAMES | dict(block_at=lambda low, high, k0, k1: [((low, high), lane) for lane in range(4)])
        body = loop_of(philox.fill_blocks, fault=fault, **names)
        grows = HIGH if growing else LOW

        def run():
            out = Part(0, SIZE_64)
            low, high = Int64(LOW, True), Int64(HIGH, True)
            body(low=low, high=high, k0=None, k1=None, out=out, growing=growing, i=Int64(I))
            return out.stores

        for conditions, stores in paths(run, *BOUNDS, 0 <= I, I < SIZE / 4, grows + SIZE / 4 <= 1 << 64):
            assert len(stores) == 4
            step = I * (1 << 64) if growing else I
            for lane, (place, ((low, high), of_lane)) in enumerate(stores):
                right = counter_of(low, high) == LOW + HIGH * (1 << 64) + step
                prove(z3.And(place.value == 4 * I + lane, of_lane == lane, right), *conditions)


@claim(Fault("fill_within_block", "words[lane + i]", "words[lane]"))
def test_words_of_one_block(fault):
    """Every lane and size that the condition lane + size <= 4 allows: tried, there are ten."""
    fill = code_of(philox.fill_within_block, fault, block_at=lambda *_: [0, 1, 2, 3])
    for lane in range(4):
        for size in range(5 - lane):

            class Out(dict):
                pass

            out = Out()
            out.size = size
            fill(None, None, None, None, lane, out)
            prove(z3.BoolVal(out == {i: lane + i for i in range(size)}))


# The fill of the vector code. Its two stores have contracts: store_groups stores `step` words, lane 0 of its counter at
# out[word] on; store_edge stores words first to last - 1 of at most one group at out[word + first] and on. The counter
# must not wrap within them in its lowest word.
STEPS = (64, 96, 192)  # two groups with vectors of 128 bits, three with 256, six with 512


class Stored(Exception):
    """The second store begins: one iteration of the loop is complete."""


@claim(
    Fault("fill_run", "c0 + uint32(done >> 2)", "c0 + uint32(done >> 3)"),
    Fault("fill_run", "max(-word, 0)", "0"),
    Fault("fill_run", "word + step <= stop", "word <= stop"),
    Fault("fill_run", "word >= 0 and ", ""),
    Fault("fill_run", "int64(GROUP_WORDS), stop - word", "int64(GROUP_WORDS), stop"),
    Fault("fill_run", "word += done", "word += done + 4"),
    kinds=[(step, non_temporal) for step in STEPS for non_temporal in (False, True)],
)
def test_the_vector_fill_of_a_run(fault, step, non_temporal):
    """One iteration of the loop, from any place on, and the way to the next: by induction, all iterations.

    After an iteration the loop is where a call with the new word and counter would begin, except for `lead`, which is 0
    from then on, as it is without non-temporal stores. So both cases are proved for any beginning.
    """
    pytest.importorskip("llvmlite")
    from dmlrand.kernels import philox_simd

    word, stop, c0, base = z3.Ints("word stop c0 base")
    bounds = [
        -3 <= word, word < stop, 0 <= stop, stop <= SIZE, SIZE < 1 << 61, 0 <= c0, 0 <= base, base + 4 * SIZE < 1 << 63,
        c0 + (stop - word + 3) / 4 <= 1 << 32, base % 4 == 0,
    ]  # fmt: skip
    # The counter of the loop as a 32-bit word, which wraps.
    names = NAMES | dict(
        uint32=lambda value: Int64(Int64(0).like(value).value % (1 << 32)),
        words_in_flight=lambda: step,
        address=lambda out: Int64(base),
        LINE_BYTES=64,
        GROUP_WORDS=32,
        fence=lambda: None,
    )

    def run():
        stores = []

        def keep(kind, c0, word, first, last):
            stores.append((kind, c0, word, first, last))
            if len(stores) == 2:
                raise Stored

        def store_groups(c0, c1, c2, c3, k0, k1, bounds, out, word, non_temporal):
            keep("line" if non_temporal else "cached", c0, word, Int64(0), Int64(step))

        fill = code_of(
            philox_simd.fill_run,
            fault,
            **names,
            store_groups=store_groups,
            store_edge=lambda c0, c1, c2, c3, k0, k1, bounds, out, word, first, last: keep(
                "edge", c0, word, Int64(0).like(first), Int64(0).like(last)
            ),
        )
        arguments = [None] * 5
        try:
            fill(Int64(c0), *arguments, (), Int64(word), Int64(stop), Part(0, SIZE_64), non_temporal)
        except Stored:
            pass
        return stores

    for conditions, stores in paths(run, *bounds):
        prove(z3.BoolVal(len(stores) > 0), *conditions)
        for number, (kind, _, place, first, last) in enumerate(stores):
            begin, end = place.value + first.value, place.value + last.value
            prove(z3.And(0 <= begin, begin <= end, end <= stop), *conditions)  # within the run and the output
            prove(z3.And(0 <= first.value, z3.Or(last.value == step, last.value <= 32)), *conditions)
            if kind == "line":
                prove((base + 4 * begin) % 64 == 0, *conditions)
        # The first store begins with lane 0 of c0 at `word`, and with the first word that is in the output.
        kind, at, place, first, last = stores[0]
        prove(z3.And(at.value == c0, place.value == word), *conditions)
        prove(place.value + first.value == z3.If(word < 0, z3.IntVal(0), word), *conditions)
        end = word + last.value
        if len(stores) == 1:
            prove(end == stop, *conditions)
        else:  # the next one begins where it ends, at lane 0 of the next block, and the loop comes nearer to its end
            _, at, place, first, _ = stores[1]
            prove(z3.And(place.value + first.value == end, end > word, (end - word) % 4 == 0), *conditions)
            prove(at.value == c0 + (end - word) / 4, *conditions)


@claim(
    Fault("fill_words", "uint64(offset >> 2)", "uint64(offset >> 3)"),
    Fault("fill_words", "(1 << 32) - int64(c0)", "(1 << 33) - int64(c0)"),
    Fault("fill_words", "uint32(low >> 32)", "uint32(high >> 32)"),
    Fault("fill_words", "word += 4 * blocks", "word += blocks"),
    Fault("fill_words", "uint64(blocks))", "uint64(blocks + 1))"),
)
def test_the_vector_fill_of_words(fault):
    """Its loop over runs: each run fills [word, stop) from a counter whose lowest word does not wrap before `stop`.

    The loop is proved from any word and counter on for which it holds that lane 0 of the counter belongs at out[word].
    """
    pytest.importorskip("llvmlite")
    from dmlrand.kernels import philox_simd

    word = z3.Int("word")
    low, high = z3.Ints("run_low run_high")
    names = NAMES | dict(
        uint32=lambda value: Int64(Int64(0).like(value).value % (1 << 32), getattr(value, "wraps", False)),
        add_blocks=code_of(philox.add_blocks, fault, **NAMES),
    )
    start = LOW + HIGH * (1 << 64)
    here = start + (word + OFFSET) / 4
    invariant = [
        -3 <= word, word < SIZE, (word + OFFSET) % 4 == 0, word + OFFSET >= 0,
        0 <= low, low < 1 << 64, 0 <= high, high < 1 << 64, low + high * (1 << 64) == here % (1 << 128),
    ]  # fmt: skip

    def iteration():
        runs = []
        fill_run = lambda c0, c1, c2, c3, k0, k1, bounds, word, stop, out, bypass: runs.append(  # noqa: E731
            ([c0, c1, c2, c3], word, stop)
        )
        body = loop_of(philox_simd.fill_words, fault=fault, **names, fill_run=fill_run)
        keywords = dict(k0=None, k1=None, bounds=(), non_temporal=False)
        after = body(low=Int64(low, True), high=Int64(high, True), word=Int64(word), out=Part(0, SIZE_64), **keywords)
        return runs, after

    for conditions, (runs, after) in paths(iteration, *BOUNDS, *invariant):
        ((counter, begin, stop),) = runs
        prove(sum(limb.value * (1 << 32 * i) for i, limb in enumerate(counter)) == here % (1 << 128), *conditions)
        prove(z3.And(begin.value == word, word < stop.value, 0 <= stop.value, stop.value <= SIZE), *conditions)
        prove(counter[0].value + (stop.value - word + 3) / 4 <= 1 << 32, *conditions)
        after_word = after["word"].value
        prove(z3.Or(stop.value == after_word, z3.And(stop.value == SIZE, after_word >= SIZE)), *conditions)
        prove((after_word + OFFSET) % 4 == 0, *conditions)
        there = (start + (after_word + OFFSET) / 4) % (1 << 128)
        prove(counter_of(after["low"], after["high"]) == there, *conditions, after_word < SIZE)

    # The first iteration begins at lane 0 of the block of word `offset`: the invariant holds there.
    class Begun(Exception):
        pass

    def beginning():
        seen = []

        def stop_here(value):
            seen.append(value)
            raise Begun

        fill = code_of(philox_simd.fill_words, fault, **names | dict(uint32=stop_here), fill_run=None)
        try:
            fill(Int64(LOW, True), Int64(HIGH, True), None, None, Int64(OFFSET), Part(0, SIZE_64))
        except Begun:
            pass
        return seen

    for conditions, seen in paths(beginning, *BOUNDS):
        if seen:
            prove(seen[0].value == (start + OFFSET / 4) % (1 << 64), *conditions)
        else:
            prove(SIZE == 0, *conditions)
