"""Turns a `Rules` object and the components into the one record of numbers and arrays that the engine reads."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from jamaica_sim.codes import FOOD, FORWARD, GOLD, LAIR, MAX_COST, PORT, RESOURCES, RETREATS, SEA, STAYS, SYMBOLS
from jamaica_sim.components import CombatFace, Components, red_line, treasures
from jamaica_sim.components.course import Board
from jamaica_sim.engine import board
from jamaica_sim.engine.machine.hold_word import no_cargo
from jamaica_sim.engine.machine.record import Numbers
from jamaica_sim.engine.state import (
    ACTION_BITS,
    HALF,
    MOST_FORESEEN,
    ODDS_REACH,
    RULES_DTYPE,
    STAR,
    SYMBOL_COUNTS,
)
from jamaica_sim.rules import Rules

Rulebook = Any  # the record; mypy does not know its fields
UNLIMITED = 1 << 40
NO_FORK = -1

# The treasures whose power the engine plays, by the name on the card.
POWER_NAMES = {
    "morgans_map": "Morgan's Map",
    "sarans_sabre": "Saran's Sabre",
    "lady_beth": "Lady Beth",
    "sixth_hold": "6th Hold",
}
# What luck is worth, see `fortune.py`: points and sixtieths of a point.
POINTS_OF_POWER = 2
FORTUNE_OF_POINT = 60
MOST_FORTUNE = 1200  # of one card, so that the fortune of a game fits into 16 bits
FORTUNE_OF_BATTLE = 36  # a battle won instead of drawn, for each unit of the stake
FORTUNE_OF_STEP = 40
# What strategies assume about an attack.
SURE_OF_TWO = 2.0  # doubloons' worth that an attacker can take from any ship
USUAL_POWDER = 3  # gunpowder that an attacker brings
POWDER_THAT_DETERS = 12
# Fields of the rulebook that are fields or properties of `Rules`.
SAME_NAMES = [name for name in RULES_DTYPE.names or () if hasattr(Rules, name)]


def combat_odds(combat_die: Sequence[CombatFace]) -> tuple[npt.ArrayLike, ...]:
    """Four arrays of chances (B2 to B5).

    First that the attacker wins, then that the defender wins, by the attacker's advantage in gunpowder and Lady Beth.
    Then the chance to roll a star or more than a number, and the chance to roll exactly that number.
    """
    faces = [face.strength for face in combat_die]
    share = 1 / len(faces)
    attack, defence = np.zeros(2 * ODDS_REACH + 1), np.zeros(2 * ODDS_REACH + 1)
    for advantage in range(-ODDS_REACH, ODDS_REACH + 1):
        for first in faces:
            for second in faces:
                attack[ODDS_REACH + advantage] += share**2 * (
                    first is None or (second is not None and first + advantage > second)
                )
                defence[ODDS_REACH + advantage] += share**2 * (
                    first is not None and (second is None or first + advantage < second)
                )
    numbers = range(ODDS_REACH + 1)
    over = [share * sum(face is None or face > number for face in faces) for number in numbers]
    equal = [share * sum(face == number for face in faces) for number in numbers]
    return attack, defence, over, equal


def _set(members: Iterable[int]) -> int:
    return sum(1 << int(member) for member in members)


def _sizes(sets: Numbers) -> Any:
    """How many members each of an array of sets has."""
    return np.unpackbits(sets[..., None].view(np.uint8), axis=-1).sum(axis=-1)


def rulebook_of(rules: Rules) -> npt.NDArray[np.void]:
    """The rules as an array of one record; pass `rulebooks[0]` to the engine."""
    rulebooks = _components(rules.components, rules.shortage_by_die).copy()
    record = rulebooks[0]
    _write_numbers(record, rules)
    if rules.ghost:
        record["treasures_in_game"] &= ~record["lady_beth"]  # G1
    _write_reach(record, sorted(set(rules.action_die)))
    if rules.house_rules is not None:
        record["printed"] = 1  # until its code is in force
        values = [parameter.value for parameter in rules.house_rules.parameters]
        record["parameters"][: len(values)] = values
    return rulebooks


@lru_cache(maxsize=64)
def _components(components: Components, shortage_by_die: bool) -> npt.NDArray[np.void]:
    """The record with the fields that depend on the components and the edition alone."""
    rulebooks = np.zeros(1, RULES_DTYPE)
    record = rulebooks[0]
    _write_board(record, components.board)
    _write_cards(record, components)
    _write_reckoning(record, components)
    _write_arrivals(record, shortage_by_die)
    return rulebooks


def _write_numbers(record: Rulebook, rules: Rules) -> None:
    """Write the rules' numbers: copy the fields of the same name, compute the others."""
    for name in SAME_NAMES:
        if not name.startswith("start_") or name == "start_score":
            record[name] = getattr(rules, name)
    for number, resource in enumerate(RESOURCES):
        goods = rules.start_goods(resource)
        record[f"start_{resource}"] = min(goods)
        record["seat_goods"][: rules.players, number] = np.subtract(goods, min(goods))
    record["left"][: rules.players] = [(player + 1) % rules.players for player in range(rules.players)]
    record["ghost"] = rules.players if rules.ghost else -1
    record["hold_slots"] = (1 << rules.holds) - 1
    record["no_cargo"] = no_cargo(rules.holds)
    record["die_faces"] = len(rules.action_die)
    record["die_face"][: len(rules.action_die)] = rules.action_die
    half = len(rules.action_die) // 2
    record["die_face_later"][: len(rules.action_die)] = rules.action_die[half:] + rules.action_die[:half]
    record["points"][0] = rules.start_score
    record["bank"] = rules.bank if rules.limited_bank else UNLIMITED


