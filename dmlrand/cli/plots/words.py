"""A picture of some words of a stream. It makes some errors visible at once, and proves nothing."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...drawing.arguments import check_int
from ...drawing.messages import format_value
from ...operator import random_generator
from ...state import StateLike, blocks_for, check_state, counter_of, key_of
from . import check_plot, save_figure

Words = NDArray[np.uint32]

ROW_WORDS, IMAGE_ROWS = 8, 256  # of the image of bits: a row is two blocks, 256 bits
BINS = 64
MAX_PAIRS = 1 << 14
MAX_DEVIATION = 5.0  # in standard deviations: larger ones have the colour of this one
BLUE, ORANGE = "#2b5c8a", "#d9682b"


def plot_words(path: str | os.PathLike[str], state: StateLike, words: int) -> None:
    """Draw 4096 to 2**26 words of a stream: their bits, a histogram, pairs of words, and the bits of each lane."""
    check_plot(path)
    start = check_state(state)
    count = check_int(words, "words")
    if not 4096 <= count <= 1 << 26:
        raise ValueError(f"words must be in [4096, 2**26]; got {format_value(count)}.")
    drawn = random_generator(start, count).values
    save_figure(path, figure_of(drawn, counter_of(start), key_of(start)), dpi=120)


def bit_image(words: Words) -> NDArray[np.uint8]:
    """The bits of the first 2048 words, 8 words to a row, the highest bit of each on the left."""
    rows = words[: ROW_WORDS * IMAGE_ROWS].astype(">u4").view(np.uint8).reshape(IMAGE_ROWS, 4 * ROW_WORDS)
    return np.unpackbits(rows, axis=1)


def bin_counts(words: Words) -> NDArray[np.int64]:
    """The number of words in each of 64 equal parts of [0, 2**32)."""
    return np.bincount(words >> np.uint32(26), minlength=BINS)


def ones_by_lane(words: Words) -> NDArray[np.float64]:
    """For each lane (4 rows) and bit (32 columns, bit 31 first): the ones above half, in standard deviations."""
    blocks = words[: len(words) // 4 * 4].reshape(-1, 4)
    bits = [(blocks >> np.uint32(bit) & np.uint32(1)).sum(axis=0, dtype=np.int64) for bit in range(31, -1, -1)]
    deviations: NDArray[np.float64] = (2 * np.stack(bits, axis=1) - len(blocks)) / np.sqrt(len(blocks))
    return deviations


def figure_of(words: Words, counter: int, key: int) -> Any:
    """The figure of any words, labelled with a counter and a key."""
    from matplotlib.figure import Figure  # not pyplot, which keeps every figure in a global list

    figure = Figure(figsize=(11, 11), layout="constrained")
    last = (counter + blocks_for(len(words)) - 1) % (1 << 128)
    figure.suptitle(
        f"{len(words):,} words of key {key:#018x}\ncounters {counter:#034x}\n      to {last:#034x}",
        family="monospace",
        fontsize=11,
    )
    panels: Any = figure.subplots(2, 2)
    _draw_bits(panels[0, 0], words)
    _draw_pairs(panels[0, 1], words)
    _draw_histogram(panels[1, 0], words)
    image = _draw_lanes(panels[1, 1], words)
    bar = figure.colorbar(image, ax=panels[1, 1], aspect=40, pad=0.02)
    bar.set_label("ones above half, in standard deviations", fontsize=9)
    bar.ax.tick_params(labelsize=8)
    return figure


def _draw_bits(axes: Any, words: Words) -> None:
    axes.imshow(bit_image(words), cmap="gray_r", interpolation="nearest", aspect="auto", extent=(0, 256, IMAGE_ROWS, 0))
    axes.set_title(f"Bits of the first {ROW_WORDS * IMAGE_ROWS:,} words: 1 is black", fontsize=10)
    axes.set_xticks(
        range(0, 257, 32), labels=[*(f"word {word}" for word in range(ROW_WORDS)), ""], fontsize=7, ha="left"
    )
    axes.set_xlabel("8 words in a row, bit 31 of each on its left", fontsize=9)
    axes.set_ylabel("row (two blocks)", fontsize=9)
    axes.tick_params(axis="y", labelsize=8)


def _draw_pairs(axes: Any, words: Words) -> None:
    pairs = words[: min(2 * MAX_PAIRS, len(words) // 2 * 2)].reshape(-1, 2)
    axes.plot(pairs[:, 0], pairs[:, 1], ",", color=BLUE)
    axes.set_title(f"The first {len(pairs):,} pairs of successive words", fontsize=10)
    _words_axis(axes.xaxis, "first word of the pair: lane 0 or 2")
    _words_axis(axes.yaxis, "second word: lane 1 or 3")
    axes.set_xlim(0, 1 << 32)
    axes.set_ylim(0, 1 << 32)


def _draw_histogram(axes: Any, words: Words) -> None:
    counts = bin_counts(words)
    expected = len(words) / BINS
    deviation = np.sqrt(expected * (1 - 1 / BINS))
    edges = np.arange(BINS + 1, dtype=np.int64) * (1 << 26)
    low, high = expected - 2 * deviation, expected + 2 * deviation
    axes.axhspan(low, high, color=ORANGE, alpha=0.2, lw=0, label="± 2 standard deviations")
    axes.axhline(expected, color=ORANGE, lw=1, label=f"expected: {expected:,.0f}")
    axes.stairs(counts, edges, color=BLUE, lw=1.3, baseline=None, label="counted")
    chi_square = float(((counts - expected) ** 2).sum() / expected)
    axes.set_title(f"Words in {BINS} equal bins: chi-square {chi_square:.1f}, expected {BINS - 1} ± 11", fontsize=10)
    reach = max(5 * deviation, 1.15 * float(np.abs(counts - expected).max()))
    axes.set_ylim(max(0, expected - reach), expected + reach)
    axes.set_xlim(0, 1 << 32)
    axes.set_ylabel("words in the bin", fontsize=9)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.tick_params(axis="y", labelsize=8)
    _words_axis(axes.xaxis, "value of the word")
    axes.legend(fontsize=8, loc="upper right", ncols=3)


def _draw_lanes(axes: Any, words: Words) -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("deviation", [BLUE, "white", ORANGE])
    deviations = ones_by_lane(words)
    extent = (31.5, -0.5, 3.5, -0.5)
    image = axes.imshow(deviations, cmap=colours, vmin=-MAX_DEVIATION, vmax=MAX_DEVIATION, extent=extent, aspect="auto")
    largest = float(np.abs(deviations).max())
    axes.set_title(f"Ones of each bit: largest deviation {largest:.1f}, expected 2 to 4", fontsize=10)
    axes.set_xticks(range(31, -1, -4), labels=[f"bit {bit}" for bit in range(31, -1, -4)], fontsize=8)
    axes.set_yticks(range(4), labels=[f"lane {lane}" for lane in range(4)], fontsize=9)
    return image


def _words_axis(axis: Any, label: str) -> None:
    axis.set_ticks([i << 30 for i in range(5)], labels=["0", "2^30", "2^31", "3·2^30", "2^32"], fontsize=8)
    axis.set_label_text(label, fontsize=9)
