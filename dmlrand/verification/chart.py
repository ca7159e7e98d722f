"""Charts of a verification. Needs matplotlib, the extra `plot`."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.figures import check_plot, default_style, save_figure
from ..state import State, blocks_for, counter_of
from . import compare

MAX_COLUMNS = 400  # each column is then at least two pixels wide


def plot_mismatches(path: str | os.PathLike[str], state: State, values: NDArray[np.uint32]) -> None:
    """Draw where the words of a tensor differ from those of a state: blocks across, lanes down.

    A wrong lane is a horizontal stripe. A lost carry is an area that begins at a dashed line; there is one such line at
    each block where counter word 0 wraps. A tensor of more than 400 blocks has several blocks in each column.

    Parameters
    ----------
    path : path
        The .png, .svg or .pdf file to write. An existing file is replaced only when the new one is complete.
    state, values
        As in verify, which checks them.
    """
    check_plot(path)
    fractions = mismatch_fractions(state, values)
    with default_style():
        figure = _figure(fractions, values.size, counter_of(state))
    save_figure(path, figure, dpi=150)


def mismatch_fractions(state: State, values: NDArray[np.uint32]) -> NDArray[np.float64]:
    """The fraction of wrong words for each lane (4 rows) and each column of blocks; NaN where there is no word."""
    blocks = blocks_for(values.size)
    width = -(-blocks // MAX_COLUMNS)  # blocks in each column
    columns = -(-blocks // width)
    wrong = np.zeros((columns, 4))
    for position, expected, got in compare(state, values):
        words = position + np.flatnonzero(expected != got)
        if words.size:
            first, last = words[0] // 4 // width, words[-1] // 4 // width
            cells = words // 4 // width * 4 + words % 4 - 4 * first
            counts = np.bincount(cells, minlength=4 * (last - first + 1))
            wrong[first : last + 1] += counts.reshape(-1, 4)
    total = np.full((columns, 4), width)
    total[-1] = blocks - width * (columns - 1)
    total[-1] -= np.arange(4) > (values.size - 1) % 4  # lanes of the last block beyond the tensor's end
    with np.errstate(invalid="ignore"):
        fractions: NDArray[np.float64] = (wrong / total).T
    return fractions


def _figure(fractions: NDArray[np.float64], words: int, counter: int) -> Any:
    from matplotlib.colors import LogNorm
    from matplotlib.figure import Figure  # and not pyplot, which keeps every figure in a global list
    from matplotlib.ticker import MaxNLocator

    blocks = blocks_for(words)
    width = -(-blocks // MAX_COLUMNS)
    columns = fractions.shape[1]
    figure = Figure(figsize=(10, 3.4), layout="constrained")
    axes: Any = figure.subplots()
    axes.set_facecolor("0.75")  # shows lanes of the last block beyond the tensor's end
    extent = (0.0, float(columns * width), 3.5, -0.5)
    # Columns without a wrong word are pale green, which no colour of the scale comes near: one wrong word is visible.
    axes.imshow(np.where(fractions == 0, 0.0, np.nan), cmap=_one_colour("#d9efdb"), extent=extent, aspect="auto",
                interpolation="nearest")  # fmt: skip
    scale = LogNorm(min(1 / width, 0.5), 1)
    image = axes.imshow(np.where(fractions > 0, fractions, np.nan), cmap=_reds(), norm=scale, extent=extent,
                        aspect="auto", interpolation="nearest")  # fmt: skip
    if width > 1:
        bar = figure.colorbar(image, ax=axes, label=f"fraction of wrong words\nin {width:,} blocks", pad=0.01)
        powers = [1.0] + [10.0**-power for power in range(1, 12) if 10.0**-power >= 3 / width]
        bar.set_ticks([1 / width, *powers], labels=[f"{tick:.2g}" for tick in [1 / width, *powers]], minor=False)
        bar.minorticks_off()
    _mark_carries(axes, counter, blocks)
    axes.set_xlim(0, blocks)
    axes.hlines([0.5, 1.5, 2.5], 0, blocks, colors="white", linewidth=1)
    axes.set_yticks(range(4))
    axes.set_ylabel("lane")
    axes.set_xlabel("block, counted from the state's counter")
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    space_for_names_of_carries = 18
    axes.set_title(_title(fractions, words, counter), loc="left", fontsize=10, pad=space_for_names_of_carries)
    return figure


def _title(fractions: NDArray[np.float64], words: int, counter: int) -> str:
    last = (counter + blocks_for(words) - 1) % (1 << 128)
    lanes = [lane for lane in range(4) if np.nansum(fractions[lane]) > 0]
    where = f"wrong words in lane{'s' * (len(lanes) > 1)} {', '.join(map(str, lanes))}" if lanes else "no wrong word"
    return f"{words:,} words, {where}\ncounters {counter:#x} to {last:#x}"


def _mark_carries(axes: Any, counter: int, blocks: int) -> None:
    """A line at each block where counter word 0 wraps to 0, with the name of the highest word that changes."""
    block = -counter % (1 << 32)
    while block < blocks:
        if block:
            reached = (counter + block) % (1 << 128)
            word = next((word for word in (3, 2, 1) if reached % (1 << 32 * word) == 0), 1)
            name = "wrap at 2^128" if reached == 0 else f"carry into word {word}"
            axes.axvline(block, color="0.2", linestyle="--", linewidth=1)
            axes.annotate(name, (block, 1), xytext=(0, 3), xycoords=("data", "axes fraction"), ha="center",
                          textcoords="offset points", fontsize=8, color="0.2", annotation_clip=False)  # fmt: skip
        block += 1 << 32


def _one_colour(colour: str) -> Any:
    from matplotlib.colors import ListedColormap

    return ListedColormap([colour])


def _reds() -> Any:
    """From a strong orange to a dark red, far from the colours of right words and of the background."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("wrong", ["#f4a340", "#d9301a", "#7a0f0f"])
