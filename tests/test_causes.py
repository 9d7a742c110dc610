"""Causes: estimators against games whose answers are known in closed form, and against other ways of counting."""

import math
import shlex
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner

from jamaica_sim import UserError, luck_shares, worths
from jamaica_sim.cli import main
from jamaica_sim.files.limits import LUCK_SOURCES
from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.play.game_columns import win_shares
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.positions import GamePositions
from jamaica_sim.play.state_record import GamePlayer, StrategyFault
from jamaica_sim.play.trace import trace_game
from jamaica_sim.results.stats.variance_shares import (
    factorial_effects,
    free_variances,
    known_first,
    mean_of,
    shapley_values,
    share_of,
    swing_squares,
)
from jamaica_sim.strategy.library import load_strategies
from jamaica_sim.study.causes.budget import OTHER, SKILL, luck_budget, outcomes, sources_at
from jamaica_sim.study.causes.swings import loss_of, losses, steps_of, swings

# Toy games


def planned(game, inputs, units, seed):
    """A toy game of independent inputs, played with all combinations of two values each, for each of `units` draws."""
    random = np.random.default_rng(seed)
    values = random.choice([-1.0, 1.0], size=(units, 2, inputs))
    plans = np.array(list(product((0, 1), repeat=inputs)))[:, ::-1]
    return np.stack([game(*(values[:, plan[i], i] for i in range(inputs))) for plan in plans], 1)


TOYS = {  # game of +-1, Shapley effects, first-order and total indices
    "sum": (lambda a, b, c: 2 * a + b + c, [4 / 6, 1 / 6, 1 / 6], [4 / 6, 1 / 6, 1 / 6], [4 / 6, 1 / 6, 1 / 6]),
    "product": (lambda a, b, c: a * b * c, [1 / 3] * 3, [0, 0, 0], [1, 1, 1]),  # as chaotic as a game can be
    "mixed": (lambda a, b, c: a + b * c, [1 / 2, 1 / 4, 1 / 4], [1 / 2, 0, 0], [1 / 2, 1 / 2, 1 / 2]),
    "idle": (lambda a, b, c: a + 0 * c, [1, 0, 0], [1, 0, 0], [1, 0, 0]),
}


@pytest.mark.parametrize("name", TOYS)
def test_effects_of_toy_games(name):
    game, shapley, first, total = TOYS[name]
    effects = factorial_effects(planned(game, 3, 4000, 5)[..., None])
    for found, known in ((effects.shapley, shapley), (effects.first, first), (effects.total, total)):
        for estimate, value in zip(found, known, strict=True):
            assert abs(estimate.value - value) <= 2 * estimate.half_width + 1e-9, (name, estimate, value)
            assert estimate.half_width < 0.06
    assert sum(estimate.value for estimate in effects.shapley) == pytest.approx(1)


def test_effects_of_a_vector_are_those_of_its_sum_of_variances():
    """Two ships, one whose win is input a, one whose win is a times b: variances 1 and 1."""
    outcomes = np.stack([planned(lambda a, b: a, 2, 4000, 3), planned(lambda a, b: a * b, 2, 4000, 3)], axis=2)
    effects = factorial_effects(outcomes)
    for estimate, value in zip(effects.shapley, (0.75, 0.25), strict=True):
        assert abs(estimate.value - value) <= 2 * estimate.half_width


