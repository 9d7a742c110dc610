"""One to three rules over a range: which quantities respond, which hardly do, and the curve or map of each.

Where a quantity differs most is picked on one half of the deals and estimated on the other, and only that is said.
"""

import math
from collections.abc import Sequence
from typing import Any

from jamaica_sim.charts.axis_charts import Curve, curves
from jamaica_sim.charts.drawing import Drawing
from jamaica_sim.charts.grid_charts import HeatMap, heat_map
from jamaica_sim.charts.row_charts import Mark, Panel, Row
from jamaica_sim.lab.spoken import more_of, spoken_rule
from jamaica_sim.lab.sweep import Sweep, SweepPlan
from jamaica_sim.lab.sweep import Swept as SweptRule
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber
from jamaica_sim.report.figures import panels_chart
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge, allowing_for
from jamaica_sim.results.measures import Measure
from jamaica_sim.stats.clear import NOTICEABLE

BESIDE = 2  # quantities beside each other, where a rule's values are names
MOST_SHOWN = 5  # quantities with a chart; the tables have all


class Response(Findings):
    """How one quantity responds."""

    def __init__(self, sweep: Sweep, measure: Measure):
        self.measure, plan = measure, sweep.plan
        self.values = [sweep.value(measure, n) for n in range(len(sweep.results))]  # that of the base rules first
        self.clear = {n for key, n in sweep.clear if key == measure.key}  # combinations that clearly differ from it
        self.picked = sweep.picked(measure)
        # where it differs most from the base rules, on deals that did not pick it
        self.most = Comparison(self.picked.difference)
        self.spread = measure.scale * measure.spread(sweep.results[0])  # from game to game
        # for each rule, if all have an order and steps beside the base rules: that each step up brings more, or less
        is_ordered = all(isinstance(value, int | float) for point in plan.points for value in point)
        steps = [_steps(sweep, measure, axis) for axis in range(len(plan.swept))] if is_ordered else []
        self.steps = steps if all(claim.cases for claim in steps) else []

    @property
    def size(self) -> float:
        """How far it responds, in standard deviations of a game."""
        return abs(self.most.estimate.value) / self.spread if self.spread else math.inf

    def is_noticed(self, judge: Judge) -> bool:
        """Whether it responds, by as much as anybody would notice."""
        return self.size >= NOTICEABLE and judge.is_clear(self.most)

    def is_small(self, judge: Judge) -> bool:
        """Whether it responds by so little that nobody would notice: the whole interval, among all that is compared."""
        wide = allowing_for(self.most.estimate, judge.count)
        return max(abs(wide.low), abs(wide.high)) < NOTICEABLE * self.spread

    def direction(self, judge: Judge) -> str:
        """What larger values bring, such as "longer games"; empty unless every step of every rule brings it."""
        if not self.steps or any(judge.verdict(claim).kind != HOLDS for claim in self.steps):
            return ""
        signs = {claim.direction for claim in self.steps}
        return "" if len(signs) > 1 else self.measure.more if signs == {1} else self.measure.less

    def text(self, number: int) -> str:
        """The value at a combination."""
        value = self.values[number].value
        if math.isnan(value):
            return ""
        return words.percent(value / 100) if self.measure.share else words.amount(value, prose.decimals_of(value))


def _steps(sweep: Sweep, quantity: Measure, axis: int) -> Claim:
    """From each value of a rule to the next, the other rule as in the base rules."""
    plan = sweep.plan
    along = [p for p in plan.points if all(p[o] == plan.base_values[o] for o in range(len(p)) if o != axis)]
    along.sort(key=lambda point: point[axis])
    results = [sweep.results[sweep.index(point)] for point in along]
    text = plan.swept[axis].text
    cases = {
        f"{text(a[axis])} to {text(b[axis])}": Comparison(quantity.difference(one, two))
        for a, b, one, two in zip(along, along[1:], results, results[1:], strict=False)
    }
    sign = 1 if quantity.difference(results[0], results[-1]).value > 0 else -1
    return Claim(f"{spoken_rule(plan.swept[axis].name)}: {quantity.more if sign > 0 else quantity.less}", cases, sign)


