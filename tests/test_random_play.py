"""Random play: every distinct legal option of every decision is equally likely, one decision at a time.

Holds that are equal are one option; gunpowder is uniform from none to all; giving a treasure away is one option.
"""

from collections import Counter

import pytest
from scipy.stats import chisquare
from tabletop import (
    MAP,
    MINUS_2,
    MINUS_4,
    PLUS_3,
    PLUS_5,
    PLUS_7,
    SABRE,
    Tabletop,
    card,
)

GAMES = 400
LAIR = 44


def outcomes(play):
    """How often each outcome of a scene comes up over many games."""
    return Counter(play(game) for game in range(GAMES))


def assert_equally_likely(counts, options):
    assert set(counts) == set(options)
    assert chisquare(list(counts.values())).pvalue > 1e-4, counts


def laid(game, players=3, **rules):
    return Tabletop(players, game=game, **rules).play_at_random()


def meeting(game, **rules):
    """Ship 0 is about to attack ship 1 on an empty lair."""
    top = laid(game, **rules).put(0, LAIR - 1).put(1, LAIR).stow(0).stow(1)
    top.state["tokens"] = 0
    return top


def test_place_dice():
    def placed_as_rolled(game):
        [event] = laid(game, action_die=(1, 2, 3, 4, 5, 6)).play_round().happened("round")
        return event["dice"] == event["placed"] if len(set(event["dice"])) == 2 else None

    counts = outcomes(placed_as_rolled)
    del counts[None]
    assert_equally_likely(counts, [True, False])


def test_choose_card():
    def chosen(game):
        event = laid(game).play_round().happened("choose")[0]
        return sorted(event["hand"]).index(event["card"])

    assert_equally_likely(outcomes(chosen), range(3))


def test_choose_space():
    def end(game):
        return laid(game).put(0, 5).forward(0, 3).happened("move")[0]["to"]["space"]

    assert_equally_likely(outcomes(end), [8, 14])


def test_choose_retreat():
    def retreat(game):
        return laid(game).stow(0).put(0, 40).forward(0, 1).happened("retreat")[0]["to"]["space"]

    assert_equally_likely(outcomes(retreat), [37, 25, 19])


def test_hold_to_empty():
    """Of two equal holds of food one stands for both."""

    def emptied(game):
        top = laid(game).stow(0, ("food", 3), ("food", 3), ("gold", 2), ("gold", 1), ("food", 2))
        emptied = top.load(0, "gunpowder", 1).happened("load")[0]["emptied"]
        return emptied["resource"], emptied["amount"]

    assert_equally_likely(outcomes(emptied), [("food", 3), ("gold", 2), ("gold", 1), ("food", 2)])


def test_hold_to_pay():
    def paid(game):
        top = laid(game).stow(0, ("food", 4), ("food", 4), ("food", 5)).put(0, 14).forward(0, 1)
        return sorted(contents[1] for contents in top.holds(0) if contents)

    counts = Counter(map(tuple, (paid(game) for game in range(GAMES))))
    assert_equally_likely(counts, [(1, 4, 5), (2, 4, 4)])


@pytest.mark.parametrize("side", ["attack", "defence"])
def test_gunpowder(side):
    def committed(game):
        top = meeting(game).combat_die(4).stow(int(side == "defence"), ("gunpowder", 3), ("gunpowder", 2))
        return top.forward(0, 1).happened("powder")[side == "defence"]["amount"]

    assert_equally_likely(outcomes(committed), range(6))


def test_sabre():
    """The Sabre may be used after each roll of a battle, if it was not used yet."""

    def rolls(game):
        return len(meeting(game).give(0, SABRE).combat_die(-1).forward(0, 1).happened("roll"))

    assert_equally_likely(outcomes(rolls), [1, 2])


def test_choose_target():
    def target(game):
        return meeting(game).put(2, LAIR).forward(0, 1).happened("battle")[0]["defender"]

    assert_equally_likely(outcomes(target), [1, 2])


def test_choose_loot():
    def loot(game):
        top = meeting(game).combat_die(-1).give(1, MAP, PLUS_7, PLUS_5).give(0, MINUS_2, MINUS_4)
        top.stow(1, ("food", 3), ("food", 3), ("gold", 2))
        event = top.forward(0, 1).happened("loot")[0]
        return event["take"], event.get("resource")

    options = [("hold", "food"), ("hold", "gold"), ("power", None), ("hidden", None), ("give", None), ("nothing", None)]
    assert_equally_likely(outcomes(loot), options)


def given(own, ghost):
    """The treasures that ship 0 gives away in some games after a victory."""
    cards = set()
    for game in range(60):
        top = laid(game, ghost=ghost).put(0, LAIR - 1).put(3 if ghost else 1, LAIR).combat_die(-1).give(0, *own)
        top.state["tokens"] = 0
        cards |= {event["treasure"] for event in top.forward(0, 1).happened("loot") if event["take"] == "give"}
    return cards


@pytest.mark.parametrize(
    ("own", "ghost", "gift"),
    [
        ([PLUS_7, MINUS_2, MINUS_4], False, MINUS_4),
        ([PLUS_7, MINUS_2, MINUS_4], True, MINUS_4),
        ([PLUS_3, MINUS_2], True, MINUS_2),
    ],
)
def test_the_gift_is_the_card_of_the_lowest_value(own, ghost, gift):
    assert given(own, ghost) == {gift}


def test_powers_are_never_given_at_random():
    assert given([PLUS_7, PLUS_3, MAP], ghost=True) == {PLUS_3}
    assert given([MAP], ghost=True) == set()


def test_ghost_direction_and_space():
    def first_move(game):
        top = laid(game, ghost=True).put(0, 6).put(1, 6).put(2, 5).put(3, 6)
        top.state["tokens"] = 0
        return top.ghost_moves(1, 1).happened("move")[0]["to"]["space"]

    counts = outcomes(first_move)
    assert set(counts) == {5, 7, 13}
    assert chisquare([counts[5], counts[7], counts[13]], [GAMES / 2, GAMES / 4, GAMES / 4]).pvalue > 1e-4


def test_a_player_at_random_beside_scripted_ones():
    """Each player has its own luck: a scripted player's choices do not change those of a random player."""
    choices = []
    for answer in range(2):
        chosen = []
        for game in range(30):
            top = Tabletop(3, game=game).play_at_random(1)
            top.script(0, choose_card=sorted(hand(top, 0))[answer])
            chosen += [event["card"] for event in top.play_round().happened("choose") if event["ship"] == 1]
        choices.append(chosen)
    assert choices[0] == choices[1]


def hand(top, player):
    return [number for number in range(11) if int(top.state["hands"][player]) >> number & 1]


def test_cards_that_are_not_in_the_hand_are_never_played():
    gold = card("gold", "gold")
    for game in range(20):
        top = laid(game).deal(0, [gold], []).play_round()
        assert next(event["card"] for event in top.happened("choose") if event["ship"] == 0) == gold
