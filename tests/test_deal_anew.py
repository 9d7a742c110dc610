"""Dealing again what is hidden (K2): deals agree with the view and are equally likely, and the truth is one of them."""

from collections import Counter
from functools import cache
from itertools import combinations
from math import comb

import numpy as np
import pytest
from compiled import entry_of_tests
from scipy.stats import chisquare

from jamaica_sim.engine.deal_anew import complete_position, deal_anew
from jamaica_sim.engine.machine.random import draw
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import STATE_DTYPE, VIEW_DTYPE
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.positions import GamePositions

TABLES = [Rules(players=4), Rules(players=3, edition="2021", ghost=True), Rules(players=2, ghost=True)]
HIDDEN = ("hands", "deck", "chosen", "hidden")
ALL_CARDS = (1 << 11) - 1
POWERS = 0b1111
SAMPLES = 20_000


@entry_of_tests
def _deal(states, rulebooks, key, hands, decks, chosen, hidden, left):
    complete_position(states[0], rulebooks[0])
    for i in range(len(left)):
        deal_anew(states[0], rulebooks[0], draw(key, i))
        for ship in range(hands.shape[1]):  # engine code must not allocate memory, as assigning to a slice does
            hands[i, ship] = states[0].hands[ship]
            decks[i, ship] = states[0].deck[ship]
            chosen[i, ship] = states[0].chosen[ship]
            hidden[i, ship] = states[0].hidden[ship]
        left[i] = states[0].treasures_undrawn


class Deals:
    """Some deals that agree with the view of a position."""

    def __init__(self, state, rules, number, key=7):
        fresh = np.zeros(1, STATE_DTYPE)
        fresh.view(np.uint8)[: VIEW_DTYPE.itemsize] = state.view(np.uint8)[: VIEW_DTYPE.itemsize]
        self.hands, self.deck, self.chosen, self.hidden = (np.zeros((number, 6), np.int64) for _ in range(4))
        self.left = np.zeros(number, np.int64)
        _deal(fresh, rulebook_of(rules), np.uint64(key), self.hands, self.deck, self.chosen, self.hidden, self.left)
        self.state = fresh[0]


@cache
def scenes(rules):
    """States at decisions of random games, and their rules."""
    table = seat_table(rules, ["random"], 11)
    found = []
    for game in range(5):
        for position in GamePositions(table, game).decisions():
            state = np.zeros(1, STATE_DTYPE)
            state.view(np.uint8)[: position.record.size] = position.record
            found.append(state)
    return found


def members(word):
    return {i for i in range(int(word).bit_length()) if int(word) >> i & 1}


def secret(truth, player):
    return truth["chosen"][player] >= 0 and truth["played"][player] < 0 and _has_chosen(truth)


def _has_chosen(truth):
    return DECISIONS[truth["decision"]] != "place_dice"


@pytest.mark.clause("K2", "K3")
@pytest.mark.parametrize("rules", TABLES, ids=lambda rules: f"{rules.players} {rules.edition}")
def test_every_deal_agrees_with_the_view_and_has_the_size_of_the_truth(rules):
    asked = Counter()
    for state in scenes(rules):
        truth, me = state[0], int(state["me"][0])
        asked[DECISIONS[truth["decision"]]] += 1
        deals = Deals(state, rules, 3)
        for i in range(3):
            for player in range(rules.players):
                cards = [deals.hands[i, player], deals.deck[i, player], truth["discard"][player]]
                if secret(truth, player):
                    cards.append(1 << deals.chosen[i, player])
                assert sum(cards) == np.bitwise_or.reduce(cards) == ALL_CARDS  # each card is in one place
                assert len(members(deals.hands[i, player])) == truth["hand_size"][player]
                held = members(deals.hands[i, player]) | ({deals.chosen[i, player]} if secret(truth, player) else set())
                assert members(truth["unplayed"][player] & ~truth["discard"][player]) <= held
            for name in HIDDEN[:3]:
                assert getattr(deals, name)[i, me] == truth[name][me]
            for ship in range(rules.ships):
                hidden = int(deals.hidden[i, ship])
                assert len(members(hidden)) == truth["face_down"][ship]
                assert hidden & truth["knows"][me, ship] == truth["knows"][me, ship]
                assert ship == rules.players or hidden & POWERS == 0
            places = [*deals.hidden[i, : rules.ships], *truth["powers"][: rules.ships], deals.left[i]]
            assert sum(places) == np.bitwise_or.reduce(places) == ALL_CARDS | 1 << 11
        for name in ("treasures_drawn", "finished_ships", "in_play", "to_go"):
            assert (deals.state[name] == truth[name]).all(), name
        knows = deals.state["knows"]
        assert all(knows[spy, owner] == 0 for spy in range(6) for owner in range(6) if me != spy != owner)
    assert set(asked) >= {"place_dice", "choose_card", "choose_space", "hold_to_pay", "defence_powder", "choose_loot"}


