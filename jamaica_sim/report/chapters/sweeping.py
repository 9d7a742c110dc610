"""One or two rules over a range: which quantities respond, which hardly do, and the curve or map of each."""

import math
from collections.abc import Sequence

from jamaica_sim.lab.sweep import Sweep
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import spoken
from jamaica_sim.report.axis_charts import Curve, curves
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber
from jamaica_sim.report.drawing import Drawing
from jamaica_sim.report.grid_charts import HeatMap, heat_map
from jamaica_sim.report.row_charts import Mark, Panel, Row, rows
from jamaica_sim.results.measures import Measure
from jamaica_sim.stats.clear import NOTICEABLE

BESIDE = 2  # quantities beside each other, where a rule's values are names
# A rule in words, more of it where that is not "larger values of" it, and a value of it.
SPOKEN = {
    "hand_size": ("cards in hand", "more cards in hand", "{} cards in hand"),
    "start_food": ("food at the start", "more food at the start", "{} food at the start"),
    "start_gold": ("doubloons at the start", "more doubloons at the start", "{} doubloons at the start"),
    "action_die": ("action dice", "", "action dice of {}"),
    "space.0.score": ("points of the finish", "more points for the finish", "{} points for the finish"),
    "holds": ("the holds", "more holds", "{} holds"),
    "red_line": ("the red line", "a later red line", "the red line at space {}"),
    "ports.dearer": ("dearer ports", "dearer ports", "ports {} dearer"),
    "seas.dearer": ("dearer seas", "dearer seas", "seas {} dearer"),
    "players": ("the number of players", "more players", "{} players"),
}


def spoken_rule(name: str) -> str:
    """A rule in words."""
    return SPOKEN[name][0] if name in SPOKEN else name.replace("_", " ")


def _combination(sweep: Sweep, number: int) -> str:
    """A combination of values in words, such as "6 cards in hand"."""
    values = zip(sweep.plan.swept, sweep.plan.points[number], strict=True)
    spoken_values = [
        SPOKEN.get(r.name, ("", "", f"{r.name.replace('_', ' ')} {{}}"))[2].format(r.text(v)) for r, v in values
    ]
    return words.listed(spoken_values)


