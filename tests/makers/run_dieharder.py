"""Run dieharder over `dmlrand stream` and record its results in tests/vectors/dieharder.txt.

    apt-get install dieharder
    python tests/makers/run_dieharder.py [--seed 42] [--tests 0,1,200:4,...]

dieharder reads raw words from its stdin (generator 200). Test number i of the list gets the stream from counter
i * 2**64, so that no word is tested twice and each line can be reproduced alone. dieharder calls a p-value FAILED
within 1e-6 of 0 or 1, and WEAK within 0.005. About one of a hundred p-values of a good generator is WEAK, so one WEAK
result proves nothing.
"""

import argparse
import datetime
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from dmlrand import counter_of, load_checkpoint

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "tests" / "vectors" / "dieharder.txt"
# Of the tests that dieharder calls good, those that end within minutes.
TESTS = "0,1,2,3,4,8,10,11,12,13,15,16,100,101,102,200:4,201:2,201:3,202,204,205,206,207,208,209"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", default="42")
    parser.add_argument("--tests", default=TESTS, help="dieharder's numbers, with their ntuple where they need one")
    options = parser.parse_args()
    lines = [
        "# dieharder over `dmlrand stream`, recorded by tests/makers/run_dieharder.py",
        f"# {datetime.date.today()}, {dieharder_version()}, Python {platform.python_version()}, {platform.machine()}",
        f"# dmlrand at commit {commit()}",
        "# test name, ntup, tsamples, psamples, p-value, assessment; and the command that reproduces it",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for i, test in enumerate(options.tests.split(",")):
            lines += run_test(test, f"--counter {i << 64:#x} --key {options.seed}", f"{folder}/{i}.json")
            print(test, lines[-1], flush=True)
    RECORD.write_text("\n".join(lines) + "\n")
    print(f"{RECORD.relative_to(ROOT)} written")


def run_test(test, start, state):
    number, _, ntuple = test.partition(":")
    command = ["dieharder", "-g", "200", "-d", number, *(["-n", ntuple] if ntuple else [])]
    begin = time.monotonic()
    stream = subprocess.Popen(
        [sys.executable, "-m", "dmlrand", "stream", *start.split(), "--state", state], cwd=ROOT, stdout=subprocess.PIPE
    )
    done = subprocess.run(command, stdin=stream.stdout, capture_output=True, text=True, check=True)
    stream.stdout.close()
    assert stream.wait() == 0
    results = [
        line.strip() for line in done.stdout.splitlines() if line.rstrip().endswith(("PASSED", "WEAK", "FAILED"))
    ]
    assert results, done.stdout + done.stderr
    megabytes = (counter_of(load_checkpoint(state).states["state"]) % 2**64 >> 16) + 1
    how = f"dmlrand stream {start} | {' '.join(command)}"
    return [f"# {how}", *results, f"# {megabytes:,} MiB at most, {time.monotonic() - begin:.0f} s"]


def dieharder_version():
    shown = subprocess.run(["dieharder", "-l"], capture_output=True, text=True, check=False).stdout
    return next(line for line in shown.splitlines() if "version" in line).strip("# ").split("  ")[0]


def commit():
    return subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()


if __name__ == "__main__":
    main()
