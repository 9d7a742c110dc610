"""The parametric heuristic: small situations in which the right choice is plain, and every weight counts for something.

A situation is a view laid out by hand; nothing is played for it.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tabletop import LADY_BETH, MINUS_2, MINUS_3, MINUS_4, PLUS_5, PLUS_7, SABRE, bits, card, packed

from jamaica_sim.engine.decide import answer_again
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import NO_FACE, RESULT_DTYPE, STAR, STATE_DTYPE, VIEW_DTYPE
from jamaica_sim.game.codes import DECISIONS, LOOT_GIVE, LOOT_HIDDEN, LOOT_NOTHING, LOOT_POWER, RESOURCES
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.check import Examiner, Witness
from jamaica_sim.play.state_record import new_state, play
from jamaica_sim.strategy.compile import HEURISTIC
from jamaica_sim.strategy.heuristic.tables import weights_record
from jamaica_sim.strategy.heuristic.weights import NAMES, WEIGHTS
from jamaica_sim.strategy.library import load_strategy, strategy_from_text

AS_ROLLED, SWAPPED = 0, 1
KEEP, REROLL = 0, 1
GO_BACKWARD, GO_FORWARD = 0, 1
LAIR = 44  # the port behind it costs 7
SAILS, COFFERS = card("forward", "forward"), card("gold", "gold")

rulebook_for = cache(rulebook_of)


class Situation:
    """What one player sees. Ship 0 is its own; all ships start in mid-race, far apart, with empty holds."""

    def __init__(self, players=3, **rules):
        self.rules = Rules(players=players, **rules)
        self.views = np.zeros(1, VIEW_DTYPE)
        view = self.view
        view["stowage"], view["card"], view["played"], view["round"] = packed([], range(5)), -1, -1, 5
        for ship in range(self.rules.ships):
            self.put(ship, (20, 3, 36, 10, 31, 15)[ship])

    @property
    def view(self):
        return self.views[0]

    @property
    def ghost(self):
        return self.rules.players

    def put(self, ship, space, lap=0):
        self.view["space"][ship], self.view["lap"][ship] = space, lap
        self.view["occupants"] = 0
        for other in range(self.rules.ships):
            self.view["occupants"][self.view["space"][other]] |= 1 << other
        return self

    def stow(self, ship, *holds):
        """Fill the ship's holds: ("food", 3), or None for an empty one."""
        view = self.view
        view["stowage"][ship], view["stock"][ship] = packed(holds, range(5)), 0
        for resource, amount in filter(None, holds):
            view["stock"][ship, RESOURCES.index(resource)] += amount
        return self

    def lay(self, **fields):
        """Set other fields of the view."""
        for name, value in fields.items():
            self.view[name] = value
        return self

    def powers(self, ship, *treasures):
        self.view["powers"][ship] = bits(treasures)
        return self

    def ask(self, decision, legal, ship=0, weights=None, **changes):
        """The heuristic's answer, with the default weights except for these changes."""
        self.lay(decision=DECISIONS.index(decision), legal=bits(int(answer) for answer in legal), ship=ship)
        record = weights_record(**changes) if weights is None else weights
        state, answers = _state(), np.zeros(1, np.int64)
        address = HEURISTIC.address
        answer_again(self.views, state, rulebook_for(self.rules), record.ctypes.data, address, answers)
        assert int(answers[0]) in legal
        return int(answers[0])

    def choose_card(self, hand, dice=(3, 3), **changes):
        return self.lay(hand=bits(hand), placed=dice, dice=dice).ask("choose_card", hand, **changes)


@cache
def _state():
    return np.zeros(1, STATE_DTYPE)


def nothing_but(**changes):
    """Weights that value nothing but these."""
    plain = {name: 1.0 for name in NAMES if name.startswith("loot_")} | {"stores_at_end": 1.0, "keep_until": 2.0}
    return weights_record(**{name: 0.0 for name in NAMES} | plain | {"horizon": 1.0, "plenty": 4.0} | changes)


