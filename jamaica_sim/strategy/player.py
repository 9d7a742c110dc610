"""Seats outside the engine: nobody yet, whose answers come from a `Game`, or a plain Python player."""

from jamaica_sim.strategy.compile import outside_seat
from jamaica_sim.strategy.strategy import Strategy

OUTSIDE = "outside"


def outside_strategy(name: str = OUTSIDE) -> Strategy:
    """A seat that is asked from outside, under a name for stories and tables."""
    return Strategy(name, "outside", "Its answers come from outside.", heuristic=outside_seat())
