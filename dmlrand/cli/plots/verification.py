"""Charts of a verification."""

from __future__ import annotations

import os
import textwrap
from typing import Any

from numpy.typing import NDArray

from ...state import State, counter_of
from ...verification.report.picture import (
    CONSTANT,
    ELSEWHERE,
    EMPTY,
    FOREIGN_CELL,
    RIGHT,
    SHIFTED,
    Picture,
    draw_cells,
)
from ...verification.report.result import Verification
from . import save_figure

# From pale to strong, also for readers who cannot tell red from green.
COLOURS = {
    EMPTY: "#ffffff",
    RIGHT: "#e4e9ee",
    SHIFTED: "#8fc6f0",
    ELSEWHERE: "#0b3a75",
    CONSTANT: "#f0b400",
    FOREIGN_CELL: "#b3202c",
}
LABELS = {
    RIGHT: "right",
    SHIFTED: "shifted: a run of the stream, in another place",
    ELSEWHERE: "elsewhere: single words of the stream, in another order",
    CONSTANT: "constant",
    FOREIGN_CELL: "foreign: not found in the stream",
}
LINE_CHARACTERS = 130  # of the title, in a figure 10 inches wide
MAX_SENTENCE_LINES = 4
MAX_TICKS = 8


def plot_report(
    path: str | os.PathLike[str], state: State, values: NDArray[Any], report: Verification, name: str, sentence: str
) -> None:
    """Draw a tensor of words or numbers with its report, as specs/verify.md, clause 6.3, says.

    The title has a name and a sentence.
    """
    figure = _figure(draw_cells(state, values, report), state, report, _title(report, name, sentence))
    save_figure(path, figure, dpi=100)


def _figure(picture: Picture, state: State, report: Verification, title: str) -> Any:
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure  # and not pyplot, which keeps every figure in a global list

    figure, row_blocks = Figure(figsize=(10, 7), layout="constrained"), picture.row_blocks
    rows, columns = picture.cells.shape[1] * picture.cell[0], picture.cells.shape[2] * picture.cell[1]
    panels = figure.subplots(1, len(picture.lanes), sharey=True, squeeze=False)[0]
    wrap, first = -counter_of(state) % (1 << 32) // row_blocks, report.first_mismatch
    for lane, axes, cells in zip(picture.lanes, panels, picture.cells):
        axes.imshow(cells, cmap=ListedColormap(list(COLOURS.values())), vmin=EMPTY, vmax=FOREIGN_CELL,
                    extent=(0, columns, rows, 0), aspect="auto", interpolation="nearest")  # fmt: skip
        axes.set_title(f"lane {lane}", fontsize=10)
        axes.set_xticks([0, row_blocks], ["0", _power_text(row_blocks)])
        if 0 < wrap < rows:
            axes.axhline(wrap, color="0.2", linestyle="--", linewidth=1)
        if first is not None and first.lane == lane:
            row, column = divmod(first.block, row_blocks)
            for colour, line in (("white", 3.5), ("black", 1.5)):  # visible on every colour
                axes.plot([column + 0.5], [row + 0.5], "o", markersize=16, markerfacecolor="none",
                          markeredgecolor=colour, markeredgewidth=line, clip_on=False, zorder=5)  # fmt: skip
    step = 1 << (-(-rows // MAX_TICKS) - 1).bit_length()
    ticks = range(0, rows + 1, step)
    panels[0].set_yticks(ticks, [_power_text(tick * row_blocks) for tick in ticks])
    panels[0].set_xlabel("block in its row")
    panels[0].set_ylabel("first block of the row" + "; dashed: counter word 0 wraps" * (0 < wrap < rows))
    _add_legend(figure, picture, report.unit)
    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return figure


def _add_legend(figure: Any, picture: Picture, unit: str) -> None:
    """The colours that occur, best first, and what a cell is."""
    from matplotlib.patches import Patch

    handles = [
        Patch(facecolor=COLOURS[cell], edgecolor="0.4", linewidth=0.5, label=label)
        for cell, label in LABELS.items()
        if (picture.cells == cell).any()
    ]
    blocks = picture.cell[0] * picture.cell[1]
    text = f"A cell holds {blocks:,} blocks, and shows the worst of their {unit}s: the colour that comes last here."
    figure.legend(handles=handles, loc="outside lower left", ncols=3, frameon=False, fontsize=9, alignment="left",
                  title=text if blocks > 1 else "", title_fontsize=9)  # fmt: skip


def _power_text(number: int) -> str:
    """A number as a multiple of a power of two: 3 x 2^10."""
    power = (number & -number).bit_length() - 1
    if power < 4:
        return str(number)
    odd = number >> power
    return f"2^{power}" if odd == 1 else f"{odd} x 2^{power}"


def _title(report: Verification, name: str, sentence: str) -> str:
    """The number of elements and of wrong ones, the index of the first wrong one, and the sentence."""
    unit, first = report.unit, report.first_mismatch
    counts = f"{name}: {report.words:,} {unit}s, all right"
    if first is not None:
        counts = f"{name}: {report.words:,} {unit}s, {report.mismatches:,} wrong ({100 * report.share:.4g} %)\n"
        counts += f"First wrong {unit} (circle): {first.flat_index:,}, at index [{', '.join(map(str, first.index))}]"
    sentence = sentence[:1].upper() + sentence[1:]
    lines = textwrap.wrap(sentence, LINE_CHARACTERS, max_lines=MAX_SENTENCE_LINES, placeholder=" ...")
    return "\n".join([counts, *lines])
