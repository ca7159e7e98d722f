"""tf.random.Generator: a state that each value drawn moves by 256 blocks. The Generator of the process."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...philox import MASK64
from ...state import State, key_of, seed_state
from ..shared import StatePosition, check_int, format_value
from . import draws
from .arguments import HIGH64, LOW64, Array, check_algorithm, fixed_ints, read_ints
from .seeds import key_counter_of_state, skip_blocks, state_of_key_counter

__all__ = ["Generator", "get_global_generator", "set_global_generator"]


class Generator:
    """A Philox stream with a position: `tf.random.Generator`. Give either copy_from, a Generator, or state: the
    counter's low half, its high half and the key, ints in [-2**63, 2**64). `position.state` is the state as dmlrand's
    six words. Samplers draw the numbers of the stateless ones, and reset_from_X moves to the state of from_X.

    >>> generator = Generator.from_seed([7])
    >>> generator.uniform([2, 2]).shape, generator.state
    ((2, 2), array([1024,    0,    7]))
    """

    def __init__(self, copy_from: Generator | None = None, state: Any = None, alg: Any = None) -> None:
        if (copy_from is None) == (state is None):
            raise TypeError(
                f"exactly one of copy_from and state must be given; got {'neither' if state is None else 'both'}. "
                "Generator.from_seed makes a generator from a seed."
            )
        if not isinstance(copy_from, Generator | None):
            raise TypeError(f"copy_from must be a Generator; got {format_value(copy_from)}. Pass a state as state=.")
        if copy_from is not None:
            if alg is not None:
                raise TypeError(f"alg must be omitted if copy_from is given; got {format_value(alg)}. It is copied.")
            alg, state = copy_from.algorithm, copy_from.state
        self._algorithm, self.position = check_algorithm(alg), StatePosition(_read_state(state))

    @classmethod
    def from_state(cls, state: Any, alg: Any = "philox") -> Generator:
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator from an int, or a vector of ints. Trap: from_seed(1234) and from_seed([1234]) have different
        states."""
        return cls(state=_seed_numbers(seed), alg="philox" if alg is None else alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any = "philox") -> Generator:
        """A generator from a key and the two halves of a counter, low half first."""
        return cls(state=_state_numbers(state_of_key_counter(key, counter)), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator at a state from the operating system's entropy."""
        return cls(state=[key_of(seed_state()) for _ in range(3)], alg="philox" if alg is None else alg)

    def reset(self, state: Any) -> None:
        self.position.state = _read_state(state)

    def reset_from_seed(self, seed: Any) -> None:
        self.reset(_seed_numbers(seed))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        self.position.state = state_of_key_counter(key, counter)

    @property
    def state(self) -> NDArray[np.int64]:
        """Counter low half, counter high half, key: a new int64 array of shape (3,)."""
        return _state_numbers(self.position.state)

    @property
    def key(self) -> np.int64:
        return self.state[-1]  # type: ignore[no-any-return]

    @property
    def algorithm(self) -> int:
        """1 for Philox, 3 for auto_select."""
        return self._algorithm

    def skip(self, delta: Any) -> NDArray[np.int64]:
        """Move past `delta` values, an int in [-2**63, 2**64), and return the state before. Trap: the addition can lose
        a carry."""
        blocks = check_int(delta, "delta", LOW64, 1 << 64) * draws.RESERVED_BLOCKS_PER_VALUE
        return _state_numbers(self.position._draw(lambda state: (state, skip_blocks(state, blocks))))

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = np.float32, name: Any = None,
        *, jit_compile: bool = False,
    ) -> Array:  # fmt: skip
        return self._draw(draws.uniform(shape, minval, maxval, dtype, jit_compile))

    def uniform_full_int(
        self, shape: Any, dtype: Any = np.uint64, name: Any = None, *, jit_compile: bool = False
    ) -> Array:
        """Integers of the whole range of int32, int64, uint32 or uint64, the same ones under XLA."""
        return self._draw(draws.full_range(shape, dtype))

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, name: Any = None,
        *, jit_compile: bool = False,
    ) -> Array:  # fmt: skip
        return self._draw(draws.normal(shape, mean, stddev, dtype, jit_compile))

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, name: Any = None,
        *, jit_compile: bool = False,
    ) -> Array:  # fmt: skip
        return self._draw(draws.truncated_normal(shape, mean, stddev, dtype, jit_compile))

    def binomial(self, shape: Any, counts: Any, probs: Any, dtype: Any = np.int32, name: Any = None) -> Array:
        """How many of `counts` trials succeed. counts and probs must be of one real type, which Python's floats are."""
        kinds = [draws.type_of(counts, "counts"), draws.type_of(probs, "probs")]
        if kinds[0] != kinds[1] or kinds[0].name not in draws.REALS:
            raise TypeError(
                f"counts and probs must both be float16, float32 or float64; got {kinds[0]} and {kinds[1]}. Write "
                "counts as Python floats, or convert one of them."
            )
        return self._draw(draws.binomial(shape, counts, probs, dtype, kinds[0], "dtype"))

    def make_seeds(self, count: int = 1) -> NDArray[np.int64]:
        """Seed pairs for stateless samplers, one in each column: int64 of shape (2, count). The second row is zeros."""
        keys = self._draw_keys(count)
        return np.stack([keys, np.zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """`count` independent generators, at counter 0 of new keys."""
        return [type(self)(state=[0, 0, key], alg=self._algorithm) for key in self._draw_keys(count).tolist()]

    def __repr__(self) -> str:
        return f"Generator(state={self.state.tolist()}, alg={self._algorithm})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (None, self.state.tolist(), self._algorithm)

    def _draw_keys(self, count: Any) -> NDArray[np.int64]:
        return self.uniform_full_int([check_int(count, "count", 0, HIGH64)], np.int64)

    def _draw(self, draw: draws.Draw) -> Array:
        return self.position._draw(draw.values_and_next_state)


def _read_state(state: Any) -> State:
    (low, high, key), _ = fixed_ints(state, "state", 3, "counter low half, counter high half, key")
    return state_of_key_counter(key, (low, high))


def _state_numbers(words: State) -> NDArray[np.int64]:
    """TensorFlow's three numbers for a state of six words."""
    key, counter = key_counter_of_state(words)
    return np.concatenate([counter, key]).view(np.int64)


def _seed_numbers(seed: Any) -> list[int]:
    """The three numbers of the state for a seed."""
    if isinstance(seed, int):
        number = check_int(seed, "seed")
        return [number >> 64 * i & MASK64 for i in range(3)]
    vector, _ = read_ints(seed, "seed", LOW64, 1 << 64)
    return [0] * (3 - len(vector)) + vector[:3]


_global: list[Generator] = []  # the first one is the process's


def get_global_generator() -> Generator:
    """The process's generator, used as Generator of this module shows. set_seed does not change it."""
    if not _global:
        _global.append(Generator.from_non_deterministic_state())
    return _global[0]  # the same for two threads that both append


def set_global_generator(generator: Generator) -> None:
    """Replace the generator of this process by `generator` itself, made as Generator of this module shows."""
    if not isinstance(generator, Generator):
        raise TypeError(f"generator must be a Generator; got {format_value(generator)}. Generator.from_seed makes one.")
    _global[:] = [generator]
