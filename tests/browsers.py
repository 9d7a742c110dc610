"""A real browser for tests of pages."""

import os
import shutil
import signal
import subprocess
import sys
import time

import httpx
import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --hide-scrollbars"
).split()


@pytest.fixture(scope="module")
def browser():
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


def wait_until(is_so, seconds=120):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def press(browser, *keys):
    from selenium.webdriver import ActionChains

    chain = ActionChains(browser)
    for key in keys:
        chain.send_keys(key)
    chain.perform()


def started(*options):
    """A studio in a process of its own, and its address."""
    command = [sys.executable, "-m", "jamaica_sim", "studio", "--no-browser", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in process.stdout:
        if line.startswith("Open "):
            return process, line.split()[1]
    raise AssertionError("the studio did not start")


def ended(process):
    """End a studio as Ctrl-C does; how long it took."""
    before = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.wait(10)
    return time.monotonic() - before


@pytest.fixture(scope="module")
def studio():
    process, address = started("--port", "0") if os.name == "nt" else started()
    wait_until(lambda: 'id="data"' in httpx.get(address, timeout=60).text, 600)  # the first time its engine is compiled
    yield address
    took = ended(process)
    assert took < 6 and process.returncode == 0  # far less on a machine that does nothing else
    assert "Traceback" not in process.stdout.read()
