"""Charts of a verification. Needs matplotlib, the extra `plot`."""

from __future__ import annotations

import os
import textwrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.number_types import words_per_number
from ...figures import default_style, save_figure
from ...state import State, blocks_for, counter_of
from .picture import (
    CONSTANT_CELL,
    EARLY_CELL,
    EMPTY,
    FAR_CELL,
    FOREIGN_CELL,
    OFFSET_CELL,
    RIGHT,
    Direction,
    Layout,
    Picture,
    draw_cells,
    flat_index,
)
from .result import Verification
from .segment_text import offset_text

# From pale to strong, also for readers who cannot tell red from green.
COLOURS = {
    EMPTY: "#ffffff",
    RIGHT: "#e4e9ee",
    OFFSET_CELL: "#8fc6f0",
    EARLY_CELL: "#2f80c3",
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
        figure = _figure(picture, state, values, report, _title(picture, values, report, name, sentence))
    save_figure(path, figure, dpi=100)


def _figure(picture: Picture, state: State, values: NDArray[Any], report: Verification, title: str) -> Any:
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure  # and not pyplot, which keeps every figure in a global list
    from matplotlib.ticker import MaxNLocator

    layout, (rows, columns), unit = picture.layout, picture.layout[:2], _unit(values)
    figure = Figure(figsize=(10, 7), layout="constrained")
    panels: Any = figure.subplots(*layout.grid, sharex=True, sharey=True, squeeze=False).ravel()
    extent = (-0.5, columns.cells * columns.cell - 0.5, rows.cells * rows.cell - 0.5, -0.5)
    tiles = np.ndindex(*(values.shape[axis] for axis in layout.tile_axes))
    for panel, cells, index in zip(panels, picture.cells, tiles):
        panel.imshow(cells, cmap=ListedColormap(list(COLOURS.values())), vmin=EMPTY, vmax=FOREIGN_CELL,
                     extent=extent, aspect="auto", interpolation="nearest")  # fmt: skip
        if layout.tiles > 1:
            panel.set_title(", ".join(map(str, index)), fontsize=8, pad=2)
            panel.tick_params(labelsize=7)
    for panel in panels[layout.tiles :]:
        panel.set_axis_off()
    panels[0].set_xlim(-0.5, columns.size - 0.5)
    panels[0].set_ylim(rows.size - 0.5, -0.5)
    down, across = layout.grid
    lowest = (down - 1) * across  # the first tile of the last row, which may have fewer tiles
    below, beside = panels[min(lowest + (across - 1) // 2, layout.tiles - 1)], panels[(down - 1) // 2 * across]
    below.set_xlabel(_axis_label(columns, f"{unit} in its row"))
    beside.set_ylabel(_axis_label(rows, f"row of the flat tensor, {columns.size:,} {unit}s each"))
    for axis, tiles_side in zip((panels[0].yaxis, panels[0].xaxis), layout.grid):
        axis.set_major_locator(MaxNLocator(max(2, 8 // tiles_side), integer=True))
        axis.set_major_formatter("{x:,.0f}")
    if report.first_mismatch is not None:
        place = np.array(report.first_mismatch.flat_index, np.int64)
        x, y = (int(place // axis.stride % axis.size) for axis in (columns, rows))
        panel = panels[int(flat_index(place, values.shape, layout.tile_axes))]
        for colour, width in (("white", 3.5), ("black", 1.5)):  # visible on every colour
            panel.plot([x], [y], "o", markersize=16, markerfacecolor="none", markeredgecolor=colour,
                       markeredgewidth=width, clip_on=False, zorder=5)  # fmt: skip
    if layout.tiles == 1 and not layout.folded:  # else rows do not follow one another in the stream
        _mark_carries(panels[0], rows.stride, state, values)
    _add_legend(figure, picture, unit)
    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return figure


def _title(picture: Picture, values: NDArray[Any], report: Verification, name: str, sentence: str) -> str:
    """The number of elements and of wrong ones, the index of the first wrong one, and the sentence."""
    unit, first = _unit(values), report.first_mismatch
    counts = f"{name}: {report.words:,} {unit}s, all right"
    if first is not None:
        counts = f"{name}: {report.words:,} {unit}s, {report.mismatches:,} wrong ({100 * report.share:.4g} %)\n"
        counts += f"First wrong {unit} (circle): {first.flat_index:,}, at index [{', '.join(map(str, first.index))}]"
        if picture.slices > 1:
            counts += f"; slices with wrong {unit}s: {picture.wrong_slices:,} of {picture.slices:,}"
    sentence = sentence[:1].upper() + sentence[1:]
    lines = textwrap.wrap(sentence, LINE_CHARACTERS, max_lines=MAX_SENTENCE_LINES, placeholder=" ...")
    return "\n".join([counts, *lines])


def _unit(values: NDArray[Any]) -> str:
    return "word" if values.dtype.kind == "u" else "number"


def _axis_label(direction: Direction, wrapped: str) -> str:
    name = wrapped if direction.axis is None else f"axis {direction.axis}"
    return f"{name}: index 0 to {direction.size - 1:,}"


def _add_legend(figure: Any, picture: Picture, unit: str) -> None:
    """The colours that occur, best first, and what a cell is."""
    from matplotlib.patches import Patch

    labels = {RIGHT: "right", CONSTANT_CELL: "constant"}
    labels[FOREIGN_CELL] = "not found in the stream" if unit == "word" else "wrong"
    if picture.others:
        labels |= {EARLY_CELL: "varying offsets, too early", FAR_CELL: "varying offsets, too far"}
    labels |= {OFFSET_CELL + number: offset_text(offset) for number, offset in enumerate(picture.offsets)}
    present = [cell for cell in np.unique(picture.cells).tolist() if cell != EMPTY]
    handles = [Patch(facecolor=COLOURS[cell], edgecolor="0.4", linewidth=0.5, label=labels[cell]) for cell in present]
    figure.legend(handles=handles, loc="outside lower left", ncols=3, frameon=False, fontsize=9, alignment="left",
                  title=_cell_text(picture.layout, unit), title_fontsize=9)  # fmt: skip


def _cell_text(layout: Layout, unit: str) -> str:
    """What a tile is, which elements a cell holds, and which of them it shows."""
    text = f"Each tile is one index of {_axes_text(layout.tile_axes)}, written above it. " if layout.tiles > 1 else ""
    rows, columns = layout.rows.cell, layout.columns.cell
    if rows * columns > 1 or layout.folded:
        text += f"Each cell holds {f'{rows} x {columns} {unit}s' if rows * columns > 1 else f'one {unit}'}"
        text += f" of each index of {_axes_text(layout.folded)}" if layout.folded else ""
        text += ", and shows the worst of them: the colour that comes last here."
    return text.rstrip()


def _axes_text(axes: tuple[int, ...]) -> str:
    return f"ax{'e' if len(axes) > 1 else 'i'}s {', '.join(map(str, axes))}"


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
