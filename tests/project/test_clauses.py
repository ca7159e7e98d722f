"""Each numbered clause of specs/ is cited by a test, and each citation names a clause that exists."""

from clauses import CLAUSES, citations

# No test can prove these: versions of others, and chances of events that were never seen.
UNTESTABLE = {"torch 5.1", "tensorflow 14"}

EXISTING = {f"{page} {clause}" for page, clauses in CLAUSES.items() for clause in clauses}


def test_clauses_and_citations_match():
    cited = set(citations())
    uncited = sorted(EXISTING - cited - UNTESTABLE)
    assert uncited == [], "cite `page N` in the docstring of the test that proves clause N; write one if none does"
    assert sorted((cited | UNTESTABLE) - EXISTING) == [], "these clauses do not exist"


def test_clauses_are_numbered_in_order():
    for page, clauses in CLAUSES.items():
        assert len(set(clauses)) == len(clauses) > 0, page
        assert clauses == sorted(clauses, key=lambda clause: [int(part) for part in clause.split(".")]), page
