"""Loading (L1 to L4): one empty hold for each load, making room where there is none, and loads that are ignored."""

import pytest
from tabletop import SIXTH_HOLD, Tabletop, card

FULL = [("food", 3), ("gold", 3), ("gunpowder", 2), ("gold", 5), ("food", 3)]


@pytest.mark.clause("L1")
@pytest.mark.parametrize("resource", ["gold", "food", "gunpowder"])
@pytest.mark.parametrize("die", range(1, 7))
def test_load_fills_an_empty_hold(resource, die):
    top = Tabletop().load(0, resource, die)
    assert top.holds(0) == [("food", 3), ("gold", 3), (resource, die), None, None]
    assert top.events == [load(resource, die, hold=2)]


@pytest.mark.clause("L1")
def test_gold_gold_card_fills_two_holds():
    gold_gold = card("gold", "gold")
    top = Tabletop(action_die=(4, 4)).deal(0, [gold_gold], []).play_round()
    assert top.holds(0) == [("food", 3), ("gold", 3), ("gold", 4), ("gold", 4), None]


@pytest.mark.clause("L1")
def test_goods_are_never_added_to_a_hold_with_some():
    top = Tabletop().stow(0, ("food", 1), ("gold", 1), ("gold", 1), ("gold", 1)).load(0, "food", 2)
    assert top.holds(0) == [("food", 1), ("gold", 1), ("gold", 1), ("gold", 1), ("food", 2)]


@pytest.mark.clause("L2")
def test_a_full_ship_empties_a_hold_of_its_choice():
    top = Tabletop().stow(0, *FULL).script(0, hold_to_empty=3).load(0, "gunpowder", 6)
    [question] = top.asked("hold_to_empty")
    assert question.legal == {0, 1, 3}  # not the gunpowder; of two equal holds of food, one stands for both
    assert top.holds(0) == [("food", 3), ("gold", 3), ("gunpowder", 2), ("gunpowder", 6), ("food", 3)]
    assert top.events == [load("gunpowder", 6, hold=3, emptied={"resource": "gold", "amount": 5})]
    assert top.state["overboard"][0].tolist() == [5, 0, 0]


@pytest.mark.clause("L2")
def test_what_is_thrown_overboard_goes_to_the_bank():
    top = Tabletop().stow(0, *FULL).script(0, hold_to_empty=3)
    before = int(top.state["in_play"][0])
    top.load(0, "food", 1)
    assert top.state["in_play"][0] == before - 5


@pytest.mark.clause("L2")
def test_no_hold_is_emptied_where_one_is_empty():
    top = Tabletop().stow(0, *FULL[:4]).load(0, "gold", 2)
    assert top.hold(0, 4) == ("gold", 2)
    assert not top.questions


@pytest.mark.clause("L2", "R4")
def test_sixth_hold_can_be_emptied_too():
    top = Tabletop().give(0, SIXTH_HOLD).stow(0, *FULL, ("gunpowder", 1)).script(0, hold_to_empty=5)
    top.load(0, "gold", 4)
    assert top.asked("hold_to_empty")[0].legal == {0, 2, 5}
    assert top.hold(0, 5) == ("gold", 4)


@pytest.mark.clause("L3")
def test_load_is_ignored_where_every_hold_has_the_type():
    top = Tabletop().stow(0, *[("gold", 1)] * 5).load(0, "gold", 6)
    assert top.holds(0) == [("gold", 1)] * 5
    assert top.events == [{"event": "no_load", "ship": 0, "resource": "gold", "amount": 6}]
    assert not top.questions


@pytest.mark.clause("L3")
def test_one_other_hold_is_emptied_without_asking():
    top = Tabletop().stow(0, *[("gold", 1)] * 4, ("food", 6)).load(0, "gold", 2)
    assert top.holds(0) == [("gold", 1)] * 4 + [("gold", 2)]
    assert not top.questions


@pytest.mark.clause("L3", "R4")
def test_an_empty_sixth_hold_is_room():
    top = Tabletop().give(0, SIXTH_HOLD).stow(0, *[("gold", 1)] * 5).load(0, "gold", 6)
    assert top.hold(0, 5) == ("gold", 6)
    top.load(0, "gold", 6)
    assert top.happened("no_load")


@pytest.mark.clause("L4")
def test_an_empty_ordinary_hold_comes_before_the_sixth():
    top = Tabletop().give(0, SIXTH_HOLD).stow(0, *FULL[:4])
    top.load(0, "food", 2)
    assert top.hold(0, 4) == ("food", 2) and top.hold(0, 5) is None
    top.load(0, "food", 4)
    assert top.hold(0, 5) == ("food", 4)
    assert not top.questions


def load(resource, amount, hold, emptied=None):
    return {"event": "load", "ship": 0, "resource": resource, "amount": amount, "hold": hold, "emptied": emptied}
