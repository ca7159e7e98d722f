"""The vector code of philox_simd.py: its own functions with a builder that computes on symbolic elements.

The elements have 64 bits, whose high halves hold anything: only the low halves are words. One round is proved for any
words and any high halves, so all rounds are right by induction.
"""

from types import SimpleNamespace

import pytest
from symbolic import Fault, Int64, Part, Word, claim, code_of, paths, prove, prove_here, to_int64, to_uint64, z3

from dmlrand import philox

pytest.importorskip("llvmlite")

from dmlrand.kernels import batch_simd, philox_simd as simd

GROUP = simd.GROUP


class Builder:
    """The LLVM instructions that the vector code uses, as LLVM defines them, on lists of bit vectors."""

    def and_(self, a, b):
        return [x & y for x, y in zip(a, b, strict=True)]

    def xor(self, a, b):
        return [x ^ y for x, y in zip(a, b, strict=True)]

    def add(self, a, b):
        return [x + y for x, y in zip(a, b, strict=True)]

    def mul(self, a, b):
        if isinstance(a, list):
            return [x * y for x, y in zip(a, b, strict=True)]
        return a * b

    def zext(self, word, kind):
        return z3.ZeroExt(64 - word.size(), word)

    def bitcast(self, vector, kind):
        if kind == vector[0].size():
            return vector
        if kind == 32:
            return [half for element in vector for half in (z3.Extract(31, 0, element), z3.Extract(63, 32, element))]
        return [z3.Concat(high, low) for low, high in zip(vector[::2], vector[1::2])]


def shuffle(builder, a, b, picks):
    return [(a + b)[i] for i in picks]


def constant(kind, values):
    return [z3.BitVecVal(value, kind) for value in values] if isinstance(values, list) else z3.BitVecVal(values, kind)


NAMES = dict(
    ELEMENTS=64,
    HALVES=32,
    I64=64,
    LOW_HALVES=constant(32, [philox.MASK32, 0] * GROUP),
    ir=SimpleNamespace(Constant=constant),
    shuffle=shuffle,
    splat=lambda builder, value, count: [value] * count,
    _constant=lambda values: constant(64, values),
)


def words_class(fault):
    """The class Words with symbolic meanings of the names that it uses."""
    methods = {}
    made = type("Words", (), {})
    for name, member in vars(simd.Words).items():
        if isinstance(member, property):
            setattr(made, name, property(code_of(member.fget, fault, **NAMES, Words=made)))
        elif callable(member):
            methods[name] = code_of(member, fault, **NAMES, Words=made)
    for name, method in methods.items():
        setattr(made, name, method)
    return made


def vectors(made, names):
    """Words of which each element holds anything, and the same words as the definition has them, by element."""
    ours = [made(Builder(), [z3.BitVec(f"{name}_{i}", 64) for i in range(GROUP)]) for name in names.split()]
    defined = [[Word(z3.ZeroExt(32, low(each.elements[i]))) for each in ours] for i in range(GROUP)]
    return ours, defined


def low(value):
    return z3.Extract(31, 0, value)


def prove_equal(ours, defined):
    """The low halves of vectors are the words that the definition gives for each element."""
    for i in range(GROUP):
        prove(z3.And(*(low(each.elements[i]) == low(word.value) for each, word in zip(ours, defined[i], strict=True))))


ROUND_FAULTS = (
    Fault("__mul__", "low, _constant", "self.elements, _constant"),
    Fault("__rshift__", "i ^ 1", "i"),
    Fault("__rshift__", "i ^ 1", "i ^ 3"),
    Fault("__xor__", "builder.xor", "builder.and_"),
)


@claim(*ROUND_FAULTS)
def test_a_round_for_any_high_halves(fault):
    made = words_class(fault)
    counter, defined = vectors(made, "c0 c1 c2 c3")
    key, defined_key = vectors(made, "k0 k1")
    after = philox.apply_round(counter, key)
    prove_equal(after, [philox.apply_round(*pair) for pair in zip(defined, defined_key)])


