"""RandomUniform: the arguments, the calls and the state of the node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.arguments import check_choice
from ...arrays.integers import check_int
from ...arrays.number_types import FLOATS, INTEGERS, check_dtype
from ...arrays.tensor import Shape, check_shape
from ...position import StatePosition
from ...state import State, key_of, make_state, seed_state
from . import philox, pytorch
from .bounds import Range, check_range
from .ir import read_layer

Array = NDArray[Any]

OUTPUT_TYPES = {  # OpenVINO's names and NumPy's
    "i32": "int32",
    "i64": "int64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
}
ALIGNMENTS = ("tensorflow", "pytorch")
IMPLEMENTATIONS = ("reference", "cpu_plugin")


class RandomUniform(StatePosition):
    """A RandomUniform node with its state: random numbers of [minval, maxval), the same as OpenVINO's.

    Calling it draws a tensor and moves the state, as inferring the node again does. Threads may share one object: a
    draw and the step of the state are one, so no two calls draw from the same state. Copies and pickles have the
    state and go on by themselves; so does a forked child. Not for cryptography.


    Parameters
    ----------
    output_type : "i32", "i64", "f16", "bf16", "f32" or "f64"
        Type of the output and of both bounds. bf16 needs the package ml_dtypes: pip install ml_dtypes.
    global_seed, op_seed : int in [0, 2**63)
        Key and high half of the counter. Both 0: the seed is taken from the operating system instead, so that no
        two nodes agree; `state` tells which it was.
    alignment : "tensorflow" or "pytorch"
        Philox4x32-10 with a counter that moves from call to call; or MT19937, which ignores op_seed and starts
        again at every call, so that every call gives the same numbers.
    implementation : "reference" or "cpu_plugin"
        What the documentation describes and the evaluator of OpenVINO's core does; or what models run by the CPU
        plugin return. They differ for f64, i64 and f16, in rounding for f32 and bf16, and in all second calls.

    Attributes
    ----------
    state : uint32 array of shape (6,)
        What the next call draws from: n low, n high, op_seed low, op_seed high, global_seed low, global_seed high. Each
        reading gives a new array. Set it to any state (a uint32 array of sizes {1, .., 1, 6}, or six ints), and the
        node goes on from there, whatever its seeds were. With alignment "pytorch" only the fifth word counts.

    Raises
    ------
    TypeError, ValueError
        An argument breaks a rule above.
    ImportError
        output_type is bf16 and ml_dtypes is not installed.

    Examples
    --------
    >>> op = RandomUniform("i32", global_seed=80, op_seed=100)
    >>> op([2, 3], 50, 100)
    array([[65, 70, 56],
           [59, 82, 92]], dtype=int32)
    >>> op.state
    array([512,   0, 100,   0,  80,   0], dtype=uint32)
    """

    def __init__(
        self,
        output_type: str,
        global_seed: int = 0,
        op_seed: int = 0,
        alignment: str = "tensorflow",
        implementation: str = "reference",
    ) -> None:
        self.output_type = check_choice(output_type, "output_type", OUTPUT_TYPES)
        self.global_seed = check_int(global_seed, "global_seed", 0, 1 << 63)
        self.op_seed = check_int(op_seed, "op_seed", 0, 1 << 63)
        self.alignment = check_choice(alignment, "alignment", ALIGNMENTS)
        self.implementation = check_choice(implementation, "implementation", IMPLEMENTATIONS)
        self._kind = check_dtype(OUTPUT_TYPES[self.output_type], FLOATS + INTEGERS)
        if self.global_seed or self.op_seed:
            super().__init__(make_state(counter=self.op_seed << 64, key=self.global_seed))
        else:
            super().__init__(seed_state())

    @classmethod
    def from_ir(cls, xml: str | bytes, implementation: str = "reference") -> RandomUniform:
        """The node that a layer of OpenVINO's IR describes.

        Parameters
        ----------
        xml : str or bytes
            The text of one `<layer type="RandomUniform">`, or of a whole IR that holds one. Its `<data>` gives
            output_type, global_seed, op_seed and alignment; absent seeds are 0. Shape and bounds are inputs of the
            layer, not part of it. Like every XML reader this one trusts its input not to be hostile.
        implementation : "reference" or "cpu_plugin"

        Raises
        ------
        TypeError, ValueError
            xml is no such text, an attribute is unknown or out of range, or a port's precision is not output_type's.

        Examples
        --------
        >>> RandomUniform.from_ir('''
        ...     <layer id="3" name="RandomUniform" type="RandomUniform" version="opset8">
        ...         <data output_type="f32" global_seed="234" op_seed="148"/>
        ...     </layer>''')
        RandomUniform('f32', global_seed=234, op_seed=148, alignment='tensorflow', implementation='reference')
        """
        return cls(**read_layer(xml), implementation=implementation)

    def __repr__(self) -> str:
        return (
            f"RandomUniform({self.output_type!r}, global_seed={self.global_seed}, op_seed={self.op_seed}, "
            f"alignment={self.alignment!r}, implementation={self.implementation!r})"
        )

    def __call__(self, shape: Any, minval: Any, maxval: Any) -> Array:
        """The next tensor of numbers in [minval, maxval).

        maxval itself can come out where the type rounds up to it: specs/openvino.md, section 6.

        Parameters
        ----------
        shape : int32 or int64 array of rank 1, or sequence of ints
            1 to 8 sizes of at least 0.
        minval, maxval : number, or array of the output type of shape () or (1,)
            minval < maxval. A Python float is rounded to the output type; everything else must be of it.

        Returns
        -------
        array of the output type and of `shape`

        Raises
        ------
        TypeError, ValueError
            An argument breaks a rule above, or the implementation cannot take these bounds. The state stays.
        MemoryError
            The output does not fit. The state stays.

        Examples
        --------
        >>> RandomUniform("f32", global_seed=150, op_seed=10)([1, 3], 0.0, 1.0)
        array([[0.7011236 , 0.30539632, 0.93931055]], dtype=float32)
        """
        sizes = check_shape(_shape_tensor(shape), self._kind.itemsize)
        plugin = self.implementation == "cpu_plugin"
        bounds = check_range(minval, maxval, self._kind, plugin)
        if self.alignment == "tensorflow":
            return self._draw(lambda state: philox.draw(state, sizes, self._kind, bounds, plugin))
        return self._draw(lambda state: self._draw_mt19937(state, sizes, bounds, plugin))

    def _draw_mt19937(self, state: State, sizes: Shape, bounds: Range, plugin: bool) -> tuple[Array, State]:
        values = pytorch.draw(key_of(state), sizes, self._kind, bounds, plugin)
        if not (self.global_seed or self.op_seed or plugin):
            state = seed_state()  # the evaluator takes another seed at every call; the plugin keeps its first
        return values, state


def _shape_tensor(shape: Any) -> tuple[Any, ...]:
    """The sizes in an int32 or int64 tensor of rank 1, or in a list or tuple."""
    if isinstance(shape, (list, tuple)):
        return tuple(shape)
    if not isinstance(shape, np.ndarray):
        raise TypeError(
            f"shape must be an int32 or int64 array of rank 1, or a list or tuple of ints; got {shape!r} "
            f"of type {type(shape).__name__}. Pass [{shape!r}] for one axis."
        )
    if shape.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
        raise TypeError(f"shape must hold int32 or int64; got {shape.dtype}. Convert it: shape.astype('int64').")
    if shape.ndim != 1:
        raise ValueError(f"shape must have rank 1, one element an axis; got an array of shape {shape.shape}.")
    return tuple(shape.tolist())
