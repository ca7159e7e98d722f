"""The 128-bit counter, wherever the package computes it, is addition modulo 2**128: for all counters and all steps."""

from types import SimpleNamespace

import pytest
from symbolic import Fault, Refuted, claim, code_of, paths, prove, prove_here, z3
from symbolic_numbers import Integer, Word, joined, uint32, uint64, words

from dmlrand import philox as definition, state as state_module
from dmlrand.compat.tensorflow import seeds
from dmlrand.kernels import philox
from dmlrand.kernels.numpy_only import words as numpy_words

NAMES = dict(uint32=uint32, uint64=uint64, WORD_BITS=32)


@claim(Fault("add_blocks", "total < low", "total < total"), Fault("add_blocks", "high + ", "high | "))
def test_add_blocks(fault):
    low, high, blocks = words("low high blocks")
    after = code_of(philox.add_blocks, fault, **NAMES)(low, high, blocks)
    prove(joined(after, 64) == joined([low, high], 64) + z3.ZeroExt(64, blocks.value))


@claim(Fault("counters_at", "lows < numbers", "numbers < lows"), Fault("counters_at", "highs >> WORD_BITS", "lows"))
def test_counters_at_of_numpy(fault):
    """The counters that numpy_only passes to the block function."""
    counter = [Word(z3.ZeroExt(32, word.value)) for word in words("c0 c1 c2 c3", 32)]
    (number,) = words("number")
    names = dict(np=SimpleNamespace(uint64=uint64), LOW_HALF=Word(0xFFFFFFFF), WORD_BITS=Word(32))
    after = code_of(numpy_words.counters_at, fault, **names)(*counter, number)
    for word in after:
        prove(z3.ULE(word.value, 0xFFFFFFFF))
    prove(joined(after) == joined(counter) + z3.ZeroExt(64, number.value))


def packed_by(fault):
    """pack_state, whose struct keeps its three 64-bit numbers as they are."""
    packed = {}

    def pack_into(data, place, *numbers):
        for number in numbers:  # else struct raises an error
            prove_here(z3.And(0 <= number.value, number.value < 1 << 64))
        packed["numbers"] = numbers

    array = SimpleNamespace(data=packed, astype=lambda *_, **__: packed["numbers"])
    numpy = SimpleNamespace(empty=lambda size, kind: array)
    return code_of(state_module.pack_state, fault, np=numpy, _LAYOUT=SimpleNamespace(pack_into=pack_into))


COUNTER, KEY, BLOCKS = z3.Ints("counter key blocks")
LIMBS = z3.Ints("c0 c1 c2 c3")
BOUNDS = [
    *(z3.And(0 <= word, word < 1 << 32) for word in LIMBS),
    COUNTER == sum(word * (1 << 32 * i) for i, word in enumerate(LIMBS)),
    z3.And(0 <= KEY, KEY < 1 << 64),
]


class SymbolicState:
    """The words LIMBS and KEY. It keeps what is written to it."""

    def __init__(self):
        self.lowest, self.numbers = None, None

    def item(self, i):
        return Integer(LIMBS[i])

    def __setitem__(self, place, value):
        if place == 0:
            self.lowest = value
        else:
            self.numbers = value

    def copy(self):
        return self

    def reshape(self, size):
        return self

    def counter(self):
        if self.lowest is not None:
            return self.lowest.value + sum(word * (1 << 32 * i) for i, word in enumerate(LIMBS) if i)
        low, high, _ = self.numbers
        return low.value + high.value * (1 << 64)


def moved_states(move, fault):
    """(conditions, state) for each path of a function that moves the symbolic state by any integer."""

    def run():
        state = SymbolicState()
        read = lambda state: (Integer(COUNTER), Integer(KEY))  # noqa: E731
        move_blocks = code_of(state_module.move_blocks, fault, _unpack_state=read, pack_state=packed_by(fault))
        move(state, move_blocks)
        return state

    for conditions, state in paths(run, *BOUNDS):
        if state.lowest is not None:
            prove(z3.And(0 <= state.lowest.value, state.lowest.value < 1 << 32), *conditions)
        else:
            prove(state.numbers[2].value == KEY, *conditions)
        yield conditions, state


MOVE_FAULTS = (
    Fault("move_blocks", "lowest <= MASK32", "lowest <= MASK32 + 1"),
    Fault("move_blocks", "0 <= lowest", "-1 <= lowest"),
    Fault("move_blocks", "counter + blocks, key", "counter + blocks, counter"),
    Fault("pack_state", "counter >> 64", "counter >> 63"),
    Fault("pack_state", "counter & MASK64", "counter & MASK64 >> 1"),
)


