"""The results of the benchmark as text: one table in Markdown for each case."""

LEGEND = """\
A figure is the 10th percentile of many turns of 1 ms.
relative: to the first run of dmlrand. Runs with a new array for each call: to the first such run of dmlrand.
alone: without stores to memory. memset: a fill with zeros."""


def table(result):
    """The result of a case: a row for each run, and a line for each goal whose runs were measured."""
    case, rows, first = result.case, [], {}  # the first run of dmlrand that allocates its output, and that does not
    for name, run in result.runs.items():
        if run.kind == "dmlrand":
            first.setdefault(run.new_array, name)
    for name, run in result.runs.items():
        speed = result.seconds[first.get(run.new_array, next(iter(result.runs)))] / result.seconds[name]
        array = "new" if run.new_array else ""
        relative = f"{speed if case.bytes else 1 / speed:.2f}"
        rows.append((name, run.kind, array, figure(name, result), relative))
    heads = ("run", "kind", "array", "rate" if case.bytes else "time", "relative")
    better = "higher" if case.bytes else "lower"
    return "\n".join([f"\n### {case.title}: {better} is better\n", *markdown(heads, rows), *goal_lines(result)])


def goal_lines(result):
    for goal in result.case.goals:
        achieved = result.ratio(goal)
        if achieved is not None:
            verdict = "met" if achieved >= goal.ratio else "MISSED"
            names = f"{goal.run} {achieved:.3g} times as fast as {goal.references[0]}"
            yield f"goal {verdict}: {names}, goal {goal.ratio:.3g}"


def figure(name, result):
    seconds = result.seconds[name]
    if result.case.bytes:
        return f"{result.case.bytes / seconds / 1e9:.3g} GB/s"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def markdown(heads, rows):
    """A table of Markdown whose columns are aligned."""
    widths = [max(3, *(len(line[column]) for line in [heads, *rows])) for column in range(len(heads))]
    lines = ["| " + " | ".join(f"{cell:<{width}}" for cell, width in zip(row, widths)) + " |" for row in [heads, *rows]]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]
