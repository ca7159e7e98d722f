"""Charts of a verification. Needs matplotlib, the extra `plot`."""

from __future__ import annotations

import os
import textwrap
from typing import Any

from numpy.typing import NDArray

from ...arrays.number_types import words_per_number
from ...state import State, blocks_for, counter_of
from ...verification.reading import unit_of
from ...verification.report.picture import (
    CONSTANT_CELL,
    EARLY_CELL,
    EMPTY,
    FAR_CELL,
    FOREIGN_CELL,
    RIGHT,
    Picture,
    draw_cells,
)
from ...verification.report.result import Verification
from .figures import default_style, save_figure

# From pale to strong, also for readers who cannot tell red from green.
COLOURS = {
    EMPTY: "#ffffff",
    RIGHT: "#e4e9ee",
    EARLY_CELL: "#8fc6f0",
    FAR_CELL: "#0b3a75",
    CONSTANT_CELL: "#f0b400",
    FOREIGN_CELL: "#b3202c",
}
LINE_CHARACTERS = 130  # of the title, in a figure 10 inches wide
MAX_SENTENCE_LINES = 4
MAX_CARRIES = 8


def plot_report(
    path: str | os.PathLike[str], state: State, values: NDArray[Any], report: Verification, name: str, sentence: str
) -> None:
    """Draw a tensor of words or numbers with its report, as specs/verify.md, clauses 6.3 and 6.9 say.

    `path` is a .png, .svg or .pdf file, which is replaced only when the new one is complete. The title has a name and
    a sentence.
    """
    picture = draw_cells(state, values, report)
    with default_style():
        figure = _figure(picture, state, values, report, _title(values, report, name, sentence))
    save_figure(path, figure, dpi=100)


def _figure(picture: Picture, state: State, values: NDArray[Any], report: Verification, title: str) -> Any:
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure  # and not pyplot, which keeps every figure in a global list
    from matplotlib.ticker import MaxNLocator

    unit, (down, across) = unit_of(values.dtype), picture.cell
    figure = Figure(figsize=(10, 7), layout="constrained")
    axes: Any = figure.subplots()
    height, width = picture.cells.shape
    axes.imshow(picture.cells, cmap=ListedColormap(list(COLOURS.values())), vmin=EMPTY, vmax=FOREIGN_CELL,
                extent=(-0.5, width * across - 0.5, height * down - 0.5, -0.5), aspect="auto",
                interpolation="nearest")  # fmt: skip
    axes.set_xlim(-0.5, picture.columns - 0.5)
    axes.set_ylim(picture.rows - 0.5, -0.5)
    axes.set_xlabel(_axis_label(picture.column_axes, picture.columns, f"{unit} in its row"))
    axes.set_ylabel(
        _axis_label(picture.row_axes, picture.rows, f"row of the flat tensor, {picture.columns:,} {unit}s each")
    )
    for axis in (axes.yaxis, axes.xaxis):
        axis.set_major_locator(MaxNLocator(8, integer=True))
        axis.set_major_formatter("{x:,.0f}")
    if report.first_mismatch is not None:
        y, x = divmod(report.first_mismatch.flat_index, picture.columns)
        for colour, line in (("white", 3.5), ("black", 1.5)):  # visible on every colour
            axes.plot([x], [y], "o", markersize=16, markerfacecolor="none", markeredgecolor=colour,
                      markeredgewidth=line, clip_on=False, zorder=5)  # fmt: skip
    _mark_carries(axes, picture.columns, state, values)
    _add_legend(figure, picture, unit)
    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return figure


def _title(values: NDArray[Any], report: Verification, name: str, sentence: str) -> str:
    """The number of elements and of wrong ones, the index of the first wrong one, and the sentence."""
    unit, first = unit_of(values.dtype), report.first_mismatch
    counts = f"{name}: {report.words:,} {unit}s, all right"
    if first is not None:
        counts = f"{name}: {report.words:,} {unit}s, {report.mismatches:,} wrong ({100 * report.share:.4g} %)\n"
        counts += f"First wrong {unit} (circle): {first.flat_index:,}, at index [{', '.join(map(str, first.index))}]"
    sentence = sentence[:1].upper() + sentence[1:]
    lines = textwrap.wrap(sentence, LINE_CHARACTERS, max_lines=MAX_SENTENCE_LINES, placeholder=" ...")
    return "\n".join([counts, *lines])


def _axis_label(axes: tuple[int, ...], size: int, wrapped: str) -> str:
    name = f"ax{'e' if len(axes) > 1 else 'i'}s {', '.join(map(str, axes))}" if axes else wrapped
    return f"{name}: index 0 to {size - 1:,}"


def _add_legend(figure: Any, picture: Picture, unit: str) -> None:
    """The colours that occur, best first, and what a cell is."""
    from matplotlib.patches import Patch

    labels = {RIGHT: "right", EARLY_CELL: "too early in the stream", FAR_CELL: "too far in the stream"}
    labels |= {CONSTANT_CELL: "constant", FOREIGN_CELL: "not found in the stream" if unit == "word" else "wrong"}
    handles = [
        Patch(facecolor=COLOURS[cell], edgecolor="0.4", linewidth=0.5, label=label)
        for cell, label in labels.items()
        if (picture.cells == cell).any()
    ]
    down, across = picture.cell
    text = f"Each cell holds {down} x {across} {unit}s, and shows the worst of them: the colour that comes last here."
    figure.legend(handles=handles, loc="outside lower left", ncols=3, frameon=False, fontsize=9, alignment="left",
                  title=text if down * across > 1 else "", title_fontsize=9)  # fmt: skip


def _mark_carries(axes: Any, row_elements: int, state: State, values: NDArray[Any]) -> None:
    """A line at each row where counter word 0 wraps to 0, with the name of the highest word that changes."""
    words, counter = words_per_number(values.dtype), counter_of(state)
    wraps = range(-counter % (1 << 32) or 1 << 32, blocks_for(values.size * words), 1 << 32)  # blocks
    for block in wraps if len(wraps) <= MAX_CARRIES else ():  # the names of more would overlap
        reached = (counter + block) % (1 << 128)
        word = next((word for word in (3, 2) if reached % (1 << 32 * word) == 0), 1)
        row = block * 4 // words // row_elements - 0.5
        axes.axhline(row, color="0.2", linestyle="--", linewidth=1)
        axes.annotate(f"carry into\nword {word}" if reached else "wrap at 2^128", (1, row), xytext=(4, 0),
                      xycoords=("axes fraction", "data"), va="center", textcoords="offset points", fontsize=8,
                      color="0.2", annotation_clip=False)  # fmt: skip
