"""The rating against choix, a likelihood written out game by game, and known truth."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from line_ups import tally_line_up
from scipy import linalg, optimize, special

from jamaica_sim.game.codes import WIN_UNITS
from jamaica_sim.results.stats.rating import LineUpTally, RankRange, ranks_with_ties, rate, transitivity

STRENGTHS = np.array([-0.8, -0.2, 0.0, 0.3, 0.7])
SEATS = np.array([0.25, 0.05, -0.1, -0.2])


def play(rng, line_up, deals, strengths=STRENGTHS, seats=SEATS, shared_luck=False):
    """Wins by (deal, rotation, seat); with `shared_luck`, one random number decides a whole deal."""
    players = len(line_up)
    wins = np.zeros((deals, players, players), dtype=int)
    deal = rng.random(deals)
    for rotation in range(players):
        seat = (np.arange(players) + rotation) % players
        chances = special.softmax(strengths[list(line_up)] + seats[seat])
        luck = deal if shared_luck else rng.random(deals)
        winner = np.minimum(np.searchsorted(np.cumsum(chances), luck), players - 1)
        wins[np.arange(deals), rotation, seat[winner]] = WIN_UNITS
    return wins


def tallies(rng, deals, players=4, **options):
    count = len(options.get("strengths", STRENGTHS))
    return [tally_line_up(line, play(rng, line, deals, **options)) for line in combinations(range(count), players)]


def values(estimates):
    return np.array([e.value for e in estimates])


def covers(estimates, truth):
    return [e.low <= t <= e.high for e, t in zip(estimates, truth, strict=True)]


def test_agrees_with_choix_on_winners_only():
    choix = pytest.importorskip("choix")
    rng = np.random.default_rng(20)
    games, deals = [], []
    for line in combinations(range(5), 4):
        winners = rng.choice(4, 60, p=special.softmax(STRENGTHS[list(line)]))
        games += [(line[w], [s for s in line if s != line[w]]) for w in winners]
        # The same player wins all rotations of a deal, so the seats are exactly even.
        wins = np.zeros((60, 4, 4), dtype=int)
        for rotation in range(4):
            wins[np.arange(60), rotation, (winners + rotation) % 4] = WIN_UNITS
        deals.append(tally_line_up(line, wins))
    rating = rate(deals, prior=0)
    expected = choix.ilsr_top1(5, games, alpha=0.0, tol=1e-12)
    assert values(rating.strengths) == pytest.approx(expected - expected.mean(), abs=1e-6)
    assert values(rating.seat_effects) == pytest.approx(np.zeros(4), abs=1e-8)


def sandwich(games, design, parameters):
    """The likelihood's maximum and its covariance by the sandwich formula, written out.

    `games` has the wins of each line-up by deal, rotation and seat; `design` says which parameters add up in which row.
    """

    def log_likelihood(p):
        return sum((wins * special.log_softmax(design(line) @ p, axis=1)).sum() for line, wins in games.items())

    best = optimize.minimize(lambda p: -log_likelihood(p) + 1e-9 * p @ p, np.zeros(parameters), tol=1e-9).x
    bread, meat = np.zeros((parameters, parameters)), np.zeros((parameters, parameters))
    for line, wins in games.items():
        rows, chances = design(line), special.softmax(design(line) @ best, axis=1)
        scores = np.einsum("brj,rjp->bp", wins - chances, rows)
        meat += scores.T @ scores
        mean = np.einsum("rj,rjp->rp", chances, rows)
        bread += len(wins) * (np.einsum("rj,rjp,rjq->pq", chances, rows, rows) - mean.T @ mean)
    inverse, deals = np.linalg.pinv(bread), sum(map(len, games.values()))
    return best, inverse @ meat @ inverse * deals / (deals - 1)


def test_agrees_with_the_likelihood_and_the_sandwich_written_out():
    rng = np.random.default_rng(21)
    lines = [(0, 1, 2), (2, 3, 1), (3, 0, 0), (1, 3, 0)]
    games = {}
    for line in lines:
        wins = play(rng, line, 40, np.array([0.5, 0.0, -0.5, 0.0]), np.array([0.3, 0.0, -0.3]), True)
        wins[::7] = WIN_UNITS // 3  # some wins shared by all
        games[line] = wins / WIN_UNITS

    def design(line):
        rows = np.zeros((3, 3, 7))
        for rotation, player in product(range(3), range(3)):
            rows[rotation, (player + rotation) % 3, [line[player], 4 + (player + rotation) % 3]] = 1
        return rows

    best, covariance = sandwich(games, design, 7)

    rating = rate([tally_line_up(line, (games[line] * WIN_UNITS).round()) for line in lines], prior=0)
    assert values(rating.strengths) == pytest.approx(best[:4] - best[:4].mean(), abs=1e-5)
    assert values(rating.seat_effects) == pytest.approx(best[4:] - best[4:].mean(), abs=1e-5)
    assert rating.covariance == pytest.approx(covariance[:4, :4], abs=1e-5)
    assert rating.seat_covariance == pytest.approx(covariance[4:, 4:], abs=1e-5)


def test_the_ghost_may_win_as_well():
    rng = np.random.default_rng(33)
    lines, ghost = [(0, 1, 2), (2, 3, 1), (3, 0, 1), (2, 0, 3)], -0.4
    strengths, seats = np.array([0.6, 0.1, -0.7, 0.0]), np.array([0.2, 0.0, -0.2])
    games = []
    for line in lines:
        wins = np.zeros((2000, 3, 4), dtype=int)
        for rotation in range(3):
            player_in_seat = [line[(seat - rotation) % 3] for seat in range(3)]
            chances = special.softmax([*(strengths[player_in_seat] + seats), ghost])
            wins[np.arange(2000), rotation, rng.choice(4, 2000, p=chances)] = WIN_UNITS
        games.append(tally_line_up(line, wins[:, :, :3], ghost=True))
    rating = rate(games)
    assert all(covers(rating.strengths, strengths)) and all(covers(rating.seat_effects, seats))
    assert all(covers(rating.seat_shares, special.softmax([*seats, ghost])[:3]))
    assert sum(share.value for share in rating.seat_shares) < 1
    with pytest.raises(ValueError, match="ghost"):
        rate([*games, tally_line_up((0, 1, 2), play(rng, (0, 1, 2), 5, seats=SEATS[:3]))])


def test_the_ghosts_errors_are_those_of_the_sandwich_written_out():
    rng = np.random.default_rng(34)
    lines = [(0, 1), (1, 2), (2, 0)]
    games = {line: rng.multinomial(1, [0.5, 0.3, 0.2], (200, 2)) for line in lines}  # by seat, then the ghost

    def design(line):
        rows = np.zeros((2, 3, 6))
        for rotation, player in product(range(2), range(2)):
            rows[rotation, (player + rotation) % 2, [line[player], 3 + (player + rotation) % 2]] = 1
        rows[:, 2, 5] = 1
        return rows

    best, covariance = sandwich(games, design, 6)
    centring = linalg.block_diag(np.eye(3) - 1 / 3, np.eye(2) - 1 / 2)
    covariance = centring @ covariance[:5, :5] @ centring

    tallied = [tally_line_up(line, WIN_UNITS * games[line][:, :, :2], ghost=True) for line in lines]
    rating = rate(tallied, prior=0)
    assert values(rating.strengths) == pytest.approx(best[:3] - best[:3].mean(), abs=1e-5)
    assert values(rating.seat_effects) == pytest.approx(best[3:5] - best[3:5].mean(), abs=1e-5)
    assert rating.covariance == pytest.approx(covariance[:3, :3], abs=1e-5)
    assert rating.seat_covariance == pytest.approx(covariance[3:, 3:], abs=1e-5)
    wide = rate(tallied, prior=0, widen=1.5)
    assert wide.strengths[0].half_width == pytest.approx(1.5 * rating.strengths[0].half_width)


@pytest.mark.slow
@pytest.mark.parametrize("shared_luck", [False, True])
def test_intervals_cover_the_truth(shared_luck):
    rng = np.random.default_rng(22)
    hits = []
    for _ in range(120):
        rating = rate(tallies(rng, 20, shared_luck=shared_luck))
        hits += covers(rating.strengths, STRENGTHS) + covers(rating.seat_effects, SEATS)
        hits += covers(rating.seat_shares, special.softmax(SEATS))
    assert 0.93 <= np.mean(hits) <= 0.97


def test_many_games_find_the_truth():
    rating = rate(tallies(np.random.default_rng(23), 20_000))
    assert rating.strategies == (0, 1, 2, 3, 4)
    assert values(rating.strengths) == pytest.approx(STRENGTHS, abs=0.02)
    assert values(rating.seat_effects) == pytest.approx(SEATS, abs=0.02)
    assert values(rating.strengths).sum() == pytest.approx(0, abs=1e-9)
    assert ranks_with_ties(values(rating.strengths), rating.covariance) == [RankRange(r, r) for r in (5, 4, 3, 2, 1)]
    assert rating.strengths[0].n == 80_000 and rating.seat_effects[0].n == 100_000


def test_shared_luck_is_paid_for_in_the_errors():
    independent = rate(tallies(np.random.default_rng(24), 500))
    shared = rate(tallies(np.random.default_rng(24), 500, shared_luck=True))
    assert 1.7 < shared.strengths[4].half_width / independent.strengths[4].half_width < 2.1


def test_a_strategy_that_never_or_always_wins_stays_finite():
    strengths = np.array([-60.0, -0.3, 0.0, 0.3, 60.0])
    rng = np.random.default_rng(25)
    mirrors = [tally_line_up(line, play(rng, line, 50, strengths)) for line in [(0, 0, 0, 0), (4, 4, 4, 4)]]
    rating = rate(tallies(rng, 100, strengths=strengths) + mirrors)
    hopeless, *middle, unbeaten = rating.strengths
    assert hopeless.low == -math.inf and math.isfinite(hopeless.high) and -15 < hopeless.value < -4
    assert unbeaten.high == math.inf and math.isfinite(unbeaten.low) and 4 < unbeaten.value < 15
    assert all(math.isfinite(e.half_width) for e in middle)
    ranks = ranks_with_ties(values(rating.strengths), rating.covariance)
    assert ranks[0] == (5, 5) and ranks[4] == (1, 1)


def test_the_prior_fades():
    games = tallies(np.random.default_rng(26), 500)
    plain, default = rate(games, prior=0), rate(games)
    errors = np.array([e.half_width for e in plain.strengths])
    assert (np.abs(values(plain.strengths) - values(default.strengths)) < errors / 50).all()


def test_one_rotation_and_labels():
    rng = np.random.default_rng(27)
    lines = [("Bold", "Calm", "Dull"), ("Calm", "Dull", "Bold"), ("Dull", "Bold", "Calm")]
    rating = rate([tally_line_up(line, WIN_UNITS * rng.multinomial(1, [0.5, 0.3, 0.2], (300, 1))) for line in lines])
    assert rating.strategies == ("Bold", "Calm", "Dull")
    assert values(rating.seat_shares) == pytest.approx([0.5, 0.3, 0.2], abs=0.06)


def test_wrong_tallies_are_refused():
    wins = play(np.random.default_rng(29), (0, 1, 2, 3), 5)
    wins[0, 0] = 0  # a game without a winner
    with pytest.raises(ValueError, match="one win"):
        tally_line_up((0, 1, 2, 3), wins)
    with pytest.raises(ValueError, match="line-up of 3"):
        LineUpTally((0, 1, 2), 3, 0, np.zeros(8), np.zeros((8, 8)))


def test_what_cannot_be_told_apart_is_refused():
    rng = np.random.default_rng(30)

    def of(*line):
        return tally_line_up(line, play(rng, line, 20, seats=SEATS[: len(line)]))

    with pytest.raises(ValueError, match="tell all strategies"):
        rate([of(0, 1, 0, 1), of(2, 3, 2, 3)])  # two groups that never met
    with pytest.raises(ValueError, match="tell all strategies"):
        rate([tally_line_up((0, 1), play(rng, (0, 1), 20, seats=SEATS[:2])[:, :1])])  # never changed seats
    with pytest.raises(ValueError, match="two strategies"):
        rate([of(0, 0, 0)])
    with pytest.raises(ValueError, match="number of players"):
        rate([of(0, 1, 2), of(0, 1, 2, 3)])


def test_ranks_are_tied_where_the_data_cannot_tell():
    error = 0.1**2 * np.eye(4)
    assert ranks_with_ties([2.0, 1.0, 0.95, 0.0], error) == [(1, 1), (2, 3), (2, 3), (4, 4)]
    # The middle one cannot be told from either end, but the ends can from each other.
    assert ranks_with_ties([0.6, 0.35, 0.1], error[:3, :3]) == [(1, 2), (1, 3), (2, 3)]
    assert ranks_with_ties([1.0, 1.0], np.zeros((2, 2))) == [(1, 2), (1, 2)]


def test_equal_strategies_share_the_first_rank():
    rng = np.random.default_rng(31)
    centring = np.eye(6) - 1 / 6
    wrong = [ranks_with_ties(centring @ rng.normal(size=6), centring) != [RankRange(1, 6)] * 6 for _ in range(1000)]
    assert np.mean(wrong) <= 0.05


def ahead(*pairs, count):
    matrix = np.full((count, count), 0.5)
    for row, column in pairs:
        matrix[row, column], matrix[column, row] = 0.6, 0.4
    return matrix


def test_rock_paper_scissors_is_found():
    found = transitivity(ahead((0, 1), (1, 2), (2, 0), count=3), np.full((3, 3), 0.01))
    assert found == ("cyclic", ((0, 1, 2),), 3, 3)
    reverse = transitivity(ahead((1, 0), (2, 1), (0, 2), count=3), np.full((3, 3), 0.01))
    assert reverse.cycles == ((0, 2, 1),)
    unsure = transitivity(ahead((0, 1), (1, 2), (2, 0), count=3), np.full((3, 3), 0.08))
    assert unsure.verdict == "undecided" and unsure.cycles == ()


def test_a_cycle_of_four_is_a_cycle():
    matrix = ahead((0, 1), (1, 2), (2, 3), (3, 0), count=4)
    found = transitivity(matrix, np.full((4, 4), 0.01))
    assert found == ("cyclic", (), 4, 6)


def test_a_ladder_is_transitive():
    matrix = ahead(*combinations(range(5), 2), count=5)
    assert transitivity(matrix, np.full((5, 5), 0.01)) == ("transitive", (), 10, 10)
    matrix[0, 4] = np.nan  # never met
    assert transitivity(matrix, np.full((5, 5), 0.01)).verdict == "undecided"


def test_the_strongest_cycle_comes_first():
    matrix = ahead((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (3, 2), count=4)
    matrix[0, 1] = 0.55
    found = transitivity(matrix, np.full((4, 4), 0.005))
    assert found.cycles == ((0, 3, 2), (0, 1, 2))


def test_no_cycles_are_invented_among_equals():
    rng = np.random.default_rng(32)
    noise = [transitivity(0.5 + rng.normal(0, 0.01, (8, 8)), np.full((8, 8), 0.01)) for _ in range(500)]
    assert np.mean([t.settled > 0 for t in noise]) <= 0.07
    assert not any(t.cycles for t in noise)
