"""The components (C1 to C6): the package's CSV files against a transcription of their own, and the bank."""

from collections import Counter

import pytest
from tabletop import Tabletop

from jamaica_sim.game.components import action_cards, board, combat_die, treasures
from jamaica_sim.game.rules import Rules

# Kind and cost of each space in order: Port Royal, sea (food), port (doubloons), lair.
SPACES = """R s2 s3 s2 L p3 p5 s2 s3 L s3 L s2 s3 s4 s3 p3 s2 p3 L s3 p3 L s2 s3 L s4 s4 p5 s1 p5 p3 s3 L p3 s2 s1 L s1
    s4 s4 p5 s2 s3 L p7 s2 s3 s3 s3""".split()
KIND = {"R": "port_royal", "s": "sea", "p": "port", "L": "lair"}
OUTER_LANES = {6: range(7, 13), 19: range(20, 26), 32: range(33, 39)}
INNER_LANES = {6: range(13, 15), 19: range(26, 28), 32: range(39, 41)}
BEHIND_THE_RED_LINE = dict(zip(range(41, 50), range(2, 11), strict=True))

DECK = """food/gunpowder forward/backward gunpowder/gold gold/gold gold/forward backward/forward forward/food
    forward/forward gunpowder/food food/forward forward/gunpowder""".split()


@pytest.mark.clause("C1")
def test_board_has_the_printed_spaces():
    assert [space.kind for space in board()] == [KIND[text[0]] for text in SPACES]
    assert [space.cost for space in board()] == [int(text[1:] or 0) for text in SPACES]
    assert Counter(space.kind for space in board()) == {"port_royal": 1, "sea": 29, "port": 11, "lair": 9}


@pytest.mark.clause("C1")
def test_course_forks_three_times_and_closes_at_port_royal():
    merges = {12: 15, 14: 15, 25: 28, 27: 28, 38: 41, 40: 41}
    for number, space in enumerate(board()):
        if number in OUTER_LANES:
            assert space.next == (OUTER_LANES[number][0], INNER_LANES[number][0])
        else:
            assert space.next == (merges.get(number, (number + 1) % 50),)
    for fork, lane in OUTER_LANES.items():
        assert [board()[space].kind for space in lane].count("lair") == 2
        assert all(board()[space].kind == "sea" for space in INNER_LANES[fork])


@pytest.mark.clause("C1")
def test_printed_numbers():
    for number, space in enumerate(board()):
        assert space.score == (15 if number == 0 else BEHIND_THE_RED_LINE.get(number, -5))


@pytest.mark.clause("C1")
def test_places_on_the_picture():
    places = {(space.x, space.y) for space in board()}
    assert len(places) == 50
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in places)


@pytest.mark.clause("C2")
def test_deck():
    assert sorted(f"{card.morning}/{card.evening}" for card in action_cards()) == sorted(DECK)


@pytest.mark.clause("C2")
@pytest.mark.parametrize("players", [2, 6])
def test_every_player_has_the_whole_deck(players):
    top = Tabletop(players)
    for player in range(players):
        hand, deck = int(top.state["hands"][player]), int(top.state["deck"][player])
        assert hand | deck == (1 << len(DECK)) - 1 and hand & deck == 0


@pytest.mark.clause("C3")
def test_treasures():
    cards = Counter((card.kind, card.value) for card in treasures())
    assert cards == {
        ("power", 0): 4,
        ("points", 3): 2,
        ("points", 5): 1,
        ("points", 7): 2,
        ("cursed", -2): 1,
        ("cursed", -3): 1,
        ("cursed", -4): 1,
    }
    assert [card.name for card in treasures()[:4]] == ["Morgan's Map", "Saran's Sabre", "Lady Beth", "6th Hold"]


@pytest.mark.clause("C4")
def test_action_dice_are_two_ordinary_ones():
    assert Rules().action_die == (1, 2, 3, 4, 5, 6)
    dice = [Tabletop(game=game).play_round().happened("round")[0]["dice"] for game in range(60)]
    assert {len(pair) for pair in dice} == {2}
    assert {face for pair in dice for face in pair} == set(range(1, 7))


@pytest.mark.clause("C5")
def test_combat_die():
    assert [face.strength for face in combat_die()] == [2, 4, 6, 8, 10, None]
    symbols = Counter(face.shortage_symbol for face in combat_die())
    assert symbols == {"circle": 2, "square": 2, "skull": 1, "star": 1}
    assert combat_die()[-1].shortage_symbol == "star"


@pytest.mark.clause("C6")
def test_box():
    assert Rules().bank == (80, 45, 45)
    assert not Rules().limited_bank


@pytest.mark.clause("C6")
def test_bank_is_unlimited_by_default():
    top = lay_out_44_food()
    top.load(0, "food", 6)
    assert top.hold(0, 0) == ("food", 6)
    assert top.state["peak"][1] == 50


@pytest.mark.clause("C6")
def test_limited_bank_gives_what_is_left():
    top = lay_out_44_food(limited_bank=True)
    top.load(0, "food", 6)
    assert top.hold(0, 0) == ("food", 1)
    top.load(0, "food", 6)
    assert top.events == [{"event": "no_load", "ship": 0, "resource": "food", "amount": 6}]
    top.load(0, "gunpowder", 6)
    assert top.hold(0, 1) == ("gunpowder", 6)


@pytest.mark.clause("C6")
def test_goods_that_come_back_can_be_taken_again():
    top = lay_out_44_food(limited_bank=True)
    top.put(1, 0).forward(1, 2)
    assert top.happened("pay")[0]["amount"] == 3
    top.load(0, "food", 6)
    assert top.hold(0, 0) == ("food", 4)


@pytest.mark.clause("C6")
def test_peak_demand_counts_what_is_on_all_ships():
    top = Tabletop(3)
    assert top.state["peak"].tolist() == [9, 9, 0]
    top.load(0, "gold", 5).load(0, "gunpowder", 2).put(1, 4).forward(1, 1)
    assert top.state["peak"].tolist() == [14, 9, 2]
    top.load(1, "gold", 4)
    assert top.state["peak"].tolist() == [15, 9, 2]


def lay_out_44_food(**rules):
    """Ship 0 with empty holds, 44 of the box's 45 food on the two others."""
    top = Tabletop(3, **rules).stow(0)
    top.stow(1, *[("food", 5)] * 5)
    return top.stow(2, *[("food", 5)] * 3, ("food", 4))
