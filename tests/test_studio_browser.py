"""The studio in a real browser: every control by mouse and keyboard, narrow and dark, and no complaint in the console.

Chromium and its driver come from the system, as for the replay page; without them all is skipped.
"""
# Fixtures are imported and then named as arguments.
# ruff: noqa: F401, F811

import json
import os
import random
import re
import time
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from browsers import CHROMIUM, DRIVER, browser, ended, press, started, studio, wait_until
from command import type_in

from jamaica_sim import simulate
from jamaica_sim.game.components import board
from jamaica_sim.game.components.course import board_text
from jamaica_sim.game.house_file import house_rules_of, shipped_house_rules
from jamaica_sim.game.rules import Rules
from jamaica_sim.game.variant import rule_rows

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="Chromium and chromedriver are not installed"),
    pytest.mark.xdist_group("browser"),
]
PICTURE = Path(__file__).parent.parent / "docs" / "_static" / "studio.png"
SEATS = ["balanced", "racer", "hoarder", "treasure_hunter"]


class Page:
    """The studio's page and what one does on it."""

    def __init__(self, driver):
        self.driver = driver

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def click(self, selector):
        """A click as a person makes it, on what is in sight; once more if it was just drawn anew."""
        from selenium.common.exceptions import StaleElementReferenceException

        for is_last in (False, False, True):
            try:
                element = self.find(selector)
                self.js("arguments[0].scrollIntoView({ block: 'center' })", element)
                return element.click()
            except StaleElementReferenceException:
                if is_last:
                    raise
                time.sleep(0.2)

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0])?.innerText ?? ''", selector).strip()

    def figures(self, games=400):
        """The figures, once there are that many games of what is asked now."""
        ready = (
            "const now = window.studio?.now; return now?.first > 0 && now.figures && now.figures.games >= arguments[0]"
        )
        wait_until(lambda: self.js(ready, games), 180)
        return self.js("return studio.now.figures")

    def changes(self):
        return self.js("return Object.fromEntries(new URLSearchParams(location.hash.slice(1)))")

    def address(self, part):
        wait_until(lambda: part in self.driver.current_url, 20)


@pytest.fixture
def opened(browser, studio):  # noqa: F811
    """Opens the studio at a fragment. At the end the console must be empty."""

    def open_page(fragment="", width=1280, height=900, scheme="light", address=studio):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        wanted = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        features = [{"name": key, "value": value} for key, value in wanted.items()]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        browser.get("about:blank")
        browser.get(f"{address}#{fragment}")
        wait_until(lambda: browser.find_elements("css selector", "[data-players]"))
        return Page(browser)

    browser.get(studio)
    browser.execute_script("localStorage.clear()")  # the notebook of the test before
    browser.get_log("browser")
    yield open_page
    browser.get("about:blank")
    assert browser.get_log("browser") == []


def test_figures_are_those_of_run(opened):
    page = opened("space.6.cost=0&hand_size=4&measure=" + quote("cost=shortages/battles"))
    page.js("studio.most = 768")
    shown = page.figures(768)
    assert shown["games"] == 768
    rows = {row["key"]: row for row in shown["rows"]}
    rules, own = Rules().but(**{"space.6.cost": 0, "hand_size": 4}), {"cost": "shortages / battles"}
    varied = simulate(games=768, rules=rules, strategies=SEATS, measures=own)
    assert rows["own:cost"]["value"] == pytest.approx(varied.of_game("cost").value, abs=1e-6)
    assert rows["shortages"]["value"] == pytest.approx(varied.of_game("shortages").value, abs=1e-6)
    assert page.text("tr[data-row='shortages'] .value") == f"{varied.of_game('shortages').value:.1f}"
    rate = 100 * varied.win_rate("hoarder").value
    assert page.text("tr[data-row='win:hoarder'] .value") == (f"{rate:.1f}%" if rate < 9.95 else f"{rate:.0f}%")


def test_the_sentence_and_a_clear_figure(opened):
    page = opened("hand_size=6")
    page.figures(3000)
    assert page.text("#sentence").startswith("A hand of 6: ") and "rounds shorter" in page.text("#sentence")
    assert page.find("tr[data-row='rounds']").get_attribute("class") == "is-clear"
    assert page.text("tr[data-row='rounds'] .verdict").startswith("−")
    assert page.driver.title.startswith("A hand of 6")


def test_a_rule_by_mouse_and_keyboard_with_undo_and_redo(opened):
    from selenium.webdriver import Keys

    page = opened()
    page.figures(192)
    page.click("[data-row='hand_size'] [data-by='1']")
    page.address("hand_size=4")
    slider = page.find("#rule-start_food")
    page.js("arguments[0].scrollIntoView({ block: 'center' }); arguments[0].focus()", slider)
    slider.send_keys(Keys.ARROW_RIGHT)
    page.address("start_food=4")
    wait_until(lambda: page.text("#changed").count("→") == 3)  # Morgan’s Map follows
    page.click("#undo")
    wait_until(lambda: "start_food" not in page.driver.current_url)
    page.click("#redo")
    page.address("start_food=4")
    page.js("document.activeElement.blur()")
    from selenium.webdriver import ActionChains

    ActionChains(page.driver).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    wait_until(lambda: "start_food" not in page.driver.current_url)
    page.click("#changed [data-reset='hand_size']")
    wait_until(lambda: "hand_size" not in page.driver.current_url)
    assert not page.find("#changed-panel").is_displayed()


