"""Draws from many states at once, on a GPU: a row of words or numbers for each state, as in dmlrand.batch.

One dispatch draws all rows that fit in one binding of the device. Clauses: specs/webgpu.md, section 5.
"""

from __future__ import annotations

from math import prod
from typing import Any, Unpack

from ..batch import advance_blocks
from ..drawing import number_rules
from ..drawing.derived import check_supported, parameters_by_name
from ..drawing.plan import WORDS, BoundRule, Outputs
from ..drawing.tensor import check_sizes
from ..state import blocks_for
from .device_array import DeviceArray
from .drawing import UNSUPPORTED, Options, draw

__all__ = ["random_generator", *number_rules.DISTRIBUTIONS]


def random_generator(
    states: Any, shape: Any, *, device: Any = None, out: Any = None, offset: int = 0
) -> Outputs[DeviceArray]:
    """`dmlrand.batch.random_generator` on a GPU: `values` has the shape (B, *shape), and `state` the shape (B, 6).

    `states` is as in dmlrand.batch. All other arguments are those of dmlrand.webgpu.random_generator.

    >>> from dmlrand import make_state, split
    >>> random_generator(split(make_state(key=42), 3), 4).values.to_numpy()[0]
    array([3420982169, 1083393842, 2499483734, 3470076608], dtype=uint32)
    """
    return _draw(WORDS, states, shape, device, out, offset)


@parameters_by_name("states")
def uniform(
    states: Any, shape: Any, *, low: Any = 0.0, high: Any = 1.0, dtype: Any = "float32",
    **options: Unpack[Options],
) -> Outputs[DeviceArray]:  # fmt: skip
    """`dmlrand.webgpu.uniform` of each state. The parameters and the dtype are the same for all rows.

    `states` is as in dmlrand.batch. All other arguments are those of dmlrand.webgpu.uniform.

    >>> from dmlrand import batch, make_state, split, webgpu
    >>> states = split(make_state(key=42), 3)
    >>> on_device = webgpu.batch.uniform(states, 6).values.to_numpy()
    >>> bool((on_device == batch.uniform(states, 6).values).all())
    True
    """
    return _draw(number_rules.uniform_rule(low, high, dtype), states, shape, **options)


def integers(
    states: Any, shape: Any, low: int | None = None, high: int | None = None, dtype: Any = "int32",
    **options: Unpack[Options],
) -> Outputs[DeviceArray]:  # fmt: skip
    """`dmlrand.webgpu.integers` of each state, as uniform of this module."""
    return _draw(number_rules.integers_rule(low, high, dtype), states, shape, **options)


@parameters_by_name("states")
def normal(
    states: Any, shape: Any, *, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32",
    **options: Unpack[Options],
) -> Outputs[DeviceArray]:  # fmt: skip
    """`dmlrand.webgpu.normal` of each state, as uniform of this module."""
    return _draw(number_rules.normal_rule(mean, stddev, dtype), states, shape, **options)


@parameters_by_name("states")
def exponential(
    states: Any, shape: Any, *, scale: Any = 1.0, dtype: Any = "float32", **options: Unpack[Options]
) -> Outputs[DeviceArray]:
    """`dmlrand.webgpu.exponential` of each state, as uniform of this module."""
    return _draw(number_rules.exponential_rule(scale, dtype), states, shape, **options)


def bernoulli(states: Any, shape: Any, p: Any = None, **options: Unpack[Options]) -> Outputs[DeviceArray]:
    """`dmlrand.webgpu.bernoulli` of each state, as uniform of this module."""
    return _draw(number_rules.bernoulli_rule(p), states, shape, **options)


def _draw(
    rule: BoundRule, states: Any, shape: Any, device: Any = None, out: Any = None, offset: Any = 0
) -> Outputs[DeviceArray]:
    check_supported(rule, UNSUPPORTED, "in WebGPU")
    before, sizes = advance_blocks(states, 0), check_sizes(shape)
    values = draw(rule, before, 0, (len(before), *sizes), device, out, offset)
    return Outputs(values, advance_blocks(before, blocks_for(rule.words_read(prod(sizes)))))
