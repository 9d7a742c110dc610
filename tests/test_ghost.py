"""The ghost ship (G2 to G8): two moves by the Captain, its battles, what it takes and what may be done to it."""

import pytest
from tabletop import (
    LADY_BETH,
    MAP,
    MINUS_2,
    PLUS_5,
    PLUS_7,
    SABRE,
    SIXTH_HOLD,
    Tabletop,
    members,
    until,
)

from jamaica_sim.game.codes import LOOT_GIVE, LOOT_HIDDEN, LOOT_NOTHING, LOOT_POWER
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.trace import replay_table
from jamaica_sim.study.simulate import run_games

STAR = -1
BACKWARD, FORWARD = 0, 1  # answers to ghost_direction
LAIR = 44
EMPTY_SHIP = [None] * 5


def haunted(*places, ghost, captain=0, **rules):
    """The players' ships and the ghost on these spaces, no tokens on the lairs; the Captain decides for the ghost."""
    top = Tabletop(len(places), ghost=True, **rules)
    top.state["tokens"], top.state["captain"] = 0, captain
    for ship, place in enumerate(places):
        top.put(ship, *(place if isinstance(place, tuple) else (place,)))
    return top.put(top.ghost, *(ghost if isinstance(ghost, tuple) else (ghost,)))


def actions(top):
    """Direction of each of the ghost's moves, and whether it was forced."""
    return [(event["symbol"], event["forced"]) for event in top.happened("action") if event["ship"] == top.ghost]


# Its moves


@pytest.mark.clause("G2")
def test_it_moves_after_all_players_by_both_dice():
    top = until(
        lambda top: len(set(top.happened("round")[0]["dice"])) == 2,
        lambda game: Tabletop(3, ghost=True, game=game).play_round(),
    )
    placed = top.happened("round")[0]["placed"]
    turns = [(event["ship"], event["when"], event["die"]) for event in top.happened("action")]
    assert turns[-2:] == [(3, "morning", placed[0]), (3, "evening", placed[1])]
    assert len(turns) == 8


@pytest.mark.clause("G2")
def test_the_captain_decides_for_it():
    for captain in range(3):
        top = haunted(6, 6, 6, ghost=6, captain=captain).script(captain, ghost_direction=FORWARD, ghost_space=13)
        top.ghost_moves(1, 2)
        assert {question.player for question in top.questions} == {captain}
        assert {question.ship for question in top.questions} == {3}


@pytest.mark.clause("G3")
@pytest.mark.parametrize(
    ("places", "ghost", "forced"),
    [
        ((5, 10, 12), 20, "backward"),  # alone in the lead
        ((5, 20, 12), 20, None),  # with another
        ((15, 18, 17), 16, None),  # in between
        ((5, 10, 12), 2, "forward"),  # alone in last place
        ((5, 2, 12), 2, None),
        ((0, 0, 0), 0, None),  # all together
        ((5, 6, 6), 7, "forward"),  # by the shortest way: on the outer lane it has more spaces left
        ((38, 30, 31), 40, None),  # as far on both lanes
        ((7, 7, 6), 13, "backward"),
        ((0, 0, 0), (49, -1), "forward"),  # behind the start line
        (((49, -1), (48, -1), (47, -1)), 0, "backward"),
        (((0, 1), 40, 30), 49, None),  # behind a ship that has come home
    ],
)
def test_forced_direction(places, ghost, forced):
    top = haunted(*places, ghost=ghost).ghost_moves(1, 1)
    direction, was_forced = actions(top)[0]
    assert was_forced == (forced is not None)
    if forced:
        assert direction == forced
    asked = top.asked("ghost_direction")
    assert len(asked) == sum(not was_forced for _, was_forced in actions(top))
    assert all(question.legal == {BACKWARD, FORWARD} for question in asked)


@pytest.mark.clause("G3")
@pytest.mark.parametrize(("answer", "space"), [(BACKWARD, 17), (FORWARD, 21)])
def test_the_captain_chooses_the_direction(answer, space):
    top = haunted(5, 30, 31, ghost=19).script(0, ghost_direction=[answer, BACKWARD], ghost_space=21).ghost_moves(2, 1)
    assert top.happened("move")[0]["to"]["space"] == space


@pytest.mark.clause("G3")
def test_the_direction_is_read_again_before_the_second_move():
    top = haunted(16, 42, 43, ghost=15).script(0, ghost_direction=BACKWARD).ghost_moves(3, 1)
    assert actions(top) == [("forward", True), ("backward", False)]
    top = haunted(15, 16, 17, ghost=18).script(0, ghost_direction=FORWARD).combat_die(4).ghost_moves(1, 2)
    assert actions(top) == [("backward", True), ("forward", False)]
    top = haunted(15, 15, 15, ghost=16).ghost_moves(2, 1)
    assert actions(top) == [("backward", True), ("forward", True)]