def test_finding_a_rule(opened):
    page = opened()
    page.figures(192)
    press(page.driver, "/")
    page.find("#find").send_keys("lady beth")
    names = page.js("return [...document.querySelectorAll('#rules [data-row]')].map(row => row.dataset.row)")
    assert names == ["lady_beth_bonus", "treasure.lady_beth.copies"]
    page.find("#find").clear()
    page.find("#find").send_keys("zzz")
    assert "No rule has these words" in page.text("#rules")


def test_the_board_is_an_editor(opened):
    from selenium.webdriver import Keys

    page = opened()
    page.figures(192)
    page.find("#space-6").click()
    assert page.text("#editor h3") == "Port 6"
    page.click("#editor [data-value='lair']")
    page.address("space.6.kind=lair")
    page.click("#editor [data-value='sea']")
    page.address("space.6.kind=sea")
    page.click("#editor [data-name='space.6.score'][data-by='1']")
    page.address("space.6.score=-4")
    press(page.driver, Keys.ESCAPE)
    assert not page.find("#editor").is_displayed()
    press(page.driver, Keys.ARROW_RIGHT, "+")
    page.address("space.7.cost=3")
    press(page.driver, Keys.ENTER)
    assert page.text("#editor h3") == "Sea 7"
    onward = page.find("#onward")
    assert onward.get_attribute("value") == "8"
    onward.send_keys(Keys.CONTROL + "a" + Keys.NULL, "9", Keys.TAB)
    wait_until(lambda: page.js("return studio.now.refusal"))
    assert "could never be reached" in page.text("#editor .wrong")
    page.click("#editor [data-undo]")
    wait_until(lambda: not page.js("return studio.now.refusal"))


def test_dice_treasures_cards_and_lists(opened):
    from selenium.webdriver import Keys

    page = opened("players=3&ghost=1&edition=2021")
    page.figures(192)
    for opener, choice, part in (
        ("die.action_die.0", "[data-value='6']", "action_die=6%2C2|action_die=6,2"),
        ("die.combat_die.5", "[data-value='12']", "combat_die=2,4,6,8,10,12"),
        ("die.shortage_die.0", "[data-value='star']", "shortage_die=star"),
        ("treasure.plus_7", "[data-name='treasure.plus_7.value'][data-by='1']", "treasure.plus_7.value=8"),
        ("card.3", "[data-value='gold/food']", "card.3=gold/food"),
    ):
        page.click(f"#shelf [data-open='{opener}']")
        page.click(f"#editor {choice}")
        wait_until(lambda part=part: any(text in page.driver.current_url for text in part.split("|")), 20)
    press(page.driver, Keys.ESCAPE)
    page.click("#shelf [data-add='action_die']")
    page.address("action_die=6,2,3,4,5,6,7")
    page.js("document.querySelector('[data-theme-name=\"The ghost ship\"]').open = true")
    page.click("[data-row='ghost_gold'] button")
    page.click("#editor [aria-label='more first hold']")
    page.address("ghost_gold=6,3")
    page.figures(192)
    assert not page.js("return studio.now.refusal")


@pytest.mark.parametrize("width", (1280, 1000))
def test_nothing_moves_under_the_pointer(opened, width):
    """Longer sentences come in while somebody clicks, and the list of changes grows above the rule that is clicked."""
    page = opened(width=width)
    page.figures(192)
    top = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    more = "[data-row='start_food'] [data-by='1']"
    page.js("arguments[0].scrollIntoView({ block: 'center' })", page.find(more))
    for amount in range(4, 7):
        before = page.js(top, more)
        page.find(more).click()
        page.address(f"start_food={amount}")
        assert page.js(top, more) == pytest.approx(before, abs=1)
    with_sentence = """sentence.textContent = arguments[0];
        return [shelf, headline].map(element => element.getBoundingClientRect().top)"""
    places = [page.js(with_sentence, "Too few games. " * times) for times in (1, 5, 11)]
    assert len({below - above for below, above in places}) == 1


def test_an_editor_stays_where_it_was_opened(opened):
    page = opened()
    page.figures(192)
    page.click("#shelf [data-open='die.action_die.0']")
    bottom = "return document.getElementById('editor').getBoundingClientRect().bottom"
    before = page.js(bottom)
    page.click("#editor [data-value='6']")
    page.address("action_die=6,2")
    page.figures(192)
    assert page.js(bottom) == pytest.approx(before, abs=1)


