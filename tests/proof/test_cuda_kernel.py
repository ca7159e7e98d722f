"""The kernel of CUDA devices, as Python: each number of the output is stored once, and it is the right one.

For any counter, size, skipped numbers, grid, thread and CUDA block: the text that numba-cuda compiles. The PTX that it
becomes is only tested.
"""

from types import SimpleNamespace

import pytest
from symbolic import (
    Fault,
    Int64,
    Integer,
    any_index,
    claim,
    code_of,
    inner,
    loop_of,
    paths,
    prove,
    smaller,
    to_uint64,
    z3,
)

pytest.importorskip("numba")

from dmlrand.kernels import cuda

SIZE, SKIP, TILE, GRID, THREAD = z3.Ints("size skip tile grid thread")
NUMBERS = sorted({cuda.numbers_of_block(name) for name in cuda.rules.RULES})
BOUNDS = [
    1 <= SIZE, SIZE < 1 << 59, 0 <= SKIP, 0 <= TILE, TILE < 1 << 59, 1 <= GRID, GRID < 1 << 31, 0 <= THREAD,
]  # fmt: skip


class Tile:
    """The shared memory: what is stored, and what is read, as the place in it."""

    def __init__(self):
        self.stores = []

    def __setitem__(self, place, value):
        self.stores.append((place, value))

    def __getitem__(self, place):
        return place


@claim(
    Fault("source", "tile[place % numbers, place // numbers]", "tile[place // threads, place % threads]"),
    Fault("source", "first + place < out.size", "first + place <= out.size"),
    Fault("source", "if 0 <= first + place", "if -1 <= first + place"),
    Fault("source", "start * numbers - skip", "start * numbers"),
    Fault("source", "start + thread, words", "start, words"),
    Fault("source", "tile[i, thread] = made[i]", "tile[i, thread] = made[thread]"),
    Fault("source", "cuda.gridDim.x * threads", "threads"),
    Fault("source", "cuda.syncthreads() first", "first"),
    kinds=[(numbers, threads) for numbers in NUMBERS for threads in range(32, 257, 32)],
)
def test_a_tile(fault, numbers, threads):
    """A pass of a CUDA block: one block of words for each thread, whose numbers the threads store together.

    Thread t draws block start + t, and puts number i of it at [i, t] of the shared memory. Element e of the output is
    number (skip + e) % numbers of block (skip + e) // numbers. It is stored by the only thread and i of this place.
    """

    def run():
        events, tile, stores = [], Tile(), []
        array = SimpleNamespace(size=Int64(SIZE))
        array_type = type("Out", (), {"__setitem__": lambda self, index, value: stores.append((index, value))})
        out = array_type()
        out.size = array.size
        device = SimpleNamespace(
            gridDim=SimpleNamespace(x=Int64(GRID)), syncthreads=lambda: events.append((len(tile.stores), len(stores)))
        )
        body = loop_of(
            cuda.source, fault=fault, transform=inner("fill_tiles"), cuda=device, range=any_index,
            draw_block=lambda *arguments: events.append(arguments), make=lambda *arguments: events.append(arguments),
        )  # fmt: skip
        made = type("Made", (), {"__getitem__": lambda self, index: index})()
        after = body(
            low="low", high="high", k0="k0", k1="k1", skip=Int64(SKIP), arguments="arguments", out=out, tile=tile,
            words="words", made=made, thread=Int64(THREAD), threads=threads, numbers=numbers,
            start=Int64(TILE) * threads,
        )  # fmt: skip
        return events, tile.stores, stores, after["start"]

    i, copied = z3.Ints("index_0 index_1")
    bounds = [*BOUNDS, THREAD < threads, SKIP < numbers, TILE * threads < (SKIP + SIZE + numbers - 1) / numbers]
    for conditions, (events, kept, stores, following) in paths(run, *bounds):
        draw, _, *barriers = events
        assert draw[:4] == ("low", "high", "k0", "k1") and draw[5] == "words"
        prove(draw[4].value == TILE * threads + THREAD, *conditions)
        ((row, column), value) = kept[0]
        prove(z3.And(row.value == i, column.value == THREAD, value.value == i), *conditions)
        place = copied * threads + THREAD
        e = TILE * threads * numbers + place - SKIP
        # All have put their numbers before one is read, and all have read before the next pass.
        prove(z3.BoolVal(barriers == [(1, 0), (1, len(stores))]), *conditions)
        prove(z3.And(0 <= e, e < SIZE) == z3.BoolVal(bool(stores)), *conditions)
        for index, (row, column) in stores:
            prove(z3.And(0 <= row.value, row.value < numbers, 0 <= column.value, column.value < threads), *conditions)
            prove(z3.And(index.value == e, (SKIP + e) % numbers == row.value), *conditions)
            prove((SKIP + e) / numbers == TILE * threads + column.value, *conditions)
        prove(following.value == (TILE + GRID) * threads, *conditions)


