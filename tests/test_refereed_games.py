"""Random games of every table under the eyes of the independent referee, and proof that it has seen every clause.

The referee is plain Python and takes most of the time. So a few games of each table are checked every time, and many
others by the slow tests.
"""

from collections import Counter
from functools import cache

import pytest
from referee import CLAUSES, RuleBroken, check

from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.trace import trace_game

FEW, MANY = range(12), range(12, 60)
GAMES = pytest.mark.parametrize("games", [FEW, pytest.param(MANY, marks=pytest.mark.slow)], ids=["few", "many"])
TABLES = [
    {"players": players, "edition": edition, "ghost": ghost}
    for players in range(2, 7)
    for edition in ("2007", "2021")
    for ghost in (False, True)
    if not (players == 2 and not ghost) and not (players == 6 and ghost)
]
CAPPED = [{"players": 3, "edition": edition, "round_cap": cap} for edition in ("2007", "2021") for cap in (1, 9)]


def name(rules):
    ghost = " and the ghost" if rules.get("ghost") else ""
    cap = f", {rules['round_cap']} rounds" if "round_cap" in rules else ""
    return f"{rules['players']} players{ghost}, {rules['edition']}{cap}"


BY_NAME = {name(rules): rules for rules in TABLES + CAPPED}


@cache
def referee_games(name_of_table, games):
    """Play and check games of one table: how often each clause was exercised, and the first rule broken."""
    rules = BY_NAME[name_of_table]
    table = seat_table(strategies="random", seed=20, **rules)
    coverage = Counter()
    for game in games:
        try:
            coverage += check(trace_game(table, game))
        except RuleBroken as broken:
            return coverage, f"game {game}: {broken}"
    return coverage, None


@GAMES
@pytest.mark.parametrize("table", BY_NAME)
def test_every_game_is_by_the_rules(table, games):
    _, broken = referee_games(table, games)
    assert broken is None, broken


@GAMES
def test_every_clause_was_exercised(games):
    """The referee can only vouch for what it has seen."""
    coverage = sum((referee_games(table, games)[0] for table in BY_NAME), Counter())
    assert [clause for clause in CLAUSES if not coverage[clause]] == []
