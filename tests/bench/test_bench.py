"""`dmlrand bench`: its cases and runs, and how timings become tables, goals and charts. specs/bench.md"""

import json
import os
import subprocess
import sys
import time
from importlib.metadata import version

import numpy as np
import pytest
from optional_backends import skip_without
from paths import PACKAGE_PARENT
from waiting import LIMIT as SECONDS

import dmlrand
from dmlrand import bench
from dmlrand.bench import limits, measurement, reference_packages, start_up
from dmlrand.bench.case import CLOCKS, LIMIT, OTHER, OURS, WALL_CLOCKS, Case, Clocks, Goal, Run
from dmlrand.bench.cases import cases
from dmlrand.bench.measurement import Result, Timing, relative_to, summary
from dmlrand.bench.tables import goals_table, table, warnings
from dmlrand.cli import main
from dmlrand.webgpu.devices import default_device


def fake(seconds, goals=(), bytes=10**9, waited=0.0, **more):
    """A result without a measurement."""
    timings = {name: Timing(time, waited, 1.0, [], **more) for name, time in seconds.items()}
    return Result(Case("bits", "made up", bytes, dict, goals), timings)


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
    monkeypatch.setattr(measurement, "PAUSE_SECONDS", 0)


# Measuring


@pytest.mark.parametrize("pause", [0.0, 4e-3, 20e-3], ids=lambda pause: f"{pause / (4e-3 + pause):.0%}")
@pytest.mark.parametrize("seconds", [1e-6, 45e-6, 0.4e-3, 1.3e-3, 2.1e-3, 30e-3])
def test_other_work_does_not_move_a_figure(pause, seconds):
    """bench 1: the estimate of a call is its time without other work, however much other work there is."""
    machine = Machine(pause=pause)
    result = bench.measure(machine.case({"a": machine.run(seconds)}), rounds=100)
    timing = result.timings["a"]
    assert timing.seconds == pytest.approx(seconds, rel=1e-6)
    assert timing.waited == pytest.approx(pause / (4e-3 + pause), abs=0.03)  # a run of the last slice may be missing
    assert timing.threads == 1


def test_long_turns_would_move_with_other_work():
    """bench 1: why turns are short. With turns of 20 ms the figure is twice the time of the call."""
    machine = Machine(pause=4e-3)
    call = machine.run(45e-6).call
    samples = [measurement._time(call, 444, machine.clocks) for _ in range(100)]
    assert summary(samples, Run(call)).seconds > 1.9 * 45e-6


def test_turns_of_1_ms_after_a_call_that_is_not_timed():
    """bench 1"""
    machine, counted = Machine(), []
    run = machine.run(10e-6)
    result = bench.measure(machine.case({"a": Run(lambda: (counted.append(1), run.call()))}), rounds=7)
    assert len(result.timings["a"].samples) == 7
    assert len(counted) == 1 + (1 + 4 + 16 + 64) + 7 * (1 + 100)  # compiles; finds 100 calls; turns


def test_the_10th_percentile():
    """bench 1"""
    samples = [(each / 1024,) * 3 for each in (0.5, 0.3, 0.9, 0.1, 0.7, 0.2, 0.8, 0.4, 0.6, 1.0, 1.1)]
    assert summary(samples, Run(print)).seconds == 0.2 / 1024
    assert summary(samples[:1], Run(print)).seconds == 0.5 / 1024


def test_runs_take_turns_in_changing_orders():
    """bench 1"""
    machine, order = Machine(), []
    runs = {name: machine.run(1.5e-3) for name in "abc"}
    runs = {name: Run(lambda name=name, run=run: (order.append(name), run.call())) for name, run in runs.items()}
    result = bench.measure(machine.case(runs), rounds=20)
    assert list(result.timings) == ["a", "b", "c"]
    rounds = ["".join(order[6 + 6 * i : 12 + 6 * i : 2]) for i in range(20)]
    assert all(sorted(each) == ["a", "b", "c"] for each in rounds) and len(set(rounds)) > 3


