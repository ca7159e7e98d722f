"""`dmlrand bench`: its cases and runs, and how timings become tables, goals and charts. specs/bench.md"""

import json
import os
import subprocess
import sys
import time
from itertools import count, pairwise

import numpy as np
import pytest
from paths import PACKAGE_PARENT
from waiting import LIMIT

import dmlrand
from dmlrand import bench
from dmlrand.bench import limits, reference_packages, start_up
from dmlrand.bench.case import Case, Goal
from dmlrand.bench.cases import cases
from dmlrand.bench.measurement import Result, Timing
from dmlrand.bench.tables import goal_lines, goal_summary, table
from dmlrand.cli import main


def fake(seconds, goals=(), bytes=10**9, spread=0.1):
    """A result without a measurement."""
    return Result(Case("bits", "made up", bytes, dict, goals), {n: Timing(s, spread) for n, s in seconds.items()})


def stepping(seconds):
    """A self-timed run whose calls return these seconds. The first call is not counted."""
    values = iter([9, *seconds])
    return lambda: next(values)


# Measuring


def test_each_round_times_every_run():
    """bench 1"""
    order, number = [], count()
    case = Case("x", "turns", 0, lambda: {name: lambda n=name: order.append((n, next(number))) for name in "ab"})
    result = bench.measure(case, rounds=3)
    assert list(result.timings) == ["a", "b"]
    changes = sum(before != after for (before, _), (after, _) in pairwise(order))
    assert changes >= 1 + 5  # a, b to find the number of calls; then ababab
    assert all(timing.seconds > 0 for timing in result.timings.values())


def test_the_median_and_the_spread():
    """bench 1"""
    case = Case("x", "self-timed", 0, lambda: {"a": stepping([5, 1, 2, 4, 3])}, self_timed=True)
    assert bench.measure(case, rounds=5).timings == {"a": Timing(3, (4 - 2) / 3 / 2)}
    assert bench.measure(case, rounds=1).timings == {"a": Timing(5, 0)}


def test_the_compiled_kernels_are_measured():
    """bench 5"""
    script = """
import sys
from dmlrand import bench, make_state, random_generator
from dmlrand.bench.case import Case
draw = lambda: random_generator(make_state(), 8)
draw()
assert "numba" not in sys.modules
bench.measure_all([Case("x", "x", 0, lambda: {"x": draw}, self_timed=False)], rounds=1, report=str)
print("numba" in sys.modules)
"""
    for choice, printed in ("", "True\n"), ("numpy", "False\n"):
        environment = os.environ | {"PYTHONPATH": PACKAGE_PARENT, "DMLRAND_KERNELS": choice}
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT, check=True)
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
    assert goal_lines(result).splitlines() == [
        "  goal: ours at least 2 times the speed of slow: 4.00, met",
        "  goal: ours at least 5 times the speed of slow: 4.00, MISSED",
        "  goal: ours at least 0.9 times the speed of the slowest of fast and slow: 4.00, met",
    ]
    assert goal_summary([result, result]).splitlines() == [
        "",
        "4 of 6 goals met",
        "missed:",
        *["  made up: ours at least 5 times the speed of slow"] * 2,
    ]


def test_goals_of_times():
    """bench 7"""
    result = fake({"numpy": 2.0, "ours": 3.0}, (Goal("ours", ("numpy",), 1 / 1.6),), bytes=0)
    assert goal_lines(result) == "  goal: ours at most 1.6 times the time of numpy: 1.50, met"
    assert goal_summary([result]) == "\n1 of 1 goals met"


def test_goals_are_shown_and_tried_again_only_when_asked_for():
    """bench 7"""
    slow_then_fast = {"ours": [3, 1], "other": [2, 2]}

    def measured(goals):
        runs = {name: stepping(seconds[:1] + [9] + seconds[1:]) for name, seconds in slow_then_fast.items()}
        case = Case("x", "title", 0, lambda: runs, (Goal("ours", ("other",), 1),), self_timed=True)
        printed = []
        (result,) = bench.measure_all([case], rounds=1, goals=goals, report=printed.append)
        return result.timings["ours"].seconds, printed

    seconds, (shown,) = measured(goals=False)
    assert seconds == 3 and "goal" not in shown
    seconds, (_, shown) = measured(goals=True)
    assert seconds == 1 and shown == "  goal: ours at most 1 times the time of other: 0.50, met"


