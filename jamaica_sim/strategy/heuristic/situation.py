"""What a player sees when it looks around before a decision: how near the end is, where the others are.

It is found once for each decision and kept in a small record on the stack. Everything that weighs options reads it.
"""

import numpy as np

from jamaica_sim.codes import EMPTY, FOOD, GOLD, GUNPOWDER, RESOURCES
from jamaica_sim.engine.machine.bits import count, lowest, only
from jamaica_sim.engine.machine.branch_hints import out_of_line, pick
from jamaica_sim.engine.machine.hold_word import empty_holds, smallest, tokens_at
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.machine.memory import stack_record
from jamaica_sim.engine.scoring import treasure_points
from jamaica_sim.engine.state import TREASURES

SPACES_A_ROUND = 6.0  # how far the leader comes in a round, roughly
NEVER = 1e9  # points: more than anything is worth
ALL_TREASURES = np.int64((1 << TREASURES) - 1)  # the set of them

SURROUNDINGS = np.dtype(
    [
        ("per_space", "f8"),  # what a space further along is worth now
        ("per_point", "f8"),  # what a point of the printed score is worth now
        ("others", "i8"),  # set of the spaces where other ships are
        ("rival", "f8"),  # the best standing among them
        ("per_doubloon", "f8"),  # what a doubloon is worth more because the end is near
        ("per_store", "f8"),  # how much of their worth food, gunpowder and empty holds still have
        ("keeping", "f8"),  # how much keeping a card still counts
        ("treasure", "f8"),  # what the next treasure from a lair is worth
        # For each resource: which other one to throw overboard for it (EMPTY: there is none), and how much of it.
        ("give_up", "i8", (len(RESOURCES),)),
        ("give_up_amount", "i8", (len(RESOURCES),)),
        ("fewest", "i8", (len(RESOURCES) + 1,)),  # by contents: goods in the own hold that has the fewest of them
    ],
    align=True,
)


new_surroundings = stack_record(SURROUNDINGS)  # not filled yet


@inline
def spaces_to_go(rules, space, lap):
    """Spaces from here to the finish (E3)."""
    return rules.to_finish[space] - rules.circuit * lap


@inline
def printed_score(rules, space, lap):
    """Points of a position if the game ended now (E2)."""
    return pick((lap < 0) | ((lap == 0) & (space == 0)), rules.start_score, rules.score[space])


@inline
def standing(view, rules, ship):
    """Another ship's points if the game ended now, with face-down cards at their average."""
    points = printed_score(rules, view.space[ship], view.lap[ship]) + view.stock[ship, GOLD]
    return points + rules.mean_treasure * view.face_down[ship]


@inline
def own_standing(view, rules):
    """The own points if the game ended now."""
    me = view.me
    points = printed_score(rules, view.space[me], view.lap[me]) + view.stock[me, GOLD]
    return points + treasure_points(rules, view.treasures)


@inline
def urgency(nearest, horizon):
    """From 0, the race is long, to 1, it ends now: by how far the leading ship is from home, and a weight in rounds.

    Nearly exp(-x), but of divisions and products alone, which are the same to the last bit on every machine.
    """
    fading = 1.0 / (1.0 + 0.125 * nearest / (SPACES_A_ROUND * horizon))
    fading *= fading
    fading *= fading
    return fading * fading


@jit
def look_around(view, rules, weights, around):
    """Fill in all but the holds. The own ship is read like the others and then masked out, without a branch."""
    out_of_line()
    nearest = spaces_to_go(rules, view.space[0], view.lap[0])
    others, rival = np.int64(0), -NEVER
    seen = view.treasures | ~rules.treasures_in_game & ALL_TREASURES
    for ship in range(rules.ships):
        own = ship == view.me
        space = view.space[ship]
        others |= pick(own, np.int64(0), only(space))
        nearest = min(nearest, spaces_to_go(rules, space, view.lap[ship]))
        rival = max(rival, pick(own, -NEVER, standing(view, rules, ship)))
        seen |= view.powers[ship] | view.known[ship]
    hurry = urgency(nearest, weights.horizon)
    around.per_space = (1.0 - hurry) * weights.progress
    around.per_point = hurry * weights.hurry
    around.per_doubloon = hurry * weights.gold_at_end
    around.per_store = 1.0 - hurry * (1.0 - weights.stores_at_end)
    around.keeping = 1.0 - urgency(nearest, weights.keep_until)
    around.others = others
    around.rival = rival
    around.treasure = weights.treasure * _average_unseen(weights, seen)


@inline
def _average_unseen(weights, seen):
    """What a lair gives is worth on average: of the cards that this player has not seen (R5)."""
    unseen, worth = TREASURES - count(seen), weights.treasures_together
    while seen != 0:
        worth -= weights.treasure_worth[lowest(seen)]
        seen &= seen - 1
    return worth / max(unseen, 1)


@jit
def weigh_holds(view, weights, around):
    """Fill in what to throw overboard for each resource: the hold of another resource that is worth least."""
    out_of_line()
    stowage = view.stowage[view.me]
    if count(empty_holds(stowage)) >= 2 and weights.foresight == 0.0:  # a turn loads twice at most
        for resource in range(GOLD, EMPTY):
            around.give_up[resource] = EMPTY
            around.give_up_amount[resource] = 0
        return
    for resource in range(GOLD, EMPTY):
        around.fewest[resource] = tokens_at(stowage, smallest(stowage, resource))
    around.fewest[EMPTY] = 0
    gold = _loss(view, weights, GOLD, around.fewest[GOLD])
    food = _loss(view, weights, FOOD, around.fewest[FOOD])
    powder = _loss(view, weights, GUNPOWDER, around.fewest[GUNPOWDER])
    _give_up(around, GOLD, FOOD, food, GUNPOWDER, powder)
    _give_up(around, FOOD, GOLD, gold, GUNPOWDER, powder)
    _give_up(around, GUNPOWDER, GOLD, gold, FOOD, food)


@inline
def _loss(view, weights, resource, amount):
    """What losing so much of a resource would cost; NEVER where there is none."""
    stock = view.stock[view.me, resource]
    worth = weights.stock_worth[resource]
    return pick(stock == 0, NEVER, worth[stock] - worth[stock - min(amount, stock)])


@inline
def _give_up(around, resource, first, first_loss, second, second_loss):
    given_up = pick(second_loss < first_loss, second, first)
    given_up = pick(min(first_loss, second_loss) >= NEVER, EMPTY, given_up)
    around.give_up[resource] = given_up
    around.give_up_amount[resource] = around.fewest[given_up]
