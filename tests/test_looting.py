"""Loot (B8 to B10): what the winner of a battle between players may take or give, and what moves with it."""

from collections import Counter

import pytest
from tabletop import (
    CURSED,
    LADY_BETH,
    MAP,
    MINUS_2,
    MINUS_3,
    PLUS_3,
    PLUS_5,
    PLUS_7,
    SABRE,
    SIXTH_HOLD,
    Tabletop,
)

from jamaica_sim.game.codes import LOOT_GIVE, LOOT_HIDDEN, LOOT_NOTHING, LOOT_POWER

LAIR = 44
STAR = -1
CARGO = [("food", 3), ("food", 3), ("gold", 2), ("gunpowder", 1), ("food", 6)]


def prize(winner=(), loser=(), cargo=(), booty=(), game=0, **rules):
    """Ship 0 is about to beat ship 1. Takes the treasures of both, then the contents of their holds."""
    top = Tabletop(3, game=game, **rules).put(0, LAIR - 1).put(1, LAIR).combat_die(STAR)
    top.state["tokens"] = 0
    top.give(0, *winner).give(1, *loser)
    return top.stow(0, *cargo).stow(1, *booty)


def take(top, answer):
    """Fight, and answer the question about loot."""
    return top.script(0, choose_loot=answer).forward(0, 1)


def loot_options(top):
    """The legal answers of the last question about loot."""
    return top.asked("choose_loot")[-1].legal


@pytest.mark.clause("B8")
def test_what_may_be_taken():
    top = take(prize(loser=[MAP, SABRE, PLUS_7, MINUS_2], booty=CARGO), LOOT_NOTHING)
    assert loot_options(top) == {0, 2, 3, 4, LOOT_POWER + MAP, LOOT_POWER + SABRE, LOOT_HIDDEN, LOOT_NOTHING}
    assert top.happened("loot") == [{"event": "loot", "ship": 0, "loser": 1, "decider": 0, "take": "nothing"}]
    assert top.holds(1) == CARGO and top.powers(1) == {MAP, SABRE}


@pytest.mark.clause("B8")
def test_the_contents_of_a_hold():
    top = take(prize(cargo=[("gold", 1)], booty=CARGO), 4)
    assert top.holds(0) == [("gold", 1), ("food", 6), None, None, None]
    assert top.holds(1) == CARGO[:4] + [None]
    assert [event["event"] for event in top.events[-2:]] == ["loot", "load"]


@pytest.mark.clause("B8", "L2")
def test_a_full_winner_empties_a_hold_first():
    top = prize(cargo=[("gold", 1), ("gold", 4), ("gunpowder", 1), ("food", 1), ("food", 2)], booty=[("food", 6)])
    take(top.script(0, hold_to_empty=1), 0)
    assert top.asked("hold_to_empty")[0].legal == {0, 1, 2}
    assert top.hold(0, 1) == ("food", 6)
    assert top.happened("load")[0]["emptied"] == {"resource": "gold", "amount": 4}


@pytest.mark.clause("B8", "L3")
def test_no_loot_that_could_not_be_loaded():
    top = take(prize(cargo=[("food", 1)] * 5, booty=CARGO), LOOT_NOTHING)
    assert loot_options(top) == {2, 3, LOOT_NOTHING}


@pytest.mark.clause("B8")
def test_a_face_up_treasure_by_choice():
    top = take(prize(loser=[MAP, SABRE]), LOOT_POWER + SABRE)
    assert top.powers(0) == {SABRE} and top.powers(1) == {MAP}
    assert top.happened("loot")[0]["treasure"] == SABRE


@pytest.mark.clause("B8")
def test_a_face_down_treasure_at_random():
    cards = [PLUS_3, PLUS_5, MINUS_3, MINUS_2]
    taken = Counter()
    for game in range(400):
        top = take(prize(loser=[LADY_BETH, *cards], game=game), LOOT_HIDDEN)
        [card] = top.face_down(0)
        assert top.face_down(1) == set(cards) - {card} and top.powers(1) == {LADY_BETH}
        assert top.happened("loot")[0] == {
            "event": "loot", "ship": 0, "loser": 1, "decider": 0, "take": "hidden", "treasure": card,
        }  # fmt: skip
        taken[card] += 1
    assert set(taken) == set(cards)
    assert all(65 < taken[card] < 135 for card in cards)  # 100 each, four standard deviations


@pytest.mark.clause("B8")
def test_give_an_own_cursed_treasure():
    top = take(prize(winner=[MINUS_3, MINUS_2, PLUS_5, MAP]), LOOT_GIVE + MINUS_2)
    assert loot_options(top) == {LOOT_GIVE + MINUS_2, LOOT_GIVE + MINUS_3, LOOT_NOTHING}
    assert top.face_down(0) == {MINUS_3, PLUS_5} and top.face_down(1) == {MINUS_2}


