"""What a situation is worth to a ship, in points: the race, the cargo, and what may happen next.

It reads the view and the rules only. A situation is a space, a lap and a cargo, so that the future can be weighed
without touching the game.
"""

import numpy as np

from jamaica_sim.engine.machine.bits import count, has, lowest, only
from jamaica_sim.engine.machine.hold_word import contents_at, place_of
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.moving import spaces_to_go
from jamaica_sim.engine.state import ODDS_REACH
from jamaica_sim.game.codes import EMPTY, FOOD, GOLD, GUNPOWDER, HOLDS, LAIR
from jamaica_sim.strategy.heuristic.cargo import amount, row_of
from jamaica_sim.strategy.heuristic.situation import NEVER, best_rival, printed_score, standing


@inline
def cargo_worth(weights, around, cargo):
    """What the cargo and the free holds are worth."""
    gold = amount(cargo, GOLD)
    return (
        weights.stock_worth[GOLD, gold]
        + around.per_doubloon * gold
        + around.per_store * weights.stock_worth[FOOD, amount(cargo, FOOD)]
        + around.per_store * weights.stock_worth[GUNPOWDER, amount(cargo, GUNPOWDER)]
        + around.per_store * weights.stock_worth[EMPTY, amount(cargo, EMPTY)]
    )


@inline
def odds_index(advantage):
    """The index of an advantage in gunpowder in the arrays of chances."""
    return min(max(advantage, -ODDS_REACH), ODDS_REACH) + ODDS_REACH


@inline
def outlook(view, rules, weights, around, space, cargo):
    """What a space leads to: its lane, unpayable spaces ahead, lairs in reach, ships that could attack."""
    worth = weights.prospect_worth[count(rules.ahead[space] & view.tokens)]
    worth -= weights.risk_cost[rules.risk_number[row_of(rules, cargo) + space]]
    if weights.has_lane_or_danger == 0:
        return worth
    worth += weights.outer_lane * ((rules.outer_lanes >> space) & 1)
    threats = count(around.others & rules.attacked_from[space])  # whether there are any is luck, so no branch
    loss = rules.attack_prize[amount(cargo, GOLD)] * rules.usual_attack[amount(cargo, GUNPOWDER)]
    return worth - weights.danger_cost[threats] * loss


@inline
def race_worth(rules, around, space):
    """What being on a space of the circuit is worth in the race."""
    return around.per_space * rules.far[space] + around.per_point * rules.points[space]


@jit
def off_circuit_worth(view, rules, weights, around, space, lap, cargo):
    """What a situation is worth behind the start line, or at home, where there is no outlook."""
    far = rules.circuit - spaces_to_go(rules, space, lap)
    worth = around.per_space * far + around.per_point * printed_score(rules, space, lap)
    worth += cargo_worth(weights, around, cargo)
    if lap == 1:
        return worth
    return worth + outlook(view, rules, weights, around, space, cargo)


@inline
def circuit_worth(view, rules, weights, around, space, cargo):
    """What a situation on the circuit is worth: race, cargo and outlook together."""
    worth = race_worth(rules, around, space) + cargo_worth(weights, around, cargo)
    return worth + outlook(view, rules, weights, around, space, cargo)


@inline
def situation_worth(view, rules, weights, around, space, lap, cargo):
    """What a situation is worth, wherever the ship is."""
    if lap != 0:
        return off_circuit_worth(view, rules, weights, around, space, lap, cargo)
    return circuit_worth(view, rules, weights, around, space, cargo)


@inline
def powder_bonus(view, rules, ship):
    """What Lady Beth adds (R3)."""
    return rules.lady_beth_bonus * (view.powers[ship] & rules.lady_beth != 0)


@jit
def prize(view, rules, weights, ship):
    """The most that a battle could take from a ship: a hold's contents or a treasure card."""
    best = rules.mean_treasure * min(view.face_down[ship], 1)  # a product, because whether there is one is luck
    stowage = view.stowage[ship]
    for hold in range(HOLDS):  # empty ones too: how many there are is luck, so no branch
        best = max(best, weights.prize_worth[contents_at(stowage, place_of(hold))])
    cards = view.powers[ship]
    if ship == rules.ghost:
        cards &= ~rules.lady_beth  # G1
    return max(best, weights.best_treasure[cards])


@inline
def hold_worth(weights, resource, amount, have):
    """What a hold's contents are worth to a ship that has `have` of the same resource elsewhere."""
    if resource == GOLD:
        return weights.gold * amount
    return weights.stock_worth[resource, have + amount] - weights.stock_worth[resource, have]


@inline
def prize_of(view, rules, weights, around, ship):
    """A ship's prize, which is looked for once for a decision."""
    if not has(around.prized, ship):
        around.prized |= only(ship)
        around.prize[ship] = prize(view, rules, weights, ship)
    return around.prize[ship]


@jit
def battle_worth(view, rules, weights, around, foe, powder):
    """What attacking a ship is worth, with the odds of the die and the known gunpowder on both sides."""
    own = powder * 0.5 + powder_bonus(view, rules, view.me)
    theirs = view.stock[foe, GUNPOWDER] * 0.5 + powder_bonus(view, rules, foe)
    index = odds_index(round(own - theirs))
    win, lose = rules.attack_odds[index], rules.defence_odds[index]
    if view.powers[view.me] & rules.sarans_sabre != 0:
        win, lose = win + lose * win, lose * (1.0 - win)
    elif view.powers[foe] & rules.sarans_sabre != 0:
        win, lose = win * (1.0 - lose), lose + win * lose
    harm = weights.deny * leader_factor(view, rules, weights, around, foe)
    gain = win * prize_of(view, rules, weights, around, foe) * (1.0 + harm)
    loss = lose * prize_of(view, rules, weights, around, view.me)
    return weights.bravado + weights.attack * gain - weights.defend * loss


@inline
def leader_factor(view, rules, weights, around, ship):
    """How much it counts to harm another ship: more if its standing is the best."""
    return weights.leader_factor[np.int64(standing(view, rules, ship) >= best_rival(view, rules, around))]


@jit
def best_battle(view, rules, weights, around, space, powder):
    """The worth of the best battle on a space, where there must be another ship."""
    foes = view.occupants[space] & ~only(view.me)
    best = -NEVER
    while foes != 0:
        best = max(best, battle_worth(view, rules, weights, around, lowest(foes), powder))
        foes &= foes - 1
    return best


@inline
def is_lair(rules, space):
    """Whether a space is a lair."""
    return rules.space_kind[space] == LAIR