@pytest.mark.clause("G3")
def test_the_captain_chooses_lane_and_opponent():
    top = haunted(13, 13, 30, ghost=6, captain=2).script(2, ghost_space=13, ghost_target=1).combat_die(4)
    top.ghost_moves(1, 5)
    assert top.asked("ghost_space")[0].legal == {7, 13}
    assert top.asked("ghost_target")[0].legal == {0, 1}
    assert {question.player for question in top.asked("ghost_space") + top.asked("ghost_target")} == {2}
    assert top.happened("battle")[0]["defender"] == 1


@pytest.mark.clause("G4")
def test_it_pays_nothing_and_never_runs_short():
    undisturbed = 0
    for space in range(50):
        top = haunted(30, 31, 32, ghost=space).ghost_moves(1, 2)
        assert not top.happened("pay") and not top.happened("shortage")
        if not top.happened("battle"):  # which could take its gold
            assert top.holds(3)[:2] == [("gold", 5), ("gold", 3)]
            undisturbed += 1
    assert undisturbed > 30


@pytest.mark.clause("G4")
@pytest.mark.parametrize("treasure", [SABRE, MAP, SIXTH_HOLD, PLUS_7, MINUS_2])
def test_it_draws_treasures_unseen(treasure):
    top = haunted(5, 6, 6, ghost=3)
    top.state["tokens"], top.state["treasures_undrawn"] = 1 << 4, 1 << treasure
    top.ghost_moves(1, 6)
    assert top.happened("treasure") == [{"event": "treasure", "ship": 3, "space": 4, "treasure": treasure}]
    assert not top.tokens()
    assert top.face_down(3) == {treasure} and top.powers(3) == {LADY_BETH}
    assert all(not top.known(player, 3) for player in range(3))


@pytest.mark.clause("G4")
def test_a_power_drawn_unseen_stays_inactive():
    top = haunted(LAIR, 45, 46, ghost=43).give(3, SABRE, SIXTH_HOLD, face_down=True)
    top.stow(3, *[("gold", 1)] * 5).stow(0, ("gold", 6)).combat_die(STAR).ghost_moves(1, 6)
    assert not top.asked("use_sabre")
    assert top.happened("loot")[0]["take"] == "nothing"  # no sixth hold, so no room for doubloons
    assert top.holds(3) == [("gold", 1)] * 5


# Its battles


def ghost_attacks():
    """The ghost is last and comes upon ship 0 with its first move."""
    return haunted(LAIR, 45, 46, ghost=LAIR - 1)


@pytest.mark.clause("G5", "R3")
def test_it_has_no_gunpowder_but_lady_beth():
    top = ghost_attacks().combat_die(4).ghost_moves(1, 6)
    assert [(event["ship"], event["amount"]) for event in top.happened("powder")] == [(3, 0), (0, 0)]
    assert top.happened("battle_end")[0] == {"event": "battle_end", "winner": 3, "attack": 6, "defence": 4}


@pytest.mark.clause("G5")
def test_the_defending_player_commits_gunpowder():
    top = ghost_attacks().stow(0, ("gunpowder", 5)).combat_die(4).script(0, defence_powder=3).ghost_moves(1, 6)
    assert top.asked("defence_powder")[0].view["attack_strength"] == 6
    assert top.happened("battle_end")[0]["defence"] == 7


@pytest.mark.clause("G5", "B1")
def test_no_battle_on_port_royal():
    top = haunted(0, 0, 5, ghost=(49, -1)).ghost_moves(1, 6)
    assert not [event for event in top.happened("battle") if event["space"] == 0]


@pytest.mark.clause("G5")
@pytest.mark.parametrize(
    ("players", "foe", "decider"), [(2, 0, 1), (2, 1, 0), (3, 0, 1), (3, 1, 2), (3, 2, 0), (5, 4, 0), (5, 2, 3)]
)
def test_the_player_on_the_left_of_its_foe_decides_for_it(players, foe, decider):
    places = [45 + player % 3 for player in range(players)]
    places[foe] = LAIR
    top = haunted(*places, ghost=43).stow(foe, ("gold", 2)).give(players, SABRE).combat_die(STAR)
    top.script(decider, use_sabre=0, ghost_loot=0).ghost_moves(1, 6)
    [sabre, loot] = [q for q in top.questions if q.decision in ("use_sabre", "ghost_loot")][:2]
    assert (sabre.decision, sabre.player, sabre.ship) == ("use_sabre", decider, players)
    assert (loot.decision, loot.player, loot.ship) == ("ghost_loot", decider, players)
    assert top.happened("loot")[0]["decider"] == decider