def _write_board(record: Rulebook, spaces: Board) -> None:
    forward, backward = board.next_spaces(spaces), board.previous_spaces(spaces)
    kinds, costs = board.kinds(spaces), [space.cost for space in spaces]
    many = slice(len(spaces))  # the arrays have room for larger boards
    record["spaces"], record["most_cost"] = len(spaces), max(costs)
    record["red_line"] = red_line.first_beyond(spaces)
    record["space_kind"][many] = kinds
    record["cost"][many] = costs
    record["currency"][many] = np.where(kinds == PORT, GOLD, FOOD)
    record["score"][many] = [space.score for space in spaces]
    record["to_finish"][many] = board.lengths_to_finish(spaces)
    record["circuit"] = record["to_finish"][0]
    record["far"] = record["circuit"] - record["to_finish"]
    record["points"] = record["score"]
    record["forward_finish"][many] = board.destinations(forward, stop_at_port_royal=True)
    record["forward_pass"][many] = board.destinations(forward)
    record["backward"][many] = board.destinations(backward)
    record["ends"] = [record[way].T for way in ("forward_finish", "forward_pass", "backward")]
    record["previous"][many] = [_set(previous) for previous in backward]
    record["lairs"] = _set(np.flatnonzero(kinds == LAIR))
    record["free_spaces"] = _set(i for i, cost in enumerate(costs) if cost == 0)
    record["payable_port"] = board.payable(spaces, PORT, MOST_FORESEEN)
    record["payable_sea"] = board.payable(spaces, SEA, MOST_FORESEEN)
    stocks = slice(max(costs) + 1)
    record["first_payable"][stocks, stocks, many] = board.first_payable_behind(spaces, max(costs))
    record["nearest_behind"][:, many] = board.nearest_behind(spaces)
    record["fork_crossed"] = NO_FORK
    record["fork_crossed"][many], record["outer_ends"][many] = board.lanes_taken(spaces)
    record["passages"] = board.NO_PASSAGE
    for way, ends in enumerate(("forward_finish", "forward_pass")):  # no lane is counted on the way back
        record["passages"][way] = board.passages(record[ends], record["fork_crossed"], record["outer_ends"]).T


