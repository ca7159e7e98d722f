"""CUDAGenerator: a generator of torch on a CUDA device of given geometry, and the search for such a geometry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...drawing.arguments import check_bits, check_choice, check_int
from ...drawing.messages import format_value
from ...drawing.number_types import check_dtype, check_real
from ...drawing.position import SharedPosition
from ...kernels import of_rule
from ...operator import random_generator
from ...state import make_state
from .. import kernels
from ..shared import FLOAT32, FLOAT64, Array, Shape, check_bounds, check_signed_seed, join_words, read_sizes

__all__ = ["DEVICES", "CUDAGenerator", "Geometry", "find_geometry"]

Words = NDArray[np.uint32]
Convert = Callable[[Words], Array]

DTYPES = ("float16", "bfloat16", "float32")
HIGH63 = 1 << 63
DEFAULT_SEED = 67280421310721  # of a generator without a seed
THREADS_PER_BLOCK = 256  # of CUDA's blocks of threads, not of Philox
OFFSET_STEP = 4  # words of a block
MODULO_32_LIMIT = 1 << 28  # ranges from here on take two words for a number

# Multiprocessors, and the largest number of threads on one.
DEVICES: dict[str, tuple[int, int]] = {
    "Tesla K80": (13, 2048), "GTX 1080 Ti": (28, 2048), "P100": (56, 2048), "T4": (40, 1024),
    "RTX 2070 Super": (40, 1024), "A10G": (80, 1536), "A100": (108, 2048), "RTX A4000": (48, 1536),
    "RTX A6000": (84, 1536), "RTX 3060": (28, 1536), "RTX 3090": (82, 1536), "L4": (58, 1536), "L40": (142, 1536),
    "L40S": (142, 1536), "RTX 4080 Super": (80, 1536), "RTX 4090": (128, 1536), "RTX 4090 D": (114, 1536),
    "H20": (78, 2048), "H100 PCIe": (114, 2048), "H100 SXM": (132, 2048), "RTX 5090": (170, 1536),
}  # fmt: skip


class Place(NamedTuple):
    """The key, and the number of words that every thread has passed."""

    seed: int
    offset: int


class CUDAGenerator(SharedPosition[Place]):
    """The numbers of `torch.Generator(device="cuda")` on a GPU with `sms` multiprocessors. Tensors of more than 256 *
    sms * (threads_per_sm // 256) elements differ between GPUs. The last bits of randn and normal differ from a GPU's.
    Threads may share a generator. A copy, an unpickled generator or a forked child continues on its own. Not for
    cryptography.

    sms and threads_per_sm are multi_processor_count and max_threads_per_multi_processor of
    `torch.cuda.get_device_properties(0)`. A name of DEVICES in place of sms gives both. The defaults are those of an
    H100 SXM. The dtype of a draw is float16, bfloat16 or float32.

    >>> generator = CUDAGenerator(0, "A100")  # or sms=108, threads_per_sm=2048
    >>> generator.rand(4).round(4), generator.get_offset()
    (array([0.399 , 0.5167, 0.0249, 0.9401], dtype=float32), 4)
    """

    def __init__(self, seed: int = DEFAULT_SEED, sms: int | str = 132, threads_per_sm: int = 2048) -> None:
        if isinstance(sms, str):
            sms, threads_per_sm = DEVICES[check_choice(sms, "sms", DEVICES)]
        threads = check_int(threads_per_sm, "threads_per_sm", THREADS_PER_BLOCK, 1 << 16)
        self._max_blocks = max_blocks(check_int(sms, "sms", 1, 1 << 16), threads)
        super().__init__(Place(check_signed_seed(seed), 0))

    def manual_seed(self, seed: int) -> None:
        """Set the seed, and the offset to 0. A negative seed counts modulo 2**64."""
        self._move_to(Place(check_signed_seed(seed), 0))

    def initial_seed(self) -> int:
        return self._place.seed

    def get_offset(self) -> int:
        """The offset: 4 times the number of blocks that every thread has passed."""
        return self._place.offset

    def set_offset(self, offset: int) -> None:
        """Set the offset, a multiple of 4 in [0, 2**64). The seed does not change."""
        number = check_offset(offset)
        self._draw(lambda place: (None, Place(place.seed, number)))

    def get_state(self) -> NDArray[np.uint8]:
        """The state as torch saves it: 8 bytes of seed, then 8 bytes of offset, little-endian, as uint8."""
        return np.frombuffer(np.array(self._place, "<u8").tobytes(), np.uint8).copy()

    def set_state(self, new_state: Any) -> None:
        """Continue at a state that get_state or `torch.cuda.get_rng_state().numpy()` returned, an array or bytes."""
        raw = new_state.tobytes() if getattr(new_state, "dtype", None) == np.uint8 else new_state
        if not isinstance(raw, bytes):
            got = f"an array of {raw.dtype}" if isinstance(raw, np.ndarray) else type(raw).__name__
            raise TypeError(f"new_state must be a uint8 array or bytes; got {got}. Pass get_state().")
        if len(raw) != 16:
            raise ValueError(f"new_state must have 16 bytes: the seed and the offset; got {len(raw)}.")
        seed, offset = np.frombuffer(raw, "<u8").tolist()
        self._move_to(Place(seed, check_offset(offset)))

    def skip_words(self, n: int) -> None:
        """Move the offset as a kernel does that takes `n` words in each thread: by n, rounded up to a multiple of 4."""
        step = -(-check_int(n, "n", 0, 1 << 64) // OFFSET_STEP) * OFFSET_STEP
        self._draw(lambda place: (None, Place(place.seed, (place.offset + step) % (1 << 64))))

    def rand(self, shape: Any, dtype: DTypeLike = np.float32) -> NDArray[Any]:
        """Uniform numbers of [0, 1): `torch.rand(shape, device="cuda", dtype=...)`."""
        kind = check_dtype(dtype, DTYPES)
        numbers = self._numbers(check_shape(shape, kind.itemsize), 4, uniforms).astype(kind, copy=False)
        return np.where(numbers == 1, kind.type(0), numbers)

    def uniform(self, shape: Any, low: float = 0.0, high: float = 1.0, dtype: DTypeLike = np.float32) -> NDArray[Any]:
        """Uniform numbers of [low, high): `tensor.uniform_(low, high)`."""
        kind = check_dtype(dtype, DTYPES)
        least, highest = check_real(low, "low", kind), check_real(high, "high", kind)
        numbers = _scaled(self._numbers(check_shape(shape, kind.itemsize), 4, uniforms), highest - least, least, kind)
        return np.where(numbers == highest, least, numbers)

    def randn(self, shape: Any, dtype: DTypeLike = np.float32) -> NDArray[Any]:
        """Normal numbers: `torch.randn(shape, device="cuda", dtype=...)`."""
        kind = check_dtype(dtype, DTYPES)
        return self._numbers(check_shape(shape, kind.itemsize), 4, normals).astype(kind, copy=False)

    def normal(self, shape: Any, mean: float = 0.0, std: float = 1.0, dtype: DTypeLike = np.float32) -> NDArray[Any]:
        """Normal numbers: `tensor.normal_(mean, std)`, a number of randn times std plus mean, rounded once."""
        centre, scale = (check_real(each, name, FLOAT32) for each, name in ((mean, "mean"), (std, "std")))
        kind = check_dtype(dtype, DTYPES)
        return _scaled(self._numbers(check_shape(shape, kind.itemsize), 4, normals), scale, centre, kind)

    def bernoulli(self, shape: Any, p: float) -> NDArray[np.bool_]:
        """True with chance p: `tensor.bernoulli_(p)` of a float. specs/torch.md says which dropouts draw so."""
        sizes, chance = check_shape(shape, 4), check_chance(p, FLOAT64)
        return np.asarray(self._numbers(sizes, 4, uniforms) < np.float32(chance))

    def randint(self, low: int, high: int, shape: Any) -> NDArray[np.int64]:
        """int64 of [low, high): `torch.randint(low, high, shape, device="cuda")`. Bounds are in [-2**63, 2**63)."""
        first, last = check_range(low, high)
        sizes, span = check_shape(shape, 8), np.uint64(last - first)
        wide = last - first >= MODULO_32_LIMIT
        numbers = self._numbers(sizes, 2, words64) if wide else self._numbers(sizes, 4, np.asarray).astype(np.uint64)
        return (numbers % span + np.uint64(first % (1 << 64))).view(np.int64)

    def random(self, shape: Any) -> NDArray[np.int64]:
        """int64 of [0, 2**63): `tensor.random_()` of an int64 tensor."""
        return (self._numbers(check_shape(shape, 8), 2, words64) % np.uint64(1 << 63)).view(np.int64)

    def dropout_mask(self, shape: Any, p: float = 0.5, *, vectorized: bool = True) -> NDArray[np.bool_]:
        """Which elements nn.Dropout and torch.nn.functional.dropout keep, in training, of a contiguous float32 tensor
        that starts at a multiple of 16 bytes. torch before March 2020 is `vectorized=False`. With p = 0 and p = 1
        nothing is drawn."""
        sizes, chance = check_shape(shape, 4), check_chance(p, FLOAT64)
        if chance in (0, 1):
            return np.full(sizes, chance == 0)
        count = prod(sizes)
        consecutive = 1 if not vectorized or count % 2 else 2 if count % 4 else 4
        return np.asarray(self._numbers(sizes, 4, uniforms, consecutive) < np.float32(1 - chance))

    def _numbers(self, sizes: Shape, block_numbers: int, convert: Convert, consecutive: int = 1) -> Array:
        """A tensor of numbers (torch 2.1, 2.2 and 2.9). convert(words) makes `block_numbers` numbers of each block.
        With `consecutive` 1, each thread makes one element in turn. With 2 or 4, it makes this many of each block, and
        discards the others."""
        count = prod(sizes)
        if count == 0:
            return convert(np.empty(0, np.uint32)).reshape(sizes)
        threads = THREADS_PER_BLOCK * min(self._max_blocks, -(-count // THREADS_PER_BLOCK))
        rounds = -(-count // (threads * (block_numbers if consecutive == 1 else consecutive)))
        step = OFFSET_STEP * -(-count // (threads * block_numbers))

        def draw(place: Place) -> tuple[Array, Place]:
            made = []
            for i in range(rounds):
                words = np.empty(4 * threads, np.uint32)
                kernels.curand_blocks.run(make_state(counter=place.offset // 4 + i, key=place.seed), words)
                numbers = convert(words).reshape(threads, block_numbers)
                made.append((numbers.T if consecutive == 1 else numbers[:, :consecutive]).reshape(-1))
            return np.concatenate(made)[:count], Place(place.seed, (place.offset + step) % (1 << 64))

        return self._draw(draw).reshape(sizes)


def check_shape(shape: Any, itemsize: int) -> Shape:
    """`shape` as a tuple: an int, or any number of sizes, as torch takes it. It must have fewer than 2**31 bytes."""
    sizes = read_sizes(shape)
    if prod(sizes) * itemsize >= 1 << 31:
        raise ValueError(
            f"shape must describe fewer than 2**31 bytes; got {sizes} with {itemsize} bytes an element. torch makes "
            "larger tensors in other ways, which are not reproduced."
        )
    return sizes


def check_range(low: Any, high: Any) -> tuple[int, int]:
    first, last = check_int(low, "low", -HIGH63, HIGH63), check_int(high, "high", -HIGH63, HIGH63)
    check_bounds(first, last, low=first, high=last)
    return first, last


def check_chance(p: Any, kind: np.dtype[Any]) -> Any:
    """The chance to drop an element, as a scalar of the type."""
    chance = check_real(p, "p", kind)
    if not 0 <= chance <= 1:
        raise ValueError(f"p must be in [0, 1]; got {format_value(p)}.")
    return chance


def check_offset(offset: Any) -> int:
    number = check_bits(offset, "offset", 64)
    if number % 4:
        raise ValueError(f"offset must be a multiple of 4, as in torch; got {number}.")
    return number


def max_blocks(sms: int, threads_per_sm: int) -> int:
    return sms * (threads_per_sm // THREADS_PER_BLOCK)


def _as_curand(rule: str, parameters: Array, words: Words) -> Array:
    """A float32 of each word by a rule of kernels/rules.py."""
    numbers = np.empty(words.size, np.float32)
    of_rule(rule).convert.run(words, parameters, numbers)
    return numbers


uniforms = partial(_as_curand, "curand_uniform_32", np.empty(0, np.float32))  # of (0, 1]
normals = partial(_as_curand, "curand_normal_32", np.array([0, 1], np.float32))  # two numbers of each pair of words


def _scaled(numbers: Array, scale: Any, shift: Any, kind: np.dtype[Any]) -> Array:
    """numbers * scale + shift, rounded once to float32, as a GPU's fused operation, and then to the type."""
    with np.errstate(over="ignore"):
        exact = numbers.astype(np.float64) * np.float64(scale) + np.float64(shift)
        return exact.astype(np.float32).astype(kind, copy=False)


def words64(words: Array) -> NDArray[np.uint64]:
    """Each pair of words as one number, the first word high."""
    return join_words(words[1::2], words[::2])


# Which device drew numbers

MAX_SMS, THREADS_PER_SM = 256, (1024, 1536, 2048)  # of the geometries that are tried


class Geometry(NamedTuple):
    """The number of threads of a large draw, and which multiprocessors and threads on each of them give it: `choices`
    for CUDAGenerator, and those of DEVICES. Returned as find_geometry of this module shows."""

    threads: int
    choices: tuple[tuple[int, int], ...]
    devices: tuple[str, ...]


def find_geometry(
    values: Mapping[Any, float], seed: int, shape: Any, draw: str = "randn", *, offset: int = 0, tolerance: float = 6e-5
) -> list[Geometry]:
    """The geometries with which a device draws these numbers, among 1 to 256 multiprocessors of 1024 to 2048 threads.
    `values` maps indices (an int, or an int for each axis) to the numbers that torch printed. Numbers among the last of
    a large tensor tell most. shape is that of the whole tensor. draw is "rand" or "randn". seed and offset are those of
    the generator before the draw. tolerance is the largest distance of a printed number; the default is for four
    decimals.

    >>> printed = {(0, -1, -1): -0.0282, (0, -1, 0): -1.2356, (0, -2, -1): -0.4091}
    >>> find_geometry(printed, 42, (1, 64, 2048))
    [Geometry(threads=43008, choices=((21, 2048), (28, 1536), (42, 1024)), devices=('RTX 3060',))]
    """
    convert = uniforms if check_choice(draw, "draw", ("rand", "randn")) == "rand" else normals
    sizes, key, first = check_shape(shape, 4), check_signed_seed(seed), check_offset(offset)
    near = check_real(tolerance, "tolerance", FLOAT64)
    if not isinstance(values, Mapping) or not values:
        raise TypeError(f"values must be a mapping of indices to numbers; got {format_value(values)}.")
    printed = [(_flat_index(place, sizes), check_real(each, "each value", FLOAT64)) for place, each in values.items()]

    def fits(blocks: int) -> bool:
        threads = THREADS_PER_BLOCK * min(blocks, -(-prod(sizes) // THREADS_PER_BLOCK))
        for element, value in printed:
            row, thread = divmod(element, threads)
            block = random_generator(make_state(counter=thread << 64 | first // 4 + row // 4, key=key), 4).values
            if abs(convert(block)[row % 4] - value) > near:
                return False
        return True

    pairs = [(sms, threads_per_sm) for sms in range(1, MAX_SMS + 1) for threads_per_sm in THREADS_PER_SM]
    found = []
    for blocks in sorted({max_blocks(*pair) for pair in pairs}):
        if fits(blocks):
            choices = tuple(pair for pair in pairs if max_blocks(*pair) == blocks)
            names = tuple(name for name, pair in DEVICES.items() if max_blocks(*pair) == blocks)
            found.append(Geometry(THREADS_PER_BLOCK * blocks, choices, names))
    return found


def _flat_index(place: Any, sizes: Shape) -> int:
    """The row-major number of an element. A single int is this number itself, or counts from the end."""
    indices, axes = (place, sizes) if isinstance(place, tuple) else ((place,), (prod(sizes),))
    if len(indices) != len(axes):
        raise ValueError(f"an index of values must have {len(axes)} ints, as the shape {sizes}; got {place!r}.")
    number = 0
    for index, size in zip(indices, axes):
        number = number * size + check_int(index, "an index of values", -size, size) % size
    return number
