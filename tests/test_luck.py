"""Luck: the generator against published values, unbiased numbers, fair dice and shuffles, streams that do not touch.

Seeds are fixed, so each test has one outcome; a test fails where chance alone would do so once in ten thousand times.
"""

from collections import Counter
from itertools import combinations, islice, permutations

import numpy as np
import pytest
from numba import njit
from scipy.stats import chi2, chisquare, pearsonr
from tabletop import Tabletop

from jamaica_sim.engine.machine import random as rng
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.trace import trace_game

RARE = 1e-4


def fair(counts, weights=None):
    """Whether counts agree with chances in proportion to the weights, all equal by default."""
    counts = np.asarray(counts, float)
    weights = np.ones_like(counts) if weights is None else np.asarray(weights, float)
    return chisquare(counts, weights / weights.sum() * counts.sum()).pvalue > RARE


@njit
def draws(key, first, n):
    out = np.empty(n, np.uint64)
    for i in range(n):
        out[i] = rng.draw(np.uint64(key), np.int64(first + i))
    return out


@njit
def numbers(key, bound, n):
    out = np.empty(n, np.int64)
    for i in range(n):
        out[i] = rng.below(rng.draw(np.uint64(key), np.int64(i)), np.int64(bound))
    return out


@njit
def keys_of(seed, game):
    out = np.empty(rng.KEYS, np.uint64)
    rng.deal_keys(out, np.int64(seed), np.int64(game))
    return out


@pytest.fixture(scope="module")
def traces():
    """300 games of four players, with shortages by the die."""
    table = seat_table(strategies="random", players=4, edition="2021", seed=31)
    return [trace_game(table, game) for game in range(300)]


def events(traces, kind):
    return [event for trace in traces for event in trace["events"] if event["event"] == kind]


# The generator


def wyrand(state):
    """The generator as its author publishes it, in Python's whole numbers."""
    while True:
        state = (state + 0x2D358DCCAA6C78A5) % 2**64
        product = state * (state ^ 0x8BB84B93962EACC9)
        yield product % 2**64 ^ product >> 64


@pytest.mark.parametrize("key", [0, 1, 1234567, 2**63 - 1])
def test_a_stream_is_wyrand(key):
    assert draws(key, 0, 20).tolist() == list(islice(wyrand(key), 20))


@pytest.mark.parametrize("stride", [1, 1 << 12, 1 << 15])
def test_draws_far_apart_are_as_good_as_neighbours(stride):
    """The rolls of different rounds and ships lie far apart in their stream. They are even, alone and in pairs."""
    drawn = np.array([int(draws(17, i * stride, 1)[0]) >> 60 for i in range(40_000)])
    assert fair(np.bincount(drawn, minlength=16))
    assert fair(np.bincount(16 * drawn[:-1] + drawn[1:], minlength=256))


def test_a_draw_depends_on_its_index_alone():
    assert draws(99, 0, 20)[7:].tolist() == draws(99, 7, 13).tolist()


@pytest.mark.parametrize("bound", [2, 3, 6, 11, 36, 50])
def test_numbers_below_a_bound_are_fair(bound):
    assert fair(np.bincount(numbers(7 * bound, bound, 200_000), minlength=bound))


