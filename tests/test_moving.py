"""Moving (M1 to M4): every end of every move, the order of things on the end space, laps and coming home."""

import pytest
from tabletop import Tabletop

from jamaica_sim.game.components import board

RICH = [("food", 10), ("gold", 10), ("food", 10), ("gold", 10)]
NEXT = [set(space.next) for space in board()]
PREVIOUS = [{p for p, ahead in enumerate(NEXT) if space in ahead} for space in range(len(NEXT))]


def ends_of(space, die, steps, stop=None):
    """The ends of all walks of `die` steps; a walk that comes to `stop` ends there."""
    if die == 0 or space == stop:
        return {space}
    return set().union(*(ends_of(after, die - 1, steps, stop) for after in steps[space]))


def options(top):
    """The positions that the last move could choose from."""
    [move] = top.happened("move")
    return {(option["space"], option["lap"]) for option in move["options"]}


def set_sail(space, lap=0, **rules):
    """Ship 0 alone at sea, with enough to pay for anything."""
    return Tabletop(3, **rules).stow(0, *RICH).put(0, space, lap)


@pytest.mark.clause("M1", "M4")
@pytest.mark.parametrize("die", range(1, 7))
def test_forward_moves_by_the_whole_die(die):
    top = set_sail(0)
    for space in range(50):
        top.put(0, space).stow(0, *RICH).forward(0, die)
        ends = ends_of(space, die, NEXT, stop=0) if space else ends_of(0, die, NEXT)
        assert options(top) == {(end, int(end == 0)) for end in ends}


@pytest.mark.clause("M1", "M3")
@pytest.mark.parametrize("die", range(1, 7))
@pytest.mark.parametrize("lap", [0, -1])
def test_backward_moves_by_the_whole_die(die, lap):
    top = set_sail(0)
    for space in range(50):
        top.put(0, space, lap).stow(0, *RICH).backward(0, die)
        ends = ends_of(space, die, PREVIOUS)
        assert options(top) == {(end, lap - (end > space)) for end in ends}


@pytest.mark.clause("M1")
@pytest.mark.parametrize(
    ("start", "direction", "die", "ends"), [(5, "forward", 3, {8, 14}), (16, "backward", 3, {11, 13})]
)
def test_the_player_chooses_the_lane(start, direction, die, ends):
    for end in ends:
        top = set_sail(start).script(0, choose_space=end).move(0, direction, die)
        [question] = top.asked("choose_space")
        assert (question.player, question.ship, question.legal) == (0, 0, ends)
        assert top.at(0) == (end, 0)


@pytest.mark.clause("M1")
def test_nobody_is_asked_where_there_is_one_end():
    assert not set_sail(0).forward(0, 6).questions


@pytest.mark.clause("M2")
def test_spaces_on_the_way_do_nothing():
    top = set_sail(2).put(1, 3).put(2, 4).forward(0, 3)
    assert [event["event"] for event in top.events] == ["move", "pay"]
    assert 4 in top.tokens()
    assert top.happened("pay")[0] == {"event": "pay", "ship": 0, "resource": "gold", "amount": 3, "holds": [[1, 3]]}


@pytest.mark.clause("M2")
def test_battle_comes_before_the_cost():
    """The attacker has no food; what it takes from the loser pays for the space."""
    top = Tabletop().put(1, 2).stow(0, ("gold", 3)).combat_die(-1).forward(0, 2)
    assert [event["event"] for event in top.events] == [
        "move", "battle", "powder", "roll", "battle_end", "loot", "load", "pay",
    ]  # fmt: skip
    assert top.stock(0, "food") == 0 and not top.happened("shortage")


@pytest.mark.clause("M2")
def test_battle_comes_before_the_treasure():
    top = Tabletop().put(1, 4).combat_die(-1).forward(0, 4)
    kinds = [event["event"] for event in top.events]
    assert kinds.index("battle") < kinds.index("treasure")


@pytest.mark.clause("M3")
def test_backward_from_the_first_move():
    top = set_sail(0).backward(0, 2)
    assert top.at(0) == (48, -1)
    assert top.happened("pay")[0]["resource"] == "food"


@pytest.mark.clause("M3")
@pytest.mark.parametrize(("die", "end"), [(1, (49, -1)), (2, (0, 0)), (3, (1, 0)), (6, (4, 0))])
def test_port_royal_from_behind_is_not_a_finish(die, end):
    top = set_sail(48, -1).forward(0, die)
    assert top.at(0) == end
    assert not top.happened("finish") and top.state["finished_ships"] == 0


@pytest.mark.clause("M3")
def test_a_ship_behind_the_start_must_still_sail_the_whole_circuit():
    top, steps = set_sail(49, -1), 0
    while top.at(0)[1] < 1:
        top.stow(0, *RICH).forward(0, 1)  # the lowest option is the outer lane
        steps += 1
    assert steps == 1 + 50 - 3 * 2
    assert top.happened("finish") == [{"event": "finish", "ship": 0}]


@pytest.mark.clause("M3")
def test_two_laps_behind():
    top = set_sail(2, -1).backward(0, 4)
    assert top.at(0) == (48, -2)
    top.stow(0, *RICH).forward(0, 5)
    assert top.at(0) == (3, -1)


@pytest.mark.clause("M4", "E1")
@pytest.mark.parametrize(("space", "die"), [(47, 3), (47, 6), (49, 1), (49, 6), (44, 6)])
def test_a_ship_that_completes_the_circuit_stops_on_port_royal(space, die):
    top = set_sail(space).forward(0, die)
    assert options(top) == {(0, 1)}
    assert top.at(0) == (0, 1)
    assert [event["event"] for event in top.events] == ["move", "finish"]
    assert top.state["ended_by"] == 0
