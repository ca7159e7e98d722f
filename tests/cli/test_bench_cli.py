"""`dmlrand bench`: a table of calls beside NumPy's."""

import re

import pytest

from dmlrand.cli import bench


def test_a_row_for_each_call(run, monkeypatch):
    monkeypatch.setattr("dmlrand.kernels.replaced", lambda: ["fills"])
    monkeypatch.setattr(bench, "_seconds", lambda calls, rounds: [1e-3 * rounds, 2e-3 * rounds])
    heading, _, heads, *rows = run("bench --rounds 2").out.splitlines()
    assert re.fullmatch(r".*, \d{4}-\d\d-\d\d, dmlrand \S+, NumPy \S+", heading)
    assert heads.split() == ["one", "thread", "dmlrand", "NumPy", "times", "as", "fast"]
    assert rows[0] == f"{'words, 1 MiB; NumPy fills with zeros':<40}{'0.524 GB/s':>12}{'0.262 GB/s':>12}{'2.00':>15}"
    assert rows[-1] == "without vector code, and so slower: fills"
    assert [row[:40].rstrip() for row in rows[:-2]] == [title for _, title, *_ in bench._calls()]


def test_calls_make_the_same_number_of_bytes():
    for size, title, ours, numpys in bench._calls():
        made = [getattr(result, "values", result) for result in (ours(), numpys())]
        assert not size or all(each is None or each.nbytes == size for each in made), title


@pytest.mark.parametrize(("rounds", "expected"), [(10, 0.1), (11, 0.2)])
def test_the_10th_percentile_of_turns(monkeypatch, rounds, expected):
    seconds = iter([0.5, 0.3, 0.9, 0.1, 0.7, 0.2, 0.8, 0.4, 0.6, 1.0, 1.1])

    class Timer:
        def __init__(self, call):
            pass

        def timeit(self, count):
            return {1: 9, 10: 5e-3}.get(count) or 2 * next(seconds)  # a call lasts 0.5 ms, so a turn is 2 calls

    monkeypatch.setattr("timeit.Timer", Timer)
    assert bench._seconds([len], rounds) == [expected]


def test_no_rounds_are_refused(run):
    error = "dmlrand: error: --rounds must be at least 1; got 0.\n"
    assert run("bench --rounds 0") == (2, "", error)
