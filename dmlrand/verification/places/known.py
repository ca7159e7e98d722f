"""Places with a name: rules of strides that generators really have, and an index of 16 bits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from math import prod
from operator import mul

from ...state import blocks_for
from ..dump import Dump, Place
from .strides import Strides

GROUPS = (32, 64, 128, 256, 512, 1024)  # blocks


def known_places(dump: Dump, width: int) -> Iterator[Place]:
    """The faults that store right words at other places, for elements of so many words."""
    row, blocks = dump.shape[-1] * width, blocks_for(dump.size * width)
    for name, rule, text in (
        ("counter-advanced-per-word", Strides(0, 0, (1, 4), (1, 16)), "advances the counter by 1 for each word, 4 for "
         "each block: advance by 1 for each block"),
        ("counter-too-fast", Strides(0, 0, (1, 4), (1, 1024)), "advances the counter by 256 for each block: advance by "
         "1 for each block"),
        *(("counter-too-slow", Strides(0, 0, (1, 4, 4 * times), (1, 0, 4)), f"advances the counter by 1 for {times} "
           f"blocks, so that each is made {times} times: advance by 1 for each block") for times in (2, 4, 8, 16)),
        ("one-block-per-element", Strides(0, 0, (1,), (4,)), "computes a block for each element and stores lane 0 "
         "only: store all four lanes of a block"),
        ("reserves-256-blocks-per-value", Strides(0, 0, (1,), (1024,)), "reserves 256 blocks for each value, as "
         "TensorFlow's samplers do: store four values of each block"),
        ("lanes-stored-apart", Strides(0, 0, (1, blocks), (4, 1)), "stores lane 0 of all blocks, then lane 1, and so "
         "on: store the lanes of a block side by side"),
        ("lanes-reversed", Strides(0, 3, (1, 4), (-1, 4)), "stores the lanes of each block in the order 3, 2, 1, 0: "
         "store 0, 1, 2, 3"),
        ("rows-start-blocks", Strides(0, 0, (1, row), (1, 4 * blocks_for(row))), "starts each row of the last axis "
         "with a new block: count words through the whole tensor"),
        ("rows-repeat", Strides(0, 0, (1, row), (1, 0)), "stores the same words in each row of the last axis: compute "
         "the block number from all axes"),
        ("every-block-the-first", Strides(0, 0, (1, 4), (1, 0)), "makes the first block for every block, as if each "
         "thread began at the same counter: add the thread's index in the whole dispatch to the counter"),
        *((f"groups-of-{size}-blocks-repeat", Strides(0, 0, (1, 4 * size), (1, 0)), f"repeats its words after every "
           f"{size} blocks, as if a thread used its index in its group: use the index in the whole dispatch")
          for size in GROUPS),
    ):  # fmt: skip
        yield Place(name, rule.places, f"The generator {text}.", of_words=True)
    sizes = [*accumulate(reversed(dump.shape), mul, initial=1)][:-1]
    strides = [prod(dump.shape[:axis]) * width for axis in range(len(dump.shape))]
    rule = Strides(0, 0, (*sizes,), (*reversed(strides),))
    text = "The generator stores the words in column-major order: let the last axis vary fastest."
    yield Place("column-major", rule.places, text)
    for limit in (1 << 16, 4 // width << 16):
        if limit < dump.size:
            text = f"The generator computes element p as element p mod {limit:,}, by an index of 16 bits: use uint32."
            yield Place("index-narrow", Strides(0, 0, (1, limit), (width, 0)).places, text)
