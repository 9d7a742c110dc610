"""Reports in a browser, wide and narrow, light and dark: nothing overflows, nothing overlaps, everything works.

Needs Chromium and its driver; the tests are skipped where there is none.
"""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from jamaica_sim.cli import main
from jamaica_sim.report.index import write_index, write_record
from jamaica_sim.report.page import write_report
from jamaica_sim.report.report import make_report
from jamaica_sim.study.experiment.file import experiment_from_text
from jamaica_sim.study.experiment.run_experiment import run_experiment

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM or not DRIVER, reason="there is no Chromium with its driver on this machine"),
]
SCREENS = {"desk": (1280, 800), "phone": (390, 844)}
SHIPPED = sorted((Path(__file__).parent.parent / "reports").glob("*.html"))
GHOSTS = """
    compare = "ghost"
    line_ups = ["balanced"]
    [rules]
    edition = ["2021", "2007"]
    [[tables]]
    players = 2
    [[tables]]
    players = [3, 4]
    ghost = [false, true]
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Small reports of an experiment, a run and a comparison, and the index of the first."""
    root = tmp_path_factory.mktemp("pages")
    study = run_experiment(experiment_from_text(GHOSTS, Path("ghosts.toml")), root / "ghosts", games=300)
    report = make_report(study)
    write_report(report, root / "ghosts.html")
    write_record(report, root)
    write_index(root, "jamaica-sim report --all reports", ["ghosts"])
    run = CliRunner().invoke
    for words in (
        f"run --games 300 --seed 7 --out {root / 'alone'}",
        f"compare balanced racer random --games 90 --players 3 --out {root / 'versus'}",
        f"report {root / 'alone'} --out {root / 'alone.html'}",
        f"report {root / 'versus'} --out {root / 'versus.html'}",
    ):
        done = run(main, words.split())
        assert done.exit_code == 0, done.output
    return {name: root / f"{name}.html" for name in ("ghosts", "alone", "versus", "index")}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--hide-scrollbars",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


def take(browser, screen):
    width, height = SCREENS[screen]
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": screen == "phone"}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def show(browser, path, screen="desk", scheme="light"):
    take(browser, screen)
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    browser.get(path.as_uri())


OVERFLOWS = """
const out = [], wide = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth > wide + 1) out.push("the page: " + document.documentElement.scrollWidth);
for (const e of document.querySelectorAll("main *")) {
  if (e.closest(".scroll") || e.closest("details:not([open])") || !e.getClientRects().length) continue;
  const r = e.getBoundingClientRect();
  if (!r.width || !r.height) continue;
  if (r.right > wide + 1 || r.left < -1) out.push(e.tagName + " " + (e.textContent || "").slice(0, 40));
}
for (const t of document.querySelectorAll("svg.chart text")) {
  const box = t.ownerSVGElement.getBoundingClientRect(), r = t.getBoundingClientRect();
  if (!r.width) continue;
  if (r.left < box.left - 2 || r.right > box.right + 2 || r.top < box.top - 2 || r.bottom > box.bottom + 2)
    out.push("text out of its chart: " + t.textContent);
}
return out;
"""
OVERLAPS = """
const out = [];
for (const svg of document.querySelectorAll("svg.chart")) {
  const texts = [...svg.querySelectorAll("text")].map(t => [t.textContent, t.getBoundingClientRect()])
    .filter(([_, r]) => r.width);
  for (let i = 0; i < texts.length; i++) for (let j = i + 1; j < texts.length; j++) {
    const [a, p] = texts[i], [b, q] = texts[j];
    const x = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const y = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    if (x > 1.5 && y > 3) out.push(a + " | " + b);
  }
}
return out;
"""
SMALL = """
return [...document.querySelectorAll("svg.chart text")].filter(t => t.getClientRects().length)
  .filter(t => parseFloat(getComputedStyle(t).fontSize) * t.ownerSVGElement.getBoundingClientRect().width
    / t.ownerSVGElement.viewBox.baseVal.width < 9.5).map(t => t.textContent);
"""
FAINT = """
function rgb(text) { return text.match(/[\\d.]+/g).slice(0, 3).map(Number); }
function light(c) {
  const [r, g, b] = c.map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b; }
const paper = light(rgb(getComputedStyle(document.body).backgroundColor)), out = new Set();
for (const e of document.querySelectorAll("p, h1, h2, h3, li b, li span, summary, td, th, a, figcaption *, svg text")) {
  const style = getComputedStyle(e), colour = e.tagName === "text" ? style.fill : style.color;
  if (!e.getClientRects().length || (e.tagName === "text" && e.classList.contains("f-onfill"))) continue;
  const own = light(rgb(colour)), high = Math.max(own, paper), low = Math.min(own, paper);
  if ((high + .05) / (low + .05) < 4.5) out.add(e.tagName + " " + colour + " " + e.textContent.slice(0, 30));
}
return [...out];
"""
STICKS = """
const out = [];
for (const section of document.querySelectorAll("section")) {
  const text = section.querySelector(".txt > div").lastElementChild;
  const tables = section.querySelector(".tables > summary");
  const box = section.getBoundingClientRect(), top = box.top + scrollY;
  for (let y = Math.max(0, top - 100); y < top + box.height; y += 40) {
    scrollTo(0, y);
    const over = text.getBoundingClientRect().bottom - tables.getBoundingClientRect().top;
    if (over > 0) { out.push(section.id + " " + over); break; }
  }
}
return out;
"""


