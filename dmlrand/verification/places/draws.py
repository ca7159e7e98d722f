"""Parts of a dump that each have a counter of their own: draws in one file, and those of GPU threads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ...state import blocks_for
from ..dump import Dump, Hypothesis, Place, elements_of, words_from
from ..functions.conversions import WordFunction
from ..generators.inputs import counting_rule
from ..generators.variants import Variant
from ..report.result import Finding, Segment
from ..report.segment_text import distance_text, meanings

MIN_THREADS = 8
THREAD_SHIFT = 32  # of the thread's number, in the number of a block
MIN_DRAWS = 3
MAX_LISTED = 4  # draws
MAX_HEAD = 1 << 22  # elements in which the second element of a thread is looked for
ADVANCE = "advance the counter by ceil(words / 4) after each draw"
COUNT_ALL = "Count blocks through the whole tensor"
OF_THREADS = Variant(rule=counting_rule({2: f"a + (n >> {THREAD_SHIFT})"}, "n & M"))


def explain_draws(dump: Dump, segments: tuple[Segment, ...]) -> list[Finding]:
    """Draws of several lengths, between which the counter moved by one rule."""
    width = dump.right.width
    if len(segments) < MIN_DRAWS or any(each.offset is None or each.share < 1 or each.varies for each in segments):
        return []
    places = [each.start * width + (each.offset or 0) for each in segments]  # in the stream
    if any(place % 4 for place in places) or places[0]:
        return []
    words = [(each.stop - each.start) * width for each in segments[:-1]]
    moved = [(after - before) // 4 for before, after in pairwise(places)]
    rules = [meanings(*each) for each in zip(moved, words)]
    common = [text for text in rules[0] if all(text in each for each in rules)]
    starts = [each.start for each in segments[1:]]
    is_one_step = len({*moved}) == 1
    if not common and not is_one_step:
        return []
    return [Finding("draws-in-one-file", describe_draws(starts, moved[0], words[0], dump.unit, *common[:1]))]


def describe_draws(starts: list[int], moved: int, words: int, unit: str, rule: str = "") -> str:
    """Where draws begin, how far the counter moved after the words of the first one, and what to do.

    One start: all draws have this length. `rule` is what the distances of draws of several lengths mean.
    """
    where = f"A draw, or a group of threads, begins every {starts[0]:,} {unit}s"
    if len(starts) > 1:
        listed = ", ".join(f"{start:,}" for start in starts[:MAX_LISTED])
        more = f" and {len(starts) - MAX_LISTED} more" if len(starts) > MAX_LISTED else ""
        where = f"Another draw begins at each of the {unit}s {listed}{more}"
    if moved == blocks_for(words) and rule in ("", "the right number"):
        return f"{where}, and each starts a new block: verify each draw alone, or draw all words at once."
    how = f"wrongly ({rule})" if rule else f"by {distance_text(moved, words)}"
    threads = "" if moved else ", or begin each thread's words at a counter of their own"
    return f"{where}; the counter moved {how}: {ADVANCE}{threads}."


def thread_orders(dump: Dump, function: WordFunction, first: int) -> Iterator[Hypothesis]:
    """The orders of subsequences whose first elements are those of a dump. `first` is the first wrong element."""
    width, base = function.width, Hypothesis((), OF_THREADS, None, function)
    if first > 1:
        rule = Place("thread-ids-in-counter", lambda i: (i // first << 2 + THREAD_SHIFT) + i % first * width, (
            f"Each {first:,} {dump.unit}s are a subsequence of their own, with counter words 2, 3 increased by the "
            f"thread's number, as cuRAND's curand_init does. {COUNT_ALL}."
        ))  # fmt: skip
        yield base._replace(place=rule)

    # The second element of thread 0 is after the first ones of all threads.
    second = np.flatnonzero(dump.head(MAX_HEAD) == elements_of(words_from(dump.state, width, width), function))
    count = int(second[0]) if second.size else dump.size
    if count >= MIN_THREADS:
        rule = Place("thread-subsequences", lambda i: (i % count << 2 + THREAD_SHIFT) + i // count * width, (
            f"The generator has {count:,} threads, each with a subsequence of its own (counter words 2, 3), as "
            f"PyTorch's kernels have by curand_init. Thread t stores elements t, t + {count:,}, ... {COUNT_ALL}."
        ))  # fmt: skip
        yield base._replace(place=rule)
