"""The benchmark: its estimate of a time, and that each of its cases runs."""

import pytest
import run as bench
from bench_cases import cases
from measurement import OURS, Case, Goal, Run, measure
from optional_backends import skip_without
from tables import table


class Machine:
    """A processor on paper. Our thread works for 4 ms. Then other work has the processor for `pause` seconds."""

    def __init__(self, pause=0.0):
        self.pause, self.worked, self.waited = pause, 0.0, 0.0

    def clock(self):
        return self.worked + self.waited

    def run(self, seconds):
        """A run that works for some time."""

        def call():
            before = self.worked // 4e-3
            self.worked += seconds
            self.waited += (self.worked // 4e-3 - before) * self.pause

        return Run(call)

    def measure(self, runs, rounds, goals=()):
        return measure(Case("x", "on paper", 0, lambda: runs, goals, self.clock), rounds)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    """The pauses let threads of other packages end. Here there are none."""
    monkeypatch.setattr("measurement.PAUSE_SECONDS", 0)


@pytest.mark.parametrize("pause", [0.0, 4e-3, 20e-3])
@pytest.mark.parametrize("seconds", [1e-6, 45e-6, 0.4e-3, 1.3e-3])
def test_other_work_does_not_move_a_figure(pause, seconds):
    """The estimate of a call is its time without other work, however much other work there is."""
    machine = Machine(pause)
    result = machine.measure({"a": machine.run(seconds)}, rounds=100)
    assert result.seconds["a"] == pytest.approx(seconds, rel=1e-6)


def test_a_table_shows_figures_relative_to_ours_and_goals():
    machine = Machine()
    runs = {OURS: machine.run(2e-6), "other": machine.run(5e-6)._replace(kind="other")}
    lines = table(machine.measure(runs, 20, (Goal(OURS, ("other",), 2), Goal(OURS, ("other",), 3)))).splitlines()
    assert lines[3:] == [
        "| run     | kind    | array | time | relative |",
        "|---------|---------|-------|------|----------|",
        "| dmlrand | dmlrand |       | 2 us | 1.00     |",
        "| other   | other   |       | 5 us | 2.50     |",
        "goal met: dmlrand 2.5 times as fast as other, goal 2",
        "goal MISSED: dmlrand 2.5 times as fast as other, goal 3",
    ]


SMALL = [case for case in cases() if case.bytes < 1 << 26]
OF_PROCESSES = [case for case in SMALL if case.title.startswith("a process")]  # each starts some for many seconds


@pytest.mark.parametrize(
    "case",
    [pytest.param(each, marks=pytest.mark.slow if each in OF_PROCESSES else pytest.mark.costly) for each in SMALL],
    ids=lambda case: case.title,
)
def test_each_case_runs(case):
    if case.group in ("webgpu", "cuda"):
        skip_without(case.group)
    printed = []
    bench.measure_all([case], rounds=1, report=printed.append)
    assert case.title in printed[0] and "not measured" not in printed[0]
