"""The table in a real browser: the question in view at every size, keys alone, and learning from one's mistakes."""

import random

import pytest
from browsers import CHROMIUM, DRIVER, browser, wait_until  # noqa: F401
from play_driver import ANSWERS, complaints, play_through, playing, serving, settled, state  # noqa: F401

from jamaica_sim.play.outside.game import Game
from jamaica_sim.web.coach import advise
from jamaica_sim.web.record import learnt_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="Chromium and chromedriver are not installed"),
    pytest.mark.xdist_group("browser"),
]


SIZES = ((1440, 900), (1024, 768), (390, 844), (844, 390), (720, 450))  # the last one is a page at 200%
IN_VIEW = """
const question = document.getElementById('question').getBoundingClientRect();
const answers = [...document.querySelectorAll('#answers [data-answer]')];
const last = Math.max(...answers.map(a => a.getBoundingClientRect().top + 20));
const at = document.elementFromPoint(question.left + 4, question.top + 8);
const isSeen = question.top >= 0 && question.bottom <= innerHeight;
return [isSeen, last <= innerHeight, at !== null && at.closest('#dock') !== null];
"""


def sized(browser, width, height, touch=False):  # noqa: F811
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": touch}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    wait_until(lambda: browser.execute_script("return innerWidth") == width, 10)


def test_every_question_is_in_view_at_every_size(browser, playing):  # noqa: F811
    playing([None, "balanced", "balanced", "random"], 7)
    luck, number, seen = random.Random(3), 0, set()
    while not (now := settled(browser, number))["over"]:
        if now["decision"] not in seen:
            for width, height in SIZES:
                sized(browser, width, height)
                shown = browser.execute_script(IN_VIEW)
                assert all(shown), (now["decision"], width, height, shown)
                assert browser.execute_script("return document.documentElement.scrollWidth") <= width
            seen.add(now["decision"])
        answer = luck.choice(browser.execute_script(ANSWERS))
        browser.execute_script(f"document.querySelector('#answers [data-answer=\"{answer}\"]').click()")
        number = now["number"] + 1
    assert len(seen) >= 7


def test_a_table_is_set_and_played_by_keys_alone(browser, tmp_path):  # noqa: F811
    from selenium.webdriver.common.keys import Keys

    def press(*keys):
        for one in keys:
            browser.switch_to.active_element.send_keys(one)

    with serving(tmp_path) as (play, address):
        sized(browser, 1280, 900)
        browser.get("about:blank")
        browser.get(address + "play#new&players=3&edition=2021&ghost=1&people=Ada&s=beginner,racer")
        wait_until(lambda: browser.execute_script("return document.activeElement.id") == "set-go", 30)
        assert browser.execute_script("return document.querySelectorAll('#set-seats li').length") == 3
        browser.find_element("css selector", "#set-seats input").send_keys(Keys.BACKSPACE, "dc")  # not the table's keys
        browser.find_element("id", "set-house").send_keys("last")
        number = browser.find_element("css selector", "#set-parameters input")
        number.send_keys(Keys.ARROW_UP)
        assert "house.cards=" in browser.current_url
        browser.find_element("id", "set-house").send_keys("none")
        assert "house" not in browser.current_url
        browser.find_element("id", "set-go").send_keys(Keys.ENTER)
        state(browser)
        [opened] = [play.games.open(one["game"]) for one in play.games.listed()]
        table = opened.game.table
        assert (table.rules.edition, table.rules.ghost) == ("2021", True)
        assert [strategy.label for strategy in table.strategies] == ["Addc", "beginner", "racer"]
        assert "Addc (you)" in browser.find_element("id", "ships").text
        browser.find_element("id", "speed").send_keys("a")  # at once
        press(Keys.TAB)
        number = 0
        while not (now := settled(browser, number))["over"]:
            press("1", Keys.ENTER)
            number = now["number"] + 1
            wait_until(lambda after=number: state(browser)["number"] >= after or state(browser)["over"], 30)
        assert Game.load(opened.path).result == opened.game.result
    assert complaints(browser) == []


def test_a_mistake_is_chosen_again_explained_drilled_and_comes_back(browser, playing):  # noqa: F811
    def click(selector):
        wait_until(lambda: browser.find_elements("css selector", selector), 60)
        browser.execute_script("document.querySelector(arguments[0]).click()", selector)

    def text(which):
        return browser.execute_script("return document.getElementById(arguments[0]).textContent", which)

    def answer_as_the_coach():
        """Ask the coach without being seen, and give its answer."""
        (*_, advice) = advise(play.games.open(browser.execute_script("return play.id")).game, most=512)
        best = advice.best
        click(f"#answers [data-answer='{best}']")
        wait_until(lambda: "Right." in text("lesson"), 60)

    play, opened = playing([None, "champion", "champion"])
    play_through(browser, random.Random(4).choice)
    click("[data-review]")
    click("[data-learn]")
    settled(browser, 0)
    wait_until(lambda: "Choose again" in text("lesson"), 30)
    assert state(browser)["number"] < len(opened.game.answers) and not state(browser)["over"]
    answer_as_the_coach()
    assert "512 games each" in text("advice") and len(play.games.files()) == 1  # only looked at
    click("[data-lesson='on']")
    wait_until(lambda: len(play.games.files()) == 2, 30)
    wait_until(lambda: "Practice" in text("lesson"), 30)
    click("[data-lesson='back']")
    wait_until(lambda: browser.execute_script("return play.id") == opened.path.name, 30)
    wait_until(lambda: browser.find_elements("css selector", ".review"), 30)
    browser.execute_script("location.hash = 'drill'")
    wait_until(lambda: "Choose again" in text("lesson"), 60)
    answer_as_the_coach()
    wait_until(lambda: len(learnt_of(opened.path)) == 2, 30)
    click("#games")
    click("#record")
    wait_until(lambda: "/record/" in browser.current_url, 60)
    assert "What your decisions cost" in browser.find_element("tag name", "h1").text