@claim(Fault("__add__", "[number] * GROUP", "[number ^ 1] * GROUP"))
def test_the_next_key_for_any_high_halves(fault):
    key, defined = vectors(words_class(fault), "k0 k1")
    prove_equal(philox.bump_key(key), [philox.bump_key(each) for each in defined])


@claim(
    Fault("low_halves", "LOW_HALVES", "self.halves"),
    Fault("last_round", "c1 ^ key[0]", "c3 ^ key[0]"),
    Fault("last_round", "(c3 ^ key[1]).low_halves()", "(c3 ^ key[1])"),
)
def test_the_last_round_packs_pairs_of_words(fault):
    made = words_class(fault)
    counter, defined = vectors(made, "c0 c1 c2 c3")
    key, defined_key = vectors(made, "k0 k1")
    words01, words23 = code_of(simd.last_round, fault)(counter, key)
    for i in range(GROUP):
        w0, w1, w2, w3 = (low(word.value) for word in philox.apply_round(defined[i], defined_key[i]))
        prove(words01.elements[i] == z3.Concat(w1, w0))
        prove(words23.elements[i] == z3.Concat(w3, w2))


@claim(
    Fault("growing_products", "GROUP * group + block", "GROUP * group + block + 1"),
    Fault("growing_products", "GROUP * group", "group"),
    Fault("first_rounds", "^ c1 ^ key[0]", "^ c3 ^ key[0]"),
    kinds=[(0,), (2,)],
)
def test_the_first_round(fault, growing):
    """Of each block of the six groups in flight: word 0 or 2 of the counter is larger by the number of the block.

    multiplier * (word + block) is made by additions. So the word must not wrap: that is a condition of the code.
    """
    made, groups = words_class(fault), simd.GROUPS[512]
    builder = Builder()
    names = NAMES | dict(Words=made)
    names |= {name: code_of(getattr(simd, name), fault, **names) for name in ("same", "growing_products")}
    counter = z3.BitVecs("c0 c1 c2 c3", 32)
    key, defined_key = vectors(made, "k0 k1")
    after = list(code_of(simd.first_rounds, fault, **names)(builder, groups, counter, key, growing))
    assert len(after) == groups
    last = GROUP * groups - 1
    for group in range(groups):
        for i, block in enumerate(simd.BLOCK_OF):
            start = [Word(z3.ZeroExt(32, word)) for word in counter]
            start[growing] = start[growing] + (GROUP * group + block)
            expected = philox.apply_round(start, defined_key[i])
            same = [low(each.elements[i]) == low(word.value) for each, word in zip(after[group], expected)]
            prove(z3.And(*same), z3.ULE(counter[growing], philox.MASK32 - last))


@claim(
    Fault("block_vectors", "side in (0, GROUP)", "side in (GROUP, 0)"),
    Fault("block_vectors", "pair + element", "pair + 1 - element"),
)
def test_the_words_are_stored_in_order(fault):
    """The shuffles of block_vectors put word `lane` of block b of group g at 32 * g + 4 * b + lane. No word is lost."""
    groups = simd.GROUPS[512]

    def token(group, place, pair):
        return ((group, simd.BLOCK_OF[place], 2 * pair), (group, simd.BLOCK_OF[place], 2 * pair + 1))

    def last_round(counter, key):
        return tuple(SimpleNamespace(elements=[token(counter, i, pair) for i in range(GROUP)]) for pair in (0, 1))

    names = dict(
        same=lambda builder, word: word,
        first_rounds=lambda builder, groups, *_: range(groups),
        philox=SimpleNamespace(ROUNDS=10, bump_key=lambda key: key, apply_round=lambda counter, key: counter),
        last_round=last_round,
        shuffle=shuffle,
    )
    builder = SimpleNamespace(bitcast=lambda vector, kind: [word for pair in vector for word in pair])
    stored = code_of(simd.block_vectors, fault, **names)(builder, groups, *range(6))
    order = [word for vector in stored for word in vector]
    right = [(group, block, lane) for group in range(groups) for block in range(GROUP) for lane in range(4)]
    prove(z3.BoolVal(order == right))


