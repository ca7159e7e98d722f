"""Stream: draws of any size that join without gaps, from a position and nothing else.

random_generator drops what is left of its last block, as DirectML's operator does. A Stream remembers the lane as
well, so that the next draw begins with the very next word. The rules are those of specs/stream.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import distributions
from .arrays.integers import check_int
from .arrays.number_types import DTypeOf, Scalar, words_read
from .distributions import PAIR, Numbers
from .operator import words_from
from .position import Position
from .state import State, StateLike, counter_of, key_of, state_of

Array = NDArray[Any]

END = 1 << 130  # words of one key: 4 a block, and 2**128 blocks


class _Options(TypedDict, total=False):
    """The keyword arguments that all overloads below share."""

    out: Array | None
    threads: int


class Stream(Position[int]):
    """A place in the words of a key, which every draw moves past the words it read.

    Drawing a values and then b gives the values of drawing a + b at once, and moves as far. That holds for words, for
    uniform and for integers, whatever a and b; for normal, whose numbers are made in pairs, when a is even.

    Two streams are equal when their next word is the same word of the same key. Only that place is saved: a Stream
    can be pickled, copied, sent to another process, and written down as its repr. It may be shared between threads:
    no word is drawn twice and none is lost, but who gets which is up to the scheduler, so that work which must be
    repeatable takes a Stream for each thread (`split`). A forked child has a copy, which draws the same words as its
    parent's: give each child a state of its own, from `split`. Not for cryptography.

    Parameters
    ----------
    state : array_like of uint32, shape (6,) or (1, ..., 1, 6)
        The block to begin with. Never modified.
    lane : int in [0, 4)
        The lane of that block to begin with.

    Raises
    ------
    TypeError, ValueError
        state is no state, or lane no lane.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> stream = Stream(make_state(key=42))
    >>> stream.words(3), stream.words(2)
    (array([2632642643, 2012563771,  314527917], dtype=uint32), array([1463989207, 4242219303], dtype=uint32))
    >>> stream
    Stream([1, 0, 0, 0, 42, 0], lane=1)
    >>> stream.tell()
    5
    """

    def __init__(self, state: StateLike, lane: int = 0) -> None:
        self._key = key_of(state)
        super().__init__(4 * counter_of(state) + check_int(lane, "lane", 0, 4))

    @property
    def state(self) -> State:
        """The state of the block that holds the next word: a new uint32 array of shape (6,)."""
        return self._state_and_lane(self._place)[0]

    @property
    def lane(self) -> int:
        """The lane of the next word in its block, 0 to 3."""
        return self._state_and_lane(self._place)[1]

    def tell(self) -> int:
        """The position: words from counter 0, in [0, 2**130). It is 4 * counter + lane."""
        return self._place

    def seek(self, words: int) -> None:
        """Go to a position that tell gave, or to any other in [0, 2**130) of the same key."""
        self._move_to(check_int(words, "words", 0, END, "Positions wrap: words % 2**130."))

    def words(
        self, shape: Any = None, *, out: NDArray[np.uint32] | None = None, threads: int = 1
    ) -> NDArray[np.uint32]:
        """The next words. Arguments and errors are those of random_generator.

        >>> Stream([0, 0, 0, 0, 42, 0], lane=2).words((2, 2))
        array([[ 314527917, 1463989207],
               [4242219303, 1404726525]], dtype=uint32)
        """
        return self._draw_at(lambda state, lane: words_from(state, lane, shape, out, threads))

    @overload
    def uniform(
        self, shape: Any = None, low: Any = 0.0, high: Any = 1.0, **options: Unpack[_Options]
    ) -> NDArray[np.float32]: ...
    @overload
    def uniform(
        self,
        shape: Any = None,
        low: Any = 0.0,
        high: Any = 1.0,
        dtype: DTypeOf[Scalar] = ...,
        **options: Unpack[_Options],
    ) -> NDArray[Scalar]: ...
    @overload
    def uniform(
        self, shape: Any = None, low: Any = 0.0, high: Any = 1.0, dtype: DTypeLike = ..., **options: Unpack[_Options]
    ) -> Array: ...
    def uniform(
        self,
        shape: Any = None,
        low: Any = 0.0,
        high: Any = 1.0,
        dtype: DTypeLike = np.float32,
        *,
        out: Array | None = None,
        threads: int = 1,
    ) -> Array:
        """The next real numbers of [low, high): one word each, float64 two. Arguments and errors: those of uniform.

        >>> Stream([0, 0, 0, 0, 42, 0]).uniform(2, -1, 1)
        array([0.6709182 , 0.83259463], dtype=float32)
        """
        return self._numbers(distributions.uniform, shape, low, high, dtype, out=out, threads=threads)

    @overload
    def integers(
        self, shape: Any = None, low: int = ..., high: int = ..., **options: Unpack[_Options]
    ) -> NDArray[np.int32]: ...
    @overload
    def integers(
        self,
        shape: Any = None,
        low: int = ...,
        high: int = ...,
        dtype: DTypeOf[Scalar] = ...,
        **options: Unpack[_Options],
    ) -> NDArray[Scalar]: ...
    @overload
    def integers(
        self, shape: Any = None, low: int = ..., high: int = ..., dtype: DTypeLike = ..., **options: Unpack[_Options]
    ) -> Array: ...
    def integers(
        self,
        shape: Any = None,
        low: int | None = None,
        high: int | None = None,
        dtype: DTypeLike = np.int32,
        *,
        out: Array | None = None,
        threads: int = 1,
    ) -> Array:
        """The next integers of [low, high): one word each, of 64 bits two. Arguments and errors: those of integers.

        >>> Stream([0, 0, 0, 0, 42, 0]).integers(5, 1, 7)
        array([6, 2, 4, 2, 4], dtype=int32)
        """
        return self._numbers(distributions.integers, shape, low, high, dtype, out=out, threads=threads)

    @overload
    def normal(
        self, shape: Any = None, mean: Any = 0.0, stddev: Any = 1.0, **options: Unpack[_Options]
    ) -> NDArray[np.float32]: ...
    @overload
    def normal(
        self,
        shape: Any = None,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: DTypeOf[Scalar] = ...,
        **options: Unpack[_Options],
    ) -> NDArray[Scalar]: ...
    @overload
    def normal(
        self, shape: Any = None, mean: Any = 0.0, stddev: Any = 1.0, dtype: DTypeLike = ..., **options: Unpack[_Options]
    ) -> Array: ...
    def normal(
        self,
        shape: Any = None,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: DTypeLike = np.float32,
        *,
        out: Array | None = None,
        threads: int = 1,
    ) -> Array:
        """The next normals: two words a pair, float64 four. Arguments and errors: those of normal.

        An odd count moves past the whole of its last pair, whose second number nobody gets: to keep it would be to
        save more than a position.

        >>> stream = Stream([0, 0, 0, 0, 42, 0])
        >>> stream.normal(3).round(3), stream.tell()
        (array([-0.301,  0.519, -0.157], dtype=float32), 4)
        """
        return self._numbers(distributions.normal, shape, mean, stddev, dtype, out=out, threads=threads, together=PAIR)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stream):
            return NotImplemented
        return (self._key, self._place) == (other._key, other._place)

    __hash__ = None  # type: ignore[assignment]  # it moves

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._state_and_lane(self._place)

    def __repr__(self) -> str:
        state, lane = self._state_and_lane(self._place)
        return f"{type(self).__name__}({state.tolist()}, lane={lane})"

    def _state_and_lane(self, position: int) -> tuple[State, int]:
        block, lane = divmod(position, 4)
        return state_of(block, self._key), lane

    def _numbers(self, make: Callable[..., Numbers[Any]], *arguments: Any, together: int = 1, **options: Any) -> Array:
        return self._draw_at(lambda state, lane: make(state, *arguments, lane=lane, **options).values, together)

    def _draw_at(self, make: Callable[[State, int], Array], together: int = 1) -> Array:
        """What `make` draws at this position; a draw of words that come `together` moves by a multiple of them."""

        def draw(position: int) -> tuple[Array, int]:
            values = make(*self._state_and_lane(position))
            return values, (position + words_read(values.size, values.dtype, together)) % END

        return self._draw(draw)
