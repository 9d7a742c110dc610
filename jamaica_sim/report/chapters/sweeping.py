"""One to three rules over a range: which quantities respond, which hardly do, and the curve or map of each.

Where a quantity differs most is picked on one half of the deals and estimated on the other, and only that is said.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jamaica_sim.charts.axis_charts import Curve, curves
from jamaica_sim.charts.drawing import Drawing
from jamaica_sim.charts.grid_charts import HeatMap, heat_map
from jamaica_sim.charts.row_charts import Mark, Panel, Row
from jamaica_sim.lab.sweep import Picked, Sweep, SweepPlan
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import chart
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge
from jamaica_sim.results.measures import Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.clear import NOTICEABLE
from jamaica_sim.stats.estimate import Estimate

BESIDE = 2  # quantities beside each other, where a rule's values are names
MOST_SHOWN = 5  # quantities with a chart; the tables have all
# A rule in words, more of it where that is not "larger values of" it, and a value of it.
SPOKEN = {
    "hand_size": ("cards in hand", "more cards in hand", "{} cards in hand"),
    "start_food": ("food at the start", "more food at the start", "{} food at the start"),
    "start_gunpowder": ("gunpowder at the start", "more gunpowder at the start", "{} gunpowder at the start"),
    "start_gold": ("doubloons at the start", "more doubloons at the start", "{} doubloons at the start"),
    "action_die": ("action dice", "", "action dice of {}"),
    "space.0.score": ("points of the finish", "more points for the finish", "{} points for the finish"),
    "holds": ("the holds", "more holds", "{} holds"),
    "red_line": ("the red line", "a later red line", "the red line at space {}"),
    "ports.dearer": ("dearer ports", "dearer ports", "ports {} dearer"),
    "seas.dearer": ("dearer seas", "dearer seas", "seas {} dearer"),
    "lady_beth_bonus": ("Lady Beth's bonus", "a larger bonus for Lady Beth", "a bonus of {} for Lady Beth"),
    "ghost_gold": ("the ghost's gold", "", "{} gold for the ghost"),
    "start_score": ("the score of the start", "", "{} points for the start"),
    "players": ("the number of players", "more players", "{} players"),
}


def spoken_rule(name: str) -> str:
    """A rule in words."""
    return SPOKEN[name][0] if name in SPOKEN else name.replace("_", " ")


@dataclass(frozen=True)
class Response(Findings):
    """How one quantity responds."""

    measure: Measure
    values: list[Estimate]  # by combination, that of the base rules first
    clear: set[int]  # combinations at which it clearly differs from the base rules
    picked: Picked
    most: Comparison  # where it differs most from the base rules, on deals that did not pick it
    spread: float  # the standard deviation from game to game
    steps: list[Claim]  # for each rule with an order: that each step up brings more, or less

    @property
    def size(self) -> float:
        """How far it responds, in standard deviations of a game."""
        return abs(self.most.estimate.value) / self.spread if self.spread else math.inf

    def is_noticed(self, judge: Judge) -> bool:
        """Whether it responds, by as much as anybody would notice."""
        return self.size >= NOTICEABLE and judge.is_clear(self.most)

    def direction(self, judge: Judge) -> str:
        """What larger values bring, such as "longer games"; empty unless every step of every rule brings it."""
        if not self.steps or any(judge.verdict(claim).kind != HOLDS for claim in self.steps):
            return ""
        signs = {claim.direction for claim in self.steps}
        return "" if len(signs) > 1 else self.measure.more if signs == {1} else self.measure.less


@dataclass(frozen=True)
class Swept(Findings):
    """All quantities of a sweep, those that respond most first."""

    plan: SweepPlan
    in_order: list[int]  # combinations by their values
    responses: list[Response]
    tables: list[ResultTable]

    @property
    def is_ordered(self) -> bool:
        """Whether all values are numbers."""
        return all(isinstance(value, int | float) for point in self.plan.points for value in point)


def find(sweep: Sweep) -> Swept:
    """Compare every combination with the base rules, and each value of a rule with the next."""
    responses = [_response(sweep, quantity) for quantity in sweep.quantities]
    responses.sort(key=lambda response: -response.size)
    return Swept(sweep.plan, sweep.in_order, responses, [sweep.differences(), sweep.values()])


def _response(sweep: Sweep, quantity: Measure) -> Response:
    values = [sweep.value(quantity, number) for number in range(len(sweep.results))]
    clear = {number for key, number in sweep.clear if key == quantity.key}
    picked, plan = sweep.picked(quantity), sweep.plan
    steps = [
        _steps(sweep, quantity, axis)
        for axis, rule in enumerate(plan.swept)
        if all(isinstance(value, int | float) for value in rule.values)
    ]
    return Response(
        quantity, values, clear, picked, Comparison(picked.difference),
        quantity.scale * quantity.spread(sweep.results[0]), steps if len(steps) == len(plan.swept) else [],
    )  # fmt: skip


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


def write(swept: Swept, judge: Judge) -> Chapter:
    """What responds, and what does not."""
    responses, plan = swept.responses, swept.plan
    noticed = [r for r in responses if r.is_noticed(judge)]
    quiet = [r.measure.noun for r in responses if not judge.is_clear(r.most)]
    chapter = Chapter("sweep", "What responds", tables=swept.tables, effect=responses[0].size)
    chapter.headline = _headline(swept, noticed, judge)
    count = words.number(len(noticed)) if noticed else "none"
    chapter.heading = f"{count} of {words.number(len(responses))} quantities respond noticeably"
    chapter.standfirst = [_instead(plan, r) for r in noticed[:2]]
    chapter.claims = [claim for r in noticed for claim in r.steps]
    chapter.say(*(_instead(plan, r) for r in responses if judge.is_clear(r.most)))
    chapter.say(f"no clear response: {words.listed(quiet)}." if quiet else "")
    chapter.figures = _figures(swept, (noticed or responses)[:MOST_SHOWN])
    chapter.hero = chapter.figures[0]
    chapter.keys = [_key(plan, r, judge) for r in (noticed or responses)[:3]]
    behind = f"games of each of {len(plan.points)} sets of rules"
    chapter.keys.append(KeyNumber(f"{plan.games:,}", behind, False))
    return chapter


def sweep_chart(sweep: Sweep) -> Drawing:
    """A sweep in one chart: curves of all quantities for one rule, or a map of the one that responds most to two."""
    swept = find(sweep)
    if len(sweep.plan.swept) > 1:
        return _map(swept, swept.responses[0])
    return _curves(swept, swept.responses) if swept.is_ordered else _rows(swept, swept.responses[:BESIDE], "").drawing


# Words


def spoken_value(name: str, value: Any, text: str) -> str:
    """A value of a rule in words, such as "6 cards in hand"; `text` is the value as a table shows it."""
    phrase = SPOKEN[name][2] if name in SPOKEN else f"{name.replace('_', ' ')} {{}}"
    if name.endswith(".dearer") and isinstance(value, int):
        return phrase.replace("dearer", "cheaper" if value < 0 else "dearer").format(abs(value))
    return phrase.format(text)


def _combination(plan: SweepPlan, number: int) -> str:
    pairs = zip(plan.swept, plan.points[number], strict=True)
    return words.listed([spoken_value(rule.name, value, rule.text(value)) for rule, value in pairs])


def _headline(swept: Swept, noticed: Sequence[Response], judge: Judge) -> str:
    swept_rules = swept.plan.swept
    names = [spoken_rule(rule.name) for rule in swept_rules]
    if not noticed:
        return f"{words.listed(names)} hardly matter"
    directions = [response.direction(judge) for response in noticed[:2]]
    if all(directions):
        more = [SPOKEN.get(rule.name, ("", "", ""))[1] or f"larger values of {rule.name}" for rule in swept_rules]
        return f"{words.listed(more)} mean {words.listed(directions)}"
    return f"{words.listed(names)} decide {words.listed([response.measure.noun for response in noticed[:2]])}"


def _instead(plan: SweepPlan, response: Response) -> str:
    """A quantity where it differs most from the base rules, in a sentence."""
    quantity, picked = response.measure, response.picked
    unit, points = ("%", " points") if quantity.share else ("", "")
    figures = [
        prose.said(f"{words.amount(e.value, prose.decimals_for(e))}{unit}", prose.behind(e))
        for e in (picked.value, picked.base)
    ]
    return (
        f"with {_combination(plan, picked.number)}, {quantity.noun} is {figures[0]} instead of {figures[1]} "
        f"({prose.change(response.most.estimate)}{points})."
    )


def _key(plan: SweepPlan, response: Response, judge: Judge) -> KeyNumber:
    quantity, change = response.measure, response.most.estimate
    label = f"{quantity.column}{', in points,' if quantity.share else ''} with "
    text = words.signed(change.value, prose.decimals_for(change))
    return KeyNumber(text, label + _combination(plan, response.picked.number), judge.is_clear(response.most))


# Charts


def _figures(swept: Swept, shown: Sequence[Response]) -> list[Figure]:
    plan = swept.plan
    games = f"{plan.games:,} games of each"
    if len(plan.swept) == 1:
        sub = f"By {spoken_rule(plan.swept[0].name)}; hollow: the base rules; bars are 95% intervals; {games}"
        if swept.is_ordered:
            return [Figure(f"curves_{shown[0].measure.key}", "How it responds", sub, _curves(swept, shown))]
        groups = [shown[start : start + BESIDE] for start in range(0, len(shown), BESIDE)]
        return [_rows(swept, group, sub) for group in groups]
    *above, across = (spoken_rule(rule.name) for rule in plan.swept)
    down, many = ", ".join(above), []
    for response in shown:
        quantity = response.measure
        unit = "in percent" if quantity.share else "per game"
        sub = (
            f"{quantity.column}, {unit}, by {down} (down) and {across} (across); violet: more than under the base "
            f"rules (framed), grey: less; {games}"
        )
        many.append(Figure(f"map_{quantity.key}", words.sentence(quantity.noun), sub, _map(swept, response)))
    return many


def _text(quantity: Measure, value: float) -> str:
    if math.isnan(value):
        return ""
    return words.percent(value / 100) if quantity.share else words.amount(value, prose.decimals_of(value))


def _rows(swept: Swept, shown: Sequence[Response], sub: str) -> Figure:
    """Values that have no order, one below the other."""
    rule, panels = swept.plan.swept[0], []
    for response in shown:
        made = []
        for number in swept.in_order:
            e, is_base = response.values[number], number == 0
            mark = Mark(e.value, _text(response.measure, e.value), "base" if is_base else "subject", is_base, "", e.low,
                        e.high, prose.whole(e))  # fmt: skip
            made.append(Row(rule.text(swept.plan.points[number][0]), [mark], strong=is_base))
        panels.append(Panel(words.sentence(response.measure.column), made, line=response.values[0].value))
    return chart(f"rows_{shown[0].measure.key}", "How it responds", sub, panels)


def _curves(swept: Swept, shown: Sequence[Response]) -> Drawing:
    rule, order = swept.plan.swept[0], swept.in_order
    steps = [rule.text(swept.plan.points[n][0]) for n in order]
    many = []
    for response in shown:
        quantity, estimates = response.measure, [response.values[n] for n in order]
        titles = [f"{rule.name} {step}: {prose.whole(e)}" for step, e in zip(steps, estimates, strict=True)]
        texts = [_text(quantity, e.value) for e in estimates]
        name = f"{quantity.column}{' (%)' if quantity.share else ''}"
        many.append(Curve(name, [(e.value, e.low, e.high) for e in estimates], texts, titles))
    lines = "; ".join(
        f"{curve.name} {', '.join(f'{step}: {text}' for step, text in zip(steps, curve.texts, strict=True))}"
        for curve in many
    )
    return curves(f"By {rule.name}: {lines}.", many, steps, base=order.index(0))


def _map(swept: Swept, response: Response) -> Drawing:
    plan, quantity = swept.plan, response.measure
    *down, across = plan.swept

    def line(values: Sequence[Any]) -> str:
        return ", ".join(rule.text(value) for rule, value in zip(down, values, strict=True))

    cells = {}
    for number, point in enumerate(plan.points):
        estimate = response.values[number]
        clear = number == 0 or number in response.clear
        title = f"{plan.label(point)}: {prose.whole(estimate)}{'' if clear else ', no clear difference'}"
        text = _text(quantity, estimate.value)
        cells[line(point[:-1]), across.text(point[-1])] = HeatMap.Cell(estimate.value, text, title, number == 0, clear)
    every = sorted({point[:-1] for point in plan.points}, key=lambda values: [*map(_sortable, values)])
    lines = [line(values) for values in every]
    columns = [across.text(value) for value in sorted({point[-1] for point in plan.points}, key=_sortable)]
    spoken_cells = "; ".join(f"{a}, {b}: {cells[a, b].text}" for a in lines for b in columns if (a, b) in cells)
    label = f"{quantity.column} by {', '.join(rule.name for rule in down)} and {across.name}: {spoken_cells}."
    names = ", ".join(spoken_rule(rule.name) for rule in down), spoken_rule(across.name)
    return heat_map(label, HeatMap(lines, columns, cells, response.values[0].value, *names))


def _sortable(value: object) -> tuple[int, float, str]:
    return (0, value, "") if isinstance(value, int | float) else (1, 0, str(value))
