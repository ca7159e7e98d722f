"""Print what the metadata still lack before a release is published, and check the built distributions with twine.

    python tests/makers/check_release.py [dist/*]

The licence, the authors and the URLs are the owner's: pyproject.toml has a commented place for each. The exit code is 1
if anything is missing or if twine refuses a distribution, else 0.
"""

import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
URLS = ("Source", "Documentation", "Issues")


def missing(project, root=ROOT):
    """One line for each part of the metadata that the table `project` of pyproject.toml lacks."""
    if not project.get("license"):
        yield "license: an SPDX expression, such as 'MIT'"
    if not any(file for pattern in project.get("license-files", ()) for file in root.glob(pattern)):
        yield "license-files: the names of files that exist and hold the text of the licence"
    if not all(author.get("name") for author in project.get("authors") or [{}]):
        yield "authors: at least one, each with a name"
    for name in URLS:
        if not project.get("urls", {}).get(name, "").startswith("https://"):
            yield f"urls: {name}, which begins with https://"


def main(distributions):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = [f"missing in pyproject.toml: {line}" for line in missing(project)]
    print("\n".join(lines) or "pyproject.toml: nothing is missing")
    if not distributions:
        print("no distributions were given: build them with `python -m build`, then give the files in dist/")
        return int(bool(lines))
    if find_spec("twine") is None:
        print("twine is not installed: pip install twine")
        return 1
    checked = subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *distributions], check=False)
    return int(bool(lines) or checked.returncode != 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
