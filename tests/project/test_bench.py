"""The benchmark: its estimate of a time, and that each of its cases runs."""

import sys
import time

import pytest
import run as bench
from bench_case import OURS, Case, Clocks, Run
from bench_cases import cases
from measurement import _time, measure, summary
from optional_backends import skip_without


class Machine:
    """A processor on paper. Its clocks move only while a run works, and while other work has the processor.

    Our thread works for `slice` seconds. Then other work has the processor for `pause` seconds.
    """

    def __init__(self, slice=4e-3, pause=0.0):
        self.slice, self.pause = slice, pause
        self.worked = self.waited = self.helped = 0.0
        self.clocks = Clocks(lambda: self.worked + self.waited, lambda: self.worked, lambda: self.worked + self.helped)

    def run(self, seconds, threads=1, kind=OURS):
        """A run that works for some time with one thread. Further threads work beside it."""

        def call():
            before = self.worked // self.slice
            self.worked += seconds
            self.helped += (threads - 1) * seconds
            self.waited += (self.worked // self.slice - before) * self.pause

        return Run(call, kind)

    def case(self, runs, **more):
        return Case("x", "on paper", 0, lambda: runs, clocks=self.clocks, **more)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    """The pauses let threads of other packages end. Here there are none."""
    monkeypatch.setattr("measurement.PAUSE_SECONDS", 0)


# Measuring


@pytest.mark.parametrize("pause", [0.0, 4e-3, 20e-3], ids=lambda pause: f"{pause / (4e-3 + pause):.0%}")
@pytest.mark.parametrize("seconds", [1e-6, 45e-6, 0.4e-3, 1.3e-3, 2.1e-3, 30e-3])
def test_other_work_does_not_move_a_figure(pause, seconds):
    """The estimate of a call is its time without other work, however much other work there is."""
    machine = Machine(pause=pause)
    result = measure(machine.case({"a": machine.run(seconds)}), rounds=100)
    timing = result.timings["a"]
    assert timing.seconds == pytest.approx(seconds, rel=1e-6)
    assert timing.waited == pytest.approx(pause / (4e-3 + pause), abs=0.03)  # a run of the last slice may be missing
    assert timing.threads == 1


def test_long_turns_would_move_with_other_work():
    """With turns of 20 ms the figure is twice the time of the call."""
    machine = Machine(pause=4e-3)
    call = machine.run(45e-6).call
    samples = [_time(call, 444, machine.clocks) for _ in range(100)]
    assert summary(samples, Run(call)).seconds > 1.9 * 45e-6


def test_turns_of_1_ms_after_a_call_that_is_not_timed():
    machine, counted = Machine(), []
    run = machine.run(10e-6)
    result = measure(machine.case({"a": Run(lambda: (counted.append(1), run.call()))}), rounds=7)
    assert len(result.timings["a"].samples) == 7
    assert len(counted) == 1 + (1 + 4 + 16 + 64) + 7 * (1 + 100)  # compiles; finds 100 calls; turns


def test_the_10th_percentile():
    samples = [(each / 1024,) * 3 for each in (0.5, 0.3, 0.9, 0.1, 0.7, 0.2, 0.8, 0.4, 0.6, 1.0, 1.1)]
    assert summary(samples, Run(print)).seconds == 0.2 / 1024
    assert summary(samples[:1], Run(print)).seconds == 0.5 / 1024


def test_runs_take_turns_in_changing_orders():
    machine, order = Machine(), []
    runs = {name: machine.run(1.5e-3) for name in "abc"}
    runs = {name: Run(lambda name=name, run=run: (order.append(name), run.call())) for name, run in runs.items()}
    result = measure(machine.case(runs), rounds=20)
    assert list(result.timings) == ["a", "b", "c"]
    rounds = ["".join(order[6 + 6 * i : 12 + 6 * i : 2]) for i in range(20)]
    assert all(sorted(each) == ["a", "b", "c"] for each in rounds) and len(set(rounds)) > 3


def test_a_run_of_long_calls_has_fewer_turns():
    """15 at least, and no more after a second."""
    machine = Machine()
    result = measure(machine.case({"a": machine.run(1 / 32), "b": machine.run(1 / 4)}), rounds=100)
    assert [len(timing.samples) for timing in result.timings.values()] == [32, 15]
    result = measure(machine.case({"a": machine.run(1 / 4)}), rounds=2)
    assert len(result.timings["a"].samples) == 2


def test_threads_are_measured():
    """Long calls of several threads are measured in wall time, unless the case says otherwise."""
    machine = Machine()
    runs = {"one": machine.run(30e-3), "two": machine.run(30e-3, threads=2)}
    timings = measure(machine.case(runs), rounds=15).timings
    assert [timings[name].threads for name in runs] == pytest.approx([1, 2])
    assert [timings[name].seconds for name in runs] == pytest.approx([30e-3, 30e-3])
    timings = measure(machine.case(runs, processor_time=True), rounds=15).timings
    assert [timings[name].seconds for name in runs] == pytest.approx([30e-3, 60e-3])


def test_threads_that_spin_after_another_run_do_not_count():
    """The calling thread had the processor for 0.6 of the time; in some turns a thread of another run span."""
    samples = [(1e-3, 0.6e-3, 0.6e-3 + spin) for spin in (0, 0, 0, 1e-3, 0.8e-3)]
    timing = summary(samples, Run(print))
    assert timing.waited == pytest.approx(0.4) and timing.threads == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows counts processor time in large steps")
def test_a_real_run_that_waits_says_so():
    case = Case("x", "waits", 0, lambda: {"waits": Run(work_and_wait)})
    timing = measure(case, rounds=2).timings["waits"]
    assert timing.waited > 0.5 and timing.threads == 1 and timing.seconds < 0.1


def work_and_wait():
    """10 ms of processor time, and 100 ms without."""
    end = time.process_time() + 0.01
    while time.process_time() < end:
        pass
    time.sleep(0.1)


@pytest.mark.costly
@pytest.mark.parametrize("case", [case for case in cases() if case.bytes < 1 << 26], ids=lambda case: case.title)
def test_each_case_runs(case):
    if case.group in ("webgpu", "cuda"):
        skip_without(case.group)
    printed = []
    bench.measure_all([case], rounds=1, goals=True, report=printed.append)
    assert case.title in printed[-1] and "not measured" not in printed[-1]
