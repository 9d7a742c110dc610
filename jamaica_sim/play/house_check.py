"""Checks a file of house rules by playing: every stock, bank, card and ship must be in one place at the end of a game.

The games are played at random, which leads into every situation, and by a heuristic, at tables of several kinds. All
this happens on a watched thread, because a file that is still being checked may never end.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from jamaica_sim.engine.machine.hold_word import AMOUNT, HOLD_BITS, KIND_BITS
from jamaica_sim.game.codes import HOLDS, RESOURCES
from jamaica_sim.game.house_file import HouseRules, HouseRulesError, house_rules_in
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.chunks import Deputy, Tracer, in_order
from jamaica_sim.play.game_table import seat_table

TABLES = (
    {"players": 2},
    {"players": 4},
    {"players": 3, "edition": "2021", "ghost": True},
    {"players": 6, "edition": "2021", "limited_bank": True},
)
STRATEGIES = ("random", "balanced")
GAMES = 100  # at each table, by each strategy


@dataclass(frozen=True)
class Checked:
    """How many games were played at how many tables, and what the file did, on average a game."""

    games: int
    tables: int
    effects: dict[str, float]


def check_house_rules(rules: HouseRules | str | Path) -> Checked:
    """Play games by a file of house rules; raises an error that names the game where the books are not kept.

    Examples
    --------
    >>> from jamaica_sim import check_house_rules
    >>> checked = check_house_rules("lairs_pay")
    >>> checked.games, list(checked.effects)
    (800, ['give'])
    """
    house = rules if isinstance(rules, HouseRules) else house_rules_in(rules)
    tables = [(Rules(house_rules=house, **changes), strategy) for changes in TABLES for strategy in STRATEGIES]
    (effects,) = in_order(_Auditor, _Auditor.audit, [tables], 1)  # as one piece: after a slip no other table begins
    games = GAMES * len(tables)
    return Checked(games, len(TABLES), {what: times / games for what, times in effects.most_common()})


class _Auditor(Deputy):
    """Plays at one table after the other and looks at the books."""

    def audit(self, tables: list[tuple[Rules, str]]) -> Counter[str]:
        """What the file did in the games of all tables; raises an error where the books are not kept."""
        effects: Counter[str] = Counter()
        for rules, strategy in tables:
            self.asking = tracer = Tracer(seat_table(rules, strategy))
            for game in range(GAMES):
                tracer.trace(game)
                if slip := slip_in(tracer.state[0], rules):
                    where = f"{rules.who_sails}, edition {rules.edition}, {strategy}, game {game}"
                    raise HouseRulesError(f"{rules.house_rules} does not keep the books: {slip} ({where}).")
                effects += Counter(event["what"] for event in tracer.events() if event["event"] == "house")
        return effects


def slip_in(state: np.void, rules: Rules) -> str:
    """What is wrong with the books of a game at its end; empty where nothing is."""
    ships = slice(rules.ships)
    holds = state["stowage"][ships, None] >> int(HOLD_BITS) * np.arange(HOLDS)
    for number, resource in enumerate(RESOURCES):
        there = np.where(holds >> int(KIND_BITS) + number & 1, holds & int(AMOUNT), 0).sum(axis=1)
        if (there != state["stock"][ships, number]).any() or (there < 0).any():
            return f"the {resource} in the holds is not the stock of a ship"
        if state["in_play"][number] != there.sum():
            return f"the bank does not know how much {resource} is on the ships"
        if rules.limited_bank and there.sum() > rules.bank[number]:
            return f"there is more {resource} than in the box"
    places = [*state["powers"][ships].tolist(), *state["hidden"][ships].tolist(), int(state["treasures_undrawn"])]
    if sum(place.bit_count() for place in places) != int(np.bitwise_or.reduce(places)).bit_count():
        return "a treasure card is in two places"
    if sum(int(ships_there).bit_count() for ships_there in state["occupants"]) != rules.ships:
        return "a ship is on two spaces"
    return ""
