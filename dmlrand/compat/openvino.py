"""OpenVINO's RandomUniform-8, bit for bit, in either of its two implementations, as RandomUniform of this module. The
constants list what its arguments may be. specs/openvino.md has the rules, and says where OpenVINO's page is wrong."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..distributions import integers, uniform
from ..drawing.number_types import FLOATS, INTEGERS, check_dtype, check_real, words_per_number
from ..drawing.tensor import Shape, check_addressable
from ..operator import random_generator
from ..state import State, advance_blocks, blocks_for, key_of, make_state, seed_state
from . import shared, subnormals
from .shared import Array, StatePosition, check_choice, check_int, fma32, format_value, join_words
from .subnormals import flush

__all__ = ["ALIGNMENTS", "IMPLEMENTATIONS", "INSTRUCTION_SETS", "OUTPUT_TYPES", "RandomUniform"]

Words = NDArray[np.uint32]
Floats = NDArray[np.float32]

ALIGNMENTS = ("tensorflow", "pytorch")
IMPLEMENTATIONS = ("reference", "cpu_plugin")
INSTRUCTION_SETS = ("AVX512_BF16", "AVX512_CORE", "AVX2")
RESERVED_BLOCKS = 256  # the counter moves by this for each block (in the plugin: for each value) that was used
PIECE_VALUES = 1 << 15  # made at a time, so that the temporary arrays fit in a core's cache; a multiple of 4

# The smallest nonzero fraction is 2**-10, so from this width on every product is at least 2**-15, and OpenVINO's
# rounding to float16 is right. Sums below 2**-15 are exact. The rule is then that of dmlrand.uniform.
CORRECT_FLOAT16_MIN_WIDTH = 2**-5

MAX_RANK = 32  # of the CPU plugin, and of NumPy 1

OUTPUT_TYPES = {  # OpenVINO's names and NumPy's
    "i32": "int32", "i64": "int64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
}  # fmt: skip

# Every accepted spelling in lower case. "double" is the page's name for f64 in its second example.
_NAMES = {name: name for name in OUTPUT_TYPES} | {"fp16": "f16", "fp32": "f32", "fp64": "f64", "double": "f64"}

# Words as numbers. Functions take flat arrays. With alignment="pytorch" NumPy's RandomState supplies the words:
# RandomState(s) starts as MT19937's init_genrand(s).


def fractions(words: Words, bits: int) -> Floats:
    """k / 2**bits for the low `bits` bits k of each word, as float32. Exact up to 24 bits."""
    return (words & np.uint32((1 << bits) - 1)).astype(np.float32) * np.float32(0.5**bits)


def openvino_float16(values: Floats) -> NDArray[np.float16]:
    """float32 rounded to float16 as OpenVINO's own class does: to nearest even, with one fault. A number below 2**-15
    that is within a relative 2**-12 below a power of two becomes twice that power."""
    bits = values.view(np.uint32)
    small = (bits & np.uint32(0x7F800000)) <= np.uint32(127 - 16 << 23)  # below 2**-15
    doubled = small & ((bits & np.uint32(0x7FFFFF)) >= np.uint32(0x7FF000))
    return np.where(doubled, values * np.float32(2), values).astype(np.float16)


def openvino_bfloat16(values: Floats) -> Floats:
    """float32 rounded to bfloat16 as OpenVINO's own class does, as float32. Half a unit is added only if the lowest bit
    that remains is 1, and the rest is cut: 1 + 0.75 * 2**-7 becomes 1."""
    bits = np.ascontiguousarray(values).view(np.uint32)
    return ((bits + ((bits & np.uint32(0x10000)) >> np.uint32(1))) & np.uint32(0xFFFF0000)).view(np.float32)


def reference_16(words: Words, bounds: Range, bits: int, rounded: Callable[[Floats], Array]) -> Array:
    """Numbers of fractions of `bits` bits, rounded after each operation."""
    return rounded(rounded(fractions(words, bits) * bounds.width).astype(np.float32, copy=False) + bounds.low)


def plugin_integers(words: Words, bounds: Range) -> Array:
    # The plugin holds the width as int32. It divides by a negative width with the quotient cut towards 0, which gives
    # the remainder of a division by the width's magnitude.
    width = bounds.width if bounds.width < 1 << 31 else (1 << 32) - bounds.width
    return (words % np.uint32(width) + np.uint32(bounds.low % (1 << 32))).view(np.int32)


def plugin_reals(words: Words, bounds: Range) -> Floats:
    """float32 numbers, which the plugin casts to f16 or f64 as its last step."""
    return fma32(fractions(words, 23), bounds.width, bounds.low)


def plugin_bfloat16(words: Words, bounds: Range, instruction_set: str) -> Floats:
    """float32 numbers. Those of AVX512_BF16 are rounded by the cast to bfloat16, to nearest even."""
    if instruction_set == "AVX2":
        return openvino_bfloat16(plugin_reals(words, bounds))
    if instruction_set == "AVX512_CORE":
        return reference_16(words, bounds, 7, openvino_bfloat16)
    values = fma32(fractions(words, 7), bounds.width, bounds.low)
    if subnormals.possible(bounds.width, bounds.low):
        values = subnormals.flush(values)  # by the instruction that rounds to bfloat16, VCVTNEPS2BF16
    return values


def mt19937_integers(words: Callable[[int], Words], count: int, bounds: Range, short: bool, plugin: bool) -> Array:
    low, high, width = bounds
    if short:
        if plugin and width >= 1 << 31:
            width -= 1 << 32  # the plugin holds it as int32 and rounds the quotient down, as NumPy's % does
        # int64 holds every intermediate number. The cast keeps the low 32 bits.
        return np.asarray(words(count).astype(np.int64) % width + low).astype(np.int32)
    numbers = words(count).astype(np.uint64) if high <= 0xFFFFFFFF else _pairs(words, count)
    return (numbers % np.uint64(width) + np.uint64(low % (1 << 64))).view(np.int64)


def mt19937_reals(words: Callable[[int], Words], count: int, bounds: Range, bits: int) -> Array:
    """Fractions of `bits` bits in the range, in the type of the bounds, rounded after each operation."""
    if bits == 53:
        unit: Array = (_pairs(words, count) & np.uint64((1 << 53) - 1)) * np.float64(2**-53)
    else:
        unit = fractions(words(count), bits)
    return np.asarray(unit * bounds.width + bounds.low)


def _pairs(words: Callable[[int], Words], count: int) -> NDArray[np.uint64]:
    """`count` numbers of 64 bits, each of two words, the first one high."""
    drawn = words(2 * count)
    return join_words(drawn[1::2], drawn[0::2])


def check_sizes(shape: Any, kind: np.dtype[Any], plugin: bool) -> Shape:
    """The sizes in a tensor of ints of rank 1, or in a list or tuple."""
    sizes = shared.read_sizes(shape, takes_int=False)
    if len(sizes) > MAX_RANK:
        raise ValueError(f"shape must have at most {MAX_RANK} sizes; got {len(sizes)}. Merge axes.")
    if plugin and not sizes:
        raise ValueError(
            "shape must have at least one size, because OpenVINO's CPU plugin returns uninitialized memory for rank 0; "
            "got none. Pass [1]."
        )
    return check_addressable(sizes, "shape", kind.itemsize)


class Range(NamedTuple):
    """Bounds and width: ints for integer types, else scalars of the float type that an implementation computes in."""

    low: Any
    high: Any
    width: Any


def check_range(minval: Any, maxval: Any, kind: np.dtype[Any], plugin: bool, round_width: Any = None) -> Range:
    """minval and maxval of the output type `kind`. `round_width` rounds a width to a type that floats are drawn in."""
    low, high = _check_bound(minval, "minval", kind), _check_bound(maxval, "maxval", kind)
    if not low < high:
        raise ValueError(f"minval must be below maxval in {kind}; got minval {minval} and maxval {maxval}.")
    integer, narrowed = kind.kind == "i", plugin and kind.itemsize == 8
    with np.errstate(over="ignore"):
        if narrowed and integer:
            low, high = (min(max(bound, -(1 << 31)), (1 << 31) - 1) for bound in (low, high))
        elif narrowed or kind.itemsize == 2:
            low, high = np.float32(low), np.float32(high)
        if narrowed and not (low < high and math.isfinite(low) and math.isfinite(high)):
            rule = "differ after clamping to int32" if integer else "be finite and differ in float32"
            raise ValueError(
                f"minval and maxval must {rule}, in which the CPU plugin computes {kind}; got {minval} and {maxval}. "
                'The "reference" implementation accepts them.'
            )
        if integer:
            return Range(int(low), int(high), int(high) - int(low))
        if plugin and round_width is None:
            low, high = flush(low)[()], flush(high)[()]  # as the plugin changes constants of float32
        width = high - low if round_width is None else round_width(high - low)
    if not np.isfinite(width):
        remedy = "Every output would be infinite or NaN: narrow the range."
        raise ValueError(f"maxval - minval must be finite in {kind}; got minval {minval} and maxval {maxval}. {remedy}")
    return Range(low, high, width)


def _check_bound(value: Any, name: str, kind: np.dtype[Any]) -> Any:
    """`value` as a scalar of `kind`: a Python number, or a scalar or 1-element tensor of the same type."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        if array.dtype != kind:
            remedy = f"Convert it: {name}.astype({str(kind)!r})."
            raise TypeError(f"{name} must be of the output type, {kind}; got {array.dtype}. {remedy}")
        if array.shape not in ((), (1,)):
            rule = f"{name} must be a scalar or a 1D tensor of 1 element"
            raise ValueError(f"{rule}; got shape {array.shape}. All elements share one range.")
        value = array.reshape(1)[0]
    if kind.kind == "i":
        return shared.check_int_of(kind, value, name)
    bound = check_real(value, name, kind)
    if isinstance(value, int) and int(bound) != value:  # 2**24 + 1 is no float32
        raise ValueError(f"{name} must be representable in {kind}; got the int {value}. Pass a float to round it.")
    return bound