def _write_reach(record: Rulebook, faces: list[int]) -> None:
    """Write how far one die reaches, for strategies."""
    record["reached_from"] = np.bitwise_or.reduce(record["backward"][:, faces], axis=1)
    record["ahead"] = np.bitwise_or.reduce(record["forward_finish"][:, faces], axis=1)
    record["ahead_share"] = [1 / max(spaces.bit_count(), 1) for spaces in record["ahead"].tolist()]
    record["attacked_from"][1:] = record["reached_from"][1:]  # B1: not in Port Royal
    gold, food = record["payable_port"][: MAX_COST + 1], record["payable_sea"][: MAX_COST + 1]
    payable = record["free_spaces"] | gold[:, None] | food
    ahead, unpayable = _sizes(record["ahead"]), _sizes(record["ahead"] & ~payable[..., None])
    record["risk_number"] = ((len(ahead) + 1) * ahead + unpayable).ravel()


def _write_reckoning(record: Rulebook, components: Components) -> None:
    """Write chances, falls, prizes and counts of symbols for strategies, and the fortune of every draw."""
    retreats = record["die_retreat"][: record["combat_faces"]].tolist()
    fall = {kind: _falls(record, kind) for kind in set(retreats)}
    record["expected_fall"][: record["spaces"]] = np.mean([fall[kind] for kind in retreats], axis=0)
    odds = ("attack_odds", "defence_odds", "odds_over", "odds_equal")
    for field, values in zip(odds, combat_odds(components.combat_die), strict=True):
        record[field] = values
    powder = np.arange(MOST_FORESEEN + 1)
    record["usual_attack"] = record["attack_odds"][ODDS_REACH + USUAL_POWDER - np.minimum(powder, POWDER_THAT_DETERS)]
    record["attack_prize"] = SURE_OF_TWO + 0.5 * np.arange(MOST_FORESEEN + 1)
    _write_fortune(record, components, [fall[kind] for kind in retreats])
    record["outer_lanes"] = _set(space for outer, _ in board.lane_spaces(components.board) for space in outer)
    record["forward_symbols"] = (record["card_symbol"] == FORWARD).sum(axis=1)
    record["load_symbols"] = (record["card_symbol"] < FORWARD).sum(axis=1)
    deck = len(components.action_cards)
    hands = np.arange(1 << deck)[:, None] >> np.arange(deck) & 1
    symbols = SYMBOL_COUNTS * record["forward_symbols"] + record["load_symbols"]
    record["hand_symbols"][: 1 << deck] = hands @ symbols[:deck]
    face_down = [card.value for card in components.treasures if card.kind != "power" and card.in_game]
    record["mean_treasure"] = np.mean(face_down) if face_down else 0.0


