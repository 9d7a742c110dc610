"""What a player sees when it looks around before a decision: how near the end is, where the others are.

It is found once for each decision and kept in a small record on the stack. Everything that weighs options reads it.
"""

import numpy as np

from jamaica_sim.engine.machine.bits import count, only, pick
from jamaica_sim.engine.machine.hold_word import amount_at, empty_holds, smallest
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.machine.memory import stack_record
from jamaica_sim.engine.moving import spaces_to_go
from jamaica_sim.engine.points import treasure_points
from jamaica_sim.engine.state import TREASURES
from jamaica_sim.engine.view import SHIPS, SPACES
from jamaica_sim.game.codes import EMPTY, FOOD, GOLD, GUNPOWDER, RESOURCES
from jamaica_sim.strategy.heuristic.weights import DISTANCES

NEVER = 1e9  # points: more than anything is worth
ALL_TREASURES = np.int64((1 << TREASURES) - 1)  # the set of them

THROWS = 12  # room for the throws that are foreseen

SURROUNDINGS = np.dtype(
    [
        ("per_space", "f8"),  # what a space further along is worth now
        ("per_point", "f8"),  # what a point of the printed score is worth now
        ("others", "i8"),  # set of the spaces where other ships are
        ("foes", "i8"),  # set of the spaces among them where there would be a battle
        ("rival", "f8"),  # the best standing among the other ships, NEVER before it is computed
        ("per_doubloon", "f8"),  # what a doubloon is worth on top because the end is near
        ("per_store", "f8"),  # how much of their worth food, gunpowder and empty holds still have
        ("per_step_back", "f8"),  # what a step back costs on top, in the edition in force
        ("keeping", "f8"),  # how much keeping a card still counts
        ("treasure", "f8", (2,)),  # by whether a treasure lies there: nothing, or what the next one is worth
        # For each resource: which other one to throw overboard for it (EMPTY: there is none), and how much of it.
        ("give_up", "i8", (len(RESOURCES),)),
        ("give_up_amount", "i8", (len(RESOURCES),)),
        # Computed on first use: the set of the ships done so far, and their prizes.
        ("prized", "i8"),
        ("prize", "f8", (SHIPS,)),
        # Computed on first use: the gunpowder that a battle on a space was weighed with (-1: none yet), and its worth.
        ("battle_powder", "i8", (SPACES,)),
        ("battle_worth", "f8", (SPACES,)),
        # For each throw of the next round: the situation after the first action, what was gained, and the best outcome.
        ("then_space", "i8", (THROWS,)),
        ("then_lap", "i8", (THROWS,)),
        ("then_cargo", "i8", (THROWS,)),
        ("then_gained", "f8", (THROWS,)),
        ("best", "f8", (THROWS,)),
        ("fewest", "i8", (len(RESOURCES) + 1,)),  # by contents: goods in the own hold that has the fewest of them
    ],
    align=True,
)


new_surroundings = stack_record(SURROUNDINGS)  # not filled yet


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


@jit
def look_around(view, rules, weights, around):
    """Fill in all but the holds, the throws and what is computed on first use.

    The own ship is read like the others and then masked out, without a branch.
    """
    nearest = spaces_to_go(rules, view.space[0], view.lap[0])
    others = np.int64(0)
    seen = view.treasures | ~rules.treasures_in_game & ALL_TREASURES
    for ship in range(rules.ships):
        own = ship == view.me
        space = view.space[ship]
        others |= pick(own, np.int64(0), only(space))
        nearest = min(nearest, spaces_to_go(rules, space, view.lap[ship]))
        around.battle_powder[space] = -1
        seen |= view.powers[ship] | view.known[ship]
    nearest = min(nearest, DISTANCES - 1)
    around.per_space = weights.per_space[nearest]
    around.per_point = weights.per_point[nearest]
    around.per_doubloon = weights.per_doubloon[nearest]
    around.per_store = weights.per_store[nearest]
    around.keeping = weights.keeping[nearest]
    around.others = others
    around.foes = others & ~1  # B1
    around.per_step_back = pick(rules.shortage_by_die != 0, weights.fall, weights.fall - 1.0) * weights.progress
    around.prized = 0
    around.rival = NEVER
    around.treasure[0] = 0.0
    around.treasure[1] = weights.next_treasure[seen]


@inline
def best_rival(view, rules, around):
    """The best standing among the others."""
    if around.rival == NEVER:
        around.rival = _best_of_others(view, rules)
    return around.rival


@jit
def _best_of_others(view, rules):
    best = -NEVER
    for further in range(1, rules.ships):  # round the table, so that there is no branch for the own ship
        ship = view.me + further
        ship -= pick(ship >= rules.ships, rules.ships, 0)
        best = max(best, standing(view, rules, ship))
    return best


@inline
def weigh_holds(view, weights, around):
    """Fill in what to throw overboard for each resource: the hold of another resource that is worth least."""
    stowage = view.stowage[view.me]
    if count(empty_holds(stowage)) >= 2 and weights.foresight == 0.0:  # a turn loads twice at most
        for resource in range(GOLD, EMPTY):
            around.give_up[resource] = EMPTY
            around.give_up_amount[resource] = 0
        return
    for resource in range(GOLD, EMPTY):
        around.fewest[resource] = amount_at(stowage, smallest(stowage, resource))
    around.fewest[EMPTY] = 0
    gold = _loss(view, weights, GOLD, around.fewest[GOLD])
    food = _loss(view, weights, FOOD, around.fewest[FOOD])
    powder = _loss(view, weights, GUNPOWDER, around.fewest[GUNPOWDER])
    _give_up(around, GOLD, FOOD, food, GUNPOWDER, powder)
    _give_up(around, FOOD, GOLD, gold, GUNPOWDER, powder)
    _give_up(around, GUNPOWDER, GOLD, gold, FOOD, food)


@inline
def _loss(view, weights, resource, amount):
    """What losing this amount of a resource would cost; NEVER where there is none, by a product and not a branch."""
    stock = view.stock[view.me, resource]
    worth = weights.stock_worth[resource]
    return worth[stock] - worth[stock - min(amount, stock)] + NEVER * max(1 - stock, 0)


@inline
def _give_up(around, resource, first, first_loss, second, second_loss):
    given_up = pick(second_loss < first_loss, second, first)
    given_up = pick(min(first_loss, second_loss) >= NEVER, EMPTY, given_up)
    around.give_up[resource] = given_up
    around.give_up_amount[resource] = around.fewest[given_up]
