"""Who knows what (K1 to K3): a strategy sees the public fields and its own secrets, and nothing hidden changes them."""

import numpy as np
import pytest
from tabletop import LADY_BETH, MINUS_3, PLUS_5, PLUS_7, SABRE, Tabletop, bits, members

from jamaica_sim.engine.machine.random import ACTION_DICE, STRATEGY
from jamaica_sim.engine.state import VIEW_DTYPE
from jamaica_sim.game.codes import LOOT_HIDDEN, LOOT_NOTHING

PUBLIC = """round captain dice placed when space lap occupants stowage holds hold_kind hold_count stock powers face_down
    hand_size discard played tokens turn retreated sabre_used unplayed extra_treasures
    gifts_waiting gifts question_after memory ship_memory
    space_memory""".split()
QUESTION = """me ship decision legal resource amount attacker defender attack_powder attack_face attack_strength
    defence_powder defence_face defence_strength winner loser moment moment_of moment_space""".split()
OWN = "hand plan card treasures known luck_key luck_index".split()
LAIR = 44


@pytest.mark.clause("K1", "K2")
def test_the_view_has_these_fields_and_no_others():
    """A new field shows a secret unless it is public: think before you add one."""
    assert sorted(VIEW_DTYPE.names) == sorted(PUBLIC + QUESTION + OWN)


@pytest.mark.clause("K1")
def test_public_things_are_in_the_view_as_they_lie_on_the_table():
    top = Tabletop(3, ghost=True).put(0, 5).put(1, 48, -1).put(2, 30).put(3, 30)
    top.stow(1, ("gunpowder", 4), None, ("food", 2)).give(1, SABRE).give(2, PLUS_7, MINUS_3)
    top.give(3, PLUS_5, face_down=True).deal(2, [1, 2, 3, 4], [5, 6])
    top.state["tokens"] = bits([4, 44])
    view = top.forward(0, 2).asked("choose_space")[0].view
    assert view["space"][:4].tolist() == [5, 48, 30, 30] and view["lap"][:4].tolist() == [0, -1, 0, 0]
    assert members(view["occupants"][30]) == {2, 3}
    assert view["hold_count"][1, :6].tolist() == [4, 0, 2, 0, 0, 0] and view["stock"][1].tolist() == [0, 2, 4]
    assert [members(view["holds"][1, kind]) for kind in range(4)] == [set(), {2}, {0}, {1, 3, 4}]
    assert [members(powers) for powers in view["powers"][:4]] == [set(), {SABRE}, set(), {LADY_BETH}]
    assert view["face_down"][:4].tolist() == [0, 0, 2, 1]
    assert view["hand_size"][:3].tolist() == [3, 3, 4]
    assert members(view["discard"][2]) == {0, 7, 8, 9, 10}
    assert members(view["tokens"]) == {4, 44}
    assert (view["me"], view["ship"], members(view["legal"])) == (0, 0, {7, 13})


@pytest.mark.clause("K2")
def test_a_player_sees_the_own_hand_and_treasures_only():
    top = Tabletop(3)
    for player, treasure in enumerate((PLUS_5, PLUS_7, MINUS_3)):
        top.give(player, treasure)
    hands = [members(hand) for hand in top.state["hands"][:3]]
    top.play_round()
    for question in top.asked("choose_card"):
        me = question.player
        assert members(question.view["hand"]) == hands[me]
        assert members(question.view["treasures"]) == {(PLUS_5, PLUS_7, MINUS_3)[me]}
        assert [members(known) for ship, known in enumerate(question.view["known"][:3]) if ship != me] == [set()] * 2
        assert question.view["face_down"][:3].tolist() == [1, 1, 1]


def stir(top, observer, random):
    """Deal again all that the observer may not see: decks and hands of the others, treasures, luck to come."""
    s = top.state
    for player in range(top.rules.players):
        if player != observer:
            cards = random.permutation(sorted(members(s["hands"][player]) | members(s["deck"][player])))
            size = int(s["hand_size"][player])
            s["hands"][player], s["deck"][player] = bits(cards[:size].tolist()), bits(cards[size:].tolist())
    stir_treasures(top, observer, random)
    for key in range(s["key"].size):
        if key not in (
            ACTION_DICE,
            STRATEGY + observer,
        ):  # public at once; the player's own
            s["key"][key] = random.integers(1 << 62)
    s["luck"][[player for player in range(6) if player != observer]] = random.integers(1 << 62)