def test_a_second_measurement_that_is_worse_does_not_count():
    """bench 7"""
    runs = {"ours": stepping([2, 9, 3]), "other": stepping([3, 9, 1]), "third": stepping([1, 9, 1])}
    goals = (Goal("ours", ("other",), 1), Goal("ours", ("third",), 1))
    case = Case("x", "title", 0, lambda: runs, goals, self_timed=True)
    (result,) = bench.measure_all([case], rounds=1, goals=True, report=str)
    assert result.timings["ours"].seconds == 2


# Tables


def test_a_table_of_rates():
    """bench 2"""
    result = fake({"ours": 0.5, "other": 2.0})
    result.timings["other"] = Timing(2.0, 0.26)
    assert table(result) == (
        "\nmade up: higher is better\n"
        "  run          GB/s  relative speed  spread          time\n"
        "  ours            2            1.00     10%        500 ms\n"
        "  other         0.5            0.25     26%           2 s  noise"
    )


def test_a_table_of_times():
    """bench 2"""
    assert table(fake({"numpy": 2e-6, "ours": 3e-6}, bytes=0, spread=0.25)) == (
        "\nmade up: lower is better\n"
        "  run          time   relative time  spread\n"
        "  numpy        2 us            1.00     25%\n"
        "  ours         3 us            1.50     25%"
    )


# The cases


@pytest.mark.parametrize(
    "case", [c for c in cases() if c.group != "start-up" and c.bytes <= 1 << 20], ids=lambda c: c.title
)
def test_runs_run(case):
    runs = case.prepare()
    for function in runs.values():
        function()
    assert next(iter(runs)) in ("dmlrand", "contiguous", "every second", "random_generator(state, (8,))")


@pytest.mark.parametrize("case", [c for c in cases() if c.group not in ("start-up", "cuda")], ids=lambda c: c.title)
def test_goals_name_runs(case):
    """bench 7"""
    runs = case.prepare()
    for goal in case.goals:
        assert goal.run in runs
        assert all(name in runs or name.startswith(("openvino", "jax", "cuRAND")) for name in goal.references)


def test_a_machine_without_a_device(monkeypatch):
    """bench 10 and cuda 4.3"""
    monkeypatch.setitem(sys.modules, "numba_cuda", None)
    lines = []
    assert bench.measure_all(cases(["cuda"]), rounds=1, goals=True, report=lines.append) == []
    assert lines == [
        f"\n{name} on a CUDA device, 1 GiB: not measured, no device: CUDA needs numba-cuda, which is not installed. "
        "Install it: pip install numba-cuda. The extra 'cuda' of dmlrand includes it."
        for name in ("words", "uniform float32", "normal float32")
    ]


def test_small_calls_have_goals():
    """bench 7: every run of dmlrand that returns 8 numbers, relative to NumPy's random(8) or another run."""
    (case,) = cases(["small"])
    returning_8 = {name for name in case.prepare() if "8" in name and not name.startswith(("numpy", "jax", "torch"))}
    assert {goal.run for goal in case.goals} == returning_8


def test_two_threads_are_compared_with_two_of_openvino():
    """bench 9"""
    titles = {case.title: case.goals for case in cases(["threads"])}
    for dtype in ("float16", "float64"):
        assert titles[f"uniform {dtype}, 64 MiB, threads"] == (Goal("2 threads", ("openvino CPU, 2 threads",), 1.2),)
    pytest.importorskip("openvino")
    (infer,) = reference_packages.openvino_uniforms(np.empty(8, np.float16)).values()
    assert infer.__self__.get_compiled_model().get_property("INFERENCE_NUM_THREADS") == 2


def test_limits_are_beside_the_figures():
    """bench 3"""
    chosen = [case for case in cases(["bits", "numbers", "normals"]) if case.bytes <= 1 << 20]
    known = {"rounds alone", "rounds and conversion alone", "memset"}
    found = {case.title: set(case.prepare()) & known for case in chosen}
    assert found["bits, 1 MiB, one thread"] == {"rounds alone", "memset"}
    for title in ("uniform float32", "uniform float64", "normal float32", "normal float64"):
        assert found[f"{title}, 1 MiB, one thread"] == {"rounds alone", "rounds and conversion alone"}
    assert all("rounds alone" in names for names in found.values())


def test_memset_fills_the_output():
    """bench 3"""
    out = np.ones((4, 6), np.uint32)
    limits.memset(out)["memset"]()
    assert not out.any()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows counts processor time in large steps")
