"""CUDAGenerator: a generator of torch on a CUDA device of given geometry."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import kernels
from ...arrays.integers import check_int
from ...arrays.tensor import Shape
from ...position import Position
from ...state import make_state
from .arguments import check_offset, check_range, check_seed, check_shape

Array = NDArray[Any]

DEFAULT_SEED = 67280421310721  # of a generator that nobody seeded
THREADS_PER_BLOCK = 256
OFFSET_STEP = 4  # by which the offset grows for each block that a thread takes
MODULO_32_LIMIT = 1 << 28  # ranges from here on take two words for a number


class Place(NamedTuple):
    """The key, and the number of words that every thread has passed."""

    seed: int
    offset: int


class CUDAGenerator(Position[Place]):
    """The numbers of `torch.Generator(device="cuda")` on a GPU of given geometry.

    A draw of n elements runs T = 256 * min(sms * (threads_per_sm // 256), ceil(n / 256)) threads of the GPU. Thread t
    owns the blocks of the counters t * 2**64 + 0, 1, 2, ... under the key `seed`. So tensors that are larger than T are
    different on different GPUs, and smaller ones are equal.

    No GPU was available. Only rand and randn of up to 64 elements were compared, with numbers that torch printed to four
    decimals. Everything else follows the source of torch 2.14.1. Not for cryptography.

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

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.

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
        raw = new_state.tobytes() if isinstance(new_state, np.ndarray) and new_state.dtype == np.uint8 else new_state
        if not isinstance(raw, bytes):
            got = f"an array of {raw.dtype}" if isinstance(raw, np.ndarray) else type(raw).__name__
            raise TypeError(f"new_state must be a uint8 array or bytes; got {got}. Pass get_state().")
        if len(raw) != 16:
            raise ValueError(f"new_state must have 16 bytes: the seed and the offset; got {len(raw)}.")
        seed, offset = np.frombuffer(raw, "<u8").tolist()
        self._move_to(Place(seed, check_offset(offset)))

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

        Raises
        ------
        TypeError, ValueError
            shape is not one of these.

        Examples
        --------
        >>> CUDAGenerator(0).rand((2, 2)).round(4)
        array([[0.399 , 0.5167],
               [0.0249, 0.9401]], dtype=float32)
        """
        numbers = self._numbers(check_shape(shape, 4), 4, _uniforms)
        return np.where(numbers == 1, np.float32(0), numbers)

    def randn(self, shape: Any) -> NDArray[np.float32]:
        """Normal float32: `torch.randn(shape, device="cuda")`. shape and the errors are those of rand.

        They are the numbers of compat.curand's generate_normal of the same words. A GPU computes the logarithm, sine
        and cosine less exactly. How far its numbers are from these was not measured.

        >>> CUDAGenerator(0).randn(3).round(4)
        array([-0.9247, -0.4253, -2.6438], dtype=float32)
        """
        return self._numbers(check_shape(shape, 4), 4, _normals)

    def randint(self, low: int, high: int, shape: Any) -> NDArray[np.int64]:
        """int64 of [low, high): `torch.randint(low, high, shape, device="cuda")`. Never compared with torch.

        A number is w % (high - low) + low, where w is a word. If high - low is 2**28 or more, w is two words of a block,
        the first one high.

        Parameters
        ----------
        low, high : ints in [-2**63, 2**63), low < high
        shape : as in rand

        Returns
        -------
        int64 array of `shape`

        Raises
        ------
        TypeError, ValueError
            An argument breaks a rule above.

        Examples
        --------
        >>> CUDAGenerator(0).randint(0, 10, 5).dtype
        dtype('int64')
        """
        first, last = check_range(low, high)
        sizes, span = check_shape(shape, 8), np.uint64(last - first)
        numbers = self._words(sizes, pairs=last - first >= MODULO_32_LIMIT)
        return (numbers % span + np.uint64(first % (1 << 64))).view(np.int64)

    def random(self, shape: Any) -> NDArray[np.int64]:
        """int64 of [0, 2**63): `tensor.random_()` of an int64 tensor. Never compared with torch.

        A number is the low 63 bits of two words of a block, the first one high. shape and the errors are those of rand.

        >>> bool((CUDAGenerator(0).random(9) >= 0).all())
        True
        """
        return (self._words(check_shape(shape, 8), pairs=True) % np.uint64(1 << 63)).view(np.int64)

    def _words(self, sizes: Shape, pairs: bool) -> NDArray[np.uint64]:
        """A word for each element, or two as one number, the first one high."""

        def join(words: NDArray[np.uint32]) -> NDArray[np.uint64]:
            wide = words.astype(np.uint64)
            return wide[::2] << np.uint64(32) | wide[1::2] if pairs else wide

        return self._numbers(sizes, 2 if pairs else 4, join)

    def _numbers(self, sizes: Shape, block_numbers: int, convert: Callable[[Array], Array]) -> Array:
        """A tensor of numbers. convert(words) makes `block_numbers` numbers of each block."""
        count = prod(sizes)
        if count == 0:
            return convert(np.empty(0, np.uint32)).reshape(sizes)
        threads = THREADS_PER_BLOCK * min(self._max_blocks, -(-count // THREADS_PER_BLOCK))
        rounds = -(-count // (threads * block_numbers))

        def draw(place: Place) -> tuple[Array, Place]:
            made = [_round(place, i, threads, block_numbers, convert) for i in range(rounds)]
            after = Place(place.seed, (place.offset + OFFSET_STEP * rounds) % (1 << 64))
            return np.concatenate(made)[:count].reshape(sizes), after

        return self._draw(draw)


def _round(place: Place, i: int, threads: int, block_numbers: int, convert: Callable[[Array], Array]) -> Array:
    """The numbers of block i of every thread: the first number of each thread, then the second of each, and so on."""
    words = np.empty(4 * threads, np.uint32)
    kernels.curand_blocks(make_state(counter=place.offset // 4 + i, key=place.seed), words)
    return convert(words).reshape(threads, block_numbers).T.reshape(-1)


def _uniforms(words: NDArray[np.uint32]) -> NDArray[np.float32]:
    numbers = np.empty(words.size, np.float32)
    kernels.curand_uniform_32(words, numbers)
    return numbers


def _normals(words: NDArray[np.uint32]) -> NDArray[np.float32]:
    numbers = np.empty(words.size, np.float32)
    kernels.curand_normal_32(words, 0.0, 1.0, numbers)
    return numbers
