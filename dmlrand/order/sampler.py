"""Samplers: each epoch has a new random order of a data set, or draws from it by weights. Any number of processes share
an epoch and resume it. Clauses: specs/sampler.md.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..distributions import uniform
from ..drawing.arguments import check_bits, check_bool, check_choice, check_int
from ..drawing.interchange import as_array
from ..drawing.messages import format_value
from ..drawing.position import check_state_dict
from ..state import State, StateLike, fold_in, state_or_seed
from .permutations import MAX_ITEMS, permutation

COUNTS_IN_ADVANCE = (
    "state_dict counts the samples that were asked for, and workers ask in advance: these may be more than were used. "
    "Pass consumed, the number of samples used in this process since the epoch's iteration began: batches * batch_size."
)
LEAST_TOTAL = 2.0**-1022  # below it, a fraction of the sum could be rounded up to the sum
WINDOW_SAMPLES = 1 << 16  # drawn at a time: the memory of an iteration does not depend on n


class ShuffledSampler:
    """The numbers 0 to n - 1 in a new random order in each epoch, shared among processes: a sampler for a DataLoader.

    The order of an epoch is permutation(fold_in(state, epoch), n). From position p on, the process `rank` takes the
    positions p + rank, p + rank + world_size, and so on. All processes get the same number of samples, because
    processes that average gradients must take the same number of steps.

    state_dict saves the progress. A training may resume it with another number of processes.

    An iteration goes through one epoch, from position 0 or from the position that load_state_dict set. The iteration
    after a complete one takes the next epoch. After an incomplete one, the next iteration begins the epoch again at the
    same position. Not for cryptography.

    Parameters
    ----------
    n : int in [1, 2**62]
        The number of samples in the data set. Use len(dataset).
    state : as in random_generator
        Must be the same in all processes. Give either state or seed.
    rank, world_size : ints, 0 <= rank < world_size
        The number of this process, and how many processes share the data set.
    uneven : {"error", "drop", "repeat"}
        What to do if the samples of an epoch, or those left of it after load_state_dict, are not a multiple of
        world_size. "error" raises ValueError, "drop" leaves out the last samples of the order, fewer than world_size,
        and "repeat" gives the first samples of the order a second time.
    with_epoch : bool
        Whether a sample is (epoch, index) instead of index, for datasets in persistent workers.
    seed : int in [0, 2**64) or numpy.random.SeedSequence
        `seed=7` is the state seed_state(7).

    Examples
    --------
    >>> from dmlrand import make_state
    >>> sampler = ShuffledSampler(7, make_state(key=42))
    >>> list(sampler), list(sampler)
    ([3, 5, 2, 0, 4, 1, 6], [1, 5, 0, 6, 3, 2, 4])
    >>> sampler.load_state_dict({"epoch": 0, "position": 2})
    >>> list(sampler)
    [2, 0, 4, 1, 6]
    """

    def __init__(
        self, n: int, state: StateLike | None = None, rank: int = 0, world_size: int = 1, uneven: str = "error",
        *, with_epoch: bool = False, seed: int | np.random.SeedSequence | None = None,
    ) -> None:  # fmt: skip
        self._n = check_int(n, "n", 1, MAX_ITEMS + 1, "It is the number of samples: len(dataset).")
        self._state = np.array(state_or_seed(state, seed)).reshape(6)
        self._world_size = check_int(world_size, "world_size", 1)
        self._rank = check_int(rank, "rank", 0, self._world_size, "Ranks count from 0.")
        self._uneven = check_choice(uneven, "uneven", ("error", "drop", "repeat"))
        self._with_epoch = check_bool(with_epoch, "with_epoch")
        self._check_even("n", self._n)
        if self._uneven == "drop" and self._n < self._world_size:
            raise ValueError(
                f"n must be at least world_size {self._world_size} with uneven='drop'; got {self._n}. "
                "Pass uneven='repeat', or use fewer processes."
            )
        self._iteration = 0  # the number of the iteration that counts
        self._given: int | None
        self._go_to(0, 0)

    @property
    def epoch(self) -> int:
        """The epoch of the current iteration, or of the next one after set_epoch or load_state_dict."""
        return self._epoch

    def set_epoch(self, epoch: int) -> None:
        """Let the next iteration take this epoch, an int in [0, 2**64). Call it before each epoch, or never.

        An iteration that has given no sample yet takes the epoch too. For the current epoch, the call keeps the
        position that load_state_dict set, unless the epoch is complete.
        """
        number = check_bits(epoch, "epoch", 64)
        if number != self._epoch or self._is_complete():
            self._go_to(number, 0)

    def state_dict(self, consumed: int | None = None) -> dict[str, int]:
        """The progress as {"epoch": e, "position": p}: all samples before position p of the order have been given.

        `consumed` is how many samples this process has used since the iteration began, for example batches *
        batch_size. A DataLoader with workers asks for samples in advance, so it needs `consumed`. By default it is the
        number of samples that the sampler has given. Save after the same number of batches in all processes, and let
        all of them load what rank 0 saved.
        """
        used = self._given or 0 if consumed is None else check_int(consumed, "consumed", 0)
        complete = used >= max(1, self._count_from(self._start))
        if consumed is None and used and not complete and _workers_run():
            warnings.warn(COUNTS_IN_ADVANCE, stacklevel=2)
        return {"epoch": self._epoch, "position": self._n if complete else self._start + used * self._world_size}

    def load_state_dict(self, state_dict: Mapping[str, int]) -> None:
        """Let the next iteration begin where state_dict was called, with any rank and any world_size.

        The sampler must have the n and the state of the one that was saved.
        """
        epoch, position = check_state_dict(state_dict, ("epoch", "position"), "Pass what state_dict() returned.")
        epoch = check_bits(epoch, "state_dict['epoch']", 64)
        remedy = "It is for a larger data set: make the sampler with the same n."
        position = check_int(position, "state_dict['position']", 0, self._n + 1, remedy)
        self._check_even("n - state_dict['position']", self._n - position)
        self._iteration += 1
        self._go_to(epoch, position)

    def __iter__(self) -> Iterator[Any]:
        if self._is_complete():
            self._go_to(self._epoch + 1, 0)
        self._iteration, self._given = self._iteration + 1, 0
        return self._samples(self._epoch, self._start, self._iteration)

    def __len__(self) -> int:
        """How many samples of a whole epoch this process gets, also if the next iteration gives only the last ones."""
        return self._count_from(0)

    def _check_even(self, name: str, samples: int) -> None:
        over = samples % self._world_size
        if over and self._uneven == "error":
            raise ValueError(
                f"{name} must be a multiple of world_size {self._world_size}, so that all ranks get the same number of "
                f"samples; got {samples}. Pass uneven='drop' to leave out {over} of them, or uneven='repeat' to give "
                f"{self._world_size - over} samples twice."
            )

    def _go_to(self, epoch: int, start: int) -> None:
        self._epoch = epoch
        self._start = start  # the position at which an iteration of this epoch begins
        self._given = None  # how many samples an iteration has given from there on, if there is one

    def _is_complete(self) -> bool:
        """Whether an iteration has given all samples of this process up to the end of the epoch."""
        return self._given is not None and self._given >= self._count_from(self._start)

    def _count_from(self, start: int) -> int:
        """How many samples each process gets from position `start` on."""
        left = self._n - start
        return -(-left // self._world_size) if self._uneven == "repeat" else left // self._world_size

    def _samples(self, epoch: int, start: int, iteration: int) -> Iterator[Any]:
        if iteration == self._iteration:  # Lightning calls set_epoch between __iter__ and the first sample
            epoch, start, self._given = self._epoch, self._start, 0
        state, given = fold_in(self._state, epoch), 0
        for window in self._windows(start):
            for index in self._indices(state, window).tolist():
                given += 1
                if iteration == self._iteration:  # else there is a later one, or load_state_dict set the position
                    self._epoch, self._start, self._given = epoch, start, given
                yield (epoch, index) if self._with_epoch else index

    def _indices(self, state: State, window: slice) -> NDArray[np.int64]:
        """The samples at these positions of the epoch that has this state."""
        return permutation(state, self._n, window=window).values

    def _windows(self, start: int) -> Iterator[slice]:
        """Slices of the order, which hold the samples of this process from position `start` on."""
        step = self._world_size
        end = start + step * self._count_from(start)  # above n if samples are repeated
        for first in range(start + self._rank, self._n, WINDOW_SAMPLES * step):
            yield slice(first, min(first + WINDOW_SAMPLES * step, end), step)
        last = end - step + self._rank  # the position of this process in the last step
        if last >= self._n:
            yield slice(last % self._n, last % self._n + 1)


class WeightedSampler(ShuffledSampler):
    """Samples with replacement, each with a probability proportional to its weight, shared among processes.

    The sample at each of the n positions of an epoch is drawn from fold_in(state, epoch) by one uniform number. All
    else is as in ShuffledSampler. Clauses: specs/sampler.md, section 5. Not for cryptography.

    Parameters
    ----------
    weights : array_like of real numbers >= 0, of one axis
        One for each sample of the data set. They need not sum to 1.
    n : int in [1, 2**62)
        How many samples an epoch has.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> sampler = WeightedSampler([1, 0, 2, 7], 8, make_state(key=42))
    >>> list(sampler), list(sampler)
    ([3, 3, 2, 3, 3, 2, 3, 2], [3, 3, 3, 2, 3, 2, 3, 3])
    """

    def __init__(
        self, weights: Any, n: int, state: StateLike | None = None, rank: int = 0, world_size: int = 1,
        uneven: str = "error", *, with_epoch: bool = False, seed: int | np.random.SeedSequence | None = None,
    ) -> None:  # fmt: skip
        self._sums = _running_sums(weights)
        super().__init__(n, state, rank, world_size, uneven, with_epoch=with_epoch, seed=seed)

    def _indices(self, state: State, window: slice) -> NDArray[np.int64]:
        fractions = uniform(state, self._n, dtype=np.float64, window=window).values
        indices: NDArray[np.int64] = np.searchsorted(self._sums, fractions * self._sums[-1], side="right")
        return indices


def _running_sums(weights: Any) -> NDArray[np.float64]:
    """The sums of the first 1, 2, 3, ... weights, added in this order in float64."""
    array = as_array(weights, "weights")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"weights must be real numbers; got {format_value(weights)}. Pass a list of floats.")
    if array.ndim != 1 or not (array >= 0).all():
        raise ValueError(
            f"weights must be numbers of at least 0, of one axis; got {format_value(weights)}. A weight of 0 leaves a "
            "sample out."
        )
    with np.errstate(over="ignore"):
        sums = array.cumsum(dtype=np.float64)
    if not array.size or not LEAST_TOTAL <= sums[-1] < np.inf:
        raise ValueError(
            f"weights must have a finite sum of at least 2**-1022; got {format_value(weights)}. Scale them."
        )
    return sums


def _workers_run() -> bool:
    """Whether this process may iterate through a DataLoader with workers: PyTorch is in use, with child processes.

    torchdata does not count: it knows how many samples were used.
    """
    if "torch.utils.data" not in sys.modules or sys._getframe(2).f_globals.get("__name__", "").startswith("torchdata."):
        return False
    return bool(sys.modules["multiprocessing"].active_children())
