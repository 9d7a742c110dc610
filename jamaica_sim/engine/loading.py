"""Loading (L1 to L4): goods into an empty hold, making room first where there is none."""

from jamaica_sim.engine.decide import ask_place
from jamaica_sim.engine.events import note_load, note_no_load
from jamaica_sim.engine.machine.bits import ZERO, lowest
from jamaica_sim.engine.machine.hold_word import (
    add_stock,
    amount_at,
    cleared,
    distinct,
    empty_holds,
    filled,
    holds_without,
    kind_at,
    number_of,
    place_of,
)
from jamaica_sim.engine.machine.jit import inline
from jamaica_sim.game.codes import EMPTY, FORWARD, HOLD_TO_EMPTY


@inline
def to_bank(s, resource, amount):
    """Goods leave the ships."""
    s.in_play[resource] -= amount


@inline
def from_bank(s, resource, amount):
    """Goods come to the ships. The most ever on all ships is a statistic (C6)."""
    s.in_play[resource] += amount
    s.peak[resource] = max(s.peak[resource], s.in_play[resource])  # always stored: cheaper than a branch


@inline
def can_load(stowage, resource):
    """Whether some hold is empty or has another resource (L3)."""
    return holds_without(stowage, resource) != 0


@inline
def make_room(s, r, ship, player, stowage, resource, amount):
    """Empty a hold for a load that is possible (L2); returns its place, the resource that was in it and how much."""
    options = distinct(stowage, holds_without(stowage, resource))
    place = ask_place(s, r, HOLD_TO_EMPTY, player, ship, options, resource, amount)
    kind, there = empty_hold(s, ship, stowage, place)
    return place, kind, there


@inline
def empty_hold(s, ship, stowage, place):
    """Count a hold's contents as thrown overboard; returns the resource and how much. The caller clears the hold."""
    kind, there = kind_at(stowage, place), amount_at(stowage, place)
    s.overboard[ship, kind] += there
    to_bank(s, kind, there)
    add_stock(s, ship, kind, -there)
    return kind, there


@inline
def stow(s, r, ship, player, stowage, resource, amount):
    """Put a load into an empty hold, ordinary holds before the 6th (L4), or else into one that is emptied first (L2).

    Returns False where the load is ignored (L3).
    """
    empty = empty_holds(stowage)
    if empty != 0:
        place, kind, there = lowest(empty), EMPTY, ZERO
    elif can_load(stowage, resource):
        place, kind, there = make_room(s, r, ship, player, stowage, resource, amount)
        stowage = cleared(stowage, place)
    else:
        return False
    fill_hold(s, ship, stowage, place, resource, amount, kind, there)
    return True


@inline
def fill_hold(s, ship, stowage, place, resource, amount, kind, there):
    """Put goods into an empty hold. `kind` and `there` say for the trace what was thrown out of it before."""
    s.stowage[ship] = filled(stowage, place, resource, amount)
    add_stock(s, ship, resource, amount)
    note_load(s, ship=ship, resource=resource, amount=amount, hold=number_of(place), emptied=(kind, there))


@inline
def load(s, r, ship, resource, die):
    """Resolve a load symbol: load as much as the die shows (L1), or as a limited bank still has (C6)."""
    amount = die
    if r.limited_bank != 0:
        amount = min(die, r.bank[resource] - s.in_play[resource])
        if amount <= 0:
            note_no_load(s, ship=ship, resource=resource, amount=die)
            return
    if stow(s, r, ship, ship, s.stowage[ship], resource, amount):
        count_load(s, ship, resource, amount)
    else:
        note_no_load(s, ship=ship, resource=resource, amount=die)


@inline
def count_load(s, ship, resource, amount):
    """Goods loaded by a symbol come from the bank."""
    s.loaded[ship, resource] += amount
    from_bank(s, resource, amount)


@inline
def is_loading(s, r):
    """Whether the action in progress is a load; holds are also emptied for loot."""
    return s.turn != r.ghost and r.card_symbol[s.played[s.turn], s.when] < FORWARD


@inline
def load_on(s, ship, answer):
    """Go on after a question in a load."""
    stow_on(s, answer)
    count_load(s, ship, s.resource, s.amount)


@inline
def stow_on(s, hold):
    """Empty the chosen hold and load the goods that come aboard."""
    ship, place = s.ship, place_of(hold)
    stowage = s.stowage[ship]
    kind, there = empty_hold(s, ship, stowage, place)
    fill_hold(s, ship, cleared(stowage, place), place, s.resource, s.amount, kind, there)