@pytest.mark.clause("B8")
def test_give_any_treasure_where_that_is_chosen():
    own = [MINUS_3, PLUS_5, MAP, SIXTH_HOLD]
    top = take(
        prize(winner=own, cargo=[*[("gold", 1)] * 5, ("food", 4)], give_any_treasure=True), LOOT_GIVE + SIXTH_HOLD
    )
    assert loot_options(top) == {*(LOOT_GIVE + card for card in own), LOOT_NOTHING}
    assert top.powers(1) == {SIXTH_HOLD} and top.hold(1, 5) == ("food", 4)
    top = take(prize(winner=own, give_any_treasure=True), LOOT_GIVE + PLUS_5)
    assert top.face_down(1) == {PLUS_5} and top.known(0, 1) == {PLUS_5} and top.known(2, 1) == set()


@pytest.mark.clause("B8")
def test_exactly_one_thing():
    top = take(prize(loser=[MAP, PLUS_7], booty=CARGO), LOOT_POWER + MAP)
    assert len(top.asked("choose_loot")) == 1
    assert top.holds(1) == CARGO and top.face_down(1) == {PLUS_7}


@pytest.mark.clause("B8")
def test_nothing_to_take():
    top = prize().forward(0, 1)
    assert not top.asked("choose_loot")
    assert top.happened("loot")[0]["take"] == "nothing"


@pytest.mark.clause("B8")
def test_the_defender_can_win_and_take():
    top = prize(cargo=[("gold", 5)]).stow(1, ("gunpowder", 4)).combat_die(4)
    top.script(1, defence_powder=3, choose_loot=0).forward(0, 1)
    assert top.asked("choose_loot")[0].player == 1
    assert top.holds(1) == [("gunpowder", 1), ("gold", 5), None, None, None]


@pytest.mark.clause("B9")
def test_stealing_the_sixth_hold_takes_its_contents_along():
    top = prize(loser=[SIXTH_HOLD], cargo=[("gold", 1)] * 5, booty=[("food", 2), None, None, None, None, ("gold", 6)])
    take(top, LOOT_POWER + SIXTH_HOLD)
    assert top.holds(0) == [("gold", 1)] * 5 + [("gold", 6)]
    assert top.holds(1) == [("food", 2), None, None, None, None]
    assert top.stock(0, "gold") == 11 and top.stock(1, "gold") == 0
    assert not top.happened("load")


@pytest.mark.clause("B9")
def test_stealing_an_empty_sixth_hold():
    top = take(prize(loser=[SIXTH_HOLD], booty=[("food", 2)]), LOOT_POWER + SIXTH_HOLD)
    assert top.holds(0) == [None] * 6
    assert top.holds(1) == [("food", 2), None, None, None, None]


@pytest.mark.clause("B9")
def test_stealing_the_contents_of_the_sixth_hold_leaves_the_card():
    top = take(prize(loser=[SIXTH_HOLD], booty=[None] * 5 + [("gold", 6)]), 5)
    assert top.powers(1) == {SIXTH_HOLD} and not top.powers(0)
    assert top.holds(1) == [None] * 6
    assert top.hold(0, 0) == ("gold", 6)


@pytest.mark.clause("B10")
def test_a_stolen_sixth_hold_can_be_loaded_at_once():
    top = take(prize(loser=[SIXTH_HOLD], cargo=[("gold", 1)] * 5), LOOT_POWER + SIXTH_HOLD).load(0, "gold", 3)
    assert top.hold(0, 5) == ("gold", 3)


@pytest.mark.clause("B10")
def test_a_power_drawn_in_the_morning_fights_in_the_evening():
    top = Tabletop(3).put(0, 3).put(1, 5).stow(0, ("gold", 6)).combat_die(4)
    top.state["treasures_undrawn"] = 1 << LADY_BETH
    top.forward(0, 1).forward(0, 1)
    assert top.happened("battle_end")[0] == {"event": "battle_end", "winner": 0, "attack": 6, "defence": 4}


@pytest.mark.clause("B10")
def test_a_stolen_power_no_longer_works_for_its_old_owner():
    top = take(prize(loser=[LADY_BETH]), LOOT_POWER + LADY_BETH).combat_die(4)
    top.put(1, LAIR - 1).forward(1, 1)
    assert top.happened("battle_end")[0] == {"event": "battle_end", "winner": 0, "attack": 4, "defence": 6}


@pytest.mark.clause("B8")
@pytest.mark.parametrize("edition", ["2007", "2021"])
def test_loot_is_counted_by_kind(edition):
    top = prize(loser=[MAP, PLUS_7], booty=[("gold", 1), ("food", 1), ("gunpowder", 1)], winner=CURSED[:1])
    answers = [0, 1, 2, LOOT_POWER + MAP, LOOT_HIDDEN, LOOT_GIVE + CURSED[0], LOOT_NOTHING]
    top.script(0, choose_loot=answers)
    for _ in answers:
        top.put(0, LAIR - 1).forward(0, 1)
    assert top.state["loot"][0].tolist() == [1] * 7
