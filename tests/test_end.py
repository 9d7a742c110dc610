"""The end (E1 to E4): coming home, the score and its parts, who wins, and games that nobody finishes."""

import pytest
from tabletop import LADY_BETH, MAP, MINUS_2, MINUS_4, PLUS_3, PLUS_7, Tabletop, card

from jamaica_sim.game.components import board
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.trace import replay, replay_table
from jamaica_sim.study.simulate import simulate

HOME = (0, 1)


def final(*ships, ghost=False):
    """Score a game that ends with these ships: position, doubloons."""
    top = Tabletop(len(ships) - ghost, ghost=ghost)
    for ship, ((space, lap), gold) in enumerate(ships):
        top.put(ship, space, lap).stow(ship, *[("gold", 1)] * min(gold, 4), *[("gold", gold - 4)] * (gold > 4))
    return top.score()


@pytest.mark.clause("E1")
def test_a_ship_that_comes_home_in_the_morning_skips_the_evening():
    top = Tabletop(3).put(1, 49).deal(1, [card("forward", "food")], []).play_round()
    mine = [event for event in top.events if event.get("ship") == 1]
    assert [event["event"] for event in mine] == ["choose", "action", "move", "finish", "skip"]
    assert mine[-1]["when"] == "evening"
    assert top.at(1) == HOME


@pytest.mark.clause("E1")
@pytest.mark.parametrize("turn", range(3))
def test_the_others_finish_the_round(turn):
    top = Tabletop(3)
    ship = (int(top.state["captain"]) + turn) % 3
    top.put(ship, 49).deal(ship, [card("forward", "backward")], []).play_round()
    assert {event["ship"] for event in top.happened("action")} == {0, 1, 2}
    assert top.state["ended_by"] == ship


@pytest.mark.clause("E1")
def test_then_the_game_is_over():
    table, finished = seat_table(strategies="random", players=4), 0
    for game in range(40):
        trace = replay_table(table, game)
        last_round = max(i for i, event in enumerate(trace["events"]) if event["event"] == "round")
        homecomings = [i for i, event in enumerate(trace["events"]) if event["event"] == "finish"]
        assert bool(homecomings) == trace["result"]["finished"]
        assert all(i > last_round for i in homecomings)
        finished += trace["result"]["finished"]
    assert finished > 30


@pytest.mark.clause("E1")
def test_several_ships_can_come_home_in_the_last_round():
    top = Tabletop(3).put(0, 49).put(1, 48).put(2, 20)
    for ship in (0, 1):
        top.deal(ship, [card("forward", "forward")], [])
    top.play_round()
    first = int(top.state["ended_by"])
    assert [event["ship"] for event in top.happened("finish")][0] == first
    assert {event["ship"] for event in top.happened("finish")} >= {0}


@pytest.mark.clause("E2")
def test_points_by_position():
    for number, space in enumerate(board()):
        behind = final(((number, -1), 0), ((0, 0), 0), ((0, 0), 0))
        assert behind.state["position_points"][0] == -5
        on_course = final(((number, 0), 0), ((0, 0), 0), ((0, 0), 0))
        assert on_course.state["position_points"][0] == (space.score if number else -5)
    assert final((HOME, 0), ((0, 0), 0), ((0, 0), 0)).state["position_points"][:3].tolist() == [15, -5, -5]


@pytest.mark.clause("E2")
def test_score_and_its_parts():
    top = Tabletop(3).put(0, 45).put(1, *HOME).put(2, 30)
    top.stow(0, ("gold", 4), ("food", 6), ("gold", 2)).give(0, PLUS_7, PLUS_3, MINUS_4)
    top.stow(1, ("gunpowder", 6)).give(1, MINUS_2, MAP, LADY_BETH)
    top.stow(2, ("gold", 3)).score()
    s = top.state
    assert s["position_points"][:3].tolist() == [6, 15, -5]
    assert s["gold"][:3].tolist() == [6, 0, 3]
    assert s["treasure_points"][:3].tolist() == [6, -2, 0]
    assert s["score"][:3].tolist() == [18, 13, -2]
    assert top.winners() == {0}


@pytest.mark.clause("E3")
def test_most_points_win():
    assert final((HOME, 0), ((44, 0), 11), ((40, 0), 0)).winners() == {1}
    assert final((HOME, 1), ((44, 0), 10), ((40, 0), 0)).winners() == {0}


@pytest.mark.clause("E3")
@pytest.mark.parametrize(
    ("ahead", "behind"),
    [
        ((42, 1), (41, 2)),  # equal points by position and doubloons
        ((26, 3), (19, 3)),
        ((19, 3), (20, 3)),
        ((32, 3), (33, 3)),  # the outer lane is the longer way
        ((39, 3), (33, 3)),
        ((14, 3), (11, 3)),
        ((1, 0), (0, 0)),
        ((6, 3), (8, 3)),
    ],
)
def test_of_equal_points_the_ship_furthest_along_wins(ahead, behind):
    for order in (0, 1):
        ships = [((ahead[0], 0), ahead[1]), ((behind[0], 0), behind[1])]
        top = final(*(ships if order == 0 else ships[::-1]), ((0, -2), 0))
        assert top.state["score"][0] == top.state["score"][1]
        assert top.winners() == {order}


@pytest.mark.clause("E3", "M3")
@pytest.mark.parametrize(("ahead", "behind"), [((0, 0), (49, -1)), ((1, 0), (49, -1)), ((0, -1), (49, -2))])
def test_a_ship_behind_the_start_is_a_lap_further_back(ahead, behind):
    assert final((behind, 0), (ahead, 0), ((1, -3), 0)).winners() == {1}


@pytest.mark.clause("E3")
@pytest.mark.parametrize("places", [((20, 0), (20, 0)), ((38, 0), (40, 0)), ((12, 0), (14, 0)), (HOME, HOME)])
def test_then_the_victory_is_shared(places):
    """On the same space, or equally far from the finish on two lanes."""
    assert final((places[0], 4), (places[1], 4), ((1, 0), 0)).winners() == {0, 1}


@pytest.mark.clause("E4")
@pytest.mark.parametrize("cap", [1, 3, 7])
def test_a_game_nobody_finishes_ends_at_the_cap(cap):
    trace = replay(3, strategies="random", players=3, round_cap=cap)
    assert trace["result"]["rounds"] == cap and not trace["result"]["finished"]
    assert [event["number"] for event in trace["events"] if event["event"] == "round"] == list(range(1, cap + 1))
    assert trace["result"]["winners"]
    results = simulate(50, strategies="random", players=3, round_cap=cap)
    assert results.of_game("unfinished").value == 1
    assert results.of_game("rounds").value == cap


@pytest.mark.clause("E4")
def test_the_cap_is_a_hundred_rounds_by_default():
    assert Rules().round_cap == 100
    assert simulate(200, strategies="random", players=3).of_game("unfinished").value < 0.05


@pytest.mark.clause("E4", "E1")
def test_a_game_finished_in_the_last_round_allowed_is_finished():
    table = seat_table(strategies="random", players=3)
    game = next(game for game in range(100) if replay_table(table, game)["result"]["finished"])
    result = replay_table(table, game)["result"]
    rounds = result["rounds"]
    assert replay(game, strategies="random", players=3, round_cap=rounds)["result"] == result
    assert not replay(game, strategies="random", players=3, round_cap=rounds - 1)["result"]["finished"]