def _write_fortune(record: Rulebook, components: Components, falls: list[list[int]]) -> None:
    """Write the fortune of every draw (`fortune.py`); `falls` has the steps that a shortage costs, by face and space.

    The values were fitted to the wins of several pairs of strategies. Other values would be as fair, but save fewer
    games.
    """
    faces = [face.strength for face in components.combat_die]
    values = [POINTS_OF_POWER if card.kind == "power" else card.value for card in components.treasures]
    record["treasure_worth"] = values
    for half in range(2):
        worths = values[half * HALF : (half + 1) * HALF]
        record["worth_of_half"][half] = (np.arange(1 << HALF)[:, None] >> np.arange(HALF) & 1) @ worths
    of_point = min(FORTUNE_OF_POINT, MOST_FORTUNE // max(1, *map(abs, values)))
    record["fortune_share"][1:] = of_point // np.arange(1, len(values) + 1)
    for advantage in range(-ODDS_REACH, ODDS_REACH + 1):
        defence = [_outcome(face, advantage, 0) for face in faces]
        attack = [sum(_outcome(face, advantage, other) for other in faces) / len(faces) for face in faces]
        fortunes = record["battle_fortune"][:, ODDS_REACH + advantage, : len(faces)]
        fortunes[:] = _booked(attack, FORTUNE_OF_BATTLE), _booked(defence, FORTUNE_OF_BATTLE)
    for space, steps in enumerate(zip(*falls, strict=True)):
        record["fall_fortune"][space, : len(faces)] = _booked(steps, -FORTUNE_OF_STEP)


def _outcome(face: int | None, advantage: int, other: int | None) -> int:
    """1 where `face` wins against `other`, -1 where it loses, 0 for a tie. None is a star; of two stars `face` wins."""
    if face is None or other is None:
        return 1 if face is None else -1
    return (face + advantage > other) - (face + advantage < other)


def _booked(outcomes: Sequence[float], unit: int) -> npt.NDArray[np.float64]:
    """Equally likely outcomes less their mean, as whole numbers that add up to exactly zero."""
    exact = unit * (np.array(outcomes) - np.mean(outcomes))
    booked = np.floor(exact)
    most_lost = np.argsort(booked - exact, kind="stable")[: round(-booked.sum())]
    booked[most_lost] += 1
    return booked


def _write_arrivals(record: Rulebook, shortage_by_die: bool) -> None:
    """Write what strategies foresee of arrivals. Goods beyond the highest cost of any space make no difference."""
    many, stocks = slice(record["spaces"]), slice(record["most_cost"] + 1)
    cost, currency, to_finish = (record[name][many] for name in ("cost", "currency", "to_finish"))
    first_payable = record["first_payable"][stocks, stocks, many]
    found = board.arrivals(cost, currency, to_finish, record["lairs"], first_payable, shortage_by_die)
    enough = np.minimum(np.arange(MAX_COST + 1), record["most_cost"])
    record["arrivals"].reshape(MAX_COST + 1, MAX_COST + 1, -1)[..., many] = found[enough][:, enough]
    # Goods beyond what any space costs share a row. The fewer rows are in use, the more of them stay in the cache.
    for field, resource, rows in (("gold_row", GOLD, MAX_COST + 1), ("food_row", FOOD, 1)):
        most = record["cost"][record["currency"] == resource].max(initial=0)
        record[field] = np.minimum(np.arange(MOST_FORESEEN + 1), most) * rows * len(record["cost"])
    record["fall_steps"] = board.falls(record["expected_fall"][many], shortage_by_die)


def _falls(record: Rulebook, kind: int) -> list[int]:
    """For each space, the steps lost by a retreat to the nearest space of a kind, by the best route."""
    to_finish = record["to_finish"][: record["spaces"]].tolist()
    falls = [0] * len(to_finish)
    if kind != STAYS:
        for space, behind in enumerate(record["nearest_behind"][kind, : record["spaces"]].tolist()):
            if space > 0:
                falls[space] = min(to_finish[s] - to_finish[space] for s in range(len(to_finish)) if behind >> s & 1)
    return falls


def _write_cards(record: Rulebook, components: Components) -> None:
    deck, cards, faces = components.action_cards, components.treasures, components.combat_die
    record["card_symbol"][: len(deck)] = [[SYMBOLS.index(c.morning), SYMBOLS.index(c.evening)] for c in deck]
    record["card_actions"] = record["card_symbol"] @ [1, 1 << ACTION_BITS]
    record["all_cards"] = _set(range(len(deck)))  # every ship's
    record["treasure_value"] = [card.value for card in cards]
    record["power_cards"] = _set(i for i, card in enumerate(cards) if card.kind == "power")
    record["cursed_cards"] = _set(i for i, card in enumerate(cards) if card.kind == "cursed")
    for field, name in POWER_NAMES.items():
        record[field] = _set(i for i, card in enumerate(cards) if card.name == name)
    names = dict.fromkeys(card.name for card in treasures())
    record["copies"][: len(names)] = [_set(i for i, card in enumerate(cards) if card.name == name) for name in names]
    record["treasures_in_game"] = _set(i for i, card in enumerate(cards) if card.in_game)
    record["combat_faces"] = len(faces)
    many = slice(len(faces))
    record["die_strength"][many] = [STAR if face.strength is None else face.strength for face in faces]
    record["die_retreat"][many] = [RETREATS[face.shortage_symbol] for face in faces]
