"""Each numbered clause of specs/ is cited by a test, and each citation names a clause that exists."""

import pytest
from clauses import CLAUSES, citations, cited, clauses_of

# Clauses that no test can prove, with the reason. A clause that promises something does not belong here: write a test.
UNTESTABLE = {
    "torch 5.1": "says for which versions and devices of others the layouts are",
    "tensorflow 14": "bounds the chance of an event that was never seen",
}

EXISTING = {f"{page} {clause}" for page, clauses in CLAUSES.items() for clause in clauses}


@pytest.fixture(scope="module")
def all_citations():
    return list(citations())


@pytest.fixture(scope="module")
def all_cited(all_citations):
    return {f"{page} {clause}" for page, clause, _, _ in all_citations}


def test_every_clause_is_cited_by_a_test(all_cited):
    uncited = sorted(EXISTING - all_cited - UNTESTABLE.keys())
    assert uncited == [], "cite `page N` in the docstring of the test that proves clause N; write one if none does"


def test_every_citation_names_a_clause(all_citations):
    wrong = [
        f"{path}:{line}: {page} {clause}"
        for page, clause, path, line in all_citations
        if f"{page} {clause}" not in EXISTING
    ]
    assert wrong == []


def test_untestable_clauses_exist_and_are_not_cited(all_cited):
    assert UNTESTABLE.keys() <= EXISTING
    assert not UNTESTABLE.keys() & all_cited


def test_clauses_are_numbered_in_order():
    for page, clauses in CLAUSES.items():
        assert len(set(clauses)) == len(clauses) > 0, page
        assert clauses == sorted(clauses, key=lambda clause: [int(part) for part in clause.split(".")]), page


def test_clauses_of_reads_numbers_of_pages_and_of_sections():
    assert clauses_of("## 1. A\n\n1. one\n2. two\n\n## 2. B\n\n1. one\n") == ["1.1", "1.2", "2.1"]
    assert clauses_of("## 1. A\n\n1. one\n2. two\n   of\n10 lines\n\n## 2. B\n\n3. three\n") == ["1", "2", "3"]


@pytest.mark.parametrize(
    "text, found",
    [
        ("kernels 2", ["kernels 2"]),
        ("kernels 2: a reason, and 3 more", ["kernels 2"]),
        ("kernels 2, 3 and 5", ["kernels 2", "kernels 3", "kernels 5"]),
        ("operator 1.2 and 3.4; kernels 4: they", ["operator 1.2", "operator 3.4", "kernels 4"]),
        ("words 11 to 13", ["words 11", "words 12", "words 13"]),
        ("openvino 3.1 to 3.3, 5.1", ["openvino 3.1", "openvino 3.2", "openvino 3.3", "openvino 5.1"]),
        ("dask 2026.8.0, and state 12345.6.7", []),
        ("a state of 6 words", []),
    ],
)
def test_cited_finds_every_citation(text, found):
    assert [f"{page} {clause}" for page, clause in cited(text)] == found
