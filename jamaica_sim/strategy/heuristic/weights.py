"""The weights of the parametric heuristic: one list with the meaning, unit, default and range of each.

A data-only strategy is a choice of these numbers. The heuristic reads them from a record, so that a new strategy
needs no compiling. A worth that diminishes with the amount is tabulated in the same record: a look-up
instead of a division.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jamaica_sim.codes import EMPTY, FOOD, GOLD, GUNPOWDER, MAX_FACE, MAX_SPACES, RESOURCES, SYMBOLS
from jamaica_sim.components import Treasure, action_cards, treasures
from jamaica_sim.engine.board import FALLS
from jamaica_sim.engine.machine.hold_word import CONTENTS, contents
from jamaica_sim.engine.rulebook import POWER_NAMES
from jamaica_sim.engine.state import MOST_FORESEEN, SYMBOL_COUNTS, TREASURES
from jamaica_sim.engine.view import SHIPS, SPACES

HALF_RESERVE = 3.0
SPACES_A_ROUND = 6.0  # how far the leader comes in a round, roughly
DISTANCES = 4 * MAX_SPACES  # distances from home that make a difference
A_LITTLE = 2  # how much a ship usually has of a resource


@dataclass(frozen=True)
class Weight:
    """One weight: what it means, in which unit, and what is allowed."""

    name: str
    default: float
    low: float
    high: float
    unit: str
    meaning: str


# The action cards: in a weight's name, and in its meaning.
KEPT = {f"{card.morning}_{card.evening}": f"{card.morning}/{card.evening}" for card in action_cards()}

WEIGHTS = (
    # The race
    Weight("progress", 2.0, 0, 20, "points per space", "being one space further along the race"),
    Weight("hurry", 1.6, 0, 10, "factor", "the printed score of the space, -5 line included, as the end comes near"),
    Weight("horizon", 1.0, 0.2, 20, "rounds", "how long before the end the printed score begins to count"),
    Weight("outer_lane", 0.0, -10, 10, "points", "ending a move in an outer lane"),
    # The cargo
    Weight("gold", 0.8, 0, 5, "points per doubloon", "a doubloon aboard"),
    Weight("gold_reserve", 2.5, 0, 20, "points", "having doubloons for ports at all; half of it with three"),
    Weight("food", 8.0, 0, 40, "points", "having food; half of it with `plenty` of it, so more is worth ever less"),
    Weight("gunpowder", 3.0, 0, 40, "points", "having gunpowder, with the same diminishing worth"),
    Weight("plenty", 4.0, 0.5, 20, "goods", "how much food or gunpowder is half as good as an endless supply"),
    Weight("free_hold", 2.0, -10, 20, "points", "having empty holds; half of it with one"),
    Weight("gold_at_end", 0.0, -5, 10, "points per doubloon", "a doubloon aboard, on top, as the end comes near"),
    Weight("stores_at_end", 1.0, 0, 2, "factor", "food, gunpowder and empty holds as the end comes near"),
    # The hand
    Weight("sails_kept", 1.0, -10, 20, "points", "keeping forward symbols in the hand; half of it with one"),
    Weight("stores_kept", 0.5, -10, 20, "points", "keeping load symbols in the hand; half of it with one"),
    *(
        Weight(f"keep_{card}", 0.0, -10, 20, "points", f"keeping {words} in the hand, until the end comes near")
        for card, words in KEPT.items()
    ),
    Weight("keep_until", 2.0, 0.2, 20, "rounds", "how long before the end keeping a card begins to count less"),
    Weight("foresight", 0.0, 0, 1, "share", "reckoning with the next round too; slower play, above 0"),
    # Lairs
    Weight("treasure", 1.33, -10, 20, "factor", "drawing a treasure card: the average of those not seen yet"),
    Weight("prospect", 0.3, -5, 10, "points per lair", "lairs with a treasure within one die ahead"),
    # Shortage
    Weight("shortage", 1.0, -10, 40, "points", "running short at all, beside the spaces and goods that it costs"),
    Weight("fall", 1.0, 0, 5, "factor", "the spaces lost by going back, in the edition in force"),
    Weight("risk", 1.6, 0, 40, "points", "standing where none of the spaces ahead could be paid"),
    # Battle
    Weight("attack", 1.6, 0, 10, "factor", "what may be won in a battle that a move starts"),
    Weight("defend", 1.6, 0, 10, "factor", "what may be lost in it"),
    Weight("danger", 0.06, 0, 5, "points", "each ship that could attack, by what it could take"),
    Weight("powder_price", 0.3, 0, 5, "points each", "gunpowder spent in a battle"),
    Weight("bravado", 0.0, -5, 10, "points", "fighting for its own sake"),
    # Loot
    Weight("deny", 0.15, 0, 3, "factor", "what the loser loses, beside what the winner gains"),
    Weight("leader", 1.0, 0, 10, "factor", "how much more it counts against the ship with the best score"),
    Weight("loot_gold", 1.0, 0, 5, "factor", "taking gold as loot, beside what it is worth aboard"),
    Weight("loot_food", 1.0, 0, 5, "factor", "taking food as loot, likewise"),
    Weight("loot_gunpowder", 1.0, 0, 5, "factor", "taking gunpowder as loot, likewise"),
    Weight("loot_power", 1.0, 0, 5, "factor", "taking a face-up treasure as loot, likewise"),
    Weight("loot_face_down", 1.0, 0, 5, "factor", "taking a face-down treasure as loot, by its average"),
    Weight("morgans_map", 3.0, -5, 20, "points", "having Morgan's Map"),
    Weight("sarans_sabre", 2.5, -5, 20, "points", "having Saran's Sabre"),
    Weight("lady_beth", 3.0, -5, 20, "points", "having Lady Beth"),
    Weight("sixth_hold", 2.5, -5, 20, "points", "having the 6th Hold, beside its contents"),
    # The end
    Weight("finish", 6.0, -40, 60, "points", "coming home, which ends the game"),
    Weight("finish_lead", 0.8, 0, 10, "points per point", "coming home with more points than the best opponent has"),
    Weight("patience", 0.6, 0, 10, "points per point", "not coming home with fewer points than the best opponent"),
    # The ghost ship and luck
    Weight("ghost_spite", 1.0, -5, 10, "factor", "turning the ghost ship against others, the leader first"),
    Weight("noise", 0.0, 0, 40, "points", "random error, up to this, in the worth of each card and each space"),
    Weight("errors", 0.0, 0, 1, "share", "decisions that are answered at random"),
)
NAMES = tuple(weight.name for weight in WEIGHTS)
DEFAULTS = {weight.name: weight.default for weight in WEIGHTS}
BY_NAME = {weight.name: weight for weight in WEIGHTS}

# `heuristic` is the address of the compiled heuristic, for code strategies that fall back on it.
TABLES = [
    # By resource and amount; the last row is of empty holds, by how many there are.
    ("stock_worth", "f8", (len(RESOURCES) + 1, MOST_FORESEEN + 1)),
    ("prize_worth", "f8", (CONTENTS + 1,)),  # of a hold's contents, by their byte, to a ship that has a little
    ("treasure_worth", "f8", (TREASURES,)),  # of having a card
    ("best_treasure", "f8", (1 << TREASURES,)),  # the most that a card of a set is worth, at least 0
    ("next_treasure", "f8", (1 << TREASURES,)),  # what a lair gives, by the set of the cards that the player has seen
    # By the leading ship's distance from home: values for the fields of the same names in `situation.py`.
    ("per_space", "f8", (DISTANCES,)),
    ("per_point", "f8", (DISTANCES,)),
    ("per_doubloon", "f8", (DISTANCES,)),
    ("per_store", "f8", (DISTANCES,)),
    ("keeping", "f8", (DISTANCES,)),
    ("prospect_worth", "f8", (SPACES + 1,)),  # by lairs with a treasure in reach
    ("risk_cost", "f8", ((SPACES + 1) * (SPACES + 1),)),  # by the number in `rules.risk_number`
    ("danger_cost", "f8", (SHIPS + 1,)),  # by ships that could attack
    ("leader_factor", "f8", (2,)),  # how much harm to a ship counts, by whether its standing is the best
    ("shortage_cost", "f8", (FALLS,)),  # by the number of a ship's fall: nothing for 0, else the weight
    ("loot_worth", "f8", (len(RESOURCES),)),  # factors, by resource
    ("card_kept", "f8", (len(SYMBOLS), len(SYMBOLS))),  # what keeping a card is worth, by its two symbols
    ("hand_worth", "f8", (SYMBOL_COUNTS * SYMBOL_COUNTS,)),  # by the number in `rules.hand_symbols`
]
# Whether any of these weights counts at all.
FLAGS = {
    "has_lane_or_danger": ("outer_lane", "danger"),
    "has_foresight": ("foresight",),
    "has_noise": ("noise",),
    "has_errors": ("errors",),
    "has_keepsakes": tuple(f"keep_{card}" for card in KEPT),
}
NUMBERS = [(name, "f8") for name in NAMES] + [(name, "i8") for name in ("heuristic", *FLAGS)]
WEIGHTS_DTYPE = np.dtype(NUMBERS + TABLES, align=True)
WEIGHT_OF_POWER = {name: weight for weight, name in POWER_NAMES.items()}


def weights_record(cards: Sequence[Treasure] | None = None, **changes: float) -> npt.NDArray[np.void]:
    """The weights as an array of one record: the defaults, with some changed, for the treasure cards in play."""
    record = np.zeros(1, WEIGHTS_DTYPE)
    for name, value in {**DEFAULTS, **changes}.items():
        record[name] = value
    _tabulate(record[0], treasures() if cards is None else cards)
    return record


def _tabulate(weights: Any, cards: Sequence[Treasure]) -> None:
    for flag, names in FLAGS.items():
        weights[flag] = any(weights[name] != 0.0 for name in names)
    worth = weights["stock_worth"]
    amounts = np.arange(worth.shape[1])
    worth[GOLD] = weights["gold"] * amounts + weights["gold_reserve"] * diminishing(amounts, HALF_RESERVE)
    worth[FOOD] = weights["food"] * diminishing(amounts, weights["plenty"])
    worth[GUNPOWDER] = weights["gunpowder"] * diminishing(amounts, weights["plenty"])
    worth[EMPTY] = weights["free_hold"] * diminishing(amounts, 1.0)
    for loot in range(1, MAX_FACE + 1):
        weights["prize_worth"][contents(GOLD, loot)] = weights["gold"] * loot
        for resource in (FOOD, GUNPOWDER):
            more = worth[resource, A_LITTLE + loot] - worth[resource, A_LITTLE]
            weights["prize_worth"][contents(resource, loot)] = more
    weights["treasure_worth"] = [
        weights[WEIGHT_OF_POWER[card.name]] if card.kind == "power" else card.value for card in cards
    ]
    sets = np.arange(1 << TREASURES)[:, None] >> np.arange(TREASURES) & 1
    weights["best_treasure"] = (sets * weights["treasure_worth"]).max(axis=1, initial=0.0)
    weights["next_treasure"] = weights["treasure"] * _average_unseen(weights["treasure_worth"])
    hurry = urgency(np.arange(DISTANCES), weights["horizon"])
    weights["per_space"] = (1.0 - hurry) * weights["progress"]
    weights["per_point"] = hurry * weights["hurry"]
    weights["per_doubloon"] = hurry * weights["gold_at_end"]
    weights["per_store"] = 1.0 - hurry * (1.0 - weights["stores_at_end"])
    weights["keeping"] = 1.0 - urgency(np.arange(DISTANCES), weights["keep_until"])
    many = np.arange(SPACES + 1)
    weights["prospect_worth"] = weights["prospect"] * many
    weights["risk_cost"] = (weights["risk"] * (many * (1 / np.maximum(many, 1))[:, None])).ravel()
    weights["danger_cost"] = weights["danger"] * np.arange(SHIPS + 1)
    weights["leader_factor"] = [1.0, 1.0 + weights["leader"]]
    weights["shortage_cost"][1:] = weights["shortage"]
    weights["loot_worth"] = [weights[f"loot_{resource}"] for resource in RESOURCES]
    for card in action_cards():
        worth_kept = weights[f"keep_{card.morning}_{card.evening}"]
        weights["card_kept"][SYMBOLS.index(card.morning), SYMBOLS.index(card.evening)] = worth_kept
    symbols = diminishing(np.arange(SYMBOL_COUNTS), 1.0)
    weights["hand_worth"] = np.add.outer(weights["sails_kept"] * symbols, weights["stores_kept"] * symbols).ravel()


def _average_unseen(worth_of: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """For each set of treasure cards, the average of those not in it (R5); 0 for the set of all."""
    seen = np.arange(1 << TREASURES)
    worth, unseen = np.full(seen.shape, worth_of.sum()), np.full(seen.shape, TREASURES)
    for card, worth_of_card in enumerate(worth_of):
        in_set = seen >> card & 1 == 1
        worth[in_set] -= worth_of_card
        unseen -= in_set
    return worth / np.maximum(unseen, 1)


def urgency(nearest: Any, horizon: Any) -> Any:
    """How near the end is, from 0 (the race is long) to 1 (it ends now).

    `nearest` is the leading ship's distance from home, `horizon` a weight in rounds. It is nearly exp(-x), but made of
    divisions and products alone, which are the same to the last bit on every machine.
    """
    fading = 1.0 / (1.0 + 0.125 * nearest / (SPACES_A_ROUND * horizon))
    fading = fading * fading
    fading = fading * fading
    return fading * fading


def diminishing(amount: Any, half: Any) -> Any:
    """From 0 towards 1 as the amount grows, one half at `half`."""
    return amount / (amount + half)