def test_a_run_of_long_calls_has_fewer_turns():
    """bench 1: 15 at least, and no more after a second."""
    machine = Machine()
    result = bench.measure(machine.case({"a": machine.run(1 / 32), "b": machine.run(1 / 4)}), rounds=100)
    assert [len(timing.samples) for timing in result.timings.values()] == [32, 15]
    result = bench.measure(machine.case({"a": machine.run(1 / 4)}), rounds=2)
    assert len(result.timings["a"].samples) == 2


def test_threads_are_measured():
    """bench 2 and 9: long calls of several threads are measured in wall time, unless the case says otherwise."""
    machine = Machine()
    runs = {"one": machine.run(30e-3), "two": machine.run(30e-3, threads=2)}
    timings = bench.measure(machine.case(runs), rounds=15).timings
    assert [timings[name].threads for name in runs] == pytest.approx([1, 2])
    assert [timings[name].seconds for name in runs] == pytest.approx([30e-3, 30e-3])
    timings = bench.measure(machine.case(runs, processor_time=True), rounds=15).timings
    assert [timings[name].seconds for name in runs] == pytest.approx([30e-3, 60e-3])


def test_threads_that_spin_after_another_run_do_not_count():
    """bench 2: the calling thread had the processor for 0.6 of the time; in some turns a thread of another run span."""
    samples = [(1e-3, 0.6e-3, 0.6e-3 + spin) for spin in (0, 0, 0, 1e-3, 0.8e-3)]
    timing = summary(samples, Run(print))
    assert timing.waited == pytest.approx(0.4) and timing.threads == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows counts processor time in large steps")
def test_a_real_run_that_waits_says_so():
    """bench 2 and 9"""
    case = Case("x", "waits", 0, lambda: {"waits": Run(work_and_wait)})
    timing = bench.measure(case, rounds=2).timings["waits"]
    assert timing.waited > 0.5 and timing.threads == 1 and timing.seconds < 0.1


def work_and_wait():
    """10 ms of processor time, and 100 ms without."""
    end = time.process_time() + 0.01
    while time.process_time() < end:
        pass
    time.sleep(0.1)


@pytest.mark.costly
def test_the_compiled_kernels_are_measured():
    """bench 5"""
    script = """
import sys
from dmlrand import bench, make_state, random_generator
from dmlrand.bench.case import Case, Run
draw = lambda: random_generator(make_state(), 8)
draw()
assert "numba" not in sys.modules
bench.measure_all([Case("x", "x", 0, lambda: {"x": Run(draw)})], rounds=1, report=str)
print("numba" in sys.modules)
"""
    for choice, printed in ("", "True\n"), ("numpy", "False\n"):
        environment = os.environ | {"PYTHONPATH": PACKAGE_PARENT, "DMLRAND_KERNELS": choice}
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=True)
        assert done.stdout == printed


# Goals


def test_ratios_and_goals():
    """bench 7"""
    slowest = Goal("ours", ("fast", "slow"), 0.9)
    goals = (Goal("ours", ("slow",), 2), Goal("ours", ("slow",), 5), Goal("ours", ("absent",), 9), slowest)
    result = fake({"ours": 0.5, "slow": 2.0, "fast": 0.1}, goals)
    assert [bench.ratio(goal, result) for goal in goals] == [4.0, 4.0, None, 4.0]
    assert [bench.goal_met(goal, result) for goal in goals] == [True, False, True, True]
    assert bench.ratio(Goal("ours", ("slow", "absent"), 1), result) is None
    assert goals_table([result]) == (
        "\n### 2 of 3 goals met\n\n"
        "| case    | run          | compared with  | ratio |         goal |        |\n"
        "|---------|--------------|----------------|------:|-------------:|-------:|\n"
        "| made up | ours: 2 GB/s | slow: 0.5 GB/s |     4 |   at least 2 |    met |\n"
        "| made up | ours: 2 GB/s | slow: 0.5 GB/s |     4 |   at least 5 | MISSED |\n"
        "| made up | ours: 2 GB/s | slow: 0.5 GB/s |     4 | at least 0.9 |    met |"
    )


def test_goals_of_times():
    """bench 7"""
    result = fake({"numpy": 2.0, "ours": 3.0}, (Goal("ours", ("numpy",), 1 / 1.6),), bytes=0)
    last = goals_table([result]).splitlines()[-1]
    assert last == "| made up | ours: 3 s | numpy: 2 s    |   1.5 | at most 1.6 | met |"


