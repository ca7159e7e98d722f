"""Tensors on a GPU, by WebGPU: the words and the numbers of dmlrand, in the memory of the device.

Needs the package wgpu (extra `webgpu`) and an adapter: a GPU with a driver, or lavapipe, which runs on the processor.
The state stays six words on the host. `dmlrand.webgpu.batch` draws from many states at once. Clauses: specs/webgpu.md.
Not for cryptography.
"""

from __future__ import annotations

from typing import Any, Unpack

from ..drawing import number_rules
from ..drawing.derived import check_supported, parameters_by_name, part_on_device
from ..drawing.plan import WORDS, BoundRule, Outputs
from ..state import StateLike
from . import batch as batch
from .device_array import DeviceArray
from .devices import shader_source
from .drawing import UNSUPPORTED, Options, draw

__all__ = ["DeviceArray", "Outputs", "random_generator", "random_window", "shader_source", *number_rules.DISTRIBUTIONS]


class _Options(Options, total=False):
    window: Any


def random_generator(
    state: StateLike, shape: Any, *, device: Any = None, out: Any = None, offset: int = 0
) -> Outputs[DeviceArray]:
    """`dmlrand.random_generator` on a GPU: the same words and the same new state.

    `values` is a DeviceArray of uint32, and `state` an array of NumPy. The call returns before the device has made the
    words. values.to_numpy() waits for them.

    Parameters
    ----------
    state, shape : as in dmlrand.random_generator
        The words must fit in one buffer: see device.limits["max-buffer-size"].
    device : wgpu.GPUDevice, optional
        The default is a device of the adapter that wgpu prefers, made at the first call.
    out : wgpu.GPUBuffer, optional
        A buffer of `device` to write the words to instead of a new one. It needs the usage STORAGE, and COPY_SRC for
        to_numpy. No other byte of it is written.
    offset : int >= 0, a multiple of 4
        Where the words begin in `out`, in bytes.

    Raises
    ------
    RuntimeError
        There is no adapter.
    wgpu.GPUError
        `out` is too small or lacks a usage, the device is lost, or it has no memory for the words.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> values, state = random_generator(make_state(key=42), (2, 3))
    >>> values.to_numpy()
    array([[2632642643, 2012563771,  314527917],
           [1463989207, 4242219303, 1404726525]], dtype=uint32)
    >>> state
    array([ 2,  0,  0,  0, 42,  0], dtype=uint32)
    """
    return _draw(WORDS, state, shape, None, device, out, offset)


def random_window(
    state: StateLike, shape: Any, window: Any, *, device: Any = None, out: Any = None, offset: int = 0
) -> DeviceArray:
    """`dmlrand.random_window` on a GPU, for windows whose words are consecutive in the tensor.

    Such a window takes ints or ranges of one element along the first axes, one range of step 1 along the next axis, and
    all of the axes after it. Another window is a ValueError. All other arguments are those of random_generator.

    >>> from dmlrand import make_state
    >>> random_window(make_state(key=42), (2**30, 2**30), (5, slice(1, 4))).to_numpy()
    array([3116674875,   96954776, 1110757889], dtype=uint32)
    """
    # In a tuple, None is refused as any other wrong index, as in dmlrand.random_window.
    return _draw(WORDS, state, shape, window if isinstance(window, tuple) else (window,), device, out, offset).values


@parameters_by_name("state")
def uniform(
    state: StateLike, shape: Any, *, low: Any = 0.0, high: Any = 1.0, dtype: Any = "float32",
    **options: Unpack[_Options],
) -> Outputs[DeviceArray]:  # fmt: skip
    """`dmlrand.uniform` on a GPU, with the same bits, for float32.

    `window` is that of random_window. All other arguments are those of dmlrand.uniform and of random_generator.

    >>> from dmlrand import make_state, uniform, webgpu
    >>> on_device = webgpu.uniform(make_state(key=42), 6).values.to_numpy()
    >>> bool((on_device == uniform(make_state(key=42), 6).values).all())
    True
    """
    return _draw(number_rules.uniform_rule(low, high, dtype), state, shape, **options)


def integers(
    state: StateLike, shape: Any, low: int | None = None, high: int | None = None, dtype: Any = "int32",
    **options: Unpack[_Options],
) -> Outputs[DeviceArray]:  # fmt: skip
    """`dmlrand.integers` on a GPU, as uniform of this module."""
    return _draw(number_rules.integers_rule(low, high, dtype), state, shape, **options)


@parameters_by_name("state")
def normal(
    state: StateLike, shape: Any, *, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32",
    **options: Unpack[_Options],
) -> Outputs[DeviceArray]:  # fmt: skip
    """`dmlrand.normal` on a GPU, as uniform of this module."""
    return _draw(number_rules.normal_rule(mean, stddev, dtype), state, shape, **options)


@parameters_by_name("state")
def exponential(
    state: StateLike, shape: Any, *, scale: Any = 1.0, dtype: Any = "float32", **options: Unpack[_Options]
) -> Outputs[DeviceArray]:
    """`dmlrand.exponential` on a GPU, as uniform of this module."""
    return _draw(number_rules.exponential_rule(scale, dtype), state, shape, **options)


def bernoulli(state: StateLike, shape: Any, p: Any = None, **options: Unpack[_Options]) -> Outputs[DeviceArray]:
    """`dmlrand.bernoulli` on a GPU, as uniform of this module."""
    return _draw(number_rules.bernoulli_rule(p), state, shape, **options)


def _draw(
    rule: BoundRule, state: Any, shape: Any, window: Any = None, device: Any = None, out: Any = None, offset: Any = 0
) -> Outputs[DeviceArray]:
    """Fill an array on the device by a rule, and advance the state past the whole tensor."""
    check_supported(rule, UNSUPPORTED, "in WebGPU")
    first, lane, sizes, after = part_on_device(rule, state, shape, window)
    return Outputs(draw(rule, first.reshape(1, 6), lane, sizes, device, out, offset), after)