# The turn


def test_with_all_else_equal_it_takes_the_treasure():
    fork = Situation().put(0, 19).stow(0, ("food", 6), ("gold", 6))
    fork.lay(tokens=bits([22]), card=SAILS, placed=(3, 3))
    assert fork.ask("choose_space", {22, 28}, weights=nothing_but(treasure=1)) == 22
    assert fork.ask("choose_space", {22, 28}, weights=nothing_but(treasure=-1)) == 28
    wait = Situation().put(0, 43).lay(tokens=bits([LAIR]))
    to_lair, past_it = card("food", "forward"), card("gold", "forward")
    for hand in ({to_lair, COFFERS}, {past_it, COFFERS}):
        assert wait.choose_card(hand, (4, 1), weights=nothing_but(treasure=1)) == (hand - {COFFERS}).pop()
        assert wait.choose_card(hand, (4, 1), weights=nothing_but(treasure=-1)) == COFFERS


def test_a_retreat_goes_back_as_little_as_possible_unless_a_treasure_lies_there():
    lost = Situation().put(0, 15)
    assert lost.ask("choose_retreat", {11, 14}) == 14
    assert lost.lay(tokens=bits([11])).ask("choose_retreat", {11, 14}) == 11


def test_as_captain_it_sails_with_the_die_that_it_can_pay_for():
    captain = Situation().put(0, 43).lay(hand=bits([card("gold", "forward")]), tokens=bits([LAIR]))
    assert captain.lay(dice=(1, 2)).ask("place_dice", {AS_ROLLED, SWAPPED}) == SWAPPED
    assert captain.lay(dice=(2, 1)).ask("place_dice", {AS_ROLLED, SWAPPED}) == AS_ROLLED


def test_it_sails_where_it_can_pay_and_loads_where_it_cannot():
    lair = Situation().put(0, 25).put(1, 3).put(2, 3)
    onward, stores = card("forward", "gunpowder"), card("gunpowder", "food")
    assert lair.stow(0, ("gold", 3)).choose_card({onward, stores}, (4, 1)) == onward  # a port that costs 3
    assert lair.stow(0).choose_card({onward, stores}, (4, 1)) == stores


def test_a_shortage_costs_what_it_does_in_the_edition_in_force():
    """From a lair to the next port without doubloons: back to the lair in 2007, further on average in 2021."""
    onward, stay = card("forward", "gunpowder"), card("gunpowder", "gold")

    def chosen(edition, fall):
        broke = Situation(edition=edition).put(0, LAIR).put(2, 5)
        return broke.choose_card({onward, stay}, (1, 5), weights=nothing_but(progress=1, gunpowder=2, fall=fall))

    assert chosen("2007", fall=1) == onward
    assert chosen("2021", fall=1) == stay
    assert chosen("2021", fall=0) == onward


def test_near_the_end_it_wants_to_be_past_the_red_line():
    last = Situation().put(0, 40).stow(0, ("food", 6), ("gold", 5)).put(2, 49)
    assert last.choose_card({card("forward", "food"), COFFERS}, (2, 2)) == card("forward", "food")
    early = Situation().put(0, 5).stow(0, ("food", 6), ("gold", 5)).put(1, 3).put(2, 3)
    assert early.choose_card({card("forward", "backward"), COFFERS}, (2, 2)) == COFFERS


def test_it_comes_home_when_ahead_and_rather_loads_gold_when_far_behind():
    home = Situation().put(0, 48).stow(0, ("gold", 6), ("food", 6)).put(1, 30).put(2, 30)
    assert home.choose_card({SAILS, COFFERS}) == SAILS
    home.stow(1, ("gold", 20), ("gold", 20))
    assert home.choose_card({SAILS, COFFERS}, patience=5) == COFFERS
    assert home.choose_card({SAILS, COFFERS}, patience=0) == SAILS