def test_a_case_that_misses_a_goal_is_measured_again():
    """bench 7: all turns count, and the output says so. Only with goals=True."""
    speed = iter([2.0] * 100 + [1.0] * 100)  # a processor that is slow at first
    machine = Machine()

    def slow_at_first():
        machine.run(1e-3 * next(speed)).call()

    def measured(goals):
        runs = {"ours": Run(slow_at_first), "other": machine.run(1.5e-3, kind=OTHER)}
        case = machine.case(runs, goals=(Goal("ours", ("other",), 1),))
        printed = []
        (result,) = bench.measure_all([case], rounds=9, goals=goals, report=printed.append)
        return result, printed

    result, (shown,) = measured(goals=False)
    assert result.measurements == 1 and "again" not in shown and "measured" not in shown
    result, (said, shown) = measured(goals=True)
    assert said == "\non paper: a goal was missed. The case is measured again, and all turns count."
    assert shown.startswith("\n### on paper: lower is better, measured 2 times\n")
    assert [len(timing.samples) for timing in result.timings.values()] == [18, 18]


# Tables


def test_a_table_of_rates():
    """bench 2 and 9: a run with a new array is compared with dmlrand's run with a new array."""
    result = fake({"ours": 0.5, "ours, new": 0.8, "other": 2.0, "limit": 0.25})
    result.timings["ours, new"] = Timing(0.8, 0.1, 1.0, [], OURS, new_array=True)
    result.timings["other"] = Timing(2.0, 0.0, 3.62, [], OTHER, new_array=True)
    result.timings["limit"] = Timing(0.25, 0.004, 1.0, [], LIMIT)
    assert table(result) == (
        "\n### made up: higher is better\n\n"
        "| run       | kind    | array |      rate |   time | relative | waited | threads |\n"
        "|-----------|---------|-------|----------:|-------:|---------:|-------:|--------:|\n"
        "| ours      | dmlrand |       |    2 GB/s | 500 ms |     1.00 |     0% |     1.0 |\n"
        "| ours, new | dmlrand | new   | 1.25 GB/s | 800 ms |     1.00 |    10% |     1.0 |\n"
        "| other     | other   | new   |  0.5 GB/s |    2 s |     0.40 |     0% |     3.6 |\n"
        "| limit     | limit   |       |    4 GB/s | 250 ms |     2.00 |     0% |     1.0 |"
    )


def test_a_table_of_times_of_a_busy_machine():
    """bench 2"""
    assert table(fake({"numpy": 2e-6, "ours": 3e-6}, bytes=0, waited=0.11)) == (
        "\n### made up: lower is better\n\n"
        "| run   | kind    | array | time | relative | waited | threads |\n"
        "|-------|---------|-------|-----:|---------:|-------:|--------:|\n"
        "| numpy | dmlrand |       | 2 us |     1.00 |    11% |     1.0 |\n"
        "| ours  | dmlrand |       | 3 us |     1.50 |    11% |     1.0 |\n"
        "\nthe machine was busy: measure again"
    )


def test_what_makes_results_doubtful():
    """bench 2 and 3"""
    quiet, busy = fake({"a": 1.0}, waited=0.1), fake({"a": 1.0}, waited=0.11)
    assert warnings([quiet, fake({"a": 1.0}, waited=0.9, kind=OTHER)]) == []
    assert warnings([quiet, busy]) == ["In 1 of 2 cases the machine was busy: measure again."]
    words = 1 << 18
    rounds = {seconds: fake({"rounds alone": seconds}, rounds_of=words) for seconds in (40e-6, 43e-6, 44.1e-6)}
    assert warnings([rounds[40e-6], rounds[43e-6]]) == []
    named = rounds[44.1e-6]._replace(case=quiet.case._replace(title="slow"))
    (said,) = warnings([rounds[40e-6], named])
    assert said == (
        "The rounds alone computed 23.8 GB/s of words in 'slow' and 26.2 in 'made up'. "
        "The processor did not have one speed: measure again."
    )
    short = fake({"rounds alone": 1.0}, rounds_of=words - 1)
    assert warnings([rounds[40e-6], short]) == []


# The cases


