"""Treasures (R1 to R5): what the powers do, and who knows which card lies face down."""

import pytest
from tabletop import (
    LADY_BETH,
    MAP,
    MINUS_2,
    MINUS_4,
    PLUS_3,
    PLUS_5,
    PLUS_7,
    SIXTH_HOLD,
    Tabletop,
    members,
)

from jamaica_sim.game.codes import LOOT_GIVE, LOOT_HIDDEN, LOOT_NOTHING, LOOT_POWER

LAIR = 44


@pytest.mark.clause("R1", "T4")
def test_morgans_map_is_a_hand_of_four():
    top = Tabletop(3).give(1, MAP).play_round()
    assert [len(members(hand)) for hand in top.state["hands"][:3]] == [3, 4, 3]
    top.play_round()
    assert top.state["hand_size"][:3].tolist() == [3, 4, 3]


@pytest.mark.clause("R1", "T4", "B10")
def test_the_map_counts_at_the_moment_of_drawing():
    """The Map changes hands in the round: its new owner draws two cards, its old owner none, and nobody discards."""
    top = Tabletop(3, action_die=(1, 1)).give(1, MAP).play_round()
    assert top.state["hand_size"][:3].tolist() == [3, 4, 3]
    top.state["powers"][:2] = [1 << MAP, 0]
    top.play_round()
    assert top.state["hand_size"][:3].tolist() == [4, 3, 3]
    assert {event["ship"]: len(event["cards"]) for event in top.happened("draw")} == {0: 2, 2: 1}


@pytest.mark.clause("R1")
def test_other_powers_do_not_change_the_hand():
    top = Tabletop(3).give(0, LADY_BETH, SIXTH_HOLD).play_round()
    assert top.state["hand_size"][:3].tolist() == [3, 3, 3]


@pytest.mark.clause("R4")
def test_sixth_hold_is_one_more_hold():
    top = Tabletop(3).stow(0).give(0, SIXTH_HOLD)
    for amount in range(1, 7):
        top.load(0, "food", amount)
    assert top.holds(0) == [("food", amount) for amount in range(1, 7)]
    without = Tabletop(3).stow(0)
    for amount in range(1, 7):
        without.load(0, "food", amount)
    assert without.holds(0) == [("food", amount) for amount in range(1, 6)]


@pytest.mark.clause("R4", "P1")
def test_sixth_hold_pays_like_any_other():
    top = Tabletop(3).give(0, SIXTH_HOLD).stow(0, None, None, None, None, None, ("food", 4)).forward(0, 2)
    assert top.hold(0, 5) == ("food", 1)


# Who knows what lies face down


@pytest.mark.clause("R5", "K2")
def test_only_the_owner_knows_a_treasure_it_draws():
    top = Tabletop(3).put(0, 3)
    top.state["treasures_undrawn"] = 1 << PLUS_7
    top.forward(0, 1)
    assert top.face_down(0) == {PLUS_7} and top.state["face_down"][0] == 1
    assert [top.known(observer, 0) for observer in range(3)] == [{PLUS_7}, set(), set()]


def meet(winner=(), loser=()):
    top = Tabletop(3).put(0, LAIR - 1).put(1, LAIR).combat_die(-1).give(0, *winner).give(1, *loser)
    top.state["tokens"] = 0
    return top


@pytest.mark.clause("R5")
def test_a_stolen_card_is_known_to_its_old_and_its_new_owner():
    top = meet(loser=[PLUS_7]).script(0, choose_loot=LOOT_HIDDEN).forward(0, 1)
    assert [top.known(observer, 0) for observer in range(3)] == [{PLUS_7}, {PLUS_7}, set()]
    assert [top.known(observer, 1) for observer in range(3)] == [set()] * 3


@pytest.mark.clause("R5")
def test_a_given_card_is_known_to_its_old_and_its_new_owner():
    top = meet(winner=[MINUS_4, PLUS_3]).script(0, choose_loot=LOOT_GIVE + MINUS_4).forward(0, 1)
    assert [top.known(observer, 1) for observer in range(3)] == [{MINUS_4}, {MINUS_4}, set()]
    assert [top.known(observer, 0) for observer in range(3)] == [{PLUS_3}, set(), set()]


@pytest.mark.clause("R5")
def test_a_card_that_moves_on_is_forgotten_by_its_first_owner():
    top = meet(loser=[PLUS_7]).script(0, choose_loot=LOOT_HIDDEN).forward(0, 1)
    top.put(2, LAIR - 1).script(2, choose_target=0, choose_loot=LOOT_HIDDEN).forward(2, 1)
    assert top.face_down(2) == {PLUS_7}
    assert [top.known(observer, 2) for observer in range(3)] == [{PLUS_7}, set(), {PLUS_7}]
    assert top.known(1, 0) == set()


@pytest.mark.clause("R5")
def test_a_stolen_power_is_public():
    top = meet(loser=[LADY_BETH, PLUS_7]).script(0, choose_loot=LOOT_POWER + LADY_BETH).forward(0, 1)
    assert top.powers(0) == {LADY_BETH}
    assert top.state["face_down"][:3].tolist() == [0, 1, 0]


@pytest.mark.clause("R5", "K1", "K2")
def test_the_view_has_what_the_player_knows_and_no_more():
    """Ship 0 steals a card of ship 1, unseen; then the third player, the thief and the robbed are asked something."""
    top = meet(winner=[MINUS_2], loser=[PLUS_7, PLUS_5])
    top.script(0, choose_loot=[LOOT_HIDDEN, LOOT_NOTHING]).forward(0, 1)
    [taken] = top.face_down(0) - {MINUS_2}
    top.put(2, LAIR - 1).script(2, choose_target=0, choose_loot=LOOT_NOTHING).forward(2, 1)
    onlooker, thief = top.questions[-1].view, top.questions[0].view
    assert members(onlooker["treasures"]) == set()
    assert [members(known) for known in onlooker["known"][:3]] == [set()] * 3
    assert onlooker["face_down"][:3].tolist() == [2, 1, 0]
    assert members(thief["treasures"]) == {MINUS_2}
    top.put(0, LAIR - 1).script(0, choose_target=1).forward(0, 1)
    thief = top.questions[-1].view
    assert [members(known) for known in thief["known"][:3]] == [{MINUS_2, taken}, set(), set()]
    top.put(1, LAIR - 1).script(1, choose_target=0).forward(1, 1)
    robbed = top.questions[-1].view
    assert [members(known) for known in robbed["known"][:3]] == [{taken}, {PLUS_7, PLUS_5} - {taken}, set()]