# Holds


def test_it_pays_from_the_smallest_hold():
    ship = Situation().stow(0, ("food", 5), ("gold", 1), ("food", 2), ("food", 4)).lay(resource=1, amount=2)
    assert ship.ask("hold_to_pay", {0, 2, 3}) == 2
    assert ship.ask("hold_to_pay", {0, 3}) == 3


def test_it_throws_overboard_what_it_misses_least():
    ship = Situation().stow(0, ("gold", 6), ("gunpowder", 1), ("food", 2), ("gold", 5), ("gold", 4))
    assert ship.lay(resource=0, amount=6).ask("hold_to_empty", {1, 2}) == 1
    assert ship.ask("hold_to_empty", {0, 3, 4}) == 4


# Battle


def test_it_attacks_the_richer_and_the_weaker_ship():
    sea = Situation().put(0, 20).put(1, 20).put(2, 20).stow(1, ("gold", 2)).stow(2, ("gold", 6))
    assert sea.ask("choose_target", {1, 2}) == 2
    sea.stow(2, ("gold", 6), ("gunpowder", 8)).stow(1, ("gold", 6))
    assert sea.ask("choose_target", {1, 2}) == 1
    sea.stow(2, ("gold", 6)).powers(1, LADY_BETH)
    assert sea.ask("choose_target", {1, 2}, lady_beth=0) == 2


def test_it_spends_no_gunpowder_where_it_cannot_matter():
    sea = Situation().stow(0, ("gunpowder", 3), ("gold", 6)).stow(1, ("gold", 6)).lay(attacker=1, defender=0)
    assert sea.lay(attack_face=10, attack_strength=30).ask("defence_powder", range(4)) == 0  # only a star can win
    poor = Situation().stow(0, ("gunpowder", 3)).lay(attacker=0, defender=1)
    assert poor.ask("attack_powder", range(4), weights=nothing_but(powder_price=0.01)) == 0  # nothing to win or to lose


def test_it_defends_as_far_as_the_roll_can_win_and_no_further():
    sea = Situation().stow(0, ("gunpowder", 9), ("gold", 6)).stow(1, ("gold", 6)).lay(attacker=1, defender=0)
    committed = sea.lay(attack_face=6, attack_strength=6).ask("defence_powder", range(10))
    assert 0 < committed <= 5  # with 5 every face wins
    sea.lay(attack_face=2, attack_strength=2)
    assert 0 < sea.ask("defence_powder", range(10), powder_price=0.01) <= 1
    sea.powers(0, LADY_BETH)
    assert sea.ask("defence_powder", range(10)) == 0


def test_it_attacks_with_more_the_more_there_is_to_win():
    sea = Situation().stow(0, ("gunpowder", 6)).stow(1, ("gold", 6)).lay(attacker=0, defender=1)
    rich = sea.ask("attack_powder", range(7))
    assert rich > sea.stow(1, ("gold", 1)).ask("attack_powder", range(7))


@pytest.mark.parametrize(
    ("holder", "faces", "answer"),
    [
        ("attacker", (STAR, NO_FACE), KEEP),
        ("attacker", (10, NO_FACE), KEEP),
        ("attacker", (2, NO_FACE), REROLL),
        ("defender", (STAR, NO_FACE), REROLL),
        ("defender", (2, NO_FACE), KEEP),
        ("attacker", (8, STAR), REROLL),
        ("attacker", (8, 10), REROLL),
        ("attacker", (8, 4), KEEP),
        ("defender", (8, STAR), KEEP),
        ("defender", (8, 10), KEEP),
        ("defender", (8, 4), REROLL),
        ("defender", (10, 10), KEEP),
        ("attacker", (2, 2), KEEP),
    ],
)
def test_the_sabre_repeats_what_would_lose_and_keeps_what_wins(holder, faces, answer):
    attack, defence = faces
    me = {"attacker": 0, "defender": 1}[holder]
    sea = Situation().lay(me=me, attacker=0, defender=1, attack_face=attack, defence_face=defence).powers(me, SABRE)
    sea.lay(attack_strength=max(attack, 0), defence_strength=max(defence, 0))
    assert sea.ask("use_sabre", {KEEP, REROLL}, ship=me) == answer


