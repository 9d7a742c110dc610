"""A game that somebody plays on the page, for tests: its table, and the questions of the page without a browser."""

import asyncio
import json

import httpx

from jamaica_sim.game.rules import Rules
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.strategy.player import with_outside
from jamaica_sim.web.saved_games import SavedGames
from jamaica_sim.web.server import application

TOKEN, PORT = "a-secret", 8117


def table(seats=(None, "balanced", "random"), seed=3, **changes):
    rules = Rules(**{"players": len(seats), **changes})
    return seat_table(rules, with_outside(list(seats)), seed)


def new_game(folder, **facts):
    return SavedGames(folder).begin(table(**facts))


class Client:
    """Asks the application as a page does."""

    def __init__(self, play):
        self._app = application([play.part()], TOKEN, PORT)

    def ask(self, what, **body):
        async def go():
            transport = httpx.ASGITransport(app=self._app)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                heads = {"host": f"127.0.0.1:{PORT}"}
                return await client.post(f"/{TOKEN}/api/play/{what}", content=json.dumps(body), headers=heads)

        return asyncio.run(go())


def answered(game, luck, most=10_000):
    while game.question is not None and len(game.answers) < most:
        game.answer(luck.choice(game.question.options))
