"""Generator: cuRAND's host generator, call after call."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import kernels
from ...arrays.integers import check_bits, check_int
from ...arrays.number_types import check_real
from ...position import SharedPosition
from ...state import make_state
from .place import MAX_RUN, Place, place_at

MASK64 = (1 << 64) - 1
MAX_NUMBERS = 1 << 59  # their bytes can be counted in 63 bits
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


class Numbers(NamedTuple):
    """A kind of numbers: their type, the blocks that a thread takes at a visit, and the kernel that converts words."""

    dtype: np.dtype[Any]
    blocks: int
    kernel: str


WORDS = Numbers(np.dtype(np.uint32), 1, "")
UNIFORM, UNIFORM_DOUBLE = Numbers(FLOAT32, 1, "curand_uniform_32"), Numbers(FLOAT64, 2, "curand_uniform_64")
NORMAL, NORMAL_DOUBLE = Numbers(FLOAT32, 1, "curand_normal_32"), Numbers(FLOAT64, 2, "curand_normal_64")


class Generator(SharedPosition[Place]):
    """A host generator of type CURAND_RNG_PSEUDO_PHILOX4_32_10: the numbers of `curandCreateGeneratorHost`.

    Each call continues where the call before ended, as in cuRAND. Threads may share a generator: a draw and its step
    are one operation. A copy, an unpickled generator or a forked child continues on its own. Not for cryptography.

    65536 threads take turns. Thread t has the blocks of the counters t * 2**64 + 0, 1, 2, ... and the key `seed`. At
    each visit it makes four numbers: from one block, or for doubles from two.

    Parameters
    ----------
    seed : int in [0, 2**64)
        As curandSetPseudoRandomGeneratorSeed. cuRAND's default is 0.
    offset : int in [0, 2**64)
        As set_offset.

    Examples
    --------
    >>> generator = Generator(seed=7)
    >>> generator.generate(3)
    array([4099963437, 3221879260,  490388034], dtype=uint32)
    >>> generator.generate_uniform(2)
    array([0.08565786, 0.4950398 ], dtype=float32)
    """

    def __init__(self, seed: int = 0, offset: int = 0) -> None:
        self._seed = check_bits(seed, "seed", 64)
        super().__init__(place_at(check_bits(offset, "offset", 64)))

    @property
    def seed(self) -> int:
        """The seed. Make another Generator for another seed."""
        return self._seed

    def set_offset(self, offset: int) -> None:
        """Continue after `offset` words: `curandSetGeneratorOffset`.

        Trap, cuRAND's: the offset counts words for doubles too. A generator at offset k gives the doubles that follow
        k doubles only while k < 262144. Beyond that, doubles repeat numbers of other offsets. To continue after k
        doubles, keep the generator, which continues correctly, or draw them again.

        Parameters
        ----------
        offset : int in [0, 2**64)

        Examples
        --------
        >>> generator = Generator(7)
        >>> generator.set_offset(2)
        >>> generator.generate(1)
        array([490388034], dtype=uint32)
        """
        self._move_to(place_at(check_bits(offset, "offset", 64)))

    def generate(self, n: int) -> NDArray[np.uint32]:
        """The next n words: `curandGenerate`. Exact.

        Parameters
        ----------
        n : int in [0, 2**59)

        Returns
        -------
        uint32 array of shape (n,)

        Raises
        ------
        MemoryError
            The numbers do not fit in memory.

        Examples
        --------
        >>> Generator(7).generate(2)
        array([4099963437, 3221879260], dtype=uint32)
        """
        return self._numbers(n, WORDS)

    def generate_uniform(self, n: int) -> NDArray[np.float32]:
        """n uniform float32 of (0, 1]: `curandGenerateUniform`. Exact. n and the errors are those of generate.

        A number is w * 2**-32 + 2**-33 for a word w, with each operation rounded to float32. So 1 is drawn and 0 is
        not.

        >>> Generator(7).generate_uniform(2)
        array([0.9545971 , 0.75015223], dtype=float32)
        """
        return self._numbers(n, UNIFORM)

    def generate_uniform_double(self, n: int) -> NDArray[np.float64]:
        """n uniform float64 of (0, 1]: `curandGenerateUniformDouble`. Exact. n and the errors are those of generate.

        A number is (a ^ b << 21) * 2**-53 + 2**-54 for two words a and b of a block.

        >>> Generator(7).generate_uniform_double(2).round(8)
        array([0.7501525 , 0.08565786])
        """
        return self._numbers(n, UNIFORM_DOUBLE)

    def generate_normal(self, n: int, mean: float = 0.0, stddev: float = 1.0) -> NDArray[np.float32]:
        """n normals of float32: `curandGenerateNormal`. Before scaling, within 3 ulp of cuRAND's.

        cuRAND's page demands an even n. The library accepts any n, and so does this function. Two words of a block make
        two numbers by the method of Box and Muller. After an odd n, the next call begins with the second one.

        Parameters
        ----------
        n : int in [0, 2**59)
        mean, stddev : real numbers
            Rounded to float32. cuRAND has no defaults.

        Returns
        -------
        float32 array of shape (n,)

        Raises
        ------
        MemoryError
            The numbers do not fit in memory.

        Examples
        --------
        >>> Generator(7).generate_normal(2).round(3)
        array([-0.305,  0.   ], dtype=float32)
        """
        return self._numbers(n, NORMAL, *_read_scale(mean, stddev, FLOAT32))

    def generate_normal_double(self, n: int, mean: float = 0.0, stddev: float = 1.0) -> NDArray[np.float64]:
        """n normals of float64: `curandGenerateNormalDouble`. Before scaling, within 5 ulp of cuRAND's.

        The arguments and errors are those of generate_normal. One block makes two numbers.

        >>> Generator(7).generate_normal_double(2).round(3)
        array([0.389, 0.651])
        """
        return self._numbers(n, NORMAL_DOUBLE, *_read_scale(mean, stddev, FLOAT64))

    def generate_log_normal(self, n: int, mean: float = 0.0, stddev: float = 1.0) -> NDArray[np.float32]:
        """n log-normals of float32: `curandGenerateLogNormal`: exp of the numbers of generate_normal.

        The arguments and errors are those of generate_normal. exp is computed in float64 and rounded.

        >>> Generator(7).generate_log_normal(2).round(3)
        array([0.737, 1.   ], dtype=float32)
        """
        normals = self.generate_normal(n, mean, stddev)
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(normals, dtype=np.float64).astype(np.float32)

    def generate_log_normal_double(self, n: int, mean: float = 0.0, stddev: float = 1.0) -> NDArray[np.float64]:
        """n log-normals of float64: `curandGenerateLogNormalDouble`: exp of the numbers of generate_normal_double.

        The arguments and errors are those of generate_normal. exp is NumPy's, whose last bit depends on the machine.

        >>> Generator(7).generate_log_normal_double(2).round(3)
        array([1.475, 1.918])
        """
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(self.generate_normal_double(n, mean, stddev))

    def _numbers(self, n: Any, numbers: Numbers, *scale: float) -> NDArray[Any]:
        count = check_int(n, "n", 0, MAX_NUMBERS)
        return self._draw(
            lambda place: (_fill(self._seed, place, count, numbers, scale), place.after(count, numbers.blocks))
        )


def _read_scale(mean: Any, stddev: Any, kind: np.dtype[Any]) -> tuple[float, float]:
    return float(check_real(mean, "mean", kind)), float(check_real(stddev, "stddev", kind))


def _fill(seed: int, place: Place, n: int, numbers: Numbers, scale: tuple[float, ...]) -> NDArray[Any]:
    """n numbers from a place on. All numbers of each visit are made, and those before and after the n are cut off."""
    visits = -(-(place.lane + n) // 4)
    made = np.empty(4 * visits, numbers.dtype)
    scratch = np.empty((numbers.blocks, 4 * min(visits, MAX_RUN)), np.uint32)
    first = 0
    for thread, block, count in place.runs(visits, numbers.blocks):
        piece = made[first : first + 4 * count]
        words = [row[: 4 * count] for row in scratch] if numbers.kernel else [piece]
        for i, row in enumerate(words):
            kernels.curand_blocks(make_state(counter=(thread << 64) + (block + i & MASK64), key=seed), row)
        if numbers.kernel:
            getattr(kernels, numbers.kernel)(*words, *scale, piece)
        first += 4 * count
    return made[place.lane : place.lane + n]
