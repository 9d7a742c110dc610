"""No peeking (K3): what is hidden from a player changes neither its view nor any answer of any shipped strategy.

Real games are stopped in the middle of every kind of decision; then everything hidden from a player is dealt again, or
replaced by noise, and the player is shown the game and asked again.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from compiled import entry_of_tests
from tabletop import bits, members

from jamaica_sim.engine.decide import answer_again, show_view, unpack_holds
from jamaica_sim.engine.game import play_chunk
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import HIDDEN, RESULT_DTYPE, STATE_DTYPE, VIEW_DTYPE
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.check import Examiner
from jamaica_sim.strategy.api import pick_random
from jamaica_sim.strategy.compile import CompiledDecision
from jamaica_sim.strategy.heuristic.tables import weights_record
from jamaica_sim.strategy.library import load_strategy, strategy_names

TABLES = (
    Rules(players=4),
    Rules(players=4, edition="2021", ghost=True),
    Rules(players=5, ghost=True),
    Rules(players=2, edition="2021"),
    Rules(players=6, edition="2021"),
)
SCENES_A_TABLE = 3
POWERS = 0b1111
# `random` is part of the engine and looks at nothing.
SHIPPED = [name for name in strategy_names() if name != "random"]
# Each strategy with a step: 1 for all scenes. A search is slow, so it is asked seldom, except in the slow tests.
SEARCHING = [name for name in SHIPPED if load_strategy(name).kind == "search"]
AT_TIMES = [(name, 10 if name in SEARCHING else 1) for name in SHIPPED]
AT_TIMES += [pytest.param(name, 3, marks=pytest.mark.slow) for name in SEARCHING]

rulebook_for = cache(rulebook_of)


def shipped(name, rollouts):
    """A shipped strategy; a searcher keeps its value and weights, but has only this many deals for each decision."""
    strategy = load_strategy(name)
    if strategy.search is None:
        return strategy
    numbers = {**strategy.search.numbers, "rollouts": rollouts}
    return replace(strategy, search=replace(strategy.search, numbers=numbers))


# Games stopped in the middle of a decision


def stop_or_play(view, rules, weights):
    """Random play; raises when asked for decision number `weights.progress` in round `weights.horizon` or later."""
    if view.decision == weights.progress and view.round >= weights.horizon:
        raise RuntimeError
    return pick_random(view, view.legal)


@cache
def stopper():
    return CompiledDecision(stop_or_play, Path(__file__).read_text(encoding="utf-8"))


@cache
def scenes(decision):
    """States of real games at the moment when a player is asked for this decision."""
    found = []
    for number, rules in enumerate(TABLES):
        state = np.zeros(1, STATE_DTYPE)
        state["strategy"] = stopper().address
        weights = weights_record(progress=DECISIONS.index(decision))
        state["weights"] = weights.ctypes.data
        wanted = len(found) + SCENES_A_TABLE
        for game in range(400):
            weights["horizon"] = 1 + 4 * (game % 3)
            try:
                play_chunk(state, rulebook_for(rules), 31 + number, game, np.zeros(1, RESULT_DTYPE))
            except RuntimeError:
                found.append((rules, state.copy()))
            if len(found) == wanted:
                break
    return found


@entry_of_tests
def _look(states, rulebooks, decision, player, ship, legal):
    show_view(states[0], rulebooks[0], decision, player, ship, legal)
    unpack_holds(states[0])


def view_of(state, rules, player):
    """What this player would be shown now."""
    question = (state[name][0] for name in ("ship", "legal"))
    _look(state, rulebook_for(rules), state["decision"][0], np.int64(player), *question)
    return state.view(np.uint8)[: VIEW_DTYPE.itemsize].view(VIEW_DTYPE).copy()


# Dealing again what is hidden


def deal_cards_anew(s, rules, observer, random):
    """Deal the others' hands, decks and cards not yet revealed, from the cards not on their discard piles."""
    for player in set(range(rules.players)) - {observer}:
        secret = s["chosen"][player] >= 0 and s["played"][player] < 0
        chosen = {int(s["chosen"][player])} if secret else set()
        cards = random.permutation(sorted(members(s["hands"][player]) | members(s["deck"][player]) | chosen)).tolist()
        if secret:
            s["chosen"][player] = cards.pop()
        size = int(s["hand_size"][player])
        s["hands"][player], s["deck"][player] = bits(cards[:size]), bits(cards[size:])


def deal_treasures_anew(s, rules, observer, random):
    """Deal the others' face-down cards that the observer does not know, the pile and the cards out of the game."""
    others = [ship for ship in range(rules.ships) if ship != observer]
    known = {ship: int(s["knows"][observer, ship]) & int(s["hidden"][ship]) for ship in others}
    unseen = int(s["treasures_undrawn"])
    for ship in others:
        unseen |= int(s["hidden"][ship]) & ~known[ship]
    cards = random.permutation(sorted(members(unseen))).tolist()
    for ship in others:
        ghost = ship == rules.players
        fitting = [card for card in cards if ghost or card not in members(POWERS)]  # a player's power lies face up
        dealt = fitting[: int(s["face_down"][ship]) - len(members(known[ship]))]
        cards = [card for card in cards if card not in dealt]
        s["hidden"][ship] = known[ship] | bits(dealt)
    s["treasures_undrawn"] = bits(cards)
    for spy in others:  # what they know of each other is their secret
        for ship in range(rules.ships):
            s["knows"][spy, ship] = int(s["hidden"][ship]) & (-1 if spy == ship else int(random.integers(1 << 12)))


