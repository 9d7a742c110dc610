"""The chapters that a report can have: the one place where a chapter is registered.

A chapter says what it is about, which module of `report.chapters` makes it, which findings of designs beside the
settings it needs, and which of a run's games to watch go with it.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class ChapterKind:
    """What a chapter is about, and what it needs."""

    about: str  # for lists of chapters
    module: str  # of `report.chapters`
    causes: bool = False  # whether it needs findings of designs that an experiment plays beside its settings
    watch: str = ""  # the quantity that its games to watch are typical and extreme in (`run.games_to_watch`)


# In their usual order.
CHAPTERS = {
    "claims": ChapterKind("what the rulebook claims about the ghost ship", "ghost", watch="ghost_lead"),
    "changes": ChapterKind("what the factors of an experiment change", "changes", watch="rounds"),
    "own": ChapterKind("measures of your own", "changes"),
    "who_wins": ChapterKind("who wins, by strategy and by seat", "winning", watch="margin"),
    "ghost": ChapterKind("what the ghost ship does", "ghost", watch="ghost_lead"),
    "shortages": ChapterKind("how many, where, when and of what", "shortages", watch="shortages"),
    "treasures": ChapterKind("what each treasure card is worth", "treasures", watch="treasure_points"),
    "race": ChapterKind("how long it is, which lanes are taken, where ships end", "race", watch="rounds"),
    "battles": ChapterKind("how often, where, who wins, what is taken", "battles", watch="battles"),
    "scores": ChapterKind("final scores and where they come from", "ending", watch="winner_score"),
    "drama": ChapterKind("close games, and how often the leader changes", "ending", watch="lead_changes"),
    "box": ChapterKind("whether the goods in the box suffice", "ending", watch="peak_gold"),
    "skill": ChapterKind("a ladder of players, and which findings hold at every level of play", "skill"),
    "luck": ChapterKind("where the luck sits: how much of who wins each source explains", "budgets", causes=True),
    "ladder": ChapterKind("where the luck sits as players get better", "budgets", causes=True),
    "swings": ChapterKind("at which draws the chances move", "budgets", causes=True),
    "decisions": ChapterKind("what players lose by their decisions", "worths", causes=True),
    "mixed": ChapterKind("how much is skill where strategies differ", "budgets", causes=True),
    "cards": ChapterKind("how often a card is there, played or drawn, when, and who then wins", "worths", causes=True),
    "worths": ChapterKind("what goods, cards, treasures, powers, seats and shortages are worth", "worths", causes=True),
    "restricted": ChapterKind(
        "what a strategy loses without a part of the game: in line-ups in which one ship has a ban, or else by designs",
        "worths",
        causes=True,
    ),
}
