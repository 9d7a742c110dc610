"""The weights of the parametric heuristic: one list with the meaning, unit, default and range of each.

A data-only strategy is a choice of these numbers. The heuristic reads them from a record, so that a new strategy
needs no compiling. What follows from them is tabulated in the same record (`tables.py`): a look-up instead of a
division.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from jamaica_sim.engine.machine.hold_word import CONTENTS
from jamaica_sim.engine.machine.memory import Floats, fields_of
from jamaica_sim.engine.state import FALLS, MOST_FORESEEN, SYMBOL_COUNTS, TREASURES
from jamaica_sim.engine.view import SHIPS, SPACES
from jamaica_sim.game.codes import MAX_SPACES, RESOURCES, SYMBOLS

DISTANCES = 4 * MAX_SPACES  # distances from home that make a difference


@dataclass(frozen=True)
class Weight:
    """One weight: what it means, in which unit, and what is allowed."""

    name: str
    default: float
    low: float
    high: float
    unit: str
    meaning: str


def _weight(default: float, low: float, high: float, unit: str, meaning: str) -> Any:
    """What `Weights` says of a weight, beside its name."""
    return Weight("", default, low, high, unit, meaning)


def _kept(card: str) -> Any:
    return _weight(0.0, -10, 20, "points", f"keeping {card} in the hand, until the end comes near")


class Weights:
    """The strategy's weights, and what the heuristic makes of them once."""

    # The race
    progress: float = _weight(2.0, 0, 20, "points per space", "being one space further along the race")
    hurry: float = _weight(
        1.6, 0, 10, "factor", "the printed score of the space, -5 line included, as the end comes near"
    )
    horizon: float = _weight(1.0, 0.2, 20, "rounds", "how long before the end the printed score begins to count")
    outer_lane: float = _weight(0.0, -10, 10, "points", "ending a move in an outer lane")
    # The cargo
    gold: float = _weight(0.8, 0, 5, "points per doubloon", "a doubloon aboard")
    gold_reserve: float = _weight(2.5, 0, 20, "points", "having doubloons for ports at all; half of it with three")
    food: float = _weight(
        8.0, 0, 40, "points", "having food; half of it with `plenty` of it, so more is worth ever less"
    )
    gunpowder: float = _weight(3.0, 0, 40, "points", "having gunpowder, with the same diminishing worth")
    plenty: float = _weight(4.0, 0.5, 20, "goods", "how much food or gunpowder is half as good as an endless supply")
    free_hold: float = _weight(2.0, -10, 20, "points", "having empty holds; half of it with one")
    gold_at_end: float = _weight(0.0, -5, 10, "points per doubloon", "a doubloon aboard, on top, as the end comes near")
    stores_at_end: float = _weight(1.0, 0, 2, "factor", "food, gunpowder and empty holds as the end comes near")
    # The hand
    sails_kept: float = _weight(1.0, -10, 20, "points", "keeping forward symbols in the hand; half of it with one")
    stores_kept: float = _weight(0.5, -10, 20, "points", "keeping load symbols in the hand; half of it with one")
    keep_food_gunpowder: float = _kept("food/gunpowder")
    keep_forward_backward: float = _kept("forward/backward")
    keep_gunpowder_gold: float = _kept("gunpowder/gold")
    keep_gold_gold: float = _kept("gold/gold")
    keep_gold_forward: float = _kept("gold/forward")
    keep_backward_forward: float = _kept("backward/forward")
    keep_forward_food: float = _kept("forward/food")
    keep_forward_forward: float = _kept("forward/forward")
    keep_gunpowder_food: float = _kept("gunpowder/food")
    keep_food_forward: float = _kept("food/forward")
    keep_forward_gunpowder: float = _kept("forward/gunpowder")
    keep_until: float = _weight(2.0, 0.2, 20, "rounds", "how long before the end keeping a card begins to count less")
    foresight: float = _weight(0.0, 0, 1, "share", "reckoning with the next round too; slower play, above 0")
    # Lairs
    treasure: float = _weight(1.33, -10, 20, "factor", "drawing a treasure card: the average of those not seen yet")
    prospect: float = _weight(0.3, -5, 10, "points per lair", "lairs with a treasure within one die ahead")
    # Shortage
    shortage: float = _weight(1.0, -10, 40, "points", "running short at all, beside the spaces and goods that it costs")
    fall: float = _weight(1.0, 0, 5, "factor", "the spaces lost by going back, in the edition in force")
    risk: float = _weight(1.6, 0, 40, "points", "standing where none of the spaces ahead could be paid")
    # Battle
    attack: float = _weight(1.6, 0, 10, "factor", "what may be won in a battle that a move starts")
    defend: float = _weight(1.6, 0, 10, "factor", "what may be lost in it")
    danger: float = _weight(0.06, 0, 5, "points", "each ship that could attack, by what it could take")
    powder_price: float = _weight(0.3, 0, 5, "points each", "gunpowder spent in a battle")
    bravado: float = _weight(0.0, -5, 10, "points", "fighting for its own sake")
    # Loot
    deny: float = _weight(0.15, 0, 3, "factor", "what the loser loses, beside what the winner gains")
    leader: float = _weight(1.0, 0, 10, "factor", "how much more it counts against the ship with the best score")
    loot_gold: float = _weight(1.0, 0, 5, "factor", "taking gold as loot, beside what it is worth aboard")
    loot_food: float = _weight(1.0, 0, 5, "factor", "taking food as loot, likewise")
    loot_gunpowder: float = _weight(1.0, 0, 5, "factor", "taking gunpowder as loot, likewise")
    loot_power: float = _weight(1.0, 0, 5, "factor", "taking a face-up treasure as loot, likewise")
    loot_face_down: float = _weight(1.0, 0, 5, "factor", "taking a face-down treasure as loot, by its average")
    morgans_map: float = _weight(3.0, -5, 20, "points", "having Morgan's Map")
    sarans_sabre: float = _weight(2.5, -5, 20, "points", "having Saran's Sabre")
    lady_beth: float = _weight(3.0, -5, 20, "points", "having Lady Beth")
    sixth_hold: float = _weight(2.5, -5, 20, "points", "having the 6th Hold, beside its contents")
    # The end
    finish: float = _weight(6.0, -40, 60, "points", "coming home, which ends the game")
    finish_lead: float = _weight(
        0.8, 0, 10, "points per point", "coming home with more points than the best opponent has"
    )
    patience: float = _weight(
        0.6, 0, 10, "points per point", "not coming home with fewer points than the best opponent"
    )
    # The ghost ship and luck
    ghost_spite: float = _weight(1.0, -5, 10, "factor", "turning the ghost ship against others, the leader first")
    noise: float = _weight(0.0, 0, 40, "points", "random error, up to this, in the worth of each card and each space")
    errors: float = _weight(0.0, 0, 1, "share", "decisions that are answered at random")
    # What follows from them
    heuristic: int  # the address of the compiled heuristic, for code strategies that fall back on it
    has_lane_or_danger: int  # whether any of these weights counts at all
    has_foresight: int
    has_noise: int
    has_errors: int
    has_keepsakes: int
    # By resource and amount; the last row is of empty holds, by how many there are.
    stock_worth: Annotated[Floats, len(RESOURCES) + 1, MOST_FORESEEN + 1]
    prize_worth: Annotated[Floats, CONTENTS + 1]  # of a hold's contents, by their byte, to a ship that has a little
    treasure_worth: Annotated[Floats, TREASURES]  # of having a card
    best_treasure: Annotated[Floats, 1 << TREASURES]  # the most that a card of a set is worth, at least 0
    next_treasure: Annotated[
        Floats, 1 << TREASURES
    ]  # what a lair gives, by the set of the cards that the player has seen
    # By the leading ship's distance from home: values for the fields of the same names in `situation.py`.
    per_space: Annotated[Floats, DISTANCES]
    per_point: Annotated[Floats, DISTANCES]
    per_doubloon: Annotated[Floats, DISTANCES]
    per_store: Annotated[Floats, DISTANCES]
    keeping: Annotated[Floats, DISTANCES]
    prospect_worth: Annotated[Floats, SPACES + 1]  # by lairs with a treasure in reach
    risk_cost: Annotated[Floats, (SPACES + 1) * (SPACES + 1)]  # by the number in `rules.risk_number`
    danger_cost: Annotated[Floats, SHIPS + 1]  # by ships that could attack
    leader_factor: Annotated[Floats, 2]  # how much harm to a ship counts, by whether its standing is the best
    shortage_cost: Annotated[Floats, FALLS]  # by the number of a ship's fall: nothing for 0, else the weight
    loot_worth: Annotated[Floats, len(RESOURCES)]  # factors, by resource
    card_kept: Annotated[Floats, len(SYMBOLS), len(SYMBOLS)]  # what keeping a card is worth, by its two symbols
    hand_worth: Annotated[Floats, SYMBOL_COUNTS * SYMBOL_COUNTS]  # by the number in `rules.hand_symbols`


WEIGHTS = tuple(replace(it, name=name) for name, it in vars(Weights).items() if isinstance(it, Weight))
NAMES = tuple(weight.name for weight in WEIGHTS)
DEFAULTS = {weight.name: weight.default for weight in WEIGHTS}
BY_NAME = {weight.name: weight for weight in WEIGHTS}

# The weights behind each of the flags.
FLAGS = {
    "has_lane_or_danger": ("outer_lane", "danger"),
    "has_foresight": ("foresight",),
    "has_noise": ("noise",),
    "has_errors": ("errors",),
    "has_keepsakes": tuple(name for name in NAMES if name.startswith("keep_") and name != "keep_until"),
}
WEIGHTS_DTYPE = np.dtype(fields_of(Weights), align=True)
