"""Whole games in a real browser, answered at random: what is asked can be answered, and the saved file is the game.

Chromium and its driver come from the system (`apt-get install chromium chromium-driver`); without them all is skipped.
"""

import random
import time

import pytest
from play_driver import at_once, play_through, serving, settled, state
from test_replay_browser import CHROMIUM, DRIVER, browser  # noqa: F401

from jamaica_sim.outside.game import Game
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.rules import Rules
from jamaica_sim.strategy.player import with_outside

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="Chromium and chromedriver are not installed"),
    pytest.mark.xdist_group("browser"),
]
TABLES = {
    "two and the ghost": (Rules(players=2), [None, "balanced"]),
    "three": (Rules(players=3, edition="2021"), [None, "champion", "random"]),
    "three and the ghost": (Rules(players=3, ghost=True, edition="2021"), [None, "balanced", "balanced"]),
    "four, two people": (Rules(), [None, None, "balanced", "balanced"]),
    "five, changed rules": (Rules(players=5, hand_size=4), [None, *["random"] * 4]),
    "six": (Rules(players=6, edition="2021"), [None, *["random"] * 5]),
}


SAIL_BY = '''"""The attacker may sail by."""
from jamaica_sim.house.api import CALLED_OFF, ask

CHOICES = {"battle_begins": ("fight", "sail by")}


def battle_begins(game, rules, attacker, defender):
    return ask(attacker, 2)


def battle_begins_chosen(game, rules, attacker, defender, player, answer):
    return CALLED_OFF if answer == 1 else 0
'''


def complaints(driver):
    return [line["message"] for line in driver.get_log("browser") if line["level"] == "SEVERE"]


@pytest.mark.parametrize("name", TABLES)
def test_a_whole_game_is_played_and_kept(name, browser, tmp_path):  # noqa: F811
    rules, seats = TABLES[name]
    with serving(tmp_path) as (play, address):
        opened = play.games.begin(seat_table(rules, with_outside(seats), 11))
        opened.game.trace()  # compiles what the page will need, however long it takes
        browser.get("about:blank")
        browser.get(address + play.address(opened))
        decided = play_through(browser, random.Random(name).choice)
        assert len(decided) == len(opened.game.answers) > 8
        assert Game.load(opened.path).result == opened.game.result
    assert complaints(browser) == []


def test_a_house_rule_asks_on_the_page(browser, tmp_path):  # noqa: F811
    file = tmp_path / "by.py"
    file.write_text(SAIL_BY)
    with serving(tmp_path) as (play, address):
        rules = Rules(players=3, ghost=True, house_rules=file)
        opened = play.games.begin(seat_table(rules, with_outside([None, "balanced", "balanced"]), 3))
        opened.game.trace()
        browser.get("about:blank")
        browser.get(address + play.address(opened))
        luck, buttons = random.Random(1), []

        def choose(options):
            buttons.append(browser.execute_script("return document.getElementById('dock').textContent"))
            return luck.choice(options)

        assert "house_choice" in play_through(browser, choose)
        assert any(
            "The attacker may sail by." in told and "sail by" in told.split("may sail by")[1] for told in buttons
        )
        assert Game.load(opened.path, trust=True).result == opened.game.result
    assert complaints(browser) == []


def test_a_driver_follows_the_coach(browser, tmp_path):  # noqa: F811
    advised = "return window.play.advice && window.play.advice.best"
    ends = "return Math.max(...[...document.querySelectorAll('.answer')].map(a => a.getBoundingClientRect().bottom))"

    def follow(options):
        while (best := browser.execute_script(advised)) is None:
            time.sleep(0.02)
        assert best in options
        assert browser.execute_script(ends) <= 860  # in view, without scrolling
        return best

    with serving(tmp_path) as (play, address):
        opened = play.games.begin(seat_table(Rules(), with_outside([None, *["balanced"] * 3]), 7))
        browser.get("about:blank")
        browser.get(address + play.address(opened))
        state(browser)
        metrics = {"width": 1280, "height": 860, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        browser.execute_script("document.getElementById('always').click();")
        decided = play_through(browser, follow)
        assert sum(what == "coach asked" for _, what in opened.game.notes) == len(decided)
        browser.execute_script("document.querySelector('[data-review]').click();")
        while not browser.execute_script("return window.play.review && !!document.querySelector('.review')"):
            time.sleep(0.1)
    assert complaints(browser) == []


def test_keys_take_back_and_a_server_that_dies(browser, tmp_path):  # noqa: F811
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    with serving(tmp_path) as (play, address):
        opened = play.games.begin(seat_table(Rules(), with_outside([None, *["balanced"] * 3]), 5))
        browser.get("about:blank")
        browser.get(address + play.address(opened))
        state(browser)
        at_once(browser)
        settled(browser, 0)
        body = browser.find_element(By.TAG_NAME, "body")
        for _ in range(6):
            number = settled(browser, 0)["number"]
            body.send_keys("2")
            browser.switch_to.active_element.send_keys(Keys.SPACE)  # one press too many answers nothing
            assert state(browser)["asking"] and settled(browser, 0)["number"] == number
            browser.switch_to.active_element.send_keys(Keys.ENTER)
            settled(browser, number + 1)
        body.send_keys(Keys.BACKSPACE)
        while settled(browser, 0)["number"] != 5:
            pass
        given = opened.game.answers
    assert len(given) == 5 and opened.game.notes == [(5, "taken back")]
    with serving(tmp_path) as (play, address):
        browser.get("about:blank")
        browser.get(address + play.address(opened))
        assert settled(browser, 5)["number"] == 5
        assert play.games.open(opened.path.name).game.answers == given
    assert complaints(browser) == []
