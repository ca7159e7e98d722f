"""The conformance page: one HTML file that runs a shader on the GPU of a browser, and compares every word.

page.html is the page without the shader and the cases. specs/conformance.md, section 6, has the rules.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..distributions import uniform
from ..operator import random_generator
from ..webgpu.devices import UNIFORM, WORDS, shader_source
from . import case as kit
from .case import digest, words_of
from .cases import COUNTER, KEY, all_cases

ENTRY_POINTS = (WORDS, UNIFORM)
FORMAT, VERSION = "dmlrand page report", 1
MAX_WORDS = (1 << 24) + 1  # needs 65,537 workgroups, more than one dimension of a dispatch holds
_GROUPS_OF_TENSORS = ("ranks", "states", "strides")  # the shader has no tensors, and returns no state


@dataclass(frozen=True)
class PageCase:
    """A draw of the shader: `count` words of the stream of `state`, from lane `lane` of the first block on.

    `first` is the index of the first word in the output buffer.
    """

    name: str
    decides: str
    state: tuple[int, ...]
    lane: int
    first: int
    count: int

    group: ClassVar[str] = "page"
    expected: ClassVar[str] = kit.WORDS
    has_new_state: ClassVar[bool] = False

    def right(self, entry_point: str) -> NDArray[np.uint32]:
        """The right words, or the bits of the right numbers."""
        return stream_words(self.state, self.words, entry_point)[self.lane :]

    @property
    def words(self) -> int:
        """How many words the first block and the draw have, up to the last word of the draw."""
        return self.lane + self.count

    @property
    def sizes(self) -> tuple[int, ...]:
        return (self.words,)


def stream_words(state: Any, count: int, entry_point: str) -> NDArray[np.uint32]:
    """The first words that an entry point stores for a state, or the bits of its numbers."""
    if entry_point == WORDS:
        return random_generator(state, count, output_state=False).values
    return uniform(state, count).values.view(np.uint32)


@cache
def page_cases() -> tuple[PageCase, ...]:
    """The cases of the page: those of the kit that a shader can run, and every lane with every tail."""
    return (*_of_the_kit(), *_lanes(), *_windows())


def _of_the_kit() -> Iterator[PageCase]:
    for case in all_cases():
        if case.expected == kit.WORDS and case.words <= MAX_WORDS and case.group not in _GROUPS_OF_TENSORS:
            yield PageCase(case.name, case.decides, case.state, 0, 0, case.words)


def _lanes() -> Iterator[PageCase]:
    for lane in range(4):
        for count in (*range(1, 9), 1021):
            decides = f"Whether a draw of {count} words that begins in lane {lane} stores these words and no other."
            yield PageCase(f"lane-{lane}-length-{count}", decides, words_of((1 << 64) - 1, KEY), lane, 0, count)


def _windows() -> Iterator[PageCase]:
    for first in (1, 2, 3, 64):
        decides = f"Whether the words are stored from index {first} of the buffer on, and no word before it changes."
        yield PageCase(f"first-{first}", decides, words_of(COUNTER, KEY), 1, first, 1000)
    skipped_blocks, lane = divmod(6 * (1 << 30) - 3, 4)  # 3 words before row 6 of 2^30 columns
    decides = "Whether a window of 100,000 words within a tensor of 2^60 words is right."
    yield PageCase("window", decides, words_of(COUNTER + skipped_blocks, KEY), lane, 7, 100_000)


def page_html() -> str:
    """The text of the page, complete in one file."""
    cases = [
        {**asdict(case), "sha256": {entry: digest(case.right(entry)) for entry in ENTRY_POINTS}}
        for case in page_cases()
    ]
    page = files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    facts = {"format": FORMAT, "version": VERSION, "dmlrand": __version__, "shader": shader_source(), "cases": cases}
    for name, value in facts.items():
        # "</script>" would end the script, wherever it stands.
        page = page.replace(f'"@{name}@"', json.dumps(value, separators=(",", ":")).replace("</", "<\\/"))
    return page