@pytest.mark.parametrize("bound", [3 << 61, 5 << 60, (1 << 63) - 1])
def test_large_bounds_are_unbiased_too(bound):
    """Without rejection a third of the numbers below three quarters of 2**63 would come up a third less often."""
    found = numbers(bound, bound, 200_000)
    assert found.min() >= 0 and found.max() < bound
    assert fair(np.bincount(found % 3, minlength=3))
    assert fair(np.bincount(found // (bound // 16 + 1), minlength=16))


def test_bits_are_balanced():
    bits = np.unpackbits(draws(5, 0, 50_000).view(np.uint8))
    assert fair(np.bincount(bits))


# Streams


def test_every_purpose_has_a_stream_of_its_own():
    keys = {int(key) for seed in range(40) for game in range(40) for key in keys_of(seed, game)}
    assert len(keys) == 40 * 40 * rng.KEYS


@pytest.mark.parametrize("step", [(0, 1), (1, 0)], ids=["games", "seeds"])
def test_neighbours_are_independent(step):
    """The same purpose in one game and the next, and of one seed and the next."""
    here = [first_draw(seed, seed * 7) for seed in range(3000)]
    next_door = [first_draw(seed + step[0], seed * 7 + step[1]) for seed in range(3000)]
    assert pearsonr(here, next_door).pvalue > RARE


def first_draw(seed, game):
    return float(draws(keys_of(seed, game)[rng.ACTION_DICE], 1, 1)[0])


def test_streams_of_one_game_are_independent():
    firsts = np.array([[float(draws(key, 0, 1)[0]) for key in keys_of(3, game)] for game in range(1500)])
    correlations = np.corrcoef(firsts.T)[np.triu_indices(rng.KEYS, 1)]
    statistic = (correlations**2).sum() * len(firsts)
    assert chi2.sf(statistic, correlations.size) > RARE


# Dice and shuffles of real games


@pytest.mark.clause("C4")
def test_action_dice_are_fair(traces):
    pairs = Counter(tuple(event["dice"]) for event in events(traces, "round"))
    assert len(pairs) == 36
    assert fair([pairs[first, second] for first in range(1, 7) for second in range(1, 7)])


def test_dice_of_one_round_and_the_next_are_independent(traces):
    sums = [[sum(event["dice"]) for event in trace["events"] if event["event"] == "round"] for trace in traces]
    now = [total for game in sums for total in game[:-1]]
    after = [total for game in sums for total in game[1:]]
    assert pearsonr(now, after).pvalue > RARE


@pytest.mark.clause("C5")
def test_combat_die_is_fair(traces):
    faces = Counter(event["face"] for event in events(traces, "roll"))
    assert fair([faces[face] for face in (2, 4, 6, 8, 10, "star")])


@pytest.mark.clause("C5", "H3")
def test_shortage_die_is_fair(traces):
    symbols = Counter(event["symbol"] for event in events(traces, "shortage"))
    assert fair([symbols[symbol] for symbol in ("circle", "square", "skull", "star")], [2, 2, 1, 1])


def test_attackers_and_defenders_roll_independently(traces):
    rolls = []
    for trace in traces:
        battle = []
        for event in trace["events"]:
            if event["event"] == "roll":
                battle.append(event["face"])
            elif event["event"] == "battle_end":
                if len(battle) == 2 and "star" not in battle:
                    rolls.append(battle)
                battle = []
    assert pearsonr(*np.array(rolls).T).pvalue > RARE


@pytest.mark.clause("S3")
@pytest.mark.parametrize("players", range(2, 7))
def test_the_first_captain_is_drawn_fairly(players):
    rows = seat_table(strategies="random", players=players, seed=8, round_cap=1)
    captains = Counter(rows_of(rows, 3000)["first_captain"].tolist())
    assert fair([captains[player] for player in range(players)])


def rows_of(table, games):
    from jamaica_sim.play.chunks import Chunk, Worker

    return Worker(table).play(Chunk(0, games), keep_rows=True).rows


@pytest.mark.clause("S3")
def test_every_first_hand_is_equally_likely(traces):
    table, hands = Tabletop(6), Counter()
    for game in range(1500):
        hands.update(table.set_up(game).state["hands"][:6].tolist())
    all_hands = [sum(1 << card for card in hand) for hand in combinations(range(11), 3)]
    assert len(hands) == len(all_hands) == 165
    assert fair([hands[hand] for hand in all_hands])


@pytest.mark.clause("S3")
def test_decks_of_two_players_are_independent():
    table = Tabletop(3)
    same = sum(
        bin(int(hands[0]) & int(hands[1])).count("1")
        for hands in (table.set_up(game).state["hands"] for game in range(1000))
    )
    assert abs(same / 1000 - 9 / 11) < 0.08  # 3 * 3 / 11 cards in common


@pytest.mark.clause("T4")
def test_draws_after_the_first_hand_are_fair(traces):
    """The first card drawn after the first round is each of the eight others equally often."""
    drawn = Counter()
    for trace in traces:
        first_draws = [event for event in trace["events"] if event["event"] == "draw"][:4]
        for event in first_draws:
            if len(event["cards"]) == 1:
                deck = sorted(set(range(11)) - set(trace["setup"]["hands"][event["ship"]]))
                drawn[deck.index(event["cards"][0])] += 1
    assert fair([drawn[place] for place in range(8)])


@pytest.mark.clause("S2")
def test_every_treasure_is_equally_likely_in_every_place(traces):
    table = seat_table(strategies="random", players=3, seed=6, round_cap=1)
    piles = [trace_game(table, game)["setup"]["pile"] for game in range(1000)]
    for place in (0, 1, 4, 8):
        assert fair(np.bincount([pile[place] for pile in piles], minlength=12))
    tops = Counter((pile[0], pile[1]) for pile in piles)
    assert fair([tops[pair] for pair in permutations(range(12), 2)])
