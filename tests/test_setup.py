"""Setup (S1 to S3, G1): what every ship starts with, the treasure pile, decks, the first Captain."""

import pytest
from tabletop import CURSED, LADY_BETH, Tabletop, members

from jamaica_sim.game.rules import Rules, RulesError
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.trace import replay_table

LAIRS = {4, 9, 11, 19, 22, 25, 33, 37, 44}
EVERY_TABLE = [(2, True), (3, False), (3, True), (4, False), (4, True), (5, False), (5, True), (6, False)]


@pytest.mark.clause("S1")
@pytest.mark.parametrize(("players", "ghost"), EVERY_TABLE)
def test_players_start_with_food_and_doubloons(players, ghost):
    top = Tabletop(players, ghost=ghost)
    for player in range(players):
        assert top.holds(player) == [("food", 3), ("gold", 3), None, None, None]
        assert not top.powers(player) and not top.face_down(player)


@pytest.mark.clause("S1")
@pytest.mark.parametrize("players", [0, 1, 7, 4.0, True, "4"])
def test_other_numbers_of_players_are_refused(players):
    with pytest.raises(RulesError, match="players must be a whole number from 2 to 6"):
        Rules(players=players)


@pytest.mark.clause("S1")
def test_setup_clears_what_the_game_before_left():
    top = Tabletop(3)
    top.give(0, LADY_BETH, *CURSED).stow(0, ("gunpowder", 6)).put(0, 17, 0).play_round()
    fresh = Tabletop(3, game=9)
    questions = ("resource", "amount", "attacker", "defence_face", "winner", "loser", "plan", "when")
    for field in questions:
        top.state[field] = 1
    top._do(0, 5, 9)
    assert (top.state["unpacked"] == -1).all()  # no hold counts as unpacked yet, whatever is aboard
    ships = ("space", "lap", "to_go", "stowage", "powers", "hidden", "hands", "deck", "discard")
    for field in (*ships, "tokens", *questions):
        assert (top.state[field] == fresh.state[field]).all(), field


@pytest.mark.clause("S2")
@pytest.mark.parametrize("ghost", [False, True])
def test_pile_is_nine_of_the_treasures(ghost):
    in_game = set(range(12)) - ({LADY_BETH} if ghost else set())
    table, removed = seat_table(strategies="random", players=3, ghost=ghost, round_cap=1), set()
    for game in range(60):
        setup = replay_table(table, game)["setup"]
        assert len(setup["pile"]) == len(set(setup["pile"])) == 9
        assert set(setup["pile"]) | set(setup["removed"]) == in_game
        assert not set(setup["pile"]) & set(setup["removed"])
        removed |= set(setup["removed"])
    assert removed == in_game  # any card can leave the game unseen


@pytest.mark.clause("S2")
def test_every_lair_has_a_token():
    assert Tabletop().tokens() == LAIRS


@pytest.mark.clause("S3")
@pytest.mark.parametrize(("players", "ghost"), EVERY_TABLE)
def test_all_start_on_port_royal_with_three_cards(players, ghost):
    top = Tabletop(players, ghost=ghost)
    assert [top.at(ship) for ship in range(top.rules.ships)] == [(0, 0)] * top.rules.ships
    for player in range(players):
        assert len(members(top.state["hands"][player])) == 3
        assert top.state["discard"][player] == 0


@pytest.mark.clause("S3")
def test_players_shuffle_each_for_themselves():
    hands = {tuple(Tabletop(6, game=game).state["hands"].tolist()) for game in range(40)}
    assert len(hands) == 40
    assert all(len(set(hand)) > 1 for hand in hands)


@pytest.mark.clause("S3")
@pytest.mark.parametrize("players", range(2, 7))
def test_anyone_can_be_the_first_captain(players):
    captains = {int(Tabletop(players, game=game).state["captain"]) for game in range(100)}
    assert captains == set(range(players))


@pytest.mark.clause("G1")
@pytest.mark.parametrize("players", range(2, 6))
def test_ghost_starts_with_doubloons_and_lady_beth(players):
    top = Tabletop(players, ghost=True)
    assert top.at(top.ghost) == (0, 0)
    assert top.holds(top.ghost) == [("gold", 5), ("gold", 3), None, None, None]
    assert top.powers(top.ghost) == {LADY_BETH}


@pytest.mark.clause("G1")
def test_who_plays_with_the_ghost():
    assert Rules(players=2).ghost
    assert not any(Rules(players=players).ghost for players in range(3, 7))
    with pytest.raises(RulesError, match="two players always play with the ghost"):
        Rules(players=2, ghost=False)
    with pytest.raises(RulesError, match="2 to 5 players, not 6"):
        Rules(players=6, ghost=True)
