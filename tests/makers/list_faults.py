"""Write the names of faults in the tables of specs/verify.md, section 3, from the code of dmlrand.verification.

    python tests/makers/list_faults.py

A name stays in its row. One that the code no longer gives goes. A new one gets a row at the end, for you to move or to
complete. Of names that differ in numbers only, the first is listed. The tests demand that the page is as this program
writes it.
"""

import ast
import re
from pathlib import Path

import dmlrand.verification
from dmlrand.verification.generators import fault_models
from dmlrand.verification.generators.constants import CONSTANTS, constant_model
from dmlrand.verification.generators.variants import Rounds

PAGE = Path(__file__).resolve().parents[2] / "specs" / "verify.md"
NAME = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+"
ROW = re.compile(rf"( *\| .+ \| )({NAME}(?:, {NAME})*) \|")
NOT_IN_TABLES = {"another-algorithm", "other-numbers"}  # clauses 3.8 and 1.4
NEW = "   | (write here what you did) | "


def given_names():
    """The names that the code can give, without those that differ from one before in numbers only."""
    models = list(_of_models())
    literals = {name for name in _of_literals() - NOT_IN_TABLES if f"input-{name}" not in models}
    names = {}
    for name in (*models, *sorted(literals)):
        names.setdefault(re.sub(r"\d+", "#", name), name)
    return set(names.values())


def _of_models():
    families = fault_models.counting_faults, fault_models.reading_faults
    families += fault_models.round_faults, fault_models.wiring_faults
    for models in (fault_models.WORD_FAULT_MODELS, fault_models.STATE_FAULT_MODELS, *(family() for family in families)):
        yield from (model.name for model in models)
    yield from (constant_model(name, 0, Rounds()).name for name in CONSTANTS)


def _of_literals():
    """The names that are written out in the code, and those that begin with the unit, as f"{unit}s-moved"."""
    found, parts = set(), set()
    for path in Path(dmlrand.verification.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts.update(node.values)
                text = "".join(part.value if isinstance(part, ast.Constant) else "word" for part in node.values)
                found.update({text} if text.startswith("words-") else ())
            elif isinstance(node, ast.Constant) and node not in parts:
                found.add(str(node.value))
    return {text for text in found if re.fullmatch(NAME, text)}


def written(page):
    """The text of the page with the names of the code in its tables."""
    new, lines = given_names(), []
    for line in page.splitlines(keepends=True):
        if row := ROW.fullmatch(line.rstrip()):
            kept = [name for name in row[2].split(", ") if name in new]
            new -= set(kept)
            line = f"{row[1]}{', '.join(kept)} |\n" if kept else ""
        lines.append(line)
    last = max(i for i, line in enumerate(lines) if ROW.fullmatch(line.rstrip()))
    lines[last + 1 : last + 1] = [f"{NEW}{name} |\n" for name in sorted(new)]
    return "".join(lines)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
