"""`dmlrand bench`: a table of calls beside NumPy's."""

import re

from dmlrand.cli import bench, main


def test_a_row_for_each_call(capsys, monkeypatch):
    monkeypatch.setattr("dmlrand.kernels.replaced", lambda: [])  # it compiles all vector code
    assert main(["bench", "--rounds", "1"]) == 0
    heading, _, heads, *rows = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r".*, \d{4}-\d\d-\d\d, dmlrand \S+, NumPy \S+", heading)
    assert heads.split() == ["one", "thread", "dmlrand", "NumPy", "times", "as", "fast"]
    figure = r"\s+[\d.e+-]+ (GB/s|us)"
    assert [re.sub(rf"{figure}{figure}\s+[\d.]+$", "", row) for row in rows] == [
        title for _, title, *_ in bench._calls()
    ]


def test_calls_make_the_same_number_of_bytes():
    for size, title, ours, numpys in bench._calls():
        made = [getattr(result, "values", result) for result in (ours(), numpys())]
        assert not size or all(each is None or each.nbytes == size for each in made), title


def test_the_10th_percentile_of_turns(monkeypatch):
    seconds = iter([0.5, 0.3, 0.9, 0.1, 0.7, 0.2, 0.8, 0.4, 0.6, 1.0, 1.1])

    class Timer:
        def __init__(self, call):
            pass

        def timeit(self, count):
            return {1: 9, 10: 5e-3}.get(count) or 2 * next(seconds)  # a call lasts 0.5 ms, so a turn is 2 calls

    monkeypatch.setattr("timeit.Timer", Timer)
    assert bench._seconds([len], 11) == [0.2]


def test_no_rounds_are_refused(capsys):
    assert main(["bench", "--rounds", "0"]) == 2
    assert (
        capsys.readouterr().err == "dmlrand: error: --rounds must be at least 1; got 0. Leave it out for the default.\n"
    )
