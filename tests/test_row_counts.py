"""The counts in a result row, compared with the same counts from the events of the game's trace."""

from collections import Counter

import pytest

from jamaica_sim.game.components import board
from jamaica_sim.play.check import every_rules
from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.trace import trace_game

GAMES = 12


def spaces_left():
    """Fewest steps from each space to Port Royal."""
    steps = [0] * len(board())
    for space in reversed(range(len(board()))):
        steps[space] = 1 + min(0 if n == 0 else steps[n] for n in board()[space].next)
    return steps


LEFT = spaces_left()


def counted(trace, ships):
    """The counts of one game, by column and ship."""
    counts = {name: Counter() for name in ("attacks_won", "defences_won", "attacks_drawn", "defences_drawn")}
    counts |= {name: Counter() for name in ("lair_treasures", "shortages_ahead", "shortages_behind")}
    at = [{"space": 0, "lap": 0}] * ships
    for event in trace["events"]:
        kind = event["event"]
        if kind == "round":
            before = list(at)
        if kind in ("move", "retreat"):
            at[event["ship"]] = event["to"]
        elif kind == "battle":
            battle = event
        elif kind == "battle_end" and event["winner"] is None:
            counts["attacks_drawn"][battle["attacker"]] += 1
            counts["defences_drawn"][battle["defender"]] += 1
        elif kind == "battle_end":
            role = "attacks_won" if event["winner"] == battle["attacker"] else "defences_won"
            counts[role][event["winner"]] += 1
        elif kind == "treasure":
            counts["lair_treasures"][event["ship"]] |= 1 << event["treasure"]
        elif kind == "shortage":
            left = [LEFT[p["space"]] - LEFT[0] * p["lap"] for p in before]
            own = left.pop(event["ship"])
            mean = sum(left) / len(left)
            if own != mean:
                counts["shortages_ahead" if own < mean else "shortages_behind"][event["ship"]] += 1
    return counts


@pytest.mark.parametrize("strategy", ["random", "balanced"])
def test_counts_of_rows_are_those_of_traces(strategy):
    seen = Counter()
    for rules in every_rules():
        table = seat_table(rules, [strategy], 3)
        rows = Worker(table).play(Chunk(0, GAMES), keep_rows=True).rows
        for game in range(GAMES):
            for name, by_ship in counted(trace_game(table, game), rules.ships).items():
                assert rows[name][game].tolist() == [by_ship[ship] for ship in range(6)], (name, rules, game)
                seen[name] += sum(by_ship.values())
            row = rows[game]
            assert (row["attacks_won"] + row["defences_won"]).tolist() == row["battles_won"].tolist()
            assert row["attacks_drawn"].sum() == row["attacks"].sum() - row["battles_won"].sum()
    assert min(seen.values()) > 0
