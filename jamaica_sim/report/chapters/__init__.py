"""The chapters of a report, one module for each subject. A chapter is a list of parts.

`study/experiment/chapters.py` is the list of all chapters. A module has the chapter of its own name, except these:

- `winning`: who wins, by strategy and by seat
- `ghost`: the ghost ship, and what the rulebook claims about it
- `ending`: scores, drama, and whether the goods in the box suffice
- `budgets`: shares of luck and skill, by table, along the ladder of players, and by the moment
- `worths`: prices, how cards are used, what decisions cost, restricted play
- `comparing`: strategies compared on the same deals
- `sweeping`: one to three rules over a range
- `balancing`: rules that meet targets
- `sensitivity`: which rules matter, and for which measure
"""

from collections.abc import Sequence
from importlib import import_module

from jamaica_sim.errors import UserError
from jamaica_sim.report.chapter import Chapter
from jamaica_sim.report.games_to_watch import games_to_watch
from jamaica_sim.report.judge import Judge
from jamaica_sim.report.parts import ChapterSource
from jamaica_sim.study.experiment.chapters import CHAPTERS
from jamaica_sim.study.experiment.setting import LINE_UP
from jamaica_sim.study.experiment.study import Study


def source_of(name: str) -> ChapterSource:
    """How the chapter of this name is made."""
    module = import_module(f"{__name__}.{CHAPTERS[name].module}")
    source: ChapterSource = module.CHAPTERS[name]
    return source


def chapters_of(study: Study, names: Sequence[str] = ()) -> tuple[list[Chapter], Judge]:
    """The chapters that were asked for, or else those that the study names, or else all that apply; and their judge.

    The first chapter answers the study's own question; the others follow in the order of their effects.
    """
    wanted = names or study.chapters or _usual_order(study)
    sources = {name: source for name in wanted if (source := source_of(name)).applies(study)}
    if not sources:
        raise UserError(f"this study has nothing to say about {', '.join(wanted)}.")
    findings = {name: source.find(study) for name, source in sources.items()}
    judge = Judge(findings.values())
    chapters = {name: found.write(judge) for name, found in findings.items()}
    for name, chapter in chapters.items():
        if quantity := CHAPTERS[name].watch:
            chapter.watch = games_to_watch(study, quantity)
    first, *others = chapters.values()
    return [first, *sorted(others, key=lambda chapter: -chapter.effect)], judge


def _usual_order(study: Study) -> tuple[str, ...]:
    """All chapters. "who_wins" comes first for a single run, and where strategies meet and no rule is compared."""
    is_about_rules = study.compare not in ("", LINE_UP) or not any(setting.is_mixed for setting in study.settings)
    if study.varying and is_about_rules:
        return tuple(CHAPTERS)
    return ("who_wins", *(name for name in CHAPTERS if name != "who_wins"))
