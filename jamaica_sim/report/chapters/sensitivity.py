"""Which rules matter, and for which quantity: all rules ranked by effect, and the shares of those that matter."""

from dataclasses import dataclass

from jamaica_sim.charts.drawing import Drawing
from jamaica_sim.charts.grid_charts import HeatMap, heat_map
from jamaica_sim.lab.sensitivity_result import Sensitivity
from jamaica_sim.report import words
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber
from jamaica_sim.report.chapters.sweeping import spoken_rule
from jamaica_sim.report.judge import Findings, Judge
from jamaica_sim.results.measures import Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.clear import NOTICEABLE

SHORT = {
    "captain": "Captain", "seats": "seats", "rounds": "rounds", "shortages": "short", "battles": "battles",
    "ghost": "ghost", "comebacks": "comeback", "spread": "spread",
}  # fmt: skip


@dataclass(frozen=True)
class Effect:
    """The effect of one rule on one quantity: in its own unit with its error, and in standard deviations."""

    value: float
    error: float
    size: float


@dataclass(frozen=True)
class Effects(Findings):
    """What each rule changes over its whole range, the rule with the largest effect first."""

    quantities: tuple[Measure, ...]
    effects: dict[str, list[Effect]]  # by rule, in the order of the quantities
    has_shares: bool  # of the variance, for the rules that matter
    lucky: list[tuple[Measure, float]]  # quantities in whose variance luck has a part
    sentence: str
    played: str
    sets: int
    tables: list[ResultTable]


def find(analysis: Sensitivity) -> Effects:
    """Read effects and shares."""
    task, found = analysis.task, analysis.effects
    count = range(len(task.quantities))
    effects = {
        task.space.names[r]: [Effect(float(found.size[r, q]), float(found.error[r, q]), float(analysis.sizes[r, q]))
                              for q in count]
        for r in analysis.ranking
    }  # fmt: skip
    luck = zip(task.quantities, analysis.luck, strict=True)
    played = f"{task.trajectories} walks, {task.games:,} games of each set of rules"
    return Effects(
        tuple(task.quantities), effects, bool(analysis.kept), [(q, float(share)) for q, share in luck if share >= 0.1],
        analysis.sentence(), played, len(analysis.measured), analysis.result_tables(),
    )  # fmt: skip


def write(found: Effects, judge: Judge) -> Chapter:
    """Which rules matter most, and their shares of the variance."""
    chapter = Chapter("effects", "What matters", tables=found.tables)
    largest = {name: max(e.size for e in effects) for name, effects in found.effects.items()}
    mattering = [spoken_rule(name) for name, size in largest.items() if size >= NOTICEABLE]
    quiet = [spoken_rule(name) for name, size in largest.items() if size < NOTICEABLE]
    chapter.headline = f"{words.listed(mattering[:2])} matter most" if mattering else "No rule matters"
    chapter.heading = f"{words.number(len(mattering))} of {words.number(len(largest))} rules matter noticeably"
    chapter.standfirst = [found.sentence]
    for number, quantity in enumerate(found.quantities):
        name = max(found.effects, key=lambda rule: found.effects[rule][number].value)
        effect = found.effects[name][number]
        if effect.size >= NOTICEABLE:
            amount = f"{words.amount(effect.value, 1)}{' points' if quantity.share else ''}"
            chapter.say(f"{quantity.noun} depends most on {spoken_rule(name)}: {amount} over its range.")
    chapter.say(f"hardly any effect within their range: {words.listed(quiet)}." if quiet else "")
    sub = (
        f"Mean change over a rule's whole range, in standard deviations from game to game; coloured from {NOTICEABLE}; "
        f"{found.played}"
    )
    chapter.hero = Figure("effects", "Effect of each rule", sub, _effects_map(found))
    chapter.figures = [chapter.hero]
    chapter.keys = [
        KeyNumber(words.amount(size, 1), f"largest effect of {spoken_rule(name)}")
        for name, size in list(largest.items())[:3]
    ]
    chapter.keys.append(KeyNumber(f"{found.sets:,}", f"sets of rules; {found.played}", False))
    if found.has_shares:
        _write_shares(found, chapter)
    return chapter


def effects_chart(analysis: Sensitivity) -> Drawing:
    """Every rule by its effect on every quantity, largest first; effects below a tenth are not coloured."""
    return _effects_map(find(analysis))


def _effects_map(found: Effects) -> Drawing:
    columns, cells = [SHORT[q.key] for q in found.quantities], {}
    for name, effects in found.effects.items():
        for column, quantity, e in zip(columns, found.quantities, effects, strict=True):
            unit = " points" if quantity.share else ""
            title = f"{name} on {quantity.noun}: {e.value:.2f} ± {e.error:.2f}{unit}"
            cells[name, column] = HeatMap.Cell(e.size, f"{e.size:.2f}", title, False, e.size >= NOTICEABLE)
    names = list(found.effects)
    lines = "; ".join(f"{name}: " + ", ".join(f"{c} {cells[name, c].text}" for c in columns) for name in names[:6])
    return heat_map(f"Effect sizes of rules: {lines}.", HeatMap(names, columns, cells, 0.0, "rule", "effect on"))


def _write_shares(found: Effects, chapter: Chapter) -> None:
    luck = words.listed([f"{words.percent(share, 0)} of {q.column}" for q, share in found.lucky])
    chapter.say(
        "if all these rules vary at once, a rule's share is how much of what varies would stay if only the others were "
        "fixed (total Sobol index).",
        f"shares add up to more than one where rules work together, and where luck has a part in it: {luck} is luck."
        if luck
        else "",
    )