@pytest.mark.parametrize(
    "case", [c for c in cases() if c.group != "start-up" and c.bytes <= 1 << 20], ids=lambda c: c.title
)
def test_runs_run(case):
    runs = case.prepare()
    for run in runs.values():
        run.call()
    assert next(iter(runs.values())).kind == OURS


NEED_A_DEVICE = ("cuda", "webgpu")


@pytest.mark.parametrize(
    "case", [c for c in cases() if c.group not in ("start-up", *NEED_A_DEVICE)], ids=lambda c: c.title
)
def test_goals_name_runs(case):
    """bench 7 and 9: both runs write to a given array or both make a new one."""
    runs = case.prepare()
    for goal in case.goals:
        assert runs[goal.run].kind == OURS
        for name in goal.references:
            assert name in runs or name.startswith(("openvino", "jax"))
            if name in runs and runs[name].kind == OTHER:
                assert runs[name].new_array == runs[goal.run].new_array
    for name, run in runs.items():
        if run.kind == OTHER and run.new_array:
            compared = relative_to(name, Result(case, {each: Timing(1, 0, 1, [], *runs[each][1:]) for each in runs}))
            assert runs[compared].kind == OURS and runs[compared].new_array


@pytest.mark.parametrize(
    "group, kind, size, name, package",
    [
        ("cuda", "CUDA", "1 GiB", "CUDA", "numba-cuda"),
        ("webgpu", "WebGPU", "64 MiB", "WebGPU", "wgpu"),
    ],
)
def test_a_machine_without_a_device(monkeypatch, group, kind, size, name, package):
    """bench 10 and cuda 4.3"""
    monkeypatch.setitem(sys.modules, package.replace("-", "_"), None)
    default_device.cache_clear()
    lines = []
    assert bench.measure_all(cases([group]), rounds=1, goals=True, report=lines.append) == []
    assert lines == [
        f"\n{work} on a {kind} device, {size}: not measured, no device: {name} needs {package}, which is not installed."
        f" Install it: pip install {package}. The extra '{group}' of dmlrand includes it."
        for work in ("words", "uniform float32", "normal float32")
    ]


def test_a_webgpu_device_is_compared_with_a_fill_of_its_memory(monkeypatch):
    """bench 10"""
    skip_without("webgpu")
    monkeypatch.setattr("dmlrand.bench.webgpu.BYTES", 1 << 14)
    for case in cases(["webgpu"]):
        runs = case.prepare()
        assert [(name, run.kind) for name, run in runs.items()] == [("dmlrand", OURS), ("fill of the device", LIMIT)]
        for run in runs.values():
            run.call()


def test_small_calls_have_goals():
    """bench 7: every run of dmlrand that returns 8 numbers, relative to NumPy's random(8) or another run."""
    (case,) = cases(["small"])
    returning_8 = {name for name, run in case.prepare().items() if "8" in name and run.kind == OURS}
    assert {goal.run for goal in case.goals} == returning_8


def test_two_threads_are_compared_with_two_of_openvino():
    """bench 9"""
    titles = {case.title: case.goals for case in cases(["threads"])}
    for dtype in ("float16", "float64"):
        assert titles[f"uniform {dtype}, 64 MiB, threads"] == (Goal("2 threads", ("openvino, 2 threads",), 1.2),)
    pytest.importorskip("openvino")
    (run,) = reference_packages.openvino_uniforms(np.empty(8, np.float16)).values()
    infer = run.call.func
    assert run.call.keywords == {"share_outputs": True}  # each call would copy its output otherwise
    assert infer.__self__.get_compiled_model().get_property("INFERENCE_NUM_THREADS") == 2


def test_limits_are_beside_the_figures():
    """bench 3"""
    chosen = [case for case in cases(["bits", "numbers", "normals"]) if case.bytes <= 1 << 20]
    found = {case.title: {name for name, run in case.prepare().items() if run.kind == LIMIT} for case in chosen}
    assert found["bits, 1 MiB"] == {"rounds alone", "memset"}
    converted = {title for title, names in found.items() if names == {"rounds alone", "rounds and conversion alone"}}
    assert len(converted) == 5 and "int32 in a range of 1,000,999, 1 MiB" in converted
    assert all("rounds alone" in names for names in found.values())