@pytest.mark.proof
def test_every_place_of_every_tile_comes_once():
    """Element e is in tile (skip + e) // (numbers * threads), at i * threads + thread, with one i and one thread.

    CUDA block b takes the tiles b, b + grid, ...: so each tile is that of one CUDA block and one pass, as the remainder
    and the quotient by the grid. (test_fillers.py has the proof for passes.)
    """
    e = z3.Int("e")
    for numbers in NUMBERS:
        for threads in range(32, 257, 32):
            place = (SKIP + e) % (numbers * threads)
            bounds = [0 <= e, e < SIZE, 0 <= SKIP, SKIP < numbers]
            prove(z3.And(place / threads < numbers, place / threads * threads + place % threads == place), *bounds)
            prove((SKIP + e) / numbers < (SKIP + SIZE + numbers - 1) / numbers, *bounds)


@claim(
    Fault("draw_block", "uint64(blocks)", "uint64(blocks + 1)"),
    Fault("draw_block", "low, high = add_blocks", "_ = add_blocks"),
)
def test_the_block_of_a_thread(fault):
    low, high, blocks = z3.Ints("low high blocks")

    def run():
        calls = []
        from dmlrand.kernels import philox

        names = dict(uint64=to_uint64, WORD_BITS=32, fill_blocks=lambda *arguments: calls.append(arguments))
        add_blocks = code_of(philox.add_blocks, fault, **names)
        draw = code_of(cuda.draw_block, fault, **names, add_blocks=add_blocks)
        draw(Int64(low, True), Int64(high, True), "k0", "k1", Int64(blocks), "words")
        return calls

    bounds = [0 <= low, low < 1 << 64, 0 <= high, high < 1 << 64, 0 <= blocks, blocks < 1 << 63]
    for conditions, calls in paths(run, *bounds):
        ((new_low, new_high, *rest),) = calls
        assert rest == ["k0", "k1", "words"]
        start, after = low + high * (1 << 64), new_low.value + new_high.value * (1 << 64)
        prove(after == (start + blocks) % (1 << 128), *conditions)


@claim(
    Fault("fill", "-(-(skip + out.size) // numbers_of_block(name))", "out.size // numbers_of_block(name)"),
    Fault("fill", "min(tiles, max(MIN_GRID, tiles // TILES_PER_CUDA_BLOCK))", "tiles // TILES_PER_CUDA_BLOCK"),
    Fault("fill", "// WARP) * WARP", "// WARP)"),
    kinds=[(numbers,) for numbers in NUMBERS],
)
def test_the_grid(fault, numbers):
    """A CUDA block has a multiple of 32 threads, up to 256. The grid has at least one CUDA block, and at most 2**31."""

    def run():
        launched = []

        class Kernel:
            def __getitem__(self, configuration):
                return lambda *arguments: launched.append((configuration, arguments))

        fill = code_of(
            cuda.fill, fault, numbers_of_block=lambda name: numbers, kernel=lambda name, dtype: Kernel(), min=least,
            max=largest, uint64_of=lambda low, high: (low, high),
        )  # fmt: skip
        out = SimpleNamespace(size=Integer(SIZE), dtype=None)
        fill("name", range(6), Integer(SKIP), (), out, "stream")
        return launched, out

    for conditions, (launched, out) in paths(run, *BOUNDS, SKIP < numbers):
        (((grid, threads, stream), (low, high, k0, k1, _, _, filled)),) = launched
        assert (low, high, k0, k1, stream) == ((0, 1), (2, 3), 4, 5, "stream") and filled is out
        prove(z3.And(threads.value % 32 == 0, 32 <= threads.value, threads.value <= 256), *conditions)
        prove(z3.And(1 <= grid.value, z3.Implies(SIZE < 1 << 43, grid.value < 1 << 31)), *conditions)


def least(a, b):
    return Integer(smaller(a, b).value)


def largest(a, b):
    return -least(-Integer(0).like(a), -Integer(0).like(b))
