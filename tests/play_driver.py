"""Drives the page on which one plays, in headless Chromium: whole games, answered at random or as somebody says."""

import asyncio
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import uvicorn

from jamaica_sim.game.rules import Rules
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.strategy.player import with_outside
from jamaica_sim.web.play_part import Play
from jamaica_sim.web.saved_games import SavedGames
from jamaica_sim.web.server import application, listen
from jamaica_sim.web.streams import Desk

TOKEN = "a-token-for-tests"
ANSWERS = "return [...document.querySelectorAll('#answers [data-answer]')].map(b => Number(b.dataset.answer));"
STATE = (
    "const p = window.play; return p.data && !p.busy && { asking: p.asking, number: p.data.number, "
    "over: p.data.asked === null, ready: !!document.querySelector('[data-ready]'), "
    "decision: p.data.question && p.data.question.decision, error: document.getElementById('alarm').textContent };"
)


@contextmanager
def serving(folder, port: int | None = None) -> Iterator[tuple[Play, str]]:
    """A server with the page, in a thread: the part, and the address of its page without the game."""
    desk = Desk()
    play = Play(desk, SavedGames(folder))
    with listen(port) as listener:
        number = listener.getsockname()[1]
        app = application([play.part()], TOKEN, number)
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])), daemon=True)
        thread.start()
        try:
            yield play, f"http://127.0.0.1:{number}/{TOKEN}/"
        finally:
            desk.close_all()
            server.should_exit = True
            thread.join(10)


def state(browser) -> dict:
    """What the page shows, once it shows anything."""
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, 60, 0.02).until(lambda driver: driver.execute_script(STATE))


def settled(browser, number: int) -> dict:
    """The state once the page asks the question after so many answers, or the game is over."""
    from selenium.webdriver.support.ui import WebDriverWait

    def found(driver):
        now = driver.execute_script(STATE)
        return (
            now and (now["error"] or now["over"] or now["ready"] or (now["asking"] and now["number"] >= number)) and now
        )

    return WebDriverWait(browser, 60, 0.02).until(found)


def at_once(browser) -> None:
    """Let the others act without a pause."""
    browser.execute_script(
        "const s = document.getElementById('speed'); s.value = '0'; s.dispatchEvent(new Event('change'));"
    )


def play_through(browser, choose: Callable[[list[int]], int] = random.choice, most: int = 2000) -> list[str]:
    """Answer until the game is over; gives the decisions that were asked."""
    decided, number = [], 0
    at_once(browser)
    for _ in range(most):
        now = settled(browser, number)
        assert not now["error"], now["error"]
        if now["over"]:
            return decided
        if now["ready"]:
            browser.execute_script("document.querySelector('[data-ready]').click();")
            number = now["number"]
            waiting = "return window.play.busy || !!document.querySelector('[data-ready]')"
            while browser.execute_script(waiting):
                time.sleep(0.02)
            continue
        answer = choose(browser.execute_script(ANSWERS))
        decided.append(now["decision"])
        browser.execute_script(f"document.querySelector('#answers [data-answer=\"{answer}\"]').click();")
        number = now["number"] + 1
    raise AssertionError("the game does not end")


def complaints(driver):
    return [line["message"] for line in driver.get_log("browser") if line["level"] == "SEVERE"]


@pytest.fixture
def playing(browser, tmp_path):
    """Begins a game at a table and opens its page; the others act at once. At the end nothing may have gone wrong."""
    metrics = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    with serving(tmp_path) as (play, address):

        def begin(seats, seed=11):
            opened = play.games.begin(seat_table(Rules(players=len(seats)), with_outside(seats), seed))
            opened.game.trace()
            browser.get("about:blank")
            browser.get(address + play.address(opened))
            state(browser)
            at_once(browser)
            settled(browser, 0)
            return play, opened

        yield begin
    assert complaints(browser) == []