@pytest.mark.clause("K2")
@pytest.mark.parametrize("rules", TABLES[:2], ids=lambda rules: f"{rules.players} {rules.edition}")
def test_all_hands_that_agree_with_the_view_are_equally_likely(rules):
    """Compared with an enumeration: chi-square over all hands of an opponent, at decisions of several kinds."""
    tested = 0
    for state in scenes(rules)[3::50]:
        truth, me = state[0], int(state["me"][0])
        player = (me + 1) % rules.players
        deals = Deals(state, rules, 20_000)
        unseen = members(ALL_CARDS & ~truth["discard"][player])
        known = members(truth["unplayed"][player]) & unseen
        held = deals.hands[:, player].copy()
        if secret(truth, player):
            held |= 1 << deals.chosen[:, player]
        size = len(members(held[0])) - len(known)
        possible = [sum(1 << card for card in (*known, *more)) for more in combinations(sorted(unseen - known), size)]
        assert len(possible) == comb(len(unseen - known), size)
        counts = Counter(held.tolist())
        assert set(counts) <= set(possible)
        if len(possible) > 1:
            assert chisquare([counts[hand] for hand in possible]).pvalue > 1e-5
            tested += 1
    assert tested >= 5


@pytest.mark.clause("K2", "R5", "G4")
def test_all_face_down_treasures_that_agree_with_the_view_are_equally_likely():
    """Compared with rejection: treasures dealt at random, and kept where no player has a power face down."""
    rules = TABLES[1]
    rich = [s for s in scenes(rules) if (s["face_down"][0, : rules.ships] > 0).sum() >= 2 and s["face_down"][0, 3] > 0]
    random = np.random.default_rng(3)
    for state in rich[:: max(1, len(rich) // 4)]:
        truth, me = state[0], int(state["me"][0])
        known = [int(truth["knows"][me, ship]) for ship in range(rules.ships)]
        seen = int(np.bitwise_or.reduce(truth["powers"][: rules.ships])) | sum(known)
        cards = sorted(set(range(12)) - members(seen))
        slots = [
            ship for ship in range(rules.ships) for _ in range(truth["face_down"][ship] - len(members(known[ship])))
        ]
        slots = [ship for ship in slots if ship != me]
        sampled = Counter()
        while sampled.total() < SAMPLES:
            orders = random.permuted(np.tile(cards, (SAMPLES, 1)), axis=1)[:, : len(slots)]
            of_players = np.array(slots) != rules.players
            agree = ~(of_players & (POWERS >> orders & 1 == 1)).any(1)
            sampled.update(_held(known, slots, orders[agree][: SAMPLES - sampled.total()]))
        dealt = Counter(map(tuple, Deals(state, rules, SAMPLES).hidden[:, : rules.ships].tolist()))
        outcomes = sorted(set(sampled) | set(dealt))
        table = np.array([[sampled[o] for o in outcomes], [dealt[o] for o in outcomes]])
        common = table.sum(0) >= 20
        a, b = table[0, common], table[1, common]
        statistic = ((a - b) ** 2 / (a + b)).sum()  # two samples of one size
        assert statistic < common.sum() + 6 * np.sqrt(2 * common.sum())


def _held(known, slots, orders):
    """What each ship has face down, for each order of the unknown cards."""
    held = np.tile(known, (len(orders), 1))
    for column, ship in enumerate(slots):
        held[:, ship] |= 1 << orders[:, column]
    return map(tuple, held.tolist())


@pytest.mark.clause("K2")
def test_the_truth_of_random_games_is_dealt_as_often_as_it_is_true():
    """Calibration over real games: a card is in an opponent's hand as often as it is dealt there."""
    rules = TABLES[0]
    table = seat_table(rules, ["random"], 12)
    surprise, variance = 0.0, 0.0
    for game in range(100):
        state = np.zeros(1, STATE_DTYPE)
        positions = GamePositions(table, game).decisions("choose_card")
        record = positions[game % len(positions)].record
        state.view(np.uint8)[: record.size] = record
        truth, me = state[0], int(state["me"][0])
        player = (me + 1) % rules.players
        dealt = Deals(state, rules, 400).hands[:, player]
        for card in range(0, 11, 4):
            share = (dealt >> card & 1).mean()
            surprise += (int(truth["hands"][player]) >> card & 1) - share
            variance += share * (1 - share)
    assert abs(surprise) < 4 * np.sqrt(variance)
