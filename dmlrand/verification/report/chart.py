"""Charts of a verification. Needs matplotlib, the extra `plot`."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.number_types import words_per_number
from ...figures import check_plot, default_style, save_figure
from ...state import State, blocks_for, counter_of
from .. import verify
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
from .segment_text import offset_text, sentence_of

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


def plot_mismatches(path: str | os.PathLike[str], state: State, values: NDArray[np.uint32]) -> None:
    """Draw a picture with the rows and columns of a tensor. The colour of a word shows whether it is right.

    The rows and columns are the tensor's two largest axes. Other axes become a grid of tiles, if there are at most 64.
    A flat tensor is wrapped into rows. A large tensor has cells of many words, which show the worst of their words, so
    a single wrong word is visible in any tensor.

    Parameters
    ----------
    path : path
        The .png, .svg or .pdf file to write. An existing file is replaced only when the new one is complete.
    state, values
        As in verify, which checks them.
    """
    check_plot(path)
    report = verify(state, values)
    plot_report(path, state, values, report, "tensor", sentence_of(report))


def plot_report(
    path: str | os.PathLike[str], state: State, values: NDArray[Any], report: Verification, name: str, sentence: str
) -> None:
    """Draw a tensor of words, or of float32 or float64 numbers, with its report. The title has a name and a
    sentence."""
    picture = draw_cells(state, values, report)
    with default_style():
        figure = _figure(
            picture, state, values, report, f"{name}: {_counts(values, report, picture)}\n{_wrapped(sentence)}"
        )
    save_figure(path, figure, dpi=100)


def _figure(picture: Picture, state: State, values: NDArray[Any], report: Verification, title: str) -> Any:
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure  # and not pyplot, which keeps every figure in a global list
    from matplotlib.ticker import MaxNLocator

    layout, (rows, columns) = picture.layout, picture.layout[:2]
    figure = Figure(figsize=(10, 7), layout="constrained")
    panels: Any = figure.subplots(*layout.grid, sharex=True, sharey=True, squeeze=False).ravel()
    extent = (-0.5, columns.cells * columns.cell - 0.5, rows.cells * rows.cell - 0.5, -0.5)
    for panel, cells, index in zip(
        panels, picture.cells, np.ndindex(*(values.shape[axis] for axis in layout.tile_axes))
    ):
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
    below = panels[min(lowest + (across - 1) // 2, layout.tiles - 1)]
    below.set_xlabel(_axis_label(columns, f"{_unit(values)} in its row"))
    beside = panels[(down - 1) // 2 * across]
    beside.set_ylabel(_axis_label(rows, f"row of the flat tensor, {columns.size:,} {_unit(values)}s each"))
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
        _mark_carries(panels[0], layout, state, values)
    _add_legend(figure, picture, _unit(values))
    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return figure


def _counts(values: NDArray[Any], report: Verification, picture: Picture) -> str:
    """How many elements are wrong, where the first of them is, and how many slices hold them."""
    size = f"{report.words:,} {_unit(values)}s"
    if report.first_mismatch is None:
        return f"{size}, all right"
    first = report.first_mismatch
    index = ", ".join(map(str, first.index))
    slices = f"; slices with wrong {_unit(values)}s: {picture.wrong_slices:,} of {picture.slices:,}"
    return (
        f"{size}, {report.mismatches:,} wrong ({100 * report.share:.4g} %)\n"
        f"First wrong {_unit(values)} (circle): {first.flat_index:,}, at index [{index}]"
        f"{slices if picture.slices > 1 else ''}"
    )


def _wrapped(sentence: str) -> str:
    lines = textwrap.wrap(
        sentence[:1].upper() + sentence[1:], LINE_CHARACTERS, max_lines=MAX_SENTENCE_LINES, placeholder=" ..."
    )
    return "\n".join(lines)


def _unit(values: NDArray[Any]) -> str:
    return "word" if values.dtype.kind == "u" else "number"


def _axis_label(direction: Direction, wrapped: str) -> str:
    name = wrapped if direction.axis is None else f"axis {direction.axis}"
    return f"{name}: index 0 to {direction.size - 1:,}"


def _add_legend(figure: Any, picture: Picture, unit: str) -> None:
    """The colours that occur, best first, and what a cell is."""
    from matplotlib.patches import Patch

    labels = _labels(picture, unit)
    present = [cell for cell in np.unique(picture.cells).tolist() if cell != EMPTY]
    handles = [Patch(facecolor=COLOURS[cell], edgecolor="0.4", linewidth=0.5, label=labels[cell]) for cell in present]
    figure.legend(handles=handles, loc="outside lower left", ncols=3, frameon=False, fontsize=9, alignment="left",
                  title=_cell_text(picture.layout, unit), title_fontsize=9)  # fmt: skip


def _labels(picture: Picture, unit: str) -> dict[int, str]:
    foreign = "not found in the stream" if unit == "word" else "wrong"
    labels = {RIGHT: "right", CONSTANT_CELL: "constant", FOREIGN_CELL: foreign}
    if picture.others:
        labels |= {EARLY_CELL: "varying offsets, too early", FAR_CELL: "varying offsets, too far"}
    return labels | {OFFSET_CELL + number: offset_text(offset) for number, offset in enumerate(picture.offsets)}


def _cell_text(layout: Layout, unit: str) -> str:
    """What a tile is, which elements a cell holds, and which of them it shows."""
    tiles = f"Each tile is one index of {_axes_text(layout.tile_axes)}, written above it. " if layout.tiles > 1 else ""
    rows, columns = layout.rows.cell, layout.columns.cell
    if rows * columns == 1 and not layout.folded:
        return tiles.rstrip()
    text = f"Each cell holds {rows} x {columns} {unit}s" if rows * columns > 1 else f"Each cell holds one {unit}"
    if layout.folded:
        text += f" of each index of {_axes_text(layout.folded)}"
    return f"{tiles}{text}, and shows the worst of them: the colour that comes last here."


def _axes_text(axes: tuple[int, ...]) -> str:
    return f"ax{'e' if len(axes) > 1 else 'i'}s {', '.join(map(str, axes))}"


def _mark_carries(axes: Any, layout: Layout, state: State, values: NDArray[Any]) -> None:
    """A line at each row where counter word 0 wraps to 0, with the name of the highest word that changes."""
    words = words_per_number(values.dtype)
    carries = list(_carries(counter_of(state), blocks_for(values.size * words)))
    if len(carries) > MAX_CARRIES:
        return  # the names would overlap
    for block, name in carries:
        row = block * 4 // words // layout.rows.stride
        axes.axhline(row - 0.5, color="0.2", linestyle="--", linewidth=1)
        axes.annotate(name, (1, row - 0.5), xytext=(4, 0), xycoords=("axes fraction", "data"), va="center",
                      textcoords="offset points", fontsize=8, color="0.2", annotation_clip=False)  # fmt: skip


def _carries(counter: int, blocks: int) -> Iterator[tuple[int, str]]:
    for block in range(-counter % (1 << 32), blocks, 1 << 32):
        if block:
            reached = (counter + block) % (1 << 128)
            word = next((word for word in (3, 2, 1) if reached % (1 << 32 * word) == 0), 1)
            yield block, "wrap at 2^128" if reached == 0 else f"carry into\nword {word}"
