"""One to three rules over a range: which measures respond, and the curve or map of each.

What a measure does along a rule is a claim about every step from one value to the next. Where values have no order, the
claim is about the value where it differs most from the base rules; its interval allows for the picking.
"""

import math
from collections.abc import Sequence
from typing import Any

from jamaica_sim.game.words import more_of, spoken_rule
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Figure, KeyNumber
from jamaica_sim.report.charts.axis_charts import Curve, curves
from jamaica_sim.report.charts.drawing import Drawing
from jamaica_sim.report.charts.grid_charts import HeatMap, heat_map
from jamaica_sim.report.charts.row_charts import Mark, Panel, Row
from jamaica_sim.report.figures import panels_chart
from jamaica_sim.report.judge import Case, Claim
from jamaica_sim.report.parts import Part, Parts
from jamaica_sim.results.measures import Measure
from jamaica_sim.study.lab.sweep import Sweep, SweptRule

BESIDE = 2  # measures beside each other, where a rule's values are names
MOST_SHOWN = 5  # measures with a chart; the tables have all
MOST_CLAIMS = 3
UNITS = {"": "Per game", "%": "Percent", " points": "Points"}


def swept_chapter(sweep: Sweep) -> Parts:
    """The chapter on a sweep: the measures that people would notice to change, each with its claim."""
    noticed = {m: max(m.noticed(sweep.results[0], one) for one in sweep.results[1:]) for m in sweep.quantities}
    order = sorted(noticed, key=lambda m: -noticed[m])
    shown = [m for m in order if noticed[m] >= 1] or order[:1]
    rules = words.listed([spoken_rule(rule.name) for rule in sweep.plan.swept])
    parts = [_response(sweep, measure) for measure in shown[:MOST_CLAIMS]]
    if not noticed[shown[0]] >= 1:
        parts.insert(0, Part(headline=f"{rules}: no noticeable effect is shown"))
    parts[0].tables, parts[0].figures = [sweep.differences(), sweep.values()], _figures(sweep, shown[:MOST_SHOWN])
    also = [f"{m.column} {prose.change(sweep.picked(m).difference)}{' points' if m.share else ''}"
            for m in shown[MOST_CLAIMS:]]  # fmt: skip
    rest = [m.column for m in order if noticed[m] < 1]
    facts = [f"where they differ most from the base rules: {words.listed(also)}." if also else "",
             f"other changes are small or uncertain: {words.listed(rest)}." if rest else ""]  # fmt: skip
    parts.append(Part(facts=facts))
    return Parts("sweep", "What responds", parts)


def _told(sweep: Sweep, number: int) -> str:
    return sweep.plan.spoken(sweep.plan.points[number]).replace(" -", f" {words.MINUS}")


def _response(sweep: Sweep, measure: Measure) -> Part:
    """How one measure responds: step by step along the rule that moves it most, or where it differs most."""
    picked, plan = sweep.picked(measure), sweep.plan
    change, where = picked.difference, _told(sweep, picked.number)
    sign = 1 if change.value > 0 else -1
    more, less = (measure.more, measure.less)[::sign]
    says, opposite, cases = f"with {where}: {more}", f"with {where}: {less}", {"": Case(change)}
    if steps := _steps(sweep, measure):
        axis, cases, sign = steps
        rule = more_of(plan.swept[axis].name)
        verb = "mean" if rule.split()[1].endswith("s") else "means"
        says, opposite = (f"{rule} {verb} {phrase}" for phrase in (measure.more, measure.less)[::sign])
    neither = f"{words.listed([spoken_rule(r.name) for r in plan.swept])}: no clear effect on {measure.noun}"
    value, base = (prose.mean(e, measure.behind) for e in (picked.value, picked.base))
    told = f"{prose.change(change)}{' points' if measure.share else ''}"
    text = words.signed(change.value, prose.decimals_for(change), " points" if measure.share else "")
    spread = measure.scale * measure.spread(sweep.results[0])
    return Part(
        Claim(says, cases, sign, opposite=opposite, neither=neither, noun="steps"),
        [f"{measure.column}: {value} with {where}, {base} under the base rules ({told})."],
        keys=[KeyNumber(text, f"{measure.column}, at most, against the base rules")],
        effect=abs(change.value) / spread if spread else 0.0,
    )  # fmt: skip


def _steps(sweep: Sweep, measure: Measure) -> tuple[int, dict[str, Case], int] | None:
    """The rule along which a measure changes most, the other rules as in the base rules, and every step of it.

    None where a rule's values have no order.
    """
    plan, found = sweep.plan, []
    if not all(isinstance(value, int | float) for point in plan.points for value in point):
        return None
    for axis, rule in enumerate(plan.swept):
        along = [p for p in plan.points if all(p[o] == plan.base_values[o] for o in range(len(p)) if o != axis)]
        along.sort(key=lambda point: point[axis])
        results = [sweep.results[sweep.index(point)] for point in along]
        cases = {f"{rule.text(a[axis])} to {rule.text(b[axis])}": Case(measure.difference(one, two))
                 for a, b, one, two in zip(along, along[1:], results, results[1:], strict=False)}  # fmt: skip
        if cases:
            found.append((measure.difference(results[0], results[-1]).value, axis, cases))
    if not found:
        return None
    change, axis, cases = max(found, key=lambda one: abs(one[0]))
    return axis, cases, 1 if change > 0 else -1