# Loot


def test_it_takes_the_most_gold():
    sea = Situation().stow(1, ("gold", 2), ("gold", 6), ("food", 1), ("gunpowder", 1)).lay(winner=0, loser=1)
    assert sea.ask("choose_loot", {0, 1, 2, 3, LOOT_NOTHING}) == 1


def test_it_takes_food_when_it_has_none_and_the_power_that_it_values():
    sea = Situation().stow(1, ("gold", 1), ("food", 6)).lay(winner=0, loser=1).powers(1, SABRE, LADY_BETH)
    powers = {LOOT_POWER + SABRE, LOOT_POWER + LADY_BETH}
    assert sea.ask("choose_loot", {0, 1, LOOT_NOTHING} | powers) == 1
    assert sea.ask("choose_loot", {0, LOOT_NOTHING} | powers, lady_beth=9) == LOOT_POWER + LADY_BETH
    assert sea.ask("choose_loot", {0, LOOT_NOTHING} | powers, sarans_sabre=9) == LOOT_POWER + SABRE


def test_it_gives_its_worst_cursed_card_rather_than_nothing():
    sea = Situation().lay(winner=0, loser=1, treasures=bits([MINUS_2, MINUS_3, MINUS_4]))
    gifts = {LOOT_GIVE + treasure for treasure in (MINUS_2, MINUS_3, MINUS_4)}
    assert sea.ask("choose_loot", gifts | {LOOT_NOTHING}) == LOOT_GIVE + MINUS_4


def test_it_gives_the_ghost_nothing_of_worth():
    sea = Situation(ghost=True).lay(winner=0, loser=3, treasures=bits([PLUS_5, MINUS_2])).powers(0, SABRE)
    gifts = {LOOT_GIVE + treasure for treasure in (PLUS_5, MINUS_2, SABRE)}
    assert sea.ask("choose_loot", gifts | {LOOT_NOTHING}) == LOOT_GIVE + MINUS_2
    assert sea.ask("choose_loot", {LOOT_GIVE + PLUS_5, LOOT_GIVE + SABRE, LOOT_NOTHING}) == LOOT_NOTHING


def test_it_remembers_which_card_it_gave_away():
    sea = Situation().lay(winner=0, loser=1)
    sea.view["face_down"][1] = 1
    assert sea.ask("choose_loot", {LOOT_HIDDEN, LOOT_NOTHING}) == LOOT_HIDDEN
    sea.view["known"][1] = bits([MINUS_4])
    assert sea.ask("choose_loot", {LOOT_HIDDEN, LOOT_NOTHING}) == LOOT_NOTHING
    sea.view["known"][1] = bits([PLUS_7])
    assert sea.ask("choose_loot", {LOOT_HIDDEN, LOOT_NOTHING}) == LOOT_HIDDEN


def test_a_load_that_throws_more_overboard_than_it_brings_is_not_loot():
    full = Situation().stow(0, *[("gold", 6)] * 5).stow(1, ("food", 1)).lay(winner=0, loser=1)
    assert full.ask("choose_loot", {0, LOOT_NOTHING}, food=1, deny=0) == LOOT_NOTHING


# The ghost ship


def ghost_scene(**places):
    """The ghost between the own ship and a richer one."""
    sea = Situation(ghost=True, players=3)
    sea.stow(0, ("gold", 3)).stow(1, ("gold", 6)).stow(2, ("gold", 2))
    for ship, space in {"own": 20, "leader": 24, "last": 3, "ghost": 22, **places}.items():
        sea.put({"own": 0, "leader": 1, "last": 2, "ghost": 3}[ship], space)
    return sea.lay(placed=(2, 2), dice=(2, 2), when=0)


