"""`dmlrand bench`: who competes, that each does the work it is said to do, and what is made of the timings."""

import json
import os
from itertools import count

import pytest

from dmlrand import bench
from dmlrand.bench.contests import Contest, Goal, contests
from dmlrand.cli import main


def fake(seconds, goals=()):
    """A contest whose clock is its own: each entry's calls take the seconds given, and nothing is measured."""
    return bench.Result(
        Contest("bits", "made up", 10**9, dict, goals), {n: bench.Timing(s, 0.1) for n, s in seconds.items()}
    )


def test_ratios_goals_and_tables():
    goals = (Goal("ours", "peer", 2), Goal("ours", "peer", 5), Goal("ours", "absent", 9))
    result = fake({"ours": 0.5, "peer": 2.0}, goals)
    assert [bench.ratio(goal, result) for goal in goals] == [4.0, 4.0, None]
    assert [bench.goal_met(goal, result) for goal in goals] == [True, False, True]
    table = bench.table(result)
    assert "2.00 GB/s" in table and "0.50 GB/s" in table and "4.00x, met" in table and "4.00x, MISSED" in table
    assert "absent" not in table


def test_every_entry_takes_its_turn_in_every_round():
    order, number = [], count()
    contest = Contest("x", "turns", 0, lambda: {name: lambda n=name: order.append((n, next(number))) for name in "ab"})
    result = bench.hold(contest, rounds=3)
    assert list(result.timings) == ["a", "b"]
    changes = sum(before != after for (before, _), (after, _) in zip(order, order[1:]))
    assert changes >= 1 + 5  # a, b to calibrate; then ababab
    assert all(timing.seconds > 0 for timing in result.timings.values())


@pytest.mark.parametrize(
    "contest", [c for c in contests() if c.group not in ("start-up",) and c.bytes <= 1 << 20], ids=lambda c: c.title
)
def test_entries_run(contest):
    entries = contest.prepare()
    for goal in contest.goals:
        assert goal.entry in entries
    for function in entries.values():
        function()
    assert next(iter(entries)) in ("dmlrand", "contiguous", "every second")


def test_one_command_measures_and_writes(tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="the picture needs the extra plot")
    code = main(
        [
            "bench",
            "--only",
            "windows",
            "--rounds",
            "2",
            "--json",
            str(tmp_path / "b.json"),
            "--plot",
            str(tmp_path / "b.png"),
        ]
    )
    assert code == 0
    assert "rows of 64" in capsys.readouterr().out
    (contest,) = json.loads((tmp_path / "b.json").read_text())["contests"]
    assert set(contest["seconds"]) == {"contiguous", "rows of 1024", "rows of 64"}
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("option", ["--json", "--plot"])
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("absent/b.png", "[Errno 2] No such file or directory: 'absent/b.png'"),
        ("folder.png", "path must name a regular file, or nothing yet; got '{}/folder.png', which is something else. "),
    ],
)
def test_a_path_that_cannot_be_written_is_refused_before_the_contests(
    tmp_path, monkeypatch, capsys, option, path, message
):
    pytest.importorskip("matplotlib", reason="the picture needs the extra plot")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.png").mkdir()
    monkeypatch.setattr("dmlrand.bench.run", None)
    assert main(["bench", option, path]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("dmlrand: error: " + message.format(os.path.realpath(tmp_path)))


def test_an_unknown_group_is_refused(capsys):
    assert main(["bench", "--only", "bits,bitz"]) == 2
    assert "--only must name groups" in capsys.readouterr().err


def test_no_rounds_are_refused_before_anything_is_printed(capsys):
    assert main(["bench", "--rounds", "0"]) == 2
    assert capsys.readouterr() == ("", "dmlrand: error: --rounds must be at least 1; got 0.\n")


def test_an_unknown_group_is_refused_before_anything_is_printed(capsys):
    assert main(["bench", "--only", "nonsense"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("dmlrand: error: ") and "nonsense" in err
