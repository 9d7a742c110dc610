"""What a situation is worth to a ship, in points: the race, the cargo, what may happen next (the heuristic's eye).

All of it from the view and the rules; a situation is a handful of numbers, so that a plan can be weighed without
touching the game.
"""

from jamaica_sim.engine.bits import count, has, only
from jamaica_sim.engine.hints import out_of_line
from jamaica_sim.engine.jit import inline, jit
from jamaica_sim.engine.state import ODDS_REACH
from jamaica_sim.words import EMPTY, FOOD, GOLD, GUNPOWDER, HOLDS, LAIR, PORT

SPACES_A_ROUND = 6.0  # how far the leader comes in a round, roughly
SURE_OF_TWO = 2.0  # doubloons' worth that every ship has to lose
HALF_RESERVE = 3.0


@inline
def left(rules, space, lap):
    """Spaces left to the finish (E3)."""
    return rules.to_finish[space] - rules.circuit * lap


@inline
def printed_score(rules, space, lap):
    """Points of a position if the game ended now (E2)."""
    if lap < 0 or (lap == 0 and space == 0):
        return rules.start_score
    return rules.score[space]


@jit
def standing(view, rules, ship):
    """A ship's points if the game ended now, with face-down cards at their average unless they are the own."""
    points = float(printed_score(rules, view.space[ship], view.lap[ship]) + view.stock[ship, GOLD])
    if ship == view.me:
        cards = view.treasures
        while cards != 0:
            points += rules.treasure_value[_lowest(cards)]
            cards &= cards - 1
        return points
    return points + rules.mean_treasure * view.face_down[ship]


@inline
def _lowest(members):
    return count((members & -members) - 1)


@jit
def best_other(view, rules):
    """The best standing among the other ships."""
    best = -1000.0
    for ship in range(rules.ships):
        if ship != view.me:
            best = max(best, standing(view, rules, ship))
    return best


@jit
def urgency(view, rules, weights):
    """From 0, the race is long, to 1, it ends now: by how far the leading ship is from home."""
    nearest = left(rules, view.space[0], view.lap[0])
    for ship in range(1, rules.ships):
        nearest = min(nearest, left(rules, view.space[ship], view.lap[ship]))
    # Nearly exp(-x), but of divisions and products alone, which are the same to the last bit on every machine.
    fading = 1.0 / (1.0 + 0.125 * nearest / (SPACES_A_ROUND * weights.horizon))
    fading *= fading
    fading *= fading
    return fading * fading


@jit
def others_at(view, rules):
    """The set of spaces where other ships are."""
    spaces = 0
    for ship in range(rules.ships):
        if ship != view.me:
            spaces |= only(view.space[ship])
    return spaces


@inline
def diminishing(amount, half):
    """From 0 towards 1 as the amount grows, one half at `half`."""
    return amount / (amount + half)


@inline
def place_worth(rules, weights, hurry, space, lap):
    """What being on a space is worth in the race."""
    far = rules.circuit - left(rules, space, lap)
    return (1.0 - hurry) * weights.progress * far + hurry * weights.hurry * printed_score(rules, space, lap)


@inline
def cargo_worth(weights, gold, food, powder, free):
    """What the cargo and the free holds are worth."""
    return (
        weights.gold * gold
        + weights.gold_reserve * diminishing(gold, HALF_RESERVE)
        + weights.food * diminishing(food, weights.plenty)
        + weights.gunpowder * diminishing(powder, weights.plenty)
        + weights.free_hold * diminishing(free, 1.0)
    )


@inline
def odds_index(advantage):
    """Where the chances for an advantage in gunpowder stand in the tables."""
    return min(max(advantage, -ODDS_REACH), ODDS_REACH) + ODDS_REACH


@inline
def outlook(view, rules, weights, others, space, lap, gold, food, powder):
    """What a space leads to: its lane, unpayable spaces ahead, lairs in reach, ships that could attack."""
    ahead = rules.ahead[space]
    payable = rules.free_spaces | rules.payable_port[min(gold, 60)] | rules.payable_sea[min(food, 60)]
    risk = count(ahead & ~payable) * rules.ahead_share[space]
    worth = weights.prospect * count(ahead & view.tokens) - weights.risk * risk
    worth += weights.outer_lane * ((rules.outer_lanes >> space) & 1)
    threats = others & rules.reached_from[space]
    if threats != 0 and space != 0:
        loss = (SURE_OF_TWO + 0.5 * gold) * rules.attack_odds[odds_index(3 - min(powder, 12))]
        worth -= weights.danger * count(threats) * loss
    return worth


