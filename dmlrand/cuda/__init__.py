"""Tensors on a CUDA device: the words and the numbers of dmlrand, in its memory.

Needs the package numba-cuda (extra `cuda`) and an NVIDIA GPU with its driver. The state stays six words on the host.
Clauses: specs/cuda.md, which says on which GPU it ran. Not for cryptography.
"""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

from ..drawing import number_rules
from ..drawing.derived import check_supported, parameters_by_name, part_on_device
from ..drawing.plan import WORDS, BoundRule, Outputs
from ..state import StateLike
from .devices import check_device, check_out, check_stream, new_array

__all__ = ["Outputs", "random_generator", "random_window", *number_rules.DISTRIBUTIONS]

UNSUPPORTED = ("float16", "bfloat16")


class _Options(TypedDict, total=False):
    """What the functions of the distributions take beside their parameters."""

    window: Any
    out: Any
    stream: Any


def random_generator(state: StateLike, shape: Any, *, out: Any = None, stream: Any = None) -> Outputs[Any]:
    """`dmlrand.random_generator` on a CUDA device: the same words and the same new state.

    The values are a numba device array, or `out` itself. The call returns before the device has made the words, and
    values.copy_to_host() waits for them. The first call of each function compiles its kernel in about a second.

    Parameters
    ----------
    state, shape : as in dmlrand.random_generator
        The state is in the memory of the host.
    out : array in the memory of the current CUDA device, optional
        Written to instead of a new array. Any object with `__cuda_array_interface__`: a tensor of PyTorch, or an array
        of CuPy or of numba. It must be contiguous in row-major order, of the shape and type of the result, and
        writable.
    stream : numba.cuda stream, or int >= 0, optional
        The CUDA stream that does the work. An int is the handle of a stream: `torch.cuda.current_stream().cuda_stream`,
        or `cupy.cuda.get_current_stream().ptr`. By default it is CUDA's default stream.

    Raises
    ------
    RuntimeError
        There is no CUDA device.

    Examples
    --------
    >>> from dmlrand import make_state
    >>> values, state = random_generator(make_state(key=42), (2, 3))
    >>> values.copy_to_host()
    array([[2632642643, 2012563771,  314527917],
           [1463989207, 4242219303, 1404726525]], dtype=uint32)
    >>> state
    array([ 2,  0,  0,  0, 42,  0], dtype=uint32)
    """
    return _draw(WORDS, state, shape, None, out, stream)


def random_window(state: StateLike, shape: Any, window: Any, *, out: Any = None, stream: Any = None) -> Any:
    """`dmlrand.random_window` on a CUDA device, for windows whose words are consecutive in the tensor.

    Such a window takes ints or ranges of one element along the first axes, one range of step 1 along the next axis, and
    all of the axes after it. Another window is a ValueError. All other arguments and errors are those of
    random_generator.

    >>> from dmlrand import make_state
    >>> random_window(make_state(key=42), (2**30, 2**30), (5, slice(1, 4))).copy_to_host()
    array([3116674875,   96954776, 1110757889], dtype=uint32)
    """
    # In a tuple, None is refused as any other wrong index, as in dmlrand.random_window.
    return _draw(WORDS, state, shape, window if isinstance(window, tuple) else (window,), out, stream).values


@parameters_by_name("state")
def uniform(
    state: StateLike, shape: Any, *, low: Any = 0.0, high: Any = 1.0, dtype: Any = "float32",
    **options: Unpack[_Options],
) -> Outputs[Any]:  # fmt: skip
    """`dmlrand.uniform` on a CUDA device, with the same bits, for float32 and float64.

    `window` is that of random_window. All other arguments are those of dmlrand.uniform and of random_generator.

    >>> from dmlrand import cuda, make_state, uniform
    >>> on_device = cuda.uniform(make_state(key=42), 6).values.copy_to_host()
    >>> bool((on_device == uniform(make_state(key=42), 6).values).all())
    True
    """
    return _draw(number_rules.uniform_rule(low, high, dtype), state, shape, **options)


def integers(
    state: StateLike, shape: Any, low: int | None = None, high: int | None = None, dtype: Any = "int32",
    **options: Unpack[_Options],
) -> Outputs[Any]:  # fmt: skip
    """`dmlrand.integers` on a CUDA device, as uniform of this module."""
    return _draw(number_rules.integers_rule(low, high, dtype), state, shape, **options)


@parameters_by_name("state")
def normal(
    state: StateLike, shape: Any, *, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32",
    **options: Unpack[_Options],
) -> Outputs[Any]:  # fmt: skip
    """`dmlrand.normal` on a CUDA device, as uniform of this module."""
    return _draw(number_rules.normal_rule(mean, stddev, dtype), state, shape, **options)


@parameters_by_name("state")
def exponential(
    state: StateLike, shape: Any, *, scale: Any = 1.0, dtype: Any = "float32", **options: Unpack[_Options]
) -> Outputs[Any]:
    """`dmlrand.exponential` on a CUDA device, as uniform of this module."""
    return _draw(number_rules.exponential_rule(scale, dtype), state, shape, **options)


def bernoulli(state: StateLike, shape: Any, p: Any = None, **options: Unpack[_Options]) -> Outputs[Any]:
    """`dmlrand.bernoulli` on a CUDA device, as uniform of this module."""
    return _draw(number_rules.bernoulli_rule(p), state, shape, **options)


def _draw(
    rule: BoundRule, state: Any, shape: Any, window: Any = None, out: Any = None, stream: Any = None
) -> Outputs[Any]:
    """Fill an array on the device by a rule, and advance the state past the whole tensor."""
    check_supported(rule, UNSUPPORTED, "on a CUDA device")
    check_device()
    from ..kernels import cuda as kernels

    first, skip, sizes, after = part_on_device(rule, state, shape, window)
    chosen_stream = check_stream(stream)
    array = new_array(sizes, rule.dtype, chosen_stream) if out is None else check_out(out, sizes, rule.dtype)
    if array.size:
        flat = array.reshape(array.size).view(rule.kernel_dtype)
        kernels.fill(rule.name, first, skip, rule.parameters, flat, chosen_stream)  # type: ignore[no-untyped-call]
    return Outputs(array if out is None else out, after)