def test_short_rows_are_measured_in_processor_time():
    """bench 9"""
    (short, long) = cases(["batch"])
    assert short.clock() == pytest.approx(time.process_time(), abs=1) and "processor time" in short.title
    assert long.clock() == pytest.approx(time.perf_counter(), abs=60) and "processor time" not in long.title
    waits = short._replace(prepare=lambda: {"works and waits": work_and_wait})
    assert bench.measure(waits, rounds=1).timings["works and waits"].seconds < 0.1


def work_and_wait():
    """10 ms of processor time, and 100 ms without."""
    end = time.process_time() + 0.01
    while time.process_time() < end:
        pass
    time.sleep(0.1)


# Whole processes


def test_a_process_chooses_its_kernels_itself(monkeypatch):
    """bench 6"""
    monkeypatch.setenv("DMLRAND_KERNELS", "numba")  # what this process was told
    draw = f"{start_up.FIRST_WORDS}; import os, sys; assert os.listdir() == [], os.listdir(); "
    assert start_up._seconds("-c", draw + "assert 'numba' not in sys.modules") > 0
    assert start_up._seconds("-c", draw + "assert 'numba' in sys.modules", choice="numba") > 0
    with pytest.raises(subprocess.CalledProcessError):
        start_up._seconds("-c", draw + "assert 'numba' in sys.modules")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not report the processor time of child processes")
def test_processor_time_does_not_include_waiting():
    """bench 6"""
    assert start_up._seconds("-c", "import time; time.sleep(1)") < 1
    assert start_up._seconds("-c", "import time\nwhile time.process_time() < 1: pass") >= 1


def test_start_up_runs_do_their_work():
    """bench 6"""
    small, large = start_up.cases()
    runs = small.prepare()
    for goal in small.goals:
        assert {goal.run, *goal.references} <= runs.keys()
    for name, function in runs.items():
        if name != start_up.COLD:  # half a minute of compiling, on a busy machine
            assert function() > 0
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
    """bench 1 and 8"""
    pytest.importorskip("matplotlib", reason="the chart needs the extra plot")
    files = ["--json", str(tmp_path / "b.json"), "--plot", str(tmp_path / "b.png")]
    assert main(["bench", "--only", "windows", "--rounds", "2", *files]) == 0
    printed = capsys.readouterr().out
    assert "rows of 64" in printed and "higher is better" in printed and "Spread:" in printed and "goal" not in printed
    (case,) = json.loads((tmp_path / "b.json").read_text())["cases"]
    assert set(case["seconds"]) == {"contiguous", "rows of 1024", "rows of 64"}
    assert case["goals"][0]["references"] == ["contiguous"] and case["goals"][0]["achieved"] > 0
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")


def test_the_command_shows_goals(capsys):
    """bench 7"""
    assert main(["bench", "--only", "windows", "--rounds", "1", "--goals"]) == 0
    printed = capsys.readouterr().out
    assert "goal: rows of 1024 at least 0.6 times the speed of contiguous: " in printed and " of 2 goals met" in printed


def test_a_chart_shows_spread_and_noise():
    """bench 8"""
    pytest.importorskip("matplotlib", reason="the chart needs the extra plot")
    from dmlrand.bench.chart import DPI, figure_of

    noisy = fake({"dmlrand": 0.5, "memset": 0.1, "numpy": 2.0}, spread=0.3)
    results = [noisy, fake({"dmlrand": 1e-6, "numpy": 2e-6}, bytes=0)] + [fake({"a": 1.0, "b": 2.0, "c": 3.0})] * 20
    figure = figure_of(results, "title")
    panels = [panel for panel in figure.get_axes() if panel.get_title(loc="left")]
    assert len(panels) == len(results)
    alone = fake({"dmlrand": 1e-6}, bytes=0)  # as where no reference package is installed: nothing to compare
    assert len([panel for panel in figure_of([*results, alone], "").get_axes() if panel.get_title(loc="left")]) == 22
    assert figure_of([alone], "").get_axes()
    assert [text.get_text() for text in panels[0].texts] == ["2 (noise)", "10 (noise)", "0.5 (noise)"]
    assert panels[0].get_title(loc="left") == "made up\nGB/s, higher is better"
    assert panels[1].get_title(loc="left") == "made up\nus, lower is better"
    assert [text.get_text() for text in panels[1].texts] == ["1", "2"]
    (spread,) = [lines for lines in panels[0].collections]
    assert spread.get_segments()[0][:, 0].tolist() == pytest.approx([2 - 0.6, 2 + 0.6])
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