@pytest.mark.clause("G5", "B7")
def test_its_sabre_is_used_when_it_is_attacked_too():
    top = haunted(43, 10, 11, ghost=LAIR).give(3, SABRE).combat_die(4).script(1, use_sabre=1).forward(0, 1)
    assert top.asked("use_sabre")[0].player == 1
    assert top.happened("sabre") == [{"event": "sabre", "ship": 3, "of": 0}]


# What it takes


def ghost_wins(answer, booty=(), treasures=(), own=(), powers=(), hidden=()):
    """The ghost beats ship 0 and its decider, ship 1, gives this answer."""
    top = ghost_attacks().combat_die(STAR).give(0, *treasures).give(3, *powers).give(3, *hidden, face_down=True)
    top.stow(0, *booty)
    if own:
        top.stow(3, *own)
    return top.script(1, ghost_loot=answer).ghost_moves(1, 6)


@pytest.mark.clause("G6")
def test_it_keeps_doubloons():
    top = ghost_wins(1, booty=[("food", 2), ("gold", 4)])
    assert top.holds(3) == [("gold", 5), ("gold", 3), ("gold", 4), None, None]
    assert top.holds(0) == [("food", 2), None, None, None, None]


@pytest.mark.clause("G6")
@pytest.mark.parametrize("resource", ["food", "gunpowder"])
def test_anything_else_goes_to_the_bank(resource):
    top = ghost_wins(0, booty=[(resource, 4), ("gold", 1)])
    assert top.holds(3) == [("gold", 5), ("gold", 3), None, None, None]
    assert top.holds(0) == [None, ("gold", 1), None, None, None]
    assert not top.happened("load")


@pytest.mark.clause("G6")
def test_what_it_may_take():
    top = ghost_wins(LOOT_NOTHING, [("food", 2), ("gold", 4), ("food", 2)], [MAP, PLUS_7, MINUS_2], hidden=[PLUS_5])
    assert top.asked("ghost_loot")[0].legal == {0, 1, LOOT_POWER + MAP, LOOT_HIDDEN, LOOT_NOTHING}
    assert top.happened("loot")[0]["take"] == "nothing"


@pytest.mark.clause("G6")
def test_it_never_gives_a_treasure():
    top = ghost_wins(LOOT_NOTHING, booty=[("food", 1)], hidden=[MINUS_2])
    assert top.asked("ghost_loot")[0].legal == {0, LOOT_NOTHING}


@pytest.mark.clause("G6", "L3")
def test_full_of_doubloons_it_can_still_throw_food_into_the_sea():
    booty = [("gold", 4), ("food", 2), ("gunpowder", 3)]
    top = ghost_wins(1, booty, own=[("gold", 1)] * 5)
    assert top.asked("ghost_loot")[0].legal == {1, 2, LOOT_NOTHING}
    assert top.holds(0) == [("gold", 4), None, ("gunpowder", 3), None, None]
    assert top.holds(3) == [("gold", 1)] * 5


@pytest.mark.clause("G6")
def test_it_takes_a_face_down_treasure_unseen():
    top = ghost_wins(LOOT_HIDDEN, treasures=[PLUS_7])
    assert top.face_down(3) == {PLUS_7}
    assert [top.known(player, 3) for player in range(3)] == [{PLUS_7}, set(), set()]  # its old owner knows it


@pytest.mark.clause("G6")
def test_a_power_it_steals_lies_face_up_and_works():
    top = ghost_wins(LOOT_POWER + SABRE, treasures=[SABRE])
    assert top.powers(3) == {LADY_BETH, SABRE} and not top.face_down(3)
    top.put(0, 43).put(3, LAIR).forward(0, 1)
    question = top.asked("use_sabre")[-1]
    assert (question.player, question.ship) == (1, 3)


@pytest.mark.clause("G6")
def test_morgans_map_has_no_effect_for_it():
    top = Tabletop(3, ghost=True).give(3, MAP).play_round()
    assert top.state["hand_size"][:4].tolist() == [3, 3, 3, 0]
    assert all(event["ship"] != 3 for event in top.happened("draw"))


@pytest.mark.clause("G6", "B9")
@pytest.mark.parametrize(("contents", "kept"), [(("gold", 4), ("gold", 4)), (("food", 4), None), (None, None)])
def test_of_a_stolen_sixth_hold_it_keeps_doubloons(contents, kept):
    top = ghost_attacks().combat_die(STAR).give(0, SIXTH_HOLD).stow(0, *EMPTY_SHIP, contents)
    top.script(1, ghost_loot=LOOT_POWER + SIXTH_HOLD).ghost_moves(1, 6)
    assert top.hold(3, 5) == kept
    assert top.holds(0) == EMPTY_SHIP
    assert top.stock(0, "food") == top.stock(3, "food") == 0


