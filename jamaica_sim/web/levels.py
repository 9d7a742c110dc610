"""Levels to play against, from a child to a search: strategies under plain names. `docs/play.md` has what each wins."""

from jamaica_sim.strategy.library import AnyStrategy, load_strategy
from jamaica_sim.strategy.strategy import Strategy

LEVELS = {
    "child": "child",
    "beginner": "beginner",
    "club_player": "club_player",
    "experienced": "balanced",
    "strong": "champion",
    "expert": "master",
    "relentless": "searcher",
}


def opponent(name: AnyStrategy) -> Strategy:
    """A level by its name, or any other strategy."""
    if isinstance(name, str) and name in LEVELS:
        return load_strategy(LEVELS[name]).labelled(name)
    return load_strategy(name)
