"""Parts of a dump that each have a counter or a key of their own: those of GPU threads, and draws in one file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...philox import MASK32
from ...state import counter_of, key_of
from ..dump import Dump, Hypothesis, Place, Places
from ..generators.variants import Counting, Words6, WordVariant, add_blocks, blocks_between
from ..inverse import locate
from ..report.segment_text import format_count

MIN_THREADS = 8
THREAD_SHIFT = 32  # of the thread's number, in the number of a block
MIN_DRAW = 4  # elements; the last draw may have fewer
MAX_DRAWS = 256  # of different sizes
MAX_EQUAL_DRAWS = 1 << 22
MAX_COMPARED = 1 << 16  # elements at a time
MAX_LISTED = 4  # draws
MAX_HEAD = 1 << 22  # elements in which the second element of a thread is looked for
COUNT_ALL = "count blocks through the whole tensor"
KEY_STEPS = {0: "", 1: "the key grows by 1 with each draw", 1 << 32: "key word 1 grows by 1 with each draw"}
MULTIPLES = [1 << exponent for exponent in range(1, 13)]  # to which a number of blocks may be rounded up


class Move(NamedTuple):
    """How the counter changes from one draw to the next: by blocks that depend on the words drawn, and by `step`.

    The function takes the sizes of the draws before each draw, in words; the first one is 0.
    """

    text: str
    blocks: Callable[[Places], Places] = lambda words: words * 0
    step: int = 0
    word: int = 0  # of the counter, to which the blocks are added


def _blocks(words: Places) -> Places:
    return -(-words // 4)


def _advancing(text: str, blocks: Callable[[Places], Places]) -> Move:
    return Move(f"the counter advances {text}", blocks)


def _times(factor: int) -> Move:
    return _advancing(f"by {factor} times the right number of blocks", lambda words: factor * _blocks(words))


def _rounded(size: int) -> Move:
    text = f"by the blocks, rounded up to a multiple of {size}"
    return _advancing(text, lambda words: -(-_blocks(words) // size) * size)


MOVES = (
    _advancing("correctly", _blocks),
    Move("the counter stays the same"),
    _advancing("by 1 for each word", lambda words: words),
    _advancing("by 4 for each word", lambda words: 4 * words),
    _advancing("by words // 4, without the last block if it is used in part", lambda words: words // 4),
    _advancing("by words // 4 + 1", lambda words: words // 4 + 1),
    _advancing("by a quarter of the blocks", lambda words: _blocks(_blocks(words))),
    _advancing("by the blocks of the draw before", lambda words: _blocks(np.append(0, words[:-1]))),
    *map(_times, (2, 3, 4, 8, 16)),
    *map(_rounded, MULTIPLES),
    *(Move(f"only counter word {word} grows by 1", step=1 << 32 * word) for word in (1, 2, 3)),
    *(
        Move(f"the blocks drawn are added to counter word {word} instead of word 0", _blocks, word=word)
        for word in (1, 2, 3)
    ),
)


def _in_groups(move: Move, key_step: int = 0, moved: NDArray[np.uint64] | None = None) -> WordVariant:
    """The generator in which each group of blocks begins `move.step` blocks after the group before it.

    A group's number is above the lowest 32 bits of a block's number. Its key is increased by its number * key_step, and
    its counter also by element `moved`[number], from the counter word `move.word` on.
    """

    def rule(first: Words6, block: Any) -> Words6:
        number, rest = block >> THREAD_SHIFT, block & MASK32
        words = add_blocks(first, rest)
        more = 0 if moved is None else moved[number]
        counter, carry = [], 0
        for place in range(4):
            total = words[place] + number * (move.step >> 32 * place & MASK32) + carry
            if 0 <= place - move.word < 2:
                total = total + (more >> 32 * (place - move.word) & MASK32)
            counter.append(total & MASK32)
            carry = total >> 32
        key = words[4] + number * key_step
        return (*counter, key & MASK32, words[5] + (key >> 32) & MASK32)  # type: ignore[return-value]

    return WordVariant(Counting(rule=rule))


# Draws in one file


def explain_draws(dump: Dump, first: int) -> Iterator[Hypothesis]:
    """Draws, or groups of blocks, one after another. The first one is right. `first` is where the second one begins."""
    if not first or dump.size - first < MIN_DRAW:
        return
    for key_step in KEY_STEPS:
        for move in _moves(dump, first, key_step):
            starts = _starts_of_draws(dump, first, key_step, move)
            # Segments describe two draws of one key.
            if _jumps(dump, starts, key_step, move) > 1 - (key_step > 0 and move in MOVES):
                yield _drawn(dump, starts, key_step, move)
                return


def _jumps(dump: Dump, starts: Places, key_step: int, move: Move) -> int:
    """How many draws do not continue the stream where the draw before ended."""
    words = np.diff(starts, prepend=0) * dump.right.width
    if key_step or move.step or move.word:
        return starts.size - 1
    return int(np.count_nonzero((4 * move.blocks(words) != words)[1:]))


def _moves(dump: Dump, first: int, key_step: int) -> Iterator[Move]:
    """The moves that may lead to the second draw, which begins at element `first`."""
    words = np.array([0, first * dump.right.width], np.int64)
    if not dump.is_of_words:
        yield from MOVES
        return
    block = dump.at(np.arange(first, first + 4, dtype=np.int64)).tolist()
    step = blocks_between(counter_of(dump.state), locate(block, (key_of(dump.state) + key_step) % (1 << 64)))
    yield from (move for move in MOVES if move.step + (int(move.blocks(words)[-1]) << 32 * move.word) == step)
    yield Move(f"the state moved by {format_count(step)} block{'s' * (step != 1)} after each draw", step=step)


def _starts_of_draws(dump: Dump, first: int, key_step: int, move: Move) -> Places:
    """The flat indexes at which draws begin: at one distance, or each at the first element that the others do not give.

    Empty if the draws do not give all elements.
    """
    if _first_wrong(dump, first, _drawn(dump, np.array([0, first]), key_step, move)) < first + MIN_DRAW:
        return np.empty(0, np.int64)
    equal = np.arange(0, min(dump.size, MAX_EQUAL_DRAWS * first), first)
    if _first_wrong(dump, first, _drawn(dump, equal, key_step, move)) == dump.size:
        return equal
    starts, end = [0], first
    while end < dump.size and len(starts) < MAX_DRAWS:
        starts.append(end)
        end = _first_wrong(dump, end, _drawn(dump, np.array(starts), key_step, move))
        if end - starts[-1] < MIN_DRAW:
            break
    return np.array(starts if end == dump.size else [], np.int64)


def _drawn(dump: Dump, first: Places, key_step: int, move: Move) -> Hypothesis:
    """Draws that begin at these flat indexes."""
    width, words = dump.right.width, np.diff(first, prepend=0) * dump.right.width  # of the draw before each
    moves = move.blocks(words)
    moves[0] = 0

    def rule(index: Places) -> Places:
        number = np.searchsorted(first, index, "right") - 1
        return (number << 2 + THREAD_SHIFT) + (index - first[number]) * width  # type: ignore[no-any-return]

    fault = "draws-in-one-file", describe_draws(first[: MAX_LISTED + 2].tolist(), first.size, key_step, move, dump.unit)
    blocks, rest = divmod(int(first[1]) * width, 4)
    if move.step and not key_step and not rest and (np.diff(first) == first[1]).all():
        fault = "thread-ids-in-counter", _describe_groups(blocks, move)
    variant = _in_groups(move, key_step, np.cumsum(moves).astype(np.uint64))
    return Hypothesis((fault,), variant, Place("", rule, ""), dump.right)


def _describe_groups(blocks: int, move: Move) -> str:
    group = "Block i of the tensor is" if blocks == 1 else f"Group i of {blocks:,} blocks of the tensor begins at"
    cause = f", so {move.text} with each" if move in MOVES else ""
    return f"{group} block i * {format_count(move.step)} of the stream{cause}: add the block's number to the counter."


def _first_wrong(dump: Dump, start: int, hypothesis: Hypothesis) -> int:
    """The first flat index from `start` on whose element the hypothesis does not give, or the dump's size."""
    count = 64
    while start < dump.size:
        index = np.arange(start, min(start + count, dump.size), dtype=np.int64)
        wrong = np.flatnonzero(hypothesis.elements(dump, index) != dump.at(index))
        if wrong.size:
            return start + int(wrong[0])
        start, count = start + index.size, min(2 * count, MAX_COMPARED)
    return dump.size


