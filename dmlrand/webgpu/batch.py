"""Draws from many states at once, on a GPU: a row of words or numbers for each state, as in dmlrand.batch.

One dispatch draws all rows that fit in one binding of the device. Clauses: specs/webgpu.md, section 5.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

from ..arrays.tensor import check_sizes
from ..batch import advance_blocks
from ..derived import derive
from ..number_rules import DISTRIBUTIONS
from ..outputs import Outputs
from ..plan import WORDS, BoundRule
from ..state import blocks_for
from .device_array import DeviceArray
from .drawing import UNSUPPORTED, draw

__all__ = ["random_generator", *DISTRIBUTIONS]


def random_generator(
    states: Any, shape: Any, *, device: Any = None, out: Any = None, offset: int = 0
) -> Outputs[DeviceArray]:
    """`dmlrand.batch.random_generator` on a GPU: `values` has the shape (B, *shape), and `state` the shape (B, 6).

    `states` is as in dmlrand.batch. All other arguments are those of dmlrand.webgpu.random_generator.

    >>> from dmlrand import make_state, split
    >>> values, states = random_generator(split(make_state(key=42), 3), 4)
    >>> values.to_numpy()
    array([[3420982169, 1083393842, 2499483734, 3470076608],
           [ 225084408, 1902979556, 3357136136,  790407872],
           [2040564711, 2400589241, 1400693110,   83403247]], dtype=uint32)
    >>> states[:, 0]
    array([1, 1, 1], dtype=uint32)
    """
    return _draw(WORDS, states, shape, device, out, offset)


_HELP = """`dmlrand.webgpu.{name}` of each state. The parameters and the dtype are the same for all rows.

    `states` is as in dmlrand.batch. All other arguments are those of dmlrand.webgpu.{name}.

    >>> from dmlrand import batch, make_state, split, webgpu
    >>> states = split(make_state(key=42), 3)
    >>> on_device = webgpu.batch.{name}(states, 6{example}).values.to_numpy()
    >>> bool((on_device == batch.{name}(states, 6{example}).values).all())
    True
    """
_OPTIONS = {"device": None, "out": None, "offset": 0}
globals().update(
    derive(__name__, "states", lambda _, *given, **named: _draw(*given, **named), _HELP, _OPTIONS, without=UNSUPPORTED)
)

if TYPE_CHECKING:  # the functions of the distributions

    def __getattr__(name: str) -> Callable[..., Outputs[DeviceArray]]: ...


def _draw(rule: BoundRule, states: Any, shape: Any, device: Any, out: Any, offset: Any) -> Outputs[DeviceArray]:
    before, sizes = advance_blocks(states, 0), check_sizes(shape)
    values = draw(rule, before, 0, (len(before), *sizes), device, out, offset)
    return Outputs(values, advance_blocks(before, blocks_for(rule.words_read(prod(sizes)))))
