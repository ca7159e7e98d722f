"""The results of `dmlrand bench` as a chart: a panel for each case, with a bar for each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...bench.case import LIMIT, OTHER, OURS
from ...bench.measurement import BUSY, Result
from .figures import check_plot, default_style, save_figure

DPI = 100  # at this resolution the chart is as wide as a screen, and its text is as large as in a browser
WIDTH_INCHES, BAR_INCHES, PANEL_EXTRA_INCHES, TITLE_INCHES = 15.0, 0.23, 0.75, 0.9
COLUMNS = 2
COLOURS = {OURS: "#2b5c8a", LIMIT: "#d9682b", OTHER: "#a0a4a8"}
UNITS = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9))


def draw_results(path: str, results: Sequence[Result], title: str) -> None:
    """Write a .png, .svg or .pdf. Needs matplotlib, the extra `plot`."""
    check_plot(path)
    with default_style():
        figure = figure_of(results, title)
    save_figure(path, figure, dpi=DPI)


def figure_of(results: Sequence[Result], title: str) -> Any:
    from matplotlib.figure import Figure

    results = [result for result in results if len(result.timings) > 1] or results  # one bar alone compares nothing
    columns = _columns(results)
    height = max(sum(_height(result) for result in column) for column in columns) + TITLE_INCHES
    figure = Figure(figsize=(WIDTH_INCHES * len(columns) / COLUMNS, height), layout="constrained")
    figure.suptitle(
        f"{title}\nblue: dmlrand; orange: what the processor can do; grey: others",
        fontsize=10,
    )
    for part, column in zip(figure.subfigures(1, len(columns), squeeze=False)[0], columns):
        heights = [_height(result) for result in column]
        empty = height - TITLE_INCHES - sum(heights)
        grid = part.subplots(len(column) + 1, 1, squeeze=False, height_ratios=[*heights, max(empty, 0.01)])[:, 0]
        grid[-1].set_axis_off()
        for panel, result in zip(grid, column):
            _draw(panel, result)
    return figure


def _columns(results: Sequence[Result]) -> list[list[Result]]:
    """The results in their order, in columns of about one height."""
    half = sum(_height(result) for result in results) / COLUMNS
    columns: list[list[Result]] = [[]]
    for result in results:
        filled = sum(_height(other) for other in columns[-1])
        if columns[-1] and len(columns) < COLUMNS and filled + _height(result) / 2 > half:
            columns.append([])
        columns[-1].append(result)
    return columns


def _height(result: Result) -> float:
    return BAR_INCHES * len(result.timings) + PANEL_EXTRA_INCHES


def _draw(panel: Any, result: Result) -> None:
    case, timings = result.case, result.timings
    names = list(timings)
    if case.bytes:
        lengths, unit, better = [case.bytes / timing.seconds / 1e9 for timing in timings.values()], "GB/s", "higher"
    else:
        longest = max(timing.seconds for timing in timings.values())
        unit, scale = next((pair for pair in UNITS if longest >= pair[1]), UNITS[-1])
        lengths, better = [timing.seconds / scale for timing in timings.values()], "lower"
    panel.barh(names, lengths, height=0.75, color=[COLOURS[timing.kind] for timing in timings.values()])
    end = max(lengths)
    for row, (length, timing) in enumerate(zip(lengths, timings.values())):
        label = f"{length:.3g}" + (f" (waited {timing.waited:.0%})" if timing.waited > BUSY else "")
        panel.text(length + 0.01 * end, row, label, va="center", fontsize=9)
    panel.set_xlim(0, 1.2 * end)
    panel.set_ylim(len(names) - 0.5, -0.5)  # the first run on top
    panel.tick_params(labelsize=9)
    panel.set_title(f"{case.title}\n{unit}, {better} is better", fontsize=10, loc="left")
    panel.spines[["top", "right"]].set_visible(False)
