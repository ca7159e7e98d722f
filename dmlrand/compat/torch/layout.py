"""Which block and word each element of a draw on a CUDA device has: specs/torch.md, clauses 2.1, 2.2 and 2.9."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import kernels
from ...state import make_state

Array = NDArray[Any]
Convert = Callable[[NDArray[np.uint32]], Array]

THREADS_PER_BLOCK = 256  # of CUDA's blocks of threads, not of Philox
OFFSET_STEP = 4  # words of a block


class Place(NamedTuple):
    """The key, and the number of words that every thread has passed."""

    seed: int
    offset: int


def draw_numbers(
    place: Place, max_blocks: int, count: int, block_numbers: int, convert: Convert, consecutive: int
) -> tuple[Array, Place]:
    """The numbers of `count` elements, and the place after them.

    convert(words) makes `block_numbers` numbers of each block. With `consecutive` 1, each thread makes one element in
    turn. With 2 or 4, a thread makes this many consecutive elements of each block, and discards its other numbers.
    `max_blocks` is the number of blocks of threads that the GPU can run.
    """
    if count == 0:
        return convert(np.empty(0, np.uint32)), place
    threads = THREADS_PER_BLOCK * min(max_blocks, -(-count // THREADS_PER_BLOCK))
    rounds = -(-count // (threads * (block_numbers if consecutive == 1 else consecutive)))
    made = []
    for i in range(rounds):
        words = np.empty(4 * threads, np.uint32)
        kernels.curand_blocks(make_state(counter=place.offset // 4 + i, key=place.seed), words)
        numbers = convert(words).reshape(threads, block_numbers)
        made.append((numbers.T if consecutive == 1 else numbers[:, :consecutive]).reshape(-1))
    step = OFFSET_STEP * -(-count // (threads * block_numbers))
    return np.concatenate(made)[:count], Place(place.seed, (place.offset + step) % (1 << 64))
