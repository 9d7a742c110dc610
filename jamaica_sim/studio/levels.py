"""Levels to play against, from a beginner to a search: rungs of the skill ladder under plain names.

The lower two are the champion, who answers a part of all questions at random. `docs/play.md` has what each wins.
"""

from jamaica_sim.strategy.library import AnyStrategy, load_strategy
from jamaica_sim.strategy.strategy import Strategy

CHAMPION = "champion"
LEVELS: dict[str, str | float] = {  # a strategy, or the part of its questions that the champion answers at random
    "beginner": 0.5,
    "casual": 0.2,
    "experienced": "balanced",
    "strong": CHAMPION,
    "expert": "master",
    "relentless": "searcher",
}


def opponent(name: AnyStrategy) -> Strategy:
    """A level by its name, or any other strategy."""
    level = LEVELS.get(name) if isinstance(name, str) else None
    if level is None:
        return load_strategy(name)
    if isinstance(level, str):
        return load_strategy(level).labelled(str(name))
    return load_strategy({**load_strategy(CHAMPION).changes, "errors": level}).labelled(str(name))
