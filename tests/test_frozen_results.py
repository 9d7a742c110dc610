"""Results that never change: hashes of the result rows for every kind of table guard every optimisation.

A hash may only be replaced when the rules or the luck are changed on purpose. Random play is whole numbers throughout,
so its rows are the same on every machine.
"""

import hashlib

import numpy as np
import pytest

from jamaica_sim.api import seat_table
from jamaica_sim.run.local import Chunk, Worker
from jamaica_sim.strategy.check import every_rules

GAMES = 300
SEED = 20_071

FROZEN = {
    "2007, 2 players and the ghost": "17db0a812e5fee6d",
    "2007, 3 players": "401cb53b0687181a",
    "2007, 3 players and the ghost": "77a6938ee9c72c02",
    "2007, 4 players": "86c022abcc4e2c06",
    "2007, 4 players and the ghost": "5b875412763d863e",
    "2007, 5 players": "683676ca062da8df",
    "2007, 5 players and the ghost": "e51c0bb50eab76e4",
    "2007, 6 players": "08e56d67882fe308",
    "2021, 2 players and the ghost": "44cceb261ad1f4d4",
    "2021, 3 players": "fd04a01223d1f92d",
    "2021, 3 players and the ghost": "aa9001140a712dc4",
    "2021, 4 players": "972c48585caef057",
    "2021, 4 players and the ghost": "67b0cc980d41271d",
    "2021, 5 players": "906e5bf008eff901",
    "2021, 5 players and the ghost": "ea91750bcc282aa4",
    "2021, 6 players": "7929f26027cdaa55",
}


def row_hash(rules):
    """A short hash of the result rows of some random games."""
    table = seat_table(rules, ["random"], SEED)
    rows = Worker(table).play(Chunk(0, GAMES), keep_rows=True).rows
    return hashlib.sha256(np.ascontiguousarray(rows).tobytes()).hexdigest()[:16]


def name_of(rules):
    """A table's name in the list of hashes."""
    return f"{rules.edition}, {rules.players} players{' and the ghost' if rules.ghost else ''}"


@pytest.mark.parametrize("rules", every_rules(), ids=name_of)
def test_random_games_are_the_games_they_always_were(rules):
    assert row_hash(rules) == FROZEN[name_of(rules)]
