"""Results that never change: hashes of the result rows for every kind of table guard every optimisation.

A hash may only be replaced when the rules or the luck are changed on purpose. Random play is whole numbers throughout,
so its rows are the same on every machine.
"""

import hashlib

import numpy as np
import pytest

from jamaica_sim.play.check import every_rules
from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.play.game_table import seat_table

# The columns that the hashes are made of, laid out as they always were: a new column does not change them.
SHIPS = 6
HASHED = np.dtype(
    [
        ("game", "i8"),
        ("rounds", "i2"),
        ("finished", "i2"),
        ("first_captain", "i2"),
        ("ended_by", "i2"),
        ("winners", "i2"),
        ("half_time_leaders", "i2"),
        ("lead_changes", "i2"),
        ("peak", "i2", (3,)),
        ("score", "i2", (SHIPS,)),
        ("position_points", "i2", (SHIPS,)),
        ("gold", "i2", (SHIPS,)),
        ("treasure_points", "i2", (SHIPS,)),
        ("final_space", "i2", (SHIPS,)),
        ("final_lap", "i2", (SHIPS,)),
        ("treasures_held", "i2", (SHIPS,)),
        ("treasures_taken", "i2", (SHIPS,)),
        ("shortages", "i2", (SHIPS, 2)),
        ("attacks", "i2", (SHIPS,)),
        ("battles", "i2", (SHIPS,)),
        ("battles_won", "i2", (SHIPS,)),
        ("stars", "i2", (SHIPS,)),
        ("powder_spent", "i2", (SHIPS,)),
        ("loot", "i2", (SHIPS, 7)),
        ("loaded", "i2", (SHIPS, 3)),
        ("overboard", "i2", (SHIPS, 3)),
        ("lanes", "i2", (SHIPS, 3, 2)),
    ],
    align=True,
)
GAMES = 300
SEED = 20_071

FROZEN = {
    "2007, 2 players and the ghost": "c64353113cfaad74",
    "2007, 3 players": "491d62f4a0c0e979",
    "2007, 3 players and the ghost": "bb1dff7ac388cc03",
    "2007, 4 players": "948da1c97435fab2",
    "2007, 4 players and the ghost": "52d1c8c39ce85080",
    "2007, 5 players": "fc301dd37985366d",
    "2007, 5 players and the ghost": "d0063b7c31711527",
    "2007, 6 players": "6f413383a0930f33",
    "2021, 2 players and the ghost": "13ac5577412d9a61",
    "2021, 3 players": "f4ace71da26f9b88",
    "2021, 3 players and the ghost": "75fb96a6e986183c",
    "2021, 4 players": "8af1f263b316aded",
    "2021, 4 players and the ghost": "fed578be7dc6d321",
    "2021, 5 players": "789a70b9ab18f8f7",
    "2021, 5 players and the ghost": "1fb7799ac43601b0",
    "2021, 6 players": "1cb8fd0b8d11a4e2",
}


# Of `master`: its sums are in a fixed order, so they are the same on every machine. A newly trained net changes these.
FROZEN_MASTER = {
    "2007, 4 players": "3fd28b71b4744d3d",
    "2021, 2 players and the ghost": "0356d92a9ea73672",
    "2021, 5 players and the ghost": "4a34125f906b7dcb",
}


def row_hash(rules, strategy="random"):
    """A short hash of the result rows of some games."""
    table = seat_table(rules, [strategy], SEED)
    rows = Worker(table).play(Chunk(0, GAMES), keep_rows=True).rows
    hashed = np.zeros(rows.size, HASHED)
    for name in HASHED.names:
        hashed[name] = rows[name]
    return hashlib.sha256(hashed.tobytes()).hexdigest()[:16]


def name_of(rules):
    """A table's name in the list of hashes."""
    return f"{rules.edition}, {rules.players} players{' and the ghost' if rules.ghost else ''}"


@pytest.mark.parametrize("rules", every_rules(), ids=name_of)
def test_random_games_are_the_games_they_always_were(rules):
    assert row_hash(rules) == FROZEN[name_of(rules)]


@pytest.mark.parametrize("rules", [rules for rules in every_rules() if name_of(rules) in FROZEN_MASTER], ids=name_of)
def test_master_plays_the_games_it_always_played(rules):
    assert row_hash(rules, "master") == FROZEN_MASTER[name_of(rules)]