def stir_treasures(top, observer, random):
    s = top.state
    others = [ship for ship in range(top.rules.ships) if ship != observer]
    known = [members(s["knows"][observer, ship]) for ship in range(top.rules.ships)]
    unseen = members(s["treasures_undrawn"]).union(*(top.face_down(ship) - known[ship] for ship in others))
    unseen = [int(card) for card in random.permutation(sorted(card for card in unseen if card > 3))]
    powers = {card for card in members(s["treasures_undrawn"]) if card <= 3}
    for ship in others:
        kept = known[ship] & top.face_down(ship)
        dealt = {unseen.pop() for _ in range(len(top.face_down(ship)) - len(kept))}
        s["hidden"][ship] = bits(kept | dealt)
        s["knows"][ship, ship] = bits(kept | dealt) if not (top.rules.ghost and ship == top.ghost) else 0
    s["treasures_undrawn"] = bits(powers | set(unseen))


def rounds_played(rounds, game, **rules):
    top = Tabletop(4, game=game, **rules).give(0, PLUS_5).give(1, PLUS_7).give(2, MINUS_3)
    for _ in range(rounds):
        top.play_round()
    return top


@pytest.mark.clause("K3", "K2")
@pytest.mark.parametrize("rounds", [0, 3, 8])
@pytest.mark.parametrize("ghost", [False, True])
def test_stirring_what_is_hidden_changes_no_view(rounds, ghost):
    """Compares what the next Captain sees before anything hidden comes to light: placing the dice, choosing a card."""
    random = np.random.default_rng(rounds)
    views = set()
    for _ in range(6):
        top = rounds_played(rounds, game=2, ghost=ghost)
        captain = int(top.state["captain"])
        if views:
            stir(top, captain, random)
        before = len(top.questions)
        questions = top.play_round().questions[before:]
        early = [q for q in questions if q.player == captain and q.decision in ("place_dice", "choose_card")]
        views.add(b"".join(question.view.tobytes() for question in early))
    assert len(views) == 1 and views != {b""}


@pytest.mark.clause("K3")
def test_a_battle_shows_nothing_of_the_face_down_treasures():
    views = set()
    for hidden in ([PLUS_7, MINUS_3], [PLUS_5, PLUS_7], [MINUS_3, PLUS_5]):
        top = Tabletop(3).put(0, LAIR - 1).put(1, LAIR).give(1, *hidden).combat_die(-1).stow(0, ("gunpowder", 3))
        top.state["tokens"] = 0
        top.script(0, choose_loot=LOOT_NOTHING).forward(0, 1)
        assert LOOT_HIDDEN in top.asked("choose_loot")[0].legal
        views.add(b"".join(question.view.tobytes() for question in top.questions))
    assert len(views) == 1


@pytest.mark.clause("K3", "R5")
def test_which_card_was_stolen_unseen_stays_between_thief_and_robbed():
    """Ship 2 once gave ship 1 a cursed card. When ship 0 steals one of ship 1's two cards, ship 2 cannot tell which."""
    known = {}
    for game in range(12):
        top = Tabletop(3, game=game).put(0, LAIR - 1).put(1, LAIR).put(2, 5).give(1, PLUS_7, MINUS_3).combat_die(-1)
        top.state["tokens"] = 0
        top.state["knows"][2, 1] = bits([MINUS_3])
        top.script(0, choose_loot=LOOT_HIDDEN).forward(0, 1)
        [stolen] = top.face_down(0)
        top.forward(2, 2)  # a fork, so that the onlooker is asked something
        known.setdefault(stolen, set()).add(tuple(top.asked("choose_space")[0].view["known"].tolist()))
    assert set(known) == {PLUS_7, MINUS_3}
    assert known[PLUS_7] == known[MINUS_3]