@claim(
    Fault("block_vectors", "philox.ROUNDS - 2", "philox.ROUNDS - 1"),
    Fault("block_vectors", "key = philox.bump_key(key) for", "for"),
)
def test_ten_rounds_with_ten_keys(fault):
    """block_vectors applies a first round, eight rounds and a last one, each with the key of its number."""
    used = []
    names = dict(
        same=lambda builder, word: 0,
        first_rounds=lambda builder, groups, counter, key, growing: [used.append(key[0]) or 0],
        philox=SimpleNamespace(
            ROUNDS=philox.ROUNDS,
            bump_key=lambda key: (key[0] + 1, key[1] + 1),
            apply_round=lambda counter, key: used.append(key[0]),
        ),
        last_round=lambda counter, key: used.append(key[0]) or [],
    )
    try:
        list(code_of(simd.block_vectors, fault, **names)(None, 1, *range(6)))
    except ValueError:  # the last round gave nothing to store
        pass
    prove(z3.BoolVal(used == list(range(10))))


# batch_simd.py: a group of states in the elements of a vector, of which all 64 bits are used.


def emitted(intrinsic):
    """The function that emits the instructions of an intrinsic."""
    definition = intrinsic._defn
    return dict(zip(definition.__code__.co_freevars, definition.__closure__))["emit"].cell_contents


class States(Builder):
    """Builder, with comparisons, and memory whose pointers are names."""

    def icmp_unsigned(self, operator, a, b):
        assert operator == "<"
        return [z3.If(z3.ULT(x, y), z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)) for x, y in zip(a, b)]

    def zext(self, word, kind):
        return [z3.ZeroExt(63, bit) for bit in word] if isinstance(word, list) else super().zext(word, kind)

    def load(self, pointer, align):
        return pointer


@claim(
    Fault("_counter_and_key", "low, number", "number, low"),
    Fault("_counter_and_key", "builder.add(low, number)", "low"),
    Fault("_counter_and_key", "(low, low >> 32, high, high >> 32)", "(low, high, low >> 32, high >> 32)"),
    Fault("_counter_and_key", "(key, key >> 32) if", "(key >> 32, key) if"),
    kinds=[(True,), (False,)],
)
def test_the_counters_of_many_states(fault, wide):
    """Each state's counter, `number` blocks further modulo 2**128, and its key."""
    made = words_class(fault)
    columns = [[z3.BitVec(f"{name}{i}", 64) for i in range(GROUP)] for name in ("low", "high", "key")]
    number = z3.BitVec("number", 64)
    names = NAMES | dict(Words=made, COLUMNS=3, _vector_of=lambda builder, columns, i, group: columns[i])
    code = code_of(batch_simd._counter_and_key, fault, **names)
    counter, key = code(States(), columns, 0, [number] * GROUP, wide)
    for i in range(GROUP):
        start = z3.Concat(columns[1][i], columns[0][i])
        words = [low(word.elements[i]) for word in counter]
        prove(z3.Concat(*words[::-1]) == start + z3.ZeroExt(64, number))
        if wide:
            prove(z3.Concat(*(low(word.elements[i]) for word in key[::-1])) == columns[2][i])
        else:
            prove(key.elements[i] == columns[2][i])