class Swept(Findings):
    """All quantities of a sweep, those that respond most first."""

    def __init__(self, sweep: Sweep):
        self.plan, self.in_order = sweep.plan, sweep.in_order  # combinations by their values
        self.responses = sorted((Response(sweep, quantity) for quantity in sweep.quantities), key=lambda r: -r.size)
        self.tables = [sweep.differences(), sweep.values()]
        self.is_ordered = all(isinstance(value, int | float) for point in sweep.plan.points for value in point)

    def write(self, judge: Judge) -> Chapter:
        """What responds, and what does not."""
        responses, plan = self.responses, self.plan
        noticed = [r for r in responses if r.is_noticed(judge)]
        unsure = [r for r in responses if not judge.is_clear(r.most)]
        faint, quiet = ([r.measure.noun for r in unsure if bool(r.clear) is some] for some in (True, False))
        chapter = Chapter("sweep", "What responds", tables=self.tables, effect=responses[0].size)
        chapter.headline = self._headline(noticed, judge)
        count = words.number(len(noticed)) if noticed else "none"
        chapter.heading = f"{count} of {words.number(len(responses))} quantities respond noticeably"
        chapter.standfirst = [_instead(plan, r) for r in noticed[:2]]
        chapter.claims = [claim for r in noticed for claim in r.steps]
        small = [r for r in responses if r not in noticed and judge.is_clear(r.most)]
        chapter.say(*(_instead(plan, r) for r in noticed))
        few = (
            f"what follows is clear, but below {NOTICEABLE} standard deviations of a single game: nobody would notice."
        )
        chapter.say(few if small else "", *(_instead(plan, r) for r in small))
        by_how_much = "clearly different at some values, but too close to call by how much"
        chapter.say(
            f"{by_how_much}: {words.listed(faint)}." if faint else "",
            f"no clear response: {words.listed(quiet)}." if quiet else "",
        )
        chapter.figures = self._figures((noticed or responses)[:MOST_SHOWN])
        for response in (noticed or responses)[:3]:
            quantity, change = response.measure, response.most.estimate
            text = words.signed(change.value, prose.decimals_for(change))
            unit = ", in points," if quantity.share else ""
            label = f"{quantity.column}{unit} with {_told(plan, response.picked.number)}"
            chapter.keys.append(KeyNumber(text, label, judge.is_clear(response.most)))
        chapter.keys.append(KeyNumber(f"{plan.games:,}", f"games of each of {len(plan.points)} sets of rules", False))
        return chapter

    def _headline(self, noticed: Sequence[Response], judge: Judge) -> str:
        rules = self.plan.swept
        names = [spoken_rule(rule.name) for rule in rules]
        if not noticed:
            is_known = all(response.is_small(judge) for response in self.responses)
            return f"{words.listed(names)}: {'hardly any effect' if is_known else 'no effect is shown'}"
        directions = [response.direction(judge) for response in noticed[:2]]
        if all(directions):
            more = words.listed([more_of(rule.name) for rule in rules])
            verb = "means" if len(rules) == 1 and more.startswith("a ") else "mean"
            return f"{more} {verb} {words.listed(directions)}"
        nouns = words.listed([response.measure.noun for response in noticed[:2]])
        return f"changing {words.listed(names)} changes {nouns}"

    # Charts

    def _figures(self, shown: Sequence[Response]) -> list[Figure]:
        plan = self.plan
        games = f"{plan.games:,} games of each"
        if len(plan.swept) == 1:
            sub = f"Per game; hollow: the base rules; bars are 95% intervals; {games}"
            if self.is_ordered:
                title = f"The game by {spoken_rule(plan.swept[0].name)}"
                return [Figure(f"curves_{shown[0].measure.key}", title, sub, self.curves(shown))]
            return [self.rows(shown[start : start + BESIDE], sub) for start in range(0, len(shown), BESIDE)]
        *above, across = (spoken_rule(rule.name) for rule in plan.swept)
        many = []
        for response in shown:
            quantity = response.measure
            unit = "Percent" if quantity.share else "Per game"
            sub = (
                f"{unit}, by {', '.join(above)} (down) and {across} (across); violet: more than "
                f"under the base rules (framed), grey: less; {games}"
            )
            many.append(Figure(f"map_{quantity.key}", words.sentence(quantity.noun), sub, self.map(response)))
        return many

    def rows(self, shown: Sequence[Response], sub: str = "") -> Figure:
        """Values that have no order, one below the other."""
        rule, panels = self.plan.swept[0], []
        for response in shown:
            made = []
            for number in self.in_order:
                e, text, is_base = response.values[number], response.text(number), number == 0
                role = "base" if is_base else "subject"
                mark = Mark(e.value, text, role, is_base, "", e.low, e.high, prose.whole(e))
                made.append(Row(_text(rule, self.plan.points[number][0]), [mark], strong=is_base))
            panels.append(Panel(words.sentence(response.measure.column), made, line=response.values[0].value))
        title = f"{words.listed([response.measure.column for response in shown])} by {spoken_rule(rule.name)}"
        return panels_chart(f"rows_{shown[0].measure.key}", words.sentence(title), sub, panels)

    def curves(self, shown: Sequence[Response]) -> Drawing:
        """Quantities over the values of one rule."""
        rule, order = self.plan.swept[0], self.in_order
        steps = [_text(rule, self.plan.points[n][0]) for n in order]
        many = []
        for response in shown:
            quantity, estimates = response.measure, [response.values[n] for n in order]
            told = [self.plan.told(self.plan.points[n]) for n in order]
            titles = [f"{step}: {prose.whole(e)}" for step, e in zip(told, estimates, strict=True)]
            name = f"{quantity.column}{' (%)' if quantity.share else ''}"
            values = [(e.value, e.low, e.high) for e in estimates]
            many.append(Curve(name, values, [response.text(n) for n in order], titles))
        lines = "; ".join(
            f"{curve.name} {', '.join(f'{step}: {text}' for step, text in zip(steps, curve.texts, strict=True))}"
            for curve in many
        )
        return curves(f"By {spoken_rule(rule.name)}: {lines}.", many, steps, base=order.index(0))

    def map(self, response: Response) -> Drawing:
        """A quantity by two or three rules."""
        plan, quantity, cells = self.plan, response.measure, {}
        *down, across = plan.swept

        def line(values: Sequence[Any]) -> str:
            return ", ".join(_text(rule, value) for rule, value in zip(down, values, strict=True))

        for number, point in enumerate(plan.points):
            estimate, clear = response.values[number], number == 0 or number in response.clear
            title = f"{plan.told(point)}: {prose.whole(estimate)}{'' if clear else ', no clear difference'}"
            cell = HeatMap.Cell(estimate.value, response.text(number), title, number == 0, clear)
            cells[line(point[:-1]), _text(across, point[-1])] = cell
        every = sorted({point[:-1] for point in plan.points}, key=lambda values: [*map(_sortable, values)])
        lines = [line(values) for values in every]
        columns = [_text(across, value) for value in sorted({point[-1] for point in plan.points}, key=_sortable)]
        spoken_cells = "; ".join(f"{a}, {b}: {cells[a, b].text}" for a in lines for b in columns if (a, b) in cells)
        names = ", ".join(spoken_rule(rule.name) for rule in down), spoken_rule(across.name)
        label = f"{quantity.column} by {' and '.join(names)}: {spoken_cells}."
        return heat_map(label, HeatMap(lines, columns, cells, response.values[0].value, *names))


