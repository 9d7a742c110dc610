"""Random games of every table under the eyes of the independent referee, and proof that it has seen every clause.

The referee is plain Python and takes most of the time, so the tables are shared out to two processes.
"""

import multiprocessing
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import pytest
from referee import CLAUSES, RuleBroken, check

from jamaica_sim.play.game_table import seat_table
from jamaica_sim.replays.trace import trace_game
from jamaica_sim.run.play import warm_up

GAMES = 130
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


def referee_games(rules, games):
    """Play and check games of one table: how often each clause was exercised, and the first rule broken."""
    table = seat_table(strategies="random", seed=20, **rules)
    coverage = Counter()
    for game in range(games):
        try:
            coverage += check(trace_game(table, game))
        except RuleBroken as broken:
            return coverage, f"game {game}: {broken}"
    return coverage, None


@pytest.fixture(scope="module")
def verdicts():
    """The referee's verdict on every table, as futures."""
    warm_up(seat_table(strategies="random"))  # compiled once, before the processes look for it
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        futures = {name(rules): pool.submit(referee_games, rules, GAMES) for rules in TABLES}
        futures |= {name(rules): pool.submit(referee_games, rules, 20) for rules in CAPPED}
        yield futures


@pytest.mark.parametrize("table", [name(rules) for rules in TABLES + CAPPED])
def test_every_game_is_by_the_rules(table, verdicts):
    _, broken = verdicts[table].result()
    assert broken is None, broken


def test_every_clause_was_exercised(verdicts):
    """The referee can only vouch for what it has seen."""
    coverage = sum((verdict.result()[0] for verdict in verdicts.values()), Counter())
    assert [clause for clause in CLAUSES if not coverage[clause]] == []
