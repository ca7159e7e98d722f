"""Chromium without a window, for tests of pages. Tests are skipped where it is not installed."""

import shutil
from contextlib import contextmanager

import pytest
from waiting import LIMIT

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    "--headless --no-sandbox --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars"
).split()


@contextmanager
def chromium(profile, *flags):
    """A driver of selenium. `profile` is an empty folder."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed (extra `test`)")
    if not (CHROMIUM and DRIVER):
        pytest.skip("chromium and chromedriver are not installed: no page is read in a browser")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in [*FLAGS, *flags, f"--user-data-dir={profile}"]:
        options.add_argument(flag)
    driver = webdriver.Chrome(options, webdriver.ChromeService(DRIVER))
    try:
        driver.set_page_load_timeout(LIMIT)
        driver.set_script_timeout(LIMIT)
        yield driver
    finally:
        driver.quit()