def test_memset_fills_the_output():
    """bench 3"""
    out = np.ones((4, 6), np.uint32)
    limits.memset(out)["memset"].call()
    assert not out.any()


def test_short_rows_are_measured_in_processor_time():
    """bench 9"""
    (short, long) = cases(["batch"])
    assert short.processor_time and not long.processor_time
    assert ("processor time" in short.title) == (CLOCKS != WALL_CLOCKS) and "processor time" not in long.title


# Whole processes


@pytest.mark.costly
def test_a_process_chooses_its_kernels_itself(monkeypatch):
    """bench 6"""
    monkeypatch.setenv("DMLRAND_KERNELS", "numba")  # what this process was told
    draw = f"{start_up.FIRST_WORDS}; import os, sys; assert os.listdir() == [], os.listdir(); "
    start_up._start("-c", draw + "assert 'numba' not in sys.modules")
    start_up._start("-c", draw + "assert 'numba' in sys.modules", choice="numba")
    with pytest.raises(subprocess.CalledProcessError):
        start_up._start("-c", draw + "assert 'numba' in sys.modules")


@pytest.mark.costly
@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not report the processor time of child processes")
def test_processor_time_does_not_include_waiting():
    """bench 6"""
    before = start_up.CLOCKS.process()
    start_up._start("-c", "import time; time.sleep(1)")
    between = start_up.CLOCKS.process()
    start_up._start("-c", "import time\nwhile time.process_time() < 1: pass")
    assert between - before < 1 <= start_up.CLOCKS.process() - between


@pytest.mark.costly
def test_start_up_runs_do_their_work():
    """bench 6"""
    small, large = start_up.cases()
    runs = small.prepare()
    for goal in small.goals:
        assert {goal.run, *goal.references} <= runs.keys()
    for name, run in runs.items():
        if name != start_up.COLD:  # half a minute of compiling, on a busy machine
            run.call()
    assert small.processor_time and large.processor_time
    assert set(large.prepare()) == {large.goals[0].run, *large.goals[0].references}
    assert "processor time" in small.title or sys.platform == "win32"


def test_the_long_process_draws_1_gib(monkeypatch):
    """bench 6"""
    drawn = []
    monkeypatch.setattr(dmlrand, "random_generator", lambda state, out: drawn.append(out.nbytes) or FakeOutputs(state))
    exec(start_up.ONE_GIB, {})
    assert sum(drawn) == 1 << 30 and set(drawn) == {1 << 16}


class FakeOutputs:
    def __init__(self, state):
        self.state = state


# The command


def test_one_command_measures_and_writes(tmp_path, capsys):
    """bench 1, 2 and 8"""
    pytest.importorskip("matplotlib", reason="the chart needs the extra plot")
    files = ["--json", str(tmp_path / "b.json"), "--plot", str(tmp_path / "b.png")]
    assert main(["bench", "--only", "windows", "--rounds", "2", *files]) == 0
    printed = capsys.readouterr().out
    assert "rows of 64" in printed and "higher is better" in printed and "goal" not in printed
    written = json.loads((tmp_path / "b.json").read_text())
    found = written["versions"]
    assert found["dmlrand"] == dmlrand.__version__ and found["numpy"] == version("numpy")
    assert all(f"{package} {number}" in printed.splitlines()[1] for package, number in found.items())
    rows, columns = written["cases"]
    assert rows["group"] == "windows" and set(rows["runs"]) == {"contiguous", "rows of 1024", "rows of 64"}
    assert set(columns["runs"]) == {"words", "uniform float32", "int32 below 100"}
    run = rows["runs"]["rows of 64"]
    assert run["kind"] == OURS and run["threads"] >= 1 > run["waited"] >= 0
    assert len(run["samples"]) == 2 and run["seconds"] in [each for sample in run["samples"] for each in sample]
    assert rows["goals"][0]["references"] == ["contiguous"] and rows["goals"][0]["achieved"] > 0
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")


