"""ShuffledSampler: a new random order of a data set in each epoch, which any number of processes share and resume.

It needs no other package. Clauses: specs/sampler.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from .arrays.integers import check_bits, check_int
from .messages import format_value
from .permutations import MAX_ITEMS, permutation
from .state import State, StateLike, check_state, fold_in

WINDOW_SAMPLES = 1 << 16  # drawn at a time: the memory of an iteration does not depend on n

_PASS_SAVED = "Pass what state_dict() returned."


class ShuffledSampler:
    """The numbers 0 to n - 1 in a new random order in each epoch, shared among processes: a sampler for a DataLoader.

    The order of an epoch is permutation(fold_in(state, epoch), n). In each step, the processes take consecutive
    positions of the order: from position p on, the process `rank` takes p + rank, p + rank + world_size, and so on. If n
    is not a multiple of world_size, the highest ranks get one sample fewer: no sample is left out or repeated.

    The progress is two ints, {"epoch": e, "position": p}: how many samples of the epoch all processes together have
    been given. state_dict saves it, and load_state_dict accepts it with any rank and any world_size.

    An iteration goes through one epoch, from position 0 or from the position that load_state_dict set. The iteration
    after a complete one takes the next epoch, so set_epoch is needed only to choose another epoch. After an incomplete
    one, such as a look at the first batch, the next iteration begins the epoch again at the same position.

    A DataLoader with workers asks for samples before the training needs them. So count the samples that this process
    has used since the iteration began, and save state_dict(consumed=count). Save after the same number of batches in all
    processes, and let all processes load what rank 0 saved. torchdata's StatefulDataLoader needs no count: its own
    state_dict holds the right progress, for the same number of workers and processes.

    Clauses: specs/sampler.md. Not for cryptography.

    Parameters
    ----------
    n : int in [1, 2**62]
        The number of samples in the data set. Use len(dataset).
    state : array_like of uint32, shape (6,) or (1, ..., 1, 6)
        Must be the same in all processes. Never modified.
    rank : int in [0, world_size)
        The number of this process.
    world_size : int >= 1
        How many processes share the data set.

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> sampler = ShuffledSampler(7, make_state(key=42))
    >>> list(sampler), list(sampler)
    ([3, 5, 2, 0, 4, 1, 6], [1, 5, 0, 6, 3, 2, 4])

    Resume after three samples of epoch 0, now with two processes:

    >>> for rank in (0, 1):
    ...     sampler = ShuffledSampler(7, make_state(key=42), rank, world_size=2)
    ...     sampler.load_state_dict({"epoch": 0, "position": 3})
    ...     print(list(sampler))
    [0, 1]
    [4, 6]
    """

    def __init__(self, n: int, state: StateLike, rank: int = 0, world_size: int = 1) -> None:
        if hasattr(n, "__len__") and not hasattr(n, "__index__"):
            raise TypeError(f"n must be the number of samples; got {format_value(n)}. Pass len(dataset).")
        self._n = check_int(n, "n", 1, MAX_ITEMS + 1)
        self._state = np.array(check_state(state)).reshape(6)
        self._world_size = check_int(world_size, "world_size", 1)
        self._rank = check_int(rank, "rank", 0, self._world_size, "Ranks count from 0.")
        self._go_to(0, 0)

    @property
    def epoch(self) -> int:
        """The epoch of the current iteration, or of the next one if there was none since set_epoch or load_state_dict."""
        return self._epoch

    def set_epoch(self, epoch: int) -> None:
        """Let the next iteration take this epoch, an int in [0, 2**64).

        If this is already the current epoch, the call keeps the position that load_state_dict set, unless an iteration
        has completed the epoch since. So a training loop may call set_epoch before each epoch, also after
        load_state_dict.
        """
        number = check_bits(epoch, "epoch", 64)
        if number != self._epoch or self._is_complete():
            self._go_to(number, 0)

    def state_dict(self, consumed: int | None = None) -> dict[str, int]:
        """The progress as {"epoch": e, "position": p}: all samples before position p of the order have been given.

        Parameters
        ----------
        consumed : int >= 0, optional
            How many samples this process has used since the iteration began, for example batches * batch_size. By
            default, the samples that the sampler has given, which a DataLoader with workers asks for in advance.

        Raises
        ------
        TypeError, ValueError
            consumed is not an int of at least 0.
        """
        position = self._position
        if consumed is not None:
            position = self._position_after(self._start, check_int(consumed, "consumed", 0))
        return {"epoch": self._epoch, "position": position}

    def load_state_dict(self, state_dict: Mapping[str, int]) -> None:
        """Let the next iteration begin where state_dict was called, with any rank and any world_size.

        The sampler must have the n and the state of the one that was saved. Raises TypeError or ValueError if the
        argument is not a mapping with the two keys, or if a number is out of range.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"state_dict must be a dict; got {format_value(state_dict)}. {_PASS_SAVED}")
        if set(state_dict) != {"epoch", "position"}:
            raise ValueError(
                f"state_dict must have the keys 'epoch' and 'position' and no other; got {format_value(state_dict)}. "
                f"{_PASS_SAVED}"
            )
        epoch = check_bits(state_dict["epoch"], "state_dict['epoch']", 64)
        remedy = "It is for a larger data set: make the sampler with the same n."
        self._go_to(epoch, check_int(state_dict["position"], "state_dict['position']", 0, self._n + 1, remedy))

    def __iter__(self) -> Iterator[int]:
        if self._is_complete():
            self._go_to(check_bits(self._epoch + 1, "epoch", 64), 0)
        self._iteration = object()
        self._position = self._start
        return self._samples(fold_in(self._state, self._epoch), self._start, self._iteration)

    def __len__(self) -> int:
        """How many samples the next iteration gives to this process."""
        start = 0 if self._is_complete() else self._start
        return max(0, -((start + self._rank - self._n) // self._world_size))

    def _go_to(self, epoch: int, start: int) -> None:
        self._epoch = epoch
        self._start = start  # where an iteration of this epoch begins
        self._position = start  # how far the current iteration has come
        self._iteration = None  # identifies the last iteration from this start on, if there was one

    def _is_complete(self) -> bool:
        """Whether an iteration has given all samples of this process up to the end of the epoch."""
        return self._iteration is not None and self._position + self._rank >= self._n

    def _position_after(self, start: int, count: int) -> int:
        """The position at which every process was given `count` samples since `start`, if there were as many."""
        return min(self._n, start + count * self._world_size)

    def _samples(self, state: State, start: int, iteration: object) -> Iterator[int]:
        step = self._world_size
        given = 0
        for first in range(start + self._rank, self._n, WINDOW_SAMPLES * step):
            window = slice(first, first + WINDOW_SAMPLES * step, step)
            for sample in permutation(state, self._n, window=window).values.tolist():
                given += 1
                if iteration is self._iteration:  # else another one has begun, or the position was set
                    self._position = self._position_after(start, given)
                yield sample
        if iteration is self._iteration:
            self._position = self._n