def test_text_that_stays_in_sight_does_not_run_over_the_tables(browser, pages):
    show(browser, pages["ghosts"])
    assert browser.execute_script(STICKS) == []


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", ["ghosts", "alone", "versus", "index"])
def test_nothing_overflows_or_overlaps(browser, pages, name, screen):
    show(browser, pages[name], screen)
    assert browser.execute_script(OVERFLOWS) == []
    assert browser.execute_script(OVERLAPS) == []
    assert browser.execute_script(SMALL) == []


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_shipped_reports(browser, path):
    """Loaded once, then taken from screen to screen: to load them takes longest, and the layout is the same."""
    show(browser, path)
    for screen in SCREENS:
        take(browser, screen)
        assert browser.execute_script("return document.documentElement.clientWidth") == SCREENS[screen][0]
        assert browser.execute_script(OVERFLOWS) == []
        assert browser.execute_script(OVERLAPS) == []
        assert browser.execute_script(SMALL) == []
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["ghosts", "alone", "versus", "index"])
def test_text_can_be_read_on_its_paper(browser, pages, name, scheme):
    show(browser, pages[name], scheme=scheme)
    dark = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert dark == ("rgb(21, 24, 29)" if scheme == "dark" else "rgb(253, 252, 249)")
    assert browser.execute_script(FAINT) == []


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", ["ghosts", "alone", "versus"])
def test_the_first_screen_holds_headline_numbers_and_chart(browser, pages, name, screen):
    show(browser, pages[name], screen)
    tops = browser.execute_script(
        "return ['h1', '.keys', '.hero svg:not([style*=none])'].map(s => [...document.querySelectorAll(s)]"
        ".filter(e => e.getClientRects().length)[0].getBoundingClientRect()).map(r => [r.top, r.bottom])"
    )
    height = SCREENS[screen][1]
    assert tops[0][1] < height and tops[1][0] < height
    assert tops[2][1] <= height if screen == "desk" else tops[2][0] < height - 60


@pytest.mark.parametrize("name", ["ghosts", "alone", "versus", "index"])
def test_anchors_work_and_the_console_is_silent(browser, pages, name):
    show(browser, pages[name])
    dead = browser.execute_script(
        "return [...document.querySelectorAll('a[href^=\"#\"]')].map(a => a.hash.slice(1))"
        ".filter(id => !document.getElementById(id))"
    )
    assert dead == []
    links = browser.execute_script("return [...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))")
    for link in links:
        assert link.startswith(("#", "data:text/csv;base64,")) or (pages[name].parent / link).is_file(), link
    assert [entry for entry in browser.get_log("browser") if entry["level"] != "DEBUG"] == []


def test_folded_tables_open_and_sort(browser, pages):
    show(browser, pages["ghosts"])
    assert browser.execute_script("return document.querySelector('table.sort').checkVisibility()") is False
    opened = browser.execute_script(
        "document.querySelectorAll('details > summary').forEach(s => s.click());"
        "return [...document.querySelectorAll('details')].every(d => d.open)"
    )
    assert opened
    assert browser.execute_script(OVERFLOWS) == []
    for down in (True, False):
        rows, sort = browser.execute_script(
            "const t = [...document.querySelectorAll('table.sort')].find(t => t.tBodies[0].rows.length > 2"
            " && t.tHead.rows[0].cells[1].textContent === 'win rate'),"
            "b = t.tHead.querySelectorAll('button')[1]; b.click();"
            "return [[...t.tBodies[0].rows].map(r => Number(r.cells[1].dataset.v)),"
            "b.closest('th').getAttribute('aria-sort')]"
        )
        assert rows == sorted(rows, reverse=down) and len(set(rows)) > 1
        assert sort == ("descending" if down else "ascending")


def test_print_shows_the_wide_charts_on_white(browser, pages):
    show(browser, pages["ghosts"], "phone", "dark")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = browser.execute_script(
        "return ['.pic .wide', '.pic .narrow'].map(s => document.querySelector(s).getClientRects().length)"
    )
    assert shown == [1, 0]
    assert browser.execute_script("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
