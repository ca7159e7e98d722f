"""Write the figures of specs/performance.md: all goals of two runs, and the tables of the first run for 1 MiB and 8
numbers.

Run it with the files that hold the printed output of two runs of `dmlrand bench --goals`, on a machine without other
work.
"""

import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "specs" / "performance.md"
TABLES = ("bits, 1 MiB", "uniform ", "int32 in a range", "normal ", "one call for 8")


def sections(path):
    """The heading of a run, its tables by their titles, and the lines after the last table."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    printed = "\n".join(line for line in lines if not line.endswith("all turns count."))
    heading, *tables = printed.split("\n### ")
    named = {table.partition("\n")[0]: f"### {table.strip()}\n" for table in tables}
    return "\n".join(heading.splitlines()[:2]) + "\n", named


def page(first, second):
    text = PAGE.read_text(encoding="utf-8").partition("## First run\n")[0]
    for name, path in ("First", first), ("Second", second):
        heading, tables = sections(path)
        (goals,) = (table for title, table in tables.items() if title.endswith("goals met"))
        shown = [table for title, table in tables.items() if title.startswith(TABLES) and "threads" not in title]
        text += "\n".join([f"## {name} run\n", heading, goals, *(shown if name == "First" else [])])
        text += "\n" if name == "First" else ""
    return text


if __name__ == "__main__":
    PAGE.write_text(page(*sys.argv[1:]), encoding="utf-8")
