"""What many functions share is told once: specs/architecture.md, "Where a docstring tells a thing"."""

import ast
import re

import pytest
from paths import PACKAGE

import dmlrand

SOURCES = {
    path.relative_to(PACKAGE).as_posix(): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.relative_to(PACKAGE).parts[0] != "examples"
}

REPEATED = {
    "what help(dmlrand) says of wrong arguments": re.compile(r"breaks (a|another) rule above|^As in \w+\.$"),
    "what help(dmlrand) says of missing packages": re.compile(r"is not installed\.$"),
}
STATE = "array_like of uint32, shape (6,)"


def docstrings(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and ast.get_docstring(node):
            yield getattr(node, "name", ""), ast.get_docstring(node)


def entries_of_raises(docstring):
    """The entries of a section `Raises`: the head, and the text in one line."""
    section = re.search(r"^Raises\n-+\n(.*?)(?:\n\n|\Z)", docstring, re.MULTILINE | re.DOTALL)
    for entry in re.findall(r"^\S.*(?:\n +.*)*", section[1] if section else "", re.MULTILINE):
        head, *text = entry.split("\n")
        yield head, " ".join(" ".join(text).split())


def repetitions(source):
    for name, docstring in docstrings(source):
        for head, text in entries_of_raises(docstring):
            yield from (f"{name}, {head}: {what}" for what, pattern in REPEATED.items() if pattern.search(text))


@pytest.mark.parametrize("path", SOURCES)
def test_a_section_raises_lists_only_special_errors(path):
    assert list(repetitions(SOURCES[path].read_text("utf-8"))) == []


def test_the_state_is_explained_in_one_place():
    told = {
        (path, name)
        for path, source in SOURCES.items()
        for name, docstring in docstrings(source.read_text("utf-8"))
        if STATE in docstring
    }
    assert told == {("operator.py", "random_generator")}


def test_help_of_the_package_tells_what_no_function_repeats():
    for word in ("random_generator", "TypeError", "ValueError", "ImportError", "state, shape, out and threads"):
        assert word in dmlrand.__doc__


@pytest.mark.parametrize(
    "text",
    [
        "An argument breaks a rule above. Nothing was written.",
        "numba-cuda is not installed.",
        "As in uniform.",
    ],
)
def test_the_reader_of_sections_finds_repetitions(text):
    sections = f"Raises\n------\nOSError\n    The disk is full.\nValueError\n    {text}\n\nExamples\n--------\n"
    source = f"def f():\n    {('Draw.' + chr(10) * 2 + sections)!r}"
    assert len(list(repetitions(source))) == 1
    assert len(list(entries_of_raises(next(docstrings(source))[1]))) == 2
