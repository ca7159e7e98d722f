"""The conformance page in Chromium, on SwiftShader, which runs WebGPU on the processor; and the check of its report."""

import json
import re
import shlex
from contextlib import contextmanager
from functools import cache

import numpy as np
import oracle
import pytest
from chromium import chromium
from thinning import one_in
from waiting import wait_until

from dmlrand.cli import main
from dmlrand.conformance import page as page_module, page_report
from dmlrand.conformance.case import digest
from dmlrand.conformance.page import ENTRY_POINTS, page_cases, page_html
from dmlrand.webgpu import shader_source

PAUSE = 0.05  # seconds between looks at the browser
SWIFTSHADER = ("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")
SHADER = shader_source()
FAULTS = {  # the change of the shader: what dmlrand names, a case that is wrong, and one that is right or None
    "wrong constant": ("0xD2511F53u", "0xD2511F57u", "wrong-m0", "known-zeros", None),
    "missing carry": (
        "counter.w + u32(x < blocks && y == 0u && z == 0u)",
        "counter.w",
        "no-carry-out-of-word-2",
        "carry-96-inside-a-draw",
        "carry-64-inside-a-draw",
    ),
    "wrong place": ("values[first + word]", "values[word]", None, "first-1", "lane-1-length-5"),
    "word too many": ("word < draw.count", "word <= draw.count", None, "length-5", "length-1024"),
}


@cache
def small_cases():
    """The smaller cases, of all kinds. A costly test runs the others."""
    return tuple(case for case in page_cases() if case.count < 10_000)


@cache
def draws():
    return len(ENTRY_POINTS) * len(small_cases())


def faulty(fault):
    right, wrong, *_ = FAULTS[fault]
    assert SHADER.count(right) == 1
    return SHADER.replace(right, wrong)


