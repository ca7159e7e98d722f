"""Stream: draws of any size that join without gaps. A Stream holds a position and nothing else.

random_generator discards the unread words of its last block, as DirectML's operator does. A Stream also remembers the
lane, so its next draw begins with the very next word. Clauses: specs/stream.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Never, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .distributions import HIGH, LOW, MEAN, NORMAL, STDDEV, UNIFORM
from .drawing import number_rules, position
from .drawing.arguments import check_bits, check_int
from .drawing.interchange import SupportsDLPack
from .drawing.number_types import DTypeOf, Integer, Real
from .drawing.plan import KEEP, WORDS, Array, BoundRule, draw
from .drawing.position import SharedPosition, Values, check_state_dict
from .order import permutations
from .state import (
    State,
    StateLike,
    advance_blocks,
    check_state,
    counter_of,
    fold_in,
    key_of,
    pack_state,
    split,
    state_or_seed,
)

MADE_BEFORE_FORK = (
    "this Stream was made before the process was forked, so the parent process and its other children draw the same "
    "words. Give each process a stream of its own: stream.fold_in(number), with the number of the worker. In a worker "
    "of a PyTorch DataLoader the number is torch.utils.data.get_worker_info().id."
)

Place = tuple[State, int]  # the state of the block that holds the next word, which is never modified; and the lane

class _Options(TypedDict, total=False):
    """The keyword arguments of all overloads below."""

    out: Array | SupportsDLPack | None
    threads: int


class Stream(SharedPosition[Place]):
    """A position among the words of a key. Every draw begins at the position and advances it past the words it reads.

    A number of 16 or 32 bits takes one word; a number of 64 bits takes two. Drawing a values and then b values gives
    the same values as drawing a + b at once. For normal this holds only when a is even: normals are made in pairs, and
    the second number of an odd pair is discarded, because a Stream stores only a position.

    Two streams are equal when their next word is the same word of the same key. A Stream can be pickled, copied, sent
    to another process, and written down as its repr.

    Threads may share a Stream: no word is drawn twice and none is lost. Which thread draws which words depends on the
    scheduler, so repeatable work needs one Stream for each thread (`split`). A forked child draws the same words as its
    parent, and its first draw warns: give each child a stream of its own, from `split` or `fold_in`. Not for
    cryptography.

    Parameters
    ----------
    state : as in random_generator
        Give either state or seed.
    lane : int in [0, 4)
        The lane of the state's block to begin with.
    seed : int in [0, 2**64) or numpy.random.SeedSequence
        `Stream(seed=7)` is `Stream(seed_state(7))`: key 7 from block 0 on.

    Examples
    --------
    >>> stream = Stream(seed=42)
    >>> stream.words(3), stream.words(2)
    (array([2632642643, 2012563771,  314527917], dtype=uint32), array([1463989207, 4242219303], dtype=uint32))
    >>> stream
    Stream([1, 0, 0, 0, 42, 0], lane=1)
    >>> stream.tell()
    5
    >>> stream.uniform(2, low=-1, high=1)
    array([-0.08709788, -0.7601056 ], dtype=float32)

    Without a shape, a draw returns a scalar:

    >>> stream.integers(low=1, high=7)
    np.int32(2)
    """

    _warning_after_fork = MADE_BEFORE_FORK

    @overload
    def __init__(self, state: StateLike, lane: int = 0) -> None: ...
    @overload
    def __init__(self, *, lane: int = 0, seed: int | np.random.SeedSequence) -> None: ...
    def __init__(
        self, state: StateLike | None = None, lane: int = 0, *, seed: int | np.random.SeedSequence | None = None
    ) -> None:
        super().__init__(_place_of(state_or_seed(state, seed), lane, "lane"))

    @property
    def state(self) -> State:
        """The state of the block that holds the next word: a new uint32 array of shape (6,)."""
        return self._place[0].copy()

    @property
    def lane(self) -> int:
        """The lane of the next word in its block, 0 to 3."""
        return self._place[1]

    def tell(self) -> int:
        """The position: words from counter 0, in [0, 2**130). It is 4 * counter + lane."""
        state, lane = self._place
        return 4 * counter_of(state) + lane

    def seek(self, words: int) -> None:
        """Go to a position that tell returned, or to any other position in [0, 2**130) of the same key."""
        block, lane = divmod(check_bits(words, "words", 130), 4)
        self._set(lambda place: (pack_state(block, key_of(place[0])), lane))

    def words(
        self, shape: Any = None, *, out: NDArray[np.uint32] | SupportsDLPack | None = None, threads: int = 1
    ) -> NDArray[np.uint32]:
        """The next words, or the next word if neither shape nor out is given.

        Arguments and errors are those of random_generator.

        >>> Stream([0, 0, 0, 0, 42, 0], lane=2).words((2, 2))
        array([[ 314527917, 1463989207],
               [4242219303, 1404726525]], dtype=uint32)
        """
        return self._numbers(WORDS, shape, out, threads)

    def split(self, n: int) -> list[Stream]:
        """n streams that are independent of this stream and of each other. The position does not change.

        Stream i is `fold_in(i)`. The streams depend on the position: two calls at the same position return the same
        streams. `spawn` returns new ones at each call.

        >>> Stream(seed=1).split(2)
        [Stream([0, 0, 0, 0, 688316811, 2562193790], lane=0), Stream([0, 0, 0, 0, 2767585391, 1727011480], lane=0)]
        """
        return [type(self)(child) for child in split(_parent(*self._place), n)]

    def spawn(self, n: int) -> list[Stream]:
        """What `split` returns, and then advance by one block of 4 words, which are never drawn.

        So the next call returns other streams, as `numpy.random.Generator.spawn` does.

        >>> stream = Stream(seed=1)
        >>> stream.spawn(2) == stream.spawn(2), stream.tell()
        (False, 8)
        """
        children = self._select(lambda state, lane: (split(_parent(state, lane), n), 4))
        return [type(self)(child) for child in children]

    def fold_in(self, data: int | str | bytes) -> Stream:
        """The stream for `data`, as in dmlrand.fold_in. It depends on the position, which does not change.

        >>> Stream(seed=1).fold_in("dropout")
        Stream([0, 0, 0, 0, 2791702549, 3632644692], lane=0)
        """
        return type(self)(fold_in(_parent(*self._place), data))

    def state_dict(self) -> dict[str, Any]:
        """The position as plain ints below 2**32, for `load_state_dict`, JSON, `torch.save` or `Stream(**saved)`.

        >>> Stream(seed=42, lane=1).state_dict()
        {'state': [0, 0, 0, 0, 42, 0], 'lane': 1}
        """
        state, lane = self._place
        return {"state": state.tolist(), "lane": lane}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go to the key and the position that state_dict returned. TypeError or ValueError for anything else."""
        state, lane = check_state_dict(state_dict, ("state", "lane"), "Pass what Stream.state_dict returned.")
        place = _place_of(check_state(state, "state_dict['state']"), lane, "state_dict['lane']")
        self._set(lambda _: place)

    @overload
    def uniform(
        self, shape: Any = None, *, low: Any = ..., high: Any = ..., dtype: DTypeOf[Real] = ...,
        **options: Unpack[_Options],
    ) -> NDArray[Real]: ...  # fmt: skip
    @overload
    def uniform(
        self, shape: Any = None, *, low: Any = ..., high: Any = ..., dtype: DTypeLike = ...,
        **options: Unpack[_Options],
    ) -> Array: ...  # fmt: skip
    def uniform(
        self, shape: Any = None, *positional: Never, low: Any = LOW, high: Any = HIGH,
        dtype: DTypeLike = np.float32, out: Array | SupportsDLPack | None = None, threads: int = 1,
    ) -> Array:  # fmt: skip
        """The next values of dmlrand.uniform, which explains the arguments and the errors."""
        if positional:
            number_rules.refuse_positional("stream.uniform", (shape,), positional)
        usual = low is LOW and high is HIGH and dtype is np.float32
        return self._numbers(UNIFORM if usual else number_rules.uniform_rule(low, high, dtype), shape, out, threads)

    @overload
    def integers(
        self, shape: Any = None, *, low: int = ..., high: int = ..., dtype: DTypeOf[Integer] = ...,
        **options: Unpack[_Options],
    ) -> NDArray[Integer]: ...  # fmt: skip
    @overload
    def integers(
        self, shape: Any = None, *, low: int = ..., high: int = ..., dtype: DTypeLike = ...,
        **options: Unpack[_Options],
    ) -> Array: ...  # fmt: skip
    def integers(
        self, shape: Any = None, *positional: Never, low: int | None = None, high: int | None = None,
        dtype: DTypeLike = np.int32, out: Array | SupportsDLPack | None = None, threads: int = 1,
    ) -> Array:  # fmt: skip
        """The next values of dmlrand.integers. low and high are given by name, because NumPy has them before the shape.

        >>> Stream(seed=42).integers(4, low=0, high=100)
        array([43, 71, 17,  7], dtype=int32)
        """
        if positional:
            number_rules.refuse_positional("stream.integers", (shape,), positional)
        return self._numbers(number_rules.integers_rule(low, high, dtype), shape, out, threads)

    @overload
    def normal(
        self, shape: Any = None, *, mean: Any = ..., stddev: Any = ..., dtype: DTypeOf[Real] = ...,
        **options: Unpack[_Options],
    ) -> NDArray[Real]: ...  # fmt: skip
    @overload
    def normal(
        self, shape: Any = None, *, mean: Any = ..., stddev: Any = ..., dtype: DTypeLike = ...,
        **options: Unpack[_Options],
    ) -> Array: ...  # fmt: skip
    def normal(
        self, shape: Any = None, *positional: Never, mean: Any = MEAN, stddev: Any = STDDEV,
        dtype: DTypeLike = np.float32, out: Array | SupportsDLPack | None = None, threads: int = 1,
    ) -> Array:  # fmt: skip
        """The next values of dmlrand.normal, which explains the arguments and the errors."""
        if positional:
            number_rules.refuse_positional("stream.normal", (shape,), positional)
        usual = mean is MEAN and stddev is STDDEV and dtype is np.float32
        return self._numbers(NORMAL if usual else number_rules.normal_rule(mean, stddev, dtype), shape, out, threads)

    @overload
    def exponential(
        self, shape: Any = None, *, scale: Any = ..., dtype: DTypeOf[Real] = ...,
        **options: Unpack[_Options],
    ) -> NDArray[Real]: ...  # fmt: skip
    @overload
    def exponential(
        self, shape: Any = None, *, scale: Any = ..., dtype: DTypeLike = ...,
        **options: Unpack[_Options],
    ) -> Array: ...  # fmt: skip
    def exponential(
        self, shape: Any = None, *positional: Never, scale: Any = 1.0,
        dtype: DTypeLike = np.float32, out: Array | SupportsDLPack | None = None, threads: int = 1,
    ) -> Array:  # fmt: skip
        """The next values of dmlrand.exponential, which explains the arguments and the errors."""
        if positional:
            number_rules.refuse_positional("stream.exponential", (shape,), positional)
        return self._numbers(number_rules.exponential_rule(scale, dtype), shape, out, threads)

    def bernoulli(
        self, shape: Any = None, p: Any = None,
        *, out: NDArray[np.bool_] | SupportsDLPack | None = None, threads: int = 1,
    ) -> NDArray[np.bool_]:  # fmt: skip
        """The next values of dmlrand.bernoulli, which explains the arguments and the errors."""
        return self._numbers(number_rules.bernoulli_rule(p), shape, out, threads)

    def permutation(
        self, n: int, *, window: Any = None, positions: Any = None, inverse: bool = False
    ) -> NDArray[np.int64]:
        """dmlrand.permutation, made of the next 2 * n words, or of the next 4 for more than 65,536 items."""
        return self._select(permutations.order_from, n, window, positions, inverse)

    def choice(self, items: Any, k: int, replace: bool = False) -> Array:
        """dmlrand.choice, made from the words of permutation(n) for n items, or from 2 * k words with replacement."""
        return self._select(permutations.choice_from, items, k, replace)

    def shuffle(self, items: Any) -> Array:
        """dmlrand.shuffle, made from the words of permutation(len(items))."""
        return self._select(permutations.shuffle_from, items)

    def __eq__(self, other: object) -> bool:  # so Python gives a Stream no hash, which draws would change
        if not isinstance(other, Stream):
            return NotImplemented
        (state, lane), (other_state, other_lane) = self._place, other._place
        return lane == other_lane and bool((state == other_state).all())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._place

    def __repr__(self) -> str:
        state, lane = self._place
        return f"{type(self).__name__}({state.tolist()}, lane={lane})"

    def _numbers(self, rule: BoundRule, shape: Any, out: Any, threads: int) -> Array:
        """The next numbers of a rule, or the next number without shape and out."""
        scalar = shape is None and out is None
        with self._locks.get(position.process) or self._lock:  # inlined, because a property costs 5 % of a draw
            state, lane = self._place
            values, state = draw(state, rule, 1 if scalar else shape, None, out, threads, lane, KEEP)
            self._place = state, (lane + rule.words_read(values.size)) & 3
        return values[0] if scalar else values  # type: ignore[no-any-return]

    def _select(self, select: Callable[..., tuple[Values, int]], *arguments: Any) -> Values:
        """Draw by a function, as those of permutations.py, that returns values and the number of words read."""

        def make(place: Place) -> tuple[Values, Place]:
            (state, lane), (values, words) = place, select(*place, *arguments)
            return values, (advance_blocks(state, (lane + words) >> 2), (lane + words) & 3)

        return self._draw(make)

    def _set(self, find: Callable[[Place], Place]) -> None:
        """Go to another place. In a forked child, draws after it do not warn: the child chose it."""
        self._add_lock()
        self._draw(lambda place: (None, find(place)))


def _place_of(state: State, lane: Any, name: str) -> Place:
    return np.array(state).reshape(6), check_int(lane, name, 0, 4)


def _parent(state: State, lane: int) -> State:
    """The state to split at a position: a different one for each lane of a block."""
    return fold_in(state, f"lane {lane}") if lane else state