def test_the_ghost_is_turned_against_others():
    assert ghost_scene().ask("ghost_direction", {GO_BACKWARD, GO_FORWARD}, ship=3) == GO_FORWARD
    assert ghost_scene(own=24, leader=20).ask("ghost_direction", {GO_BACKWARD, GO_FORWARD}, ship=3) == GO_BACKWARD
    assert ghost_scene(own=24, leader=20).ask("ghost_space", {20, 24}, ship=3) == 20
    assert ghost_scene(own=20, leader=24).ask("ghost_space", {20, 24}, ship=3) == 24


def test_the_ghost_attacks_the_leader_and_not_oneself():
    scene = ghost_scene(own=22, leader=22, last=22)
    assert scene.ask("ghost_target", {0, 1, 2}, ship=3) == 1
    assert scene.ask("ghost_target", {0, 2}, ship=3) == 2


def test_the_ghost_takes_what_hurts_most_and_nothing_from_oneself():
    scene = ghost_scene().stow(1, ("food", 1), ("gold", 6), ("gold", 2)).lay(winner=3, loser=1)
    assert scene.ask("ghost_loot", {0, 1, 2, LOOT_NOTHING}, ship=3) == 1
    own = ghost_scene().stow(0, ("food", 1), ("gold", 6)).lay(winner=3, loser=0)
    assert own.ask("ghost_loot", {0, 1, LOOT_NOTHING}, ship=3) == LOOT_NOTHING


# Weights


GAMES = 120
ARENAS = (Rules(players=4), Rules(players=3, edition="2021", ghost=True), Rules(players=2))


def scores(text):
    """The scores of some games at several tables, everybody with these weights."""
    strategy, found = strategy_from_text(text, Path("weights.toml")), []
    for rules in ARENAS:
        seats = [strategy] * rules.players
        rows = np.zeros(GAMES, RESULT_DTYPE)
        play(new_state(seats, rules), rulebook_for(rules), seats, 3, 0, rows)
        found.append(rows["score"].copy())
    return np.concatenate(found)


@pytest.mark.parametrize("weight", WEIGHTS, ids=NAMES)
def test_every_weight_counts(weight):
    """With a weight at either end of its range, some of a few hundred games end differently."""
    needed = "keep_forward_forward = 5\n" if weight.name == "keep_until" else ""
    low, high = (scores(f"[weights]\n{needed}{weight.name} = {end}\n") for end in (weight.low, weight.high))
    assert (low != high).any(axis=1).sum() > 1


def test_the_same_weights_play_the_same_games():
    assert (scores("") == scores("[weights]\n")).all()
    assert (scores("[weights]\nnoise = 5\n") == scores("[weights]\nnoise = 5\n")).all()


def test_noise_is_in_cards_and_spaces_alone(tmp_path):
    """On the same views, only these decisions are answered differently."""
    rules = Rules(players=4, ghost=True)
    views = Examiner(load_strategy("balanced")).captured_views(rules, games=600, room=60_000)
    (tmp_path / "wild.toml").write_text("[weights]\nnoise = 40\n")
    strategies = [load_strategy("balanced"), load_strategy(tmp_path / "wild.toml")]
    wavering = set()
    printed = DECISIONS[:-1]  # all but house_choice
    assert set(views["decision"]) == set(range(len(printed)))
    for number, decision in enumerate(printed):
        asked = views[views["decision"] == number]
        witnesses = [Witness(strategy, decision, rules, np.random.default_rng(1)) for strategy in strategies]
        calm, wild = (witness.answers(asked) for witness in witnesses)
        if (calm != wild).any():
            wavering.add(decision)
    assert wavering == {"place_dice", "choose_card", "choose_space"}
