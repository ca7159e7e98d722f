"""The site: specs/architecture.md has the command that builds it."""

import importlib.util
import subprocess
import sys
from html.parser import HTMLParser
from types import ModuleType
from urllib.parse import unquote, urlsplit

import pytest
from entry_points import ENTRY_POINTS, public_names
from paths import ROOT, SPECS
from waiting import LIMIT

from dmlrand.drawing.outputs import Outputs

pytestmark = pytest.mark.costly

COMMAND = ".venv/bin/python -m sphinx -W -c specs/site . site"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built site. A warning fails the build."""
    for module in ("sphinx", "myst_parser", "furo", "sphinx_copybutton"):
        if not importlib.util.find_spec(module):
            pytest.skip(f"{module} is not installed (extra `docs`): the site is not built")
    folder = tmp_path_factory.mktemp("site")
    assert COMMAND in (SPECS / "architecture.md").read_text("utf-8")
    command = [sys.executable, *COMMAND.split()[1:-1], str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0 and done.stderr == "", done.stdout[-2000:] + done.stderr
    return folder


class Page(HTMLParser):
    """The addresses of a page, and its ids."""

    def __init__(self, path):
        super().__init__()
        self.addresses, self.ids = [], set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.add(given.get("id"))
        self.addresses += [given[name] for name in ("href", "src") if given.get(name)]


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html")}


def test_no_link_is_broken(site, pages):
    broken = []
    for path, page in pages.items():
        for address in page.addresses:
            parts = urlsplit(address)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            name = unquote(parts.fragment)
            if not target.is_file() or name and target in pages and name not in pages[target].ids:
                broken.append(f"{path.relative_to(site)}: {address}")
    assert broken == []


def test_every_public_name_is_in_the_reference(site, pages):
    """`Outputs`, the result of draws in several modules, is on the first page alone: Sphinx refuses a second one."""
    assert "dmlrand.drawing.outputs.Outputs" in pages[site / "specs/site/api/dmlrand.html"].ids
    for entry in ENTRY_POINTS:
        ids = pages[site / f"specs/site/api/{entry.__name__}.html"].ids
        names = [name for name in public_names(entry) if not isinstance(getattr(entry, name), ModuleType)]
        missing = [
            name for name in names if f"{entry.__name__}.{name}" not in ids and getattr(entry, name) is not Outputs
        ]
        assert missing == [], f"add them to specs/site/api/{entry.__name__}.md"