@claim(*MOVE_FAULTS)
def test_move_blocks_by_any_integer(fault):
    for conditions, state in moved_states(lambda state, move: move(state, Integer(BLOCKS)), fault):
        prove(state.counter() == (COUNTER + BLOCKS) % (1 << 128), *conditions)


@claim(Fault("distance_blocks", "last - first", "first - last"), Fault("distance_blocks", "1 << 128", "1 << 127"))
def test_distance_blocks_is_the_way_to_the_end(fault):
    """start advanced by the distance is end, and the distance is the only such number in [0, 2**128)."""
    first, last = z3.Ints("first last")
    names = dict(check_state=lambda state, name: state, _unpack_state=lambda state: (Integer(state), 7))
    distance = code_of(state_module.distance_blocks, fault, **names)(first, last).value
    bounds = [z3.And(0 <= counter, counter < 1 << 128) for counter in (first, last)]
    prove((first + distance) % (1 << 128) == last, *bounds)
    prove(z3.And(0 <= distance, distance < 1 << 128), *bounds)


@claim(Fault("blocks_for", '-(-check_int(n, "n", 0) // 4)', 'check_int(n, "n", 0) // 4'))
def test_blocks_for_any_number_of_words(fault):
    n = z3.Int("n")
    check = lambda value, name, low: value  # noqa: E731
    blocks = code_of(state_module.blocks_for, fault, check_int=check)(Integer(n)).value
    prove(z3.And(4 * blocks >= n, 4 * blocks < n + 4), n >= 0)


@pytest.mark.proof
def test_blocks_of_a_size_in_int64():
    """(n + 3) // 4, as the kernels compute it, is ceil(n / 4) for every size below 2**63 - 3, and only for these."""
    n = z3.BitVec("n", 64)
    blocks = ((Word(n, 64, True) + 3) // 4).value
    ceiling = z3.LShR(n, 2) + z3.If(n & 3 == 0, z3.BitVecVal(0, 64), z3.BitVecVal(1, 64))
    prove(blocks == ceiling, n >= 0, n <= (1 << 63) - 4)
    with pytest.raises(Refuted):  # the sum wraps: no array is so large
        prove(blocks == ceiling, n >= 0)


@claim(
    Fault("add_blocks", "carry = total >> 32", "carry = total >> 33"),
    Fault("add_blocks", "& MASK32", "& 0xFFFF"),
    kinds=[(True,), (False,)],
)
def test_add_blocks_word_by_word(fault, is_signed):
    """The carry from word to word, in the int64 or uint64 of an ONNX model, for up to 2**62 blocks."""
    counter = [Word(z3.ZeroExt(32, z3.BitVec(f"c{i}", 32)), 64, is_signed) for i in range(4)]
    blocks = Word(z3.BitVec("blocks", 64), 64, is_signed)
    after = code_of(definition.add_blocks, fault)(counter, blocks)
    prove(joined(after) == joined(counter) + z3.ZeroExt(64, blocks.value), z3.ULE(blocks.value, 1 << 62))


WIDE, STEP = z3.BitVec("counter", 128), z3.BitVec("step", 128)


def tensorflow_skip(fault):
    made = []
    names = dict(
        counter_of=lambda state: Word(WIDE, 128),
        key_of=lambda state: 7,
        make_state=lambda counter, key: made.append(counter.value),
    )
    code_of(seeds.skip_blocks, fault, **names)(None, Word(STEP, 128))
    return made[0]


CARRIES = z3.Not(z3.BVAddNoOverflow(z3.Extract(31, 0, WIDE), z3.Extract(31, 0, STEP), False))
LOSES = z3.And(z3.Extract(63, 32, STEP) == 0xFFFFFFFF, CARRIES)


@claim(Fault("skip_blocks", "word_0 >> 32", "word_0 >> 33"), Fault("skip_blocks", "counter >> 32", "counter >> 31"))
def test_tensorflow_skips_by_addition_unless_it_loses_a_carry(fault):
    """For steps below 2**64: off by 2**64 exactly where word 0 carries into an upper half of 0xffffffff."""
    lost = z3.If(LOSES, z3.BitVecVal(1 << 64, 128), z3.BitVecVal(0, 128))
    prove(tensorflow_skip(fault) == WIDE + STEP - lost, z3.ULT(STEP, z3.BitVecVal(1 << 64, 128)))