def _text(rule: SweptRule, value: Any) -> str:
    """A value of a rule in a chart."""
    text = rule.text(value)
    return text.replace("-", words.MINUS) if isinstance(value, int | float) else text.replace(",", ", ")


def _sortable(value: object) -> tuple[int, float, str]:
    return (0, value, "") if isinstance(value, int | float) else (1, 0, str(value))


def sweep_chart(sweep: Sweep) -> Drawing:
    """A sweep in one chart: curves of all quantities for one rule, or a map of the one that responds most to two."""
    swept = Swept(sweep)
    if len(sweep.plan.swept) > 1:
        return swept.map(swept.responses[0])
    return swept.curves(swept.responses) if swept.is_ordered else swept.rows(swept.responses[:BESIDE]).drawing


def _told(plan: SweepPlan, number: int) -> str:
    return plan.told(plan.points[number]).replace(" -", f" {words.MINUS}")


def _instead(plan: SweepPlan, response: Response) -> str:
    """A quantity where it differs most from the base rules, in a sentence."""
    quantity, picked = response.measure, response.picked
    unit, points = ("%", " points") if quantity.share else ("", "")
    value, base = (prose.mean(e, unit) for e in (picked.value, picked.base))
    return (
        f"with {_told(plan, picked.number)}, {quantity.noun} is {value} instead of {base} "
        f"({prose.change(response.most.estimate)}{points})."
    )