def test_the_command_shows_goals_and_doubts(capsys, monkeypatch):
    """bench 2 and 7"""
    monkeypatch.setattr("dmlrand.bench.tables.BUSY", -1)
    assert main(["bench", "--only", "generator", "--rounds", "1", "--goals"]) == 0
    printed = capsys.readouterr().out
    assert " of 2 goals met\n" in printed and "| at least 0.9 |" in printed
    assert printed.endswith("\nIn 2 of 2 cases the machine was busy: measure again.\n")


def test_the_help_lists_every_group(capsys):
    with pytest.raises(SystemExit):
        main(["bench", "--help"])
    listed = " ".join(capsys.readouterr().out.split()).partition("only these groups: ")[2].partition(" --")[0]
    assert listed.split(", ") == list(dict.fromkeys(case.group for case in cases()))


def test_a_chart_shows_kinds_and_waits():
    """bench 8"""
    pytest.importorskip("matplotlib", reason="the chart needs the extra plot")
    from dmlrand.cli.plots.bench import COLOURS, DPI, figure_of

    waiting = fake({"a": 0.5, "memset": 0.1, "numpy": 2.0}, waited=0.3)
    kinds = [OURS, LIMIT, OTHER]
    for name, kind in zip(waiting.timings, kinds):
        waiting.timings[name] = waiting.timings[name]._replace(kind=kind)
    results = [waiting, fake({"dmlrand": 1e-6, "numpy": 2e-6}, bytes=0)] + [fake({"a": 1.0, "b": 2.0, "c": 3.0})] * 20
    figure = figure_of(results, "title")
    panels = [panel for panel in figure.get_axes() if panel.get_title(loc="left")]
    assert len(panels) == len(results)
    alone = fake({"dmlrand": 1e-6}, bytes=0)  # as where no reference package is installed: nothing to compare
    assert len([panel for panel in figure_of([*results, alone], "").get_axes() if panel.get_title(loc="left")]) == 22
    assert figure_of([alone], "").get_axes()
    assert [text.get_text() for text in panels[0].texts] == ["2 (waited 30%)", "10 (waited 30%)", "0.5 (waited 30%)"]
    from matplotlib.colors import to_rgba

    assert [bar.get_facecolor() for bar in panels[0].patches] == [to_rgba(COLOURS[kind]) for kind in kinds]
    assert panels[0].get_title(loc="left") == "made up\nGB/s, higher is better"
    assert panels[1].get_title(loc="left") == "made up\nus, lower is better"
    assert [text.get_text() for text in panels[1].texts] == ["1", "2"]
    width = figure.get_figwidth() * DPI
    assert width <= 1920  # pixels of a screen
    figure.draw_without_rendering()
    texts = [text for panel in panels for text in (*panel.texts, *panel.get_yticklabels())]
    assert min(text.get_fontsize() for text in texts) >= 9
    boxes = [text.get_window_extent() for text in texts]
    assert all(0 <= box.x0 and box.x1 <= width * figure.dpi / DPI and box.y0 >= 0 for box in boxes)


@pytest.mark.parametrize("option", ["--json", "--plot"])
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("absent/b.png", "[Errno 2] No such file or directory: 'absent/b.png'"),
        ("folder.png", "path must name a regular file, or nothing yet; got '{}', which is a folder. "),
    ],
)
def test_a_path_that_cannot_be_written_is_refused_before_the_measurement(
    tmp_path, monkeypatch, capsys, option, path, message
):
    pytest.importorskip("matplotlib", reason="the chart needs the extra plot")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.png").mkdir()
    monkeypatch.setattr("dmlrand.bench.measure_all", None)
    assert main(["bench", option, path]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("dmlrand: error: " + message.format(path))


def test_no_rounds_are_refused_before_anything_is_printed(capsys):
    assert main(["bench", "--rounds", "0"]) == 2
    assert capsys.readouterr() == ("", "dmlrand: error: --rounds must be at least 1; got 0.\n")


def test_an_unknown_group_is_refused_before_anything_is_printed(capsys):
    for groups, wording in (
        ("bits,bitz", "got 'bitz'. Did you mean 'bits'?"),
        ("windwos", "got 'windwos'. Did you mean 'windows'?"),
        ("", "got ''."),
    ):
        assert main(["bench", "--only", groups]) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.startswith("dmlrand: error: --only must name groups of cases (bits, ")
        assert err.endswith(f"; {wording}\n")
