"""Battle (B1 to B7, R2, R3): who fights whom, gunpowder, the combat die, Saran's Sabre, and who wins."""

import pytest
from tabletop import LADY_BETH, PLUS_7, SABRE, SIXTH_HOLD, Tabletop, until, with_rolls

from jamaica_sim.game.codes import LOOT_NOTHING
from jamaica_sim.game.components import board

POWDER = [("gunpowder", 6), ("gunpowder", 2)]
KEEP, REROLL = 0, 1
LAIR = 44


def meet(game=0, attacker=(), defender=(), **rules):
    """Ship 0 is one step behind ship 1, which lies on an empty lair: a battle and nothing else."""
    top = Tabletop(3, game=game, **rules).put(0, LAIR - 1).put(1, LAIR).stow(0, *attacker).stow(1, *defender)
    top.state["tokens"] = 0
    return top.script(0, choose_loot=LOOT_NOTHING).script(1, choose_loot=LOOT_NOTHING)


def fight(*rolls, attack=0, defence=0, powers=((), ()), edition="2007", sabre=((), ()), faces=(2, 4, 6, 8, 10, -1)):
    """The battle of `meet` with these rolls; the ships commit `attack` and `defence` of 8 gunpowder."""

    def play(game):
        top = meet(game, POWDER, POWDER, edition=edition).combat_die(*faces)
        for ship in (0, 1):
            top.give(ship, *powers[ship]).script(ship, use_sabre=list(sabre[ship]))
        return top.script(0, attack_powder=attack).script(1, defence_powder=defence).forward(0, 1)

    return with_rolls(rolls, play)


def end(top):
    """Winner and strengths."""
    [event] = top.happened("battle_end")
    return event["winner"], event["attack"], event["defence"]


@pytest.mark.clause("B1")
def test_the_attacker_chooses_one_of_the_ships_there():
    for target in (1, 2):
        top = meet().put(2, LAIR).script(0, choose_target=target).forward(0, 1)
        [battle] = top.happened("battle")
        assert battle == {"event": "battle", "attacker": 0, "defender": target, "space": LAIR, "targets": [1, 2]}
        assert top.asked("choose_target")[0].legal == {1, 2}
        assert top.state["battles"][:3].tolist() == [1, int(target == 1), int(target == 2)]


@pytest.mark.clause("B1")
@pytest.mark.parametrize("space", [1, 4, 6, 14, 19, 25, 33, 45, 49])
def test_on_every_kind_of_space(space):
    before = next(number for number, other in enumerate(board()) if space in other.next)
    top = Tabletop(3).put(0, before).put(1, space).combat_die(4).script(0, choose_space=space).forward(0, 1)
    assert [(battle["defender"], battle["space"]) for battle in top.happened("battle")][0] == (1, space)


@pytest.mark.clause("B1", "P3")
def test_never_on_port_royal():
    top = Tabletop(3).put(0, 48, -1).forward(0, 2)
    assert top.at(0) == (0, 0) and not top.happened("battle")
    top = Tabletop(3).put(1, 0, 1).put(0, 48).forward(0, 4)
    assert top.at(0) == (0, 1) and not top.happened("battle")


@pytest.mark.clause("B1")
def test_ships_meet_whatever_their_laps():
    top = Tabletop(3).put(0, 0).put(1, 49, 0).combat_die(4).backward(0, 1)
    assert top.at(0) == (49, -1)
    assert top.happened("battle")[0]["defender"] == 1


@pytest.mark.clause("B1")
def test_a_ship_alone_fights_nobody():
    assert not meet().put(1, LAIR + 1).forward(0, 1).happened("battle")


@pytest.mark.clause("B2")
@pytest.mark.parametrize("powder", [0, 1, 6, 8])
def test_strength_of_the_attacker(powder):
    assert end(fight(6, 2, attack=powder)) == (0, 6 + powder, 2)


@pytest.mark.clause("B2")
def test_the_attacker_may_commit_any_number():
    [question] = fight(4, 8).asked("attack_powder")
    assert question.legal == set(range(9))
    assert question.view["attack_face"] == 0  # before the roll


@pytest.mark.clause("B2")
def test_without_gunpowder_nobody_is_asked():
    top = meet().combat_die(4).forward(0, 1)
    assert [event["amount"] for event in top.happened("powder")] == [0, 0]
    assert not top.asked("attack_powder") and not top.asked("defence_powder")


