"""Facts about options of the ghost ship: its direction, its end space, its target and its loot."""

from jamaica_sim.engine.machine.bits import has, lowest, only
from jamaica_sim.engine.machine.branch_hints import pick
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.moving import lap_after, spaces_to_go, way_of
from jamaica_sim.game.codes import BACKWARD, FORWARD, GUNPOWDER
from jamaica_sim.strategy.heuristic.decide import ghost_space, spite
from jamaica_sim.strategy.heuristic.situation import standing
from jamaica_sim.strategy.heuristic.worth import prize_of
from jamaica_sim.strategy.net.facts import TENTH, note, note_row, place_row
from jamaica_sim.strategy.net.layout import block, number
from jamaica_sim.strategy.net.own_turn import FOE_LEADS, FOE_STOCK, note_foe

DIRECTION, GHOST_PLACE = block("ghost_direction"), block("ghost_place")
FOE_WORTH, MEETS_ME, MEETS_OTHERS = number("foe_worth"), number("meets_me"), number("meets_others")
MEETS_LEADER, TAKES_TREASURE = number("meets_leader"), number("ghost_takes_treasure")
GHOST_AHEAD, GHOST_LEADS, GHOST_LAST = number("ghost_ahead_of_me"), number("ghost_leads"), number("ghost_is_last")
GHOST_WORTH = number("ghost_worth")


@jit
def note_direction(view, rules, weights, around, facts, answer):
    """Note where a direction leads: to the end that the heuristic likes best."""
    ghost = view.ship
    direction = pick(answer != 0, FORWARD, BACKWARD)
    ends = rules.ends[way_of(view.lap[ghost], direction), view.placed[view.when], view.space[ghost]]
    note_row(facts, DIRECTION + answer)
    note_ghost_end(view, rules, weights, around, facts, ghost_space(view, rules, weights, around, ends)[0], direction)


@jit
def note_ghost_space(view, rules, weights, around, facts, end):
    """Note what the ghost's ending on a space brings."""
    ghost = view.ship
    ahead = rules.ends[way_of(view.lap[ghost], FORWARD), view.placed[view.when], view.space[ghost]]
    direction = pick(view.legal == ahead, FORWARD, BACKWARD)
    note_ghost_end(view, rules, weights, around, facts, end, direction)


@jit
def note_ghost_end(view, rules, weights, around, facts, end, direction):
    """Note whom the ghost meets on a space, and how it stands in the race there."""
    ghost = view.ship
    lap = lap_after(view.lap[ghost], view.space[ghost], end, direction)
    note_row(facts, GHOST_PLACE + place_row(end, lap))
    note(facts, GHOST_WORTH, TENTH * ghost_space(view, rules, weights, around, only(end))[1])
    if lap != 1 and has(view.tokens, end):
        note_row(facts, TAKES_TREASURE)
    ships = view.occupants[end] & ~only(ghost)
    while ships != 0 and end != 0:
        foe = lowest(ships)
        ships &= ships - 1
        note_row(facts, pick(foe == view.me, MEETS_ME, MEETS_OTHERS))
        if foe != view.me and standing(view, rules, foe) >= facts.rival:
            note_row(facts, MEETS_LEADER)
    note_race(view, rules, facts, spaces_to_go(rules, end, lap))


@inline
def note_race(view, rules, facts, to_go):
    """Note whether the ghost is in the lead or last, with so many spaces to go."""
    leads, is_last = True, True
    for ship in range(rules.players):
        theirs = spaces_to_go(rules, view.space[ship], view.lap[ship])
        leads, is_last = leads & (to_go < theirs), is_last & (to_go > theirs)
    if leads:
        note_row(facts, GHOST_LEADS)
    if is_last:
        note_row(facts, GHOST_LAST)
    own = spaces_to_go(rules, view.space[view.me], view.lap[view.me])
    note(facts, GHOST_AHEAD, TENTH * (own - to_go))


@jit
def note_target(view, rules, weights, around, facts, foe):
    """Note whom the ghost would attack."""
    note(facts, FOE_WORTH, TENTH * spite(view, rules, weights, around, foe))
    note(facts, GHOST_WORTH, TENTH * prize_of(view, rules, weights, around, foe))
    note(facts, FOE_STOCK, TENTH * view.stock[foe, GUNPOWDER])
    if foe != view.me and standing(view, rules, foe) >= facts.rival:
        note_row(facts, FOE_LEADS)
    note_foe(view, rules, facts, foe)
