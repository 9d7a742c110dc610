"""Turns a `Rules` object and the components into the one record of numbers and arrays that the engine reads.

What the rules say is written here; all that follows from it is derived by compiled code (`board.py`, `chances.py`).
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from jamaica_sim.engine.chances import derive_rulebook
from jamaica_sim.engine.state import KINDS, NOWHERE, RAW_DTYPE, RULES_DTYPE, STAR
from jamaica_sim.game.codes import RESOURCES, RETREATS, SPACE_KINDS, SYMBOLS
from jamaica_sim.game.components import Components, treasures
from jamaica_sim.game.rules import BY_SEAT, Rules

Record = Any  # of one row; mypy does not know its fields

# The treasures whose power the engine plays, by the name on the card.
POWER_NAMES = {
    "morgans_map": "Morgan's Map",
    "sarans_sabre": "Saran's Sabre",
    "lady_beth": "Lady Beth",
    "sixth_hold": "6th Hold",
}
TREASURE_NAMES = tuple(dict.fromkeys(card.name for card in treasures()))
assert TREASURE_NAMES[: len(POWER_NAMES)] == (*POWER_NAMES.values(),)  # compiled code knows them by their number
# Fields of the rulebook that are fields or properties of `Rules`.
SAME_NAMES = [name for name in RULES_DTYPE.names or () if hasattr(Rules, name) and name not in BY_SEAT]


def rulebook_of(rules: Rules) -> npt.NDArray[np.void]:
    """The rules as an array of one record; pass `rulebooks[0]` to the engine."""
    raws, rulebooks = np.zeros(1, RAW_DTYPE), np.zeros(1, RULES_DTYPE)
    _write_rules(raws[0], rulebooks[0], rules)
    _write_components(raws[0], rulebooks[0], rules.components)
    derive_rulebook(raws, rulebooks)
    return rulebooks


def _write_rules(raw: Record, record: Record, rules: Rules) -> None:
    for name in SAME_NAMES:
        record[name] = getattr(rules, name)
    raw["holds"] = rules.holds
    for number, resource in enumerate(RESOURCES):
        raw["goods"][number, : rules.players] = rules.start_goods(resource)
    record["die_faces"] = len(rules.action_die)
    record["die_face"][: len(rules.action_die)] = rules.action_die
    if rules.house_rules is not None:
        record["printed"] = 1  # until its code is in force
        values = [parameter.value for parameter in rules.house_rules.parameters]
        record["parameters"][: len(values)] = values


def _write_components(raw: Record, record: Record, components: Components) -> None:
    board, deck = components.board, components.action_cards
    cards, faces = components.treasures, components.combat_die
    record["spaces"], raw["cards"], record["combat_faces"] = len(board), len(deck), len(faces)
    many = slice(len(board))  # the arrays have room for larger boards
    record["space_kind"][many] = [SPACE_KINDS.index(space.kind) for space in board]
    record["cost"][many] = [space.cost for space in board]
    record["score"][many] = [space.score for space in board]
    raw["next"][many] = [(*space.next, NOWHERE)[:2] for space in board]
    record["card_symbol"][: len(deck)] = [[SYMBOLS.index(c.morning), SYMBOLS.index(c.evening)] for c in deck]
    raw["treasure_name"] = [TREASURE_NAMES.index(card.name) for card in cards]
    raw["treasure_kind"] = [KINDS.index(card.kind) for card in cards]
    raw["in_game"] = [card.in_game for card in cards]
    record["treasure_value"] = [card.value for card in cards]
    record["die_strength"][: len(faces)] = [STAR if face.strength is None else face.strength for face in faces]
    record["die_retreat"][: len(faces)] = [RETREATS[face.shortage_symbol] for face in faces]
