"""The numbered clauses of specs/, and the citations of them in the tests' docstrings and comments."""

import ast
import re

from paths import SPECS, TESTS

NUMBER = r"\d+(?:\.\d+)?(?!\.?\d)"
LINK = r"(?:, and |, | and | to )"


def numbered(lines):
    """(line number, section, clause) of each section heading (clause None) and clause, with the numbers as written."""
    section = None
    for i, line in enumerate(lines):
        if heading := re.match(r"## (\d+)\.", line):
            section = int(heading[1])
            yield i, section, None
        elif line.startswith("## "):
            section = None
        elif clause := re.match(r"(\d+)\. ", line):
            yield i, section, int(clause[1])


def clauses_of(page):
    """The clause numbers of a page as tests cite them: "2", or "1.2" if each section numbers its clauses from 1."""
    found = [(section, clause) for _, section, clause in numbered(page.splitlines()) if clause]
    numbers = [clause for _, clause in found]
    if numbers == list(range(1, len(numbers) + 1)):  # numbered through the page
        return [str(number) for number in numbers]
    return [f"{section}.{number}" for section, number in found]


# These pages describe, and promise nothing.
WITHOUT_CLAUSES = {"architecture", "changes", "names", "performance", "proofs"}
PAGES = [path for path in sorted(SPECS.glob("*.md")) if path.stem not in WITHOUT_CLAUSES]
CLAUSES = {path.stem: clauses_of(path.read_text(encoding="utf-8")) for path in PAGES}


def prose_of(source):
    """The docstrings and comments of a module."""
    yield from re.findall("#.*", source)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            yield ast.get_docstring(node, clean=False) or ""


def cited(text, pages=tuple(CLAUSES)):
    """(page, clause) for each clause that a text cites, as in `kernels 2 and 3`, `bulk 5.1, 5.2` or `words 11 to
    13`."""
    for page, numbers in re.findall(rf"\b({'|'.join(pages)}) ({NUMBER}(?:{LINK}{NUMBER})*)", " ".join(text.split())):
        before = None
        for link, number in re.findall(rf"({LINK})?({NUMBER})", numbers):
            if link == " to " and before:
                head, _, last = number.rpartition(".")
                first = int(before.rpartition(".")[2])
                yield from ((page, f"{head}.{i}" if head else str(i)) for i in range(first + 1, int(last)))
            yield page, number
            before = number


def citations():
    """The clauses that the tests cite, as `kernels 2`."""
    for path in sorted(TESTS.rglob("test_*.py")):
        for text in prose_of(path.read_text("utf-8")):
            yield from (f"{page} {clause}" for page, clause in cited(text))