def test_the_focus_stays_where_it_is(opened):
    """What was changed by keyboard can be changed again, and Escape leads nowhere when nothing is open."""
    from selenium.webdriver import Keys

    page = opened()
    page.figures(192)
    held = "return document.activeElement.id || JSON.stringify({ ...document.activeElement.dataset })"
    for selector, key, part in (
        ("#seat-1", Keys.ARROW_DOWN, "s=balanced,random"),
        ("[data-players='3']", Keys.ENTER, "players=3"),
        ("#house-rules", Keys.ARROW_DOWN, "house_rules="),
        ("#shelf [data-add='action_die']", Keys.ENTER, "action_die=1,2,3,4,5,6,7"),
    ):
        page.js("document.querySelector(arguments[0]).focus()", selector)
        before = page.js(held)
        press(page.driver, key)
        page.address(part)
        page.figures(192)
        assert page.js(held) == before
    page.js("document.querySelector('#shelf [data-open=\"die.action_die.0\"]').focus()")
    press(page.driver, Keys.ENTER)
    page.js("document.querySelector('#editor [data-value=\"4\"]').focus()")
    press(page.driver, Keys.ENTER)
    page.address("action_die=4,2")
    assert page.js("return document.activeElement.dataset.value") == "4"
    press(page.driver, Keys.ESCAPE)
    assert page.js(held) == '{"open":"die.action_die.0"}'
    page.js("document.activeElement.blur()")
    press(page.driver, Keys.ESCAPE)
    assert page.js("return document.activeElement === document.body")


def test_dialogs_are_as_tall_before_their_answers_and_show_none_of_another_variant(opened):
    page = opened("hand_size=4")
    page.figures(192)
    end = "return document.querySelector('#trial-text form').getBoundingClientRect().top"
    for opener, there in (("[data-curve='start_food']", ".curve-chart"), ("[data-screen='shortages']", ".ranking")):
        page.js("document.querySelector(arguments[0]).click()", opener)
        before = page.js(end)
        wait_until(lambda there=there: page.driver.find_elements("css selector", f"#trial {there}"))
        assert page.js(end) == pytest.approx(before, abs=14)  # a long name of a rule may take a second line
        page.click("#trial-text .strong")
    page.click("#keep")
    wait_until(lambda: "hand_size = 4" in page.text("#toml"))
    page.click("#keep-text .strong")
    page.js("window.fetch = () => Promise.reject(new TypeError('no server'))")
    page.js("document.getElementById('report').click()")
    wait_until(lambda: "has stopped" in page.js("return document.getElementById('report-words').textContent"))


def test_a_board_of_ones_own(opened):
    """Controls begin with its values, what the printed board has is a change, and without it all is as printed."""
    spaces = [replace(space, cost=9) if n == 6 else space for n, space in enumerate(board())]
    page = opened(f"board={quote('mine:' + board_text(spaces))}")
    page.figures(192)
    assert page.text("#changed").split() == ["board", "printed", "→", "mine", "×"]
    assert page.text("#sentence").startswith("Board “mine”")
    page.find("#space-6").click()
    assert page.text("#editor .stepper output").startswith("9") and "as on the board" in page.text("#editor")
    assert not page.js("return document.querySelectorAll('.changed-ring').length")
    for cost in range(8, 4, -1):
        page.click("#editor [data-name='space.6.cost'][data-by='-1']")
        page.address(f"space.6.cost={cost}")
    wait_until(lambda: page.js("return document.querySelectorAll('.changed-ring').length") == 1)
    page.click("#changed [data-reset='board']")
    wait_until(
        lambda: (
            "board=" not in page.driver.current_url and page.js("return studio.now.told.title") == "The printed rules"
        )
    )
    page.click("#undo")
    page.address("board=mine")
    page.figures(192)
    assert page.changes()["space.6.cost"] == "5"


def test_long_names_and_values_stay_in_their_panels(opened):
    page = opened(
        "action_die=2,2,3,4,5,6,7,8&shortage_die=skull,skull,skull,skull,skull,skull&edition=2021&card.3=gunpowder/backward"
    )
    page.figures(192)
    page.js(
        "document.getElementById('house-rules').options[0].textContent = 'a house of thirteen lairs that always pay'"
    )
    assert page.js("return document.getElementById('left').scrollWidth <= document.getElementById('left').clientWidth")
    heights = page.js("return [...document.querySelectorAll('#changed li')].map(line => line.offsetHeight)")
    assert len(heights) == 3 and max(heights) < 30  # each in one line, with the cross that takes it back


MARKUP = '"><img src=x onerror="window.foreign=1"><b class=foreign>'


def is_clean(page):
    """Whether a page with such an address plays, and has neither the element nor run its script."""
    page.figures(96)
    return page.js("return !window.foreign && !document.querySelector('img, .foreign')")


@pytest.fixture(params=["served", "exported"])
def place(request, studio, tmp_path):  # noqa: F811
    """Where a studio can be opened."""
    if request.param == "served":
        return studio
    file = tmp_path / "studio.html"
    assert type_in("studio", "--export", file).exit_code == 0
    assert file.stat().st_size < 700_000
    return file.as_uri()


