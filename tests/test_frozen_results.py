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
    "2007, 2 players and the ghost": "f829cfc45b5d3b64",
    "2007, 3 players": "8b6f224e669b0b7d",
    "2007, 3 players and the ghost": "18d31b2e858aed8c",
    "2007, 4 players": "0841871b7e0379df",
    "2007, 4 players and the ghost": "29b0f6b92f960394",
    "2007, 5 players": "2cf734adead78ea1",
    "2007, 5 players and the ghost": "092084f15141e629",
    "2007, 6 players": "b9e4c953f854ea11",
    "2021, 2 players and the ghost": "0b461c6cea17e5d3",
    "2021, 3 players": "a0281dbb8c645957",
    "2021, 3 players and the ghost": "9c328302fc23e2ae",
    "2021, 4 players": "070cabc8250eb0e4",
    "2021, 4 players and the ghost": "f9845113bbb856dc",
    "2021, 5 players": "6f857a00f99e9466",
    "2021, 5 players and the ghost": "d261cf0324706598",
    "2021, 6 players": "9fd611c57eeecd3a",
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
