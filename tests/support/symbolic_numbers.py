"""Numbers that stand for all values: in arithmetic they make terms of the solver, and in an `if` they fork.

`Word` is a machine word of fixed width. `Integer` is an int of Python, of any size. `Unsigned` is a machine word for
proofs in integers, which decide more products than bit vectors.
"""

from symbolic import decide, z3


class Truth:
    """A symbolic bool. In an `if` it forks; in arithmetic it counts as 0 or 1, as in numpy."""

    def __init__(self, condition):
        self.condition = condition

    def __bool__(self):
        return decide(self.condition)

    def __add__(self, other):
        return other + self


class Word:
    """A machine word. The result of an operator has the width of the wider operand, as in numba after its casts."""

    __hash__ = None

    def __init__(self, value, bits=64, is_signed=False):
        self.value = z3.BitVecVal(value, bits) if isinstance(value, int) else value
        self.bits, self.is_signed = bits, is_signed

    def resized(self, bits):
        if bits <= self.bits:
            return z3.Extract(bits - 1, 0, self.value)
        return (z3.SignExt if self.is_signed else z3.ZeroExt)(bits - self.bits, self.value)

    def __bool__(self):
        return decide(self.value != 0)

    def pair(self, other):
        other = as_word(other, self.bits, self.is_signed)
        bits = max(self.bits, other.bits)
        return self.resized(bits), other.resized(bits)

    def apply(self, other, operation):
        a, b = self.pair(other)
        value = operation(a, b)
        return Word(value, value.size(), self.is_signed and not (isinstance(other, Word) and not other.is_signed))

    def compare(self, other, signed, unsigned):
        return Truth((signed if self.is_signed else unsigned)(*self.pair(other)))

    def __add__(self, other):
        return self.apply(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self.apply(other, lambda a, b: a - b)

    def __mul__(self, other):
        return self.apply(other, lambda a, b: a * b)

    def __and__(self, other):
        return self.apply(other, lambda a, b: a & b)

    def __or__(self, other):
        return self.apply(other, lambda a, b: a | b)

    def __xor__(self, other):
        return self.apply(other, lambda a, b: a ^ b)

    def __lshift__(self, other):
        return self.apply(other, lambda a, b: a << b)

    def __rshift__(self, other):
        return self.apply(other, (lambda a, b: a >> b) if self.is_signed else z3.LShR)

    def __floordiv__(self, power):
        """By a power of two, rounded down: a shift."""
        return self >> (power.bit_length() - 1)

    def __lt__(self, other):
        return self.compare(other, lambda a, b: a < b, z3.ULT)

    def __eq__(self, other):
        return self.compare(other, lambda a, b: a == b, lambda a, b: a == b)


def as_word(value, bits=64, is_signed=False):
    if isinstance(value, Word):
        return value
    if isinstance(value, Truth):
        return Word(z3.If(value.condition, z3.BitVecVal(1, bits), z3.BitVecVal(0, bits)), bits)
    return Word(int(value), bits, is_signed)


def cast(bits, is_signed=False):
    """A cast of numba or numpy."""
    return lambda value: Word(as_word(value).resized(bits), bits, is_signed)


uint32, uint64, int64 = cast(32), cast(64), cast(64, True)


def words(names, bits=64):
    return [Word(z3.BitVec(name, bits), bits) for name in names.split()]


def joined(parts, bits=32):
    """Words, lowest first, as one bit vector."""
    return z3.Concat(*(part.resized(bits) for part in reversed(parts)))


class Integer:
    """An int of Python: of any size, & with a mask of ones is a remainder, >> a division rounded down."""

    __hash__ = None

    def __init__(self, value):
        self.value = z3.IntVal(value) if isinstance(value, int) else value

    def like(self, other):
        if isinstance(other, Truth):
            return Integer(z3.If(other.condition, z3.IntVal(1), z3.IntVal(0)))
        return other if isinstance(other, Integer) else Integer(int(other))

    def apply(self, other, operation):
        other = self.like(other)
        return Integer(operation(self.value, other.value))

    def __bool__(self):
        return decide(self.value != 0)

    def __eq__(self, other):
        return Truth(self.value == self.like(other).value)

    def __neg__(self):
        return self.like(0) - self

    def __add__(self, other):
        return self.apply(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self.apply(other, lambda a, b: a - b)

    def __floordiv__(self, other):  # by a positive number
        return self.apply(other, lambda a, b: a / b)

    def __mod__(self, other):  # by a positive number
        return self.apply(other, lambda a, b: a % b)

    def __rshift__(self, bits):
        return self // (1 << int(bits))

    def __and__(self, mask):
        assert int(mask) & (int(mask) + 1) == 0
        return self % (int(mask) + 1)

    def __le__(self, other):
        return Truth(self.value <= self.like(other).value)

    def __ge__(self, other):
        return Truth(self.value >= self.like(other).value)


class Unsigned:
    """A word as an integer, of which all results are reduced by the casts. Products are the given numbers, in turn."""

    def __init__(self, value, products):
        self.value, self.products = value, products

    def made(self, value):
        return Unsigned(value, self.products)

    def __mul__(self, other):
        return self.made(self.products.pop(0))

    def __sub__(self, other):
        return self.made(self.value - other.value)

    def __add__(self, other):
        return self.made(self.value + other.value)

    def __rshift__(self, bits):
        return self.made(self.value / (1 << int(bits)))

    def __lt__(self, other):
        return Truth(self.value < other.value)


def reduced(bits):
    """A cast of an Unsigned."""
    return lambda word: word.made(word.value % (1 << bits))


def where(condition, yes, no):
    return yes.made(z3.If(condition.condition, yes.value, no.value))