@claim(
    Fault("_round", "^ (c1 ^ key)", "^ (c3 ^ key)"),
    Fault("_round", "(product0 ^ key) >> 32", "product0 >> 32"),
    Fault("_round", "[philox.W0, philox.W1]", "[philox.W1, philox.W0]"),
    Fault("add_halves", "self.builder.add", "self.builder.xor"),
    kinds=[(True,), (False,)],
)
def test_a_round_of_many_states(fault, wide):
    """Each state has its own key, in two vectors or in the halves of one. The next key is that of the definition."""
    made = words_class(fault)
    counter, defined = vectors(made, "c0 c1 c2 c3")
    key = made(Builder(), [z3.BitVec(f"key{i}", 64) for i in range(GROUP)])
    pairs = [(z3.Extract(31, 0, each), z3.Extract(63, 32, each)) for each in key.elements]
    halves = [made(Builder(), [z3.ZeroExt(32, pair[i]) for pair in pairs]) for i in (0, 1)]
    after, following = code_of(batch_simd._round, fault)(counter, tuple(halves) if wide else key)
    keys = [[Word(z3.ZeroExt(32, word)) for word in pair] for pair in pairs]
    prove_equal(after, [philox.apply_round(*pair) for pair in zip(defined, keys)])
    expected = [[low(word.value) for word in philox.bump_key(key)] for key in keys]
    for i in range(GROUP):
        if wide:
            prove(z3.And(*(low(each.elements[i]) == word for each, word in zip(following, expected[i]))))
        else:
            prove(following.elements[i] == z3.Concat(*expected[i][::-1]))


@claim(
    Fault("load_columns", "range(column, COLUMNS * GROUP, COLUMNS)", "range(GROUP * column, GROUP * column + GROUP)"),
    Fault("load_columns", "COLUMNS * GROUP * group", "COLUMNS * group"),
)
def test_the_columns_of_many_states(fault):
    """Column c of group g holds element c of the states 8 * g to 8 * g + 7. A state is three elements of 64 bits."""
    stored = {}

    class Memory:
        gep = lambda self, pointer, place: pointer + place[0]  # noqa: E731
        bitcast = lambda self, value, kind: value  # noqa: E731
        load = lambda self, pointer, align: range(pointer, pointer + 3 * GROUP)  # noqa: E731
        store = lambda self, vector, pointer, align: stored.update({pointer: vector})  # noqa: E731

    names = dict(
        I64=None,
        ir=SimpleNamespace(Constant=lambda kind, value: value),
        vectors_at=lambda kind, context, builder, given, array, place: array,
        shuffle=lambda builder, a, b, picks: [(list(a) + list(b))[i] for i in picks],
        _vector_of=lambda builder, columns, column, group: (column, group),
        ROWS=SimpleNamespace(as_pointer=lambda: None),
    )
    code = code_of(emitted(batch_simd.load_columns), fault, **names)
    code(None, Memory(), (None, None), 0, None)
    expected = {
        (column, group): [3 * (GROUP * group + i) + column for i in range(GROUP)]
        for column in range(3)
        for group in range(4)
    }
    prove(z3.BoolVal(stored == expected))


@claim(
    Fault("store_blocks", "[i, GROUP + i]", "[i, GROUP + i + 1 - 2 * (i % 2)]"),
    Fault("store_blocks", "GROUP * group + i", "GROUP * i + group"),
    Fault("store_blocks", "philox.ROUNDS - 1", "philox.ROUNDS"),
    Fault("store_blocks", "range(0, GROUPS, in_flight)", "range(0, GROUPS - 1, in_flight)"),
    kinds=[(512,), (256,)],
)
def test_the_blocks_of_many_states(fault, bits):
    """Nine rounds and a last one for each state. The block of state i goes to place + i * stride, words in order."""
    stored = {}

    class Memory:
        gep = lambda self, pointer, place: (pointer, place[0])  # noqa: E731
        mul = lambda self, stride, number: number  # noqa: E731
        bitcast = lambda self, value, kind: value  # noqa: E731

        def store(self, block, pointer, align):
            stored.setdefault(pointer, []).append(list(block))

    class Block(list):
        type = SimpleNamespace(as_pointer=lambda: None)

    def last_round(counter, key):
        group, rounds = counter
        return tuple(SimpleNamespace(elements=[(group, i, pair, rounds) for i in range(GROUP)]) for pair in (0, 1))

    names = dict(
        I32=None,
        I64=None,
        ir=SimpleNamespace(Constant=lambda kind, value: value),
        splat=lambda builder, number, count: number,
        vectors_at=lambda kind, context, builder, given, array, place: array,
        register_bits=lambda codegen: bits,
        shuffle=lambda builder, a, b, picks: Block((a + b)[i] for i in picks),
        _counter_and_key=lambda builder, columns, group, number, wide: ((group, 0), Key()),
        _round=lambda counter, key: ((counter[0], counter[1] + 1), key),
        last_round=last_round,
    )

    class Key:
        def __rshift__(self, half):
            return self

    code = code_of(emitted(batch_simd.store_blocks), fault, **names)
    context = SimpleNamespace(codegen=lambda: None)
    code(context, Memory(), (None,) * 5, "columns", "number", "out", "place", "stride")
    expected = {
        ("out", GROUP * group + i): [[(group, i, 0, 9), (group, i, 1, 9)]] for group in range(4) for i in range(GROUP)
    }
    prove(z3.BoolVal(stored == expected))


