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

from ..drawing.messages import missing_attribute
from ..drawing.position import SharedPosition
from ..kernels import Kernel, of_rule
from ..philox import MASK64
from ..state import make_state
from . import kernels
from .shared import FLOAT32, FLOAT64, check_bits, check_int, check_real

__all__ = ["Generator"]

THREADS = 1 << 16
MAX_RUN = 1 << 14  # visits in a run: the words of a run stay in a core's L2 cache
MAX_NUMBERS = 1 << 59  # their bytes can be counted in 63 bits
WORDS = np.dtype(np.uint32)
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
        end = (self.thread + visits) % THREADS
        starts = [start for start, _ in self.blocks]
        blocks: list[tuple[int, int]] = []
        for start in sorted({*starts, self.thread, end}):
            turns = -(((start - self.thread) % THREADS - visits) // THREADS)  # of this thread among the visits
            block = self.blocks[bisect_right(starts, start) - 1][1] + turns * step
            if not blocks or blocks[-1][1] != block:
                blocks.append((start, block))
        return Place(end, lane, tuple(blocks), self.offset, self.drawn + numbers)


def place_at(offset: int) -> Place:
    """The place that curandSetGeneratorOffset sets: after `offset` words, also if numbers of two words are drawn."""
    return Place(0, 0, ((0, 0),)).after(offset, 1)._replace(offset=offset, drawn=0)


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

        def change(place: Place) -> tuple[None, Place]:  # curand 14
            self._seed = number
            offset = (place.offset + (place.offset % 4 + place.drawn) // 4) % (1 << 64)
            return None, place_at(offset) if offset else place_at(0).after((place.offset + place.drawn) % 4, 1)

        self._draw(change)

    def set_offset(self, offset: int) -> None:
        """Continue after `offset` words, an int in [0, 2**64): `curandSetGeneratorOffset`. Trap, cuRAND's: the offset
        counts words for doubles too. Only below 262144, doubles at offset k are those that follow k doubles."""
        self._move_to(place_at(check_bits(offset, "offset", 64)))

    def generate(self, n: int) -> NDArray[np.uint32]:
        """The next n words: `curandGenerate`. Exact."""
        return self._numbers(n, WORDS, "word")

    def generate_uniform(self, n: int) -> NDArray[np.float32]:
        """n uniform float32 of (0, 1]: `curandGenerateUniform`. Exact."""
        return self._numbers(n, FLOAT32, "curand_uniform_32")

    def generate_uniform_double(self, n: int) -> NDArray[np.float64]:
        """n uniform float64 of (0, 1]: `curandGenerateUniformDouble`. Exact."""
        return self._numbers(n, FLOAT64, "curand_uniform_64")

    def generate_normal(self, n: int, mean: float = 0.0, stddev: float = 1.0) -> NDArray[np.float32]:
        """n normals of float32: `curandGenerateNormal`. Before scaling, within 3 ulp of cuRAND's."""
        return self._numbers(n, FLOAT32, "curand_normal_32", mean, stddev)

    def generate_normal_double(self, n: int, mean: float = 0.0, stddev: float = 1.0) -> NDArray[np.float64]:
        """n normals of float64: `curandGenerateNormalDouble`. Before scaling, within 5 ulp of cuRAND's."""
        return self._numbers(n, FLOAT64, "curand_normal_64", mean, stddev)

    if not TYPE_CHECKING:  # hidden from type checkers, which would take every misspelt name for an attribute

        def __getattr__(self, name: str) -> Any:
            raise missing_attribute(self, name, _ABSENT.get(name, ""))

    def _numbers(self, n: Any, kind: np.dtype[Any], rule: str, *scale: float) -> NDArray[Any]:
        """The next n numbers of a type, by a rule of kernels/rules.py."""
        count = check_int(n, "n", 0, MAX_NUMBERS)
        checked = [float(check_real(each, name, kind)) for each, name in zip(scale, ("mean", "stddev"))]

        def draw(place: Place) -> tuple[NDArray[Any], Place]:
            numbers = _fill(self._seed, place, count, of_rule(rule).convert, np.array(checked, kind))
            return numbers, place.after(count, kind.itemsize // 4)

        return self._draw(draw)


def _fill(seed: int, place: Place, n: int, convert: Kernel, parameters: NDArray[Any]) -> NDArray[Any]:
    """n numbers from a place on, of the type of the parameters. All numbers of each visit are made, and those before
    and after the n are cut off."""
    kind = parameters.dtype
    blocks = kind.itemsize // 4  # that a thread takes at a visit
    visits = -(-(place.lane + n) // 4)
    made = np.empty(4 * visits, kind)
    words = np.empty(4 * min(visits, MAX_RUN), np.uint32)
    first = 0
    for thread, block, count in place.runs(visits, blocks):
        piece = made[first : first + 4 * count]
        for i in range(blocks):
            drawn = piece if kind == WORDS else words[: 4 * count]
            kernels.curand_blocks.run(make_state(counter=(thread << 64) + (block + i & MASK64), key=seed), drawn)
            if kind == FLOAT32:
                convert.run(drawn, parameters, piece)
            elif kind == FLOAT64:
                pairs = np.empty((count, 2))
                convert.run(drawn, parameters, pairs.reshape(-1))
                piece.reshape(count, 2, 2)[:, i] = pairs
        first += 4 * count
    return made[place.lane : place.lane + n]
