"""Facts about the other ships: how they stand, and what the dice let them do.

A card that another player may hold is one that is not on its discard pile. Each is followed through its two actions;
what the player could do is counted as a share of these cards.
"""

import numpy as np

from jamaica_sim.engine.machine.bits import count, is_in, lowest, pick
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.moving import lap_after, spaces_to_go, way_of
from jamaica_sim.game.codes import BACKWARD, EVENING, FOOD, FORWARD, GOLD, GUNPOWDER, MORNING
from jamaica_sim.strategy.heuristic.situation import own_standing, printed_score, standing
from jamaica_sim.strategy.net.facts import TENTH, note, note_row
from jamaica_sim.strategy.net.layout import LAST_NEAREST, SPACES_A_STEP, block, number

RIVAL_TO_GO, GHOST_TO_GO = block("rival_to_go"), block("ghost_to_go")
RIVAL_LEAD, RIVAL_GOLD, RIVAL_FOOD = number("rival_lead"), number("rival_gold"), number("rival_food")
RIVAL_POWDER, GHOST_LEAD = number("rival_gunpowder"), number("ghost_lead")
OTHERS = number("others_gold_loaded")  # the first of the rows for what the others could do
# The places of these rows after the first three, which are for loads of each resource.
WAY, SHORT, TREASURE, AT_HOME, LEAD_AT_HOME = range(3, 8)
MET, GHOST_REACHES = number("met_before"), number("ghost_reaches_morning")


@inline
def _step(to_go):
    return min(max(to_go, 0) // SPACES_A_STEP, LAST_NEAREST)


@jit
def note_rivals(view, rules, facts):
    """Note how the nearest other player and the ghost ship stand."""
    me, own = view.me, own_standing(view, rules)
    rival, nearest = np.int64(0), np.int64(1000)
    for ship in range(rules.players):
        to_go = pick(ship == me, np.int64(1000), spaces_to_go(rules, view.space[ship], view.lap[ship]))
        rival = pick(to_go < nearest, np.int64(ship), rival)
        nearest = min(nearest, to_go)
    note_row(facts, RIVAL_TO_GO + _step(nearest))
    note(facts, RIVAL_LEAD, TENTH * (standing(view, rules, rival) - own))
    note(facts, RIVAL_GOLD, TENTH * view.stock[rival, GOLD])
    note(facts, RIVAL_FOOD, TENTH * view.stock[rival, FOOD])
    note(facts, RIVAL_POWDER, TENTH * view.stock[rival, GUNPOWDER])
    ghost = rules.ghost
    if ghost >= 0:
        note_row(facts, GHOST_TO_GO + _step(spaces_to_go(rules, view.space[ghost], view.lap[ghost])))
        note(facts, GHOST_LEAD, TENTH * (standing(view, rules, ghost) - own))


@jit
def foresee(view, rules, facts, order, morning, evening):
    """Follow every card that the others may hold with these dice, and the ghost ship."""
    throw = facts.throws[order]
    for i in range(throw.others.shape[0]):
        throw.others[i] = 0.0
    for side in range(2):
        for space in range(throw.met.shape[1]):
            throw.met[side, space] = 0.0
    seat = (view.me - view.captain) % rules.players
    for ship in range(rules.players):
        if ship != view.me:
            acts_after = np.int64((ship - view.captain) % rules.players > seat)
            _follow(view, rules, throw, ship, acts_after, morning, evening)
    throw.ghost_morning, throw.ghost_evening = 0, 0
    if rules.ghost >= 0:
        space, lap = view.space[rules.ghost], view.lap[rules.ghost]
        throw.ghost_morning = _either_way(rules, space, lap, morning)
        spaces = throw.ghost_morning
        while spaces != 0:
            throw.ghost_evening |= _either_way(rules, lowest(spaces), lap, evening)
            spaces &= spaces - 1


@inline
def _either_way(rules, space, lap, die):
    """The set of the spaces that a move ends on, forward or backward."""
    return rules.ends[way_of(lap, FORWARD), die, space] | rules.ends[way_of(lap, BACKWARD), die, space]


@inline
def _follow(view, rules, throw, ship, acts_after, morning, evening):
    """Follow every card that a player may hold."""
    cards = rules.all_cards[ship] & ~view.discard[ship]
    share = 1.0 / max(count(cards), 1)
    payable = rules.free_spaces | rules.payable_port[view.stock[ship, GOLD]]
    payable |= rules.payable_sea[view.stock[ship, FOOD]]
    stands = standing(view, rules, ship) - printed_score(rules, view.space[ship], view.lap[ship])
    lead_at_home = stands + printed_score(rules, np.int64(0), np.int64(1)) - own_standing(view, rules)
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        space, lap = view.space[ship], view.lap[ship]
        for when in range(MORNING, EVENING + 1):
            symbol, die = rules.card_symbol[card, when], pick(when == MORNING, morning, evening)
            if symbol < FORWARD:
                throw.others[symbol] += share * TENTH * die
            elif lap != 1:
                ends = rules.ends[way_of(lap, symbol), die, space]
                end = lowest(ends)
                lap = lap_after(lap, space, end, symbol)
                space = end
                throw.others[WAY] += share * TENTH * pick(symbol == FORWARD, die, -die)
                if lap == 1:
                    throw.others[AT_HOME] += share
                    throw.others[LEAD_AT_HOME] += share * TENTH * lead_at_home
                else:
                    throw.others[SHORT] += share * np.float64(ends & payable == 0)
                    throw.others[TREASURE] += share * np.float64(ends & view.tokens != 0)
                    while ends != 0:
                        throw.met[acts_after, lowest(ends)] += share
                        ends &= ends - 1


@jit
def note_throw(facts, order):
    """Note what these dice let the other players do."""
    throw = facts.throws[order]
    for i in range(throw.others.shape[0]):
        if throw.others[i] != 0.0:
            note(facts, OTHERS + i, throw.others[i])


@jit
def note_met(facts, order, space):
    """Note who could come to the own ship on a space, by these dice."""
    throw = facts.throws[order]
    for acts_after in range(2):
        if throw.met[acts_after, space] != 0.0:
            note(facts, MET + acts_after, throw.met[acts_after, space])
    if is_in(throw.ghost_morning, space) != 0:
        note_row(facts, GHOST_REACHES)
    if is_in(throw.ghost_evening, space) != 0:
        note_row(facts, GHOST_REACHES + 1)
