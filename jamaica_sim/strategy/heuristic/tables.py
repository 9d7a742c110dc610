"""What follows from a strategy's weights, worked out once by compiled code, for the treasure cards in play."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from jamaica_sim.engine.machine.bits import count, lowest, only
from jamaica_sim.engine.machine.hold_word import KIND_BITS
from jamaica_sim.engine.machine.jit import entry, jit
from jamaica_sim.engine.rulebook import POWER_NAMES
from jamaica_sim.engine.state import FALLS, MOST_FORESEEN, SYMBOL_COUNTS, TREASURES
from jamaica_sim.engine.view import SHIPS, SPACES
from jamaica_sim.game.codes import EMPTY, FOOD, GOLD, GUNPOWDER, MAX_FACE, SYMBOLS
from jamaica_sim.game.components import Treasure, action_cards, treasures
from jamaica_sim.strategy.heuristic.weights import DEFAULTS, DISTANCES, FLAGS, WEIGHTS_DTYPE

HALF_RESERVE = 3.0
SPACES_A_ROUND = 6.0  # how far the leader comes in a round, roughly
A_LITTLE = 2  # how much a ship usually has of a resource
WEIGHT_OF_POWER = {name: weight for weight, name in POWER_NAMES.items()}


def weights_record(cards: Sequence[Treasure] | None = None, **changes: float) -> npt.NDArray[np.void]:
    """The weights as an array of one record: the defaults, with some changed, for the treasure cards in play."""
    weights = {**DEFAULTS, **changes}
    records = np.zeros(1, WEIGHTS_DTYPE)
    record = records[0]
    for name, value in weights.items():
        record[name] = value
    for flag, names in FLAGS.items():
        record[flag] = any(weights[name] != 0.0 for name in names)
    for card in action_cards():
        worth_kept = weights[f"keep_{card.morning}_{card.evening}"]
        record["card_kept"][SYMBOLS.index(card.morning), SYMBOLS.index(card.evening)] = worth_kept
    record["treasure_worth"] = [
        weights[WEIGHT_OF_POWER[card.name]] if card.kind == "power" else card.value
        for card in (treasures() if cards is None else cards)
    ]
    tabulate(records)
    return records


@entry
def tabulate(records):
    """Fill the tables of a record that has the weights and the worth of every treasure card."""
    w = records[0]
    _goods(w)
    _treasures(w)
    _way_home(w)
    for ahead in range(SPACES + 1):
        w.prospect_worth[ahead] = w.prospect * ahead
        for unpayable in range(SPACES + 1):
            w.risk_cost[ahead * (SPACES + 1) + unpayable] = w.risk * (unpayable * (1 / max(ahead, 1)))
    for ships in range(SHIPS + 1):
        w.danger_cost[ships] = w.danger * ships
    w.leader_factor[0], w.leader_factor[1] = 1.0, 1.0 + w.leader
    for fall in range(1, FALLS):
        w.shortage_cost[fall] = w.shortage
    w.loot_worth[GOLD], w.loot_worth[FOOD], w.loot_worth[GUNPOWDER] = w.loot_gold, w.loot_food, w.loot_gunpowder
    for sails in range(SYMBOL_COUNTS):
        for stores in range(SYMBOL_COUNTS):
            worth = w.sails_kept * _diminishing(sails, 1.0) + w.stores_kept * _diminishing(stores, 1.0)
            w.hand_worth[sails * SYMBOL_COUNTS + stores] = worth


@jit
def _goods(w):
    for amount in range(MOST_FORESEEN + 1):
        w.stock_worth[GOLD, amount] = w.gold * amount + w.gold_reserve * _diminishing(amount, HALF_RESERVE)
        w.stock_worth[FOOD, amount] = w.food * _diminishing(amount, w.plenty)
        w.stock_worth[GUNPOWDER, amount] = w.gunpowder * _diminishing(amount, w.plenty)
        w.stock_worth[EMPTY, amount] = w.free_hold * _diminishing(amount, 1.0)
    for loot in range(1, MAX_FACE + 1):
        w.prize_worth[only(KIND_BITS + GOLD) | loot] = w.gold * loot
        for resource in (FOOD, GUNPOWDER):
            more = w.stock_worth[resource, A_LITTLE + loot] - w.stock_worth[resource, A_LITTLE]
            w.prize_worth[only(KIND_BITS + resource) | loot] = more


@jit
def _treasures(w):
    """The best card of each set, and the average of the cards that are not in it (R5); 0 for the set of all."""
    worth = w.treasure_worth
    # The order of additions is part of the results.
    everything = ((worth[0] + worth[1]) + (worth[2] + worth[3])) + ((worth[4] + worth[5]) + (worth[6] + worth[7]))
    for card in range(8, TREASURES):
        everything += worth[card]
    for cards in range(only(TREASURES)):
        best, unseen, left = 0.0, everything, cards
        while left != 0:
            best = max(best, worth[lowest(left)])
            unseen -= worth[lowest(left)]
            left &= left - 1
        w.best_treasure[cards] = best
        w.next_treasure[cards] = w.treasure * (unseen / max(TREASURES - count(cards), 1))


@jit
def _way_home(w):
    """By the leading ship's distance from home."""
    for away in range(DISTANCES):
        hurry = _urgency(away, w.horizon)
        w.per_space[away] = (1.0 - hurry) * w.progress
        w.per_point[away] = hurry * w.hurry
        w.per_doubloon[away] = hurry * w.gold_at_end
        w.per_store[away] = 1.0 - hurry * (1.0 - w.stores_at_end)
        w.keeping[away] = 1.0 - _urgency(away, w.keep_until)


@jit
def _urgency(nearest, horizon):
    """How near the end is, from 0 (the race is long) to 1 (it ends now).

    `nearest` is the leading ship's distance from home, `horizon` a weight in rounds. It is nearly exp(-x), but made of
    divisions and products alone, which are the same to the last bit on every machine.
    """
    fading = 1.0 / (1.0 + 0.125 * nearest / (SPACES_A_ROUND * horizon))
    fading = fading * fading
    fading = fading * fading
    return fading * fading


@jit
def _diminishing(amount, half):
    """From 0 towards 1 as the amount grows, one half at `half`."""
    return amount / (amount + half)
