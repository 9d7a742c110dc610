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

WORDS = {  # for players, where the strategy's own description speaks to those who tune it
    "experienced": "Keeps stores, takes treasures on its way and picks no fight that it would lose.",
    "strong": "Thinks of the next round and of the cards that it keeps, and counts its gold when the end comes near.",
    "expert": "Has learnt from a search what wins. Nearly as strong as relentless, and faster.",
    "relentless": "Plays its answers on for some rounds before it decides.",
}


def level_words(name: str) -> str:
    """Who plays at a level."""
    return WORDS.get(name) or load_strategy(LEVELS[name]).description


def opponent(name: AnyStrategy) -> Strategy:
    """A level by its name, or any other strategy."""
    if isinstance(name, str) and name in LEVELS:
        return load_strategy(LEVELS[name]).labelled(name)
    return load_strategy(name)
