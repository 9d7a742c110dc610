"""axe-core on the pages: nothing serious or critical. It comes from npm for this test alone."""

import random
import shutil
import subprocess

import pytest
from browsers import CHROMIUM, DRIVER, browser, studio, wait_until  # noqa: F401
from play_driver import play_through, playing  # noqa: F401

from jamaica_sim import replay, replay_page, report_on, simulate

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="Chromium and chromedriver are not installed"),
    pytest.mark.xdist_group("browser"),
]


AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] }).then(found => done(found.violations
  .filter(v => ['serious', 'critical'].includes(v.impact))
  .map(v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200)])));
"""


@pytest.fixture(scope="module")
def axe(tmp_path_factory):
    """axe-core from npm; without it nothing is checked."""
    folder = tmp_path_factory.mktemp("axe")
    npm = shutil.which("npm")
    words = [npm or "", "install", "--no-audit", "--no-fund", "--prefix", str(folder), "axe-core@4"]
    if npm is None or subprocess.run(words, capture_output=True, timeout=120).returncode:
        pytest.skip("npm cannot install axe-core")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text()


def serious(browser, axe):  # noqa: F811
    """What axe-core finds on the page as it is, in light and in dark."""
    found = []
    for scheme in ("light", "dark"):
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        browser.execute_script(axe)
        found += [(scheme, *one) for one in browser.execute_async_script(AXE)]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    return found


def test_axe_finds_nothing_serious_at_the_table(browser, playing, axe):  # noqa: F811
    play, opened = playing([None, "balanced", "balanced"])
    assert serious(browser, axe) == []
    browser.execute_script("document.getElementById('coach').click()")
    wait_until(lambda: browser.execute_script("return play.advice"), 30)
    assert serious(browser, axe) == []
    for dialog in ("help", "cards", "games"):
        browser.execute_script(f"document.getElementById('{dialog}').click()")
        wait_until(lambda: browser.find_elements("css selector", "dialog[open]"), 30)
        assert serious(browser, axe) == [], dialog
        browser.execute_script("document.querySelector('dialog[open]').close()")
    play_through(browser, random.Random(4).choice)
    browser.execute_script("document.querySelector('[data-review]').click()")
    wait_until(lambda: browser.find_elements("css selector", ".review"), 90)
    assert serious(browser, axe) == []
    browser.execute_script("location.hash = 'new'")
    wait_until(lambda: browser.find_elements("css selector", "#set-seats li"), 30)
    assert serious(browser, axe) == []


def test_axe_finds_nothing_serious_in_studio_replay_and_report(browser, axe, tmp_path, studio):  # noqa: F811
    trace = replay(3, players=3, strategies="balanced")
    replay_page(trace, tmp_path / "replay.html")
    simulate(games=400, players=3, strategies="balanced", out=tmp_path / "run")
    report_on(tmp_path / "run", tmp_path / "report.html")
    for page in ("replay.html", "report.html"):
        browser.get((tmp_path / page).as_uri())
        assert serious(browser, axe) == [], page
    browser.get(studio)
    wait_until(lambda: browser.find_elements("css selector", "#spaces g"), 60)
    assert serious(browser, axe) == []
