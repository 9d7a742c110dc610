"""Whole games in a real browser, answered at random: what is asked can be answered, and the saved file is the game.

Chromium and its driver come from the system (`apt-get install chromium chromium-driver`); without them all is skipped.
"""
# Fixtures are imported and then named as arguments.
# ruff: noqa: F401, F811

import random
import time

import pytest
from browsers import CHROMIUM, DRIVER, browser, wait_until
from play_driver import at_once, complaints, play_through, playing, serving, settled, state

from jamaica_sim.game.rules import Rules
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.outside.game import Game
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
from jamaica_sim.strategy.house.api import CALLED_OFF, ask

CHOICES = {"battle_begins": ("fight", "sail by")}


def battle_begins(game, rules, attacker, defender):
    return ask(attacker, 2) if attacker < rules.players else 0


def battle_begins_chosen(game, rules, attacker, defender, player, answer):
    return CALLED_OFF if answer == 1 else 0
'''


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
        while not browser.execute_script("return !!document.querySelector('.review')"):
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


def key(browser, name, code, repeats):  # noqa: F811
    """Hold a key down for so many repeats."""
    for repeat in range(repeats):
        pressed = {"type": "keyDown", "key": name, "code": name, "windowsVirtualKeyCode": code}
        text = {"text": "\r"} if name == "Enter" else {}
        browser.execute_cdp_cmd("Input.dispatchKeyEvent", {**pressed, **text, "autoRepeat": repeat > 0})
        state(browser)
    browser.execute_cdp_cmd("Input.dispatchKeyEvent", {**pressed, "type": "keyUp"})


def test_one_answer_for_a_double_click_and_for_a_key_that_is_held(browser, playing):  # noqa: F811
    from selenium.webdriver import ActionChains

    playing([None, *["balanced"] * 3])
    browser.execute_script("play.drawn = -1e9")  # it has been there for long
    first = browser.find_element("css selector", "#answers [data-answer]")
    ActionChains(browser).move_to_element(first).click().perform()
    number = settled(browser, 1)["number"]
    ActionChains(browser).click().perform()  # in the same place, on the next question
    assert state(browser)["asking"] and state(browser)["number"] == number == 1
    key(browser, "Enter", 13, 4)
    assert settled(browser, 2)["number"] == 2
    key(browser, "Enter", 13, 1)
    settled(browser, 3)
    key(browser, "Backspace", 8, 4)
    assert state(browser)["number"] == 2


def test_the_coach_moves_no_answer(browser, playing):  # noqa: F811
    playing([None, *["balanced"] * 3])
    tops = "return [...document.querySelectorAll('#answers [data-answer]')].map(e => e.offsetTop)"
    number = 0
    for _ in range(6):
        number = settled(browser, number)["number"] + 1
        above = browser.execute_script(tops)
        browser.execute_script("document.getElementById('coach').click()")
        asked = browser.execute_script("return dock.offsetHeight")
        wait_until(lambda: browser.execute_script("return play.advice"), 30)
        assert browser.execute_script(tops) == above
        assert browser.execute_script("return dock.offsetHeight") == asked
        browser.execute_script("document.querySelector('#answers [data-answer]').click()")


def test_going_to_another_game_while_the_server_still_thinks(browser, playing):  # noqa: F811
    play, opened = playing([None, "balanced", "balanced"])
    other = play.games.begin(seat_table(Rules(), with_outside([None, *["balanced"] * 3]), 5))
    other.game.trace()
    go = "location.hash = arguments[0]"
    with opened.lock:
        browser.execute_script("document.querySelector('#answers [data-answer]').click()")
        browser.execute_script(go, play.address(other).split("#")[1])
        wait_until(lambda: browser.execute_script("return play.id") == other.path.name, 30)
    wait_until(lambda: browser.execute_script("return !play.busy && play.data.game === play.id"), 30)
    assert settled(browser, 0)["number"] == 0
    assert len(opened.game.answers) == 1 and not other.game.answers
    browser.execute_script(go, "%E0%A4%A")  # an address that somebody has mistyped
    wait_until(lambda: browser.execute_script("return document.getElementById('alarm').textContent"), 30)
    assert not browser.find_element("id", "dock").is_displayed()
    top = "return document.getElementById('board').getBoundingClientRect().top"
    with_alarm = browser.execute_script(top)
    browser.back()
    assert settled(browser, 0)["asking"]
    assert browser.execute_script(top) == with_alarm
    assert all("422" in line for line in complaints(browser))  # the address


def test_a_review_does_not_come_into_another_game(browser, playing):  # noqa: F811
    play, opened = playing([None, "random"])
    play_through(browser, random.Random(4).choice)
    browser.execute_script("document.querySelector('[data-review]').click()")
    browser.execute_script("document.querySelector('[data-another]').click()")
    wait_until(lambda: browser.execute_script("return play.id") != opened.path.name, 30)
    assert settled(browser, 0)["asking"]
    time.sleep(1.5)
    assert browser.execute_script(
        "return !document.querySelector('.review') && !!document.querySelector('#answers [data-answer]')"
    )


def test_between_two_people_no_hand_is_shown(browser, playing):  # noqa: F811
    playing([None, None, "balanced", "balanced"], 3)  # its first questions go to one and the other in turn
    for number in (0, 1):
        browser.execute_script("document.querySelector('[data-ready]').click()")
        settled(browser, number)
        wait_until(lambda: browser.execute_script("return play.asking"), 30)
        browser.execute_script("document.querySelector('#answers [data-answer]').click()")
        wait_until(lambda after=number + 1: state(browser)["ready"] and state(browser)["number"] == after, 30)
    shown = "return [...document.querySelectorAll('.cards .card')].every(c => c.ariaLabel === 'card, face down')"
    narrow = "return matchMedia('(max-width: 700px)').matches"
    for width in (600, 1280):  # a phone is turned around
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        wait_until(lambda is_small=width < 700: browser.execute_script(narrow) == is_small, 30)
        assert browser.execute_script(shown)
    browser.execute_script("document.querySelector('[data-ready]').click()")
    wait_until(lambda: browser.execute_script("return play.asking"), 30)
    browser.execute_script("document.getElementById('back').click()")
    wait_until(lambda: state(browser)["number"] == 1, 30)
    assert not state(browser)["asking"] and browser.execute_script("return coach.disabled")


def test_the_first_tap_looks_and_the_second_answers(browser, playing):  # noqa: F811
    def tap(selector):
        script = "const r = document.querySelector(arguments[0]).getBoundingClientRect(); return [r.x + 20, r.y + 20]"
        x, y = browser.execute_script(script, selector)
        finger = [{"x": x, "y": y}]
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": finger})
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    playing([None, *["balanced"] * 3])
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        for selector in ("#answers .answer:first-child", "#answers .answer:nth-child(2)"):
            tap(selector)
            wait_until(lambda picked=f"{selector}.picked": browser.find_elements("css selector", picked), 30)
            assert state(browser)["asking"] and state(browser)["number"] == 0
        tap("#answers .answer:nth-child(2)")
        assert settled(browser, 1)["number"] == 1
    finally:
        browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
