"""`In`: a generator as an explicit input of a function."""

from __future__ import annotations

from typing import Any

from ...messages import format_value
from .states import Container, NewRng, Rng, read_only_words


class In:
    """A generator as an input of `function`, with the state at which it starts.

    A generator that is not among the inputs is added automatically, with the state of its owner's seed and its update.
    A call of the function takes no argument for an In: `fn.state[v.rng]` reads and sets the state.

    Parameters
    ----------
    variable : Rng
        The `rng` of a random result v.
    value : uint32 array of shape (6,) or (1, .., 1, 6), six ints, or a Container
        The state before the first call.
    update : v.new_rng, optional
        The state that a call stores: that after its draw. Without an update a call stores nothing, and all calls draw
        the same numbers.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> from dmlrand.compat.theano import MetaRandom, function
    >>> v = MetaRandom(7).uniform(shape=3)
    >>> fn = function([In(v.rng, value=make_state(key=42), update=v.new_rng)], v)
    >>> same = function([In(v.rng, value=make_state(key=42))], v)
    >>> first = fn()
    >>> bool((same() == first).all()), bool((same() == first).all()), bool((fn() == first).any())
    (True, True, False)
    """

    def __init__(self, variable: Rng, *, value: Any, update: NewRng | None = None) -> None:
        if not isinstance(variable, Rng):
            raise TypeError(f"variable must be a generator, the .rng of a random result; got {format_value(variable)}.")
        if update is not None and update != NewRng(variable):
            raise ValueError(
                f"update must be the .new_rng of the result with generator {variable.name!r}, or None; got "
                f"{format_value(update)}."
            )
        self.variable, self.update = variable, update
        self.value = read_only_words(value.value if isinstance(value, Container) else value, "value")

    def __repr__(self) -> str:
        return f"In({self.variable.name!r}, value={self.value.tolist()}, update={self.update is not None})"
