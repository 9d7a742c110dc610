"""Shortage (H1 to H4): what a ship pays if it cannot pay in full, and where it goes back to in either edition."""

import pytest
from tabletop import Tabletop, until

from jamaica_sim.game.components import board, combat_die

SYMBOLS = [face.shortage_symbol for face in combat_die()]
PREVIOUS = [[p for p, space in enumerate(board()) if n in space.next] for n in range(50)]
KIND_OF_SYMBOL = {"circle": "port", "square": "sea", "skull": "lair"}


def nothing_aboard(space, lap=0, **rules):
    """Ship 0 with empty holds one step before `space`."""
    top = Tabletop(3, **rules).stow(0)
    return top.put(0, PREVIOUS[space][0], lap).script(0, choose_space=space)


def run_short(space, lap=0, aboard=(), **rules):
    """Ship 0 arrives on a space that it cannot pay."""
    return nothing_aboard(space, lap, **rules).stow(0, *aboard).forward(0, 1)


def with_symbol(symbol, play):
    """Play a scene of the 2021 edition until the first shortage die shows this symbol."""
    return until(lambda top: top.happened("shortage")[0]["symbol"] == symbol, play)


def roll_short(space, symbol, retreat=None):
    """Ship 0 runs short on a space in the 2021 edition, rolls this symbol and goes to `retreat` where it can choose."""
    top = with_symbol(symbol, lambda game: run_short(space, edition="2021", game=game))
    game = int(top.state["game"])
    return nothing_aboard(space, edition="2021", game=game).script(0, choose_retreat=retreat).forward(0, 1)


def retreats(top):
    """The spaces that the last retreat could choose from, with laps."""
    return {(option["space"], option["lap"]) for event in top.happened("retreat") for option in event["options"]}


@pytest.mark.clause("H1")
@pytest.mark.parametrize("edition", ["2007", "2021"])
def test_a_ship_pays_all_it_has_of_that_resource(edition):
    aboard = [("food", 1), ("gold", 6), ("food", 1), ("gunpowder", 2)]
    top = run_short(15, aboard=aboard, edition=edition)
    assert top.happened("pay")[0] == {
        "event": "pay", "ship": 0, "resource": "food", "amount": 2, "holds": [[0, 1], [2, 1]],
    }  # fmt: skip
    shortage = top.happened("shortage")[0]
    assert (shortage["resource"], shortage["due"], shortage["paid"]) == ("food", 3, 2)
    assert top.stock(0, "food") == 0 and top.stock(0, "gunpowder") == 2
    assert top.state["shortages"][0].tolist() == [0, 1]


@pytest.mark.clause("H1")
def test_a_ship_with_nothing_pays_nothing():
    top = run_short(15)
    assert not top.happened("pay")
    assert top.happened("shortage")[0]["paid"] == 0


@pytest.mark.clause("H1")
def test_a_ship_that_can_just_pay_does_not_run_short():
    top = run_short(15, aboard=[("food", 3)])
    assert not top.happened("shortage") and top.at(0) == (15, 0)


# The 2007 edition


@pytest.mark.clause("H2")
@pytest.mark.parametrize(
    ("space", "aboard", "end"),
    [
        (3, [], (0, 0)),  # Port Royal is free
        (7, [], (4, 0)),  # a lair is free
        (8, [("gold", 5)], (6, 0)),  # past 7 (2 food) to the port of 5
        (8, [("gold", 4)], (5, 0)),  # past the port of 5 to the port of 3
        (45, [], (44, 0)),
        (49, [("food", 2)], (44, 0)),  # its food is paid, so 46 is too dear
        (46, [("gold", 7)], (45, 0)),
    ],
)
def test_back_to_the_first_payable_space(space, aboard, end):
    top = run_short(space, aboard=aboard)
    assert retreats(top) == {end} and top.at(0) == end
    assert not top.asked("choose_retreat")