@contextmanager
def pages_of(cases):
    """Pages and checks of reports with these cases."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page_module, "page_cases", lambda: cases)
        patch.setattr(page_report, "page_cases", lambda: cases)
        yield


@pytest.fixture(scope="module", autouse=True)
def only_small_cases():
    with pages_of(small_cases()):
        yield


# The page without a browser


def test_the_cases():
    """conformance 6.2"""
    cases = page_cases()
    names = [case.name for case in cases]
    assert len(set(names)) == len(names) == 93
    assert {(case.lane, case.count) for case in cases} >= {(lane, n) for lane in range(4) for n in range(1, 9)}
    for bits in (32, 64, 96, 128):
        assert f"carry-{bits}-inside-a-draw" in names
    assert max(case.count for case in cases) > 65_535 * 64 * 4  # more workgroups than one dimension holds
    assert 4 * max(case.first + case.count for case in cases) < 128 << 20  # every device has bindings of this size
    assert {case.first for case in cases} >= {0, 1, 2, 3}


def test_expected_words_are_those_of_the_oracle():
    """conformance 6.2"""
    for case in page_cases():
        if case.count < 20:
            counter, key = oracle.from_words(case.state[:4]), oracle.from_words(case.state[4:])
            words = np.array(oracle.words(counter, key, case.lane, case.count), np.uint32)
            assert case.right("random_generator").tolist() == words.tolist()
            numbers = (words & 0x7FFFFF).astype(np.float32) * np.float32(2**-23)
            assert case.right("uniform_float32").tolist() == numbers.view(np.uint32).tolist()


def test_the_command_writes_one_file(tmp_path):
    """conformance 6.1: the file names no other file, and the browser refuses connections."""
    assert main(["conformance", "page", str(tmp_path / "page.html")]) == 0
    text = (tmp_path / "page.html").read_text("utf-8")
    assert [case["name"] for case in cases_in(text)] == [case.name for case in small_cases()]
    assert "default-src 'none'" in text and '"@' not in text
    assert not re.search(r"https?:|\bsrc=|<link|@import|\bfetch\(|XMLHttpRequest", text)


def cases_in(text):
    return json.loads(re.search(r"\bCASES = (\[.*\]);", text)[1])


def report_of(wrong=(), source="dmlrand"):
    """A report as the page makes it. `wrong` maps a case and an entry point to the returned words."""
    wrong = dict(wrong)
    entries = []
    for entry_point in ENTRY_POINTS:
        for case in small_cases():
            right = case.right(entry_point)
            got = wrong.get((case.name, entry_point), right)
            entry = {"name": case.name, "entry": entry_point, "sha256": digest(got), "outside": 0}
            if (got != right).any():
                first = int(np.flatnonzero(got != right)[0])
                start = max(0, first - 64)
                entry |= {"mismatches": int((got != right).sum()), "first_wrong": first}
                entry |= {"expected": int(right[first]), "got": int(got[first])}
                entry["excerpt"] = {"start": start, "words": got[start : start + 256].tolist()}
            entries.append(entry)
    return {
        "format": "dmlrand page report",
        "version": 1,
        "adapter": {"vendor": "maker", "architecture": "", "device": "", "description": "model 5"},
        "shader": {"source": source, "sha256": ""},
        "entry_points": list(ENTRY_POINTS),
        "cases": entries,
    }


@pytest.fixture
def check(tmp_path, capsys):
    """A function that runs `dmlrand conformance check`. It returns the exit code and what was printed."""

    def run(report):
        path = tmp_path / "report.json"
        path.write_text(report if isinstance(report, str) else json.dumps(report), "utf-8")
        code = main(["conformance", "check", str(path)])
        return code, *capsys.readouterr()

    return run


def test_a_wrong_hash_is_wrong_whatever_the_page_says(check):
    """conformance 6.6"""
    case = next(case for case in small_cases() if case.name == "lane-3-length-1021")
    words = case.right("random_generator").copy()
    words[700] ^= 1
    code, text, error = check(report_of({(case.name, "random_generator"): words}, "own"))
    assert (code, error) == (1, "")
    first, *_ = text.splitlines()
    assert first.startswith(f"WRONG: 1 of {draws()} cases is wrong: your shader on maker model 5.")
    assert "* lane-3-length-1021, random_generator: Whether a draw of 1021 words" in text
    assert "    1 of 1021 words are wrong, the first is word 700\n" in text
    assert f"    expected {words[700] ^ 1:#010x}, got {words[700]:#010x}\n" in text


def test_a_right_report_is_ok_and_a_case_that_did_not_run_is_missing(check):
    """conformance 6.6"""
    report = report_of()
    assert check(report) == (0, f"ok: all {draws()} cases are right: dmlrand's shader on maker model 5.\n", "")
    del report["cases"][5]
    code, text, _ = check(report)
    assert code == 1 and text.startswith(f"WRONG: 0 of {draws()} cases are wrong, and 1 has no complete")


@pytest.mark.parametrize(
    "make_report, said",
    [
        (lambda: "{", "cannot be read as a report"),
        (lambda: "[]", "cannot be read as a report"),
        (lambda: report_of() | {"format": "another"}, "it must have the format 'dmlrand page report'"),
        (lambda: report_of() | {"version": 2}, "and the version 1"),
        (lambda: report_of() | {"cases": [{"name": "another", "entry": "uniform_float32"}]}, "not those of this"),
        (lambda: report_of() | {"entry_points": []}, "not those of this version"),
        (lambda: report_of() | {"cases": 5}, "cannot be read as a report"),
    ],
)
def test_another_file_is_refused(make_report, said, check):
    """conformance 6.6"""
    code, text, error = check(make_report())
    assert (code, text) == (2, "") and said in error and "Traceback" not in error


# In Chromium


def written(folder):
    """The address of a page."""
    path = folder / "page.html"
    path.write_text(page_html(), "utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def page(only_small_cases, tmp_path_factory):
    return written(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def opened(page, tmp_path_factory):
    """The browser after the first run of the page, and how that run ended."""
    with chromium(tmp_path_factory.mktemp("chromium"), *SWIFTSHADER) as driver:
        driver.get(page)
        yield driver, (ended(driver), verdict(driver), report_in(driver))


@pytest.fixture(scope="module")
def browser(opened):
    return opened[0]


def text_of(driver, name):
    return driver.execute_script("return document.getElementById(arguments[0]).textContent", name)


def verdict(driver):
    return text_of(driver, "verdict")


def report_in(driver):
    return driver.execute_script("return document.getElementById('report').value")


def click(driver, name):
    driver.execute_script("document.getElementById(arguments[0]).click()", name)


def ended(driver):
    """The first word of the title, after a run ended."""
    return wait_until(lambda: not driver.title.startswith("running") and driver.title, pause=PAUSE).partition(":")[0]


def run_shader(driver, source):
    driver.execute_script("document.getElementById('source').value = arguments[0]", source)
    click(driver, "run")
    return ended(driver)


def assert_all_right(driver, check, draws, words):
    end, said = ended(driver), verdict(driver)
    assert end == "PASS", said
    assert re.fullmatch(rf"All {draws} cases are right, {words:,} words: dmlrand's shader on .*swiftshader.*\.", said)
    code, text, _ = check(report_in(driver))
    assert code == 0 and text.startswith(f"ok: all {draws} cases are right: dmlrand's shader on ")
    assert driver.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert driver.get_log("browser") == []


@pytest.mark.costly
def test_the_shader_is_right_on_every_case(check, tmp_path):
    """conformance 6.2, 6.3 and 6.6, and webgpu 1.1: from file://, with the real WebGPU of a browser."""
    with pages_of(page_cases()), chromium(tmp_path / "profile", *SWIFTSHADER) as driver:
        driver.get(written(tmp_path))
        assert_all_right(driver, check, 186, 39_346_068)


