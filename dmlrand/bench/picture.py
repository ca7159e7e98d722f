"""The results of `dmlrand bench` as a picture: one panel a contest, one bar an entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..picture import check_plot, plain_style, save_figure
from . import Result


def draw_results(path: str, results: Sequence[Result], title: str) -> None:
    """Write a .png, .svg or .pdf. Needs matplotlib, the extra `plot`."""
    check_plot(path)
    with plain_style():
        figure = _figure(results, title)
    save_figure(path, figure, dpi=130)


def _figure(results: Sequence[Result], title: str) -> Any:
    from matplotlib.figure import Figure

    heights = [len(result.timings) + 2 for result in results]
    figure = Figure(figsize=(9, 0.28 * sum(heights) + 0.6), layout="constrained")
    figure.suptitle(title, fontsize=9)
    panels = figure.subplots(len(results), 1, squeeze=False, height_ratios=heights)[:, 0]
    for panel, (contest, timings) in zip(panels, results):
        names = list(timings)
        if contest.bytes:
            lengths, unit = [contest.bytes / timing.seconds / 1e9 for timing in timings.values()], "GB/s"
        else:
            lengths, unit = [timing.seconds * 1e6 for timing in timings.values()], "us a call"
        bars = panel.barh(names, lengths, color=["tab:blue", *["tab:gray"] * (len(names) - 1)])
        panel.bar_label(bars, fmt="%.3g", padding=3, fontsize=8)
        panel.invert_yaxis()
        panel.margins(x=0.12)
        panel.tick_params(labelsize=8)
        panel.set_title(f"{contest.title} ({unit})", fontsize=9, loc="left")
        panel.spines[["top", "right"]].set_visible(False)
    return figure