# Charts


def _figures(sweep: Sweep, shown: Sequence[Measure]) -> list[Figure]:
    games = f"{sweep.plan.games:,} games of each"
    *above, across = (spoken_rule(rule.name) for rule in sweep.plan.swept)
    if not above:
        sub = f"Per game; hollow: the base rules; bars are 95% intervals; {games}"
        if _is_ordered(sweep):
            return [Figure(f"curves_{shown[0].key}", f"The game by {across}", sub, _curves(sweep, shown))]
        return [_rows(sweep, shown[start : start + BESIDE], sub) for start in range(0, len(shown), BESIDE)]
    sub = (f"by {', '.join(above)} (down) and {across} (across); violet: more than under the base rules (framed), "
           f"grey: less; {games}")  # fmt: skip
    return [Figure(f"map_{m.key}", words.sentence(m.noun), f"{UNITS[m.behind]}, {sub}",
                   _map(sweep, m)) for m in shown]  # fmt: skip


def _is_ordered(sweep: Sweep) -> bool:
    return all(isinstance(value, int | float) for point in sweep.plan.points for value in point)


def _text(sweep: Sweep, measure: Measure, number: int) -> str:
    """A value in a chart."""
    value = sweep.value(measure, number).value
    if math.isnan(value):
        return ""
    return words.percent(value / 100) if measure.share else words.amount(value, prose.decimals_of(value))


def _rule_text(rule: SweptRule, value: Any) -> str:
    text = rule.text(value)
    return text.replace("-", words.MINUS) if isinstance(value, int | float) else text.replace(",", ", ")


def _rows(sweep: Sweep, shown: Sequence[Measure], sub: str = "") -> Figure:
    """Values that have no order, one below the other."""
    rule, panels = sweep.plan.swept[0], []
    for measure in shown:
        made = []
        for number in sweep.in_order:
            e, is_base = sweep.value(measure, number), number == 0
            mark = Mark(e.value, _text(sweep, measure, number), "base" if is_base else "subject", is_base, "", e.low,
                        e.high, prose.whole(e))  # fmt: skip
            made.append(Row(_rule_text(rule, sweep.plan.points[number][0]), [mark], strong=is_base))
        panels.append(Panel(words.sentence(measure.column), made, line=sweep.value(measure).value))
    title = f"{words.listed([measure.column for measure in shown])} by {spoken_rule(rule.name)}"
    return panels_chart(f"rows_{shown[0].key}", words.sentence(title), sub, panels)


def _curves(sweep: Sweep, shown: Sequence[Measure]) -> Drawing:
    """Measures over the values of one rule."""
    rule, order = sweep.plan.swept[0], sweep.in_order
    steps = [_rule_text(rule, sweep.plan.points[n][0]) for n in order]
    many = []
    for m in shown:
        found, texts = [sweep.value(m, n) for n in order], [_text(sweep, m, n) for n in order]
        titles = [f"{_told(sweep, n)}: {prose.whole(e)}" for n, e in zip(order, found, strict=True)]
        name = f"{m.column}{' (%)' if m.share else ''}"
        many.append(Curve(name, [(e.value, e.low, e.high) for e in found], texts, titles))
    lines = "; ".join(
        f"{curve.name} {', '.join(f'{step}: {text}' for step, text in zip(steps, curve.texts, strict=True))}"
        for curve in many
    )
    return curves(f"By {spoken_rule(rule.name)}: {lines}.", many, steps, base=order.index(0))


def _map(sweep: Sweep, measure: Measure) -> Drawing:
    """A measure by two or three rules."""
    plan, cells = sweep.plan, {}
    *down, across = plan.swept
    places = {n: (", ".join(_rule_text(rule, v) for rule, v in zip(down, plan.points[n], strict=False)),
                  _rule_text(across, plan.points[n][-1])) for n in sweep.in_order}  # fmt: skip
    for number, place in places.items():
        e, clear = sweep.value(measure, number), number == 0 or (measure.key, number) in sweep.clear
        title = f"{_told(sweep, number)}: {prose.whole(e)}{'' if clear else ', no clear difference'}"
        cells[place] = HeatMap.Cell(e.value, _text(sweep, measure, number), title, number == 0, clear)
    lines = list(dict.fromkeys(line for line, _ in places.values()))
    columns = [_rule_text(across, plan.points[n][-1]) for n in sorted(places, key=lambda n: sweep.in_order.index(n))]
    spoken = "; ".join(f"{a}, {b}: {cell.text}" for (a, b), cell in cells.items())
    names = ", ".join(spoken_rule(rule.name) for rule in down), spoken_rule(across.name)
    label = f"{measure.column} by {' and '.join(names)}: {spoken}."
    return heat_map(label, HeatMap(lines, list(dict.fromkeys(columns)), cells, sweep.value(measure).value, *names))


def sweep_chart(sweep: Sweep) -> Drawing:
    """A sweep in one chart: curves of all measures for one rule, or a map of the one that responds most to two."""
    order = sorted(sweep.quantities, key=lambda m: -max(m.noticed(sweep.results[0], one) for one in sweep.results[1:]))
    if len(sweep.plan.swept) > 1:
        return _map(sweep, order[0])
    return _curves(sweep, order) if _is_ordered(sweep) else _rows(sweep, order[:BESIDE]).drawing
