"""Types for editors: what `weights` of a decision function have, field by field.

Nothing of this is used when a game is played; numba ignores annotations. `tools/record_types.py` writes this file.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]


class Weights:
    """The strategy's weights, and what the heuristic makes of them once."""

    progress: float
    """Being one space further along the race; points per space."""
    hurry: float
    """The printed score of the space, -5 line included, as the end comes near; factor."""
    horizon: float
    """How long before the end the printed score begins to count; rounds."""
    outer_lane: float
    """Ending a move in an outer lane; points."""
    gold: float
    """A doubloon aboard; points per doubloon."""
    gold_reserve: float
    """Having doubloons for ports at all; half of it with three; points."""
    food: float
    """Having food; half of it with `plenty` of it, so more is worth ever less; points."""
    gunpowder: float
    """Having gunpowder, with the same diminishing worth; points."""
    plenty: float
    """How much food or gunpowder is half as good as an endless supply; goods."""
    free_hold: float
    """Having empty holds; half of it with one; points."""
    gold_at_end: float
    """A doubloon aboard, on top, as the end comes near; points per doubloon."""
    stores_at_end: float
    """Food, gunpowder and empty holds as the end comes near; factor."""
    sails_kept: float
    """Keeping forward symbols in the hand; half of it with one; points."""
    stores_kept: float
    """Keeping load symbols in the hand; half of it with one; points."""
    keep_food_gunpowder: float
    """Keeping food/gunpowder in the hand, until the end comes near; points."""
    keep_forward_backward: float
    """Keeping forward/backward in the hand, until the end comes near; points."""
    keep_gunpowder_gold: float
    """Keeping gunpowder/gold in the hand, until the end comes near; points."""
    keep_gold_gold: float
    """Keeping gold/gold in the hand, until the end comes near; points."""
    keep_gold_forward: float
    """Keeping gold/forward in the hand, until the end comes near; points."""
    keep_backward_forward: float
    """Keeping backward/forward in the hand, until the end comes near; points."""
    keep_forward_food: float
    """Keeping forward/food in the hand, until the end comes near; points."""
    keep_forward_forward: float
    """Keeping forward/forward in the hand, until the end comes near; points."""
    keep_gunpowder_food: float
    """Keeping gunpowder/food in the hand, until the end comes near; points."""
    keep_food_forward: float
    """Keeping food/forward in the hand, until the end comes near; points."""
    keep_forward_gunpowder: float
    """Keeping forward/gunpowder in the hand, until the end comes near; points."""
    keep_until: float
    """How long before the end keeping a card begins to count less; rounds."""
    foresight: float
    """Reckoning with the next round too; slower play, above 0; share."""
    treasure: float
    """Drawing a treasure card: the average of those not seen yet; factor."""
    prospect: float
    """Lairs with a treasure within one die ahead; points per lair."""
    shortage: float
    """Running short at all, beside the spaces and goods that it costs; points."""
    fall: float
    """The spaces lost by going back, in the edition in force; factor."""
    risk: float
    """Standing where none of the spaces ahead could be paid; points."""
    attack: float
    """What may be won in a battle that a move starts; factor."""
    defend: float
    """What may be lost in it; factor."""
    danger: float
    """Each ship that could attack, by what it could take; points."""
    powder_price: float
    """Gunpowder spent in a battle; points each."""
    bravado: float
    """Fighting for its own sake; points."""
    deny: float
    """What the loser loses, beside what the winner gains; factor."""
    leader: float
    """How much more it counts against the ship with the best score; factor."""
    loot_gold: float
    """Taking gold as loot, beside what it is worth aboard; factor."""
    loot_food: float
    """Taking food as loot, likewise; factor."""
    loot_gunpowder: float
    """Taking gunpowder as loot, likewise; factor."""
    loot_power: float
    """Taking a face-up treasure as loot, likewise; factor."""
    loot_face_down: float
    """Taking a face-down treasure as loot, by its average; factor."""
    morgans_map: float
    """Having Morgan's Map; points."""
    sarans_sabre: float
    """Having Saran's Sabre; points."""
    lady_beth: float
    """Having Lady Beth; points."""
    sixth_hold: float
    """Having the 6th Hold, beside its contents; points."""
    finish: float
    """Coming home, which ends the game; points."""
    finish_lead: float
    """Coming home with more points than the best opponent has; points per point."""
    patience: float
    """Not coming home with fewer points than the best opponent; points per point."""
    ghost_spite: float
    """Turning the ghost ship against others, the leader first; factor."""
    noise: float
    """Random error, up to this, in the worth of each card and each space; points."""
    errors: float
    """Decisions that are answered at random; share."""
    heuristic: int
    """Where the compiled heuristic is; for `ask_heuristic`."""
    has_lane_or_danger: int
    """1 where `outer_lane` or `danger`, `foresight`, `noise`, `errors`, or any `keep_` weight, is not 0."""
    has_foresight: int
    """1 where `outer_lane` or `danger`, `foresight`, `noise`, `errors`, or any `keep_` weight, is not 0."""
    has_noise: int
    """1 where `outer_lane` or `danger`, `foresight`, `noise`, `errors`, or any `keep_` weight, is not 0."""
    has_errors: int
    """1 where `outer_lane` or `danger`, `foresight`, `noise`, `errors`, or any `keep_` weight, is not 0."""
    has_keepsakes: int
    """1 where `outer_lane` or `danger`, `foresight`, `noise`, `errors`, or any `keep_` weight, is not 0."""
    stock_worth: Floats
    """[resource, amount]: What a stock is worth; row 3 is of empty holds, by how many there are."""
    prize_worth: Floats
    """[128]: What a hold's contents are worth to a ship that has a little of it already, at [16 times 1, 2 or 4
    for gold, food or gunpowder, plus the amount].
    """
    treasure_worth: Floats
    """[treasure]: What having a card is worth."""
    best_treasure: Floats
    """The most that a card of a set of treasures is worth, at least 0."""
    next_treasure: Floats
    """What a lair gives, by the set of the treasures that the player has seen."""
    per_space: Floats
    """[distance]: What a space, a point of the score, a doubloon, stores and a card kept count, by how far the
    leading ship is from home.
    """
    per_point: Floats
    """[distance]: What a space, a point of the score, a doubloon, stores and a card kept count, by how far the
    leading ship is from home.
    """
    per_doubloon: Floats
    """[distance]: What a space, a point of the score, a doubloon, stores and a card kept count, by how far the
    leading ship is from home.
    """
    per_store: Floats
    """[distance]: What a space, a point of the score, a doubloon, stores and a card kept count, by how far the
    leading ship is from home.
    """
    keeping: Floats
    """[distance]: What a space, a point of the score, a doubloon, stores and a card kept count, by how far the
    leading ship is from home.
    """
    prospect_worth: Floats
    """[lairs]: What so many lairs with a treasure in reach are worth."""
    risk_cost: Floats
    """[number]: The weight `risk` times the share of the spaces ahead that cannot be paid, by the number in
    `rules.risk_number`.
    """
    danger_cost: Floats
    """[ships]: The weight `danger` times so many ships that could attack."""
    leader_factor: Floats
    """[2]: How much harm to a ship counts: 1, or more where its standing is the best."""
    shortage_cost: Floats
    """[fall]: What running short costs, by the number of the fall in `rules.arrivals`: nothing for 0, else the
    weight `shortage`.
    """
    loot_worth: Floats
    """[resource]: The `loot_` weights of the resources."""
    card_kept: Floats
    """[symbol, symbol]: The `keep_` weights, by the card's two symbols; 0 for cards that the box does not have."""
    hand_worth: Floats
    """[symbols]: What the forward and load symbols of a hand are worth, by its number in `rules.hand_symbols`."""
