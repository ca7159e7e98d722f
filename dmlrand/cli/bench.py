"""`dmlrand bench`: measure speed, beside the limits of the processor and other packages."""

from __future__ import annotations

import argparse
from functools import partial

from ..files import check_target
from .arguments import integer
from .parser import Commands, add_command


def add(commands: Commands) -> None:
    bench = add_command(
        commands,
        "bench",
        help="measure speed, beside the processor's limits and other packages",
        example="dmlrand bench --only windows --rounds 3",
    )
    bench.add_argument(
        "--only",
        metavar="GROUP,..",
        help="only these groups: bits, numbers, normals, generator, curand, keys, windows, strides, threads, small, "
        "batch, start-up, cuda, webgpu",
    )
    bench.add_argument("--rounds", type=integer, default=100, help="turns of each run, 1 ms each (default 100)")
    bench.add_argument("--goals", action="store_true", help="show the project's goals, and whether they are met")
    bench.add_argument("--json", metavar="FILE", help="also write the results as JSON")
    bench.add_argument("--plot", metavar="FILE.png", help="draw the results (needs matplotlib)")
    bench.set_defaults(run=_bench)


def _bench(options: argparse.Namespace) -> None:
    from .. import bench
    from ..bench.cases import cases
    from ..bench.tables import LEGEND, goals_table, warnings
    from ..kernels import replaced

    if options.rounds < 1:
        raise ValueError(f"--rounds must be at least 1; got {options.rounds}.")
    if options.json is not None:
        check_target(options.json)
    if options.plot is not None:
        from .plots.figures import check_plot

        check_plot(options.plot)
    groups = options.only.split(",") if options.only is not None else None
    chosen = cases(groups)  # an unknown group is an error before anything is printed
    print(f"{bench.machine()}\n\n{LEGEND}")
    results = bench.measure_all(chosen, options.rounds, options.goals, report=partial(print, flush=True))
    if options.goals:
        print(goals_table(results))
    for line in warnings(results):
        print(f"\n{line}")
    for slow in replaced():
        print(f"\nwithout vector code, and so slower: {slow}")
    if options.json is not None:
        bench.write_json(options.json, results)
    if options.plot is not None:
        from .plots.bench import draw_results

        draw_results(options.plot, results, bench.machine())
