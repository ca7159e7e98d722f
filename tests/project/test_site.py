"""The site: specs/architecture.md has the command that builds it. Chromium opens its files as a reader does."""

import importlib.util
import re
import subprocess
import sys
from html.parser import HTMLParser
from types import ModuleType
from urllib.parse import unquote, urlsplit

import pytest
from chromium import chromium
from clauses import CLAUSES
from entry_points import ENTRY_POINTS, public_names
from paths import ROOT, SPECS
from waiting import LIMIT, wait_until

from dmlrand.drawing.outputs import Outputs

pytestmark = pytest.mark.costly

COMMAND = ".venv/bin/python -m sphinx -W -c specs/site . site"
PAUSE = 0.05  # seconds between looks at the browser


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
    """The addresses of a page, its ids, and the numbers of the items of the lists that lie in no other list."""

    def __init__(self, path):
        super().__init__()
        self.addresses, self.ids, self.items, self._lists = [], set(), [], []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.add(given.get("id"))
        self.addresses += [given[name] for name in ("href", "src") if given.get(name)]
        if tag in ("ol", "ul"):
            self._lists.append(int(given.get("start", 1)) if tag == "ol" else None)
        if tag == "li" and len(self._lists) == 1 and self._lists[0] is not None:
            self.items.append(int(given.get("value", self._lists[0])))
            self._lists[0] += 1

    def handle_endtag(self, tag):
        if tag in ("ol", "ul"):
            self._lists.pop()


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


@pytest.mark.parametrize("page", CLAUSES)
def test_a_page_shows_the_numbers_of_its_clauses(page, site, pages):
    shown = pages[site / f"specs/{page}.html"].items
    assert shown == [int(clause.rpartition(".")[2]) for clause in CLAUSES[page]]


# In Chromium


@pytest.fixture(scope="module")
def browser(site, tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("chromium"), "--disable-gpu") as driver:
        yield driver


def test_the_first_page_is_the_readme(browser, site):
    browser.get((site / "index.html").as_uri())
    wait_until(lambda: "README.html" in browser.current_url, pause=PAUSE)
    wait_until(lambda: browser.title.startswith("dmlrand"), pause=PAUSE)


FOUND = "return [...document.querySelectorAll('#search-results a')].map(link => link.href)"


def test_the_search_finds_jump(browser, site):
    """Without a server: the index of the search is a script, which a page of a file may load."""
    browser.get((site / "search.html").as_uri() + "?q=jump")
    found = wait_until(lambda: browser.execute_script(FOUND), pause=PAUSE)
    assert any(address.endswith("specs/site/api/dmlrand.html#dmlrand.jump") for address in found)


def blocks_of(markdown):
    """What a reader pastes for each code block: the whole block, or an example without prompts and results."""
    without_flags = re.sub(r" *# doctest: .*", "", markdown)
    for block in re.findall(r"^```\w*\n(.*?)\n```$", without_flags, re.MULTILINE | re.DOTALL):
        lines = block.split("\n")
        if lines[0].startswith(">>> "):
            lines = [line[4:] for line in lines if line.startswith((">>> ", "..."))]
        yield "\n".join(lines).strip("\n")


def test_blocks_of_leaves_out_prompts_and_results():
    page = "```python\n>>> f(  # doctest: +SKIP\n...     1)\n2\n\n```\ntext\n```sh\na\n\nb\n```\n"
    assert list(blocks_of(page)) == ["f(\n    1)", "a\n\nb"]


def without_end(text):
    """The text without spaces at the ends of lines: Sphinx leaves some where it removes a flag of doctest."""
    return re.sub(r" +$", "", text, flags=re.MULTILINE).strip("\n")


BUTTONS = "return [...document.querySelectorAll('button.copybtn')]"
LISTEN = """
window.copied = [];
document.addEventListener('copy', () => window.copied.push(getSelection().toString()));
"""
CENTER = "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})"
PRESS_ALL = "window.copied = []; for (const button of arguments[0]) button.click(); return window.copied"
CLIPBOARD = "const done = arguments[0]; navigator.clipboard.readText().then(done, error => done(String(error)))"


def test_code_blocks_copy_whole(browser, site):
    from selenium.webdriver import ActionChains

    browser.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite"]})
    for source in [ROOT / "README.md", *sorted(SPECS.rglob("*.md"))]:
        expected = list(blocks_of(source.read_text("utf-8")))
        if not expected or source.parent.name == "api":
            continue
        browser.get((site / source.relative_to(ROOT).with_suffix(".html")).as_uri())
        buttons = wait_until(lambda: browser.execute_script(BUTTONS), pause=PAUSE)
        browser.execute_script(LISTEN)

        def press_first():
            browser.execute_script(CENTER, buttons[0])
            ActionChains(browser, duration=0).move_to_element(buttons[0]).click().perform()
            return browser.execute_script("return window.copied.length")

        # The page may move while its fonts and pictures load. After a reader pressed a button, scripts may do so.
        wait_until(press_first, pause=PAUSE)
        assert without_end(browser.execute_async_script(CLIPBOARD)) == expected[0]
        copied = browser.execute_script(PRESS_ALL, buttons)
        assert [without_end(text) for text in copied] == expected, source


OVERFLOW = """
const root = document.documentElement, text = document.querySelector('article p');
return [root.scrollWidth, text ? parseFloat(getComputedStyle(text).fontSize) : 16];
"""


def test_pages_are_readable_at_400_pixels(browser, site, pages):
    size = {"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        for path in sorted(pages):
            browser.get(path.as_uri())
            width, letters = browser.execute_script(OVERFLOW)
            assert width <= 400 and letters >= 14, path
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


# WCAG 2, success criterion 1.4.3: the contrast of text and its background.
LEAST_CONTRAST = 4.5
CONTRASTS = """
const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
function rgba(color) {
    paint.clearRect(0, 0, 1, 1); paint.fillStyle = color; paint.fillRect(0, 0, 1, 1);
    return paint.getImageData(0, 0, 1, 1).data;
}
const luminances = new Map();
function luminance(color) {
    if (!luminances.has(color)) {
        const [r, g, b] = [...rgba(color)].map(x => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
        luminances.set(color, 0.2126 * r + 0.7152 * g + 0.0722 * b);
    }
    return luminances.get(color);
}
const low = new Set();
const words = document.createTreeWalker(document.querySelector('article'), NodeFilter.SHOW_TEXT);
while (words.nextNode()) {
    const element = words.currentNode.parentElement;
    if (!words.currentNode.data.trim() || !element.getClientRects().length) continue;
    let behind = element, color;
    while (behind && rgba(color = getComputedStyle(behind).backgroundColor)[3] == 0) behind = behind.parentElement;
    const own = getComputedStyle(element).color;
    const pair = [luminance(own), luminance(color)].sort((a, b) => a - b);
    const contrast = (pair[1] + 0.05) / (pair[0] + 0.05);
    if (contrast < arguments[0]) low.add(`${element.className || element.tagName}: ${own} on ${color}`);
}
return [[...low], getComputedStyle(document.body).backgroundColor];
"""


@pytest.mark.parametrize("scheme, background", [("light", "rgb(255, 255, 255)"), ("dark", "rgb(19, 20, 22)")])
def test_text_has_contrast(scheme, background, browser, site):
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    for name in ("README", "specs/cli", "specs/jax", "specs/verify", "specs/site/api/dmlrand"):
        browser.get((site / f"{name}.html").as_uri())
        assert browser.execute_script(CONTRASTS, LEAST_CONTRAST) == [[], background], name