@pytest.mark.clause("H2")
def test_it_never_goes_further_back_than_a_lair():
    for space in range(1, 50):
        if board()[space].cost:
            for end, lap in retreats(run_short(space)):
                assert board()[end].kind in ("lair", "port_royal") and lap == 0


@pytest.mark.clause("H2")
@pytest.mark.parametrize(
    ("space", "aboard", "ends"),
    [
        (15, [], {11, 4}),  # outer: the lair 11; inner: past 14, 13, 6, 5 to the lair 4
        (15, [("gold", 5)], {11, 6}),
        (15, [("gold", 3)], {11, 5}),
        (28, [], {25, 19}),
        (28, [("food", 6)], {25, 27}),  # the gold is short, the food pays 27
        (41, [], {37, 25, 19}),  # past 32, 31, 30, 29, 28 to the next merge
        (41, [("food", 1)], {38, 29}),
        (42, [("gold", 5)], {41}),
    ],
)
def test_at_a_merge_it_chooses_the_lane(space, aboard, ends):
    for end in ends:
        top = nothing_aboard(space).stow(0, *aboard).script(0, choose_retreat=end).forward(0, 1)
        assert {option for option, _ in retreats(top)} == ends
        assert top.at(0)[0] == end
        if len(ends) > 1:
            assert top.asked("choose_retreat")[0].legal == ends


@pytest.mark.clause("H2")
def test_it_pays_on_arrival():
    top = run_short(8, aboard=[("gold", 5)])
    assert [event["event"] for event in top.events] == ["move", "shortage", "retreat", "pay"]
    assert top.stock(0, "gold") == 0


@pytest.mark.clause("H2")
def test_it_takes_the_treasure_on_arrival():
    top = run_short(7)
    assert top.happened("treasure")[0]["space"] == 4


@pytest.mark.clause("H2")
def test_battle_on_arrival_and_a_new_shortage_after_it():
    """The doubloons that would have paid for the port are lost in the battle there."""
    top = nothing_aboard(8).stow(0, ("gold", 5)).put(1, 6).stow(1, ("gunpowder", 6)).combat_die(6)
    top.script(1, defence_powder=6, choose_loot=0).forward(0, 1)
    assert [event["event"] for event in top.events if event["event"] not in ("powder", "roll")] == [
        "move", "shortage", "retreat", "battle", "pay", "battle_end", "loot", "load", "shortage", "retreat", "treasure",
    ]  # fmt: skip
    assert top.at(0) == (4, 0)
    assert top.state["shortages"][0].tolist() == [1, 1]


@pytest.mark.clause("H2", "B1")
def test_battle_on_arrival_can_pay_for_the_space():
    top = nothing_aboard(8).stow(0, ("gold", 5)).put(1, 6).stow(1, ("gold", 6)).combat_die(-1)
    top.script(0, choose_loot=0).forward(0, 1)
    assert top.at(0) == (6, 0)
    assert top.stock(0, "gold") == 6


@pytest.mark.clause("H2")
def test_no_die_is_rolled():
    assert run_short(15).happened("shortage")[0]["symbol"] is None


# The 2021 edition


def nearest(space, kind):
    """The nearest space of a kind on each route back, but no further than Port Royal."""
    ends = set()
    for behind in PREVIOUS[space]:
        ends |= {behind} if behind == 0 or board()[behind].kind == kind else nearest(behind, kind)
    return ends


@pytest.mark.clause("H3", "H4")
@pytest.mark.parametrize("symbol", ["circle", "square", "skull"])
def test_back_to_the_nearest_space_of_the_kind_rolled(symbol):
    for space in (1, 5, 7, 15, 16, 21, 28, 31, 34, 41, 45, 49):
        ends = nearest(space, KIND_OF_SYMBOL[symbol])
        assert retreats(roll_short(space, symbol)) == {(end, 0) for end in ends}


