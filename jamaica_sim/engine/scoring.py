"""Scoring (E2, E3): points by position, gold and treasures, and who wins."""

import numpy as np

from jamaica_sim.engine.house_rules import SCORE, changed, is_gated, through_gate
from jamaica_sim.engine.machine.bits import ZERO, only
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.points import position_points, treasure_points
from jamaica_sim.engine.state import FORKS, WIDTH
from jamaica_sim.game.codes import GOLD, OF_POINTS


@jit
def score_game(s, r):
    """Write every ship's points into the result row, and the set of winners (E3)."""
    if is_gated(s, r):
        through_gate(s, r, SCORE, ZERO, ZERO, ZERO)
        return
    best_score, best_to_go = -(1 << 30), 0
    for ship in range(r.ships):
        s.position_points[ship] = position_points(s, r, ship)
        s.gold[ship] = s.stock[ship, GOLD]
        s.treasure_points[ship] = treasure_points(r, s.hidden[ship])
        points = np.int64(s.position_points[ship] + s.gold[ship] + s.treasure_points[ship])
        s.score[ship] = changed(s, r, OF_POINTS, points, ship, ZERO, ZERO, ZERO)
        s.final_space[ship] = s.space[ship]
        s.final_lap[ship] = s.lap[ship]
        for lane in range(2 * FORKS):
            s.lanes[ship, lane >> 1, lane & 1] = s.passed[ship, lane]
        s.treasures_held[ship] = s.powers[ship] | s.hidden[ship]
        to_go = s.to_go[ship]
        if s.score[ship] > best_score or (s.score[ship] == best_score and to_go < best_to_go):
            best_score, best_to_go = s.score[ship], to_go
            s.winners = only(ship)
        elif s.score[ship] == best_score and to_go == best_to_go:
            s.winners |= only(ship)


@inline
def leaders(s):
    """The set of the ships furthest along the race."""
    return indices_of_least(s.to_go)


@inline
def last_ships(to_go, players):
    """The set of the players' ships furthest behind."""
    furthest, last = to_go[0], ZERO
    for ship in range(1, players):
        furthest = max(furthest, to_go[ship])
    for ship in range(players):
        last |= np.int64(to_go[ship] == furthest) << ship
    return last


@inline
def indices_of_least(numbers):
    """The set of indices at which an array of WIDTH numbers is least."""
    least = numbers[0]
    for i in range(1, WIDTH):
        least = min(least, numbers[i])
    indices = ZERO
    for i in range(WIDTH):
        indices |= np.int64(numbers[i] == least) << i
    return indices
