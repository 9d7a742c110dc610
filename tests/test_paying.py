"""The cost of a space (P1 to P4): doubloons in ports, food at sea, treasures in lairs, and what there is to choose."""

from collections import Counter
from itertools import product

import pytest
from tabletop import LADY_BETH, MINUS_2, PLUS_5, SIXTH_HOLD, Tabletop, members

from jamaica_sim.game.components import board


@pytest.mark.clause("P1", "P2", "P3")
@pytest.mark.parametrize("space", range(50))
def test_what_a_space_costs(space):
    top = Tabletop().stow(0, ("food", 10), ("gold", 10)).put(0, board().index(before(space)), 0 if space else -1)
    top.script(0, choose_space=space).forward(0, 1)
    cost = board()[space].cost
    assert top.stock(0, "food") == 10 - (cost if board()[space].kind == "sea" else 0)
    assert top.stock(0, "gold") == 10 - (cost if board()[space].kind == "port" else 0)
    assert len(top.happened("pay")) == (cost > 0)


def before(space):
    return next(other for other in board() if space in other.next)


@pytest.mark.clause("P1")
def test_the_player_chooses_the_holds():
    top = Tabletop().stow(0, ("food", 1), ("food", 4), ("food", 2)).script(0, hold_to_pay=[2, 0]).forward(0, 2)
    assert [question.legal for question in top.asked("hold_to_pay")] == [{0, 1, 2}, {0, 1}]
    assert top.happened("pay") == [
        {"event": "pay", "ship": 0, "resource": "food", "amount": 3, "holds": [[0, 1], [2, 2]]}
    ]
    assert top.holds(0) == [None, ("food", 4), None, None, None]


@pytest.mark.clause("P1")
def test_the_player_sees_what_is_still_due():
    top = Tabletop().stow(0, ("food", 1), ("food", 4), ("food", 2)).script(0, hold_to_pay=[2, 0]).forward(0, 2)
    assert [int(question.view["amount"]) for question in top.asked("hold_to_pay")] == [3, 1]


@pytest.mark.clause("P1")
def test_a_ship_pays_once_on_arrival():
    top = Tabletop().put(0, 15).stow(0, ("gold", 9)).forward(0, 1)
    assert top.stock(0, "gold") == 6
    top.load(0, "food", 2)
    assert top.stock(0, "gold") == 6


@pytest.mark.clause("P2")
def test_a_lair_gives_the_top_treasure_once():
    top = Tabletop().put(0, 3)
    pile = int(top.state["treasures_undrawn"])
    top.forward(0, 1)
    [event] = top.happened("treasure")
    assert event["ship"] == 0 and event["space"] == 4
    assert 4 not in top.tokens() and len(top.tokens()) == 8
    assert members(pile & ~int(top.state["treasures_undrawn"])) == {event["treasure"]}
    assert top.powers(0) | top.face_down(0) == {event["treasure"]}
    top.put(1, 3).put(0, 20).forward(1, 1)
    assert not top.happened("treasure") and not top.powers(1) | top.face_down(1)


@pytest.mark.clause("P2")
def test_nine_lairs_give_the_nine_cards_of_the_pile():
    top = Tabletop()
    taken = []
    for lair in sorted(top.tokens()):
        top.put(0, lair - 1 if lair != 33 else 32, 0).script(0, choose_space=33).forward(0, 1)
        taken += [event["treasure"] for event in top.happened("treasure")]
    assert len(set(taken)) == 9


@pytest.mark.clause("P2", "R5")
def test_powers_lie_face_up_and_the_others_face_down():
    for treasure in range(12):
        top = Tabletop().put(0, 3)
        top.state["treasures_undrawn"] = 1 << treasure
        top.forward(0, 1)
        assert top.powers(0) == ({treasure} if treasure < 4 else set())
        assert top.face_down(0) == (set() if treasure < 4 else {treasure})


@pytest.mark.clause("P3")
def test_port_royal_is_free_and_gives_nothing():
    top = Tabletop().stow(0).put(0, 48, -1).forward(0, 2)
    assert [event["event"] for event in top.events] == ["move"]