@inline
def situation_worth(view, rules, weights, hurry, others, space, lap, gold, food, powder, free):
    """All of it together."""
    return (
        place_worth(rules, weights, hurry, space, lap)
        + cargo_worth(weights, gold, food, powder, free)
        + outlook(view, rules, weights, others, space, lap, gold, food, powder)
    )


@jit
def power_worth(rules, weights, card):
    """What having a power is worth."""
    if has(rules.morgans_map, card):
        return weights.morgans_map
    if has(rules.sarans_sabre, card):
        return weights.sarans_sabre
    if has(rules.lady_beth, card):
        return weights.lady_beth
    return weights.sixth_hold


@inline
def powder_bonus(view, rules, ship):
    """What Lady Beth adds (R3)."""
    if view.powers[ship] & rules.lady_beth != 0:
        return rules.lady_beth_bonus
    return rules.lady_beth_bonus - rules.lady_beth_bonus


@jit
def prize(view, rules, weights, ship):
    """The most that a battle could take from a ship: a hold's contents or a treasure card."""
    out_of_line()
    best = 0.0
    for hold in range(HOLDS):
        kind = int(view.hold_kind[ship, hold])
        if kind != EMPTY:
            best = max(best, hold_worth(weights, kind, int(view.hold_count[ship, hold]), 2))
    if view.face_down[ship] > 0:
        best = max(best, rules.mean_treasure)
    cards = view.powers[ship]
    while cards != 0:
        card = _lowest(cards)
        cards &= cards - 1
        if ship != rules.ghost or not has(rules.lady_beth, card):
            best = max(best, power_worth(rules, weights, card))
    return best


@inline
def hold_worth(weights, kind, amount, have):
    """What a hold's contents are worth to a ship that has `have` of the kind elsewhere."""
    if kind == GOLD:
        return weights.gold * amount
    scale = weights.food if kind == FOOD else weights.gunpowder
    return scale * (diminishing(have + amount, weights.plenty) - diminishing(have, weights.plenty))


@jit
def battle_worth(view, rules, weights, foe, powder, rival):
    """What attacking a ship is worth, with the odds of the die and the known gunpowder on both sides."""
    own = powder * 0.5 + powder_bonus(view, rules, view.me)
    theirs = view.stock[foe, GUNPOWDER] * 0.5 + powder_bonus(view, rules, foe)
    index = odds_index(round(own - theirs))
    win, lose = rules.attack_odds[index], rules.defence_odds[index]
    if view.powers[view.me] & rules.sarans_sabre != 0:
        win, lose = win + lose * win, lose * (1.0 - win)
    elif view.powers[foe] & rules.sarans_sabre != 0:
        win, lose = win * (1.0 - lose), lose + win * lose
    gain = win * prize(view, rules, weights, foe) * (1.0 + weights.deny * leader_factor(view, rules, weights, foe, rival))
    loss = lose * prize(view, rules, weights, view.me)
    return weights.bravado + weights.attack * gain - weights.defend * loss


@jit
def leader_factor(view, rules, weights, ship, rival):
    """How much it counts to harm a ship: more if it is the one whose standing is the best, `rival`."""
    return 1.0 + weights.leader if standing(view, rules, ship) >= rival else 1.0


@jit
def best_battle(view, rules, weights, space, powder, rival):
    """The best battle on a space: what it is worth, among the ships there."""
    out_of_line()
    best = -1000.0
    for foe in range(rules.ships):
        if foe != view.me and view.space[foe] == space:
            best = max(best, battle_worth(view, rules, weights, foe, powder, rival))
    return best


@inline
def resource_due(rules, space):
    """What a space with a cost wants (P1)."""
    return GOLD if rules.space_kind[space] == PORT else FOOD


@inline
def is_lair(rules, space):
    """Whether a space is a lair."""
    return rules.space_kind[space] == LAIR