@pytest.mark.clause("B3")
def test_a_star_of_the_attacker_wins_at_once():
    top = fight("star", defence=8)
    assert end(top) == (0, None, None)
    assert [event["ship"] for event in top.happened("powder")] == [0]
    assert not top.asked("defence_powder")
    assert top.stock(1, "gunpowder") == 8
    assert top.state["stars"][:2].tolist() == [1, 0]


@pytest.mark.clause("B4")
def test_the_defender_knows_the_strength_of_the_attacker():
    [question] = fight(6, 2, attack=3, powers=((LADY_BETH,), ())).asked("defence_powder")
    assert question.player == 1 and question.legal == set(range(9))
    assert question.view["attack_strength"] == 11


@pytest.mark.clause("B4")
def test_a_star_of_the_defender_wins_whatever_the_strength_of_the_attacker():
    top = fight(10, "star", attack=8)
    assert end(top) == (1, 18, None)
    assert top.state["stars"][:2].tolist() == [0, 1]


@pytest.mark.clause("B4")
def test_the_defender_adds_gunpowder_too():
    assert end(fight(6, 2, defence=7)) == (1, 6, 9)


@pytest.mark.clause("B5")
@pytest.mark.parametrize(
    ("rolls", "attack", "defence", "winner"),
    [
        ((8, 6), 0, 0, 0),
        ((6, 8), 0, 0, 1),
        ((6, 6), 1, 0, 0),
        ((6, 6), 0, 1, 1),
        ((10, 2), 0, 7, 0),
        ((2, 10), 7, 0, 1),
    ],
)
def test_higher_strength_wins(rolls, attack, defence, winner):
    top = fight(*rolls, attack=attack, defence=defence)
    assert end(top) == (winner, rolls[0] + attack, rolls[1] + defence)
    assert [event["ship"] for event in top.happened("loot")] == [winner]


@pytest.mark.clause("B5")
@pytest.mark.parametrize(("rolls", "defence"), [((10, 10), 0), ((10, 2), 8)])
def test_equal_strength_nothing_happens(rolls, defence):
    top = fight(*rolls, defence=defence)
    assert end(top) == (None, 10, 10)
    assert not top.happened("loot") and not top.asked("choose_loot")
    assert top.state["battles_won"][:2].tolist() == [0, 0]


@pytest.mark.clause("B6")
@pytest.mark.parametrize("rolls", [(10, 2), (2, 10), (6, 8), ("star",), (10, "star")])
def test_committed_gunpowder_is_spent_in_every_case(rolls):
    top = fight(*rolls, attack=5, defence=3)
    assert top.stock(0, "gunpowder") == 3
    assert top.stock(1, "gunpowder") == (8 if rolls == ("star",) else 5)


@pytest.mark.clause("B6")
@pytest.mark.parametrize(
    ("amount", "left"),
    [
        (1, [("gunpowder", 4), ("gunpowder", 1), None, None, ("gunpowder", 2), ("gunpowder", 2)]),
        (2, [("gunpowder", 4), None, None, None, ("gunpowder", 2), ("gunpowder", 2)]),
        (3, [("gunpowder", 4), None, None, None, ("gunpowder", 1), ("gunpowder", 2)]),
        (5, [("gunpowder", 4), None, None, None, None, ("gunpowder", 1)]),
        (7, [("gunpowder", 3), None, None, None, None, None]),
    ],
)
def test_gunpowder_leaves_the_smallest_holds_first(amount, left):
    """Ordinary holds come before the 6th among equals."""
    top = meet().give(0, SIXTH_HOLD).combat_die(4)
    top.stow(0, ("gunpowder", 4), ("gunpowder", 2), None, None, ("gunpowder", 2), ("gunpowder", 2))
    top.script(0, attack_powder=amount).forward(0, 1)
    assert top.holds(0) == left
    assert not top.asked("hold_to_pay")


@pytest.mark.clause("B6")
def test_a_smaller_sixth_hold_comes_first():
    top = meet().give(0, SIXTH_HOLD).combat_die(4)
    top.stow(0, ("gunpowder", 2), None, None, None, None, ("gunpowder", 1)).script(0, attack_powder=1).forward(0, 1)
    assert top.holds(0) == [("gunpowder", 2), None, None, None, None, None]


# Saran's Sabre