def deal_luck_anew(s, rules, observer, random):
    """Renew all luck to come except the observer's own: dice, combat and shortage rolls, decks, the pile."""
    kept = s["luck"][observer], s["luck_place"][observer]
    for field in ("key", "luck", "luck_place", "deck_luck", "deck_place"):
        s[field] = random.integers(0, 1 << 64, s[field].shape, np.uint64)
    s["thrown"] = random.integers(1, 7, s["thrown"].shape)
    s["luck"][observer], s["luck_place"][observer] = kept


def deal_anew(state, rules, observer, random):
    s = state[0]
    deal_cards_anew(s, rules, observer, random)
    deal_treasures_anew(s, rules, observer, random)
    deal_luck_anew(s, rules, observer, random)


def make_noise(state, rules, observer, random):
    """Make every byte of the hidden part random, except what the observer owns and knows."""
    s = state[0]
    kept = {name: s[name][observer].copy() for name in ("hands", "chosen", "hidden", "knows", "luck")}
    hidden = state.view(np.uint8)[STATE_DTYPE.fields[HIDDEN[0][0]][1] :]
    hidden[:] = random.integers(0, 256, hidden.size, np.uint8)
    for name, value in kept.items():
        s[name][observer] = value


SECRETS = ("hands", "deck", "chosen", "hidden", "treasures_undrawn", "key", "thrown")


@pytest.mark.clause("K2", "K3")
@pytest.mark.parametrize("decision", [name for name in DECISIONS if name != "house_choice"])
@pytest.mark.parametrize("hide", [deal_anew, make_noise])
def test_what_is_hidden_changes_no_players_view(decision, hide):
    random = np.random.default_rng(5)
    found = scenes(decision)
    assert len(found) >= 2 * SCENES_A_TABLE
    changed = set()
    for rules, scene in found:
        for player in range(rules.players):
            seen = view_of(scene.copy(), rules, player).tobytes()
            state = scene.copy()
            before = {name: state[name].tobytes() for name in SECRETS}
            hide(state, rules, player, random)
            changed |= {name for name in SECRETS if state[name].tobytes() != before[name]}
            assert view_of(state, rules, player).tobytes() == seen, f"{decision} of {player} at {rules}"
    assert changed >= set(SECRETS) - {"chosen"}  # it did change what is hidden


@pytest.mark.clause("K3")
@pytest.mark.parametrize(("name", "every"), AT_TIMES)
def test_what_is_hidden_changes_no_answer_of_a_shipped_strategy(name, every):
    """Asked at every scene, or at every few scenes."""
    random = np.random.default_rng(6)
    strategy = shipped(name, rollouts=14)  # enough for a look at who has fallen behind
    addresses, weights = strategy.addresses(), strategy.weights.ctypes.data
    for number, decision in enumerate(DECISIONS):
        for rules, scene in scenes(decision)[:: max(1, every // SCENES_A_TABLE)]:
            answers = set()
            for hide in (None, deal_anew, deal_anew, make_noise):
                state = scene.copy()
                player = int(state["me"][0])
                if hide is not None:
                    hide(state, rules, player, random)
                view, answer = view_of(state, rules, player), np.zeros(1, np.int64)
                answer_again(view, state, rulebook_for(rules), weights, int(addresses[number]), answer)
                answers.add(int(answer[0]))
            assert len(answers) == 1, f"{decision} at {rules}"
            assert answers <= members(view["legal"][0])


def test_the_view_does_show_what_is_the_players_own():
    """This proves that the two tests above would see a difference."""
    rules, scene = scenes("choose_card")[0]
    seen = view_of(scene.copy(), rules, 1).tobytes()
    for field in ("hands", "hidden", "chosen", "luck"):
        state = scene.copy()
        state[field][0, 1] += 1
        assert view_of(state, rules, 1).tobytes() != seen
    state = scene.copy()
    state["knows"][0, 1, 2] += 1
    assert view_of(state, rules, 1).tobytes() != seen


# What `jamaica-sim strategies check` does, for the whole library


@pytest.mark.clause("K3")
@pytest.mark.parametrize(("name", "every"), AT_TIMES)
def test_no_shipped_strategy_looks_outside_its_view(name, every):
    """Noise replaces everything behind the views of whole games; every decision point comes up."""
    examiner = Examiner(shipped(name, rollouts=14))
    reached = set()
    for rules in (TABLES[1], TABLES[2], TABLES[4]):
        views = examiner.captured_views(rules, games=60 // every, room=5000 // every)
        reached |= {DECISIONS[number] for number in np.unique(views["decision"])}
        assert examiner.find_peeking(views, rules) == []
    assert reached == set(DECISIONS) - {"house_choice"}