def test_the_shader_is_right_on_the_smaller_cases(browser, check):
    """conformance 6.2, 6.3 and 6.6"""
    assert_all_right(browser, check, draws(), len(ENTRY_POINTS) * sum(case.count for case in small_cases()))


def test_the_page_cannot_connect(browser):
    """conformance 6.1"""
    connect = "const done = arguments[0]; fetch('data:,1').then(() => done('connected'), () => done('refused'))"
    assert browser.execute_async_script(connect) == "refused"
    browser.get_log("browser")  # the refusal is in the log


@pytest.mark.parametrize("fault", one_in(4, FAULTS))
def test_a_faulty_shader_is_told_apart(fault, browser, check):
    """conformance 6.3, 6.4 and 6.6: a wrong constant and a missing carry get their names."""
    *_, finding, wrong, right = FAULTS[fault]
    assert run_shader(browser, faulty(fault)) == "FAIL"
    code, text, _ = check(report_in(browser))
    assert code == 1 and re.search(rf"^\* {wrong}, random_generator: ", text, re.MULTILINE)
    assert right is None or f"* {right}, " not in text
    assert finding is None or f"* {finding}, " in text
    rows = browser.execute_script("return [...document.querySelectorAll('#rows tr')].map(row => row.textContent)")
    assert any(row.startswith(wrong) and "WRONG" in row for row in rows)
    assert right is None or not any(row.startswith(right) and "WRONG" in row for row in rows)


def test_a_wrong_case_offers_a_dump_that_verify_explains(browser, tmp_path, monkeypatch, capsys):
    """conformance 6.4"""
    assert run_shader(browser, faulty("missing carry")) == "FAIL"
    shown = browser.execute_script("return document.querySelector('.case').innerText")
    assert "8 of 16 words are wrong. First wrong word: 8 (counting from 0), block 2, lane 0" in shown
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    browser.execute_script("document.querySelector('.case a.button').click()")
    dump = tmp_path / "carry-96-inside-a-draw.random_generator.bin"
    wait_until(lambda: dump.exists() and dump.stat().st_size == 64, pause=PAUSE)
    command = shlex.split(browser.execute_script("return document.querySelector('.case pre').textContent"))
    assert command[0] == "dmlrand"
    monkeypatch.chdir(tmp_path)
    assert main(command[1:]) == 1 and "no-carry-out-of-word-2" in capsys.readouterr().out


@pytest.mark.costly
def test_a_shader_with_one_entry_point_runs(browser):
    """conformance 6.5"""
    source = SHADER[: SHADER.index("// Entry point: the low 23 bits")]
    assert run_shader(browser, source) == "PASS"
    assert re.match(r"All 8\d cases are right, .* words: your shader on ", verdict(browser))
    assert json.loads(report_in(browser))["entry_points"] == ["random_generator"]


@pytest.mark.costly
@pytest.mark.parametrize(
    "source, said",
    [
        (SHADER.replace("fn block(", "fn blokc("), r"The shader does not compile\. line \d+: .*block"),
        ("fn main() {}", "The shader has no entry point named random_generator or uniform_float32."),
        (
            SHADER.replace("@workgroup_size(64)", "@workgroup_size(256)"),
            r"The shader has workgroups of 256. Write @workgroup_size\(64\).$",
        ),
    ],
)
def test_a_shader_that_cannot_run_is_explained(source, said, browser):
    """conformance 6.5"""
    assert run_shader(browser, source) == "ERROR"
    assert re.match(said, verdict(browser))


@pytest.mark.costly
def test_a_browser_that_cannot_run_says_what_to_do(page, tmp_path):
    """conformance 6.3"""
    with chromium(tmp_path, "--disable-gpu") as driver:
        for before, said in (
            ("", "WebGPU has no adapter here"),
            ("delete Navigator.prototype.gpu", "This browser has no WebGPU"),
        ):
            driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": before})
            driver.get("about:blank")
            driver.get(page)
            assert ended(driver) == "ERROR"
            assert verdict(driver) == f"{said}, so nothing was run."
            assert "On Linux" in text_of(driver, "remedy") and "--enable-unsafe-webgpu" in text_of(driver, "flags")
            assert not driver.find_element("id", "save").is_displayed()  # there is no report