def test_no_markup_comes_in_by_the_address(opened, place):
    """In the name and the value of every rule, in a pin; what does not fit is left out and said, the rest is played."""
    names = [row.name for row in rule_rows(Rules()) if row.name not in ("players", "edition", "ghost", "board")]
    names += [f"card.{number}" for number in range(11, 24)]
    houses = {name: [one.name for one in house_rules_of(name).parameters] for name in shipped_house_rules()}
    foreign = quote(MARKUP)

    def both(names):
        return "&".join(f"{name}={foreign}&{name}{foreign}=1" for name in names)

    parts = [f"edition=2021&hand_size=4&{both(names[first : first + 60])}" for first in range(0, len(names), 60)]
    parts += [f"house_rules={name}&{both(f'house.{one}' for one in ones)}" for name, ones in houses.items() if ones]
    parts += [
        f"card.{foreign}=gold/gold&space.{foreign}.cost=1&treasure.{foreign}.copies=1&house.{foreign}=1",
        f"action_die=1,2,{foreign}&combat_die=1,{foreign}&shortage_die=skull,{foreign}&start_gold=1,2,3,{foreign}",
        f"players={foreign}&s={foreign}&heat={foreign}&pin={quote(f'hand_size={MARKUP}')}&pin={quote(f'{MARKUP}=1')}",
        f"house_rules={foreign}&{foreign}={foreign}",
        "edition=2021&shortage_die=a,b,c",
    ]
    for fragment in parts:
        page = opened(f"{fragment}&players=3", address=place)
        wait_until(lambda page=page: page.text("#alarm"), 30)
        assert is_clean(page), fragment
    assert "shortage_die" in page.text("#alarm")
    page = opened(f"board={quote(f'mine:h#{MARKUP}')}", address=place)
    wait_until(lambda: page.text("#changed .wrong"), 30)
    assert page.js("return !window.foreign && !document.querySelector('img, .foreign')")
    assert all("422" in line["message"] for line in page.driver.get_log("browser"))  # the server refuses such a board
    page = opened("hand_size=99&treasure.plus_7.value=8", address=place)
    page.figures(96)
    assert "hand_size" in page.text("#alarm")
    wait_until(lambda: "hand_size" not in page.changes())  # the address is written a moment after the first figures
    assert page.changes()["treasure.plus_7.value"] == "8"


def test_a_card_more(opened):
    """Every deck may have more cards than the box; they are in the address, in the title and on the shelf."""
    page = opened("card.11=gold/food")
    page.figures(96)
    assert page.text("#sentence").startswith("A card gold/food")
    page.address("card.11=gold/food")
    page.click("[data-open='card.11']")
    page.click("#editor [data-value='gold/backward']")
    page.address("card.11=gold/backward")
    page.figures(96)


def test_goods_by_seat(opened):
    """They are read from an address, stepped all at once, and do not stop a curve."""
    page = opened("start_gold=3,3,4,5")
    page.figures(192)
    assert page.text("#sentence").startswith("3/3/4/5 gold at the start")
    assert page.text("[data-row='start_gold'] output") == "3 3 4 5"
    page.click("[data-row='start_gold'] [data-by='1']")
    page.address("start_gold=4,4,5,6")
    page.click("[data-curve='start_gold']")
    wait_until(lambda: page.js("return document.querySelectorAll('.curve-dot').length") == 11, 60)
    page.click("#trial-text .strong")
    page.click("[data-open='list.start_gold']")
    page.click("#editor [aria-label='more second']")
    page.address("start_gold=4,5,5,6")
    page.click("#editor [data-close]")
    slide = "const range = document.getElementById('rule-start_gold'); range.value = 2; "
    page.js(f"{slide}range.dispatchEvent(new Event('input', {{ bubbles: true }}))")
    page.address("start_gold=2")


def test_the_table(opened):
    from selenium.webdriver.support.ui import Select

    page = opened()
    page.click("[data-players='2']")
    page.address("players=2&edition=2007&ghost=1")
    assert not page.find("[data-ghost='0']").is_enabled()
    page.click("[data-edition='2021']")
    page.address("edition=2021")
    Select(page.find("#seat-1")).select_by_value("champion")
    page.address("s=balanced,champion")
    rows = {row["key"] for row in page.figures(192)["rows"]}
    assert {"win:balanced", "win:champion", "ghost"} <= rows
    assert "searcher" not in page.text("#seat-1")  # it needs the exponential function of a machine


