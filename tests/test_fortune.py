"""Fortune has the mean zero, draw by draw and over games, and tells something about who wins."""

import numpy as np
import pytest

from jamaica_sim.engine.chances import FORTUNE_OF_POINT, POINTS_OF_POWER
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import ODDS_REACH
from jamaica_sim.game.rules import Rules, rules_of
from jamaica_sim.play.check import every_rules
from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.trace import trace_game
from jamaica_sim.study.compare.compare import prepare
from jamaica_sim.study.compare.deals import DealPlayer, fortune_by_deal, leads_by_game

DICE = {"combat_die": (1, 20, "star", 5, 5), "shortage_die": ("skull", "circle", "star", "skull", "circle")}
OTHER_RULES = [
    rules_of({"edition": "2021", **DICE}),
    rules_of({"players": 3, "ghost": True, "treasure.plus_7.value": 90, "treasure_pile": 7}),
    rules_of({"steal_known": True, "lady_beth_bonus": 7, "edition": "2021", "holds": 3}),
]


def rows_of(rules, strategies, games, seed=3):
    """Result rows of some games."""
    return Worker(seat_table(rules, strategies, seed)).play(Chunk(0, games), keep_rows=True).rows


@pytest.mark.parametrize("strategies", [["random"], ["balanced", "racer"]])
def test_the_mean_is_zero_at_every_table(strategies):
    away = []
    for rules in (*every_rules(), *OTHER_RULES):
        fortune = rows_of(rules, strategies, 2500)["fortune"][:, : rules.ships].astype(float)
        away += (fortune.mean(axis=0) / (fortune.std(axis=0) / 2500**0.5)).tolist()
        assert np.abs(fortune).max() < 8000  # far from the largest number of 16 bits
    assert np.abs(away).max() < 4.5 and 0.7 < np.std(away) < 1.3


def test_all_faces_of_a_die_add_up_to_nothing():
    for rules in (Rules(), Rules(edition="2021"), OTHER_RULES[0]):
        r = rulebook_of(rules)[0]
        assert not r["battle_fortune"].sum(axis=2).any() and not r["fall_fortune"].sum(axis=1).any()
        assert r["battle_fortune"].any() and r["fall_fortune"].any()


def test_a_roll_counts_what_it_decides():
    r = rulebook_of(Rules())[0]
    attack, defence = r["battle_fortune"][:, ODDS_REACH]
    assert (np.diff(attack[:6]) > 0).all() and attack[5] > 20  # a star wins at once
    assert defence[:6].tolist() == [0] * 6  # at no advantage over an attack of 0 every face wins
    hopeless = r["battle_fortune"][1, 0, :6]
    assert hopeless.tolist() == [-12, -12, -12, -12, -12, 60]  # only the star turns a loss into a win


def test_the_fortune_of_a_ship_that_never_fights_is_that_of_its_treasures():
    r = rulebook_of(Rules(players=4))[0]
    worth = [POINTS_OF_POWER if r["power_cards"] >> card & 1 else int(v) for card, v in enumerate(r["treasure_value"])]
    table, seen = seat_table(Rules(players=4), ["balanced"], 3), 0
    rows = rows_of(Rules(players=4), ["balanced"], 200)
    for game, row in enumerate(rows):
        in_peace = [ship for ship in range(4) if row["battles"][ship] == 0]
        left, expected = set(range(12)), [0] * 4
        for event in trace_game(table, game)["events"]:
            if event["event"] == "treasure":
                mean = sum(worth[card] for card in left) / len(left)
                share = FORTUNE_OF_POINT // len(left) * len(left)
                expected[event["ship"]] += round(share * (worth[event["treasure"]] - mean))
                left.remove(event["treasure"])
                seen += event["ship"] in in_peace
        assert row["fortune"][in_peace].tolist() == [expected[ship] for ship in in_peace]
    assert seen > 0


@pytest.mark.parametrize("rules", [Rules(players=4), Rules(players=2, edition="2021", ghost=True)])
def test_fortune_tells_at_least_a_tenth_of_a_duel(rules):
    contest = prepare(["balanced", "racer"], rules)
    deals = DealPlayer(contest).deals(0, 3000)
    lead = leads_by_game(contest.design, deals).sum(axis=1)
    luck = fortune_by_deal(contest.design, deals)
    assert np.corrcoef(luck, lead)[0, 1] ** 2 > 0.1
    assert abs(luck.mean()) < 4 * luck.std() / 3000**0.5
