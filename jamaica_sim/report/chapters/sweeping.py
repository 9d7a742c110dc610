"""One or two rules over a range: which quantities respond, which hardly do, and the curve or map of each."""

import math

from jamaica_sim.lab.sweep import Sweep
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber, spoken
from jamaica_sim.report.drawing import Drawing
from jamaica_sim.report.forms import Curve, HeatMap, Mark, Panel, Row, curves, heat_map, rows
from jamaica_sim.report.looks import Looks
from jamaica_sim.report.words import percent, signed
from jamaica_sim.results.measures import Measure
from jamaica_sim.stats.clear import NOTICEABLE

BESIDE = 2  # quantities beside each other, where a rule's values are names


def sweep_chapters(sweep: Sweep, looks: Looks) -> list[Chapter]:
    """The chapters of a sweep: what responds most, then the rest."""
    for quantity in sweep.quantities:
        for number in range(1, len(sweep.results)):
            looks.is_clear(sweep.difference(quantity, number))
    order = _by_effect(sweep)
    first, last = order[: max(1, len(order) // 2)], order[max(1, len(order) // 2) :]
    return [_lead(sweep, order, first), _rest(sweep, last)]


def sweep_chart(sweep: Sweep) -> Drawing:
    """A sweep in one chart: curves of all quantities for one rule, or a map of the one that responds most to two."""
    order = _by_effect(sweep)
    if len(sweep.plan.swept) > 1:
        return _map(sweep, order[0])
    return _curves(sweep, list(sweep.quantities)) if _is_ordered(sweep) else _rows(sweep, order[:BESIDE])


def _by_effect(sweep):
    return sorted(sweep.quantities, key=lambda q: -sweep.effect(q)[0])


def _lead(sweep, order, shown):
    chapter = Chapter("sweep", "What responds", tables=[sweep.differences()])
    responding = [q for q in order if sweep.effect(q)[0] >= NOTICEABLE]
    chapter.effect = sweep.effect(order[0])[0]
    chapter.headline = _headline(sweep, responding)
    chapter.heading = f"{words.number(len(responding))} of {words.number(len(order))} quantities respond noticeably"
    chapter.standfirst = [_instead(sweep, q) for q in responding[:2]]
    chapter.say(*(_instead(sweep, q) for q in shown if q in responding))
    figures = _figures(sweep, shown)
    chapter.hero, chapter.figures = figures[0], figures
    chapter.keys = [_key(sweep, q) for q in (responding or order)[:3]]
    behind = f"games of each of {len(sweep.results)} sets of rules"
    chapter.keys.append(KeyNumber(f"{sweep.plan.games:,}", behind, False))
    return chapter


def _rest(sweep, shown):
    chapter = Chapter("rest", "What else", effect=-1.0, tables=[sweep.values()])
    quiet = [q for q in shown if not sweep.effect(q)[0]]
    chapter.heading = "What responds less"
    chapter.say(*(_instead(sweep, q) for q in shown if q not in quiet))
    if quiet:
        chapter.say(f"no clear response: {words.listed([q.noun for q in quiet])}.")
    chapter.figures = _figures(sweep, shown)
    return chapter


def _headline(sweep, responding):
    names = [spoken_rule(rule.name) for rule in sweep.plan.swept]
    if not responding:
        return f"{words.listed(names)} hardly matter"
    told = [_direction(sweep, q) for q in responding[:2]]
    if all(told):
        return f"{words.listed([_more(rule.name) for rule in sweep.plan.swept])} mean {words.listed(told)}"
    return f"{words.listed(names)} decide {words.listed([q.noun for q in responding[:2]])}"


def _direction(sweep, quantity):
    """What larger values of each rule bring, such as "longer games"; empty if rules disagree or have no order."""
    plan, changes = sweep.plan, []
    if not all(isinstance(value, int) for point in plan.points for value in point):
        return ""
    for axis in range(len(plan.swept)):
        along = [p for p in plan.points if all(p[o] == plan.base_values[o] for o in range(len(p)) if o != axis)]
        ends = [sweep.value(quantity, sweep.index(end(along, key=lambda p: p[axis]))).value for end in (min, max)]  # noqa: B023
        changes.append(ends[1] - ends[0])
    if all(change > 0 for change in changes):
        return quantity.more
    return quantity.less if all(change < 0 for change in changes) else ""


def _more(name):
    return MORE.get(name, f"larger values of {name}")


MORE = {
    "hand_size": "more cards in hand",
    "start_food": "more food at the start",
    "start_gold": "more doubloons at the start",
    "space.0.score": "more points for the finish",
    "red_line": "a later red line",
    "ports.dearer": "dearer ports",
    "seas.dearer": "dearer seas",
    "players": "more players",
    "holds": "more holds",
}


SPOKEN = {
    "hand_size": "cards in hand",
    "start_food": "food at the start",
    "start_gold": "doubloons at the start",
    "action_die": "action dice",
    "space.0.score": "points of the finish",
    "holds": "the holds",
    "red_line": "the red line",
    "ports.dearer": "dearer ports",
    "seas.dearer": "dearer seas",
}


def spoken_rule(name: str) -> str:
    """A rule in words."""
    return SPOKEN.get(name, name.replace("_", " "))


def _instead(sweep, quantity):
    """The largest clear difference of a quantity in a sentence."""
    size, where = sweep.effect(quantity)
    if not size:
        return ""
    value, base, plan = sweep.value(quantity, where), sweep.value(quantity, 0), sweep.plan
    change = sweep.difference(quantity, where)
    unit = "%" if quantity.share else ""
    figures = [
        prose.said(f"{words.amount(e.value, prose.decimals_for(e))}{unit}", prose.behind(e)) for e in (value, base)
    ]
    points = " points" if quantity.share else ""
    return (
        f"with {plan.label(plan.points[where])}, {quantity.noun} is {figures[0]} instead of {figures[1]} "
        f"({prose.change(change)}{points})."
    )


def _key(sweep, quantity):
    size, where = sweep.effect(quantity)
    change = sweep.difference(quantity, where or 1)
    text = signed(change.value, prose.decimals_for(change))
    label = sweep.plan.label(sweep.plan.points[where or 1])
    return KeyNumber(text, f"{quantity.column}{', in points,' if quantity.share else ''} with {label}", bool(size))


def _figures(sweep, shown):
    plan = sweep.plan
    games = f"{plan.games:,} games of each"
    if len(plan.swept) == 1:
        sub = f"By {plan.swept[0].name}; hollow: the base rules; bars are 95% intervals; {games}"
        if _is_ordered(sweep):
            return [Figure(f"curves_{shown[0].key}", "How it responds", sub, _curves(sweep, shown))]
        groups = [shown[start : start + BESIDE] for start in range(0, len(shown), BESIDE)]
        return [Figure(f"rows_{group[0].key}", "How it responds", sub, _rows(sweep, group)) for group in groups]
    many = []
    for quantity in shown:
        unit = "in percent" if quantity.share else "per game"
        sub = (
            f"{quantity.column}, {unit}, by {plan.swept[0].name} (down) and {plan.swept[1].name} (across); violet: "
            f"more than under the base rules (framed), grey: less; {games}"
        )
        many.append(
            Figure(f"map_{quantity.key}", quantity.noun[0].upper() + quantity.noun[1:], sub, _map(sweep, quantity))
        )
    return many


def _text(quantity: Measure, value: float) -> str:
    return percent(value / 100) if quantity.share else words.amount(value, prose.decimals_of(value))


def _is_ordered(sweep):
    return all(isinstance(value, int) for point in sweep.plan.points for value in point)


def _rows(sweep, shown):
    """Values that have no order, one below the other."""
    rule, panels = sweep.plan.swept[0], []
    for quantity in shown:
        made = []
        for number in sweep.in_order:
            e = sweep.value(quantity, number)
            mark = Mark(e.value, _text(quantity, e.value), "base" if number == 0 else "subject", number == 0, "",
                        e.low, e.high, prose.whole(e))  # fmt: skip
            made.append(Row(rule.text(sweep.plan.points[number][0]), [mark], strong=number == 0))
        panels.append(
            Panel(quantity.column[0].upper() + quantity.column[1:], made, line=sweep.value(quantity, 0).value)
        )
    return rows(f"By {rule.name}: {spoken([(p.title, p.rows) for p in panels])}", panels)


def _curves(sweep, shown):
    rule = sweep.plan.swept[0]
    order = sweep.in_order
    steps = [rule.text(sweep.plan.points[n][0]) for n in order]
    many = []
    for quantity in shown:
        estimates = [sweep.value(quantity, n) for n in order]
        titles = [f"{rule.name} {step}: {prose.whole(e)}" for step, e in zip(steps, estimates, strict=True)]
        texts = ["" if math.isnan(e.value) else _text(quantity, e.value) for e in estimates]
        unit = " (%)" if quantity.share else ""
        many.append(Curve(f"{quantity.column}{unit}", [(e.value, e.low, e.high) for e in estimates], texts, titles))
    told = "; ".join(
        f"{curve.name} {', '.join(f'{step}: {text}' for step, text in zip(steps, curve.texts, strict=True))}"
        for curve in many
    )
    return curves(f"By {rule.name}: {told}.", many, steps, base=order.index(0))


def _map(sweep, quantity):
    down, across = sweep.plan.swept
    values = [sorted({p[axis] for p in sweep.plan.points}, key=_sortable) for axis in (0, 1)]
    cells, base = {}, sweep.value(quantity, 0)
    for number, (a, b) in enumerate(sweep.plan.points):
        estimate = sweep.value(quantity, number)
        key = down.text(a), across.text(b)
        clear = number == 0 or (quantity.key, number) in sweep.clear
        cells[key] = HeatMap.Cell(
            estimate.value,
            _text(quantity, estimate.value),
            f"{sweep.plan.label((a, b))}: {prose.whole(estimate)}{'' if clear else ', no clear difference'}",
            number == 0,
            clear,
        )
    lines, columns = ([rule.text(v) for v in vs] for rule, vs in zip((down, across), values, strict=True))
    told = "; ".join(f"{a}, {b}: {cells[a, b].text}" for a in lines for b in columns if (a, b) in cells)
    label = f"{quantity.column} by {down.name} and {across.name}: {told}."
    return heat_map(label, HeatMap(lines, columns, cells, base.value, down.name, across.name))


def _sortable(value):
    return (0, value, "") if isinstance(value, int) else (1, 0, str(value))
