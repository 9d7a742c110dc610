"""The round (T1 to T5): dice and the Captain, secret cards, the order of actions, drawing, the compass."""

import pytest
from tabletop import Tabletop, card, members, until

FORWARD_FOOD = card("forward", "food")
GOLD_FORWARD = card("gold", "forward")
GOLD_GOLD = card("gold", "gold")
FOOD_POWDER = card("food", "gunpowder")


def kinds(top):
    return [event["event"] for event in top.events]


def with_dice(dice, play):
    return until(lambda top: top.happened("round")[0]["dice"] == list(dice), play)


@pytest.mark.clause("T1")
@pytest.mark.parametrize(("answer", "placed"), [(0, [2, 5]), (1, [5, 2])])
def test_the_captain_places_the_dice(answer, placed):
    def play(game):
        top = Tabletop(3, game=game, action_die=(2, 5))
        return top.script(int(top.state["captain"]), place_dice=answer).play_round()

    top = with_dice((2, 5), play)
    assert top.happened("round")[0]["placed"] == placed
    assert {event["when"]: event["die"] for event in top.happened("action")} == dict(
        zip(("morning", "evening"), placed, strict=True)
    )


@pytest.mark.clause("T1")
def test_the_captain_looks_at_the_dice_and_the_own_hand_first():
    top = with_dice((2, 5), lambda game: Tabletop(3, game=game, action_die=(2, 5)).play_round())
    first = top.questions[0]
    captain = top.happened("round")[0]["captain"]
    hand = next(event["hand"] for event in top.happened("choose") if event["ship"] == captain)
    assert (first.decision, first.player, first.legal) == ("place_dice", captain, {0, 1})
    assert first.view["dice"].tolist() == [2, 5]
    assert members(first.view["hand"]) == set(hand)
    assert all(question.decision != "place_dice" for question in top.questions[1:])


@pytest.mark.clause("T1")
def test_equal_dice_leave_nothing_to_decide():
    top = Tabletop(3, action_die=(3, 3)).play_round()
    assert top.happened("round")[0]["placed"] == [3, 3]
    assert not top.asked("place_dice")


@pytest.mark.clause("T2")
def test_every_player_chooses_a_card_of_the_own_hand_before_anyone_acts():
    top = Tabletop(4).play_round()
    assert kinds(top)[:6] == ["round"] + ["choose"] * 4 + ["action"]
    captain = top.happened("round")[0]["captain"]
    assert [event["ship"] for event in top.happened("choose")] == [(captain + turn) % 4 for turn in range(4)]
    for event, question in zip(top.happened("choose"), top.asked("choose_card"), strict=True):
        assert question.player == event["ship"] and question.legal == set(event["hand"])
        assert event["card"] in event["hand"]


@pytest.mark.clause("T2", "K2")
def test_cards_are_chosen_secretly():
    """Whatever the others choose, the last player to choose sees the same."""
    seen = set()
    for others in range(3):
        top = Tabletop(3)
        captain = int(top.state["captain"])
        last = (captain + 2) % 3
        for player in {0, 1, 2} - {last}:
            top.script(player, choose_card=sorted(members(top.state["hands"][player]))[others])
        top.play_round()
        seen.add(next(question.view.tobytes() for question in top.asked("choose_card") if question.player == last))
    assert len(seen) == 1


@pytest.mark.clause("T2")
def test_the_card_chosen_is_the_one_played():
    for number in range(3):
        top = Tabletop(3)
        chosen = sorted(members(top.state["hands"][0]))[number]
        top.script(0, choose_card=chosen).play_round()
        assert [event["card"] for event in top.happened("choose") if event["ship"] == 0] == [chosen]
        assert chosen not in members(top.state["hands"][0])
        assert members(top.state["discard"][0]) == {chosen}


@pytest.mark.clause("T3")
def test_turns_go_clockwise_from_the_captain_morning_then_evening():
    top = Tabletop(5).play_round()
    captain = top.happened("round")[0]["captain"]
    order = [(event["ship"], event["when"]) for event in top.happened("action")]
    assert order == [((captain + turn) % 5, when) for turn in range(5) for when in ("morning", "evening")]


@pytest.mark.clause("T3")
def test_each_action_is_the_cards_symbol_with_its_die():
    for number in range(11):
        top = Tabletop(3, action_die=(2, 6)).deal(0, [number], []).play_round()
        placed = top.happened("round")[0]["placed"]
        actions = [event for event in top.happened("action") if event["ship"] == 0]
        assert card(actions[0]["symbol"], actions[1]["symbol"]) == number
        assert [event["die"] for event in actions] == placed