@pytest.mark.clause("B7", "R2")
def test_the_own_roll_again():
    top = fight(4, 8, 6, powers=((SABRE,), ()), sabre=([REROLL], []), faces=(4, 6, 8))
    assert end(top) == (0, 8, 6)
    assert top.happened("sabre") == [{"event": "sabre", "ship": 0, "of": 0}]
    assert [event["ship"] for event in top.happened("roll")] == [0, 0, 1]


@pytest.mark.clause("B7", "R2")
def test_the_roll_of_the_opponent_again():
    top = fight(8, 4, 6, powers=((), (SABRE,)), sabre=([], [REROLL]), faces=(4, 6, 8))
    assert end(top) == (1, 4, 6)
    assert top.happened("sabre") == [{"event": "sabre", "ship": 1, "of": 0}]


@pytest.mark.clause("B7", "R2")
def test_a_star_again():
    top = fight("star", 4, 8, powers=((), (SABRE,)), sabre=([], [REROLL]), faces=(-1, 4, 8))
    assert end(top) == (1, 4, 8)
    assert top.state["stars"][:2].tolist() == [0, 0]


@pytest.mark.clause("B7", "R2")
def test_the_second_result_stands_even_if_worse():
    top = fight("star", 4, 8, powers=((SABRE,), ()), sabre=([REROLL], []), faces=(-1, 4, 8))
    assert end(top) == (1, 4, 8)


@pytest.mark.clause("B7")
def test_the_roll_of_the_defender_again():
    top = fight(6, "star", 4, powers=((SABRE,), ()), sabre=([KEEP, REROLL], []), faces=(-1, 4, 6))
    assert end(top) == (0, 6, 4)
    assert top.happened("sabre") == [{"event": "sabre", "ship": 0, "of": 1}]


@pytest.mark.clause("B7")
def test_the_roller_may_add_no_gunpowder():
    top = fight(4, 4, 6, attack=2, powers=((SABRE,), ()), sabre=([REROLL], []), faces=(4, 6))
    assert end(top) == (None, 6, 6)
    assert [(event["ship"], event["amount"]) for event in top.happened("powder")] == [(0, 2), (1, 0)]
    assert len(top.asked("attack_powder")) == 1


@pytest.mark.clause("B7")
def test_once_in_a_battle():
    top = fight(4, 4, 6, powers=((SABRE,), ()), sabre=([REROLL, REROLL], []), faces=(4, 6))
    assert len(top.asked("use_sabre")) == 1
    assert len(top.happened("sabre")) == 1


@pytest.mark.clause("B7")
def test_kept_after_one_roll_it_is_offered_after_the_next():
    top = fight(4, 6, powers=((SABRE,), ()), sabre=([KEEP, KEEP], []), faces=(4, 6))
    assert [(question.player, question.legal) for question in top.asked("use_sabre")] == [(0, {0, 1})] * 2
    assert not top.happened("sabre")


@pytest.mark.clause("B7")
def test_again_in_the_next_battle():
    top = fight(4, 4, 6, powers=((SABRE,), ()), sabre=([REROLL, REROLL], []), faces=(4, 6))
    top.put(0, LAIR - 1).forward(0, 1)
    assert len(top.happened("sabre")) == 1


@pytest.mark.clause("B7")
def test_of_no_use_to_a_ship_that_is_not_in_the_battle():
    top = meet().give(2, SABRE).combat_die(4).forward(0, 1)
    assert not top.asked("use_sabre")


# Lady Beth


@pytest.mark.clause("R3", "B2")
def test_lady_beth_adds_two():
    assert end(fight(6, 6, powers=((LADY_BETH,), ()))) == (0, 8, 6)
    assert end(fight(6, 6, powers=((), (LADY_BETH,)))) == (1, 6, 8)


@pytest.mark.clause("R3")
def test_lady_beth_has_no_effect_on_a_star():
    assert end(fight("star", powers=((), (LADY_BETH,)))) == (0, None, None)
    assert end(fight(10, "star", attack=8, powers=((LADY_BETH,), ()))) == (1, 20, None)


@pytest.mark.clause("R3")
def test_point_treasures_do_not_fight():
    assert end(fight(6, 6, powers=((PLUS_7,), ()))) == (None, 6, 6)


@pytest.mark.clause("C5", "B2")
def test_every_face_can_come_up():
    faces = set()
    until(lambda top: faces.update(top.rolls) or len(faces) == 6, lambda game: meet(game).forward(0, 1))
    assert faces == {2, 4, 6, 8, 10, "star"}
