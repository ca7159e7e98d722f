"""Run the tests on several Pythons, each with the newest and the oldest dependencies that pyproject.toml allows.

    python tests/makers/run_python_matrix.py                       all default tests
    python tests/makers/run_python_matrix.py tests/test_state.py   a selection; arguments are pytest's

The Pythons are those given with --python, or every Python from 3.11 on that is under ~/.pyenv or on PATH. Each pair has
its own virtual environment in the folder .matrix. The table is written to stdout. Needs `packaging`, which is installed
with pytest.
"""

import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
INSTALL_SECONDS, TEST_SECONDS = 1800, 7200
KINDS = ("newest", "oldest")
FACTS = """
import json, platform
from importlib.metadata import version
names = ("numpy", "numba", "pytest")
print(json.dumps({"python": platform.python_version()} | {name: version(name) for name in names}))
"""


def requirements_of(project, extra=None):
    """The requirements of the package, or of one extra, including those of the extras that this extra names."""
    listed = project["optional-dependencies"][extra] if extra else project["dependencies"]
    for requirement in map(Requirement, listed):
        if requirement.name == project["name"]:
            for inner in sorted(requirement.extras):
                yield from requirements_of(project, inner)
        else:
            yield requirement


def oldest(requirement):
    """The requirement pinned to its lower bound: `numpy>=2.0` gives `numpy==2.0`."""
    bounds = [clause.version for clause in requirement.specifier if clause.operator in (">=", "==")]
    if len(bounds) != 1:
        raise SystemExit(
            f"{requirement} must have one lower bound in pyproject.toml, so that the oldest can be tested."
        )
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    return f"{requirement.name}{extras}=={bounds[0]}"


def wanted(project, kind, python_version):
    """The requirements that pip installs for the tests on a Python such as `3.13`."""
    every = [*requirements_of(project), *requirements_of(project, "test")]
    environment = {"python_version": python_version, "python_full_version": f"{python_version}.0"}
    here = [each for each in every if each.marker is None or each.marker.evaluate(environment)]
    for each in here:
        each.marker = None
    return sorted({oldest(each) if kind == "oldest" else str(each) for each in here})


def pythons():
    """The path of each Python from 3.11 on: one for each minor version, the last patch level found."""
    minors = range(11, 30)
    found = sorted(Path.home().glob(".pyenv/versions/3.*/bin/python"), key=lambda path: path.parts[-3].split(".")[-1])
    named = {re.match(r"3\.(\d+)", path.parts[-3])[1]: str(path) for path in found}
    named |= {
        str(minor): path for minor in minors if (path := shutil.which(f"python3.{minor}")) and ".pyenv" not in path
    }
    return [named[str(minor)] for minor in minors if str(minor) in named]


def run(command, seconds, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False, **options)


def environment_for(python, kind, folder, project):
    """The Python of a virtual environment with the requirements, or the text of pip's error."""
    version = run([python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], 60).stdout.strip()
    requirements = wanted(project, kind, version)
    place = folder / f"{version}-{kind}"
    own = place / "bin" / "python"
    subprocess.run([python, "-m", "venv", place], check=True, timeout=300)
    install = [own, "-m", "pip", "install", "-q", "--only-binary", ":all:", "packaging", *requirements]
    done = run(install, INSTALL_SECONDS)
    if done.returncode:
        return None, "\n".join(line for line in done.stderr.splitlines() if "ERROR" in line) or done.stderr[-500:]
    return own, None


def row(python, kind, folder, project, selection):
    """One row of the table: the versions, and pytest's last line."""
    own, error = environment_for(python, kind, folder, project)
    today = datetime.datetime.now(datetime.timezone.utc).date()
    if error:
        return f"| {python} | {kind} | - | - | not installed: {error} | {today} |"
    facts = json.loads(run([own, "-c", FACTS], 60).stdout)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests" / "support")])}
    try:
        done = run([own, "-m", "pytest", *selection], TEST_SECONDS, cwd=ROOT, env=environment)
    except subprocess.TimeoutExpired:
        result = f"did not end within {TEST_SECONDS} s"
    else:
        (folder / f"{facts['python']}-{kind}.log").write_text(done.stdout + done.stderr)
        counts = re.findall(
            r"\d+ (?:passed|failed|errors?|skipped)", done.stdout.splitlines()[-1] if done.stdout else ""
        )
        result = ", ".join(counts) or f"pytest ended with code {done.returncode}"
    return f"| {facts['python']} | {kind} | {facts['numpy']} | {facts['numba']} | {result} | {today} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", help="a Python to use; may be given several times")
    parser.add_argument("--kind", choices=KINDS, action="append", help="newest or oldest dependencies; default: both")
    arguments, selection = parser.parse_known_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    print("| Python | dependencies | numpy | numba | result | date |\n|---|---|---|---|---|---|", flush=True)
    lines = []
    for python in arguments.python or pythons():
        for kind in arguments.kind or KINDS:
            lines.append(row(python, kind, ROOT / ".matrix", project, selection))
            print(lines[-1], flush=True)
    sys.exit(any("failed" in line or "error" in line or "not " in line or "code" in line for line in lines))


if __name__ == "__main__":
    main()