def sweep_chapters(sweep: Sweep) -> list[Chapter]:
    """The chapters of a sweep: what responds most, then the rest."""
    order = _by_effect(sweep)
    half = max(1, len(order) // 2)
    return [_lead(sweep, order, order[:half]), _rest(sweep, order[half:])]


def sweep_chart(sweep: Sweep) -> Drawing:
    """A sweep in one chart: curves of all quantities for one rule, or a map of the one that responds most to two."""
    order = _by_effect(sweep)
    if len(sweep.plan.swept) > 1:
        return _map(sweep, order[0])
    return _curves(sweep, list(sweep.quantities)) if _is_ordered(sweep) else _rows(sweep, order[:BESIDE])


def _by_effect(sweep: Sweep) -> list[Measure]:
    return sorted(sweep.quantities, key=lambda q: -sweep.effect(q)[0])


def _lead(sweep: Sweep, order: Sequence[Measure], shown: Sequence[Measure]) -> Chapter:
    chapter = Chapter("sweep", "What responds", tables=[sweep.differences()])
    responding = [q for q in order if sweep.effect(q)[0] >= NOTICEABLE]
    chapter.effect = sweep.effect(order[0])[0]
    chapter.headline = _headline(sweep, responding)
    chapter.heading = f"{words.number(len(responding))} of {words.number(len(order))} quantities respond noticeably"
    chapter.standfirst = [_instead(sweep, q) for q in responding[:2]]
    chapter.say(*(_instead(sweep, q) for q in shown if q in responding))
    chapter.figures = _figures(sweep, shown)
    chapter.hero = chapter.figures[0]
    chapter.keys = [_key(sweep, q) for q in (responding or order)[:3]]
    behind = f"games of each of {len(sweep.results)} sets of rules"
    chapter.keys.append(KeyNumber(f"{sweep.plan.games:,}", behind, False))
    return chapter


def _rest(sweep: Sweep, shown: Sequence[Measure]) -> Chapter:
    chapter = Chapter("rest", "What else", effect=-1.0, tables=[sweep.values()])
    quiet = [q for q in shown if not sweep.effect(q)[0]]
    chapter.heading = "What responds less"
    chapter.say(*(_instead(sweep, q) for q in shown if q not in quiet))
    if quiet:
        chapter.say(f"no clear response: {words.listed([q.noun for q in quiet])}.")
    chapter.figures = _figures(sweep, shown)
    return chapter


def _headline(sweep: Sweep, responding: Sequence[Measure]) -> str:
    names = [spoken_rule(rule.name) for rule in sweep.plan.swept]
    if not responding:
        return f"{words.listed(names)} hardly matter"
    directions = [_direction(sweep, q) for q in responding[:2]]
    if all(directions):
        more = [SPOKEN.get(rule.name, ("", "", ""))[1] or f"larger values of {rule.name}" for rule in sweep.plan.swept]
        return f"{words.listed(more)} mean {words.listed(directions)}"
    return f"{words.listed(names)} decide {words.listed([q.noun for q in responding[:2]])}"


def _direction(sweep: Sweep, quantity: Measure) -> str:
    """What larger values of each rule bring, such as "longer games"; empty unless every clear step goes that way."""
    if not _is_ordered(sweep):
        return ""
    signs: set[int] = set()
    for axis in range(len(sweep.plan.swept)):
        signs |= _steps(sweep, quantity, axis)
    if signs == {1}:
        return quantity.more
    return quantity.less if signs == {-1} else ""


def _steps(sweep: Sweep, quantity: Measure, axis: int) -> set[int]:
    """The directions in which a quantity goes from each value of a rule to the next, and from the least to the largest.

    A step that is not clear has no direction, unless it is the one from end to end.
    """
    plan = sweep.plan
    along = [p for p in plan.points if all(p[o] == plan.base_values[o] for o in range(len(p)) if o != axis)]
    results = [sweep.results[sweep.index(p)] for p in sorted(along, key=lambda point: point[axis])]
    steps = [quantity.difference(a, b) for a, b in zip(results, results[1:], strict=False)]
    signs = {1 if step.low > 0 else -1 for step in steps if step.low > 0 or step.high < 0}
    whole = quantity.difference(results[0], results[-1])
    return signs | {1 if whole.value > 0 else -1}


def _instead(sweep: Sweep, quantity: Measure) -> str:
    """A quantity where it differs most from the base rules, in a sentence; picked and estimated on different deals."""
    if not sweep.effect(quantity)[0]:
        return ""
    picked = sweep.picked(quantity)
    unit, points = ("%", " points") if quantity.share else ("", "")
    figures = [
        prose.said(f"{words.amount(e.value, prose.decimals_for(e))}{unit}", prose.behind(e))
        for e in (picked.value, picked.base)
    ]
    return (
        f"with {_combination(sweep, picked.number)}, {quantity.noun} is {figures[0]} instead of "
        f"{figures[1]} ({prose.change(picked.difference)}{points})."
    )


def _key(sweep: Sweep, quantity: Measure) -> KeyNumber:
    picked = sweep.picked(quantity)
    text = words.signed(picked.difference.value, prose.decimals_for(picked.difference))
    label = _combination(sweep, picked.number)
    is_clear = bool(sweep.effect(quantity)[0])
    return KeyNumber(text, f"{quantity.column}{', in points,' if quantity.share else ''} with {label}", is_clear)


def _figures(sweep: Sweep, shown: Sequence[Measure]) -> list[Figure]:
    plan = sweep.plan
    games = f"{plan.games:,} games of each"
    if len(plan.swept) == 1:
        sub = f"By {spoken_rule(plan.swept[0].name)}; hollow: the base rules; bars are 95% intervals; {games}"
        if _is_ordered(sweep):
            return [Figure(f"curves_{shown[0].key}", "How it responds", sub, _curves(sweep, shown))]
        groups = [shown[start : start + BESIDE] for start in range(0, len(shown), BESIDE)]
        return [Figure(f"rows_{group[0].key}", "How it responds", sub, _rows(sweep, group)) for group in groups]
    down, across = (spoken_rule(rule.name) for rule in plan.swept)
    many = []
    for quantity in shown:
        unit = "in percent" if quantity.share else "per game"
        sub = (
            f"{quantity.column}, {unit}, by {down} (down) and {across} (across); violet: more than under the base "
            f"rules (framed), grey: less; {games}"
        )
        title = quantity.noun[0].upper() + quantity.noun[1:]
        many.append(Figure(f"map_{quantity.key}", title, sub, _map(sweep, quantity)))
    return many


def _text(quantity: Measure, value: float) -> str:
    if math.isnan(value):
        return ""
    return words.percent(value / 100) if quantity.share else words.amount(value, prose.decimals_of(value))


def _is_ordered(sweep: Sweep) -> bool:
    return all(isinstance(value, int | float) for point in sweep.plan.points for value in point)


def _rows(sweep: Sweep, shown: Sequence[Measure]) -> Drawing:
    """Values that have no order, one below the other."""
    rule, panels = sweep.plan.swept[0], []
    for quantity in shown:
        made = []
        for number in sweep.in_order:
            e, is_base = sweep.value(quantity, number), number == 0
            mark = Mark(e.value, _text(quantity, e.value), "base" if is_base else "subject", is_base, "", e.low, e.high,
                        prose.whole(e))  # fmt: skip
            made.append(Row(rule.text(sweep.plan.points[number][0]), [mark], strong=is_base))
        title = quantity.column[0].upper() + quantity.column[1:]
        panels.append(Panel(title, made, line=sweep.value(quantity, 0).value))
    return rows(f"By {rule.name}: {spoken([(p.title, p.rows) for p in panels])}", panels)


def _curves(sweep: Sweep, shown: Sequence[Measure]) -> Drawing:
    rule, order = sweep.plan.swept[0], sweep.in_order
    steps = [rule.text(sweep.plan.points[n][0]) for n in order]
    many = []
    for quantity in shown:
        estimates = [sweep.value(quantity, n) for n in order]
        titles = [f"{rule.name} {step}: {prose.whole(e)}" for step, e in zip(steps, estimates, strict=True)]
        texts = [_text(quantity, e.value) for e in estimates]
        name = f"{quantity.column}{' (%)' if quantity.share else ''}"
        many.append(Curve(name, [(e.value, e.low, e.high) for e in estimates], texts, titles))
    lines = "; ".join(
        f"{curve.name} {', '.join(f'{step}: {text}' for step, text in zip(steps, curve.texts, strict=True))}"
        for curve in many
    )
    return curves(f"By {rule.name}: {lines}.", many, steps, base=order.index(0))


def _map(sweep: Sweep, quantity: Measure) -> Drawing:
    down, across = sweep.plan.swept
    values = [sorted({p[axis] for p in sweep.plan.points}, key=_sortable) for axis in (0, 1)]
    cells, base = {}, sweep.value(quantity, 0)
    for number, (a, b) in enumerate(sweep.plan.points):
        estimate = sweep.value(quantity, number)
        clear = number == 0 or (quantity.key, number) in sweep.clear
        title = f"{sweep.plan.label((a, b))}: {prose.whole(estimate)}{'' if clear else ', no clear difference'}"
        text = _text(quantity, estimate.value)
        cells[down.text(a), across.text(b)] = HeatMap.Cell(estimate.value, text, title, number == 0, clear)
    lines, columns = ([rule.text(v) for v in vs] for rule, vs in zip((down, across), values, strict=True))
    spoken_cells = "; ".join(f"{a}, {b}: {cells[a, b].text}" for a in lines for b in columns if (a, b) in cells)
    label = f"{quantity.column} by {down.name} and {across.name}: {spoken_cells}."
    names = spoken_rule(down.name), spoken_rule(across.name)
    return heat_map(label, HeatMap(lines, columns, cells, base.value, *names))


def _sortable(value: object) -> tuple[int, float, str]:
    return (0, value, "") if isinstance(value, int | float) else (1, 0, str(value))
