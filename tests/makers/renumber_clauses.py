"""Number the clauses of a page of specs/ in order again, with every citation of them.

    python tests/makers/renumber_clauses.py PAGE...

Before: delete clauses, and write new ones with the number 0. The program numbers the sections and clauses that are
left from 1. It changes the citations in tests (`page 3.2`), in other pages and code (`[page](page.md), clause 3`), and
inside the page (`clause 3`, `(3.2)`). It prints the citations of clauses that are gone, and lines that only a reader
can judge.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "support"))

from clauses import NUMBER, numbered

LINK = r"(?:, and |, | and | to | or )"
NUMBERS = rf"{NUMBER}(?:{LINK}{NUMBER})*"


def renumber(page):
    """The new text of a page, and a dict from the old to the new number of each clause that stays."""
    lines = page.splitlines()
    items = list(numbered(lines))
    numbers = [clause for _, _, clause in items if clause]
    through = all(a < b for a, b in zip(numbers, numbers[1:]))  # numbered through the page, not in each section
    new, section, count = {}, 0, 0
    for i, old_section, clause in items:
        if clause is None:
            section += 1
            count = count if through else 0
            lines[i] = re.sub(r"\d+", str(section), lines[i], count=1)
            continue
        count += 1
        lines[i] = re.sub(r"\d+", str(count), lines[i], count=1)
        if clause:
            old = str(clause) if through or old_section is None else f"{old_section}.{clause}"
            new[old] = str(count) if through or old_section is None else f"{section}.{count}"
    return "\n".join(lines) + "\n", new


def replace_numbers(text, new, where):
    """A list of clause numbers with each number replaced. A number that no clause has stays, and is printed."""

    def replaced(match):
        if match[0] not in new:
            print(f"{where}: cites clause {match[0]}, which is gone: {text}")
        return new.get(match[0], match[0])

    return re.sub(NUMBER, replaced, text)


def patterns_for(path, name):
    """Regular expressions whose group 2 is a list of clause numbers of the page `name`."""
    linked = rf"({name}\.md\)?,\s+(?:clauses?\s+)?)({NUMBERS})"
    if path.name == f"{name}.md":
        other = r"(?<!\.md\),\s)(?<!\.md,\s)"
        dotted = r"\d+\.\d+(?!\.?\d)"
        return [linked, rf"{other}(\bclauses?\s+)({NUMBERS})", rf"(\()({dotted}(?:{LINK}{dotted})*)(?=\))"]
    if "tests" in path.parts:
        return [linked, rf"(\b{name}\s+)({NUMBERS})"]
    return [linked, rf"(\b{name}\s+)(\d+\.\d+(?!\.?\d)(?:{LINK}\d+\.\d+(?!\.?\d))*)"]


def main(names):
    globs = ("specs/**/*.md", "README.md", "dmlrand/**/*.py", "tests/**/*.py")
    files = [path for glob in globs for path in ROOT.glob(glob)]
    for name in names:
        page = ROOT / "specs" / f"{name}.md"
        text, new = renumber(page.read_text("utf-8"))
        page.write_text(text, "utf-8")
        for path in files:
            if path == Path(__file__).resolve() or path.name in ("changes.md", "test_clauses.py"):
                continue
            before = after = path.read_text("utf-8")
            where = path.relative_to(ROOT)
            for pattern in patterns_for(where, name):
                after = re.sub(pattern, lambda m: m[1] + replace_numbers(m[2], new, where), after)
            if after != before:
                path.write_text(after, "utf-8")
            for line in after.splitlines():
                if re.search(rf"\b{name}(\.md\)?)?,? section \d", line):
                    print(f"{where}: read this line: {line.strip()}")


if __name__ == "__main__":
    main(sys.argv[1:])
