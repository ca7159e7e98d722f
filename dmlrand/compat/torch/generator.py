"""CUDAGenerator: a generator of torch on a CUDA device of given geometry."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.integers import check_int
from ...arrays.tensor import Shape
from ...position import SharedPosition
from .arguments import check_chance, check_offset, check_range, check_seed, check_shape, read_state
from .layout import THREADS_PER_BLOCK, Place, draw_numbers
from .numbers import normals, uniforms, words32, words64

Array = NDArray[Any]

DEFAULT_SEED = 67280421310721  # of a generator without a seed
MODULO_32_LIMIT = 1 << 28  # ranges from here on take two words for a number


class CUDAGenerator(SharedPosition[Place]):
    """The numbers of `torch.Generator(device="cuda")` on a GPU of given geometry.

    A draw of n elements runs T = 256 * min(sms * (threads_per_sm // 256), ceil(n / 256)) threads of the GPU. Thread t
    owns the blocks of the counters t * 2**64 + 0, 1, 2, ... under the key `seed`. So tensors of more than
    256 * sms * (threads_per_sm // 256) elements differ between GPUs, and smaller tensors are equal.

    No GPU was available. Only rand of up to 36 elements and randn of 64 were compared, with numbers that torch printed
    to four decimals. Everything else follows torch's source, and specs/torch.md says which. Not for cryptography.

    Python's threads may share a generator: a draw and its step are one operation. A copy, an unpickled generator or a
    forked child continues from the same place on its own.

    Parameters
    ----------
    seed : int in [-2**63, 2**64)
        As manual_seed.
    sms : int >= 1
        Multiprocessors of the GPU: `torch.cuda.get_device_properties(0).multi_processor_count`. An A100 has 108 and an
        H100 SXM has 132.
    threads_per_sm : int >= 256
        `max_threads_per_multi_processor` of the same object: 2048 on an A100 or H100.

    Examples
    --------
    >>> generator = CUDAGenerator(0)
    >>> generator.rand(4).round(4)
    array([0.399 , 0.5167, 0.0249, 0.9401], dtype=float32)
    >>> generator.rand(2).round(4), generator.get_offset()
    (array([0.9722, 0.791 ], dtype=float32), 8)
    """

    def __init__(self, seed: int = DEFAULT_SEED, sms: int = 132, threads_per_sm: int = 2048) -> None:
        blocks_per_sm = check_int(threads_per_sm, "threads_per_sm", THREADS_PER_BLOCK, 1 << 16) // THREADS_PER_BLOCK
        self._max_blocks = check_int(sms, "sms", 1, 1 << 16) * blocks_per_sm
        super().__init__(Place(check_seed(seed), 0))

    def manual_seed(self, seed: int) -> None:
        """Set the seed, and the offset to 0. A negative seed counts modulo 2**64.

        >>> generator = CUDAGenerator(1)
        >>> generator.manual_seed(-1)
        >>> generator.initial_seed() == 2**64 - 1
        True
        """
        self._move_to(Place(check_seed(seed), 0))

    def initial_seed(self) -> int:
        """The seed.

        >>> CUDAGenerator(7).initial_seed()
        7
        """
        return self._place.seed

    def get_offset(self) -> int:
        """The offset: 4 times the number of blocks that every thread has passed.

        >>> CUDAGenerator(7).get_offset()
        0
        """
        return self._place.offset

    def set_offset(self, offset: int) -> None:
        """Set the offset, a multiple of 4 in [0, 2**64). The seed does not change.

        >>> generator = CUDAGenerator(7)
        >>> generator.set_offset(12)
        >>> generator.get_offset()
        12
        """
        number = check_offset(offset)
        self._draw(lambda place: (None, Place(place.seed, number)))

    def get_state(self) -> NDArray[np.uint8]:
        """The state as torch saves it: 8 bytes of seed, then 8 bytes of offset, little-endian, as uint8.

        >>> CUDAGenerator(7).get_state().tolist()
        [7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        """
        return np.frombuffer(np.array(self._place, "<u8").tobytes(), np.uint8).copy()

    def set_state(self, new_state: Any) -> None:
        """Continue at a state that get_state or `torch.cuda.get_rng_state().numpy()` returned.

        Parameters
        ----------
        new_state : uint8 array of shape (16,), or 16 bytes

        Raises
        ------
        TypeError, ValueError
            new_state is not one of these, or its offset is not a multiple of 4.

        Examples
        --------
        >>> generator, other = CUDAGenerator(7), CUDAGenerator(8)
        >>> other.set_state(generator.get_state())
        >>> bool((generator.rand(9) == other.rand(9)).all())
        True
        """
        self._move_to(Place(*read_state(new_state)))

    def rand(self, shape: Any) -> NDArray[np.float32]:
        """Uniform float32 of [0, 1): `torch.rand(shape, device="cuda")`.

        A word w gives w * 2**-32 + 2**-33 in float32, and 0 where this is 1.

        Parameters
        ----------
        shape : int, or tuple or list of ints >= 0
            It must describe fewer than 2**31 bytes. torch divides larger tensors.

        Returns
        -------
        float32 array of `shape`

        Examples
        --------
        >>> CUDAGenerator(0).rand((2, 2)).round(4)
        array([[0.399 , 0.5167],
               [0.0249, 0.9401]], dtype=float32)
        """
        numbers = self._numbers(check_shape(shape, 4), 4, uniforms)
        return np.where(numbers == 1, np.float32(0), numbers)

    def randn(self, shape: Any) -> NDArray[np.float32]:
        """Normal float32: `torch.randn(shape, device="cuda")`. shape and the errors are those of rand.

        They are the numbers of compat.curand's generate_normal of the same words. A GPU computes the logarithm, sine
        and cosine less exactly. How far its numbers are from these was not measured.

        >>> CUDAGenerator(0).randn(3).round(4)
        array([-0.9247, -0.4253, -2.6438], dtype=float32)
        """
        return self._numbers(check_shape(shape, 4), 4, normals)

    def randint(self, low: int, high: int, shape: Any) -> NDArray[np.int64]:
        """int64 of [low, high): `torch.randint(low, high, shape, device="cuda")`. Never compared with torch.

        A number is w % (high - low) + low, where w is a word. If high - low is 2**28 or more, w is two words of a
        block, the first one high.

        Parameters
        ----------
        low, high : ints in [-2**63, 2**63), low < high
        shape : as in rand

        Returns
        -------
        int64 array of `shape`

        Examples
        --------
        >>> CUDAGenerator(0).randint(0, 10, 5).dtype
        dtype('int64')
        """
        first, last = check_range(low, high)
        sizes, span = check_shape(shape, 8), np.uint64(last - first)
        wide = last - first >= MODULO_32_LIMIT
        numbers = self._numbers(sizes, 2, words64) if wide else self._numbers(sizes, 4, words32)
        return (numbers % span + np.uint64(first % (1 << 64))).view(np.int64)

    def random(self, shape: Any) -> NDArray[np.int64]:
        """int64 of [0, 2**63): `tensor.random_()` of an int64 tensor. Never compared with torch.

        A number is the low 63 bits of two words of a block, the first one high. shape and the errors are those of rand.

        >>> bool((CUDAGenerator(0).random(9) >= 0).all())
        True
        """
        return (self._numbers(check_shape(shape, 8), 2, words64) % np.uint64(1 << 63)).view(np.int64)

    def dropout_mask(self, shape: Any, p: float = 0.5) -> NDArray[np.bool_]:
        """Which elements torch.nn.functional.dropout keeps, in training, of a float32 tensor. Never compared with
        torch.

        The tensor is contiguous and starts at a multiple of 16 bytes, as new tensors do. An element is kept where its
        number, that of rand before 1 becomes 0, is below 1 - p. But elements are numbered in another order, which
        depends on how often 2 divides their count: specs/torch.md, clause 2.9. With p = 0 and p = 1 nothing is drawn.

        Parameters
        ----------
        shape : as in rand
        p : real number in [0, 1]
            The chance to drop an element.

        Returns
        -------
        bool array of `shape`

        Examples
        --------
        >>> CUDAGenerator(0).dropout_mask(4)
        array([ True, False, False, False])
        """
        sizes, chance = check_shape(shape, 4), check_chance(p, np.dtype(np.float64))
        if chance in (0, 1):
            return np.full(sizes, chance == 0)
        count = prod(sizes)
        consecutive = 4 if count % 4 == 0 else 2 if count % 2 == 0 else 1
        kept: NDArray[np.bool_] = self._numbers(sizes, 4, uniforms, consecutive) < np.float32(1 - chance)
        return kept

    def _numbers(
        self, sizes: Shape, block_numbers: int, convert: Callable[[Array], Array], consecutive: int = 1
    ) -> Array:
        """A tensor of numbers, by layout.draw_numbers."""

        def draw(place: Place) -> tuple[Array, Place]:
            return draw_numbers(place, self._max_blocks, prod(sizes), block_numbers, convert, consecutive)

        return self._draw(draw).reshape(sizes)