KNOWN = {  # game of +-1 whose last input is known first: shares of a, b and c
    "no skill in chaos": (
        lambda a, b, c: a * b * c,
        [1 / 2, 1 / 2, 0],
    ),  # c foretells nothing, though its Shapley effect is 1/3
    "skill and chaos": (lambda a, b, c: a * b * c + c, [1 / 4, 1 / 4, 1 / 2]),
    "skill alone": (lambda a, b, c: c + 0 * a, [0, 0, 1]),
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_known_first_is_what_it_foretells(name):
    game, known = KNOWN[name]
    found = known_first(planned(game, 3, 4000, 5)[..., None])
    for estimate, value in zip(found, known, strict=True):
        assert abs(estimate.value - value) <= 2 * estimate.half_width + 1e-9, (name, estimate, value)
        assert estimate.half_width < 0.06
    assert sum(estimate.value for estimate in found) == pytest.approx(1)


def test_intervals_of_what_is_known_first_cover():
    game, known = KNOWN["skill and chaos"]
    studies = [known_first(planned(game, 3, 200, seed)[..., None]) for seed in range(150)]
    for i, value in enumerate(known):
        covered = sum(study[i].low <= value <= study[i].high for study in studies)
        assert 130 <= covered <= 150, (i, covered)


def test_shapley_values_by_permutations():
    """The textbook's definition: the mean of what a player adds, over all orders."""
    from itertools import permutations

    worth = np.random.default_rng(1).random((5, 16))
    worth[:, 0] = 0
    expected = np.zeros((5, 4))
    for order in permutations(range(4)):
        before = 0
        for player in order:
            expected[:, player] += (worth[:, before | 1 << player] - worth[:, before]) / 24
            before |= 1 << player
    assert np.allclose(shapley_values(worth), expected)
    assert np.allclose(expected.sum(1), worth[:, -1])


def test_pairs_of_games_by_hand():
    costs = free_variances(np.array([[[0.0], [1.0], [0.0], [3.0]]]))
    assert costs.tolist() == [[0.0, (1 + 9) / 4, (0 + 4) / 4, (9 + 1) / 4]]
    with pytest.raises(ValueError, match="complete design"):
        free_variances(np.zeros((1, 3, 1)))


def test_intervals_of_effects_cover():
    """Calibration over seeds: 95% intervals hold the known value in about 95% of all studies."""
    game, shapley, *_ = TOYS["mixed"]
    studies = [factorial_effects(planned(game, 3, 200, seed)[..., None]).shapley for seed in range(150)]
    for i, known in enumerate(shapley):
        covered = sum(study[i].low <= known <= study[i].high for study in studies)
        assert 130 <= covered <= 150, (i, covered)  # 142.5 expected; fewer than 130 once in a million


def best_of_three(random, games_on, estimates, matches):
    """Matches of three fair points, won by the first player with two; the middle point is another source's.

    Chances 1/2, then 3/4 or 1/4, then 1, 1/2 or 0. Squared steps: 1/16 at first; 1/16 in the second point; in the
    third 1/4 if it matters, half of the time. Together 1/4, the variance of winning.
    """
    points = random.integers(0, 2, (matches, 3))

    def chance(known):
        new = random.integers(0, 2, (matches, estimates, games_on, 3 - known)).sum(3)
        return np.mean(points[:, :known].sum(1)[:, None, None] + new >= 2, axis=2)

    ends = np.full((matches, estimates), 0.5), np.repeat(points.sum(1)[:, None] >= 2, estimates, 1)
    paths = np.stack([ends[0], chance(1), chance(2), ends[1]], axis=2)
    return np.array([swing_squares(match, [0, 1, 0], 2) for match in paths])


@pytest.mark.parametrize("games_on, estimates", [(1, 2), (5, 2), (1, 12)])
def test_swings_of_a_toy_match(games_on, estimates):
    random = np.random.default_rng(8)
    squares = best_of_three(random, games_on, estimates, 2500)
    for source, known in ((0, 1 / 16 + 1 / 8), (1, 1 / 16)):
        found = mean_of(squares[:, source])
        assert abs(found.value - known) <= 2 * found.half_width, (source, found)
    whole = mean_of(squares.sum(1))
    assert abs(whole.value - 0.25) <= 2 * whole.half_width and whole.half_width < 0.05
    share = share_of(squares[:, 1], squares.sum(1))
    assert abs(share.value - 0.25) <= 2 * share.half_width


def test_swings_are_means_over_pairs_of_estimates():
    """The mean of all products of two different estimates, written out."""
    paths = np.random.default_rng(3).random((4, 6, 2))
    steps = np.diff(paths, axis=1)
    pairs = [(i, j) for i in range(4) for j in range(4) if i != j]
    by_step = np.mean([(steps[i] * steps[j]).sum(1) for i, j in pairs], axis=0)
    assert swing_squares(paths, [0, 1, 0, 2, 1], 3) == pytest.approx(
        [by_step[0] + by_step[2], by_step[1] + by_step[4], by_step[3]]
    )


def test_one_estimate_squared_would_be_biased():
    """Why different estimates are multiplied: the square of one counts its noise as luck."""
    random = np.random.default_rng(8)
    chances = random.binomial(4, 0.5, (3000, 2)) / 4
    paths = np.stack([np.full((3000, 2), 0.5), chances], 2)
    squared = np.mean(np.diff(paths[:, 0], axis=1) ** 2)
    multiplied = np.mean([swing_squares(both, [0], 1) for both in paths])
    assert squared > 0.05 and abs(multiplied) < 0.01


def test_intervals_of_swings_cover():
    """Calibration over seeds: the share of the middle point is a quarter."""
    random, covered = np.random.default_rng(21), 0
    for _ in range(150):
        squares = best_of_three(random, 1, 6, 150)
        share = share_of(squares[:, 1], squares.sum(1))
        covered += share.low <= 0.25 <= share.high
    assert 130 <= covered <= 150, covered


def test_what_an_answer_loses():
    """Three answers: the first was given, the second wins 20 points more often, the third less often."""
    random = np.random.default_rng(4)
    won = np.array([random.random((2, 400)) < chance for chance in (0.4, 0.6, 0.1)], float).swapaxes(0, 1)
    assert loss_of(won, 0) == pytest.approx(0.2, abs=0.08)
    assert loss_of(won, 1) == 0.0  # nothing is better


def test_equal_answers_lose_nothing():
    """The answer that looks best by chance is judged by other games, so that the mean loss is zero."""
    random = np.random.default_rng(4)
    found = mean_of(np.array([loss_of((random.random((2, 5, 30)) < 0.3).astype(float), 2) for _ in range(800)]))
    assert abs(found.value) <= 2 * found.half_width < 0.02


def test_parts_of_what_some_inputs_explain():
    game, shapley, *_ = TOYS["mixed"]
    effects = factorial_effects(planned(game, 3, 4000, 5)[..., None])
    assert effects.part([0], [0, 1, 2]).value == pytest.approx(effects.shapley[0].value)
    without = effects.part([1], [1, 2])  # one of two equal quarters
    assert abs(without.value - 0.5) <= 2 * without.half_width
    assert effects.part([0, 1], [0, 1, 2]).value == pytest.approx(sum(e.value for e in effects.shapley[:2]))


def test_neighbouring_draws_of_one_source_are_one_step():
    dice, decks, own = (LUCK_SOURCES.index(name) for name in ("dice", "decks", "own"))
    drawn = np.array([decks, decks, dice, own, dice, decks])
    assert steps_of(drawn, own=False) == [(decks, 0), (dice, 2), (decks, 5)]
    assert steps_of(drawn, own=True) == [(decks, 0), (dice, 2), (own, 3), (dice, 4), (decks, 5)]


def test_shares_of_nothing():
    assert math.isnan(share_of(np.zeros(4), np.zeros(4)).value)
    assert mean_of(np.ones(1)).high == math.inf


def test_values_that_are_all_equal_are_not_certain():
    assert mean_of(np.full(5, 1 / 3)).half_width == pytest.approx(1 - 0.05 ** (1 / 5))
    assert share_of(np.zeros(5), np.ones(5)).half_width == pytest.approx(1 - 0.05 ** (1 / 5))
    assert all(row[1].half_width > 0.5 for row in worths("seats", games=2, strategies="random").rows)


# Jamaica


@pytest.fixture(scope="module")
def racers():
    return seat_table(strategies="racer", players=3, seed=6)


def test_the_budget_of_a_table(racers):
    budget = luck_budget(racers, 40, threads=1)
    assert set(budget.sources) == {"captain", "dice", "decks", "treasures", "combat", "hidden"}
    assert sum(estimate.value for estimate in budget.shares.values()) == pytest.approx(1)
    assert list(budget.shares) == sorted(budget.shares, key=lambda name: -budget.shares[name].value)
    assert budget.games == 40 * 64
    # The variance by another way of counting: how often two unrelated games of a seat have different winners.
    wins = win_shares(Worker(racers).play(Chunk(0, 3000), True).rows, 3)
    plain = 1 - (wins.mean(0) ** 2).sum() - (wins.max(1) < 1).mean() / 2
    assert abs(budget.effects.variance.value - plain) < 2 * budget.effects.variance.half_width + 0.02
    assert budget.of_the_games_luck("dice").value == pytest.approx(budget.shares["dice"].value)  # no other luck here
    both = budget.of_the_games_luck("dice", "decks")
    assert both.value == pytest.approx(budget.shares["dice"].value + budget.shares["decks"].value)
    again = luck_budget(racers, 40, threads=2)
    assert again.shares == budget.shares


def player_at(table):
    return GamePlayer(table.rules, table.strategies, table.seed)


def test_the_budget_plays_the_games_of_luck_by_source(racers):
    """Every plan is the run that `--luck` plays."""
    sources = sources_at(racers)
    won = outcomes(player_at(racers), racers, sources, None, range(4))
    for plan in (0, 1, 2, 5, 18, 63):
        luck = {source: racers.seed + OTHER for i, source in enumerate(sources) if plan >> i & 1}
        rows = Worker(seat_table(strategies="racer", players=3, seed=6, luck=luck)).play(Chunk(0, 4), True).rows
        assert np.allclose(won[:, plan], win_shares(rows, 3)), plan


def test_a_fault_in_the_budget_is_told_with_the_luck_of_its_game(tmp_path):
    """The strategy fails at the first throw of the redrawn dice only; the command that is told shows that failure."""
    luck = ({}, {"dice": 6 + OTHER})
    own, redrawn = (sum(trace_game(seat_table(seed=6, luck=one), 0)["events"][0]["dice"]) for one in luck)
    assert own != redrawn
    failing = tmp_path / "failing.py"
    failing.write_text(f"""
from jamaica_sim.strategy.api import *

def choose_card(view, rules, weights):
    if view.round == 1 and view.dice[0] + view.dice[1] == {redrawn}:
        raise ValueError("no idea")
    return ask_heuristic(view, rules, weights)
""")
    table = seat_table(strategies=[failing], seed=6)
    player = player_at(table)
    with pytest.raises(StrategyFault, match="no idea at choose_card in game 0, round 1") as fault:
        outcomes(player, table, ("dice",), None, range(1))
    what, _, command = str(fault.value).partition("; see it with: jamaica-sim ")
    shown = CliRunner().invoke(main, shlex.split(command))
    assert shown.exit_code == 1 and what[1:] in shown.stderr
    assert f"--luck dice={6 + OTHER}" in str(player.fault("has not answered"))


def test_skill_is_a_source_at_mixed_tables(racers):
    budget = luck_budget(racers, 12, pool=load_strategies(["random", "racer"]), threads=1)
    assert set(budget.sources) == {"captain", "dice", "decks", "treasures", "combat", "hidden", "own", SKILL}
    assert list(budget.shares)[0] == SKILL  # random play hardly ever wins
    assert sum(estimate.value for estimate in budget.shares.values()) == pytest.approx(1)
    game = [source for source in budget.sources if source not in (SKILL, "own")]
    assert sum(budget.of_the_games_luck(source).value for source in game) == pytest.approx(1)
    known = budget.skill_and_luck
    assert set(known) == set(budget.shares) and sum(share.value for share in known.values()) == pytest.approx(1)
    assert known[SKILL].value < budget.shares[SKILL].value
    assert luck_budget(racers, 2, threads=1).skill_and_luck == {}


def test_sources_that_are_drawn_from():
    assert "shortage" in sources_at(seat_table(strategies="racer", edition="2021"))
    assert "own" in sources_at(seat_table(strategies="random"))
    assert "own" in sources_at(seat_table(strategies=[{"noise": 1.0}]))
    assert "treasures" not in sources_at(seat_table(strategies="racer", treasure_pile=0))


@pytest.mark.slow
def test_swings_add_up_to_the_variance(racers):
    found = swings(racers, 700, 24)
    assert abs(found.variance.value - found.direct.value) <= 2 * found.variance.half_width
    assert found.variance.half_width < 0.04
    assert sum(share.value for share in found.shares.values()) == pytest.approx(1)


def test_swings_of_a_few_games(racers):
    found, again = swings(racers, 12, 2, threads=1), swings(racers, 12, 2, threads=2)
    assert found == again
    assert set(found.shares) >= {"dice", "decks", "captain"} and "own" not in found.shares
    assert found.steps["captain"].value == 1
    assert found.together(*found.shares).value == pytest.approx(1)
    rounds = Worker(racers).play(Chunk(0, 12), True).rows["rounds"]
    assert found.steps["dice"].value == pytest.approx(rounds.mean())  # one throw in every round


def test_what_decisions_cost(racers):
    found, again = (losses(racers, 6, sampled=3, played_on=4, threads=threads) for threads in (1, 2))
    assert found == again and found.decisions == 18
    assert found.by_decision.keys() == found.asked.keys() and "choose_card" in found.asked
    assert found.together.value == pytest.approx(sum(e.value for e in found.by_decision.values()))
    # How often a player has a choice, by another way: the positions of the game.
    choices = [len(GamePositions(racers, game).decisions("choose_card")) / 3 for game in range(6)]
    assert found.asked["choose_card"].value == pytest.approx(np.mean(choices))


@pytest.mark.slow
def test_random_play_loses_more_by_its_decisions_than_racers(racers):
    found = losses(racers, 60, sampled=6, played_on=32)
    worse = losses(seat_table(strategies="random", players=3, seed=6), 60, sampled=6, played_on=32)
    assert worse.together.low > found.together.high > 0


@pytest.mark.parametrize("few", [{"games": 1}, {"sampled": 0}, {"played_on": 1}])
def test_losses_need_some_games(racers, few):
    with pytest.raises(ValueError, match="at least 2 games"):
        losses(racers, **{"games": 4, **few})
    with pytest.raises(ValueError, match="at least 2 games"):
        swings(racers, 4, 1)


@pytest.mark.parametrize("deals", [0, 1, 1.5, "x", 1e18, True])
def test_deals_that_cannot_be_played(deals):
    with pytest.raises(UserError, match="a luck budget needs a whole number of deals from 2 on, not"):
        luck_shares(deals, strategies="random")


@pytest.mark.parametrize("games", [0, 2.5, "x"])
def test_games_that_worths_cannot_play(games):
    with pytest.raises(UserError, match="the number of games must be a whole number"):
        worths("seats", games=games, strategies="random")


@pytest.mark.parametrize("what", ["seat", 3, ["seats"]])
def test_there_is_no_such_worth(what):
    with pytest.raises(UserError, match="there is no worth of"):
        worths(what, games=10)


def test_a_luck_budget_counts_deals():
    found = luck_shares(1e1, strategies="random", players=3)
    assert found.caption().endswith("games; 10 deals)") and "share_deals" in found.to_pandas()
