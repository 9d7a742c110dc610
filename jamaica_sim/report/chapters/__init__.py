"""What a study shows, chapter by chapter: each module answers the questions of its name; they are collected here.

- `changes`: what the factors of an experiment change
- `winning`: who wins, by strategy and by seat
- `ghost`: the ghost ship, and what the rulebook claims about it
- `shortages`: how many, where, when and of what
- `treasures`: what each treasure card is worth
- `race`: how long it is, which lanes are taken, where ships end
- `battles`: how often, where, who wins, what is taken
- `ending`: scores, drama, and whether the goods in the box suffice
- `comparing`: strategies compared on the same deals
"""

from jamaica_sim.experiment.file import CHAPTER_NAMES
from jamaica_sim.experiment.study import Study
from jamaica_sim.report.chapter import Chapter
from jamaica_sim.report.chapters.battles import battles
from jamaica_sim.report.chapters.changes import changes
from jamaica_sim.report.chapters.ending import box, drama, scores
from jamaica_sim.report.chapters.ghost import ghost, rule_book
from jamaica_sim.report.chapters.race import race
from jamaica_sim.report.chapters.shortages import shortages
from jamaica_sim.report.chapters.treasures import treasures
from jamaica_sim.report.chapters.winning import who_wins
from jamaica_sim.report.looks import Looks

CHAPTERS = {
    "claims": rule_book,
    "changes": changes,
    "who_wins": who_wins,
    "ghost": ghost,
    "shortages": shortages,
    "treasures": treasures,
    "race": race,
    "battles": battles,
    "scores": scores,
    "drama": drama,
    "box": box,
}


def applies(name: str, study: Study) -> bool:
    """Whether a study can say anything in the chapter of this name."""
    if name == "claims":
        return bool(study.contrasts("ghost"))
    if name == "ghost":
        return any(setting.rules.ghost for setting in study.settings)
    return name != "changes" or bool(study.varying)


def chapters_of(study: Study, looks: Looks, names=()) -> list[Chapter]:
    """The chapters that were asked for, or else those that the study names, or else all that apply.

    The first answers the study's own question; the others follow in the order of their effects.
    """
    wanted = names or study.chapters or _usual_order(study)
    chosen = [name for name in wanted if applies(name, study)]
    if not chosen:
        raise ValueError(f"this study has nothing to say about {', '.join(wanted)}.")
    first, *others = [CHAPTERS[name](study, looks) for name in chosen]
    return [first, *sorted(others, key=lambda chapter: -chapter.effect)]


def _usual_order(study):
    """All chapters; who wins comes first of one run alone, and where strategies meet."""
    if study.varying and not any(setting.is_mixed for setting in study.settings):
        return CHAPTER_NAMES
    return ("who_wins", *(name for name in CHAPTER_NAMES if name != "who_wins"))