@pytest.mark.clause("P4")
@pytest.mark.parametrize(
    "holds",
    [
        [("food", 1), ("food", 2)],  # all of it is due
        [("food", 3), ("food", 3)],  # equal holds
        [("food", 7)],
    ],
)
def test_nothing_to_choose(holds):
    top = Tabletop().stow(0, *holds).forward(0, 2)
    assert top.happened("pay")[0]["amount"] == 3
    assert not top.questions


@pytest.mark.clause("P4")
def test_different_holds_are_a_choice():
    assert Tabletop().stow(0, ("food", 1), ("food", 3)).forward(0, 2).asked("hold_to_pay")
    assert Tabletop().stow(0, ("food", 2), ("food", 3)).forward(0, 2).asked("hold_to_pay")


@pytest.mark.clause("P4")
def test_choice_ends_where_the_rest_of_the_stock_is_due():
    """Of 1, 1 and 3 food, 4 are due: after the hold of 3 the last food may come from either of two equal holds."""
    top = Tabletop().put(0, 12).stow(0, ("food", 1), ("food", 1), ("food", 3)).script(0, hold_to_pay=2)
    top.script(0, choose_space=14).put(0, 6).forward(0, 2)
    assert [question.legal for question in top.asked("hold_to_pay")] == [{0, 2}]
    assert top.stock(0, "food") == 1


@pytest.mark.clause("P4", "R4")
def test_sixth_hold_differs_from_an_equal_ordinary_hold():
    top = Tabletop().give(0, SIXTH_HOLD).stow(0, ("food", 3), None, None, None, None, ("food", 3)).forward(0, 2)
    assert top.asked("hold_to_pay")[0].legal == {0, 5}


@pytest.mark.clause("P1")
def test_treasures_do_not_pay():
    top = Tabletop().stow(0, ("gold", 2)).give(0, PLUS_5, MINUS_2, LADY_BETH).put(0, 15).forward(0, 1)
    assert top.happened("shortage")[0]["paid"] == 2


def all_ways_to_split(*amounts):
    """Pay three food from these holds in every way that is offered, the sixth a 6th Hold: how often each end came."""
    ends, untried = Counter(), [[]]
    while untried:
        answers = untried.pop()
        top = Tabletop(free_split=True).give(0, SIXTH_HOLD).stow(0, *(("food", n) if n else None for n in amounts))
        top.script(0, hold_to_pay=answers).forward(0, 2)
        asked = top.asked("hold_to_pay")
        if len(asked) > len(answers):
            untried += [[*answers, hold] for hold in asked[len(answers)].legal]
        else:
            left = [hold[1] if hold else 0 for hold in top.holds(0)]
            ends[(*sorted(left[:5]), left[5])] += 1
            assert top.happened("pay")[0]["amount"] == 3
            assert sorted(map(tuple, top.happened("pay")[0]["holds"])) == [
                (hold, before - after)
                for hold, (before, after) in enumerate(zip(amounts, left, strict=True))
                if before > after
            ]
    return ends


@pytest.mark.clause("P1")
@pytest.mark.parametrize(
    "amounts",
    [(3, 4, 0, 0, 0, 0), (1, 4, 2, 0, 0, 0), (2, 2, 3, 3, 0, 0), (1, 1, 1, 1, 1, 1), (3, 3, 0, 0, 0, 3),
     (5, 1, 2, 2, 4, 2), (0, 1, 0, 1, 0, 1), (0, 0, 2, 0, 0, 9)],
)  # fmt: skip
def test_a_free_split_reaches_every_outcome_in_one_way(amounts):
    """`free_split`: all holds that can be left, each offered once. Ordinary holds with the same goods are the same."""
    left = [end for end in product(*(range(n + 1) for n in amounts)) if sum(end) == sum(amounts) - 3]
    assert all_ways_to_split(*amounts) == Counter({(*sorted(end[:5]), end[5]) for end in left})
