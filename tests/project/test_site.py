"""The site: specs/architecture.md has the command that builds it."""

import importlib.util
import subprocess
import sys
from types import ModuleType

import pytest
from entry_points import ENTRY_POINTS, public_names
from paths import ROOT, SPECS
from waiting import LIMIT

from dmlrand.drawing.plan import Outputs

pytestmark = pytest.mark.costly

COMMAND = ".venv/bin/python -m sphinx -W -c specs/site . site"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built site. A warning fails the build, for example of a link to a heading that is missing."""
    for module in ("sphinx", "myst_parser", "furo", "sphinx_copybutton"):
        if not importlib.util.find_spec(module):
            pytest.skip(f"{module} is not installed (extra `docs`): the site is not built")
    folder = tmp_path_factory.mktemp("site")
    assert COMMAND in (SPECS / "architecture.md").read_text("utf-8")
    command = [sys.executable, *COMMAND.split()[1:-1], str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0 and done.stderr == "", done.stdout[-2000:] + done.stderr
    return folder


def test_every_public_name_is_in_the_reference(site):
    """`Outputs`, the result of draws in several modules, is on the first page alone: Sphinx refuses a second one."""
    assert 'id="dmlrand.drawing.plan.Outputs"' in (site / "specs/site/api/dmlrand.html").read_text("utf-8")
    for entry in ENTRY_POINTS:
        page = (site / f"specs/site/api/{entry.__name__}.html").read_text("utf-8")
        items = {name: getattr(entry, name) for name in public_names(entry)}
        missing = [
            name for name, item in items.items()
            if f'id="{entry.__name__}.{name}"' not in page and not isinstance(item, ModuleType) and item is not Outputs
        ]  # fmt: skip
        assert missing == [], f"add them to specs/site/api/{entry.__name__}.md"
