"""A slow interpreter of PTX, the machine language of CUDA, for the instructions that kernels of dmlrand become.

The source of the rules is NVIDIA's "PTX ISA". Floating-point operations are NumPy's, which IEEE 754 rounds. An
instruction that could round in another way is refused: `fma`, `.approx`, `.ftz`, and a product without `.rn`. Registers
hold bits, as ints; those of predicates hold bools.
"""

import operator
import re

import numpy as np

OUT_ADDRESS = 1 << 32  # of the output in the device's memory
FLOATS = {"f32": np.float32, "f64": np.float64}
COMPUTED_AS_INTEGERS = {
    "add": operator.add, "sub": operator.sub, "neg": operator.neg, "and": operator.and_, "or": operator.or_,
    "xor": operator.xor, "min": min, "max": max, "mul.lo": operator.mul, "mul.wide": operator.mul,
    "mad.lo": lambda a, b, c: a * b + c,
}  # fmt: skip
ROUNDED = {
    "add": operator.add, "sub": operator.sub, "neg": operator.neg, "max": max, "mul.rn": operator.mul,
    "div.rn": operator.truediv, "sqrt.rn": np.sqrt,
}  # fmt: skip
COMPARISONS = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}


class Kernel:
    """The only kernel of a PTX text."""

    def __init__(self, ptx):
        self.shared_bytes = int(re.search(r"\.shared .*\[(\d+)\];", ptx)[1])
        body = ptx[ptx.index("\n{\n") : ptx.rindex("}")]
        self.instructions, self.labels = [], {}
        for line in body.splitlines():
            line = line.partition("//")[0].strip()
            if label := re.fullmatch(r"(\$\w+):", line):
                self.labels[label[1]] = len(self.instructions)
            elif found := re.fullmatch(r"(?:@(!?)(%p\d+)\s+)?([a-z][\w.]*)\s*(.*);", line):
                negated, predicate, opcode, operands = found.groups()
                self.instructions.append((predicate, bool(negated), opcode, re.split(r"\s*,\s*", operands)))

    def run(self, grid, threads, parameters, out):
        """Fill the bytearray `out`. `parameters` are those before the output, ints or NumPy's floats."""
        # numba describes an array by 7 parameters: two owners, its elements, their size, the address, shape, strides.
        array = [0, 0, parameters[-1], None, OUT_ADDRESS, parameters[-1], None]
        parameters = [each if each is None else to_bits(each) for each in (*parameters[:-1], *array)]
        for cuda_block in range(grid):
            shared = bytearray(b"\xa5" * self.shared_bytes)
            special = {"%nctaid.x": grid, "%ctaid.x": cuda_block, "%ntid.x": threads}
            running = [
                self._thread(
                    {**special, "%tid.x": thread}, parameters, {"shared": (0, shared), "global": (OUT_ADDRESS, out)}
                )
                for thread in range(threads)
            ]
            while running:  # each thread runs to its next barrier, or to its end
                waiting = [next(thread, None) == "barrier" for thread in running]
                assert all(waiting) or not any(waiting), "all threads must reach a barrier, or none"
                running = running if any(waiting) else []

    def _thread(self, registers, parameters, memories):
        place = 0
        while True:
            predicate, negated, opcode, operands = self.instructions[place]
            place += 1
            if predicate and registers[predicate] == negated:
                continue
            name, kind = opcode.split(".")[0], opcode.split(".")[-1]
            if name == "ret":
                return
            if name == "bar":
                yield "barrier"
            elif name == "bra":
                place = self.labels[operands[0]]
            elif opcode.startswith("ld.param"):
                registers[operands[0]] = parameters[int(re.search(r"_param_(\d+)\]$", operands[1])[1])]
            elif name in ("ld", "st"):
                pointer, data = operands[::-1] if name == "ld" else operands
                address, step = re.fullmatch(r"\[(%rd\d+)(?:\+(-?\d+))?\]", pointer).groups()
                start, memory = memories[opcode.split(".")[1]]
                size = int(kind[1:]) // 8
                first = registers[address] + int(step or 0) - start
                assert 0 <= first <= len(memory) - size and first % size == 0, "outside of its memory"
                if name == "ld":
                    registers[data] = int.from_bytes(memory[first : first + size], "little")
                else:
                    memory[first : first + size] = (registers[data] % (1 << 8 * size)).to_bytes(size, "little")
            else:
                values = [value(operand, registers) for operand in operands[1:]]
                registers[operands[0]] = result(opcode, values)


def value(operand, registers):
    """The bits of a register, or of a constant."""
    if operand.startswith("%"):
        return registers[operand]
    if operand.startswith("_cudapy_smem"):
        return 0  # the address of the shared memory
    if operand[:2] in ("0f", "0d"):
        return int(operand[2:], 16)  # noqa: FURB166  # PTX writes the bits of a constant after these two characters
    return int(operand)


def to_bits(number):
    if isinstance(number, np.floating):
        return int(np.array(number).view(f"u{number.itemsize}"))
    return int(number)


def read(bits, kind):
    """The number that an instruction of this kind reads: f32, s32, u64, b32 ..."""
    if kind in FLOATS:
        return np.array(bits, f"u{FLOATS[kind]().itemsize}").view(FLOATS[kind])[()]
    size = int(kind[1:])
    bits %= 1 << size
    return bits - (1 << size) if kind[0] == "s" and bits >> size - 1 else bits


def result(opcode, values):
    """The bits that an instruction writes to its target register."""
    name, *modifiers, kind = opcode.split(".")
    if kind == "pred":
        return {"or": operator.or_, "and": operator.and_}[name](*values)
    if name == "selp":
        return values[0] if values[2] else values[1]
    size = int(kind[1:])
    if name == "bfi":
        field, base, start, length = values
        mask = (1 << length) - 1 << start
        return base & ~mask | field << start & mask
    if name in ("shl", "shr"):
        number = read(values[0], kind)
        return (number << values[1] if name == "shl" else number >> values[1]) % (1 << size)

    numbers = [read(each, kind) for each in values]
    if name == "setp":
        return bool(COMPARISONS[modifiers[0]](*numbers))
    if name in ("mov", "cvta"):
        return values[0]
    if name == "cvt":
        return converted(numbers[0], modifiers)
    if opcode.startswith("mul.hi"):
        return (numbers[0] * numbers[1] >> size) % (1 << size)
    name = ".".join([name, *modifiers])
    if kind in FLOATS:
        return to_bits(ROUNDED[name](*numbers))
    return COMPUTED_AS_INTEGERS[name](*numbers) % (1 << (2 * size if name == "mul.wide" else size))


def converted(number, modifiers):
    """A number as the type that is the last modifier."""
    *rounding, kind = modifiers
    if kind in FLOATS:
        assert rounding == ["rn"], rounding
        return to_bits(FLOATS[kind](number))
    return number % (1 << int(kind[1:]))