def test_a_rule_that_is_refused_is_said_at_its_control(opened):
    page = opened()
    page.figures(400)
    lair = next(n for n, space in enumerate(board()) if space.kind == "lair")
    page.find(f"#space-{lair}").click()
    page.click("#editor [data-value='port']")
    wait_until(lambda: page.js("return studio.now.refusal"))
    assert "“treasures in the pile” is 9, but there are only 8 lairs" in page.text("#changed .bad .wrong")
    assert page.js("return document.body.classList.contains('refused')")
    assert page.js("return studio.now.figures.games") >= 400  # the last ones stay
    page.click("#changed [data-undo]")
    wait_until(lambda: not page.js("return document.body.classList.contains('refused')"))


def test_clicks_are_not_lost_while_figures_arrive(opened):
    page = opened()
    page.figures(192)
    for _ in range(5):
        page.click("[data-row='hand_size'] [data-by='1']")
        page.click("[data-row='hand_size'] [data-by='-1']")
    page.click("[data-row='hand_size'] [data-by='1']")
    page.address("hand_size=4")


def test_the_heat_map(opened):
    page = opened("hand_size=6")
    page.figures(6000)
    press(page.driver, "h")
    page.address("heat=fought")
    assert page.text("#legend").startswith("Battles")
    page.click("[data-heat='landed']")
    page.click("#heat-change")
    page.address("only=1")
    clear = page.js("return studio.now.figures.spaces.landed[2].filter((sign, n) => n && sign).length")
    assert page.js("return document.querySelectorAll('#heat circle').length") == clear > 5
    page.click("[data-heat='']")
    assert page.text("#legend") == ""


def test_tried_pinned_and_compared(opened):
    page = opened("space.6.cost=0")
    page.figures(5000)
    page.click("#reset-all")
    page.click("[data-row='hand_size'] [data-by='1']")
    page.figures(5000)
    wait_until(lambda: len(page.driver.find_elements("css selector", ".try")) >= 2)
    page.click(".pin[aria-label*='hand of 4']")
    page.click(".pin[aria-label*='Port 6']")
    wait_until(lambda: page.text("#answers").startswith("Two variants"))
    page.figures(800)
    wait_until(lambda: "against" in page.text("#sentence"))
    assert page.driver.current_url.count("pin=") == 2 or page.address("pin=") is None
    address = page.driver.current_url.split("#")[1]
    again = opened(address)
    wait_until(lambda: again.js("return document.getElementById('answers').textContent").startswith("Two variants"))
    again.figures(400)
    assert "A: A hand of 4" in again.text(".versus-head") and "B: Port 6 free" in again.text(".versus-head")
    again.click("#unpin")
    wait_until(lambda: "Two variants" not in again.text("#answers"))
    again.click("[data-row='hand_size'] [data-by='1']")
    again.address("hand_size=5")


def test_the_notebook_outlives_the_page_and_leaves_it(opened):
    page = opened("start_food=2,3,3,4")
    page.js("localStorage.clear()")
    page = opened("start_food=2,3,3,4")
    page.figures(5000)
    page.click("[data-note]")
    page.find("#note-name").send_keys("Hungry")
    page.find("#note-words").send_keys("too hard for Anna")
    page.click("#note-text .strong")
    wait_until(lambda: "Hungry" in page.js("return localStorage.getItem('jamaica-notebook') ?? ''"))
    page = opened("hand_size=4")
    wait_until(lambda: "Hungry" in page.text("#tried"))
    assert "too hard for Anna" in page.text("#tried")
    page.js("URL.createObjectURL = blob => { blob.text().then(text => { window.made = text; }); return ''; }")
    page.js("HTMLAnchorElement.prototype.click = () => {}")
    for button, part in (
        ("experiment", 'name = "1. Hungry"'),
        ("experiment", "start_food = [[2, 3, 3, 4]]"),  # one value
        ("csv", '"Hungry","too hard'),
        ("page", '"name":"Hungry"'),
    ):
        page.js("document.getElementById(arguments[0]).click()", f"out-{button}")
        wait_until(lambda part=part: part in (page.js("return window.made") or ""))
    page.js("localStorage.clear()")


def test_a_tried_variant_comes_back(opened):
    page = opened("space.6.cost=0")
    page.figures(5000)
    page.click("#reset-all")
    page.figures(192)
    wait_until(lambda: page.driver.find_elements("css selector", ".try"))
    page.click(".try:last-of-type .pick")  # the newest stands first
    page.address("space.6.cost=0")


def chosen(page, selector, value):
    """Choose or type a value in a field of a dialog."""
    script = "const e = document.querySelector(arguments[0]); e.value = arguments[1]; "
    page.js(f"{script}e.dispatchEvent(new Event('change', {{ bubbles: true }}))", selector, str(value))


