"""Line-ups are balanced, deals are the games that `simulate` plays, and their sums are right and exact."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from jamaica_sim.game.codes import WIN_UNITS
from jamaica_sim.play.chunks import Chunk, Worker, play_in_order
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.study.compare.compare import prepare
from jamaica_sim.study.compare.deals import (
    AHEAD_UNITS,
    DealPlayer,
    leads_by_game,
    no_deals,
    tally_deals,
)
from jamaica_sim.study.compare.design import MOST_LINE_UPS, design, design_against

TABLES = [(strategies, players) for players in range(2, 7) for strategies in (2, 3, 4, 5, 6, 7, 9, 10, 13, 16)]


@pytest.mark.parametrize(("strategies", "players"), TABLES)
def test_every_pair_meets_and_everybody_sits_everywhere_equally_often(strategies, players):
    plan = design(strategies, players)
    met, sat = Counter(), Counter()
    for games in plan.seatings:
        for game in games.tolist():
            met.update(tuple(sorted(pair)) for pair in combinations(game, 2) if len(set(pair)) == 2)
            sat.update((strategy, ship) for ship, strategy in enumerate(game))
    assert len(met) == strategies * (strategies - 1) // 2 and len(set(met.values())) == 1
    assert len(sat) == strategies * players and len(set(sat.values())) == 1


@pytest.mark.parametrize(("strategies", "players"), TABLES)
def test_the_games_of_a_deal_are_all_different_and_the_cycle_is_short(strategies, players):
    plan = design(strategies, players)
    for games in plan.seatings:
        assert len({tuple(game) for game in games.tolist()}) == plan.games_in_deal
    assert len(plan.cycle) <= 2 * MOST_LINE_UPS
    assert plan.seatings.shape == (len(plan.cycle), plan.games_in_deal, players)


def test_two_strategies_sit_alternately():
    assert design(2, 4).seatings.tolist() == [[[0, 1, 0, 1], [1, 0, 1, 0]]]
    odd = design(2, 3)
    turned = ((0, 1, 0), (1, 0, 0), (0, 0, 1))
    assert odd.cycle == tuple((line, tuple(1 - s for s in line)) for line in turned) and odd.games_in_deal == 2
    assert Counter(odd.seatings.ravel().tolist()) == {0: 9, 1: 9}


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("field", [1, 2, 3, 4, 5, 7, 10, 20])
def test_one_against_a_field_has_one_ship_in_every_seat(field, players):
    plan = design_against(field, players)
    assert ((plan.seatings == 0).sum(axis=2) == 1).all()
    assert ((plan.seatings == 0).sum(axis=1) == 1).all()  # of each deal
    opponents = Counter(plan.seatings[plan.seatings > 0].tolist())
    assert set(opponents) == set(range(1, field + 1)) and len(set(opponents.values())) == 1
    assert len(plan.cycle) <= 2 * MOST_LINE_UPS


def test_more_strategies_than_seats_meet_in_every_choice_of_them():
    chosen = {tuple(sorted(deal[0])) for deal in design(10, 4).cycle}
    assert chosen == set(combinations(range(10), 4))


def test_as_many_strategies_as_players_sit_in_every_clockwise_order():
    orders = {deal[0] for deal in design(4, 4).cycle}
    assert orders == {(0, 1, 2, 3), (0, 1, 3, 2), (0, 2, 1, 3), (0, 2, 3, 1), (0, 3, 1, 2), (0, 3, 2, 1)}


def test_everybody_follows_everybody_about_equally_often():
    follows = Counter()
    for games in design(10, 4).seatings:
        for game in games.tolist():
            follows.update(zip(game, game[1:] + game[:1], strict=True))
    assert len(follows) == 90
    assert max(follows.values()) - min(follows.values()) <= 4  # of about 37


def test_one_strategy_is_no_comparison():
    with pytest.raises(ValueError, match="two strategies"):
        design(1, 4)


# Playing

CONTESTS = [
    (["balanced", "random"], {"players": 4, "against": True}),
    (["balanced", "random", "random"], {"players": 4, "against": True, "ghost": True}),
    (["balanced", "random"], {"players": 4}),
    (["balanced", "random"], {"players": 3, "ghost": True, "edition": "2021"}),
    (["balanced", "random", "random"], {"players": 5, "round_cap": 8}),
    (["random", "balanced", "random"], {"players": 3}),
    (["random", "balanced", "random", "random"], {"players": 2}),
]
DEALS = 12
IDS = [f"{len(names)} at {rules['players']}{' against' * ('against' in rules)}" for names, rules in CONTESTS]


@pytest.fixture(scope="module", params=CONTESTS, ids=IDS)
def played(request):
    """A contest, some of its deals, and the rows of the same games, each played at its own table."""
    names, rules = request.param
    rules = dict(rules)
    if rules.pop("against", False):
        names, rules["against"] = names[0], names[1:]
    contest = prepare(names, seed=5, **rules)
    deals = DealPlayer(contest).deals(0, DEALS)
    workers = {}
    rows = [
        [_row(contest, tuple(seating), deal, workers) for seating in contest.design.seatings[kind].tolist()]
        for deal, kind in enumerate(deals.kinds)
    ]
    return contest, deals, rows


def _row(contest, seating, game, workers):
    if seating not in workers:
        table = GameTable.seat(contest.rules, [contest.strategies[s] for s in seating], contest.seed)
        workers[seating] = Worker(table)
    return workers[seating].play(Chunk(game, 1), keep_rows=True).rows[0]


def _shares(row, ships):
    winners = [ship for ship in range(ships) if row["winners"] >> ship & 1]
    return [int(WIN_UNITS) // len(winners) * (ship in winners) for ship in range(ships)]


def test_a_deal_is_one_game_number_in_all_seatings(played):
    contest, deals, rows = played
    for deal, games in enumerate(rows):
        assert {int(row["first_captain"]) for row in games} == {int(deals.first_captains[deal])}
        for game, row in enumerate(games):
            assert deals.wins[deal, game].tolist() == _shares(row, contest.rules.ships)[: contest.rules.players]


def test_standings_order_ships_as_the_winner_is_found(played):
    contest, deals, rows = played
    if contest.rules.ghost:
        pytest.skip("the ghost may have won")
    best = deals.standings == deals.standings.max(axis=2, keepdims=True)
    assert (best == (deals.wins > 0)).all()


def test_the_sums_are_those_of_the_games(played):
    contest, deals, _ = played
    plan, players = contest.design, contest.rules.players
    expected = no_deals(plan)[0]
    for deal, kind in enumerate(deals.kinds):
        vector = np.zeros(expected.wins.shape[1], int)
        ahead = np.zeros((plan.sides, plan.sides), int)
        sides = plan.side_strategies[kind].tolist()
        for game, seating in enumerate(plan.seatings[kind].tolist()):
            place = deals.standings[deal, game]
            for ship, strategy in enumerate(seating):
                win = deals.wins[deal, game, ship]
                vector[strategy if plan.strategies == 2 else (ship - game) % players] += win
                vector[-players + (ship - deals.first_captains[deal]) % players] += win
                for other, opponent in enumerate(seating):
                    level = AHEAD_UNITS // 2 * ((place[ship] >= place[other]) + int(place[ship] > place[other]))
                    ahead[sides.index(strategy), sides.index(opponent)] += level
        expected.deals[kind] += 1
        expected.wins[kind] += vector
        expected.products[kind] += np.outer(vector, vector)
        expected.ahead[kind] += ahead
        expected.ahead_squares[kind] += ahead**2
    (tally,) = tally_deals(plan, deals)
    for name in ("deals", "wins", "products", "ahead", "ahead_squares"):
        assert (getattr(tally, name) == getattr(expected, name)).all(), name
    if plan.strategies == 2:
        leads = leads_by_game(plan, deals)
        assert tally.leads.tolist() == np.stack([leads.sum(axis=0), (leads**2).sum(axis=0)], axis=1).tolist()
        assert leads.sum() == tally.wins[:, :2].sum(axis=0) @ plan.lead_weights


@pytest.mark.parametrize(("threads", "size"), [(1, 1), (2, 7), (3, 10), (2, 30)])
def test_threads_and_chunks_change_no_sum(threads, size):
    """Nor does it matter where chunks are cut: the sums between two looks are the same."""
    contest = prepare(["random", "balanced", "random"], players=2)
    chunks = [Chunk(first, min(size, 30 - first), step=6) for first in range(0, 30, size)]
    looks = np.zeros((5, no_deals(contest.design).nbytes // 8), np.int64)
    for played in play_in_order([contest], chunks, threads, make_worker=DealPlayer):
        for end, sums in zip(played.chunk.ends(), played.tally, strict=True):
            looks[(end - 1) // 6] += np.frombuffer(sums.tobytes(), np.int64)
    for look, sums in enumerate(looks):
        expected = tally_deals(contest.design, DealPlayer(contest).deals(6 * look, 6))
        assert np.array_equal(sums, expected.view(np.int64))