@pytest.mark.clause("H3")
def test_three_lairs_behind_41():
    for lair in (37, 25, 19):
        top = roll_short(41, "skull", retreat=lair)
        assert top.asked("choose_retreat")[0].legal == {37, 25, 19}
        assert top.at(0) == (lair, 0)
        assert top.happened("treasure")[0]["space"] == lair  # taken as after any move


@pytest.mark.clause("H3")
def test_a_star_leaves_the_ship_where_it_is():
    def play(game):
        return nothing_aboard(16, edition="2021", game=game).put(1, 16).stow(1).combat_die(4).forward(0, 1)

    top = with_symbol("star", play)
    assert top.at(0) == (16, 0)
    assert not top.happened("retreat")
    assert len(top.happened("battle")) == 1  # the one on arrival, none after the star


@pytest.mark.clause("H3")
@pytest.mark.parametrize(("symbol", "end"), [("circle", 16), ("square", 17)])
def test_the_new_space_costs_nothing(symbol, end):
    def play(game):
        return nothing_aboard(18, edition="2021", game=game).stow(0, ("food", 6), ("gold", 1)).forward(0, 1)

    top = with_symbol(symbol, play)
    assert top.at(0) == (end, 0)
    assert top.stock(0, "food") == 6
    assert [event["event"] for event in top.events] == ["move", "pay", "shortage", "retreat"]


@pytest.mark.clause("H3")
def test_a_battle_may_follow():
    def play(game):
        return nothing_aboard(18, edition="2021", game=game).put(1, 16).stow(1).combat_die(4).forward(0, 1)

    top = with_symbol("circle", play)
    [battle] = top.happened("battle")
    assert (battle["attacker"], battle["defender"], battle["space"]) == (0, 1, 16)
    assert top.events[-1]["event"] == "battle_end"  # and no cost after it


@pytest.mark.clause("H3", "C5")
def test_the_shortage_die_has_the_faces_of_the_combat_die():
    seen = [run_short(16, edition="2021", game=game).happened("shortage")[0]["symbol"] for game in range(600)]
    assert {symbol: round(seen.count(symbol) / 100) for symbol in set(seen)} == {
        "circle": 2, "square": 2, "skull": 1, "star": 1,
    }  # fmt: skip


@pytest.mark.clause("H4")
@pytest.mark.parametrize(("space", "symbol"), [(5, "circle"), (1, "square"), (3, "skull"), (2, "circle")])
def test_no_further_back_than_port_royal(space, symbol):
    top = roll_short(space, symbol)
    assert top.at(0) == (0, 0)
    assert not top.happened("pay") and not top.happened("battle")


@pytest.mark.clause("H4")
@pytest.mark.parametrize("symbol", ["circle", "square", "skull", "star"])
def test_behind_the_start_line_it_rolls_and_stays(symbol):
    def play(game):
        top = nothing_aboard(48, -1, edition="2021", game=game).put(1, 48, -1).put(2, 47, -1).stow(1)
        return top.combat_die(4).forward(0, 1)

    top = with_symbol(symbol, play)
    assert top.at(0) == (48, -1)
    assert not top.happened("retreat")
    assert len(top.happened("battle")) == 1  # no second one


@pytest.mark.clause("H4", "H2")
@pytest.mark.parametrize(("space", "aboard", "end"), [(48, [], 44), (46, [("gold", 7)], 45), (3, [], 0)])
def test_behind_the_start_line_the_2007_edition_goes_back(space, aboard, end):
    top = run_short(space, -1, aboard=aboard)
    assert retreats(top) == {(end, -1)} and top.at(0) == (end, -1)


@pytest.mark.clause("H1", "M3")
def test_a_shortage_after_going_back_past_port_royal():
    top = Tabletop().stow(0).put(0, 1).backward(0, 2)
    assert top.happened("shortage")[0]["due"] == 3
    assert top.at(0) == (44, -1)


@pytest.mark.clause("H1")
def test_shortages_are_counted_by_space_and_round():
    top = run_short(15)
    assert top.state["short"][15] == 1 and top.state["short"].sum() == 1
    assert top.state["short_in_round"] == 1
