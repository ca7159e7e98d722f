"""RandomUniform: a node with its attributes and its state, and the tensors that it draws.

The rules are those of specs/openvino.md, sections 3 to 5. With alignment="pytorch" NumPy's RandomState supplies the
words: its stream is frozen, and RandomState(s) starts as MT19937's init_genrand(s) does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...arrays.arguments import check_choice
from ...arrays.integers import check_int
from ...arrays.number_types import FLOATS, INTEGERS, check_dtype, words_per_number
from ...arrays.tensor import Shape
from ...distributions import integers, uniform
from ...operator import random_generator
from ...state import State, advance_blocks, blocks_for, key_of, make_state, seed_state
from ..shared import StatePosition
from .arguments import OUTPUT_TYPES, check_range, check_sizes, type_name
from .ir import read_layer
from .numbers import Array, Range, mt19937_numbers, plugin_numbers, reference_bfloat16, reference_float16

ALIGNMENTS = ("tensorflow", "pytorch")
IMPLEMENTATIONS = ("reference", "cpu_plugin")
RESERVED_BLOCKS = 256  # the counter moves by this for each block (in the plugin: for each value) that was used
PIECE_VALUES = 1 << 15  # made at a time, so that the temporary arrays fit in a core's cache; a multiple of 4

# The smallest nonzero fraction is 2**-10, so from this width on every product is at least 2**-15, and OpenVINO's
# rounding to float16 is right. Sums below 2**-15 are exact. The rule is then that of dmlrand.uniform.
CORRECT_FLOAT16_MIN_WIDTH = 2**-5


def draw_philox(state: State, sizes: Shape, kind: np.dtype[Any], bounds: Range, plugin: bool) -> tuple[Array, State]:
    """A tensor for alignment="tensorflow", and the state of the next call."""
    read = None
    if plugin:
        read = plugin_numbers
    elif kind.name == "bfloat16":
        read = reference_bfloat16
    elif kind == np.float16 and bounds.width < CORRECT_FLOAT16_MIN_WIDTH:
        read = reference_float16
    if read is None:
        draw = integers if kind.kind == "i" else uniform
        # Drawn flat, because OpenVINO's tensors may have more axes than DirectML's.
        values = draw(state, math.prod(sizes), low=bounds.low, high=bounds.high, dtype=kind).values.reshape(sizes)
    else:
        values = _filled(
            sizes,
            kind,
            lambda start, count: read(random_generator(advance_blocks(state, start // 4), count).values, kind, bounds),
        )
    blocks = values.size if plugin else blocks_for(values.size * words_per_number(kind))
    return values, advance_blocks(state, RESERVED_BLOCKS * blocks)


def _filled(sizes: Shape, kind: np.dtype[Any], make: Callable[[int, int], Array]) -> Array:
    """A tensor of make(start, count) for consecutive pieces."""
    values = np.empty(sizes, kind)
    flat = values.reshape(-1)
    for start in range(0, flat.size, PIECE_VALUES):
        piece = flat[start : start + PIECE_VALUES]
        piece[...] = make(start, piece.size)
    return values


class RandomUniform(StatePosition):
    """A RandomUniform node with its state: random numbers of [minval, maxval), the same as OpenVINO's.

    A call draws a tensor and moves the state, as another inference of the node does. Threads may share one object: a
    draw and its step are one operation, so no two calls draw from the same state. A copy, an unpickled object or a
    forked child continues from the same state on its own. Not for cryptography.

    Parameters
    ----------
    output_type : "i32", "i64", "f16", "bf16", "f32" or "f64"
        Type of the output and of both bounds, in upper or lower case. "double" (f64) and the IR's precisions "FP16",
        "FP32" and "FP64" are accepted too. bf16 needs the package ml_dtypes: pip install ml_dtypes.
    global_seed, op_seed : int in [0, 2**63)
        Key and high half of the counter. Both 0: the key is taken from the operating system's entropy, so each node
        draws other numbers. `state` shows the key.
    alignment : "tensorflow" or "pytorch"
        "tensorflow" is Philox4x32-10 with a counter that moves from call to call. "pytorch" is MT19937, which ignores
        op_seed and starts again at every call, so every call gives the same numbers.
    implementation : "reference" or "cpu_plugin"
        "reference" is what the documentation describes and what the evaluator of OpenVINO's core computes. "cpu_plugin"
        is what a model returns that runs on the CPU plugin. They differ for f64, i64 and f16, and in rounding for f32
        and bf16. With alignment "tensorflow" all types differ from the second call on.

    The attribute `state` is the state that the next call draws from: n, op_seed and global_seed, each low word first,
    in a new uint32 array of shape (6,). Set it to any state to draw from there; the seeds then do not matter. With
    alignment "pytorch" only the fifth word matters.

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
        self.output_type = check_choice(type_name(output_type), "output_type", OUTPUT_TYPES)
        self.global_seed = check_int(global_seed, "global_seed", 0, 1 << 63)
        self.op_seed = check_int(op_seed, "op_seed", 0, 1 << 63)
        self.alignment = check_choice(alignment, "alignment", ALIGNMENTS)
        self.implementation = check_choice(implementation, "implementation", IMPLEMENTATIONS)
        self._kind = check_dtype(OUTPUT_TYPES[self.output_type], FLOATS + INTEGERS)
        seeded = self.global_seed or self.op_seed
        super().__init__(make_state(counter=self.op_seed << 64, key=self.global_seed) if seeded else seed_state())

    @classmethod
    def from_ir(cls, xml: str | bytes, implementation: str = "reference", name: str | None = None) -> RandomUniform:
        """The node that a layer of OpenVINO's IR describes.

        xml is the text of one `<layer type="RandomUniform">`, or of a whole IR. The layer's `<data>` gives output_type,
        global_seed, op_seed and alignment; absent seeds are 0. Shape and bounds are inputs of the layer, not part of
        it. Pass only XML that you trust: a hostile document can exhaust the memory. `name`, the name of the layer, is
        needed if the IR holds several layers of this type.

        >>> RandomUniform.from_ir('''
        ...     <layer id="3" name="RandomUniform" type="RandomUniform" version="opset8">
        ...         <data output_type="f32" global_seed="234" op_seed="148"/>
        ...     </layer>''')
        RandomUniform('f32', global_seed=234, op_seed=148, alignment='tensorflow', implementation='reference')
        """
        return cls(**read_layer(xml, name), implementation=implementation)

    def __repr__(self) -> str:
        return (
            f"RandomUniform({self.output_type!r}, global_seed={self.global_seed}, op_seed={self.op_seed}, "
            f"alignment={self.alignment!r}, implementation={self.implementation!r})"
        )

    def __call__(self, shape: Any, minval: Any, maxval: Any) -> Array:
        """The next tensor of numbers in [minval, maxval).

        maxval itself can be drawn, because the last rounding can round up to it. Some ranges near zero give numbers
        outside of the range. specs/openvino.md, section 6, lists both. A call that raises, also for lack of memory,
        does not move the state.

        Parameters
        ----------
        shape : int32 or int64 array of rank 1, or sequence of ints
            At most 32 sizes of at least 0. [] asks for one value, an array of shape (). "cpu_plugin" needs at least one
            size.
        minval, maxval : number, or array of the output type of shape () or (1,)
            minval < maxval. A Python float is rounded to the output type. A Python int must be a number of that type.

        Examples
        --------
        >>> RandomUniform("f32", global_seed=150, op_seed=10)([1, 3], 0.0, 1.0)
        array([[0.7011236 , 0.30539632, 0.93931055]], dtype=float32)
        """
        plugin = self.implementation == "cpu_plugin"
        sizes = check_sizes(shape, self._kind, plugin)
        bounds = check_range(minval, maxval, self._kind, plugin)
        if self.alignment == "tensorflow":
            return self._draw(lambda state: draw_philox(state, sizes, self._kind, bounds, plugin))
        return self._draw(lambda state: self._draw_mt19937(state, sizes, bounds, plugin))

    def _draw_mt19937(self, state: State, sizes: Shape, bounds: Range, plugin: bool) -> tuple[Array, State]:
        """A tensor for alignment="pytorch", and the state of the next call."""
        words: Any = partial(np.random.RandomState(key_of(state) & 0xFFFFFFFF).randint, 0, 1 << 32, dtype=np.uint32)
        values = _filled(sizes, self._kind, lambda _, count: mt19937_numbers(words, count, self._kind, bounds, plugin))
        if not (self.global_seed or self.op_seed or plugin):
            state = seed_state()  # the evaluator takes a new seed at every call, the plugin at the first one only
        return values, state
