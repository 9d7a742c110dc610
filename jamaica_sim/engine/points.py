"""What a ship has, in points (E2): by position, gold and treasures. `scoring` adds what house rules change."""

from jamaica_sim.engine.machine.bits import lowest
from jamaica_sim.engine.machine.jit import inline
from jamaica_sim.game.codes import GOLD


@inline
def position_points(s, r, ship):
    """The printed number of the ship's space. Before the circuit, Port Royal and all behind it count as the start."""
    if s.lap[ship] < 0 or (s.lap[ship] == 0 and s.space[ship] == 0):
        return r.start_score
    return r.score[s.space[ship]]


@inline
def treasure_points(r, cards):
    """Point treasures less cursed ones."""
    points = 0
    while cards != 0:
        points += r.treasure_value[lowest(cards)]
        cards &= cards - 1
    return points


@inline
def points_now(s, r, ship):
    """The ship's points if the game ended now."""
    return position_points(s, r, ship) + s.stock[ship, GOLD] + treasure_points(r, s.hidden[ship])