def describe_draws(starts: list[int], count: int, key_step: int, move: Move, unit: str) -> str:
    """Where draws begin, how the state changes between them, and what to do. `starts` are the first ones."""
    if len(starts) > 2 and {*np.diff(starts).tolist()} == {starts[1]}:
        where = f"A draw, or a group of threads, begins every {starts[1]:,} {unit}s"
    else:
        more = f" and {count - 1 - MAX_LISTED} more" if count > 1 + MAX_LISTED else ""
        listed = ", ".join(f"{start:,}" for start in starts[1 : 1 + MAX_LISTED])
        where = f"Another draw begins at each of the {unit}s {listed}{more}"
    if not key_step and move is MOVES[0]:
        return f"{where}, and each starts a new block: verify each draw alone, or draw all words at once."
    key = f"{KEY_STEPS[key_step]}, and " if key_step else ""
    if count == 2:
        where = f"{unit.capitalize()} {starts[1]:,} begins a second draw"
        key = key.replace("grows by 1 with each draw", "is greater by 1 there")
    remedies = ["advance the counter by ceil(words / 4) after each draw"] * (move is not MOVES[0])
    remedies += ["keep the key"] * (key_step > 0)
    return f"{where}; {key}{move.text}: {', and '.join(remedies)}."


# The orders of threads


def thread_orders(dump: Dump) -> Iterator[Hypothesis]:
    """The orders of subsequences whose first elements are those of a dump."""
    if dump.size < MIN_THREADS:
        return
    threads, width = np.arange(MIN_THREADS, dtype=np.int64), dump.right.width
    base = Hypothesis((), _in_groups(Move("", step=1 << 64)), None, dump.right)

    def stored(name: str, count: int, explanation: str) -> Hypothesis:
        """Thread t stores elements t, t + count, t + 2 * count, ..."""
        place = Place(name, lambda i: (i % count << 2 + THREAD_SHIFT) + i // count * width, explanation)
        return base._replace(place=place)

    one_each = stored("thread-subsequences", dump.size, (
        "The generator stores as element i the first element of subsequence i, with counter words 2, 3 increased "
        f"by the thread's number i, as cuRAND's curand_init does: {COUNT_ALL}."
    ))  # fmt: skip
    if not np.array_equal(one_each.elements(dump, threads), dump.head(MIN_THREADS)):
        return
    second = stored("", 2, "").elements(dump, np.arange(2, 4, dtype=np.int64))
    got = dump.head(MAX_HEAD)
    ends = np.flatnonzero((got[:-1] == second[0]) & (got[1:] == second[1]))
    if not ends.size:
        yield one_each
        return
    count = int(ends[0])
    yield stored("thread-subsequences", count, (
        f"The generator has {count:,} threads, each with a subsequence of its own (counter words 2, 3), and thread t "
        f"stores elements t, t + {count:,}, t + {2 * count:,}, ..., as PyTorch's CUDA kernels do: {COUNT_ALL}."
    ))  # fmt: skip
