"""What the factors of an experiment change in the course of a game, on the same deals."""

from dataclasses import dataclass

from jamaica_sim.experiment.setting import LINE_UP, Setting, factor_words, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import charts
from jamaica_sim.report.chapter import (
    Chapter,
    Finding,
    Picture,
    by_setting,
    cell,
    is_clear,
    named,
    of_game,
    points,
    thinking,
    where,
)
from jamaica_sim.report.claims import game_spread
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.effect import cohen_d
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife

MOST_OF_A_FACTOR = 3


@dataclass(frozen=True)
class Quantity:
    """A quantity of the game: its name in the sums, in a table and in a sentence, and whether it is a share."""

    name: str
    column: str
    words: str
    share: bool = False


COURSE = (
    Quantity("rounds", "rounds", "the number of rounds"),
    Quantity("battles", "battles", "the number of battles"),
    Quantity("shortages", "shortages", "the number of shortages"),
    Quantity("short", "games short", "the share of games with a shortage", share=True),
    Quantity("treasures_taken", "treasures taken", "the number of treasures taken"),
    Quantity("winner_score", "winner's score", "the winner's score"),
    Quantity("margin", "winner's lead", "the winner's lead"),
    Quantity("lead_changes", "lead changes", "the number of lead changes"),
    Quantity("half_time_leader_wins", "half-time leader wins", "the half-time leader's share of wins", share=True),
)


def changes(study: Study) -> Chapter:
    """The chapter."""
    question = (
        "How does a game go, and what does each factor change when everything else, deals included, stays the same?"
    )
    chapter = Chapter("changes", "What changes", question)
    settings = study.uniform()
    columns = {quantity.column: of_game(quantity.name) for quantity in COURSE}
    course = by_setting(settings, "The course of a game", columns, _shares(), "means per game")
    chapter.tables.append(course)
    name = study.reference.label
    chapter.say(
        f"A game takes {cell(course, name, 'rounds')} rounds, with {cell(course, name, 'battles')} battles and "
        f"{cell(course, name, 'shortages')} shortages {where(study, study.reference)}."
    )
    for factor in study.varying:
        pairs = compared(study, factor)
        if pairs:
            table = _difference_table(study, factor, pairs)
            chapter.tables.append(table)
            found = _findings(study, factor, table, pairs, course)
            chapter.find(*found[: MOST_OF_A_FACTOR if factor == study.compare or not study.compare else 1])
    chapter.pictures = [_picture(quantity, settings) for quantity in COURSE[:3]]
    return chapter


def _shares():
    return [quantity.column for quantity in COURSE if quantity.share]


def _picture(quantity, settings):
    def draw():
        return charts.per_game(named(settings), quantity.name, f"{quantity.column} per game", quantity.share)

    return Picture(quantity.name, f"{quantity.column.capitalize()} per game.", draw)


def compared(study: Study, factor: str) -> list[tuple[Setting, Setting]]:
    """Pairs of settings to compare for a factor: all contrasts of two values, or the reference with each other "
    "value."""
    uniform = study.uniform()
    pairs = [(a, b) for a, b in study.contrasts(factor) if a in uniform and b in uniform]
    if pairs:
        return pairs
    return [(study.reference, s) for s in study.along(factor) if s is not study.reference and s in uniform]


def difference_of(quantity: Quantity, a: Setting, b: Setting) -> Estimate:
    """How much more of a quantity there is in b than in a, on the same deals."""
    before, after = (s.results.sums.game(quantity.name) / s.results.sums.games for s in (a, b))
    difference = jackknife(after - before, b.games)
    return points(difference) if quantity.share else difference


def _difference_table(study, factor, pairs):
    rest = [name for name in study.varying if name != factor]
    is_contrast = bool(study.contrasts(factor))
    rows = [
        (
            label_of(a, rest) if is_contrast and rest else factor_words(factor, b.factors[factor]),
            *(difference_of(quantity, a, b) for quantity in COURSE),
        )
        for a, b in pairs
    ]
    first, second = (factor_words(factor, setting.factors[factor]) for setting in pairs[0])
    title = f"{second} against {first}" if is_contrast else f"Difference from {first}"
    columns = [f"{quantity.column}, points" if quantity.share else quantity.column for quantity in COURSE]
    return ResultTable(title[0].upper() + title[1:], ("table", *columns), rows, note="differences on the same deals")


def _findings(study, factor, table, pairs, course):
    """For each quantity the comparison with the largest clear effect; the largest of all first."""
    allowed = thinking(study.settings)
    found = []
    for number, quantity in enumerate(COURSE, 1):
        effects = [
            (_effect(quantity, a, row[number]), place)
            for place, ((a, b), row) in enumerate(zip(pairs, table.rows, strict=True))
            if is_clear(row[number]) and a in allowed and b in allowed
        ]
        if effects:
            effect, place = max(effects)
            text = _sentence(
                study, factor, quantity, pairs[place], course, cell(table, place, table.columns[number]), effect
            )
            found.append(Finding(text, effect, f"{factor} {quantity.name}", factor))
    return sorted(found, key=lambda finding: -finding.effect)


def _effect(quantity, a, difference):
    """Cohen's d: the difference in standard deviations of a single game."""
    spread = game_spread(a.results, quantity.name) * (100 if quantity.share else 1)
    return abs(cohen_d(difference.value, spread))


def _sentence(study, factor, quantity, pair, course, difference, effect):
    a, b = pair
    rises = "falls" if difference.startswith("-") else "rises"
    rest = label_of(a, [name for name in study.varying if name != factor]) if len(study.varying) > 1 else ""
    return (
        f"{instead(factor, a, b)}, {quantity.words} {rises} from {cell(course, a.label, quantity.column)} to "
        f"{cell(course, b.label, quantity.column)}, a difference of "
        f"{difference}{' percentage points' if quantity.share else ''} ({f'{rest}; ' if rest else ''}{b.games:,} games "
        f"each; effect size {effect:.2f})."
    )


def instead(factor: str, a: Setting, b: Setting) -> str:
    """How a sentence about a change begins."""
    before, after = a.factors[factor], b.factors[factor]
    if factor == "ghost":
        return "With the ghost ship"
    if factor == "edition":
        return f"By the rules of {after} instead of {before}"
    if factor == LINE_UP:
        return f"When all play {after} instead of {before}"
    if factor == "players":
        return f"With {after} players instead of {before}"
    return f"With {factor_words(factor, after)} instead of {before}"