def test_values_of_a_rule_of_two_and_of_all_rules_are_tried_and_taken(opened):
    page = opened()
    page.figures(192)
    page.click("[data-curve='start_food']")
    wait_until(lambda: page.driver.find_elements("css selector", "#trial .curve-dot.mine"))
    chosen(page, "#trial-figure", "rounds")
    wait_until(lambda: "rounds" in page.js("return document.querySelector('#trial .curve-chart')?.textContent ?? ''"))
    page.click("#trial g[data-take]:nth-of-type(2)")
    page.address("start_food=")
    page.click("[data-screen='shortages']")
    wait_until(lambda: len(page.driver.find_elements("css selector", "#trial .ranking tbody tr")) > 8)
    page.click("#trial .ranking [data-curve]")
    wait_until(lambda: page.driver.find_elements("css selector", "#trial .curve-chart"))
    page.click("[data-view='map']")
    chosen(page, "#trial-rule", "start_food")
    chosen(page, "#trial-other", "hand_size")
    cell = "#trial .map tr:first-child td:last-child .cell"
    wait_until(lambda: page.driver.find_elements("css selector", cell))
    page.click(cell)
    wait_until(lambda: {"start_food", "hand_size"} <= set(page.changes()))


def test_a_goal_is_met_in_new_games_and_taken_by_a_click(opened, tmp_path):
    page = opened()
    page.figures(192)
    page.click("[data-screen='battles']")
    page.click("[data-view='goal']")
    page.click("#look")
    assert "one end may stay empty" in page.text("#trial-words")
    chosen(page, "[data-target='0'][data-part='low']", 6.6)
    chosen(page, "[data-target='0'][data-part='high']", 7.6)
    page.click("#look")
    wait_until(lambda: page.driver.find_elements("css selector", "#trial .found-card.met"), 180)
    title = page.text("#trial .found-card.met b")
    page.click("#trial .found-card.met")
    wait_until(lambda: page.text("#changed"))
    assert title.split()[0] in page.text("#changed")


def test_only_what_can_be_played_is_offered_and_what_follows_is_said(opened):
    page = opened("hand_size=4")
    page.figures(192)
    assert page.find("#rule-holds").get_attribute("max") == "5"
    assert "6th Hold, cards" in page.find("[data-row='holds'] [data-by='1']").get_attribute("title")
    assert "Morgan’s Map" in page.text("#changed .follows")
    page = opened("holds=6")
    wait_until(lambda: page.text("#sentence").startswith("These rules cannot be played: six holds"))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_numbers_of_spaces_stand_out_from_the_heat(opened, theme):
    page = opened("heat=landed", scheme=theme)
    page.figures(192)
    style = (
        "const s = getComputedStyle(document.querySelector('#board .number')); return [s.fill, s.stroke, s.paintOrder]"
    )
    fill, stroke, order = page.js(style)
    light = [sum(map(int, re.findall(r"\d+", colour)[:3])) / 3 for colour in (fill, stroke)]
    assert abs(light[0] - light[1]) > 128 and order.startswith("stroke")


def test_keeping_and_sharing(opened):
    page = opened("hand_size=4")
    page.figures(192)
    page.click("#keep")
    wait_until(lambda: "hand_size = 4" in page.text("#toml"))
    assert "jamaica-sim studio --open '#players=4" in page.text("#open-command")
    games = page.text("#command").partition("--games ")[2].split()[0]
    words = f"With the file of rules above the command plays {int(games):,} games: those that the studio had"
    assert page.text("#command-words").startswith(words)
    page.click("#keep-text .strong")
    page.click("#help")
    assert "however often you look" in page.text("#help-text")
    page.click("#help-text button")


