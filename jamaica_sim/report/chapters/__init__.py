"""The chapters of a report, one module for each subject. All are collected here.

`CHAPTER_NAMES` says what each chapter is about. A module has the chapter of its own name, except these:

- `winning`: who wins, by strategy and by seat
- `ghost`: the ghost ship, and what the rulebook claims about it
- `ending`: scores, drama, and whether the goods in the box suffice
- `luck`: luck, by table and along the ladder of players
- `swings`: swings, and what decisions cost
- `skill_mix`: skill where strategies differ
- `worths`: worths, restricted play
- `questions`: what players ask
- `comparing`: strategies compared on the same deals
- `sweeping`: one or two rules over a range
- `balancing`: rules that meet targets
- `sensitivity`: which rules matter, and for which quantity
"""

from importlib import import_module
from pkgutil import iter_modules

from jamaica_sim.errors import UserError
from jamaica_sim.experiment.file import CHAPTER_NAMES
from jamaica_sim.experiment.setting import LINE_UP
from jamaica_sim.experiment.study import Study
from jamaica_sim.report.chapter import MAKERS, Chapter
from jamaica_sim.report.looks import Looks

for found in iter_modules(__path__):
    import_module(f"{__name__}.{found.name}")  # declares its chapters


def chapters_of(study: Study, looks: Looks, names=()) -> list[Chapter]:
    """The chapters that were asked for, or else those that the study names, or else all that apply.

    The first chapter answers the study's own question; the others follow in the order of their effects.
    """
    wanted = names or study.chapters or _usual_order(study)
    chosen = [MAKERS[name] for name in wanted if MAKERS[name].applies(study)]
    if not chosen:
        raise UserError(f"this study has nothing to say about {', '.join(wanted)}.")
    first, *others = [maker.make(study, looks) for maker in chosen]
    return [first, *sorted(others, key=lambda chapter: -chapter.effect)]


def _usual_order(study):
    """All chapters. "who_wins" comes first for a single run, and where strategies meet and no rule is compared."""
    is_about_rules = study.compare not in ("", LINE_UP) or not any(setting.is_mixed for setting in study.settings)
    if study.varying and is_about_rules:
        return tuple(CHAPTER_NAMES)
    return ("who_wins", *(name for name in CHAPTER_NAMES if name != "who_wins"))
