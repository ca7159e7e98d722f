"""cuRAND's host API with the generator CURAND_RNG_PSEUDO_PHILOX4_32_10, without cuRAND and without a GPU.

Words and uniform numbers are cuRAND's, bit for bit. Normals are within a few ulp of cuRAND's.
specs/curand.md has the rules, the distances and the traps.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..drawing.position import SharedPosition
from ..kernels import of_rule
from ..messages import missing_attribute
from ..philox import MASK64
from ..state import make_state
from . import kernels
from .shared import FLOAT32, FLOAT64, check_bits, check_int, check_real

__all__ = ["Generator"]

THREADS = 1 << 16
MAX_RUN = 1 << 14  # visits in a run: the words of a run stay in a core's L2 cache
MAX_NUMBERS = 1 << 59  # their bytes can be counted in 63 bits
ORDERS = (100, 101, 103)  # best, default and legacy: the same numbers

# Pairs (first thread, block), sorted. The next block of a thread is that of the last pair whose thread is not above it.
# There are more than two pairs only after calls for doubles.
Blocks = tuple[tuple[int, int], ...]


class Place(NamedTuple):
    """The thread that makes the next number, the place of that number among the four of the visit, and the next blocks.
    `offset` is the last offset that was set, and `drawn` the count of numbers since. Only a new seed uses them."""

    thread: int
    lane: int
    blocks: Blocks
    offset: int = 0
    drawn: int = 0

    def runs(self, visits: int, step: int) -> Iterator[tuple[int, int, int]]:
        """The next visits in turn: the first of some consecutive threads, the block that each takes next, and how many
        threads these are. At each visit, a thread takes `step` blocks."""
        starts = [start for start, _ in self.blocks] + [THREADS]
        done = 0
        while done < visits:
            rounds, before = divmod(done, THREADS)
            thread = (self.thread + done) % THREADS
            pair = bisect_right(starts, thread) - 1
            count = min(visits - done, THREADS - before, starts[pair + 1] - thread, MAX_RUN)
            yield thread, self.blocks[pair][1] + rounds * step, count
            done += count

    def after(self, numbers: int, step: int) -> Place:
        """The place after `numbers` numbers. A visit that is not complete starts again, at its next number."""
        visits, lane = divmod(self.lane + numbers, 4)
        rounds, rest = divmod(visits, THREADS)
        end = self.thread + rest
        blocks = _add(self.blocks, 0, THREADS, rounds * step)
        blocks = _add(blocks, self.thread, min(end, THREADS), step)
        blocks = _add(blocks, 0, end - THREADS, step)
        return Place(end % THREADS, lane, blocks, self.offset, self.drawn + numbers)

    def at_new_seed(self) -> Place:
        """The place at which another seed begins: curand 14."""
        offset = (self.offset + (self.offset % 4 + self.drawn) // 4) % (1 << 64)
        return place_at(offset) if offset else place_at(0).after((self.offset + self.drawn) % 4, 1)


def place_at(offset: int) -> Place:
    """The place that curandSetGeneratorOffset sets: after `offset` words, also if numbers of two words are drawn."""
    return Place(0, 0, ((0, 0),)).after(offset, 1)._replace(offset=offset, drawn=0)


def _add(blocks: Blocks, start: int, stop: int, step: int) -> Blocks:
    """`blocks` with `step` added for the threads of [start, stop)."""
    if start >= stop:
        return blocks
    firsts = [first for first, _ in blocks]
    added: list[tuple[int, int]] = []
    for first in sorted({*firsts, start, stop} - {THREADS}):
        block = blocks[bisect_right(firsts, first) - 1][1] + step * (start <= first < stop)
        if not added or added[-1][1] != block:
            added.append((first, block))
    return tuple(added)


class Kind(NamedTuple):
    """A kind of numbers: their type, the blocks that a thread takes at a visit, and the rule of kernels/rules.py."""

    dtype: np.dtype[Any]
    blocks: int
    rule: str


WORDS = Kind(np.dtype(np.uint32), 1, "word")
UNIFORM, UNIFORM_DOUBLE = Kind(FLOAT32, 1, "curand_uniform_32"), Kind(FLOAT64, 2, "curand_uniform_64")
NORMAL, NORMAL_DOUBLE = Kind(FLOAT32, 1, "curand_normal_32"), Kind(FLOAT64, 2, "curand_normal_64")


# Methods that are not here, and what to write instead.
_LOG_NORMAL = "Write numpy.exp(generator.{}(n, mean, stddev)), which is near cuRAND's numbers."
_ABSENT = {
    "generate_log_normal": _LOG_NORMAL.format("generate_normal"),
    "generate_log_normal_double": _LOG_NORMAL.format("generate_normal_double"),
    "generate_poisson": (
        "For a mean of 2000 to 400000 write numpy.floor(generator.generate_normal(n).astype(float) * mean**0.5 + mean "
        "+ 0.5). For smaller means cuRAND uses a table that it does not describe."
    ),
}


class Generator(SharedPosition[Place]):
    """A host generator of type CURAND_RNG_PSEUDO_PHILOX4_32_10: the numbers of `curandCreateGeneratorHost`. Each call
    continues where the call before ended. Threads may share a generator. A copy, an unpickled generator or a forked
    child continues on its own. Not for cryptography.

    seed and offset are ints in [0, 2**64). order is 100, 101 or 103, which give the same numbers. Every `generate`
    method takes `n`, an int in [0, 2**59), and returns a new array of shape (n,).

    >>> generator = Generator(seed=7)
    >>> generator.generate(3), generator.generate_uniform(2)
    (array([4099963437, 3221879260,  490388034], dtype=uint32), array([0.08565786, 0.4950398 ], dtype=float32))
    """

    def __init__(self, seed: int = 0, offset: int = 0, order: int = 101) -> None:
        self._seed = check_bits(seed, "seed", 64)
        if check_int(order, "order") not in ORDERS:
            raise ValueError(f"order must be 100, 101 or 103, as for this generator of cuRAND; got {order}.")
        super().__init__(place_at(check_bits(offset, "offset", 64)))

    @property
    def seed(self) -> int:
        """The seed. Set it to go on with another seed: `curandSetPseudoRandomGeneratorSeed`. Trap, cuRAND's: after k
        words of a new generator, the new seed begins at word k only while k < 4. From there on, it begins at word k //
        4."""
        return self._seed

    @seed.setter
    def seed(self, seed: int) -> None:
        number = check_bits(seed, "seed", 64)

        def change(place: Place) -> tuple[None, Place]:
            self._seed = number
            return None, place.at_new_seed()

        self._draw(change)

    def set_offset(self, offset: int) -> None:
        """Continue after `offset` words, an int in [0, 2**64): `curandSetGeneratorOffset`. Trap, cuRAND's: the offset
        counts words for doubles too. Only below 262144, doubles at offset k are those that follow k doubles."""
        self._move_to(place_at(check_bits(offset, "offset", 64)))

    def generate(self, n: int) -> NDArray[np.uint32]:
        """The next n words: `curandGenerate`. Exact."""
        return self._numbers(n, WORDS)

    def generate_uniform(self, n: int) -> NDArray[np.float32]:
        """n uniform float32 of (0, 1]: `curandGenerateUniform`. Exact."""
        return self._numbers(n, UNIFORM)

    def generate_uniform_double(self, n: int) -> NDArray[np.float64]:
        """n uniform float64 of (0, 1]: `curandGenerateUniformDouble`. Exact."""
        return self._numbers(n, UNIFORM_DOUBLE)

    def generate_normal(self, n: int, mean: float = 0.0, stddev: float = 1.0) -> NDArray[np.float32]:
        """n normals of float32: `curandGenerateNormal`. Before scaling, within 3 ulp of cuRAND's."""
        return self._numbers(n, NORMAL, mean, stddev)

    def generate_normal_double(self, n: int, mean: float = 0.0, stddev: float = 1.0) -> NDArray[np.float64]:
        """n normals of float64: `curandGenerateNormalDouble`. Before scaling, within 5 ulp of cuRAND's."""
        return self._numbers(n, NORMAL_DOUBLE, mean, stddev)

    if not TYPE_CHECKING:  # hidden from type checkers, which would take every misspelt name for an attribute

        def __getattr__(self, name: str) -> Any:
            raise missing_attribute(self, name, _ABSENT.get(name, ""))

    def _numbers(self, n: Any, kind: Kind, *scale: float) -> NDArray[Any]:
        count = check_int(n, "n", 0, MAX_NUMBERS)
        checked = [float(check_real(each, name, kind.dtype)) for each, name in zip(scale, ("mean", "stddev"))]

        def draw(place: Place) -> tuple[NDArray[Any], Place]:
            return _fill(self._seed, place, count, kind, checked), place.after(count, kind.blocks)

        return self._draw(draw)


def _fill(seed: int, place: Place, n: int, kind: Kind, scale: list[float]) -> NDArray[Any]:
    """n numbers from a place on. All numbers of each visit are made, and those before and after the n are cut off."""
    visits = -(-(place.lane + n) // 4)
    made = np.empty(4 * visits, kind.dtype)
    words = np.empty(4 * min(visits, MAX_RUN), np.uint32)
    make, parameters = of_rule(kind.rule).convert, np.array(scale, kind.dtype)
    first = 0
    for thread, block, count in place.runs(visits, kind.blocks):
        piece = made[first : first + 4 * count]
        for i in range(kind.blocks):
            drawn = piece if kind is WORDS else words[: 4 * count]
            kernels.curand_blocks.run(make_state(counter=(thread << 64) + (block + i & MASK64), key=seed), drawn)
            if kind.dtype == FLOAT32:
                make.run(drawn, parameters, piece)
            elif kind.dtype == FLOAT64:
                pairs = np.empty((count, 2))
                make.run(drawn, parameters, pairs.reshape(-1))
                piece.reshape(count, 2, 2)[:, i] = pairs
        first += 4 * count
    return made[place.lane : place.lane + n]