def test_a_game_to_watch_opens_in_a_tab(opened):
    page = opened("hand_size=4")
    page.figures(192)
    driver, mine = page.driver, page.driver.current_window_handle
    page.click("#watch")
    wait_until(lambda: len(driver.window_handles) == 2 and page.find("#watch").is_enabled(), 300)
    other = next(handle for handle in driver.window_handles if handle != mine)
    driver.switch_to.window(other)
    wait_until(lambda: driver.execute_script("return typeof FRAMES !== 'undefined' && FRAMES.length > 50"))
    assert driver.execute_script("return DATA.trace.config.rules.hand_size") == 4
    driver.close()
    driver.switch_to.window(mine)


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (820, "light"), (1280, "dark")])
def test_nothing_scrolls_sideways_and_every_control_is_there(opened, width, scheme):
    page = opened("players=6&space.6.cost=0", width, 844, scheme)
    page.figures(400)
    assert page.js("return document.documentElement.scrollWidth") <= width
    assert page.js("return document.documentElement.dataset.theme") == scheme
    assert page.js("return document.getElementById('sentence').getBoundingClientRect().bottom") < 300
    page.js("document.getElementById('space-15').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
    page.click("#editor [data-by='1']")
    page.address("space.15.cost=4")
    box = page.js("return document.getElementById('editor').getBoundingClientRect().toJSON()")
    assert box["left"] >= 0 and box["right"] <= width and box["bottom"] <= 845
    page.click("#editor [data-close]")
    page.click("[data-row='start_food'] [data-by='1']")
    page.address("start_food=4")


def test_a_hidden_page_stops_and_goes_on(opened):
    page = opened("hand_size=5")
    page.figures(192)
    page.js("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    page.js("document.dispatchEvent(new Event('visibilitychange'))")
    time.sleep(1)
    games = page.js("return studio.now.figures.games")
    time.sleep(1.5)
    assert page.js("return studio.now.figures.games") == games
    page.js("Object.defineProperty(document, 'hidden', { value: false, configurable: true })")
    page.js("document.dispatchEvent(new Event('visibilitychange'))")
    wait_until(lambda: page.js("return studio.now.figures.games") > games or page.js("return studio.now.over"))


def test_a_page_without_a_key_says_so(browser, studio):  # noqa: F811
    browser.get(re.sub(r"/[\w-]+/$", "/", studio))
    assert "open the one that jamaica-sim printed" in browser.page_source
    browser.get_log("browser")


def test_the_page_plays_on_without_its_server(browser):  # noqa: F811
    process, address = started("--port", "8471")
    browser.get(f"{address}#hand_size=5")
    page = Page(browser)
    try:
        page.figures(192)
    finally:
        process.kill()
        process.wait(10)
    page.click("[data-row='hand_size'] [data-by='1']")
    page.address("hand_size=6")
    assert page.figures(192)["games"] >= 192
    browser.get("about:blank")
    browser.get_log("browser")  # the page's icon has no server any more


def test_house_rules_of_the_command_line_have_knobs_and_a_link_brings_none(browser, tmp_path):  # noqa: F811
    path = tmp_path / "pays.py"
    path.write_text(
        '"""Lairs pay."""\nfrom jamaica_sim.strategy.house.api import GOLD, give\nPARAMETERS = {"pays": (2, 0, 10)}\n'
        'def lair(game, rules, ship, space, token):\n    give(game, rules, ship, GOLD, PARAMETERS["pays"])\n'
    )
    process, address = started("--port", "8472", "--house-rules", str(path))
    try:
        browser.get(address)
        page = Page(browser)
        page.figures(192)
        page.click("#house [data-by='1']")
        page.address("house.pays=3")
        page.figures(192)
        assert page.text("#sentence").startswith("House rules pays (pays 3)")
        first = browser.current_window_handle
        browser.switch_to.new_window("tab")  # another tab, and a link that names a file
        browser.get(f"{address.split('#')[0]}#house_rules={tmp_path / 'other.py'}&hand_size=4")
        wait_until(lambda: "Left out of the address" in Page(browser).text("#alarm"), 30)
        assert "house_rules" in Page(browser).text("#alarm") and "house_rules" not in Page(browser).changes()
        browser.close()
        browser.switch_to.window(first)
        assert page.changes()["house.pays"] == "3" and page.text("#sentence").startswith("House rules pays (pays 3)")
    finally:
        assert ended(process) < 6
    browser.get("about:blank")
    assert browser.get_log("browser") == []


FAULTY = {
    "loops": "    n = 0\n    while view.round > 2:\n        n += 1\n        if n < 0:\n            break\n",
    "raises": "    if view.round > 2:\n        raise ValueError('no idea')\n",
    "errs": "    if view.round > 2:\n        return 99\n",
}
FAULTS = {
    "s=raises,racer,balanced": "The strategy raises raised ValueError: no idea at choose_card in game ",
    "s=racer,errs,balanced": "The strategy errs answered 99, which is not one of the legal options, at choose_card",
    "s=racer,balanced,loops": "The strategy loops gave no answer for 10 seconds: it seems to loop.",
    "s=racer,balanced,hoarder&house_rules=tides.py": "The house rules tides.py gave no answer for 10 seconds",
}
HOUSE_THAT_LOOPS = """'Loops.'
from jamaica_sim.strategy.house.api import GOLD, give
def lair(game, rules, ship, space, token):
    n = 0
    while n < 10:
        n = (n + 1) % 5
    give(game, rules, ship, GOLD, n)
"""


def test_code_that_loops_or_fails_is_named_and_the_page_plays_on(browser, tmp_path):  # noqa: F811
    named = []
    for name, text in FAULTY.items():
        code = tmp_path / f"{name}.py"
        head = '"""A fault."""\nfrom jamaica_sim.strategy.api import lowest\ndef choose_card(view, rules, weights):\n'
        code.write_text(f"{head}{text}    return lowest(view.legal)\n")
        named += ["-s", code]
    house = tmp_path / "tides.py"
    house.write_text(HOUSE_THAT_LOOPS)
    file = tmp_path / "studio.html"
    done = type_in("studio", "--export", file, *named, "-s", "balanced", "--house-rules", house)
    assert done.exit_code == 0, done.output
    browser.get(f"{file.as_uri()}#players=3&s=balanced,racer,hoarder")
    page = Page(browser)
    page.figures(192)
    for hand, (table, words) in enumerate(FAULTS.items(), 4):  # a hand of which there are no games yet
        page.js("location.hash = arguments[0]", f"players=3&{table}")
        wait_until(lambda words=words: page.text("#alarm").startswith(words), 60)
        page.js("location.hash = arguments[0]", f"players=3&s=balanced,racer,hoarder&hand_size={hand}")
        page.figures(192)
    browser.get("about:blank")
    assert browser.get_log("browser") == []


@pytest.mark.parametrize(
    ("lacking", "sentence"),
    [
        ("delete window.WebAssembly", "it needs WebAssembly with SIMD, which this browser lacks or forbids."),
        ("delete window.DecompressionStream", "it needs WebAssembly with SIMD, which this browser lacks or forbids."),
        ("WebAssembly.compile = () => Promise.reject(new WebAssembly.CompileError('simd'))", "it needs WebAssembly"),
        ("delete window.Worker", "its workers are not allowed to start."),
        ("window.Worker = class { constructor() { throw new DOMException('no'); } }", "its workers are not allowed"),
        ("window.atob = () => 'damaged'", "this copy of the page is damaged: get it again."),
    ],
)
def test_what_a_page_cannot_do_is_said_in_a_sentence(browser, studio, lacking, sentence):  # noqa: F811
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": lacking})
    try:
        browser.get(studio)
        wait_until(lambda: sentence.lower() in Page(browser).text("#alarm").lower(), 20)
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    browser.get("about:blank")
    assert not [line for line in browser.get_log("browser") if "Uncaught" in line["message"]]


def test_two_tabs_have_each_its_own_question(browser, opened):  # noqa: F811
    page = opened("hand_size=4")
    page.figures(192)
    first = browser.current_window_handle
    address = browser.current_url.split("#")[0]
    browser.switch_to.new_window("tab")
    browser.get(f"{address}#start_gold=0")
    page.figures(6000)
    assert page.text("#sentence").startswith("No gold at the start")
    browser.close()
    browser.switch_to.window(first)
    page.figures(6000)  # it was hidden, and goes on
    assert page.text("#sentence").startswith("A hand of 4")


def test_a_thousand_random_changes_leave_no_error_and_no_memory(opened, studio):
    page = opened()
    page.figures(192)
    generator = random.Random(1)
    moves = """[data-by='1'] | [data-by='-1'] | [data-space] | [data-set] | #undo | #redo | [data-heat] | [data-players]
        | [data-edition] | #rules input[type=checkbox] | [data-reset] | [data-open] | [data-try]""".split("|")
    script = """
        const [moves, seed] = arguments, done = arguments[arguments.length - 1];
        let state = seed, count = 0;
        const random = n => {
          state = (state * 1103515245 + 12345) % 2147483648;
          return Math.floor(state / 65536) % n;
        };
        const step = () => {
          const all = [...document.querySelectorAll(moves[random(moves.length)])];
          const found = all.filter(element => !element.disabled && element.getClientRects().length);
          found[random(found.length)]?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
          if (++count < 100) setTimeout(step, 30); else done(count);
        };
        step();"""
    page.driver.set_script_timeout(300)

    def heap():
        page.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
        return page.js("return performance.memory.usedJSHeapSize")

    sizes = []
    for _ in range(10):
        assert page.driver.execute_async_script(script, moves, generator.randrange(2**31)) == 100
        sizes.append(heap())
    assert not page.js("return studio.now.gone")
    assert max(sizes[5:]) < 1.5 * max(sizes[:5]) + 5_000_000
    page.js("location.hash = '#players=4'")
    assert page.figures(192)["games"] >= 192


def test_the_red_line_stays_when_the_start_is_worth_another_score(opened):
    page = opened("start_score=-8")
    page.figures(800)
    assert page.js("return document.querySelector('.red-words').textContent") == "−5 before this line"
    assert page.js("return [...document.querySelectorAll('#board .score')].every(text => text.textContent[0] === '+')")


def test_the_picture_of_the_readme(opened, tmp_path):
    """Made with JAMAICA_SIM_PICTURES=1; otherwise it must still look like the page."""
    import matplotlib.image

    page = opened("space.6.cost=0")
    page.js("studio.most = 45056")
    page.figures(45056)
    time.sleep(1)
    made = PICTURE if os.environ.get("JAMAICA_SIM_PICTURES") else tmp_path / "studio.png"
    page.driver.save_screenshot(str(made))
    shown, kept = (matplotlib.image.imread(path)[..., :3] for path in (made, PICTURE))
    assert shown.shape == kept.shape
    assert abs(shown - kept).mean() < 0.05


def test_the_first_figures_come_quickly(opened):
    """A change every half second while the last one still plays; the measured times are in docs/studio.md."""
    page = opened()
    page.figures(800)
    page.js("studio.latencies.length = 0")
    for number in range(20):
        by = 1 if number % 4 < 2 else -1
        page.js(f'document.querySelector(\'[data-row="start_gold"] [data-by="{by}"]\').click()')
        page.figures(192)
        time.sleep(0.4)
    latencies = sorted(page.js("return studio.latencies"))
    print(json.dumps({"median": latencies[len(latencies) // 2], "p95": latencies[int(len(latencies) * 0.95)]}))
    assert latencies[len(latencies) // 2] < 1000  # on a busy machine too
