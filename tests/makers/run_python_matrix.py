"""Run the tests on several Pythons, each with the newest and the oldest dependencies that pyproject.toml allows.

    python tests/makers/run_python_matrix.py ~/.pyenv/versions/3.1*/bin/python
    python tests/makers/run_python_matrix.py PYTHON... -- tests/test_state.py    what follows -- is pytest's

Each pair has its own virtual environment and log in the folder .matrix, and a line on stdout. Needs `packaging`, which
is installed with pytest.
"""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
FACTS = "from importlib.metadata import version; print(*(f'{name} {version(name)}' for name in ('numpy', 'numba')))"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def requirements_of(extra=None):
    """The requirements of the package, or of one extra, including those of the extras that this extra names."""
    for requirement in map(Requirement, PROJECT["optional-dependencies"][extra] if extra else PROJECT["dependencies"]):
        if requirement.name == PROJECT["name"]:
            for inner in sorted(requirement.extras):
                yield from requirements_of(inner)
        else:
            yield requirement


def pinned(requirement, kind):
    """What pip installs: of the oldest kind, `numpy>=2.0` gives `numpy==2.0`."""
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    if kind == "newest":
        return f"{requirement.name}{extras}{requirement.specifier}"
    (bound,) = (clause.version for clause in requirement.specifier if clause.operator in (">=", "=="))
    return f"{requirement.name}{extras}=={bound}"


def wanted(kind, version):
    """The requirements of the package and its tests on a Python such as `3.13`."""
    environment = {"python_version": version, "python_full_version": f"{version}.0"}
    every = [*requirements_of(), *requirements_of("test")]
    return sorted({pinned(each, kind) for each in every if not each.marker or each.marker.evaluate(environment)})


def output_of(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout.strip()


def run_tests(python, kind, selection):
    """Whether the tests pass."""
    version = output_of(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])")
    place = ROOT / ".matrix" / f"{version}-{kind}"
    own = place / "bin" / "python"
    output_of(python, "-m", "venv", place)
    output_of(own, "-m", "pip", "install", "-q", "--only-binary", ":all:", "packaging", *wanted(kind, version))
    environment = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests' / 'support'}"}
    done = subprocess.run(
        [own, "-m", "pytest", *selection], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    place.with_suffix(f"{place.suffix}.log").write_text(done.stdout + done.stderr)
    last = (done.stdout.splitlines() or ["no output"])[-1]
    print(f"Python {version}, {kind}: {output_of(own, '-c', FACTS)}: code {done.returncode}, {last}", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    pythons, _, selection = " ".join(sys.argv[1:]).partition(" -- ")
    passed = [run_tests(each, kind, selection.split()) for each in pythons.split() for kind in ("newest", "oldest")]
    sys.exit(not all(passed))
