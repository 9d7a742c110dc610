"""Which rules matter, and for which quantity: all rules ranked by effect, and the shares of those that matter."""

from dataclasses import dataclass

from jamaica_sim.charts.drawing import Drawing
from jamaica_sim.charts.grid_charts import HeatMap, heat_map
from jamaica_sim.lab.sensitivity_result import Sensitivity
from jamaica_sim.report import words
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber
from jamaica_sim.report.chapters.sweeping import spoken_rule
from jamaica_sim.report.judge import Findings, Judge
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
        self.has_shares = bool(analysis.kept)  # of the variance, for the rules that matter
        luck = zip(task.quantities, analysis.luck, strict=True)
        self.lucky = [(q, float(share)) for q, share in luck if share >= 0.1]  # luck has a part in their variance
        self.sentence, self.sets = analysis.sentence(), len(analysis.measured)
        self.played = f"{task.trajectories} walks, {task.games:,} games of each set of rules"
        self.tables = analysis.result_tables()

    def write(self, judge: Judge) -> Chapter:
        """Which rules matter most, and their shares of the variance."""
        chapter = Chapter("effects", "What matters", tables=self.tables, standfirst=[self.sentence])
        largest = {name: max(e.size for e in effects) for name, effects in self.effects.items()}
        mattering = [spoken_rule(name) for name, size in largest.items() if size >= NOTICEABLE]
        quiet = [spoken_rule(name) for name, size in largest.items() if size < NOTICEABLE]
        chapter.headline = f"{words.listed(mattering[:2])} matter most" if mattering else "No rule matters"
        chapter.heading = f"{words.number(len(mattering))} of {words.number(len(largest))} rules matter noticeably"
        for number, quantity in enumerate(self.quantities):
            name = max(self.effects, key=lambda rule: self.effects[rule][number].value)
            effect = self.effects[name][number]
            if effect.size >= NOTICEABLE:
                amount = f"{words.amount(effect.value, 1)}{' points' if quantity.share else ''}"
                chapter.say(f"{quantity.noun} depends most on {spoken_rule(name)}: {amount} over its range.")
        chapter.say(f"hardly any effect within their range: {words.listed(quiet)}." if quiet else "")
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


def effects_chart(analysis: Sensitivity) -> Drawing:
    """Every rule by its effect on every quantity, largest first; effects below a tenth are not coloured."""
    return Effects(analysis).map()