@claim(
    Fault("fill_long_row", "low += uint64(4 * GROUP)", "low += uint64(GROUP)"),
    Fault("fill_long_row", "out[word:]", "out[word + 4 :]"),
    Fault("fill_long_row", "< 1 << 32:", "< 1 << 33:"),
    Fault("fill_long_row", "4 * GROUP_WORDS * fours", "8 * GROUP_WORDS * fours"),
    kinds=[(32, 0, 0), (192, 0, 0), (192, 1, 0), (192, 2, 2), (192, 3, 2), (192, 4, 1), (192, 5, 1)],
)
def test_a_long_row_of_many_states(fault, in_flight, left_over, fours):
    """Steps of four groups, and then the fill of words: the row's words in order, and c0 does not wrap in the steps.

    For any size with that many groups left over: the loop has at most two iterations, which all run here.
    """
    start, high, size = z3.Ints("start high size")

    def counted(begin, end, step):
        prove_here(Int64(0).like(end).value == 128 * fours)
        return range(begin, 128 * fours, step)

    names = dict(
        uint64=to_uint64, int64=to_int64, words_in_flight=lambda: in_flight,
        uint32=lambda value: Int64(Int64(0).like(value).value % (1 << 32)), GROUP=GROUP, GROUP_WORDS=4 * GROUP,
        range=counted,
    )  # fmt: skip

    def run():
        calls = []
        code = code_of(
            batch_simd.fill_long_row, fault, **names,
            store_four_groups=lambda c0, c1, c2, c3, k0, k1, bounds, out, word: calls.append(([c0, c1, c2, c3], word)),
            fill_words=lambda low, high, k0, k1, offset, out, bypass: calls.append((low, high, offset, out)),
        )  # fmt: skip
        code(Int64(start, True), Int64(high, True), "k0", "k1", Part(0, Int64(size)), False)
        return calls

    bounds = [0 <= start, start < 1 << 64, 0 <= high, high < 1 << 64, in_flight <= size, size < 1 << 60]
    bounds.append(size / 32 % (in_flight // 32) == left_over)
    for conditions, (*steps, (new_low, new_high, offset, rest)) in paths(run, *bounds):
        done = rest.start.value
        counter = start + high * (1 << 64)
        assert offset == 0
        prove(done == 128 * len(steps), *conditions)
        prove(rest.size.value == size - done, *conditions)
        prove(new_low.value + new_high.value * (1 << 64) == counter + done / 4, *conditions)
        for number, (words, word) in enumerate(steps):
            at = sum(part.value * (1 << 32 * i) for i, part in enumerate(words))
            prove(z3.And(Int64(0).like(word).value == 128 * number, at == counter + 32 * number), *conditions)
            prove(words[0].value + 32 <= 1 << 32, *conditions)