@pytest.mark.clause("G6")
def test_its_sixth_hold_takes_doubloons():
    top = ghost_wins(0, booty=[("gold", 6)], own=[("gold", 1)] * 5, powers=[SIXTH_HOLD])
    assert top.hold(3, 5) == ("gold", 6)


@pytest.mark.clause("G6", "B10")
def test_a_power_it_drew_unseen_works_for_the_player_who_steals_it():
    top = haunted(43, 10, 11, ghost=LAIR).give(3, SIXTH_HOLD, face_down=True).combat_die(STAR)
    top.script(0, choose_loot=LOOT_HIDDEN).forward(0, 1)
    assert top.powers(0) == {SIXTH_HOLD} and not top.face_down(0)
    assert top.holds(0) == [("food", 3), ("gold", 3), None, None, None, None]
    assert not any(top.known(player, ship) for player in range(3) for ship in range(4))


# Beating it


def beat_ghost(answer, own=(), powers=(), hidden=(), cargo=()):
    """Ship 0 beats the ghost and gives this answer."""
    top = haunted(43, 10, 11, ghost=LAIR).combat_die(STAR).give(0, *own).give(3, *powers)
    top.give(3, *hidden, face_down=True).stow(0, *cargo)
    return top.script(0, choose_loot=answer).forward(0, 1)


@pytest.mark.clause("G7", "G1")
def test_lady_beth_can_never_be_stolen():
    top = beat_ghost(LOOT_NOTHING, powers=[SABRE], hidden=[PLUS_7])
    assert top.asked("choose_loot")[0].legal == {0, 1, LOOT_POWER + SABRE, LOOT_HIDDEN, LOOT_NOTHING}


@pytest.mark.clause("G7")
def test_steal_its_doubloons():
    top = beat_ghost(0)
    assert top.hold(0, 0) == ("gold", 5)
    assert top.holds(3) == [None, ("gold", 3), None, None, None]


@pytest.mark.clause("G7")
@pytest.mark.parametrize("treasure", [PLUS_7, MINUS_2, MAP, SIXTH_HOLD])
def test_give_it_any_treasure(treasure):
    own = [PLUS_7, MINUS_2, MAP, SIXTH_HOLD]
    top = beat_ghost(LOOT_GIVE + treasure, own=own)
    assert top.asked("choose_loot")[0].legal == {0, 1, LOOT_NOTHING} | {LOOT_GIVE + card for card in own}
    assert treasure in top.powers(3) | top.face_down(3)
    assert top.powers(0) | top.face_down(0) == set(own) - {treasure}


@pytest.mark.clause("G6", "G7")
def test_a_power_it_was_given_works_for_it():
    top = beat_ghost(LOOT_GIVE + SABRE, own=[SABRE]).combat_die(4)
    assert top.powers(3) == {LADY_BETH, SABRE}
    top.put(0, 43).forward(0, 1)
    assert top.asked("use_sabre")[-1].player == 1 and top.asked("use_sabre")[-1].ship == 3


@pytest.mark.clause("G7", "R5")
def test_who_gave_it_a_card_knows_it():
    top = beat_ghost(LOOT_GIVE + PLUS_7, own=[PLUS_7])
    assert [top.known(player, 3) for player in range(3)] == [{PLUS_7}, set(), set()]


@pytest.mark.clause("G7", "B8")
def test_between_players_only_cursed_cards_are_given():
    top = haunted(43, LAIR, 11, ghost=20).combat_die(STAR).give(0, PLUS_7, MINUS_2, MAP)
    top.stow(1).script(0, choose_loot=LOOT_NOTHING).forward(0, 1)
    assert top.asked("choose_loot")[0].legal == {LOOT_GIVE + MINUS_2, LOOT_NOTHING}


# The end


@pytest.mark.clause("G8", "E1")
def test_it_can_come_home_and_end_the_game():
    top = haunted((0, 1), 20, 21, ghost=47).script(0, ghost_direction=FORWARD).ghost_moves(4, 2)
    assert [event["event"] for event in top.events] == ["action", "move", "finish", "skip"]
    assert top.at(3) == (0, 1) and members(top.state["finished_ships"]) == {3}


@pytest.mark.clause("G8")
def test_it_is_scored_like_any_ship_and_can_win():
    top = haunted(41, 42, 43, ghost=(0, 1)).give(3, PLUS_7, MINUS_2, face_down=True).score()
    assert top.state["score"][3] == 15 + 8 + 7 - 2
    assert top.winners() == {3}


@pytest.mark.clause("G8")
def test_it_ends_and_wins_real_games():
    table = seat_table(strategies="random", players=2)
    assert 0 < run_games(table, 2000).ghost_win_rate.value < 0.5
    ended = [replay_table(table, game) for game in range(150)]
    home = [trace for trace in ended if trace["result"]["positions"][2] == {"space": 0, "lap": 1}]
    assert home and all(trace["result"]["finished"] for trace in home)
