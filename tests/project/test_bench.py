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

    def run(self, seconds, calls=None, name=""):
        """A run that works for some time. It adds its name to `calls`."""

        def call():
            before = self.worked // 4e-3
            self.worked += seconds
            self.waited += (self.worked // 4e-3 - before) * self.pause
            if calls is not None:
                calls.append(name)

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


def test_turns_of_1_ms_after_a_call_that_is_not_timed():
    machine, calls = Machine(), []
    machine.measure({"a": machine.run(10e-6, calls)}, rounds=7)
    assert len(calls) == 1 + (1 + 4 + 16 + 64) + 7 * (1 + 100)  # compiles; finds 100 calls; turns


def test_runs_take_turns_in_changing_orders():
    machine, calls = Machine(), []
    runs = {name: machine.run(1.5e-3, calls, name) for name in "abc"}
    assert list(machine.measure(runs, rounds=20).seconds) == ["a", "b", "c"]
    rounds = ["".join(calls[6 + 6 * i : 12 + 6 * i : 2]) for i in range(20)]
    assert all(sorted(each) == ["a", "b", "c"] for each in rounds) and len(set(rounds)) > 3


def test_a_run_of_long_calls_has_fewer_turns():
    """15 at least, and no more after a second."""
    machine, calls = Machine(), []
    machine.measure({"a": machine.run(1 / 32, calls, "a"), "b": machine.run(1 / 4, calls, "b")}, rounds=100)
    assert (calls.count("a") - 2, calls.count("b") - 2) == (32, 15)  # one call compiles, one is measured


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
