"""Which rules matter, and for which quantity: all rules ranked by effect, and the shares of those that matter."""

from dataclasses import dataclass

from jamaica_sim.charts.drawing import Drawing
from jamaica_sim.charts.grid_charts import HeatMap, heat_map
from jamaica_sim.lab.sensitivity_result import LARGE, OPEN, SMALL, Sensitivity
from jamaica_sim.lab.spoken import spoken_rule
from jamaica_sim.report import words
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber
from jamaica_sim.report.judge import Findings, Judge
from jamaica_sim.stats.clear import NOTICEABLE

SHORT = {
    "captain": "Captain", "seats": "seats", "rounds": "rounds", "shortages": "short", "battles": "battles",
    "ghost": "ghost", "comebacks": "comeback", "spread": "spread",
}  # fmt: skip
MOST_NAMED = 3  # rules in a sentence


@dataclass(frozen=True)
class Effect:
    """The effect of one rule on one quantity: in its own unit with its error, and in standard deviations."""

    value: float
    error: float
    size: float


class Effects(Findings):
    """What each rule changes over its whole range, the rule with the largest effect first."""

    def __init__(self, analysis: Sensitivity):
        task, size, error = analysis.task, analysis.effects.size, analysis.effects.error
        self.quantities, count = task.quantities, range(len(task.quantities))
        # by rule, in the order of the quantities
        self.effects = {
            task.space.names[r]: [Effect(float(size[r, q]), float(error[r, q]), float(analysis.sizes[r, q]))
                                  for q in count]
            for r in analysis.ranking
        }  # fmt: skip
        names = task.space.names
        # for each quantity, and for any: the rules whose effect may be the largest, largest first
        self.leaders = [[names[r] for r in analysis.leaders(q)] for q in (*count, len(count))]
        # the rules whose largest effect is large, small or open
        self.verdicts = {v: [names[r] for r in analysis.with_effects(v)] for v in (LARGE, SMALL, OPEN)}
        self.has_shares = bool(analysis.kept)  # of the variance, for the rules that matter
        self.lucky = analysis.lucky
        self.sentence, self.sets = analysis.sentence(), len(analysis.measured)
        self.played = f"{task.trajectories} walks, {task.games:,} games of each set of rules"
        self.tables = analysis.result_tables()

    def write(self, judge: Judge) -> Chapter:
        """Which rules matter most, and their shares of the variance."""
        chapter = Chapter("effects", "What matters", tables=self.tables, standfirst=[self.sentence])
        largest = {name: max(e.size for e in effects) for name, effects in self.effects.items()}
        large, small, unclear = ([spoken_rule(name) for name in self.verdicts[v]] for v in (LARGE, SMALL, OPEN))
        *leaders, overall = self.leaders
        chapter.headline = f"What matters most: {_most(overall)}" if overall else "No rule clearly matters"
        count = words.number(len(large)) if large else "none"
        chapter.heading = f"{count} of {words.number(len(largest))} rules clearly matter"
        for number, (quantity, names) in enumerate(zip(self.quantities, leaders, strict=True)):
            if names:
                effect = self.effects[names[0]][number]
                unit = " points" if quantity.share else ""
                amount = f"{words.amount(effect.value, 1)} ± {words.amount(effect.error, 1)}{unit} over its range"
                others = f", not clearly more than on {_most(names[1:])}" if names[1:] else ""
                chapter.say(f"{quantity.noun} depends most on {spoken_rule(names[0])}: {amount}{others}.")
        chapter.say(f"hardly any effect within their range: {words.listed(small)}." if small else "")
        chapter.say(f"too close to call with so many walks and games: {words.listed(unclear)}." if unclear else "")
        sub = (
            "Mean change over a rule's whole range, in standard deviations from game to game; coloured from "
            f"{NOTICEABLE}; {self.played}"
        )
        chapter.figures = [Figure("effects", "Effect of each rule", sub, self.map())]
        chapter.keys = [
            KeyNumber(words.amount(size, 1), f"largest effect of {spoken_rule(name)}")
            for name, size in list(largest.items())[:3]
        ]
        chapter.keys.append(KeyNumber(f"{self.sets:,}", f"sets of rules; {self.played}", False))
        luck = words.listed([f"{words.percent(share, 0)} of {q.column}" for q, share in self.lucky])
        together = "shares add up to more than one where rules work together, and where luck has a part in it"
        if self.has_shares:
            chapter.say(
                "if all these rules vary at once, a rule's share is how much of what varies would stay if only the "
                "others were fixed (total Sobol index).",
                f"{together}: {luck} is luck." if luck else "",
            )
        return chapter

    def map(self) -> Drawing:
        """Every rule by its effect on every quantity."""
        columns, cells = [SHORT[q.key] for q in self.quantities], {}
        for name, effects in self.effects.items():
            for column, quantity, e in zip(columns, self.quantities, effects, strict=True):
                unit = " points" if quantity.share else ""
                title = f"{name} on {quantity.noun}: {e.value:.2f} ± {e.error:.2f}{unit}"
                cells[name, column] = HeatMap.Cell(e.size, f"{e.size:.2f}", title, False, e.size >= NOTICEABLE)
        names = list(self.effects)
        lines = "; ".join(f"{name}: " + ", ".join(f"{c} {cells[name, c].text}" for c in columns) for name in names[:6])
        return heat_map(f"Effect sizes of rules: {lines}.", HeatMap(names, columns, cells, 0.0, "rule", "effect on"))


def _most(names: list[str]) -> str:
    """Rules that may be first, the largest effect first; at most three are named."""
    named = [spoken_rule(name) for name in names[:MOST_NAMED]]
    return words.listed(named + ([f"{words.number(len(names) - MOST_NAMED)} more"] if names[MOST_NAMED:] else []))


def effects_chart(analysis: Sensitivity) -> Drawing:
    """Every rule by its effect on every quantity, largest first; effects below a tenth are not coloured."""
    return Effects(analysis).map()