@pytest.mark.clause("T3")
def test_nothing_gained_in_the_evening_pays_for_the_morning():
    top = Tabletop(3, action_die=(3, 3)).stow(0, ("gold", 3)).deal(0, [FORWARD_FOOD], []).play_round()
    mine = [event["event"] for event in top.events if event.get("ship") == 0]
    assert mine == ["choose", "action", "move", "shortage", "retreat", "action", "load", "draw"]
    assert top.at(0) == (0, 0) and top.stock(0, "food") == 3


@pytest.mark.clause("T3")
def test_what_is_gained_in_the_morning_pays_for_the_evening():
    top = Tabletop(3, action_die=(5, 5)).stow(0).deal(0, [GOLD_FORWARD], [])
    for other in (1, 2):
        top.deal(other, [GOLD_GOLD], [])
    top.play_round()
    assert top.at(0) == (5, 0) and top.stock(0, "gold") == 2


@pytest.mark.clause("T4")
def test_players_draw_up_to_three():
    top = Tabletop(3).deal(0, [GOLD_GOLD], [1, 7, 8, 9]).play_round()
    draws = {event["ship"]: event for event in top.happened("draw")}
    assert {ship: len(event["cards"]) for ship, event in draws.items()} == {0: 3, 1: 1, 2: 1}
    assert set(draws[0]["cards"]) < {1, 7, 8, 9}
    assert members(top.state["hands"][0]) == set(draws[0]["cards"])


@pytest.mark.clause("T4")
def test_the_last_card_of_the_deck_is_drawn_without_a_reshuffle():
    top = Tabletop(3).deal(0, [GOLD_GOLD, FOOD_POWDER, FORWARD_FOOD], [7]).script(0, choose_card=GOLD_GOLD)
    top.play_round()
    [draw] = [event for event in top.happened("draw") if event["ship"] == 0]
    assert (draw["cards"], draw["reshuffled"]) == ([7], False)
    assert top.state["deck"][0] == 0
    assert GOLD_GOLD in members(top.state["discard"][0]) and len(members(top.state["discard"][0])) == 8


@pytest.mark.clause("T4")
def test_the_reshuffle_contains_the_card_just_played():
    drawn = set()
    for game in range(80):
        top = Tabletop(3, game=game).deal(0, [GOLD_GOLD, FOOD_POWDER, FORWARD_FOOD], [])
        top.script(0, choose_card=GOLD_GOLD).play_round()
        [draw] = [event for event in top.happened("draw") if event["ship"] == 0]
        assert draw["reshuffled"]
        assert members(top.state["deck"][0]) | set(draw["cards"]) == set(range(11)) - {FOOD_POWDER, FORWARD_FOOD}
        assert top.state["discard"][0] == 0
        drawn |= set(draw["cards"])
    assert drawn == set(range(11)) - {FOOD_POWDER, FORWARD_FOOD}


@pytest.mark.clause("T4")
def test_a_reshuffle_in_the_middle_of_drawing():
    top = Tabletop(3).deal(0, [GOLD_GOLD], [7]).play_round()
    [draw] = [event for event in top.happened("draw") if event["ship"] == 0]
    assert draw["cards"][0] == 7 and draw["reshuffled"] and len(draw["cards"]) == 3
    assert len(members(top.state["deck"][0])) == 8


@pytest.mark.clause("T4")
def test_nobody_discards_down():
    top = Tabletop(3).deal(0, [0, 1, 2, 3, 4], [5, 6, 7]).play_round()
    assert len(members(top.state["hands"][0])) == 4
    assert not [event for event in top.happened("draw") if event["ship"] == 0]


@pytest.mark.clause("T4")
def test_no_cards_are_drawn_after_the_last_round():
    came_home = Tabletop(3).put(1, 49).deal(1, [card("forward", "forward")], []).play_round()
    assert came_home.happened("finish") and not came_home.happened("draw")
    capped = Tabletop(3, round_cap=2)
    assert not capped.play_round().happened("draw")  # a table is laid in round 1


@pytest.mark.clause("T5")
@pytest.mark.parametrize("players", [2, 3, 6])
def test_the_compass_passes_to_the_left(players):
    top = Tabletop(players)
    captains = [top.play_round().happened("round")[0]["captain"] for _ in range(2 * players)]
    assert captains == [(captains[0] + turn) % players for turn in range(2 * players)]


@pytest.mark.clause("T1", "T5")
def test_rounds_are_numbered():
    top = Tabletop(3)
    assert [top.play_round().happened("round")[0]["number"] for _ in range(3)] == [2, 3, 4]