class RandomUniform(StatePosition):
    """A RandomUniform node with its state. A call draws a tensor and moves the state. Not for cryptography.

    output_type is "i32", "i64", "f16", "bf16" (needs ml_dtypes), "f32" or "f64". global_seed and op_seed, ints in [0,
    2**63), are the key and the high half of the counter. If both are 0, the key is the operating system's entropy.
    alignment "tensorflow" is Philox4x32-10. "pytorch" is MT19937, which ignores op_seed and starts again at every call.
    implementation "reference" is what the documentation describes, and "cpu_plugin" what a model returns on the CPU
    plugin. instruction_set is that of the plugin's processor, for bf16: "AVX512_BF16", "AVX512_CORE" or "AVX2".

    The attribute `state` is the state that the next call draws from, as six words. Set it to draw from there.

    >>> op = RandomUniform("i32", global_seed=80, op_seed=100)
    >>> op([6], 50, 100), op.state
    (array([65, 70, 56, 59, 82, 92], dtype=int32), array([512,   0, 100,   0,  80,   0], dtype=uint32))
    """

    instruction_set = INSTRUCTION_SETS[0]  # of objects that were pickled by earlier versions

    def __init__(
        self,
        output_type: str,
        global_seed: int = 0,
        op_seed: int = 0,
        alignment: str = "tensorflow",
        implementation: str = "reference",
        *,
        instruction_set: str = "AVX512_BF16",
    ) -> None:
        known = _NAMES.get(output_type.lower(), output_type) if isinstance(output_type, str) else output_type
        self.output_type = check_choice(known, "output_type", OUTPUT_TYPES)
        self.global_seed = check_int(global_seed, "global_seed", 0, 1 << 63)
        self.op_seed = check_int(op_seed, "op_seed", 0, 1 << 63)
        self.alignment = check_choice(alignment, "alignment", ALIGNMENTS)
        self.implementation = check_choice(implementation, "implementation", IMPLEMENTATIONS)
        self.instruction_set = check_choice(instruction_set, "instruction_set", INSTRUCTION_SETS)
        self._kind = check_dtype(OUTPUT_TYPES[self.output_type], FLOATS + INTEGERS)
        seeded = self.global_seed or self.op_seed
        super().__init__(make_state(counter=self.op_seed << 64, key=self.global_seed) if seeded else seed_state())

    @classmethod
    def from_ir(
        cls, xml: str | bytes, implementation: str = "reference", name: str | None = None, **options: Any
    ) -> RandomUniform:
        """The node of a layer of OpenVINO's IR: one `<layer type="RandomUniform">`, or a whole IR, of whose layers
        `name` selects one. The option is instruction_set. Pass only XML that you trust: a hostile document can exhaust
        the memory.

        >>> RandomUniform.from_ir('<layer type="RandomUniform"><data output_type="f32" global_seed="234"/></layer>')
        RandomUniform('f32', global_seed=234, op_seed=0, alignment='tensorflow', implementation='reference')
        """
        try:
            root = ElementTree.fromstring(xml)
        except (ElementTree.ParseError, ValueError) as error:
            raise ValueError(f"xml must be well-formed XML; {error}. Pass the text, not a path.") from None
        layers = [layer for layer in root.iter("layer") if layer.get("type") == "RandomUniform"]
        found = [layer for layer in layers if name in (None, layer.get("name"))]
        if len(found) != 1:
            names = ", ".join(repr(layer.get("name")) for layer in layers) or "none"
            rule = f"name must be that of exactly one <layer> of type RandomUniform, which are {names}; got"
            raise ValueError(f"{rule} {format_value(name)}. Pass the text of one layer alone if names are not unique.")
        data = found[0].find("data")
        attributes: dict[str, Any] = {} if data is None else dict(data.attrib)
        if "output_type" not in attributes:
            raise ValueError('xml must give the layer a <data> element with an output_type, such as "f32"; got none.')
        for seed in {"global_seed", "op_seed"} & attributes.keys():
            if re.fullmatch(r"-?[0-9]{1,40}", attributes[seed]):  # a seed that stays a text is refused below
                attributes[seed] = int(attributes[seed])
        return cls(**attributes, implementation=implementation, **options)

    def __repr__(self) -> str:
        other = self.instruction_set != RandomUniform.instruction_set
        return (
            f"RandomUniform({self.output_type!r}, global_seed={self.global_seed}, op_seed={self.op_seed}, "
            f"alignment={self.alignment!r}, implementation={self.implementation!r}"
            f"{f', instruction_set={self.instruction_set!r}' * other})"
        )

    def __call__(self, shape: Any, minval: Any, maxval: Any) -> Array:
        """The next tensor of numbers in [minval, maxval). shape is an array of ints of rank 1, or a sequence of ints.
        The bounds are numbers, or arrays of the output type of shape () or (1,). A Python float is rounded to the
        type. Trap: maxval itself can be drawn, and some ranges near zero give numbers outside: specs/openvino.md,
        section 6."""
        plugin = self.implementation == "cpu_plugin"
        sizes = check_sizes(shape, self._kind, plugin)
        bounds = check_range(minval, maxval, self._kind, plugin, self._round_width)
        draw = self._draw_philox if self.alignment == "tensorflow" else self._draw_mt19937
        return self._draw(lambda state: draw(state, sizes, bounds, plugin))

    @property
    def _round_width(self) -> Callable[[Any], Any] | None:
        if self.output_type == "bf16" and not self._as_float32:
            return lambda width: openvino_bfloat16(np.array([width]))[0]
        if self.output_type == "f16" and self.implementation == "reference":
            return lambda width: np.float32(np.float16(width))  # float32 has enough digits for two roundings
        return None

    @property
    def _as_float32(self) -> bool:
        """Whether bf16 is drawn as f32 and then rounded, by processors that lack AVX-512."""
        return self.implementation == "cpu_plugin" and self.instruction_set == "AVX2"

    def _draw_philox(self, state: State, sizes: Shape, bounds: Range, plugin: bool) -> tuple[Array, State]:
        """A tensor for alignment="tensorflow", and the state of the next call."""
        kind, read = self._kind, None
        if plugin:
            bfloat16 = partial(plugin_bfloat16, instruction_set=self.instruction_set)
            read = plugin_integers if kind.kind == "i" else bfloat16 if self.output_type == "bf16" else plugin_reals
        elif self.output_type == "bf16":
            read = partial(reference_16, bits=7, rounded=openvino_bfloat16)
        elif self.output_type == "f16" and bounds.width < CORRECT_FLOAT16_MIN_WIDTH:
            read = partial(reference_16, bits=10, rounded=openvino_float16)
        if read is None:
            draw = integers if kind.kind == "i" else uniform
            # Drawn flat, because OpenVINO's tensors may have more axes than DirectML's.
            values = draw(state, math.prod(sizes), low=bounds.low, high=bounds.high, dtype=kind).values.reshape(sizes)
        else:

            def made(start: int, count: int) -> Array:
                return read(random_generator(advance_blocks(state, start // 4), count).values, bounds)

            values = self._filled(sizes, made)
        blocks = values.size if plugin else blocks_for(values.size * words_per_number(kind))
        return values, advance_blocks(state, RESERVED_BLOCKS * blocks)

    def _draw_mt19937(self, state: State, sizes: Shape, bounds: Range, plugin: bool) -> tuple[Array, State]:
        """A tensor for alignment="pytorch", and the state of the next call."""
        words: Any = partial(np.random.RandomState(key_of(state) & 0xFFFFFFFF).randint, 0, 1 << 32, dtype=np.uint32)
        kind = self._kind

        def made(_: int, count: int) -> Array:
            if kind.kind == "i":
                return mt19937_integers(words, count, bounds, plugin or kind.itemsize == 4, plugin)
            if self.output_type == "bf16":
                return openvino_bfloat16(mt19937_reals(words, count, bounds, 24 if self._as_float32 else 8))
            if not plugin and self.output_type == "f16":
                return openvino_float16(mt19937_reals(words, count, bounds, 11))
            return mt19937_reals(words, count, bounds, 53 if not plugin and self.output_type == "f64" else 24)

        values = self._filled(sizes, made)
        if not (self.global_seed or self.op_seed or plugin):
            state = seed_state()  # the evaluator takes a new seed at every call, the plugin at the first one only
        return values, state

    def _filled(self, sizes: Shape, make: Callable[[int, int], Array]) -> Array:
        """A tensor of make(start, count) for consecutive pieces. A cast to the type rounds once at most."""
        values = np.empty(sizes, self._kind)
        flat = values.reshape(-1)
        for start in range(0, flat.size, PIECE_VALUES):
            piece = flat[start : start + PIECE_VALUES]
            piece[...] = make(start, piece.size)
        return values
