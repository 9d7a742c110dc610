"""Moving (M1 to M4): where a move can end, the choice between the ends, the lap, and coming home."""

import numpy as np

from jamaica_sim.engine.decide import ask
from jamaica_sim.engine.events import note_finish, note_move
from jamaica_sim.engine.house_rules import changed, foreseen, has_moment
from jamaica_sim.engine.machine.bits import ONE, ZERO, only, pick
from jamaica_sim.engine.machine.jit import inline
from jamaica_sim.engine.state import PASSAGE_END, PASSAGE_LANE
from jamaica_sim.game.codes import BACKWARD, CHOOSE_SPACE, FORWARD, MAX_FACE, OF_DIE

BACKWARD_WAY = np.int64(2)  # in the array `ends`
MOST_PIPS = np.int64(MAX_FACE)
MOVING_ASKS = 1 << CHOOSE_SPACE


@inline
def way_of(lap, direction):
    """Which array of `ends` applies.

    On the circuit a move forward stops at Port Royal (M4); behind the start line that is a space like any other (M3).
    """
    return pick(direction == BACKWARD, BACKWARD_WAY, np.int64(lap != 0))


@inline
def lap_after(lap, start, end, direction):
    """The lap on which a move to a different space ends. Spaces are numbered in racing order, so a wrap shows."""
    back = FORWARD - direction  # 0, or -1 on the way back: a mask
    return lap + ((end - start ^ back) >> 63 & (back | 1))


@inline
def spaces_to_go(r, space, lap):
    """How many spaces a ship has to go, by the shortest way (E3)."""
    return r.to_finish[space] - r.circuit * lap


@inline
def put(s, r, ship, start, space, lap):
    """Move a ship from one space to a different one; returns the set of the ships already there."""
    others = s.occupants[space]
    s.occupants[space] = others | only(ship)
    s.occupants[start] ^= only(ship)
    s.space[ship] = space
    s.lap[ship] = lap
    s.to_go[ship] = spaces_to_go(r, space, lap)
    s.landed[space] += 1
    return others


@inline
def plot_course(s, r, ship, direction, die):
    """A move by the whole die: its start and lap, the set of its ends (M1), and its passage (`state.py`)."""
    start, lap = s.space[ship], s.lap[ship]
    way = way_of(lap, direction)
    return start, lap, r.ends[way, die, start], np.int64(r.passages[way, die, start])


@inline
def sail(s, r, ship, direction, die, decision, player):
    """Move a ship by the whole die, to an end of the player's choice; returns that space and the set of ships there.

    Battle, cost and treasure are not done here.
    """
    course = plot_course(s, r, ship, direction, die)
    end = ask(s, r, decision, player, ship, course[2])
    return end, sail_to(s, r, ship, direction, course, end)


@inline
def sail_to(s, r, ship, direction, course, end):
    """End a move on one of its ends; returns the set of the ships already there."""
    start, lap, ends, passage = course
    _count_lane(s, passage, ship, end)
    new_lap = lap_after(lap, start, end, direction)
    others = put(s, r, ship, start, end, new_lap)
    options = ends, start, lap, direction == BACKWARD
    note_move(s, ship=ship, from_=(start, lap), to=(end, new_lap), options=options)
    if new_lap == 1:
        come_home(s, ship)
    return others


@inline
def come_home(s, ship):
    """E1: a ship is home; the first one ends the game with this round."""
    if s.finished_ships == 0:
        s.ended_by = ship
    s.finished_ships |= only(ship)
    note_finish(s, ship=ship)


@inline
def die_of(s, r, ship, when):
    """The die of an action, as the Captain placed it and house rules changed it."""
    return _on_a_die(r, changed(s, r, OF_DIE, s.placed[when], ship, when, ZERO, ZERO))


@inline
def die_again(s, r, ship, when):
    """The same for a move that goes on after a question."""
    return _on_a_die(r, foreseen(s, r, OF_DIE, s.placed[when], ship, when, ZERO, ZERO))


@inline
def _on_a_die(r, number):
    """A number that a die can show."""
    return min(max(number, ONE), MOST_PIPS) if has_moment(r, OF_DIE) else number


@inline
def sail_on(s, r, ship, when, end):
    """Go on after a question in a player's move; returns the chosen space and the set of the ships there."""
    direction = r.card_symbol[s.played[ship], when]
    course = plot_course(s, r, ship, direction, die_again(s, r, ship, when))
    return end, sail_to(s, r, ship, direction, course, end)


@inline
def _count_lane(s, passage, ship, end):
    """Count the lane taken. A move without a choice of lanes is counted too, which is cheaper than a test for it."""
    lane = (passage >> PASSAGE_LANE) + np.int64(end >= passage & PASSAGE_END)
    s.passed[ship, lane] += 1
